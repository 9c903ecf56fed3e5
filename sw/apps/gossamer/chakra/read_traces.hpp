// SPDX-License-Identifier: Apache-2.0
/// Workloads as Chakra execution traces (docs/workload.md).
#pragma once

#include <string>

#include "gossamer/compare/workload.hpp"

namespace gossamer::cli {

/// Reads a directory of traces NAME.RANK.et, one per node of the network, in which all nodes run
/// the same steps; NAME.json defines the communicator groups. Steps are in the order of their ids.
/// Throws InputError with file, node and cause.
[[nodiscard]] Workload read_traces(const std::string& directory, const Topology& topology);

}  // namespace gossamer::cli
