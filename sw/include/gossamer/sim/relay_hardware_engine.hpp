// SPDX-License-Identifier: Apache-2.0
/// Relay engines that simulate the hardware cycle by cycle, flit by flit.
///
/// The counterpart of hardware_engine.hpp for RelayProgram: what `gossamer cosim` steps side by
/// side (tb/relay_lock_step.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "gossamer/sim/hardware_engine.hpp"
#include "gossamer/sim/relay_engine.hpp"

namespace gossamer {

/// What a link carries in a cycle.
struct RelayFlit {
  bool valid = false;
  /// First flit of its message: the header stands in the low bits of `data`.
  bool head = false;
  /// Bit 0 is bit 0 of data[0]; all zero on an idle link.
  std::array<std::uint64_t, 4> data{};

  bool operator==(const RelayFlit&) const = default;
};

/// A model or the RTL found what a correct plan rules out: two messages on one link or for one node
/// at once, a node that has to send before it can. The engine that threw it can only be destroyed.
class RelayAssertion : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A relay engine of clocked registers. Cycle 0 is the one in which the source's first head enters
/// its link.
class HardwareRelayEngine : public RelayEngine {
 public:
  /// What every link carries in the cycle that step() will execute next, by link slot. Valid until
  /// the next call of step() or upset().
  [[nodiscard]] virtual std::span<const RelayFlit> links() = 0;
  /// Executes one cycle. Throws RelayAssertion.
  virtual void step(RelayObserver* observer) = 0;
  /// Nothing moves any more and nothing ever will.
  [[nodiscard]] virtual bool finished() const = 0;
  /// Two messages have met in the node's router (sticky).
  [[nodiscard]] virtual bool error(NodeId node) const = 0;
  /// Damages the flit (`flip`: of data[0]) that `link` carries in the cycle that step() will
  /// execute next; the damage travels on. Returns false, and does nothing, on an idle link.
  virtual bool upset(LinkId link, const Upset& upset) = 0;
};

}  // namespace gossamer
