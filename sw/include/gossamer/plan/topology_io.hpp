// SPDX-License-Identifier: Apache-2.0
/// Fault files: what is dead of a network, as a document of its own (docs/spec/faults.md, section
/// 9).
#pragma once

#include <filesystem>
#include <string>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The faults that a file names, `-` for standard input. Throws InputError when the file is
/// damaged, is about another network than `topology`, or names what that does not have.
[[nodiscard]] Faults read_faults_file(const std::filesystem::path& path, const Topology& topology);

/// The file that says what is dead of `topology`.
[[nodiscard]] std::string faults_json(const Topology& topology);

}  // namespace gossamer
