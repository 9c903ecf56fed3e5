// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/degraded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Faults that are looked for on images of the decomposition, at most.
constexpr std::uint64_t kMostLooks = std::uint64_t{1} << 22U;
/// A queue length that no plan needs more of.
constexpr std::uint32_t kAnyDepth = 0xffffffff;

std::uint32_t packets_of(const Topology& topology, const DegradedOptions& options) {
  return options.packets_per_node.value_or(static_cast<std::uint32_t>(topology.dimensions()));
}

/// A plan of one of the constructions; steps 0: no formula.
Plan degraded_plan(const Topology& topology, std::string_view construction, StreamProgram program,
                   std::uint64_t steps, std::uint32_t depth) {
  const std::uint32_t k = program.packets_per_node();
  Plan plan{topology,
            "gossip",
            std::string(construction),
            {{"packets", std::int64_t{k}}, {"construction", std::string(construction)}},
            Demand::all_gather(k),
            std::move(program),
            {}};
  if (steps != 0) plan.expected.analytic_steps = plan.expected.analytic_cycles = steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, k);
  plan.expected.queue_depth = depth;
  return plan;
}

std::uint32_t deepest(const std::vector<std::vector<std::uint16_t>>& counts) {
  std::uint16_t most = 1;
  for (const auto& line : counts) {
    most = std::max(most, *std::max_element(line.begin(), line.end()));
  }
  return most;
}

/// A symmetry of the torus: dimension i becomes `axis[i]`, turned round where `reflected`, and then
/// everything is shifted.
struct Image {
  std::array<std::uint8_t, kMaxDimensions> axis{};
  std::uint32_t reflected = 0;
  Coordinates shift{};

  [[nodiscard]] NodeId node(const Topology& torus, NodeId from) const {
    const Coordinates at = torus.coordinates(from);
    Coordinates to{};
    for (int dim = 0; dim < torus.dimensions(); ++dim) {
      const auto i = static_cast<std::size_t>(dim);
      const std::uint32_t side = torus.side(dim);
      const std::uint32_t x = ((reflected >> i) & 1U) != 0 ? (side - at[i]) % side : at[i];
      to[axis[i]] = (x + shift[axis[i]]) % side;
    }
    return torus.node(to);
  }
  [[nodiscard]] Port port(Port from) const {
    const auto dim = static_cast<std::size_t>(dimension_of(from));
    const bool turned = ((reflected >> dim) & 1U) != 0;
    return make_port(axis[dim], is_positive(from) != turned);
  }
};

/// The healthy torus' cycles, walked once.
class Cycles {
 public:
  explicit Cycles(const Topology& torus)
      : torus_(torus),
        d_(static_cast<std::size_t>(torus.dimensions())),
        labels_(hamiltonian_decomposition(torus)) {
    for (std::size_t c = 0; c < d_; ++c) {
      std::vector<NodeId>& nodes = nodes_.emplace_back();
      std::vector<Port>& out = out_.emplace_back();
      std::vector<NodeId>& place = place_.emplace_back(torus.nodes(), 0);
      NodeId node = 0;
      Port came = static_cast<Port>(torus.ports());
      do {
        const Port next = leaves_by(node, c, came);
        place[node] = static_cast<NodeId>(nodes.size());
        nodes.push_back(node);
        out.push_back(next);
        node = torus.neighbor(node, next);
        came = opposite(next);
      } while (node != 0);
    }
  }

  [[nodiscard]] std::size_t count() const { return d_; }
  [[nodiscard]] const std::vector<NodeId>& nodes(std::size_t c) const { return nodes_[c]; }
  [[nodiscard]] const std::vector<Port>& out(std::size_t c) const { return out_[c]; }
  [[nodiscard]] NodeId place(std::size_t c, NodeId node) const { return place_[c][node]; }
  [[nodiscard]] std::size_t label(NodeId node, Port port) const {
    return labels_[torus_.link(node, port)];
  }
  /// Leaving by the port follows the cycle.
  [[nodiscard]] bool is_forward(NodeId node, Port port) const {
    const std::size_t c = label(node, port);
    return out_[c][place_[c][node]] == port;
  }

 private:
  [[nodiscard]] Port leaves_by(NodeId node, std::size_t c, Port except) const {
    for (int p = torus_.ports() - 1; p >= 0; --p) {
      const auto port = static_cast<Port>(p);
      if (port != except && label(node, port) == c) return port;
    }
    throw std::logic_error("a node is not on its Hamiltonian cycle");
  }

  const Topology& torus_;
  std::size_t d_;
  HamiltonianDecomposition labels_;
  std::vector<std::vector<NodeId>> nodes_;
  std::vector<std::vector<Port>> out_;
  std::vector<std::vector<NodeId>> place_;
};

/// The faults on one cycle under an image: dead nodes at 2 * place, links at 2 * place + 1.
struct Damage {
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint64_t> forward;
  std::vector<std::uint64_t> backward;
};

class Cutter {
 public:
  explicit Cutter(const Topology& topology)
      : topology_(topology), torus_(topology.healthy()), cycles_(torus_) {}

  /// The lines that the best image leaves, whole cycles first.
  std::vector<StreamLine> lines() {
    find_image();
    std::vector<StreamLine> lines;
    const std::vector<Damage> damage = damage_under(best_);
    // The image carries the network to where the cycles are; back again for the lines.
    std::vector<NodeId> back(torus_.nodes());
    for (NodeId node = 0; node < torus_.nodes(); ++node) back[best_.node(torus_, node)] = node;
    std::array<Port, kMaxPorts> back_port{};
    for (int p = 0; p < torus_.ports(); ++p) {
      back_port[best_.port(static_cast<Port>(p))] = static_cast<Port>(p);
    }
    for (std::size_t c = 0; c < cycles_.count(); ++c) {
      if (auto line = line_of(c, damage[c])) {
        for (NodeId& node : line->nodes) node = back[node];
        for (Port& port : line->out) port = back_port[port];
        lines.push_back(*std::move(line));
      }
    }
    std::stable_sort(lines.begin(), lines.end(), [](const StreamLine& a, const StreamLine& b) {
      return (a.kind == LineKind::kCycle) > (b.kind == LineKind::kCycle);
    });
    return lines;
  }

 private:
  [[nodiscard]] std::vector<Damage> damage_under(const Image& image) const {
    std::vector<Damage> damage(cycles_.count());
    for (const NodeId dead : topology_.faults().dead_nodes) {
      const NodeId node = image.node(torus_, dead);
      for (std::size_t c = 0; c < cycles_.count(); ++c) {
        damage[c].nodes.push_back(2 * std::uint64_t{cycles_.place(c, node)});
      }
    }
    for (const LinkId arc : topology_.faults().dead_arcs) {
      const NodeId from = image.node(torus_, torus_.link_from(arc));
      const Port port = image.port(torus_.link_port(arc));
      const std::size_t c = cycles_.label(from, port);
      const bool forward = cycles_.is_forward(from, port);
      const NodeId first = forward ? from : torus_.neighbor(from, port);
      (forward ? damage[c].forward : damage[c].backward)
          .push_back(2 * std::uint64_t{cycles_.place(c, first)} + 1);
    }
    return damage;
  }

  /// The start of the only stretch of living nodes after a fault; empty when there are several.
  [[nodiscard]] std::optional<std::uint64_t> one_stretch(const Damage& damage) const {
    std::vector<std::uint64_t> faults = damage.nodes;
    faults.insert(faults.end(), damage.forward.begin(), damage.forward.end());
    faults.insert(faults.end(), damage.backward.begin(), damage.backward.end());
    std::sort(faults.begin(), faults.end());
    faults.erase(std::unique(faults.begin(), faults.end()), faults.end());
    const std::uint64_t round = 2 * std::uint64_t{torus_.nodes()};
    std::optional<std::uint64_t> begin;
    for (std::size_t i = 0; i < faults.size(); ++i) {
      const std::uint64_t next = i + 1 < faults.size() ? faults[i + 1] : faults[0] + round;
      // The first node after this fault, if it is before the next one.
      const std::uint64_t node = faults[i] / 2 * 2 + 2;
      if (node >= next) continue;
      if (begin) return std::nullopt;
      begin = node % round;
    }
    return begin;
  }

  /// 2, 1 or 0 (docs/spec/faults.md, section 5).
  [[nodiscard]] int rate(const Damage& damage) const {
    if (damage.nodes.empty()) {
      if (damage.forward.empty() && damage.backward.empty()) return 2;
      if (damage.forward.empty() || damage.backward.empty()) return 1;
    }
    return one_stretch(damage) ? 1 : 0;
  }

  [[nodiscard]] std::optional<StreamLine> line_of(std::size_t c, const Damage& damage) const {
    const std::size_t size = torus_.nodes();
    const auto from = [&](std::size_t first, LineKind kind, bool reversed) {
      StreamLine line{kind, {}, {}};
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t at = reversed ? (first + size - i) % size : (first + i) % size;
        line.nodes.push_back(cycles_.nodes(c)[at]);
        line.out.push_back(reversed ? opposite(cycles_.out(c)[(at + size - 1) % size])
                                    : cycles_.out(c)[at]);
      }
      return line;
    };
    if (damage.nodes.empty()) {
      const bool reversed = damage.backward.empty() ? false : damage.forward.empty();
      const auto& dead = damage.backward.empty() ? damage.forward : damage.backward;
      if (dead.empty()) return from(0, LineKind::kCycle, false);
      if (damage.forward.empty() || damage.backward.empty()) {
        // Dead in the direction of the line; the line begins at the head of the dead arc.
        const auto link = static_cast<std::size_t>(dead.front() / 2);
        if (dead.size() == 1) {
          return reversed ? from(link, LineKind::kBroken, true)
                          : from((link + 1) % size, LineKind::kBroken, false);
        }
        return from(0, LineKind::kOneWay, !reversed);
      }
    }
    const auto begin = one_stretch(damage);
    if (!begin) return std::nullopt;
    StreamLine line = from(static_cast<std::size_t>(*begin / 2), LineKind::kPath, false);
    const std::size_t visits = topology_.live_nodes();
    line.nodes.resize(visits);
    line.out.resize(visits - 1);
    return line;
  }

  void find_image() {
    const auto d = static_cast<std::size_t>(torus_.dimensions());
    const Faults& faults = topology_.faults();
    const std::uint64_t looks = faults.dead_nodes.size() * d + faults.dead_arcs.size() + 1;
    // Dead nodes hit all cycles, a dead arc at least one.
    const int most = static_cast<int>(!faults.dead_nodes.empty() ? d
                                      : faults.dead_arcs.empty() ? 2 * d
                                                                 : 2 * d - 1);
    std::uint64_t looked = 0;
    int best_rate = -1;
    std::size_t best_whole = 0;
    std::array<std::uint8_t, kMaxDimensions> axis{};
    std::iota(axis.begin(), axis.end(), std::uint8_t{0});
    do {
      bool fits = true;
      for (std::size_t i = 0; i < d; ++i) {
        fits = fits && torus_.sides()[i] == torus_.sides()[axis[i]];
      }
      for (std::uint32_t reflected = 0; fits && reflected < (1U << d); ++reflected) {
        for (NodeWalk walk(torus_); !walk.done(); walk.next()) {
          looked += looks;
          if (best_rate == most || (best_rate >= 0 && looked > kMostLooks)) return;
          const Image image{axis, reflected, walk.coordinates()};
          int rates = 0;
          std::size_t whole = 0;
          for (const Damage& damage : damage_under(image)) {
            const int one = rate(damage);
            rates += one;
            if (one == 2) ++whole;
          }
          if (rates < best_rate || (rates == best_rate && whole <= best_whole)) continue;
          best_ = image;
          best_rate = rates;
          best_whole = whole;
        }
      }
    } while (std::next_permutation(axis.begin(), axis.begin() + static_cast<std::ptrdiff_t>(d)));
  }

  const Topology& topology_;
  Topology torus_;
  Cycles cycles_;
  Image best_;
};

/// Section 4's dealings for d <= k <= 2d - 2, in which some nodes have no packet on the first line:
/// on the path around one dead link or one dead arc, by place on it.
std::optional<Dealing> sparse_dealing(const Topology& topology,
                                      const std::vector<StreamLine>& lines, std::uint32_t k) {
  const auto d = static_cast<std::uint64_t>(topology.dimensions());
  const StreamLine& broken = lines.back();
  const bool link = broken.kind == LineKind::kPath;
  if (!topology.faults().dead_nodes.empty() || lines.size() != d || k < d || k + 2 > 2 * d ||
      (!link && broken.kind != LineKind::kBroken) || broken.nodes.size() != topology.nodes() ||
      lines[d - 2].kind != LineKind::kCycle) {
    return std::nullopt;
  }
  const std::uint64_t others = topology.nodes() - std::uint64_t{1};
  const std::uint64_t steps = link ? bounds::ceil_div((k + 1) * others + k - d, 2 * d)
                                   : bounds::ceil_div(k * others, 2 * d - 1);
  Dealing dealing;
  dealing.steps = steps;
  dealing.counts.assign(d, std::vector<std::uint16_t>(topology.nodes(), 0));
  std::vector<std::uint64_t> wanted(d - 1, 2 * steps + 1);
  for (std::uint64_t place = 0; place <= others; ++place) {
    const NodeId node = broken.nodes[place];
    std::uint16_t on_line = 0;
    if (link) {
      on_line = place + steps >= others && place <= steps ? 1 : 0;
    } else {
      on_line = static_cast<std::uint16_t>(place == 0 ? k - d + 1 : place <= steps ? 1 : 0);
    }
    dealing.counts[d - 1][node] = on_line;
    for (std::size_t c = 0; c + 1 < d; ++c) {
      dealing.counts[c][node] = 1;
      if (wanted[c] == 0) return std::nullopt;
      --wanted[c];
    }
  }
  for (const NodeId node : broken.nodes) {
    std::uint64_t given = dealing.counts[d - 1][node] + (d - 1);
    for (; given < k; ++given) {
      const auto most = std::max_element(wanted.begin(), wanted.end());
      if (*most == 0) return std::nullopt;
      --*most;
      ++dealing.counts[static_cast<std::size_t>(most - wanted.begin())][node];
    }
  }
  return dealing;
}

}  // namespace

Plan plan_cut(const Topology& topology, const DegradedOptions& options) {
  if (!topology.is_torus()) {
    throw InfeasibleError(fmt::format(
        "cut: a {} has no d Hamiltonian cycles to cut; nearest feasible: --algorithm trail",
        topology.kind()));
  }
  const std::uint32_t k = packets_of(topology, options);
  Cutter cutter(topology);
  const std::vector<StreamLine> lines = cutter.lines();
  std::optional<Dealing> best;
  std::vector<StreamLine> chosen;
  if (!lines.empty()) {
    if (auto sparse = sparse_dealing(topology, lines, k)) {
      best = std::move(sparse);
      chosen = lines;
    }
  }
  // All of them first: of equals the most lines.
  for (std::uint32_t set = 1U << lines.size(); set-- > 1;) {
    std::vector<StreamLine> some;
    for (std::size_t c = 0; c < lines.size(); ++c) {
      if (((set >> (lines.size() - 1 - c)) & 1U) != 0) some.push_back(lines[c]);
    }
    auto dealing = deal(topology, some, k);
    if (!dealing || (best && dealing->steps >= best->steps)) continue;
    best = std::move(dealing);
    chosen = std::move(some);
  }
  if (!best) {
    throw InfeasibleError(
        "cut: the faults break every Hamiltonian cycle more than once; nearest feasible: "
        "--algorithm trail, or --algorithm tree");
  }
  return degraded_plan(topology, "cut", lines_program(topology, chosen, best->counts, k),
                       best->steps, deepest(best->counts));
}

std::vector<StreamLine> whole_cycles(const Topology& topology, std::uint64_t seed) {
  std::vector<StreamLine> cycles;
  if (topology.is_torus()) {
    try {
      cycles = Cutter(topology).lines();
    } catch (const InfeasibleError&) {
      // It has no d cycles even when whole.
    }
    std::erase_if(cycles, [](const StreamLine& line) { return line.kind != LineKind::kCycle; });
  }
  if (!cycles.empty()) return cycles;
  auto trail = closed_trail(topology, seed);
  if (trail && trail->nodes.size() == topology.live_nodes()) cycles.push_back(*std::move(trail));
  return cycles;
}

Plan plan_whole_cycles(const Topology& topology, const DegradedOptions& options) {
  const std::vector<StreamLine> cycles = whole_cycles(topology, options.seed);
  if (cycles.empty()) {
    throw InfeasibleError(
        "whole-cycles: no cycle of live two-way links was found that visits every live node once; "
        "nearest feasible: --algorithm degraded");
  }
  const auto k = static_cast<std::uint32_t>(cycles.size());
  const std::vector<std::vector<std::uint16_t>> one_each(
      k, std::vector<std::uint16_t>(topology.nodes(), 1));
  return degraded_plan(topology, "whole-cycles", lines_program(topology, cycles, one_each, k),
                       topology.live_nodes() / 2, 1);
}

Plan plan_trail(const Topology& topology, const DegradedOptions& options) {
  const std::uint32_t k = packets_of(topology, options);
  auto line = closed_trail(topology, options.seed);
  if (!line) {
    throw InfeasibleError(
        "trail: no closed trail through all live nodes was found (none exists across a bridge); "
        "nearest feasible: --algorithm tree");
  }
  const std::uint64_t length = line->nodes.size();
  const std::vector<std::vector<std::uint16_t>> counts = {
      std::vector<std::uint16_t>(topology.nodes(), static_cast<std::uint16_t>(k))};
  Plan plan = degraded_plan(topology, "trail", lines_program(topology, {*line}, counts, k),
                            bounds::ceil_div(k * (length - 1), 2), k);
  plan.parameters["length"] = static_cast<std::int64_t>(length);
  return plan;
}

Plan plan_walks(const Topology& topology, const DegradedOptions& options) {
  constexpr std::uint32_t kMostForWalks = 600;
  constexpr std::size_t kFewestWalks = 3;
  const std::uint32_t k = packets_of(topology, options);
  std::size_t most = k;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.is_live(node)) continue;
    std::size_t leaving = 0;
    for (const Port port : all_ports(topology.ports())) {
      if (topology.neighbor(node, port) != kNoNode) ++leaving;
    }
    most = std::min({most, leaving, static_cast<std::size_t>(topology.degree(node))});
  }
  for (std::size_t walks = most; walks >= kFewestWalks && topology.live_nodes() <= kMostForWalks;
       --walks) {
    const std::vector<StreamLine> lines = closed_walks(topology, walks, options.seed);
    if (lines.empty()) continue;
    const Dealing dealing = *deal(topology, lines, k);
    const std::size_t length = lines.front().nodes.size();
    // Nodes that are visited twice receive some packets sooner than the formula.
    const bool once = length == topology.live_nodes();
    Plan plan = degraded_plan(topology, "walks", lines_program(topology, lines, dealing.counts, k),
                              dealing.steps, once ? deepest(dealing.counts) : kAnyDepth);
    plan.parameters["walks"] = static_cast<std::int64_t>(walks);
    plan.parameters["length"] = static_cast<std::int64_t>(length);
    return plan;
  }
  throw InfeasibleError(
      "walks: fewer than 3 one-way walks were found, one for each packet of a node, in networks of "
      "up to 600 live nodes; nearest feasible: --algorithm trail");
}

namespace {

std::vector<std::uint16_t> all_packets(std::uint32_t k) {
  std::vector<std::uint16_t> packets(k);
  std::iota(packets.begin(), packets.end(), std::uint16_t{0});
  return packets;
}

}  // namespace

Plan plan_spanning_tree(const Topology& topology, const DegradedOptions& options) {
  const std::uint32_t k = packets_of(topology, options);
  const LiveTree tree = live_tree(topology, first_live(topology), TreeLinks::kBoth);
  if (tree.order.size() != topology.live_nodes()) {
    throw InfeasibleError(
        "tree: two-way links do not connect the live nodes; nearest feasible: --algorithm in-out");
  }
  std::vector<PortSet> on_tree(topology.nodes());
  for (const NodeId node : tree.order) {
    const Port up = tree.towards_root[node];
    if (up == kNoTreePort) continue;
    on_tree[node].insert(up);
    on_tree[topology.beyond(node, up)].insert(opposite(up));
  }
  StreamProgram program(topology.nodes(), topology.ports(), k);
  for (const NodeId node : tree.order) {
    for (const Port out : on_tree[node]) {
      StreamPort entry;
      entry.feed = on_tree[node];
      entry.feed.erase(out);
      entry.preload = all_packets(k);
      program.set(node, out, entry);
    }
  }
  return degraded_plan(topology, "tree", std::move(program),
                       k * (topology.live_nodes() - std::uint64_t{1}), kAnyDepth);
}

Plan plan_in_out(const Topology& topology, const DegradedOptions& options) {
  constexpr int kFrame = 2;
  if (kFrame * topology.ports() > kMaxPorts) {
    throw InfeasibleError(
        "in-out: frames of two steps have room for 4 dimensions; nearest feasible: fewer "
        "dimensions");
  }
  const std::uint32_t k = packets_of(topology, options);
  const LiveTree in = live_tree(topology, first_live(topology), TreeLinks::kInward);
  const LiveTree out = live_tree(topology, first_live(topology), TreeLinks::kOutward);
  const auto slot = [](Port port, int which) { return static_cast<Port>(port * kFrame + which); };
  // By node: in-ports from the in-tree's children, out-ports to the out-tree's.
  std::vector<PortSet> from_children(topology.nodes());
  std::vector<PortSet> to_children(topology.nodes());
  for (const NodeId node : in.order) {
    const Port up = in.towards_root[node];
    if (up != kNoTreePort) from_children[topology.beyond(node, up)].insert(slot(opposite(up), 0));
  }
  for (const NodeId node : out.order) {
    const Port up = out.towards_root[node];
    if (up == kNoTreePort) continue;
    const NodeId parent = topology.beyond(node, up);
    to_children[parent].insert(opposite(up));
  }
  StreamProgram program(topology.nodes(), topology.ports() * kFrame, k, kFrame);
  for (const NodeId node : in.order) {
    StreamPort entry;
    if (in.towards_root[node] != kNoTreePort) {
      entry.feed = from_children[node];
      entry.preload = all_packets(k);
      program.set(node, slot(in.towards_root[node], 0), entry);
    }
    const Port above = out.towards_root[node];
    entry.feed = above == kNoTreePort ? from_children[node] : PortSet::of(slot(above, 1));
    entry.preload = above == kNoTreePort ? all_packets(k) : std::vector<std::uint16_t>();
    for (const Port down : to_children[node]) program.set(node, slot(down, 1), entry);
  }
  const std::uint64_t height = out.depths(topology)[out.order.back()];
  Plan plan = degraded_plan(topology, "in-out", std::move(program), 0, kAnyDepth);
  plan.expected.bound_steps =
      2 * (k * std::uint64_t{topology.live_nodes()} + height - (height > 0 ? 1 : 0));
  return plan;
}

Plan plan_degraded(const Topology& topology, const DegradedOptions& options) {
  std::optional<Plan> best;
  const auto consider = [&](Plan (*construct)(const Topology&, const DegradedOptions&)) {
    try {
      Plan plan = construct(topology, options);
      if (!best || plan.expected.analytic_steps < best->expected.analytic_steps) {
        best = std::move(plan);
      }
    } catch (const InfeasibleError&) {
      // The next one.
    }
  };
  consider(plan_cut);
  const auto at_bound = [&] {
    return best && best->expected.analytic_steps == best->expected.lower_bound_steps;
  };
  if (!at_bound()) consider(plan_trail);
  // At best as fast as the node with the fewest links allows: not searched for when that is no
  // gain.
  if (!at_bound()) consider(plan_walks);
  // Its steps are known without planning it.
  if (!best || best->expected.analytic_steps >
                   packets_of(topology, options) * (topology.live_nodes() - std::uint64_t{1})) {
    consider(plan_spanning_tree);
  }
  if (!best) best = plan_in_out(topology, options);
  best->algorithm = "degraded";
  return *std::move(best);
}

}  // namespace gossamer
