// SPDX-License-Identifier: Apache-2.0
/// Mesh graph descriptors: the text files in which tt-metal says how a machine's chips are wired.
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
/// dims[0] is x; RING wraps, LINE does not, and without dim_types all dimensions are LINEs. Fields
/// that no network of ours has, several meshes, links between meshes and express links, are errors,
/// as are unknown fields; those of chips, hosts and trays are checked and not used. `name` is the
/// file's in messages. `note` gets one line where a RING on a side of 2 needs one, else it is
/// emptied. Throws InputError with the line.
[[nodiscard]] Topology mesh_graph_topology(std::string_view text, std::string_view name,
                                           std::string* note = nullptr);
/// The network of the descriptor in the file. Throws InputError also when that cannot be read.
[[nodiscard]] Topology read_mesh_graph(const std::filesystem::path& path,
                                       std::string* note = nullptr);

}  // namespace gossamer
