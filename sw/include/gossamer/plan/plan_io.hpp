// SPDX-License-Identifier: Apache-2.0
/// Reading and writing plans, as JSON and as CBOR: the same document (docs/plan-format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

enum class PlanEncoding { kJson, kCbor };

/// Version of the plan document that this program writes, and the only one it reads.
inline constexpr std::int64_t kPlanVersion = 1;

/// CBOR when the name ends in .cbor, else JSON.
[[nodiscard]] PlanEncoding encoding_for(const std::filesystem::path& path);

/// Writes the document; same plan, same bytes. Nothing but the stream's buffer is held.
void write_plan(const Plan& plan, std::ostream& out, PlanEncoding encoding);

/// Reads a plan in either encoding (told apart by the first byte). `name` stands in messages.
/// Throws InputError, one line with name, place and cause, for anything that is no valid plan:
/// unknown keys, other versions, numbers out of range, truncated or hostile files. Memory stays
/// within a small multiple of the file's length.
[[nodiscard]] Plan read_plan(std::istream& in, std::string_view name);

/// Reads the file, or standard input for "-".
[[nodiscard]] Plan read_plan_file(const std::filesystem::path& path);

/// 64-bit FNV-1a over the CBOR document: the plan's identity in reports, caches and sweeps.
[[nodiscard]] std::uint64_t plan_hash(const Plan& plan);

}  // namespace gossamer
