// SPDX-License-Identifier: Apache-2.0
/// Two relay engines side by side, every link and every error flag compared in every cycle: the
/// counterpart of lock_step.hpp for RelayProgram.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/sim/relay_hardware_engine.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::tb {

/// One thing that the two sides disagree about.
struct RelayDifference {
  /// The clock cycle, counted from 1 as in the lock step of streams: 1 is the one in which the
  /// source's first head enters its link.
  std::uint64_t cycle = 0;
  NodeId node = 0;
  /// The out-port whose link differs; empty when the routers' error flags do.
  std::optional<Port> port;
  /// What reference and device have; of an error flag, data[0] is 0 or 1.
  RelayFlit expected;
  RelayFlit got;

  /// "cycle 7, node 12, port x+: expected head 1f, got none"
  [[nodiscard]] std::string text() const;
  bool operator==(const RelayDifference&) const = default;
};

class RelayLockStep {
 public:
  /// Both engines execute the same plan on `topology`, have executed nothing yet, and must outlive
  /// the object.
  RelayLockStep(const Topology& topology, HardwareRelayEngine& reference,
                HardwareRelayEngine& device)
      : topology_(&topology), reference_(&reference), device_(&device) {}

  /// Arms a fault, its cycle counted from 1. run() throws InputError if the link is idle when its
  /// cycle comes or the run ends before it: nothing would be damaged.
  void inject(const Fault& fault) { faults_.push_back(fault); }

  /// Steps both sides until both have finished. Stops at the first cycle in which they differ,
  /// before executing it, and returns all differences of that cycle in order of node and port; else
  /// nothing. `observer`, if any, sees the reference. Throws RelayAssertion.
  [[nodiscard]] std::vector<RelayDifference> run(RelayObserver* observer = nullptr);
  /// Cycles in which both sides agreed.
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  void apply_faults(std::uint64_t cycle);
  [[nodiscard]] std::vector<RelayDifference> compare(std::uint64_t cycle);

  const Topology* topology_;
  HardwareRelayEngine* reference_;
  HardwareRelayEngine* device_;
  std::vector<Fault> faults_;
  std::uint64_t cycles_ = 0;
};

}  // namespace gossamer::tb
