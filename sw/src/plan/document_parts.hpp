// SPDX-License-Identifier: Apache-2.0
/// The parts of plan documents that are the same for all machines.
#pragma once

#include "gossamer/plan/document_reader.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

/// The format name of an experiment's document.
inline constexpr std::string_view kExperimentFormat = "gossamer-experiment";

/// The table of a demand's sources.
inline constexpr std::string_view kSourcesTable = "sources";
inline constexpr std::string_view kSourcesTablePath = "demand/sources";

void write_topology(const Topology& topology, DocumentWriter& out);
/// Throws InputError for an invalid topology.
[[nodiscard]] Topology read_topology(Fields fields);

/// The demand's groups, which it has.
void write_groups(const Demand& demand, DocumentWriter& out);
/// Throws InputError when there are no such groups on `topology`.
[[nodiscard]] Groups read_groups(Fields fields, const Topology& topology);

void write_demand(const Demand& demand, DocumentWriter& out);
/// Throws InputError when there is no such demand on `topology`.
[[nodiscard]] Demand read_demand(Fields fields, const Topology& topology, const Document& document,
                                 std::optional<Groups> groups);

void write_dynamic_fields(const DynamicProgram& program, DocumentWriter& out);
[[nodiscard]] DynamicProgram read_dynamic_fields(Fields& fields);
/// Makes a version 1 document of an experiment, a plan then, one of its own format; leaves others.
void upgrade_experiment(Document& document);

}  // namespace gossamer
