// SPDX-License-Identifier: Apache-2.0
/// A witness of plans for damaged networks. It gets the dead arcs from the test, not from the plan,
/// and has its own neighbours, queues and lists of received packets. It is written from
/// docs/spec/gossip.md, section 1, docs/spec/broadcast.md, section 1, and
/// docs/spec/foreign-schedules.md, section 7.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/random.hpp"

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
  /// The neighbour in that direction, dead or alive.
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

/// A torus or a mesh.
inline DamagedGrid grid_of(const std::vector<std::uint32_t>& sides, bool torus) {
  return {.sides = sides, .wraps = std::vector<bool>(sides.size(), torus)};
}

/// All 2-D networks up to 8x8 and all 3-D ones up to 4x4x4, without permutations of sides.
inline std::vector<std::vector<std::uint32_t>> small_networks() {
  std::vector<std::vector<std::uint32_t>> networks;
  for (std::uint32_t x = 2; x <= 8; ++x) {
    for (std::uint32_t y = 2; y <= x; ++y) networks.push_back({x, y});
  }
  for (std::uint32_t x = 2; x <= 4; ++x) {
    for (std::uint32_t y = 2; y <= x; ++y) {
      for (std::uint32_t z = 2; z <= y; ++z) networks.push_back({x, y, z});
    }
  }
  return networks;
}

/// The network with each of its links dead, and from 4 nodes on with each of its nodes; those that
/// fall apart included.
inline std::vector<DamagedGrid> single_faults(const DamagedGrid& healthy) {
  std::vector<DamagedGrid> damaged;
  for (std::uint32_t node = 0; node < healthy.nodes(); ++node) {
    for (int port = 1; port < healthy.ports(); port += 2) {
      if (!healthy.beside(node, port)) continue;
      damaged.push_back(healthy);
      damaged.back().cut(node, port);
    }
    if (healthy.nodes() < 4) continue;
    damaged.push_back(healthy);
    damaged.back().dead_nodes.insert(node);
  }
  return damaged;
}

/// Up to a third of the links, a node now and then, a core now and then.
inline DamagedGrid randomly_damaged(SplitMix64& random) {
  DamagedGrid grid;
  const auto side = [&random](std::uint64_t most) {
    return static_cast<std::uint32_t>(2 + random.below(most - 1));
  };
  grid.sides = random.below(3) == 0 ? std::vector<std::uint32_t>{side(4), side(4), side(4)}
                                    : std::vector<std::uint32_t>{side(7), side(7)};
  for (std::size_t dim = 0; dim < grid.sides.size(); ++dim) {
    grid.wraps.push_back(random.below(2) == 0);
  }
  const std::uint64_t rate = 1 + random.below(33);
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    for (int port = 1; port < grid.ports(); port += 2) {
      if (!grid.beside(node, port) || random.below(100) >= rate) continue;
      // One in four is dead in one direction only.
      if (random.below(4) == 0) {
        grid.dead_arcs.insert({node, port});
      } else {
        grid.cut(node, port);
      }
    }
    if (random.below(40) == 0 && grid.dead_nodes.size() + 3 < grid.nodes()) {
      (random.below(2) == 0 ? grid.dead_nodes : grid.dead_cores).insert(node);
    }
  }
  return grid;
}

/// The observations of the witness.
struct Sighting {
  /// The step in which the last node got its last packet; 0: not within the limit.
  std::uint64_t steps = 0;
  /// The missing behaviour of a broken network; empty if there is no error.
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
  const auto entry = [&](std::uint32_t node, int port, int slot) -> const StreamPort& {
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
        const StreamPort& at = entry(node, port, slot);
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
    // Arrivals, by node and in-port.
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

/// Follows a one-port broadcast send by send. Holders send to nodes without the message, over live
/// links that no other send of the step uses; at the end all cores have it.
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

/// Which collective a timetable serves: words of a reduce-scatter's owners, of an all-reduce, of
/// ordered pairs, or of every node for each of the listed ones.
enum class RowsFor { kReduceScatter, kAllReduce, kAllToAll, kGather };

/// Follows a timetable row by row, each word with the list of those who have added to it. In the
/// end every live core has been handed everything that is its own, whole and once, and nothing
/// else.
inline Sighting witness_rows(const DamagedGrid& grid, const TimetableProgram& program,
                             RowsFor collective, const std::vector<std::uint32_t>& listed = {}) {
  struct Held {
    std::uint64_t piece;
    std::multiset<std::uint32_t> from;
  };
  const std::uint32_t nodes = grid.nodes();
  const std::uint32_t own = program.own();
  // Of a reduce-scatter's block.
  const std::uint32_t each = own / nodes;
  const bool sums = collective == RowsFor::kReduceScatter || collective == RowsFor::kAllReduce;
  Sighting seen;
  std::vector<std::map<std::uint32_t, Held>> slots(nodes);
  std::vector<std::map<std::uint32_t, Held>> own_words(nodes);
  std::multiset<std::uint32_t> everybody;
  std::set<std::pair<std::uint32_t, std::uint64_t>> wanted;
  // Relative own words belong to the owner at that displacement.
  const auto owner_at = [&](std::uint32_t node, std::uint32_t distance) {
    std::uint32_t owner = 0;
    std::uint32_t stride = 1;
    for (const std::uint32_t side : grid.sides) {
      owner += (node / stride + distance / stride) % side * stride;
      stride *= side;
    }
    return owner;
  };
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (!grid.has_core(node)) continue;
    everybody.insert(node);
    for (std::uint32_t word = 0; word < own; ++word) {
      std::uint64_t piece = word;
      if (!sums) {
        const std::uint32_t to = collective == RowsFor::kGather ? listed.at(word)
                                 : program.relative             ? owner_at(node, word + 1)
                                                                : word;
        piece = std::uint64_t{node} * nodes + to;
        if (to != node && grid.has_core(to)) wanted.insert({to, piece});
      } else if (program.relative) {
        piece = std::uint64_t{owner_at(node, word / each)} * each + word % each;
      }
      own_words[node].emplace(word, Held{piece, {node}});
      if (collective == RowsFor::kAllReduce ||
          (collective == RowsFor::kReduceScatter && piece / each == node)) {
        wanted.insert({node, piece});
      }
    }
  }
  const auto word_at = [&](std::uint32_t node, WordSource source) -> const Held* {
    const auto& words = source.is_own() ? own_words[node] : slots[node];
    const auto at = words.find(source.index());
    return at == words.end() ? nullptr : &at->second;
  };
  for (std::uint64_t step = 1; step <= program.steps(); ++step) {
    // By node and in-port.
    std::map<std::pair<std::uint32_t, int>, Held> arrivals;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (const SendRow& row : program.roms()[program.rom_of(node)].sends) {
        if (row.step != step) continue;
        const Held* word = word_at(node, row.source);
        if (!grid.is_open(node, row.port)) {
          seen.wrong = "a row over a dead link";
        } else if (word == nullptr) {
          seen.wrong = "an empty slot is sent";
        } else {
          arrivals.insert({{*grid.beside(node, row.port), row.port ^ 1}, *word});
        }
      }
    }
    for (const auto& [place, arrival] : arrivals) {
      const auto& [node, in] = place;
      Held word = arrival;
      bool stored = false;
      bool marked = false;
      for (const ArrivalRow& row : program.roms()[program.rom_of(node)].arrivals) {
        if (row.step != step || row.port != in) continue;
        if (!row.with.none()) {
          const Held* held = word_at(node, row.with);
          if (held == nullptr || held->piece != word.piece) {
            seen.wrong = "a word is added to another one's, or to nothing";
          } else {
            word.from.insert(held->from.begin(), held->from.end());
          }
        }
        stored = row.slot != ArrivalRow::kNoSlot;
        marked = row.delivers;
        if (stored) slots[node].insert_or_assign(row.slot, word);
      }
      const bool handed_over = program.delivery() == DeliveryRule::kAll ||
                               (program.delivery() == DeliveryRule::kUnstored && !stored) ||
                               (program.delivery() == DeliveryRule::kMarked && marked);
      if (!handed_over) continue;
      if (wanted.erase({node, word.piece}) == 0) seen.wrong = "handed over unasked, or twice";
      if (sums ? word.from != everybody : word.from.size() != 1) {
        seen.wrong = "what is handed over is not whole";
      }
      if (wanted.empty()) seen.steps = step;
    }
  }
  if (!wanted.empty()) seen.wrong = "somebody never gets something";
  return seen;
}

}  // namespace gossamer::testing
