// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/relay_lock_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "gossamer/util/error.hpp"

namespace gossamer::tb {

namespace {

/// "none", "head 3a" or "flit 1f0": the data in hexadecimal without leading zeros.
std::string flit_text(const RelayFlit& flit) {
  if (!flit.valid) return "none";
  std::string digits;
  for (std::size_t word = flit.data.size(); word-- > 0;) {
    digits += fmt::format("{:016x}", flit.data[word]);
  }
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return fmt::format("{} {}", flit.head ? "head" : "flit", digits.substr(first));
}

}  // namespace

std::string RelayDifference::text() const {
  if (!port) {
    return fmt::format("cycle {}, node {}, error flag: expected {}, got {}", cycle, node,
                       expected.data[0], got.data[0]);
  }
  return fmt::format("cycle {}, node {}, port {}: expected {}, got {}", cycle, node,
                     port_name(*port), flit_text(expected), flit_text(got));
}

void RelayLockStep::apply_faults(std::uint64_t cycle) {
  for (const Fault& fault : faults_) {
    if (fault.cycle != cycle) continue;
    if (fault.node >= topology_->nodes() || fault.port >= topology_->ports()) {
      throw InputError(
          fmt::format("fault: there is no port {} of node {}", fault.port, fault.node));
    }
    HardwareRelayEngine& engine = fault.side == Side::kReference ? *reference_ : *device_;
    if (!engine.upset(topology_->link(fault.node, fault.port), fault.upset)) {
      throw InputError(fmt::format("fault: in cycle {} node {} sends nothing by {}", cycle,
                                   fault.node, port_name(fault.port)));
    }
  }
}

std::vector<RelayDifference> RelayLockStep::compare(std::uint64_t cycle) {
  const std::span<const RelayFlit> expected = reference_->links();
  const std::span<const RelayFlit> got = device_->links();
  if (expected.size() != topology_->link_slots() || got.size() != expected.size()) {
    throw std::logic_error("lock step: the engines are not of this topology");
  }
  std::vector<RelayDifference> differences;
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
      RelayDifference difference{cycle, node, {}, {}, {}};
      difference.expected.data[0] = expected_error ? 1 : 0;
      difference.got.data[0] = got_error ? 1 : 0;
      differences.push_back(difference);
    }
  }
  return differences;
}

std::vector<RelayDifference> RelayLockStep::run(RelayObserver* observer) {
  while (!reference_->finished() || !device_->finished()) {
    const std::uint64_t cycle = cycles_ + 1;
    apply_faults(cycle);
    std::vector<RelayDifference> differences = compare(cycle);
    if (!differences.empty()) return differences;
    reference_->step(observer);
    device_->step(nullptr);
    ++cycles_;
  }
  for (const Fault& fault : faults_) {
    if (fault.cycle > cycles_) {
      throw InputError(
          fmt::format("fault: the broadcast is over after {} cycles, there is no cycle {}", cycles_,
                      fault.cycle));
    }
  }
  return {};
}

}  // namespace gossamer::tb
