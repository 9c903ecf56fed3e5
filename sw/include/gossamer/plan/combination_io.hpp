// SPDX-License-Identifier: Apache-2.0
/// Combinations (combination.hpp) in plan documents.
#pragma once

#include <functional>
#include <string>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/document_reader.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The object at `combine`: all but the ranks, which stand in the program's table.
void write_combination(const Combination& combine, DocumentWriter& out);
/// Throws InputError.
[[nodiscard]] Combination read_combination(Fields fields, const Topology& topology,
                                           std::uint32_t parts);

/// Takes the ranks from the columns behind a table's ports (port_table_io.hpp).
[[nodiscard]] std::function<void(NodeId, std::size_t, std::int32_t)> ranks_into(
    Combination& combine, const std::string& place);

/// Refuses a demand that `combine` does not bring about, and faults that no combination goes round:
/// who passes a sum on adds to it, and who owns a block is alive.
void check_combination(const Combination& combine, const Topology& topology, const Demand& demand,
                       const std::string& place);

}  // namespace gossamer
