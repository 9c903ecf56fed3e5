// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <vector>

#include "gossamer/bounds/elastic.hpp"
#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// The links of a program, as the streams run: each is fed by one other at most.
class Streams {
 public:
  Streams(const Topology& topology, const ElasticProgram& program)
      : topology_(topology),
        program_(program),
        none_(static_cast<LinkId>(topology.link_slots())),
        first_(first_live(topology)),
        feed_(std::size_t{none_} + 1, none_),
        own_(std::size_t{none_} + 1, 0) {
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      for (const Port port : all_ports(topology.ports())) {
        const ElasticPort& at = program.at(walk.node(), port);
        const LinkId link = topology.link(walk.node(), port);
        own_[link] = static_cast<std::uint32_t>(own_chunks(at));
        if (at.feed.empty()) continue;
        const LinkId from = topology.link_into(walk.node(), at.feed.front());
        if (from != kNoLink) feed_[link] = from;
      }
    }
  }

  /// Packets on each link in the first `steps` steps: its own packets, and those of the steps - 1
  /// links before it. O(links log steps), by doubling.
  [[nodiscard]] std::vector<std::uint32_t> carried(std::uint64_t steps) const {
    std::vector<std::uint32_t> sum(feed_.size(), 0);
    std::vector<LinkId> at(feed_.size());
    std::iota(at.begin(), at.end(), LinkId{0});
    // The packets of 2^bit links from a link on backward, and the link before them.
    std::vector<std::uint32_t> window = own_;
    std::vector<LinkId> behind = feed_;
    for (std::uint64_t left = steps; left != 0; left >>= 1U) {
      if ((left & 1U) != 0) {
        for (std::size_t link = 0; link < at.size(); ++link) {
          sum[link] += window[at[link]];
          at[link] = behind[at[link]];
        }
      }
      std::vector<std::uint32_t> wider = window;
      std::vector<LinkId> further = behind;
      for (std::size_t link = 0; link < window.size(); ++link) {
        wider[link] += window[behind[link]];
        further[link] = behind[behind[link]];
      }
      window = std::move(wider);
      behind = std::move(further);
    }
    return sum;
  }

  /// The links of the Hamiltonian ring through an output port of the first live node with an own
  /// packet, against the stream. Empty if it is not such a ring, or not every node sends its own
  /// packet of the same index.
  [[nodiscard]] std::vector<LinkId> ring_through(Port port) const {
    const ElasticPort& first = program_.at(first_, port);
    std::vector<bool> visited(topology_.nodes(), false);
    std::vector<LinkId> ring;
    LinkId link = topology_.link(first_, port);
    for (NodeId t = 0; t < topology_.live_nodes(); ++t) {
      if (link == none_) return {};
      const NodeId node = topology_.link_from(link);
      const ElasticPort& at = program_.at(node, topology_.link_port(link));
      if (visited[node] || own_chunks(first) == 0 || at.preload != first.preload ||
          at.lane != first.lane) {
        return {};
      }
      visited[node] = true;
      ring.push_back(link);
      link = feed_[link];
    }
    return link == ring.front() ? ring : std::vector<LinkId>{};
  }

  /// The largest sum of the latencies of a link and all links before it. The streams must form
  /// trees.
  [[nodiscard]] std::uint64_t longest_way(const std::vector<std::uint32_t>& latencies) const {
    std::vector<std::uint64_t> way(feed_.size(), 0);
    std::vector<LinkId> path;
    for (LinkId first = 0; first < none_; ++first) {
      if (own_[first] == 0 && feed_[first] == none_) continue;
      LinkId at = first;
      for (; at != none_ && way[at] == 0; at = feed_[at]) path.push_back(at);
      std::uint64_t before = way[at];
      for (; !path.empty(); path.pop_back()) {
        before += latencies[path.back()];
        way[path.back()] = before;
      }
    }
    return *std::max_element(way.begin(), way.end());
  }

 private:
  const Topology& topology_;
  const ElasticProgram& program_;
  /// The number of a placeholder link without feed and packets.
  LinkId none_;
  NodeId first_;
  std::vector<LinkId> feed_;
  std::vector<std::uint32_t> own_;
};

/// A Hamiltonian ring: its out-port at the first live node, its links against the stream.
struct Ring {
  Port port;
  std::vector<LinkId> links;
};

/// True when the two rings are the two directions of one ring.
bool are_opposite(const Topology& topology, const Ring& a, const Ring& b) {
  const std::size_t nodes = a.links.size();
  for (std::size_t i = 0; i < nodes; ++i) {
    if (topology.link_from(a.links[i]) != topology.link_from(b.links[(nodes - i) % nodes])) {
      return false;
    }
  }
  return true;
}

/// An alternative. On networks with faults only `auto` gets here, with the algorithm it chose.
std::string_view other_than(const Plan& plan) {
  return plan.topology.is_healthy() ? nearest_elastic(plan.collective, plan.topology)
                                    : "--algorithm whole-cycles, or without --elastic";
}

[[noreturn]] void refuse(const Plan& plan, std::string_view cause, std::string_view instead) {
  throw InfeasibleError(
      fmt::format("elastic: {} plans {}; nearest feasible: {}", plan.algorithm, cause, instead));
}

/// The plan's wiring, without link contents. An elastic output port forwards the arrivals of one
/// input port after one own packet.
ElasticProgram wired(const Plan& plan, const StreamProgram& program) {
  const std::string_view other = other_than(plan);
  if (program.frame() != 1) refuse(plan, "require routers that count steps", other);
  ElasticProgram wiring(program.nodes(), program.ports(), program.packets_per_node());
  for (const StreamPort& entry : program.dictionary()) {
    if (entry.has_fan_in() || entry.switch_step != 0) {
      refuse(plan, "merge or switch the streams of an output port", other);
    }
  }
  std::vector<std::uint32_t> codes;
  for (const StreamPort& entry : program.dictionary()) {
    if (entry.preload.size() > 1) {
      refuse(plan,
             fmt::format("with {} packets per node send several own packets by one port",
                         program.packets_per_node()),
             "fewer packets of more flits (--flits)");
    }
    codes.push_back(wiring.intern({.feed = entry.feed, .preload = entry.preload}));
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const Port port : all_ports(program.ports())) {
      wiring.set_code(node, port, codes[program.code(node, port)]);
    }
  }
  return wiring;
}

ElasticProgram wired(const Plan& plan, const RingProgram& program) {
  const Combination& combine = program.combine;
  if (program.frame() != 1) {
    refuse(plan, "require routers that count steps", other_than(plan));
  }
  if (combine.parts > combine.cycles()) {
    refuse(plan, fmt::format("of {} words per node add several words per cycle", combine.parts),
           fmt::format("--packets {}, and longer words (--flits)", combine.cycles()));
  }
  ElasticProgram wiring(program.nodes(), program.ports(), combine.parts);
  wiring.combine = combine;
  std::vector<std::uint32_t> codes;
  for (const RingPort& entry : program.dictionary()) {
    codes.push_back(wiring.intern({.feed = entry.feed, .preload = {}, .lane = entry.lane}));
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const Port port : all_ports(program.ports())) {
      wiring.set_code(node, port, codes[program.code(node, port)]);
    }
  }
  return wiring;
}

ElasticProgram wired(const Plan& plan) {
  if (plan.program.is<StreamProgram>()) return wired(plan, plan.program.as<StreamProgram>());
  if (plan.program.is<RingProgram>()) return wired(plan, plan.program.as<RingProgram>());
  refuse(plan, "require routers that count steps", other_than(plan));
}

/// The legs of a reduction whose `parts` run on one cycle each, in both directions: `carries`
/// chunks per round on the forward lane, the others on the backward one
/// (machines/elastic/words.hpp).
std::vector<CombineLeg> elastic_legs_of(const Combination& rigid, Destination to) {
  const std::uint32_t forward = rigid.blocks / 2;
  const std::uint32_t backward = rigid.blocks - 1 - forward;
  std::vector<CombineLeg> legs;
  const auto add_leg = [&](const std::vector<CombineRun>& operations, bool sums) {
    CombineLeg& leg = legs.emplace_back();
    leg.steps = forward;
    leg.turn = forward + 1;
    for (const CombineRun& run : operations) {
      if (run.count > 0) leg.operations.push_back(run);
    }
    for (std::uint32_t c = 0; c < rigid.cycles(); ++c) {
      const auto lane = [&](std::uint32_t chunks, std::int32_t slope) {
        if (c >= rigid.parts || chunks == 0) return std::optional<CombineLane>();
        const std::int32_t ahead = -slope * static_cast<std::int32_t>(chunks);
        return std::optional(CombineLane{c, sums ? ahead : 0, slope, chunks, true});
      };
      leg.lanes.push_back(lane(forward, -1));
      leg.lanes.push_back(lane(backward, 1));
    }
  };
  add_leg({{CombineStep::kLoad, 1}, {CombineStep::kAdd, forward - 1}, {CombineStep::kJoin, 1}},
          true);
  if (to == Destination::kEveryNode) {
    add_leg({{CombineStep::kLoad, 1}, {CombineStep::kPass, forward}}, false);
  }
  return legs;
}

void check_chunk(std::uint32_t chunk, std::uint32_t flits) {
  if (flits % chunk != 0) {
    std::uint32_t divisor = std::min(chunk, flits);
    while (flits % divisor != 0) --divisor;
    throw InfeasibleError(
        fmt::format("elastic: chunks of {} do not divide {} flits; nearest "
                    "feasible: --chunk {}",
                    chunk, flits, divisor));
  }
  if (chunk > kMaxChunk) {
    throw InfeasibleError(fmt::format(
        "--chunk: {0} flits are more than {1}; nearest feasible: --chunk {1}", chunk, kMaxChunk));
  }
}

/// The latencies of the links that carry something.
struct LatencyRange {
  std::uint64_t links = 0;
  std::uint64_t sum = 0;
  std::uint32_t shortest = kMaxLinkLatency;
  std::uint32_t longest = 1;
};

LatencyRange latency_range(const std::vector<std::uint32_t>& latencies,
                           const std::vector<std::uint32_t>& carries) {
  LatencyRange range;
  for (LinkId link = 0; link < latencies.size(); ++link) {
    if (carries[link] == 0) continue;
    ++range.links;
    range.sum += latencies[link];
    range.shortest = std::min(range.shortest, latencies[link]);
    range.longest = std::max(range.longest, latencies[link]);
  }
  return range;
}

}  // namespace

std::string_view nearest_elastic(std::string_view collective, const Topology& topology) {
  if (collective == "broadcast") {
    return topology.is_healthy() ? "--algorithm disjoint-trees" : "a network without faults";
  }
  if (topology.kind() == "grid") return "a torus or a mesh";
  if (!topology.is_healthy()) {
    return collective == "gossip" ? "--algorithm auto" : "--algorithm degraded";
  }
  if (topology.is_torus()) return "--algorithm hamiltonian";
  const bool has_ring = topology.nodes() % 2 == 0 || topology.dimensions() == 1;
  return has_ring ? "--algorithm array" : "a mesh with an even number of nodes";
}

Plan make_elastic(Plan plan, const ElasticOptions& options) {
  const ElasticProgram program = wired(plan);
  if (!plan.expected.analytic_steps) {
    throw InfeasibleError(
        fmt::format("elastic: no formula gives the steps of {} plans on this topology, from which "
                    "link contents "
                    "follow; nearest feasible: {}",
                    plan.algorithm, nearest_elastic(plan.collective, plan.topology)));
  }
  const Topology& topology = plan.topology;
  const Streams streams(topology, program);
  const std::uint64_t steps = plan.expected.analytic_steps.value();
  std::vector<std::uint32_t> carries = streams.carried(steps);

  std::vector<Ring> rings;
  for (const Port port : all_ports(topology.ports())) {
    auto links = streams.ring_through(port);
    if (!links.empty()) rings.push_back({port, std::move(links)});
  }
  // Of two opposite rings that bring the same packets everywhere the one with the higher port is
  // the backward one.
  const std::uint32_t nodes = topology.live_nodes();
  const NodeId first = first_live(topology);
  for (std::size_t back = 0; back < rings.size() && steps >= nodes / 2; ++back) {
    for (std::size_t i = 0; i < back; ++i) {
      const Ring& ring = rings[back];
      if (program.at(first, ring.port).preload != program.at(first, rings[i].port).preload ||
          !are_opposite(topology, rings[i], ring)) {
        continue;
      }
      for (const LinkId link : rings[i].links) carries[link] = nodes / 2;
      for (const LinkId link : ring.links) carries[link] = nodes - 1 - nodes / 2;
    }
  }

  // Words of fewer parts than cycles leave some of them idle.
  for (const Ring& ring : rings) {
    const auto lane = program.at(first, ring.port).lane;
    if (!lane || *lane / 2U < program.combine->parts) continue;
    for (const LinkId link : ring.links) carries[link] = 0;
  }

  const std::vector<std::uint32_t> latencies = options.latency.by_link(topology);
  const LatencyRange used = latency_range(latencies, carries);
  // Down a tree nothing waits for the end of a round, so longer rounds save no time.
  const bool trees = plan.demand.from == Origin::kRoot;
  std::uint32_t chunk = options.chunk.value_or(1);
  if (!options.chunk && used.links != 0 && !trees) {
    chunk = bounds::elastic_chunk(used.sum, used.links, options.flits);
    // Rings may have other means than all links together.
    for (const Ring& ring : rings) {
      std::uint64_t sum = 0;
      for (const LinkId link : ring.links) sum += latencies[link];
      chunk = std::max(chunk, bounds::elastic_chunk(sum, ring.links.size(), options.flits));
    }
  }
  check_chunk(chunk, options.flits);
  Elastic elastic{chunk, options.flits / chunk,
                  options.slots.value_or(bounds::elastic_full_rate_slots(chunk, used.shortest)),
                  options.latency};

  ElasticProgram elastic_program(topology.nodes(), topology.ports(), program.packets_per_node());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      ElasticPort entry = program.at(node, port);
      entry.carries = carries[topology.link(node, port)];
      // With two nodes the backward ring carries nothing.
      if (entry.carries != 0) elastic_program.set(node, port, entry);
    }
  }
  if (program.combine) {
    elastic_program.combine = program.combine;
    elastic_program.combine->legs = elastic_legs_of(*program.combine, plan.demand.to);
  }
  const std::uint64_t legs = elastic_legs(elastic_program);

  plan.expected = {};
  plan.expected.queue_depth = elastic.slots;
  plan.parameters["elastic"] = true;
  plan.parameters["flits"] = std::int64_t{options.flits};
  bool full_rate = true;
  std::uint64_t on_rings = 0;
  std::uint64_t cycles = 0;
  for (const Ring& ring : rings) {
    const std::uint64_t chunks = carries[ring.links.front()];
    if (chunks == 0) continue;
    on_rings += ring.links.size();
    std::vector<std::uint32_t> along(ring.links.rbegin(), ring.links.rend());
    for (std::uint32_t& link : along) {
      link = latencies[link];
      full_rate = full_rate && elastic.slots >= bounds::elastic_full_rate_slots(chunk, link);
    }
    cycles =
        std::max(cycles, bounds::elastic_cycles(along, {chunks, legs * elastic.rounds, chunk}));
  }
  // The second leg's own flits are sums, which must be complete. At full rate they are in time when
  // there is a round between the legs.
  if (legs > 1) full_rate = full_rate && used.longest <= chunk && elastic.rounds > 1;
  if (trees) {
    if (elastic.slots >= 2) {
      plan.expected.analytic_cycles = streams.longest_way(latencies) + options.flits - 1;
    }
  } else if (on_rings == used.links && full_rate) {
    plan.expected.analytic_cycles = cycles;
  } else if (used.longest == 1 && options.flits == 1 && elastic.slots >= 2 && !program.combine) {
    plan.expected.analytic_cycles = steps;
  }
  elastic_program.elastic = std::move(elastic);
  plan.program = std::move(elastic_program);
  return plan;
}

ElasticFigures elastic_figures(const Plan& plan) {
  const auto& program = plan.program.as<ElasticProgram>();
  const Elastic& elastic = program.elastic;
  ElasticFigures figures{elastic.chunk, elastic.slots};
  const std::vector<std::uint32_t> latencies = elastic.latency.by_link(plan.topology);
  for (LinkId link = 0; link < latencies.size(); ++link) {
    const std::uint64_t carries =
        program.at(plan.topology.link_from(link), plan.topology.link_port(link)).carries;
    if (carries == 0) continue;
    figures.lower_bound =
        std::max(figures.lower_bound, carries * elastic.flits() + latencies[link] - 1);
  }
  return figures;
}

}  // namespace gossamer
