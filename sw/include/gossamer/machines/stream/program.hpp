// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `stream`: which input ports each output port repeats.
///
/// Each out-port holds a FIFO, preloaded with own packets. In every step it sends its head, then
/// the arrivals of the in-ports that feed it are appended in ascending order of in-ports
/// (docs/spec/gossip.md, section 1).
///
/// Two or more streams can share a link by turns: steps come in frames, and step s is slot
/// (s - 1) mod frame. Every out-port has one FIFO a slot and in each step serves the slot's own
/// one; a feed names an in-port and the slot in which the packet arrives. In a frame of several
/// slots the program's port p * frame + slot stands for out-port or in-port p in that slot;
/// PortSet's 16 bits allow 2d * frame <= 16. A frame of 1 is the plain machine.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program.hpp"

namespace gossamer {

/// What one out-port does for the whole run. A time-independent program has no early feed.
struct StreamPort {
  /// In-ports whose arrivals are appended, in steps >= switch_step.
  PortSet feed;
  /// In-ports whose arrivals are appended in steps < switch_step.
  PortSet early_feed;
  /// First step of `feed`; 0 when there is no switch (then early_feed is empty).
  std::uint32_t switch_step = 0;
  /// Indices 0 .. packets_per_node-1 of own packets, in sending order.
  std::vector<std::uint16_t> preload;

  /// The in-ports that feed the port in `step`.
  [[nodiscard]] PortSet feed_at(std::uint64_t step) const {
    return step < switch_step ? early_feed : feed;
  }
  /// True when some step has more than one feeding in-port.
  [[nodiscard]] bool has_fan_in() const { return feed.has_several() || early_feed.has_several(); }
  [[nodiscard]] std::uint64_t hash() const;

  bool operator==(const StreamPort&) const = default;
};

/// An entry for every out-port, in a frame of several slots for every out-port and slot.
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
  /// fixed wiring with one register an out-port.
  [[nodiscard]] bool is_plain() const;

  bool operator==(const StreamProgram&) const = default;

 private:
  std::uint32_t packets_per_node_;
  std::uint32_t frame_;
};

}  // namespace gossamer
