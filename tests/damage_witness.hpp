// SPDX-License-Identifier: Apache-2.0
/// A witness of plans for damaged networks that knows which arcs are dead from whoever broke them,
/// not from the plan: its own neighbours, its own queues, its own bookkeeping of who has what,
/// written from docs/spec/gossip.md, section 1, and docs/spec/broadcast.md, section 1.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::testing {

/// A grid of routers, of which some things are broken.
struct DamagedGrid {
  std::vector<std::uint32_t> sides;
  /// By dimension.
  std::vector<bool> wraps;
  std::set<std::pair<std::uint32_t, int>> dead_arcs{};
  std::set<std::uint32_t> dead_nodes{};
  std::set<std::uint32_t> dead_cores{};

  [[nodiscard]] std::uint32_t nodes() const {
    std::uint32_t product = 1;
    for (const std::uint32_t side : sides) product *= side;
    return product;
  }
  [[nodiscard]] int ports() const { return 2 * static_cast<int>(sides.size()); }
  /// Who stands in that direction, broken or not.
  [[nodiscard]] std::optional<std::uint32_t> beside(std::uint32_t node, int port) const {
    std::uint32_t stride = 1;
    for (int dim = 0; dim < port / 2; ++dim) stride *= sides[static_cast<std::size_t>(dim)];
    const auto dim = static_cast<std::size_t>(port / 2);
    const std::uint32_t at = node / stride % sides[dim];
    const std::uint32_t to =
        port % 2 == 1 ? (at + 1) % sides[dim] : (at + sides[dim] - 1) % sides[dim];
    const bool round = port % 2 == 1 ? to < at : to > at;
    if (sides[dim] == 1 || to == at || (round && !wraps[dim])) return {};
    return node + to * stride - at * stride;
  }
  /// Breaks both directions.
  void cut(std::uint32_t node, int port) {
    dead_arcs.insert({node, port});
    dead_arcs.insert({*beside(node, port), port ^ 1});
  }
  [[nodiscard]] bool is_open(std::uint32_t node, int port) const {
    const auto to = beside(node, port);
    return to && !dead_arcs.contains({node, port}) && !dead_nodes.contains(node) &&
           !dead_nodes.contains(*to);
  }
  [[nodiscard]] bool has_core(std::uint32_t node) const {
    return !dead_nodes.contains(node) && !dead_cores.contains(node);
  }
  /// The product's words for it.
  [[nodiscard]] Topology topology() const {
    std::uint32_t wrap = 0;
    for (std::size_t dim = 0; dim < wraps.size(); ++dim) wrap |= (wraps[dim] ? 1U : 0U) << dim;
    Faults faults;
    faults.dead_nodes.assign(dead_nodes.begin(), dead_nodes.end());
    faults.dead_cores.assign(dead_cores.begin(), dead_cores.end());
    const auto per_node = static_cast<LinkId>(ports());
    for (const auto& [node, port] : dead_arcs) {
      faults.dead_arcs.push_back(node * per_node + static_cast<LinkId>(port));
    }
    return Topology::grid(sides, wrap).with_faults(std::move(faults));
  }
  /// Every router that is left hears every other one.
  [[nodiscard]] bool is_connected() const {
    for (const bool forward : {true, false}) {
      std::uint32_t start = 0;
      while (dead_nodes.contains(start)) ++start;
      std::set<std::uint32_t> seen = {start};
      std::vector<std::uint32_t> front = {start};
      while (!front.empty()) {
        const std::uint32_t node = front.back();
        front.pop_back();
        for (int port = 0; port < ports(); ++port) {
          const auto to = beside(node, port);
          if (!to || !(forward ? is_open(node, port) : is_open(*to, port ^ 1))) continue;
          if (seen.insert(*to).second) front.push_back(*to);
        }
      }
      if (seen.size() + dead_nodes.size() != nodes()) return false;
    }
    return true;
  }
};

/// What the witness saw.
struct Sighting {
  /// The step in which the last node got its last packet; 0: not within the limit.
  std::uint64_t steps = 0;
  /// What a broken network does not do; empty when all is well.
  std::string wrong;
};

/// Runs an all-gather's streams for at most `limit` steps. Streams without switch.
inline Sighting witness_streams(const DamagedGrid& grid, const StreamProgram& program,
                                std::uint64_t limit) {
  const int frame = static_cast<int>(program.frame());
  const int ports = grid.ports();
  const std::uint32_t nodes = grid.nodes();
  const std::uint32_t k = program.packets_per_node();
  Sighting seen;
  const auto entry = [&](std::uint32_t node, int port, int slot) -> const PortProgram& {
    return program.at(node, static_cast<Port>(port * frame + slot));
  };
  // By node, port and slot.
  std::vector<std::deque<std::uint64_t>> queues(std::size_t{nodes} *
                                                static_cast<std::size_t>(ports * frame));
  const auto queue = [&](std::uint32_t node, int port, int slot) -> std::deque<std::uint64_t>& {
    return queues[(node * static_cast<std::size_t>(ports) + static_cast<std::size_t>(port)) *
                      static_cast<std::size_t>(frame) +
                  static_cast<std::size_t>(slot)];
  };
  std::vector<std::vector<bool>> has(nodes, std::vector<bool>(std::size_t{nodes} * k, false));
  std::uint64_t missing = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (!grid.has_core(node)) continue;
    for (std::uint32_t c = 0; c < k; ++c) has[node][node * std::size_t{k} + c] = true;
    for (std::uint32_t other = 0; other < nodes; ++other) {
      missing += grid.has_core(other) && other != node ? k : 0;
    }
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (int port = 0; port < ports; ++port) {
      for (int slot = 0; slot < frame; ++slot) {
        const PortProgram& at = entry(node, port, slot);
        if (!grid.is_open(node, port) && (!at.feed.empty() || !at.preload.empty())) {
          seen.wrong = "a dead link is used";
        }
        if (!at.preload.empty() && !grid.has_core(node)) seen.wrong = "a dead node has packets";
        for (const std::uint16_t packet : at.preload) {
          queue(node, port, slot).push_back(node * std::uint64_t{k} + packet);
        }
      }
    }
  }
  for (std::uint64_t step = 1; step <= limit && missing != 0 && seen.wrong.empty(); ++step) {
    const int slot = static_cast<int>((step - 1) % static_cast<std::uint64_t>(frame));
    // What comes in, by node and in-port.
    std::vector<std::optional<std::uint64_t>> in(std::size_t{nodes} *
                                                 static_cast<std::size_t>(ports));
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (int port = 0; port < ports; ++port) {
        auto& waiting = queue(node, port, slot);
        if (waiting.empty()) continue;
        const std::uint64_t packet = waiting.front();
        waiting.pop_front();
        if (!grid.is_open(node, port)) {
          seen.wrong = "a packet on a dead link";
          continue;
        }
        const std::uint32_t to = *grid.beside(node, port);
        in[std::size_t{to} * static_cast<std::size_t>(ports) + static_cast<std::size_t>(port ^ 1)] =
            packet;
        if (has[to][packet]) continue;
        has[to][packet] = true;
        if (grid.has_core(to) && --missing == 0) seen.steps = step;
      }
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (int port = 0; port < ports; ++port) {
        for (int later = 0; later < frame; ++later) {
          for (const Port feed : entry(node, port, later).feed) {
            if (feed % frame != slot) continue;
            const auto& packet = in[std::size_t{node} * static_cast<std::size_t>(ports) +
                                    static_cast<std::size_t>(feed / frame)];
            if (packet) queue(node, port, later).push_back(*packet);
          }
        }
      }
    }
  }
  return seen;
}

/// Follows a one-port broadcast send by send: holders send, over live links that no other send of
/// the step uses, to who has not got the message; in the end all cores have it.
inline Sighting witness_relays(const DamagedGrid& grid, const RelayProgram& program) {
  Sighting seen;
  std::set<std::uint32_t> holders = {program.source()};
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    std::set<std::pair<std::uint32_t, int>> used;
    std::set<std::uint32_t> busy;
    std::vector<std::uint32_t> informed;
    for (const RelaySend& send : program.sends(step)) {
      std::uint32_t at = send.from;
      if (!holders.contains(at)) seen.wrong = "a sender does not hold the message";
      for (const RelaySegment& segment : program.path(send)) {
        for (int hop = 0; hop < segment.hops; ++hop) {
          if (!grid.is_open(at, segment.port)) {
            seen.wrong = "a send over a dead link";
            return seen;
          }
          if (!used.insert({at, segment.port}).second) seen.wrong = "two sends on a link";
          at = *grid.beside(at, segment.port);
        }
      }
      if (!busy.insert(send.from).second || !busy.insert(at).second) {
        seen.wrong = "a node in two sends";
      }
      informed.push_back(at);
    }
    for (const std::uint32_t node : informed) {
      if (!holders.insert(node).second) seen.wrong = "told twice";
    }
    if (!informed.empty()) seen.steps = step;
  }
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    if (grid.has_core(node) && !holders.contains(node)) seen.wrong = "a node is left out";
  }
  return seen;
}

}  // namespace gossamer::testing
