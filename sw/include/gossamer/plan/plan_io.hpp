// SPDX-License-Identifier: Apache-2.0
/// Reads and writes plans and experiments, as JSON and as CBOR: the same document
/// (docs/plan-format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

class DocumentWriter;
class Fields;
struct Document;
struct PlanMember;

enum class PlanEncoding { kJson, kCbor };

/// Version of the documents that this program writes. It also reads version 1, which had no demand,
/// and derives the demand from the program.
inline constexpr std::int64_t kPlanVersion = 3;

/// CBOR when the name ends in .cbor, otherwise JSON.
[[nodiscard]] PlanEncoding encoding_for(const std::filesystem::path& path);

/// Writes the document; the same plan gives the same bytes. Memory is limited to the stream's
/// buffer.
void write_plan(const Plan& plan, std::ostream& out, PlanEncoding encoding);
void write_experiment(const Experiment& experiment, std::ostream& out, PlanEncoding encoding);

/// Reads a document in either encoding (distinguished by the first byte). `name` is used in
/// messages. Throws InputError, one line with name, place and cause, for an invalid document:
/// unknown keys, other versions, numbers out of range, truncated or hostile files. Memory stays
/// within a small multiple of the file's length.
[[nodiscard]] PlanOrExperiment read_plan_or_experiment(std::istream& in, std::string_view name);
/// The same from a file, or from standard input for "-".
[[nodiscard]] PlanOrExperiment read_plan_or_experiment_file(const std::filesystem::path& path);
/// The same for callers that require a plan: an experiment is an InputError.
[[nodiscard]] Plan read_plan(std::istream& in, std::string_view name);
[[nodiscard]] Plan read_plan_file(const std::filesystem::path& path);

/// A plan inside the document of a plan that consists of several: an object without format, version
/// and topology, but with `first_step` if `has_first_step`.
void write_member(const PlanMember& member, bool has_first_step, DocumentWriter& out);
/// Reads a member from `document`, its own document. Throws InputError like read_plan.
[[nodiscard]] PlanMember read_member(Fields fields, bool has_first_step, const Topology& topology,
                                     const Document& document);

/// 64-bit FNV-1a over the CBOR document: the identity in reports, caches and sweeps.
[[nodiscard]] std::uint64_t plan_hash(const Plan& plan);
[[nodiscard]] std::uint64_t plan_hash(const Experiment& experiment);

}  // namespace gossamer
