// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/lock_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "gossamer/util/error.hpp"

namespace gossamer::tb {

namespace {

std::string packet_text(PacketId packet) {
  return packet == kNoPacket ? "none" : fmt::format("packet {}", packet);
}

}  // namespace

std::string Difference::text() const {
  if (!port) {
    return fmt::format("cycle {}, node {}, error flag: expected {}, got {}", cycle, node, expected,
                       got);
  }
  return fmt::format("cycle {}, node {}, port {}: expected {}, got {}", cycle, node,
                     port_name(*port), packet_text(expected), packet_text(got));
}

void LockStep::apply_faults(std::uint64_t cycle) {
  for (const Fault& fault : faults_) {
    if (fault.cycle != cycle) continue;
    if (fault.node >= topology_->nodes() || fault.port >= topology_->ports()) {
      throw InputError(
          fmt::format("fault: there is no port {} of node {}", fault.port, fault.node));
    }
    HardwareEngine& engine = fault.side == Side::kReference ? *reference_ : *device_;
    if (!engine.upset(topology_->link(fault.node, fault.port), fault.upset)) {
      throw InputError(fmt::format("fault: in cycle {} node {} sends nothing by {}", cycle,
                                   fault.node, port_name(fault.port)));
    }
  }
}

std::vector<Difference> LockStep::compare(std::uint64_t cycle) {
  const std::span<const PacketId> expected = reference_->links();
  const std::span<const PacketId> got = device_->links();
  if (expected.size() != topology_->link_slots() || got.size() != expected.size()) {
    throw std::logic_error("lock step: the engines are not of this topology");
  }
  std::vector<Difference> differences;
  const bool links_equal = std::equal(expected.begin(), expected.end(), got.begin());
  for (NodeId node = 0; node < topology_->nodes(); ++node) {
    for (int p = 0; p < topology_->ports() && !links_equal; ++p) {
      const auto port = static_cast<Port>(p);
      const LinkId link = topology_->link(node, port);
      if (expected[link] != got[link]) {
        differences.push_back({cycle, node, port, expected[link], got[link]});
      }
    }
    const bool expected_error = reference_->error(node);
    const bool got_error = device_->error(node);
    if (expected_error != got_error) {
      differences.push_back({cycle, node, {}, expected_error ? 1U : 0U, got_error ? 1U : 0U});
    }
  }
  return differences;
}

std::vector<Difference> LockStep::run(std::uint64_t max_cycles, StepObserver* observer) {
  for (std::uint64_t i = 0; i < max_cycles; ++i) {
    const std::uint64_t cycle = cycles_ + 1;
    apply_faults(cycle);
    std::vector<Difference> differences = compare(cycle);
    if (!differences.empty()) return differences;
    const bool go_on = observer == nullptr || observer->on_step(cycle, reference_->links());
    reference_->run(1, nullptr);
    device_->run(1, nullptr);
    ++cycles_;
    if (!go_on) break;
  }
  return {};
}

}  // namespace gossamer::tb
