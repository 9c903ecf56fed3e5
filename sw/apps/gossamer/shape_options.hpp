// SPDX-License-Identifier: Apache-2.0
/// The options that define the network: the same for every command that takes sides.
#pragma once

#include <string>
#include <vector>

#include "command_line/command_line.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::cli {

/// As typed.
struct ShapeArguments {
  /// Empty: `standard`.
  std::string topology;
  /// The default without --topology and --wrap: "torus" or "mesh".
  std::string standard = "torus";
  std::string dims;
  std::string wrap;
  std::string topology_file;
  std::vector<std::string> dead_links;
  std::vector<std::string> dead_arcs;
  std::vector<std::string> dead_nodes;
  std::vector<std::string> dead_cores;
  std::vector<std::string> harvests;
  std::string faults_file;
  /// Commands with add_link_rate_options.
  LinkRateTexts rates;
};

/// Adds --topology, --dims, --wrap and --topology-file, in the help's group `group`; empty: among
/// the command's options. `arguments` must outlive the command; its `standard` is the command's
/// default.
void add_sides_options(Command& command, ShapeArguments& arguments, const std::string& group = {});

/// Adds those and the faults. `arguments` must outlive the
/// command; its `standard` is the command's default.
void add_shape_options(Command& command, ShapeArguments& arguments);

/// Adds --link-rate, --chiplets and --die-link-rate: links that are not equally fast.
void add_link_rate_options(Command& command, ShapeArguments& arguments);

/// The requested network, including rates and faults. Throws InputError for invalid sides or
/// faults, and for options that contradict one another.
[[nodiscard]] Topology shape_of(const ShapeArguments& arguments);

}  // namespace gossamer::cli
