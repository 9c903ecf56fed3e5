// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `ring`: the wiring of the rings or lines along which words are
/// combined, and what their registers are told (plan/combination.hpp).
///
/// An out-port has one feed at most. Where it has a lane, it is the lane's register; without one it
/// passes on. In a frame of several steps ports are numbered port * frame + slot, as those of
/// streams, and a step of the combination is a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program.hpp"

namespace gossamer {

/// What one out-port does for the whole run.
struct RingPort {
  /// The in-port that feeds it, or none.
  PortSet feed;
  /// The lane whose register the out-port is.
  std::optional<std::uint8_t> lane{};

  [[nodiscard]] std::uint64_t hash() const;

  bool operator==(const RingPort&) const = default;
};

/// An entry for every out-port, in a frame of several slots for every out-port and slot.
class RingProgram final : public ProgramOf<RingProgram>, public PortTable<RingPort> {
 public:
  /// A program of `nodes` routers, all idle. `ports` counts every port once for each slot.
  RingProgram(std::uint32_t nodes, int ports, std::uint32_t frame = 1)
      : PortTable(nodes, ports), frame_(frame) {}

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  /// Steps in a frame.
  [[nodiscard]] std::uint32_t frame() const { return frame_; }

  /// What the lanes' registers are told.
  Combination combine;

  bool operator==(const RingProgram&) const = default;

 private:
  std::uint32_t frame_;
};

}  // namespace gossamer
