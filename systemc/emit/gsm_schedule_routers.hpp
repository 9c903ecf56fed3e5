// SPDX-License-Identifier: Apache-2.0
/// The routers of a schedule. A ROM has one word per step: for each out-port an own packet or a
/// slot of the packet buffer to send, and the slot in which each arrival is stored. Slots are read
/// before they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gsm_plan.hpp"

/// All routers and the contents of the links between them.
template <typename Data>
class gsm_routers {
 public:
  gsm_routers() { clear(); }

  /// The packet on link node * kPorts + out-port; null if it is idle.
  const Data* link(std::size_t link) const { return links_[link] ? &*links_[link] : nullptr; }
  /// A packet was lost since the last clear().
  bool error() const { return error_; }

  void clear() {
    stop();
    error_ = false;
  }
  /// Ends a round: no further packets are sent.
  void stop() {
    links_.assign(std::size_t{gsm_plan::kNodes} * gsm_plan::kPorts, std::nullopt);
    slots_.assign(std::size_t{gsm_plan::kNodes} * gsm_plan::kSlots, std::nullopt);
  }
  /// own(node, packet) is an own packet, the same in all steps of a round.
  template <typename Own>
  void start(const Own& own) {
    send(1, own);
  }
  /// The edge that ends `step`: arrivals to their slots, then the next packets onto the links.
  template <typename Own>
  void step(std::uint64_t step, const Own& own) {
    for (std::size_t node = 0; node < gsm_plan::kNodes; ++node) {
      const std::uint32_t* word = word_of(node, step);
      for (std::size_t q = 0; q < gsm_plan::kPorts; ++q) {
        const std::uint32_t code = word[gsm_plan::kPorts + q];
        const std::int64_t from = gsm_plan::link_into(node, q);
        if (code == 0 || from < 0 || !links_[static_cast<std::size_t>(from)]) continue;
        // A slot takes one arrival per step.
        for (std::size_t other = 0; other < q; ++other) {
          const std::int64_t before = gsm_plan::link_into(node, other);
          error_ = error_ || (word[gsm_plan::kPorts + other] == code && before >= 0 &&
                              links_[static_cast<std::size_t>(before)]);
        }
        slots_[node * gsm_plan::kSlots + code - 1] = links_[static_cast<std::size_t>(from)];
      }
    }
    send(step + 1, own);
  }

 private:
  /// A node's ROM word of a step: by out-port the packet to send, then by in-port the slot of the
  /// arrival.
  static const std::uint32_t* word_of(std::size_t node, std::uint64_t step) {
    const std::uint64_t words = gsm_plan::kRouter[node] * gsm_plan::kRomSteps + step - 1;
    return gsm_plan::kRom + words * 2 * gsm_plan::kPorts;
  }

  template <typename Own>
  void send(std::uint64_t step, const Own& own) {
    for (std::size_t node = 0; node < gsm_plan::kNodes; ++node) {
      const std::uint32_t* word = word_of(node, step);
      for (std::size_t p = 0; p < gsm_plan::kPorts; ++p) {
        std::optional<Data>& link = links_[node * gsm_plan::kPorts + p];
        const std::uint32_t code = word[p];
        if (code == 0) {
          link.reset();
        } else if (code <= gsm_plan::kPackets) {
          link = own(node, code - 1);
        } else {
          link = slots_[node * gsm_plan::kSlots + code - gsm_plan::kPackets - 1];
        }
      }
    }
  }

  std::vector<std::optional<Data>> links_;
  /// By node * kSlots + slot.
  std::vector<std::optional<Data>> slots_;
  bool error_ = false;
};
