// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/stream_lines.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "gossamer/bounds/gossip.hpp"

namespace gossamer {

namespace {

/// Requirements of a dealing for T steps on a line: M - m(v) is at most `ordinary` for all nodes,
/// and at most T for the `special` ones.
struct LineLimits {
  std::uint64_t ordinary = 0;
  std::vector<NodeId> special;
};

LineLimits limits_of(const StreamLine& line, std::uint64_t steps) {
  switch (line.kind) {
    case LineKind::kCycle:
      return {2 * steps, {}};
    case LineKind::kOneWay:
      return {steps, {}};
    case LineKind::kPath:
      return {2 * steps, {line.nodes.front(), line.nodes.back()}};
    case LineKind::kBroken:
      return {2 * steps, {line.nodes.front()}};
  }
  return {};
}

/// The least that a node with this limit must put on a line of `sum` packets.
std::uint64_t least(std::uint64_t sum, std::uint64_t limit) {
  return sum > limit ? std::max<std::uint64_t>(1, sum - limit) : 1;
}

/// Sums of the lines with which all packets can be dealt in `steps`; empty if impossible.
class Sums {
 public:
  Sums(const std::vector<StreamLine>& lines, std::uint64_t nodes, std::uint64_t k,
       std::uint64_t steps)
      : nodes_(nodes), k_(k), steps_(steps) {
    for (const StreamLine& line : lines) {
      limits_.push_back(limits_of(line, steps));
      for (const NodeId node : limits_.back().special) rows_.emplace(node, 0);
    }
  }

  [[nodiscard]] std::optional<std::vector<std::uint64_t>> find() const {
    for (std::uint64_t each = 1; each <= k_; ++each) {
      if (auto sums = with(each)) return sums;
    }
    return std::nullopt;
  }

 private:
  /// Every ordinary node at least `each` on every line that all nodes limit alike.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> with(std::uint64_t each) const {
    std::vector<std::uint64_t> sums;
    for (const LineLimits& limits : limits_) {
      sums.push_back((limits.special.empty() ? limits.ordinary : steps_) +
                     (limits.special.empty() ? each : 1));
    }
    // The remaining packets of the special nodes go to the lines that they limit.
    for (std::size_t c = 0; c < limits_.size(); ++c) {
      if (limits_[c].special.empty()) continue;
      std::uint64_t more =
          limits_[c].ordinary + each - std::min(sums[c], limits_[c].ordinary + each);
      for (const NodeId node : limits_[c].special) {
        const std::uint64_t taken = row(sums, node);
        if (taken > k_) return std::nullopt;
        more = std::min(more, k_ - taken);
      }
      sums[c] += more;
    }
    const std::uint64_t all = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
    if (all < k_ * nodes_) return std::nullopt;
    std::uint64_t surplus = all - k_ * nodes_;
    for (std::uint64_t& sum : sums) {
      const std::uint64_t less = std::min(surplus, sum - std::min(sum, nodes_));
      sum -= less;
      surplus -= less;
    }
    if (surplus != 0 || !holds(sums)) return std::nullopt;
    return sums;
  }

  /// The least that a special node puts on all lines together.
  [[nodiscard]] std::uint64_t row(const std::vector<std::uint64_t>& sums, NodeId node) const {
    std::uint64_t all = 0;
    for (std::size_t c = 0; c < limits_.size(); ++c) all += least_of(sums, c, node);
    return all;
  }
  [[nodiscard]] std::uint64_t least_of(const std::vector<std::uint64_t>& sums, std::size_t c,
                                       NodeId node) const {
    const auto& special = limits_[c].special;
    const bool is_special = std::find(special.begin(), special.end(), node) != special.end();
    return least(sums[c], is_special ? std::min(steps_, limits_[c].ordinary) : limits_[c].ordinary);
  }

  [[nodiscard]] bool holds(const std::vector<std::uint64_t>& sums) const {
    std::uint64_t ordinary_row = 0;
    for (std::size_t c = 0; c < limits_.size(); ++c) {
      const std::uint64_t ordinary = least(sums[c], limits_[c].ordinary);
      ordinary_row += ordinary;
      std::uint64_t column = ordinary * (nodes_ - rows_.size());
      for (const auto& [node, unused] : rows_) column += least_of(sums, c, node);
      if (column > sums[c]) return false;
    }
    if (ordinary_row > k_ && nodes_ > rows_.size()) return false;
    return std::all_of(rows_.begin(), rows_.end(),
                       [&](const auto& special) { return row(sums, special.first) <= k_; });
  }

  std::uint64_t nodes_;
  std::uint64_t k_;
  std::uint64_t steps_;
  std::vector<LineLimits> limits_;
  /// Nodes that are special on some line.
  std::map<NodeId, int> rows_;
};

}  // namespace

std::optional<Dealing> deal(const Topology& topology, const std::vector<StreamLine>& lines,
                            std::uint32_t k) {
  if (lines.empty() || k < lines.size()) return std::nullopt;
  const std::uint64_t nodes = lines.front().nodes.size();
  // With one packet on each of all lines except one, this number of steps is enough.
  std::uint64_t high = std::uint64_t{2} * k * nodes;
  std::uint64_t low = 1;
  if (!Sums(lines, nodes, k, high).find()) return std::nullopt;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (Sums(lines, nodes, k, middle).find()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const auto sums = *Sums(lines, nodes, k, low).find();

  // The least that each node must give, then the rest: where the node has given least, of equals
  // where the most is still wanted.
  Dealing dealing;
  std::vector<std::uint64_t> wanted = sums;
  for (std::size_t c = 0; c < lines.size(); ++c) {
    const LineLimits limits = limits_of(lines[c], low);
    auto& counts = dealing.counts.emplace_back(topology.nodes(), std::uint16_t{0});
    const auto ordinary = static_cast<std::uint16_t>(least(sums[c], limits.ordinary));
    for (const NodeId node : lines[c].nodes) counts[node] = ordinary;
    for (const NodeId node : limits.special) {
      counts[node] = static_cast<std::uint16_t>(least(sums[c], std::min(low, limits.ordinary)));
    }
    for (const NodeId node : lines[c].nodes) wanted[c] -= counts[node];
  }
  for (const NodeId node : lines.front().nodes) {
    std::uint32_t given = 0;
    for (const auto& counts : dealing.counts) given += counts[node];
    for (; given < k; ++given) {
      std::size_t to = lines.size();
      for (std::size_t c = 0; c < lines.size(); ++c) {
        if (wanted[c] == 0) continue;
        const auto less = [&](std::size_t other) {
          const auto mine = dealing.counts[c][node];
          const auto its = dealing.counts[other][node];
          return mine != its ? mine < its : wanted[c] > wanted[other];
        };
        if (to == lines.size() || less(to)) to = c;
      }
      --wanted[to];
      ++dealing.counts[to][node];
    }
  }
  dealing.steps = dealt_steps(lines, dealing.counts);
  return dealing;
}

std::uint64_t dealt_steps(const std::vector<StreamLine>& lines,
                          const std::vector<std::vector<std::uint16_t>>& counts) {
  std::uint64_t steps = 0;
  for (std::size_t c = 0; c < lines.size(); ++c) {
    const StreamLine& line = lines[c];
    std::uint64_t sum = 0;
    std::uint64_t fewest = ~std::uint64_t{0};
    for (const NodeId node : line.nodes) {
      sum += counts[c][node];
      fewest = std::min<std::uint64_t>(fewest, counts[c][node]);
    }
    const auto end = [&](NodeId node) { return sum - counts[c][node]; };
    const std::uint64_t both = bounds::ceil_div(sum - fewest, 2);
    switch (line.kind) {
      case LineKind::kCycle:
        steps = std::max(steps, both);
        break;
      case LineKind::kOneWay:
        steps = std::max(steps, sum - fewest);
        break;
      case LineKind::kPath:
        steps = std::max({steps, end(line.nodes.front()), end(line.nodes.back())});
        break;
      case LineKind::kBroken:
        steps = std::max({steps, both, end(line.nodes.front())});
        break;
    }
  }
  return steps;
}

StreamProgram lines_program(const Topology& topology, const std::vector<StreamLine>& lines,
                            const std::vector<std::vector<std::uint16_t>>& counts,
                            std::uint32_t k) {
  StreamProgram program(topology.nodes(), topology.ports(), k);
  std::vector<std::uint16_t> first(topology.nodes(), 0);
  StreamPort entry;
  const auto set = [&](NodeId node, Port out, std::optional<Port> feed, std::uint16_t begin,
                       std::uint16_t count, bool backward) {
    entry.feed = feed ? PortSet::of(*feed) : PortSet();
    entry.preload.resize(count);
    std::iota(entry.preload.begin(), entry.preload.end(), begin);
    if (backward) std::reverse(entry.preload.begin(), entry.preload.end());
    program.set(node, out, entry);
  };
  for (std::size_t c = 0; c < lines.size(); ++c) {
    const StreamLine& line = lines[c];
    const std::size_t visits = line.nodes.size();
    const bool closed = line.kind != LineKind::kPath;
    for (std::size_t i = 0; i < visits; ++i) {
      const NodeId node = line.nodes[i];
      const std::size_t before = i == 0 ? visits - 1 : i - 1;
      const bool comes = closed || i > 0;
      const bool goes = closed || i + 1 < visits;
      const bool dead_on = line.kind == LineKind::kBroken && i + 1 == visits;
      const bool dead_back = line.kind == LineKind::kBroken && i == 0;
      // Forward: fed by the port that the visit before leads to.
      if (goes && !dead_on) {
        const bool fed = comes && !dead_back;
        set(node, line.out[i], fed ? std::optional(opposite(line.out[before])) : std::nullopt,
            first[node], counts[c][node], false);
      }
      if (comes && line.kind != LineKind::kOneWay) {
        set(node, opposite(line.out[before]), goes ? std::optional(line.out[i]) : std::nullopt,
            first[node], counts[c][node], true);
      }
    }
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      first[node] = static_cast<std::uint16_t>(first[node] + counts[c][node]);
    }
  }
  return program;
}

}  // namespace gossamer
