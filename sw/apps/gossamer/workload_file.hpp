// SPDX-License-Identifier: Apache-2.0
/// Workloads as files, and the options of their network (docs/workload.md).
#pragma once

#include <string>

#include "command_line/command_line.hpp"
#include "gossamer/compare/workload.hpp"

namespace gossamer::cli {

/// Reads a workload: YAML, - for standard input, or a directory of Chakra traces, one per node of
/// the network. Throws InputError with file, line or node, and cause.
[[nodiscard]] Workload read_workload(const std::string& file, const Topology& topology);

/// Links and clock, as typed.
struct LinkArguments {
  std::string link_bits = "32";
  std::string clock = "1GHz";
  std::string link_latency;
  std::string energy;

  /// Adds --link-bits, --clock and --link-latency, in the help's group `group`; empty: among the
  /// command's options.
  void add_to(Command& command, const std::string& group = {});
  /// The quantities without bytes. Throws InputError for invalid ones.
  [[nodiscard]] PhysicalQuantities quantities(const Topology& topology) const;
};

}  // namespace gossamer::cli
