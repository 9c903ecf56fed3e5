// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/router_table.hpp"

namespace gossamer::systemc {

namespace {

/// The program of ports that lead nowhere.
const PortProgram kIdleProgram;

}  // namespace

RouterTable router_table(const Plan& plan, NodeId node) {
  const auto& program = std::get<StreamProgram>(plan.program);
  RouterTable table;
  table.frame = frame_of(plan);
  table.depth = plan.expected.queue_depth;
  for (std::uint32_t port = 0; port < static_cast<std::uint32_t>(program.ports()); ++port) {
    const bool exists =
        plan.topology.neighbor(node, static_cast<Port>(port / table.frame)) != kNoNode;
    table.programs.push_back(exists ? &program.at(node, static_cast<Port>(port)) : &kIdleProgram);
  }
  return table;
}

}  // namespace gossamer::systemc
