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
#include <string>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/plan/step_pipeline.hpp"

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

  /// Steps move packets of several words, or adders take several cycles.
  [[nodiscard]] bool has_packets() const { return flits != 1 || adder_cycles != 0; }
  /// The cycles of its steps. An addition of two arrivals and the own word takes two adders in
  /// series.
  [[nodiscard]] StepPipeline pipeline() const;
  /// Why its steps cannot move packets or wait for adders; empty if they can, or do not need to.
  [[nodiscard]] std::string packet_defect() const;

  /// The configuration of the lanes' registers.
  Combination combine;
  /// Words of a packet, which are consecutive in the node's vector.
  std::uint32_t flits = 1;
  /// Cycles of an adder.
  std::uint32_t adder_cycles = 0;

  bool operator==(const RingProgram&) const = default;

 private:
  std::uint32_t frame_;
};

}  // namespace gossamer
