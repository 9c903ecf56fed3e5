// SPDX-License-Identifier: Apache-2.0
/// A judge of runs on links that are not equally fast. It knows sides, wrapping, chiplets, periods
/// and the trace, and shares no code with the library.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gossamer::testing {

struct UnequalNetwork {
  std::vector<std::uint32_t> sides;
  std::vector<bool> wraps;
  /// Empty: no chiplets.
  std::vector<std::uint32_t> chiplets;
  std::vector<std::uint32_t> inside;
  std::vector<std::uint32_t> between;

  [[nodiscard]] std::uint32_t nodes() const {
    std::uint32_t count = 1;
    for (const std::uint32_t side : sides) count *= side;
    return count;
  }
  /// The neighbour at an out-port and the period of the link; -1 without a link.
  [[nodiscard]] std::pair<std::int64_t, std::uint32_t> link(std::uint32_t node,
                                                            std::uint32_t port) const {
    const std::uint32_t axis = port / 2;
    std::uint32_t stride = 1;
    for (std::uint32_t i = 0; i < axis; ++i) stride *= sides[i];
    const std::uint32_t at = node / stride % sides[axis];
    const bool up = port % 2 == 1;
    const bool at_end = up ? at + 1 == sides[axis] : at == 0;
    if (sides[axis] == 1 || (at_end && !wraps[axis])) return {-1, 0};
    const std::uint32_t to = at_end ? (up ? 0 : sides[axis] - 1) : (up ? at + 1 : at - 1);
    bool crosses = false;
    if (!chiplets.empty() && chiplets[axis] != sides[axis]) {
      crosses = at / chiplets[axis] != to / chiplets[axis] || at_end;
    }
    return {static_cast<std::int64_t>(node) +
                (static_cast<std::int64_t>(to) - static_cast<std::int64_t>(at)) * stride,
            crosses ? between[axis] : inside[axis]};
  }
};

struct TraceTransfer {
  std::uint64_t step = 0;
  std::uint32_t from = 0;
  std::uint32_t port = 0;
  std::uint64_t packet = 0;
};

/// Rows of a trace; columns after `packet` are ignored.
inline std::vector<TraceTransfer> transfers_of(const std::string& trace) {
  std::vector<TraceTransfer> transfers;
  std::istringstream lines(trace);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    TraceTransfer transfer;
    std::uint64_t hop = 0;
    char comma = 0;
    fields >> transfer.step >> comma >> hop >> comma >> transfer.from >> comma >> transfer.port >>
        comma >> transfer.packet;
    transfers.push_back(transfer);
  }
  return transfers;
}

struct UnequalVerdict {
  /// Empty: the trace is legal and complete.
  std::string defect;
  std::uint64_t steps = 0;
};

/// A reduction: a node sends its own contribution and all that it has received of the word; word x
/// ends at node x / k, with each contribution once. Otherwise an all-gather.
inline UnequalVerdict judge_unequal(const UnequalNetwork& network, std::uint32_t k, bool reduces,
                                    const std::string& trace) {
  const std::uint32_t nodes = network.nodes();
  const std::uint64_t packets = std::uint64_t{nodes} * k;
  // By node and packet: contributors so far, and the step at whose end the last of them came.
  std::vector<std::map<std::uint64_t, std::vector<std::uint32_t>>> has(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint64_t packet = 0; packet < packets; ++packet) {
      if (reduces) has[node][packet] = {node};
      if (!reduces && packet / k == node) has[node][packet] = {};
    }
  }
  struct Arrival {
    std::uint32_t to;
    std::uint64_t packet;
    std::vector<std::uint32_t> contributors;
  };
  std::map<std::uint64_t, std::vector<Arrival>> arriving;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> busy;
  UnequalVerdict verdict;
  const auto land = [&](std::uint64_t before) {
    while (!arriving.empty() && arriving.begin()->first < before) {
      for (Arrival& arrival : arriving.begin()->second) {
        const bool is_new = !has[arrival.to].contains(arrival.packet);
        auto& here = has[arrival.to][arrival.packet];
        here.insert(here.end(), arrival.contributors.begin(), arrival.contributors.end());
        if (reduces || is_new) verdict.steps = arriving.begin()->first;
      }
      arriving.erase(arriving.begin());
    }
  };
  for (const TraceTransfer& sent : transfers_of(trace)) {
    land(sent.step);
    const std::string place = "step " + std::to_string(sent.step) + ", node " +
                              std::to_string(sent.from) + ", port " + std::to_string(sent.port);
    if (sent.from >= nodes || sent.port >= 2 * network.sides.size() || sent.packet >= packets) {
      return {place + ": no such link or packet", 0};
    }
    const auto [to, period] = network.link(sent.from, sent.port);
    if (to < 0) return {place + ": no such link", 0};
    auto& until = busy[{sent.from, sent.port}];
    if (until >= sent.step) return {place + ": the link is busy", 0};
    until = sent.step + period - 1;
    const auto held = has[sent.from].find(sent.packet);
    if (held == has[sent.from].end()) return {place + ": the packet is not held", 0};
    arriving[until].push_back({static_cast<std::uint32_t>(to), sent.packet, held->second});
  }
  land(~std::uint64_t{0});
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint64_t packet = 0; packet < packets; ++packet) {
      if (reduces && packet / k != node) continue;
      const auto held = has[node].find(packet);
      if (held == has[node].end()) return {"node " + std::to_string(node) + " lacks a packet", 0};
      const std::set<std::uint32_t> different(held->second.begin(), held->second.end());
      if (reduces && (different.size() != nodes || held->second.size() != nodes)) {
        return {"node " + std::to_string(node) + " has a wrong sum", 0};
      }
    }
  }
  return verdict;
}

}  // namespace gossamer::testing
