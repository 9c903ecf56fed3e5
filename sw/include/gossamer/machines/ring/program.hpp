// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `ring`: the wiring of the rings or lines along which words are
/// combined, and the configuration of their registers (plan/combination.hpp).
///
/// An output port has at most one feed. If it has a lane, it is the lane's register; otherwise it
/// only forwards. In a frame of several steps, ports are numbered port * frame + slot, like those
/// of streams, and a step of the combination is a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program.hpp"

namespace gossamer {

/// The configuration of one output port for the whole run.
struct RingPort {
  /// The input port that feeds it; may be empty.
  PortSet feed;
  /// The lane whose register the output port is.
  std::optional<std::uint8_t> lane{};

  [[nodiscard]] std::uint64_t hash() const;

  bool operator==(const RingPort&) const = default;
};

/// An entry for every output port; in a frame of several slots, for every output port and slot.
class RingProgram final : public ProgramOf<RingProgram>, public PortTable<RingPort> {
 public:
  /// A program of `nodes` routers, all idle. `ports` counts every port once for each slot.
  RingProgram(std::uint32_t nodes, int ports, std::uint32_t frame = 1)
      : PortTable(nodes, ports), frame_(frame) {}

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  /// Steps in a frame.
  [[nodiscard]] std::uint32_t frame() const { return frame_; }

  /// The configuration of the lanes' registers.
  Combination combine;

  bool operator==(const RingProgram&) const = default;

 private:
  std::uint32_t frame_;
};

}  // namespace gossamer
