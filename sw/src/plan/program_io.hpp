// SPDX-License-Identifier: Apache-2.0
/// The parts of the plan document: the demand, and the program with one writer and one reader per
/// discipline.
#pragma once

#include <fmt/format.h>

#include "document_reader.hpp"
#include "document_writer.hpp"
#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

/// The format name of an experiment's document.
inline constexpr std::string_view kExperimentFormat = "gossamer-experiment";

// Tables of numbers: their keys, and the objects that they stand in, as Document::tables has them.

/// In a program of every machine.
inline constexpr std::string_view kProgramTable = "table";
/// In elastic programs: what each link takes.
inline constexpr std::string_view kLatencyTable = "table";
inline constexpr const char* kProgramTablePath = "program/table";
inline constexpr const char* kLatencyTablePath = "link_latency/table";
inline constexpr const char* kClassesTablePath = "program/classes";
inline constexpr const char* kMovesTablePath = "program/moves";
inline constexpr const char* kSourcesTablePath = "demand/sources";
/// The key of a queued program's moves, in versions 1 and 2.
inline constexpr std::string_view kMovesTable = "moves";
/// The key of a timetable's second table: the ROM of each node.
inline constexpr std::string_view kClassesTable = "classes";
/// The key of a demand's table: its sources.
inline constexpr std::string_view kSourcesTable = "sources";

/// Turns a version 1 document into the version 2 one that says the same; what it does not know it
/// leaves for the reader to refuse. An experiment becomes a document of its own format.
void upgrade_version_1(Document& document);

void write_topology(const Topology& topology, DocumentWriter& out);
/// Throws InputError when it is none.
[[nodiscard]] Topology read_topology(Fields fields);

/// The table at a path, an empty one where there is none.
[[nodiscard]] const NumberTable& table_at(const Document& document, const char* path);

void write_demand(const Demand& demand, DocumentWriter& out);
/// Throws InputError when there is no such demand on `topology`.
[[nodiscard]] Demand read_demand(Fields fields, const Topology& topology, const Document& document);

void write_program(const Program& program, DocumentWriter& out);
/// Throws InputError when the program is not one for `topology`, or cannot be one for `demand`.
[[nodiscard]] Program read_program(Fields fields, const Topology& topology, const Demand& demand,
                                   const Document& document);

// Each discipline's own keys, inside the program's object.

void write_stream_fields(const StreamProgram& program, DocumentWriter& out);
[[nodiscard]] StreamProgram read_stream_fields(Fields& fields, const Topology& topology,
                                               const Document& document);
void write_combination(const Combination& combine, DocumentWriter& out);
/// All but the ranks, which stand in the stream's table.
[[nodiscard]] Combination read_combination(Fields fields, const Topology& topology,
                                           std::uint32_t packets_per_node);
void write_elastic(const Elastic& elastic, int ports, DocumentWriter& out);
[[nodiscard]] Elastic read_elastic(Fields fields, const Topology& topology,
                                   const NumberTable& latencies);
void write_relay_fields(const RelayProgram& program, DocumentWriter& out);
[[nodiscard]] RelayProgram read_relay_fields(Fields& fields, const Topology& topology,
                                             const Demand& demand, const NumberTable& table);
void write_queued_fields(const QueuedProgram& program, DocumentWriter& out);
/// An engine may run what comes back: everything is checked.
[[nodiscard]] QueuedProgram read_queued_fields(Fields& fields, const Topology& topology,
                                               const Demand& demand);
void write_dynamic_fields(const DynamicProgram& program, DocumentWriter& out);
[[nodiscard]] DynamicProgram read_dynamic_fields(Fields& fields);

/// The enumerator whose name stands at `key`; `name` gives the names of the first `count`.
template <typename Enum, typename Name>
Enum read_name(Fields& fields, std::string_view key, int count, Name name) {
  const std::string text = fields.string(key);
  for (int i = 0; i < count; ++i) {
    if (name(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  }
  throw InputError(fmt::format("{}: {}: {} is unknown", fields.place(), key, shown(text)));
}

}  // namespace gossamer
