// SPDX-License-Identifier: Apache-2.0
/// Lengths and delays of messages that nodes forward as a whole.
#pragma once

#include <cstdint>

namespace gossamer {

/// The start of a holder's next send.
enum class MessageTiming : std::uint8_t {
  /// All sends of a step start together, after the last message of the previous step has been
  /// received and handled. It requires a common step counter.
  kStep,
  /// Every node continues as soon as it can. It requires no common counter, and is never slower.
  kSelf
};

/// The largest values of `--flits`, `--hop-cycles` and `--relay-cycles`.
inline constexpr std::uint32_t kMaxFlits = 65536;
inline constexpr std::uint32_t kMaxHopCycles = 1024;
inline constexpr std::uint32_t kMaxRelayCycles = 65536;

/// Message length and delays, in clock cycles (docs/spec/broadcast.md, section 8).
struct MessageClock {
  MessageTiming timing = MessageTiming::kStep;
  /// Flits of the message, >= 1.
  std::uint32_t flits = 1;
  /// Cycles per hop of the head, >= 1.
  std::uint32_t hop_cycles = 1;
  /// Cycles from the last flit's arrival to the receiver's first own send, and between the last
  /// flit of a send and the first of the sender's next one; >= 0.
  std::uint32_t relay_cycles = 0;

  bool operator==(const MessageClock&) const = default;
};

}  // namespace gossamer
