// SPDX-License-Identifier: Apache-2.0
/// Networks in words, and fault files: what is dead of a network, as a document of its own
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
/// InputError for other words and for sides that are none.
[[nodiscard]] Topology topology_named(std::string_view name, std::span<const std::uint32_t> sides);
/// The name by which topology_named makes the network, its faults aside.
[[nodiscard]] std::string topology_name(const Topology& topology);
/// "torus", "mesh" or "grid wrapping in x,z": what a sentence calls it, its faults aside.
[[nodiscard]] std::string topology_words(const Topology& topology);

/// The faults that a file names, `-` for standard input. Throws InputError when the file is
/// damaged, is about another network than `topology`, or names what that does not have.
[[nodiscard]] Faults read_faults_file(const std::filesystem::path& path, const Topology& topology);

/// The file that says what is dead of `topology`.
[[nodiscard]] std::string faults_json(const Topology& topology);

}  // namespace gossamer
