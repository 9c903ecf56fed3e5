// SPDX-License-Identifier: Apache-2.0
/// Two engines side by side, every link and every error flag compared in every cycle.
///
/// What `gossamer cosim` does with the SystemC model as reference and the Verilated RTL as device
/// under test; any two HardwareEngines of one plan will do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/sim/hardware_engine.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::tb {

/// One thing that the two sides disagree about.
struct Difference {
  /// The clock cycle, which is the step: 1, 2, ...
  std::uint64_t cycle = 0;
  NodeId node = 0;
  /// The out-port whose link differs; empty when the routers' error flags do.
  std::optional<Port> port;
  /// What the reference has: a packet or kNoPacket; of an error flag 0 or 1.
  PacketId expected = 0;
  /// What the device under test has.
  PacketId got = 0;

  /// "cycle 7, node 12, port x+: expected packet 5, got none"
  [[nodiscard]] std::string text() const;
  bool operator==(const Difference&) const = default;
};

/// Which of the two engines.
enum class Side { kReference, kDevice };

/// A deliberate fault in a link register, to prove that the comparison sees it.
struct Fault {
  Side side = Side::kDevice;
  /// The cycle in which the link carries the damaged packet: 1, 2, ...
  std::uint64_t cycle = 1;
  NodeId node = 0;
  Port port = 0;
  Upset upset;
};

class LockStep {
 public:
  /// Both engines execute the same plan on `topology`, have executed nothing yet, and must outlive
  /// the object.
  LockStep(const Topology& topology, HardwareEngine& reference, HardwareEngine& device)
      : topology_(&topology), reference_(&reference), device_(&device) {}

  /// Arms a fault. run() throws InputError if the link is idle when its cycle comes: nothing would
  /// be damaged.
  void inject(const Fault& fault) { faults_.push_back(fault); }

  /// Steps both sides through up to `max_cycles` further cycles. Stops at the first cycle in which
  /// they differ, before executing it, and returns all differences of that cycle in order of node
  /// and port; else nothing. `observer`, if any, sees the reference's links and may end the run.
  [[nodiscard]] std::vector<Difference> run(std::uint64_t max_cycles,
                                            StepObserver* observer = nullptr);
  /// Cycles in which both sides agreed.
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  void apply_faults(std::uint64_t cycle);
  [[nodiscard]] std::vector<Difference> compare(std::uint64_t cycle);

  const Topology* topology_;
  HardwareEngine* reference_;
  HardwareEngine* device_;
  std::vector<Fault> faults_;
  std::uint64_t cycles_ = 0;
};

}  // namespace gossamer::tb
