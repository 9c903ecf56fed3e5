// SPDX-License-Identifier: Apache-2.0
/// Networks in words, and fault files: the dead parts of a network, as a separate document
/// (docs/spec/faults.md, section 9).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// "torus", "mesh", or "wrap-" and the dimensions that wrap: "wrap-x", "wrap-x,z". Throws
/// InputError for other words and for invalid sides.
[[nodiscard]] Topology topology_named(std::string_view name, std::span<const std::uint32_t> sides);
/// The name with which topology_named makes the network, without its faults.
[[nodiscard]] std::string topology_name(const Topology& topology);
/// "torus", "mesh" or "grid wrapping in x,z": its name in sentences, without its faults.
[[nodiscard]] std::string topology_words(const Topology& topology);

/// The faults in a file, `-` for standard input. Throws InputError when the file is damaged,
/// describes a network other than `topology`, or names parts that the network does not have.
[[nodiscard]] Faults read_faults_file(const std::filesystem::path& path, const Topology& topology);

/// The fault file of `topology`.
[[nodiscard]] std::string faults_json(const Topology& topology);

}  // namespace gossamer
