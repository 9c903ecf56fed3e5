// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/stream/router_table.hpp"

#include <numeric>
#include <stdexcept>

namespace gossamer::systemc {

namespace {

/// The program of ports without a neighbour.
const StreamPort kIdleProgram;

}  // namespace

void OwnPackets::set(std::size_t index, PacketId data) {
  if (index >= count_) throw std::out_of_range("a node has no such own packet");
  if (data_.empty()) {
    data_.resize(count_);
    std::iota(data_.begin(), data_.end(), first_);
  }
  data_[index] = data;
}

std::uint64_t RouterTable::injections_end() const {
  std::uint64_t longest = 0;
  for (const StreamPort* program : programs) {
    longest = std::max<std::uint64_t>(longest, program->preload.size());
  }
  return longest * frame;
}

RouterTable router_table(const Plan& plan, NodeId node) {
  const auto& program = plan.program.as<StreamProgram>();
  RouterTable table;
  table.frame = program.frame();
  table.depth = plan.expected.queue_depth;
  if (table.depth == 0) throw std::invalid_argument("a router's queue depth must be at least 1");
  table.own = {own_piece(plan, node, 0), program.packets_per_node()};
  for (std::uint32_t port = 0; port < static_cast<std::uint32_t>(program.ports()); ++port) {
    const bool exists =
        plan.topology.neighbor(node, static_cast<Port>(port / table.frame)) != kNoNode;
    table.programs.push_back(exists ? &program.at(node, static_cast<Port>(port)) : &kIdleProgram);
  }
  return table;
}

}  // namespace gossamer::systemc
