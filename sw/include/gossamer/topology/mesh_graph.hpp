// SPDX-License-Identifier: Apache-2.0
/// Mesh graph descriptors: tt-metal's text files for the wiring of a machine's chips.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The network of a descriptor in protobuf's text format:
///
///     mesh_descriptors { name: "M0" device_topology { dims: [8, 4] dim_types: [RING, LINE] } }
///
/// dims[0] is x; RING wraps, LINE does not; without dim_types all dimensions are LINEs.
///
/// Several meshes are one network if their connections, each between two chips given by device_id,
/// make them a grid: each mesh is then a chiplet (topology/link_periods.hpp), and the rate of links
/// between meshes is their number of channels over that of a mesh. device_id counts the last of
/// dims fastest.
///
/// Fields without an equivalent in our networks (other links between meshes, express links) are
/// errors, as are unknown fields. Fields of chips, hosts and trays are checked and not used. `name`
/// is the file's name in messages. `note` receives one line where a RING on a side of 2 needs one,
/// and with the places of several meshes; otherwise it is emptied. Throws InputError with the line.
[[nodiscard]] Topology mesh_graph_topology(std::string_view text, std::string_view name,
                                           std::string* note = nullptr);
/// The network of the descriptor in the file. Also throws InputError when the file cannot be read.
[[nodiscard]] Topology read_mesh_graph(const std::filesystem::path& path,
                                       std::string* note = nullptr);

}  // namespace gossamer
