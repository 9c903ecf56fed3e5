// SPDX-License-Identifier: Apache-2.0
/// The plan's data for one node of streams: its router's table, and the packets that its network
/// interface injects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::systemc {

/// A node's own packets. The default data of a packet is its number.
class OwnPackets {
 public:
  /// Packets first, first + 1 ... first + count - 1.
  OwnPackets(PacketId first, std::uint32_t count) : first_(first), count_(count) {}

  [[nodiscard]] PacketId operator[](std::size_t index) const {
    return data_.empty() ? first_ + index : data_[index];
  }
  /// Sets the data of own packet `index`, from the next start on; std::out_of_range if there is no
  /// such packet.
  void set(std::size_t index, PacketId data);

 private:
  PacketId first_;
  std::uint32_t count_;
  std::vector<PacketId> data_;
};

struct RouterTable {
  /// Out-port p's program in slot t at p * frame + t. They belong to the plan.
  std::vector<const StreamPort*> programs;
  /// Slots of a frame, 1 for a plain stream program.
  std::uint32_t frame = 1;
  /// Queue depth of every out-port (and slot) in packets, including the link register, >= 1.
  std::uint32_t depth = 1;
  OwnPackets own{0, 0};

  [[nodiscard]] std::size_t ports() const { return programs.size() / frame; }
  /// Number of injected packets of the preload list of out-port and slot `at`. Packets beyond the
  /// capacity of the queue are lost at once, as in the plan's machine model.
  [[nodiscard]] std::uint32_t injections(std::size_t at) const {
    return std::min(depth, static_cast<std::uint32_t>(programs[at]->preload.size()));
  }
  /// The own packet that out-port `port` injects at the edge that ends `step`, kNoPacket for none.
  /// In frames, the index-th packet of a slot's list is sent in the slot's index-th turn.
  [[nodiscard]] PacketId injected(std::uint64_t step, std::size_t port) const {
    const std::uint64_t index = step / frame;
    const std::size_t at = port * frame + step % frame;
    if (index >= injections(at)) return kNoPacket;
    return own[programs[at]->preload[static_cast<std::size_t>(index)]];
  }
  /// No packet is injected at the edge that ends this step, or later.
  [[nodiscard]] std::uint64_t injections_end() const;
};

/// The table of `node`, for a StreamProgram (std::bad_variant_access). Ports at the border of a
/// mesh are idle. The plan must outlive the table. std::invalid_argument for a queue depth of 0.
[[nodiscard]] RouterTable router_table(const Plan& plan, NodeId node);

}  // namespace gossamer::systemc
