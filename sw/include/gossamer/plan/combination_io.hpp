// SPDX-License-Identifier: Apache-2.0
/// Combinations (combination.hpp) in plan documents.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/document_reader.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Writes the object `combine` without the ranks, which are in the program's table.
void write_combination(const Combination& combine, DocumentWriter& out);
/// Reads the object `combine`, without ranks. Throws InputError.
[[nodiscard]] Combination read_combination(Fields fields, const Topology& topology,
                                           std::uint32_t parts);

[[nodiscard]] std::string_view deal_name(Deal deal);
/// The optional member `deal` of a program. Throws InputError.
[[nodiscard]] Deal read_deal(Fields& fields, const Combination& combine);

/// Takes the ranks from the columns after a table's ports (port_table_io.hpp).
[[nodiscard]] std::function<void(NodeId, std::size_t, std::int32_t)> ranks_into(
    Combination& combine, const std::string& place);

/// Rejects a demand that `combine` does not implement, and faults that no combination avoids: a
/// router that forwards a sum adds to it, and the owner of a block must be alive.
void check_combination(const Combination& combine, const Topology& topology, const Demand& demand,
                       const std::string& place);

}  // namespace gossamer
