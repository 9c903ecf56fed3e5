// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/shift.hpp"

#include <fmt/format.h>

#include <vector>

namespace gossamer {

Verdict prove_shift(const Topology& topology, const ShiftProgram& program) {
  const std::uint64_t nodes = topology.nodes();
  Verdict verdict;
  verdict.method = ProofMethod::kShift;
  verdict.link_transfers = 0;
  verdict.duplicates = 0;
  verdict.max_queue = program.ports.empty() ? 0 : 1;
  // How far from home the packets are, by the node that node 0's is at.
  NodeId displacement = 0;
  std::vector<bool> visited(nodes, false);
  visited[0] = true;
  std::uint64_t missing = nodes - 1;
  for (std::uint64_t step = 1; step <= program.ports.size() && missing != 0; ++step) {
    displacement = topology.neighbor(displacement, program.ports[step - 1]);
    *verdict.link_transfers += nodes;
    if (visited[displacement]) {
      *verdict.duplicates += nodes;
      continue;
    }
    visited[displacement] = true;
    --missing;
    verdict.steps = step;
  }
  verdict.complete = missing == 0;
  if (!verdict.complete) {
    verdict.steps.reset();
    verdict.problems.push_back(fmt::format("every node lacks {} of {} packets", missing, nodes));
  }
  return verdict;
}

}  // namespace gossamer
