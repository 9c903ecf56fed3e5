// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/rings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

struct Cell {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};
using CellRing = std::vector<Cell>;

/// a x b cells from (x, y) on. A side wraps only where it is a whole ring.
struct CellBox {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t a = 1;
  std::uint32_t b = 1;
  bool wraps_a = false;
  bool wraps_b = false;

  /// The same cells with x and y exchanged.
  [[nodiscard]] CellBox turned() const { return {y, x, b, a, wraps_b, wraps_a}; }
};

enum class RingRule : std::uint8_t { kPairs, kBands, kRectangles, kBlocks };

/// How a box is split without a cut.
struct BoxRule {
  RingRule rule = RingRule::kPairs;
  /// The rule is for the box with x and y exchanged.
  bool turned = false;
  /// Sides of a band or rectangle.
  std::uint32_t p = 0;
  std::uint32_t q = 0;
};

std::optional<BoxRule> direct_rule(const CellBox& box, std::uint32_t size) {
  const std::uint32_t a = box.a;
  const std::uint32_t b = box.b;
  if (size == 2 && a % 2 == 0) return BoxRule{RingRule::kPairs, false, 2, 1};
  if (size == 2 && b % 2 == 0) return BoxRule{RingRule::kPairs, true, 2, 1};
  for (const bool turned : {false, true}) {
    const CellBox seen = turned ? box.turned() : box;
    if (!seen.wraps_a || seen.a < 3 || size % seen.a != 0 || seen.b % (size / seen.a) != 0) {
      continue;
    }
    return BoxRule{RingRule::kBands, turned, seen.a, size / seen.a};
  }
  if (size % 2 != 0) return std::nullopt;
  for (std::uint32_t p = 2; p <= size / 2 && p <= a; ++p) {
    if (size % p != 0 || a % p != 0 || b % (size / p) != 0) continue;
    return BoxRule{RingRule::kRectangles, false, p, size / p};
  }
  if (a % 2 == 0 && b % 2 == 0 && size % 4 == 0) return BoxRule{RingRule::kBlocks};
  return std::nullopt;
}

/// A cycle through p x q cells, p and q at least 2, q even: rows back and forth, and the first
/// column back.
CellRing even_rows(const CellBox& box) {
  CellRing ring;
  for (std::uint32_t row = 0; row < box.b; ++row) {
    for (std::uint32_t i = 1; i < box.a; ++i) {
      ring.push_back({box.x + (row % 2 == 0 ? i : box.a - i), box.y + row});
    }
  }
  for (std::uint32_t row = box.b; row-- > 0;) ring.push_back({box.x, box.y + row});
  return ring;
}

/// A cycle through p x q cells, both odd, whose rows wrap: column 0 up, then rows back and forth
/// from the last one to the first, which the wrapping link closes.
CellRing odd_rows(const CellBox& box) {
  CellRing ring;
  for (std::uint32_t row = 0; row < box.b; ++row) ring.push_back({box.x, box.y + row});
  for (std::uint32_t row = box.b; row-- > 0;) {
    for (std::uint32_t i = 1; i < box.a; ++i) {
      ring.push_back({box.x + (row % 2 == 0 ? i : box.a - i), box.y + row});
    }
  }
  return ring;
}

void turn(CellRing& ring) {
  for (Cell& cell : ring) std::swap(cell.x, cell.y);
}

/// A cycle through all cells of the box, as bands and rectangles have it.
CellRing box_ring(const CellBox& box) {
  CellRing ring;
  if (box.b == 1) {
    for (std::uint32_t i = 0; i < box.a; ++i) ring.push_back({box.x + i, box.y});
    return ring;
  }
  if (box.b % 2 == 0) return even_rows(box);
  if (box.a % 2 != 0) return odd_rows(box);
  ring = even_rows(box.turned());
  turn(ring);
  return ring;
}

/// Cycles round paths of size / 4 blocks of 2x2 cells; the blocks lie along a snake.
void add_block_rings(const CellBox& box, std::uint32_t size, std::vector<CellRing>& rings) {
  const std::uint32_t columns = box.a / 2;
  const auto block = [&](std::uint32_t i) {
    const std::uint32_t row = i / columns;
    return Cell{row % 2 == 0 ? i % columns : columns - 1 - i % columns, row};
  };
  const std::uint32_t length = size / 4;
  for (std::uint32_t first = 0; first < columns * (box.b / 2); first += length) {
    // Clockwise: each block's cells in the order (0,0), (0,1), (1,1), (1,0). Where the path has a
    // block to the left of the way, the ring goes round it first.
    const auto on_path = [&](std::uint32_t i, int dx, int dy) {
      const Cell here = block(i);
      const auto is_there = [&](std::uint32_t j) {
        const Cell there = block(j);
        return there.x == here.x + static_cast<std::uint32_t>(dx) &&
               there.y == here.y + static_cast<std::uint32_t>(dy);
      };
      if (i > first && is_there(i - 1)) return i - 1;
      if (i + 1 < first + length && is_there(i + 1)) return i + 1;
      return i;
    };
    CellRing ring;
    std::uint32_t i = first;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    do {
      const Cell at = block(i);
      ring.push_back({box.x + 2 * at.x + x, box.y + 2 * at.y + y});
      // From the corner (x, y) to the next one: (0,0) up or left, (0,1) right or up, ...
      const int dx = x == y ? (x == 0 ? -1 : 1) : 0;
      const int dy = x == y ? 0 : (x == 0 ? 1 : -1);
      const std::uint32_t next = on_path(i, dx, dy);
      const bool moves_along_x = next == i ? dx == 0 : dx != 0;
      (moves_along_x ? x : y) ^= 1U;
      i = next;
    } while (ring.size() < size);
    rings.push_back(std::move(ring));
  }
}

void add_rings(const CellBox& box, const BoxRule& rule, std::uint32_t size,
               std::vector<CellRing>& rings) {
  if (rule.rule == RingRule::kBlocks) {
    add_block_rings(box, size, rings);
    return;
  }
  const CellBox seen = rule.turned ? box.turned() : box;
  for (std::uint32_t y = 0; y < seen.b; y += rule.q) {
    for (std::uint32_t x = 0; x < seen.a; x += rule.p) {
      rings.push_back(box_ring({seen.x + x, seen.y + y, rule.p, rule.q}));
      if (rule.turned) turn(rings.back());
    }
  }
}

/// Splits a box by the rules, and where none applies by cuts.
class BoxSplit {
 public:
  explicit BoxSplit(std::uint32_t size) : size_(size) {}

  /// False when no rule finds rings.
  [[nodiscard]] bool split(const CellBox& box, std::vector<CellRing>& rings) {
    std::vector<std::pair<CellBox, BoxRule>> parts;
    if (!split_into(box, parts)) return false;
    for (const auto& [part, rule] : parts) add_rings(part, rule, size_, rings);
    return true;
  }

 private:
  using Parts = std::vector<std::pair<CellBox, BoxRule>>;
  /// The search gives up after so many boxes: those of all networks with sides up to 100.
  static constexpr std::size_t kMostBoxes = 20'000;

  /// Cuts off a part that needs no further cut.
  [[nodiscard]] bool split_into(const CellBox& box, Parts& parts) {
    if (const auto rule = direct_rule(box, size_)) {
      parts.emplace_back(box, *rule);
      return true;
    }
    if (failed_.size() > kMostBoxes ||
        !failed_.insert({box.a, box.b, box.wraps_a, box.wraps_b}).second) {
      return false;
    }
    for (const bool turned : {false, true}) {
      const CellBox seen = turned ? box.turned() : box;
      const std::uint32_t unit = size_ / std::gcd(size_, seen.b);
      for (std::uint32_t cut = unit; cut < seen.a; cut += unit) {
        CellBox part{seen.x, seen.y, cut, seen.b, false, seen.wraps_b};
        CellBox rest{seen.x + cut, seen.y, seen.a - cut, seen.b, false, seen.wraps_b};
        if (turned) {
          part = part.turned();
          rest = rest.turned();
        }
        const auto rule = direct_rule(part, size_);
        if (!rule || !split_into(rest, parts)) continue;
        parts.emplace_back(part, *rule);
        return true;
      }
    }
    return false;
  }

  std::uint32_t size_;
  /// Boxes without rings, and the ones that are being cut.
  std::set<std::tuple<std::uint32_t, std::uint32_t, bool, bool>> failed_;
};

/// Why there are no such rings; empty where this is not known.
std::string ring_obstacle(const Topology& topology, std::uint32_t size) {
  if (size % 2 != 0) {
    std::uint32_t shortest = 0;
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      const std::uint32_t side = topology.side(dim);
      if (!topology.wraps(dim) || side % 2 == 0) continue;
      shortest = shortest == 0 ? side : std::min(shortest, side);
    }
    if (shortest == 0) return "an odd ring goes round a wrapping side that is odd, and none is";
    if (size < shortest) {
      return fmt::format("an odd ring goes round a wrapping side that is odd, at least {} nodes",
                         shortest);
    }
  }
  if (size == 4 && topology.dimensions() <= 2) {
    bool odd = topology.dimensions() == 1;
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      if (topology.wraps(dim) && topology.side(dim) == 4) return {};
      odd = odd || topology.side(dim) % 2 != 0;
    }
    if (odd) return "rings of 4 are unit squares, and squares do not cover odd sides";
  }
  return {};
}

/// A Hamiltonian path that turns back at the end of each line.
std::vector<NodeId> snake(const Topology& topology) {
  std::vector<NodeId> nodes(topology.nodes());
  for (NodeId i = 0; i < topology.nodes(); ++i) {
    NodeId rest = i;
    Coordinates at{};
    // The digits of i from the highest; each that is odd turns the lower ones round.
    for (int dim = topology.dimensions(); dim-- > 0;) {
      const std::uint32_t digit = rest / topology.stride(dim);
      rest %= topology.stride(dim);
      at[static_cast<std::size_t>(dim)] = digit;
      if (digit % 2 != 0) rest = topology.stride(dim) - 1 - rest;
    }
    nodes[i] = topology.node(at);
  }
  return nodes;
}

std::vector<std::vector<NodeId>> found_rings(const Topology& topology, std::uint32_t size);

/// Rings with dimension `first` as one side and the others as the other; none where no rule finds
/// them.
std::vector<std::vector<NodeId>> rings_along(const Topology& topology, std::uint32_t size,
                                             int first) {
  const std::uint32_t side = topology.side(first);
  CellBox box{0, 0, side, topology.nodes() / side, topology.wraps(first), false};
  std::vector<NodeId> line{0};
  if (box.b > 1) {
    const Topology others = narrowed(topology, first);
    if (others.dimensions() == 1) {
      box.wraps_b = others.wraps(0);
      line.resize(box.b);
      std::iota(line.begin(), line.end(), 0U);
    } else if (auto cycle = found_rings(others, box.b); !cycle.empty()) {
      box.wraps_b = true;
      line = std::move(cycle.front());
    } else {
      line = snake(others);
    }
  }
  std::vector<CellRing> cells;
  if (!BoxSplit(size).split(box, cells)) return {};
  // A node of the others is the node of the network with coordinate 0 in the first dimension.
  const std::uint32_t stride = topology.stride(first);
  for (NodeId& node : line) node = node % stride + node / stride * stride * side;
  std::vector<std::vector<NodeId>> rings;
  rings.reserve(cells.size());
  for (const CellRing& ring : cells) {
    std::vector<NodeId>& nodes = rings.emplace_back();
    nodes.reserve(ring.size());
    for (const Cell& cell : ring) nodes.push_back(line[cell.y] + cell.x * stride);
  }
  return rings;
}

/// Rings by the first dimension that has some; none where no rule finds them.
std::vector<std::vector<NodeId>> found_rings(const Topology& topology, std::uint32_t size) {
  if (!ring_obstacle(topology, size).empty()) return {};
  const int choices = topology.dimensions() <= 2 ? 1 : topology.dimensions();
  for (int first = 0; first < choices; ++first) {
    if (auto rings = rings_along(topology, size, first); !rings.empty()) return rings;
  }
  return {};
}

/// "; nearest feasible: --ring 6", or nothing where no size has rings.
std::string nearest_size(const Topology& network, std::uint32_t size) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t each = 2; each <= network.nodes(); ++each) {
    if (network.nodes() % each == 0) sizes.push_back(each);
  }
  const auto distance = [size](std::uint32_t each) {
    return each > size ? each - size : size - each;
  };
  std::stable_sort(sizes.begin(), sizes.end(), [&](std::uint32_t left, std::uint32_t right) {
    return distance(left) < distance(right);
  });
  for (const std::uint32_t each : sizes) {
    if (found_rings(network, each).empty()) continue;
    return fmt::format("; nearest feasible: --ring {}", each);
  }
  return {};
}

}  // namespace

std::vector<std::vector<NodeId>> rings_of(const Topology& topology, std::uint32_t size) {
  const Topology network = narrowed(topology);
  const auto refuse = [&](const std::string& cause) {
    throw InfeasibleError(fmt::format("--ring {}: {}{}", size, cause, nearest_size(network, size)));
  };
  if (size < 2) refuse("a ring has two or more nodes");
  if (network.nodes() % size != 0) {
    refuse(fmt::format("does not divide the {} nodes", network.nodes()));
  }
  const std::string obstacle = ring_obstacle(network, size);
  if (!obstacle.empty()) refuse("impossible: " + obstacle);
  auto rings = found_rings(network, size);
  if (rings.empty()) refuse(fmt::format("no rule for rings of {} here", size));
  return rings;
}

}  // namespace gossamer
