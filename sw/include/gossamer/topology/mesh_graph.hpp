// SPDX-License-Identifier: Apache-2.0
/// Mesh graph descriptors: the text files in which tt-metal says how a machine's chips are wired.
#pragma once

#include <filesystem>
#include <string_view>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The network of a descriptor in protobuf's text format:
///
///     mesh_descriptors { name: "M0" device_topology { dims: [8, 4] dim_types: [RING, LINE] } }
///
/// dims[0] is x; RING wraps, LINE does not, and a dimension without a type is a LINE. Everything
/// else in the file is read over. Several mesh descriptors must be alike. `name` stands in
/// messages. Throws InputError with the line.
[[nodiscard]] Topology mesh_graph_topology(std::string_view text, std::string_view name);
/// The network of the descriptor in the file. Throws InputError also when that cannot be read.
[[nodiscard]] Topology read_mesh_graph(const std::filesystem::path& path);

}  // namespace gossamer
