// SPDX-License-Identifier: Apache-2.0
/// The RTL blocks of the line collectives, Verilated: gsm_line_stage and gsm_prefix_unit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace gossamer::tb {

/// What a stage's link carries: a packet and the hops that it has left after this one.
struct LinePacket {
  std::uint64_t data = 0;
  std::uint32_t hops = 0;
};

/// One direction of one node, gsm_line_stage with 64 data bits, 16-bit hops and a queue of 1024.
class VerilatedLineStage {
 public:
  VerilatedLineStage() = default;
  VerilatedLineStage(const VerilatedLineStage&) = delete;
  VerilatedLineStage& operator=(const VerilatedLineStage&) = delete;
  virtual ~VerilatedLineStage() = default;

  /// One clock edge that loads an own packet, 1..65535 hops.
  virtual void load(const LinePacket& packet) = 0;
  /// One clock edge of a round, with what arrives.
  virtual void clock(const std::optional<LinePacket>& arrival) = 0;
  /// The link's register.
  [[nodiscard]] virtual std::optional<LinePacket> out() const = 0;
  /// An own packet was lost because the queue was full.
  [[nodiscard]] virtual bool error() const = 0;
};

/// `border`: the last node of a line in this direction, which sends nothing.
[[nodiscard]] std::unique_ptr<VerilatedLineStage> make_verilated_line_stage(bool border);

/// A message of the prefix: one count upward; two downward in a tree (before the line, in all).
struct PrefixMessage {
  std::uint32_t count = 0;
  std::uint32_t total = 0;
};

/// gsm_prefix_unit with 32-bit counts. A tree's last node stands on the last dimension.
class VerilatedPrefixUnit {
 public:
  VerilatedPrefixUnit() = default;
  VerilatedPrefixUnit(const VerilatedPrefixUnit&) = delete;
  VerilatedPrefixUnit& operator=(const VerilatedPrefixUnit&) = delete;
  virtual ~VerilatedPrefixUnit() = default;

  /// The clock edge that begins, with `own` packets.
  virtual void start(std::uint32_t own) = 0;
  /// A clock edge with what arrives from the node before and from the node behind.
  virtual void clock(const std::optional<PrefixMessage>& up,
                     const std::optional<PrefixMessage>& down) = 0;
  /// The registers towards the node behind and the node before.
  [[nodiscard]] virtual std::optional<PrefixMessage> up() const = 0;
  [[nodiscard]] virtual std::optional<PrefixMessage> down() const = 0;
  /// The result is there; packets before this node's, and in all.
  [[nodiscard]] virtual bool done() const = 0;
  [[nodiscard]] virtual std::uint32_t before() const = 0;
  [[nodiscard]] virtual std::uint32_t total() const = 0;
};

enum class LinePlace { kFirst, kMiddle, kLast };
[[nodiscard]] std::unique_ptr<VerilatedPrefixUnit> make_verilated_prefix_unit(LinePlace place,
                                                                              bool two_way);

}  // namespace gossamer::tb
