// SPDX-License-Identifier: Apache-2.0
/// Two engines in lock step: every link and every error flag is compared in every cycle.
///
/// `gossamer cosim` uses it with the SystemC model as reference and the Verilated RTL as device
/// under test. Any two engines of one plan that show the same link contents can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::tb {

/// One difference between the two sides.
struct Difference {
  /// The clock cycle: in cycle 1 the first packet or head is on its link; for elastic streams, the
  /// cycle of the trace.
  std::uint64_t cycle = 0;
  NodeId node = 0;
  /// The out-port whose link differs; empty if the routers' error flags differ.
  std::optional<Port> port;
  /// The values of the reference and of the device under test: "packet 5", "head 1f", "none"; "0"
  /// or "1" for an error flag; for elastic streams, the flit that is taken, and the number of flits
  /// pushed and not taken.
  std::string expected;
  std::string got;

  /// "cycle 7, node 12, port x+: expected packet 5, got none"
  [[nodiscard]] std::string text() const;
  bool operator==(const Difference&) const = default;
};

/// Selects one of the two engines.
enum class Side { kReference, kDevice };

/// A deliberate fault in a link register, to prove that the comparison detects it.
struct Fault {
  Side side = Side::kDevice;
  /// The cycle in which the link carries the damaged word: 1, 2, ...
  std::uint64_t cycle = 1;
  NodeId node = 0;
  Port port = 0;
  Upset upset;
};

/// The two sides as one engine, which shows the reference. It is done when both sides are, or at
/// the first cycle in which the sides differ, which it neither shows nor executes.
class LockStep final : public Engine {
 public:
  /// Both engines execute the same plan on `topology`, must not have executed anything yet, and
  /// must outlive the object.
  LockStep(const Topology& topology, Engine& reference, Engine& device)
      : topology_(&topology), reference_(&reference), device_(&device) {}

  /// Arms a fault at an existing port (otherwise InputError). When its cycle comes, InputError is
  /// thrown if the link is idle, since nothing would be damaged.
  void inject(const Fault& fault);
  /// The first armed fault whose cycle the run has not reached.
  [[nodiscard]] std::optional<Fault> unreached_fault() const;

  /// Executes up to `max_cycles` further cycles, until it is done. Returns all differences of the
  /// cycle in which it stopped, in order of node and port; empty if the sides agree.
  const std::vector<Difference>& run(std::uint64_t max_cycles);
  [[nodiscard]] const std::vector<Difference>& differences() const { return differences_; }
  /// Cycles in which both sides agreed.
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

  [[nodiscard]] std::string_view name() const override { return "cosim"; }
  [[nodiscard]] LinkView links() override;
  void clock(std::uint64_t cycles) override;
  [[nodiscard]] bool done() const override;
  [[nodiscard]] EngineStatistics statistics() const override { return reference_->statistics(); }
  [[nodiscard]] PrefixResult prefix(int class_index, NodeId node) const override {
    return reference_->prefix(class_index, node);
  }
  [[nodiscard]] std::uint64_t held(LinkId link) const override { return reference_->held(link); }

 private:
  /// Applies the faults of the current cycle and compares the cycle, once.
  void compare();

  const Topology* topology_;
  Engine* reference_;
  Engine* device_;
  std::vector<Fault> faults_;
  std::vector<Difference> differences_;
  std::uint64_t cycles_ = 0;
  /// Number of compared cycles: cycles_, or one more.
  std::uint64_t compared_ = 0;
  /// Subtracted from compared_ to get a cycle's number.
  std::uint64_t first_cycle_ = 0;
};

}  // namespace gossamer::tb
