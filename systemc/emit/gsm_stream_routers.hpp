// SPDX-License-Identifier: Apache-2.0
/// The routers of a plan of streams. In every step an out-port sends one packet, its own packets
/// first. Arrivals on the in-ports that feed it are appended to its queue in ascending in-port
/// order. With frames it has one queue per slot, and serves the queue of the current slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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
  /// Ends a round: packets stop circulating.
  void stop() {
    links_.assign(kLinks, std::nullopt);
    queues_.assign(kLinks * gsm_plan::kFrame, {});
  }
  /// own(node, packet) is an own packet.
  template <typename Own>
  void start(const Own& own) {
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
      const gsm_plan::Port& port = gsm_plan::kTable[gsm_plan::kCode[queue]];
      for (std::uint32_t i = 0; i < port.preload_length; ++i) {
        append(queue, own(queue / kColumns, gsm_plan::kPreload[port.preload_begin + i]));
      }
    }
    send(1);
  }
  /// The edge that ends `step`: arrivals to their queues, then the next packets onto the links.
  template <typename Own>
  void step(std::uint64_t step, const Own&) {
    const std::size_t slot = (step - 1) % gsm_plan::kFrame;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
      const gsm_plan::Port& port = gsm_plan::kTable[gsm_plan::kCode[queue]];
      const std::uint32_t feed = step < port.switch_step ? port.early_feed : port.feed;
      for (std::size_t q = 0; q < gsm_plan::kPorts; ++q) {
        if ((feed >> (q * gsm_plan::kFrame + slot) & 1U) == 0) continue;
        const std::int64_t from = gsm_plan::link_into(queue / kColumns, q);
        if (from < 0) continue;
        const std::optional<Data>& in = links_[static_cast<std::size_t>(from)];
        if (in) append(queue, *in);
      }
    }
    send(step + 1);
  }

 private:
  static constexpr std::size_t kLinks = std::size_t{gsm_plan::kNodes} * gsm_plan::kPorts;
  /// Queues of a node, out-port * kFrame + slot.
  static constexpr std::size_t kColumns = std::size_t{gsm_plan::kPorts} * gsm_plan::kFrame;

  void append(std::size_t queue, const Data& data) {
    if (queues_[queue].size() >= gsm_plan::kDepth) {
      error_ = true;
    } else {
      queues_[queue].push_back(data);
    }
  }

  /// The heads of the step's queues go onto the links.
  void send(std::uint64_t step) {
    for (std::size_t link = 0; link < kLinks; ++link) {
      std::deque<Data>& queue = queues_[link * gsm_plan::kFrame + (step - 1) % gsm_plan::kFrame];
      links_[link].reset();
      if (queue.empty()) continue;
      links_[link] = queue.front();
      queue.pop_front();
    }
  }

  std::vector<std::optional<Data>> links_;
  std::vector<std::deque<Data>> queues_;
  bool error_ = false;
};
