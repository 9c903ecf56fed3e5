// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `stream`: the input ports that each output port repeats.
///
/// Each output port holds a FIFO, preloaded with own packets. In every step it sends its head; then
/// the arrivals of its feeding input ports are appended in ascending order of input ports
/// (docs/spec/gossip.md, section 1).
///
/// Two or more streams can share a link in alternation: steps come in frames, and step s is slot (s
/// - 1) mod frame. Every output port has one FIFO per slot and serves the FIFO of the current slot.
/// A feed names an input port and the slot in which the packet arrives. In a frame of several
/// slots, the program's port p * frame + slot denotes output or input port p in that slot.
/// PortSet's 16 bits allow 2d * frame <= 16. A frame of 1 is the plain machine.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program.hpp"

namespace gossamer {

/// The configuration of one output port for the whole run. A time-independent program has no early
/// feed.
struct StreamPort {
  /// Input ports whose arrivals are appended, in steps >= switch_step.
  PortSet feed;
  /// Input ports whose arrivals are appended in steps < switch_step.
  PortSet early_feed;
  /// First step of `feed`; 0 without a switch (early_feed is then empty).
  std::uint32_t switch_step = 0;
  /// Indices 0 .. packets_per_node-1 of own packets, in sending order.
  std::vector<std::uint16_t> preload;

  /// The input ports that feed the port in `step`.
  [[nodiscard]] PortSet feed_at(std::uint64_t step) const {
    return step < switch_step ? early_feed : feed;
  }
  /// True when some step has more than one feeding input port.
  [[nodiscard]] bool has_fan_in() const { return feed.has_several() || early_feed.has_several(); }
  [[nodiscard]] std::uint64_t hash() const;

  bool operator==(const StreamPort&) const = default;
};

/// An entry for every output port; in a frame of several slots, for every output port and slot.
class StreamProgram final : public ProgramOf<StreamProgram>, public PortTable<StreamPort> {
 public:
  /// A program of `nodes` routers, all idle. `ports` counts every port once for each slot.
  StreamProgram(std::uint32_t nodes, int ports, std::uint32_t packets_per_node,
                std::uint32_t frame = 1)
      : PortTable(nodes, ports), packets_per_node_(packets_per_node), frame_(frame) {}

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  /// Steps in a frame.
  [[nodiscard]] std::uint32_t frame() const { return frame_; }
  /// Own packets of each node, 1 .. kMaxPacketsPerNode.
  [[nodiscard]] std::uint32_t packets_per_node() const { return packets_per_node_; }

  /// A frame of 1, no fan-in, no switch and no preload list longer than one: every router is a
  /// fixed wiring with one register per output port.
  [[nodiscard]] bool is_plain() const;

  bool operator==(const StreamProgram&) const = default;

 private:
  std::uint32_t packets_per_node_;
  std::uint32_t frame_;
};

}  // namespace gossamer
