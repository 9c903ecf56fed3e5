// SPDX-License-Identifier: Apache-2.0
/// Configuration and pins of a relay hardware router, the same for SystemC and RTL.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// The data bits of a flit as the engines carry them.
using RelayData = std::array<std::uint64_t, 4>;

/// `width` <= 32 bits of `data` from bit `lsb` on. Inline, like put_header(): Verilated models are
/// linked without libraries.
[[nodiscard]] inline std::uint32_t get_bits(const RelayData& data, int lsb, int width) {
  const auto word = static_cast<std::size_t>(lsb / 64);
  const int shift = lsb % 64;
  std::uint64_t value = data[word] >> shift;
  if (shift + width > 64) value |= data[word + 1] << (64 - shift);
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << width) - 1));
}

inline void put_bits(RelayData& data, int lsb, int width, std::uint32_t value) {
  const auto word = static_cast<std::size_t>(lsb / 64);
  const int shift = lsb % 64;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  data[word] = (data[word] & ~(mask << shift)) | (value & mask) << shift;
  if (shift + width > 64) {
    data[word + 1] = (data[word + 1] & ~(mask >> (64 - shift))) | (value & mask) >> (64 - shift);
  }
}

/// The configuration of gsm_relay_router that a plan requires.
enum class RelayRouterKind : std::uint8_t {
  /// Table-free, straight messages.
  kRule,
  /// Lists of sends, or the rule with an order in the header.
  kList,
  /// Lists of sends, and an adder before the node's memory.
  kSums,
  /// A stream router: a message passes as a stream, and the router copies it.
  kTree
};
/// The value of the RTL parameter Router.
[[nodiscard]] std::string_view relay_router_name(RelayRouterKind kind);
[[nodiscard]] RelayRouterKind relay_router_kind(const RelayProgram& program);

/// An entry of a node's list of sends, in the form that the router reads.
struct RelayEntry {
  /// The entry exists.
  bool valid = false;
  /// First stretch.
  Port port = 0;
  /// Number of its links minus 1.
  std::uint32_t hops = 0;
  /// Step, from 0.
  std::uint32_t step = 0;
  std::uint32_t tag = 0;
  /// The further stretches in the header's format, from bit 0 on.
  RelayData more{};
};

/// Position of the header's fields (gsm_relay_switch): from bit 0 on the remaining links, step and
/// tag, then the further stretches, each an output port and a number of links.
struct RelayFormat {
  /// Bits of the fields.
  int hop_bits = 0;
  int step_bits = 0;
  int tag_bits = 0;
  int port_bits = 0;
  /// Stretches of a path, including the current one.
  int segments = 1;
  /// 64-bit words of a flit.
  int words = 1;
  /// Dimensions: the low tag bits are the side bits; the bits above them are the order.
  int dimensions = 0;

  /// The format of the engines' routers: one for all plans of a kind and number of ports. The
  /// fields are wide enough for all plans; sums have room for a RelaySum above the header. Fan-out
  /// has no header and an empty format.
  [[nodiscard]] static RelayFormat of(RelayRouterKind kind, int ports);

  [[nodiscard]] int header_bits() const {
    return hop_bits + step_bits + tag_bits + (segments - 1) * (port_bits + hop_bits);
  }
  /// The step that a head belongs to, from 0.
  [[nodiscard]] std::uint32_t step(const RelayData& head) const {
    return get_bits(head, hop_bits, step_bits);
  }
  [[nodiscard]] std::uint32_t tag(const RelayData& head) const {
    return tag_bits == 0 ? 0 : get_bits(head, hop_bits + step_bits, tag_bits);
  }
  /// The output port of a head that enters by `in_port`; empty: it is delivered.
  [[nodiscard]] std::optional<Port> next_port(const RelayData& head, Port in_port) const;
  /// Writes the header of a send as it leaves its sender.
  void put_header(RelayData& head, const RelayEntry& entry) const;
  /// Removes one link from the header of a forwarded head.
  void advance(RelayData& head) const;
};

inline void RelayFormat::put_header(RelayData& head, const RelayEntry& entry) const {
  put_bits(head, 0, hop_bits, entry.hops);
  put_bits(head, hop_bits, step_bits, entry.step);
  int at = hop_bits + step_bits;
  put_bits(head, at, tag_bits, entry.tag);
  at += tag_bits;
  for (int bit = 0; at + bit < header_bits(); bit += 32) {
    const int width = std::min(32, header_bits() - at - bit);
    put_bits(head, at + bit, width, get_bits(entry.more, bit, width));
  }
}

/// Contents of a reduction's flit above the header: a word, and its number of contributions.
struct RelaySum {
  std::uint64_t value = 0;
  std::uint32_t terms = 0;

  [[nodiscard]] static RelaySum of(const RelayData& data);
  void put(RelayData& data) const;
};

/// Number of ports of the smallest router model with at least `ports`: 4 or 16.
[[nodiscard]] int relay_model_ports(int ports);

/// `path` has at most format.segments stretches.
[[nodiscard]] RelayEntry relay_entry(const RelayFormat& format, const RelayPath& path,
                                     std::uint32_t step, std::uint32_t tag);

/// The constant inputs of a relay router.
struct RelayRouterConfig {
  RelayRouterKind kind = RelayRouterKind::kList;
  int ports = 4;
  RelayFormat format;
  MessageClock clock;
  /// log2 of the sides and parity of the coordinates; for the rule.
  std::array<std::uint8_t, kMaxDimensions> levels{};
  std::uint8_t parity = 0;
  /// Side bits of the source's messages.
  std::uint8_t start_side = 0;
  /// The router sends by the list.
  bool list = false;
  /// The router sends and receives at the same time.
  bool duplex = false;
  /// Sums: number of initial steps whose messages are added; at most the program's.
  std::uint32_t adding_steps = 0;
  /// Sums: cycles of the adder.
  std::uint32_t adder_cycles = 0;
  /// Fan-out: the input port that feeds all of `fan_out`; kNoPort at the source.
  Port fan_in = 0;
  PortSet fan_out;

  static constexpr Port kNoPort = 0xff;
};

/// The pins of a relay router, by the names of docs/tile.md; valid, head and data of
/// a port are one PinFlit. Inputs are set before a clock edge; outputs are valid after it. The
/// delivered flit belongs to the cycle that the edge ended.
struct RelayRouterPins {
  bool clear_i = false;
  bool start_i = false;
  bool step_start_i = false;
  std::uint32_t step_i = 0;
  RelayEntry entry_i;
  RelayData own_data_i{};
  /// Sums: contents of the memory for flit store_o.
  RelayData stored_i{};
  std::array<PinFlit, kMaxPorts> in_i{};

  std::uint32_t entry_o = 0;
  std::uint32_t flit_o = 0;
  /// Sums: the index of the next flit that arrives.
  std::uint32_t store_o = 0;
  /// The index of the flit for which `deliver_o` has the new contents of the memory: another one
  /// where the adder takes several cycles.
  std::uint32_t write_o = 0;
  std::array<PinFlit, kMaxPorts> out_o{};
  PinFlit deliver_o;
  bool busy_o = false;
  bool error_o = false;
};

/// The constant inputs of the router of every node of a plan, computed one by one.
class RelayRouterConfigs {
 public:
  /// The plan must hold a RelayProgram and outlive the object. Throws InfeasibleError when a path
  /// has more stretches than a header, or when flits, hop cycles or relay cycles exceed memories,
  /// wires or timers. Throws InputError when a send leads nowhere.
  explicit RelayRouterConfigs(const Plan& plan);
  /// The same for routers whose header format differs from the engines'.
  RelayRouterConfigs(const Plan& plan, const RelayFormat& format);

  [[nodiscard]] RelayRouterKind kind() const { return kind_; }
  [[nodiscard]] RelayRouterConfig config(NodeId node) const;
  /// Entry `index` of the node's list; not valid past its end.
  [[nodiscard]] RelayEntry entry(NodeId node, std::uint32_t index) const;
  /// Cycles from the start of each step to the start of the next; 0 for a step without sends.
  [[nodiscard]] const std::vector<std::uint64_t>& step_lengths() const { return step_lengths_; }

 private:
  const Plan* plan_;
  const RelayProgram* program_;
  RelayRouterKind kind_;
  RelayFormat format_;
  SendsByNode lists_;
  std::vector<std::uint64_t> step_lengths_;
  /// Fan-out: by node.
  std::vector<Port> fan_in_;
  std::vector<PortSet> fan_out_;
};

}  // namespace gossamer
