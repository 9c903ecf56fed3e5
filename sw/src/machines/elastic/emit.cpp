// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of elastic streams: the configuration of the fabric and gsm_elastic_node.
///
/// If the plan's streams are Hamiltonian rings, values that depend on a node's place are constant
/// pins, and nodes that are otherwise equal share a class. Elsewhere a class holds the counts of
/// arrivals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <utility>

#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/elastic/engine.hpp"
#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// The counters of gsm_elastic_router.
constexpr std::uint32_t kMaxElasticTake = 65535;
/// The flits in the list that the testbench reads, some 20 MB.
constexpr std::uint64_t kMaxElasticRows = std::uint64_t{1} << 21U;

/// The places that gsm_elastic_node has bits for.
constexpr std::uint32_t kMaxRingNodes = 1U << 14U;

/// Bits of the number of a flit in its packet.
std::uint64_t flit_bits(const Elastic& elastic) {
  return static_cast<std::uint64_t>(field_bits(elastic.flits() - 1));
}

/// The Hamiltonian rings of a plan.
struct Rings {
  std::uint32_t nodes = 0;
  /// Both rings of a cycle carry the same packet, each half way.
  bool halves = false;
  /// By cycle, the place of every node.
  std::vector<std::vector<std::uint32_t>> rank;
  /// By in-port slot node * ports + port: the cycle; on a backward ring.
  std::vector<std::uint8_t> cycle;
  std::vector<std::uint8_t> backward;
};

/// Everything that the text is made of.
struct Network {
  const Plan& plan;
  const ElasticProgram& program;
  const Elastic& elastic;
  std::size_t ports;
  std::vector<std::uint32_t> latency;
  /// By output port slot: the program, without the parts beyond the border of a mesh.
  std::vector<ElasticPort> out;
  /// By in-port slot: chunks that arrive in a round.
  std::vector<std::uint32_t> takes;
  std::optional<Rings> rings;

  [[nodiscard]] std::size_t slot(NodeId node, std::size_t port) const {
    return node * ports + port;
  }
  /// The input port that feeds an output port; `ports` without one.
  [[nodiscard]] std::size_t feed(std::size_t out_slot) const {
    const PortSet feeds = out[out_slot].feed;
    for (std::size_t q = 0; q < ports; ++q) {
      if (feeds.contains(static_cast<Port>(q))) return q;
    }
    return ports;
  }
  /// Bits of a place on a ring, or of the number of an arrival.
  [[nodiscard]] std::size_t slot_bits() const {
    return rings ? static_cast<std::size_t>(field_bits(rings->nodes - 1)) : 16;
  }
  [[nodiscard]] std::uint32_t forwards(std::size_t out_slot) const {
    if (feed(out_slot) == ports) return 0;
    return static_cast<std::uint32_t>(out[out_slot].carries - own_chunks(out[out_slot]));
  }
};

/// A ring as the nodes and out-ports that it visits, from node 0 on.
using Ring = std::vector<std::pair<NodeId, std::size_t>>;

/// The closed stream that leaves node 0 by `port`; empty unless it passes every node once, with an
/// own packet everywhere, and is the only user of its in-ports.
Ring ring_from(const Network& network, std::size_t port) {
  const Topology& topology = network.plan.topology;
  Ring ring;
  NodeId node = 0;
  do {
    if (ring.size() == topology.nodes() || own_chunks(network.out[network.slot(node, port)]) == 0) {
      return {};
    }
    ring.emplace_back(node, port);
    node = topology.neighbor(node, static_cast<Port>(port));
    const auto in_port = static_cast<std::size_t>(opposite(static_cast<Port>(port)));
    std::size_t users = 0;
    for (std::size_t p = 0; p < network.ports; ++p) {
      if (network.feed(network.slot(node, p)) != in_port) continue;
      port = p;
      ++users;
    }
    if (users != 1) return {};
  } while (node != 0 || port != ring.front().second);
  if (ring.size() != topology.nodes()) return {};
  return ring;
}

/// The rings, if the plan consists of Hamiltonian rings that a tile can be configured for by pins.
std::optional<Rings> find_rings(const Network& network) {
  const Topology& topology = network.plan.topology;
  Rings rings;
  rings.nodes = topology.nodes();
  if (rings.nodes < 3) return std::nullopt;
  std::size_t used = 0;
  for (const ElasticPort& program : network.out) used += program.carries > 0 ? 1 : 0;
  std::map<std::size_t, Ring> by_port;
  for (std::size_t p = 0; p < network.ports; ++p) {
    if (network.out[p].carries == 0) continue;
    Ring ring = ring_from(network, p);
    if (ring.empty()) return std::nullopt;
    by_port.emplace(p, std::move(ring));
  }
  if (used != by_port.size() * rings.nodes) return std::nullopt;

  rings.cycle.resize(topology.link_slots(), 0);
  rings.backward.resize(topology.link_slots(), 0);
  const auto carries = [&](const Ring& ring) {
    return network.out[network.slot(ring[0].first, ring[0].second)].carries;
  };
  const auto uniform = [&](const Ring& ring, std::uint32_t count) {
    return std::all_of(ring.begin(), ring.end(), [&](const auto& at) {
      return network.out[network.slot(at.first, at.second)].carries == count;
    });
  };
  // Cycles in the order of their packets, then of ports.
  std::vector<std::pair<std::pair<PacketId, std::size_t>, std::size_t>> order;
  for (const auto& [port, ring] : by_port) {
    const ElasticPort& program = network.out[port];
    order.push_back({{program.lane ? *program.lane / 2U : program.preload.front(), port}, port});
  }
  std::sort(order.begin(), order.end());
  std::vector<bool> placed(network.ports, false);
  std::optional<bool> halves;
  for (const auto& [key, port] : order) {
    if (placed[port]) continue;
    const Ring& forward = by_port.at(port);
    const auto cycle = static_cast<std::uint8_t>(rings.rank.size());
    if (cycle >= network.ports / 2) return std::nullopt;
    rings.rank.emplace_back(rings.nodes, 0);
    for (std::uint32_t i = 0; i < rings.nodes; ++i) rings.rank.back()[forward[i].first] = i;
    // The other direction leaves node 0 where this one arrives.
    const auto back = static_cast<std::size_t>(opposite(static_cast<Port>(forward.back().second)));
    const auto other = by_port.find(back);
    const bool has_other = other != by_port.end() && back != port;
    if (has_other) {
      for (std::uint32_t i = 0; i < rings.nodes; ++i) {
        if (rings.rank.back()[other->second[i].first] != (rings.nodes - i) % rings.nodes) {
          return std::nullopt;
        }
      }
    }
    const bool half = has_other && carries(forward) == rings.nodes / 2 &&
                      carries(other->second) == rings.nodes - 1 - rings.nodes / 2;
    if (halves && *halves != half) return std::nullopt;
    halves = half;
    const std::array<const Ring*, 2> both{&forward, has_other ? &other->second : nullptr};
    for (const Ring* const ring : both) {
      if (ring == nullptr) continue;
      if (!uniform(*ring, half ? carries(*ring) : rings.nodes - 1)) return std::nullopt;
      for (const auto& [node, out_port] : *ring) {
        const auto p = static_cast<Port>(out_port);
        const std::size_t in_slot = topology.link(topology.neighbor(node, p), opposite(p));
        rings.cycle[in_slot] = cycle;
        rings.backward[in_slot] = ring == &forward ? 0 : 1;
      }
      placed[ring->front().second] = true;
    }
  }
  rings.halves = halves.value_or(false);
  return rings;
}

/// The program's entry without unreachable parts.
ElasticPort reachable(const ElasticProgram& program, const NodeWalk& at, Port out_port) {
  if (at.neighbor(out_port) == kNoNode) return {};
  ElasticPort told = program.at(at.node(), out_port);
  if (!told.feed.empty() && at.sender(told.feed.front()) == kNoNode) told.feed = {};
  return told;
}

Network network_of(const Plan& plan) {
  Network network{plan,
                  plan.program.as<ElasticProgram>(),
                  plan.program.as<ElasticProgram>().elastic,
                  static_cast<std::size_t>(plan.topology.ports()),
                  {},
                  {},
                  {},
                  {}};
  const Topology& topology = plan.topology;
  network.latency = network.elastic.latency.by_link(topology);
  network.takes.resize(topology.link_slots(), 0);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::size_t p = 0; p < network.ports; ++p) {
      const auto port = static_cast<Port>(p);
      ElasticPort program = reachable(network.program, walk, port);
      if (program.carries > kMaxElasticTake) {
        throw InputError(fmt::format("format sv: {} chunks per round on a link; the limit is {}",
                                     program.carries, kMaxElasticTake));
      }
      if (walk.neighbor(port) != kNoNode) {
        network.takes[topology.link(walk.neighbor(port), opposite(port))] = program.carries;
      }
      network.out.push_back(std::move(program));
    }
  }
  network.rings = find_rings(network);
  return network;
}

/// The common configuration of the nodes of a class.
struct TileClass {
  std::vector<std::size_t> feed;
  std::vector<std::uint32_t> cycle;
  std::vector<std::uint32_t> own;
  std::vector<std::uint32_t> forward;
  std::vector<std::uint32_t> take;

  auto operator<=>(const TileClass&) const = default;
};

TileClass class_of_node(const Network& network, NodeId node) {
  TileClass tile;
  for (std::size_t p = 0; p < network.ports; ++p) {
    const std::size_t slot = network.slot(node, p);
    std::uint32_t forward = network.forwards(slot);
    std::uint32_t take = network.takes[slot];
    if (network.rings) {
      // Backward rings of an even number of nodes take one less: a pin.
      const std::uint32_t all =
          network.rings->halves ? network.rings->nodes / 2 : network.rings->nodes - 1;
      if (take > 0) take = all;
      if (network.out[slot].carries > 0) forward = all - 1;
    }
    tile.feed.push_back(network.feed(slot));
    tile.cycle.push_back(network.rings ? network.rings->cycle[slot] : 0);
    tile.own.push_back(static_cast<std::uint32_t>(own_chunks(network.out[slot])));
    tile.forward.push_back(forward);
    tile.take.push_back(take);
  }
  return tile;
}

std::string literal(std::size_t width, const std::vector<std::uint32_t>& fields) {
  Literal bits(width * fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) bits.set(i * width, fields[i]);
  return bits.text();
}

/// By cycle, of every node: its place, and in bits 14 and 15 which of two in-ports are on a
/// backward ring; see gsm_elastic_node.
std::vector<std::vector<std::uint32_t>> places_of(const Network& network) {
  if (!network.rings) return {};
  const std::uint32_t nodes = network.plan.topology.nodes();
  if (nodes > kMaxRingNodes) {
    throw InputError(
        fmt::format("format sv: rings of {} nodes; the limit is {}", nodes, kMaxRingNodes));
  }
  std::vector<std::vector<std::uint32_t>> places(network.ports / 2);
  for (std::size_t c = 0; c < places.size(); ++c) {
    for (NodeId node = 0; node < nodes; ++node) {
      const std::size_t slot = network.slot(node, 2 * c);
      const std::uint32_t rank = c < network.rings->rank.size() ? network.rings->rank[c][node] : 0U;
      places[c].push_back(rank | std::uint32_t{network.rings->backward[slot]} << 14U |
                          std::uint32_t{network.rings->backward[slot + 1]} << 15U);
    }
  }
  return places;
}

std::string package_text(const Network& network, const FabricShape& shape,
                         const std::vector<const TileClass*>& classes,
                         const std::vector<std::size_t>& class_of) {
  const Elastic& elastic = network.elastic;
  std::string text = fabric_package(
      network.plan, shape,
      {{"Flits in the queue of an output port.", "Slots", elastic.slots},
       {"Flits of a chunk, and rounds of a message.", "Chunk", elastic.chunk},
       {"", "Rounds", elastic.rounds},
       {"1: nodes add up words, 2: and spread the sums; how, as gsm_combine numbers it.", "Reduce",
        network.program.combine ? elastic_legs(network.program) : 0},
       {"", "Operation", network.program.combine ? combine_operation(network.plan) : 0},
       {"1: marks, parity, with a bit more in LinkExtra each; flags after 2^Stall cycles.", "Mark",
        0},
       {"", "Parity", 0},
       {"", "Stall", 10},
       {"Nodes of a ring, 0: no rings; 1: the rings of a cycle share its packets.", "RingNodes",
        network.rings ? network.rings->nodes : 0},
       {"", "Halves", network.rings && network.rings->halves ? 1U : 0U}});
  text += node_class_function(class_of);
  const std::size_t ports = network.ports;
  const auto of_classes = [&](std::string_view comment, std::string_view name,
                              std::string_view range, auto value) {
    std::vector<std::string> literals;
    for (const TileClass* tile : classes) literals.push_back(value(*tile));
    text += class_function(comment, name, range, literals);
  };
  of_classes("Bit p*Ports + q: in-port q feeds out-port p.", "feed", "Ports*Ports",
             [ports](const TileClass& tile) {
               std::vector<std::uint32_t> bits(ports * ports, 0);
               for (std::size_t p = 0; p < ports; ++p) {
                 if (tile.feed[p] < ports) bits[p * ports + tile.feed[p]] = 1;
               }
               return literal(1, bits);
             });
  of_classes("Bits q*4 +: 4: the cycle of in-port q.", "cycle", "Ports*4",
             [](const TileClass& tile) { return literal(4, tile.cycle); });
  of_classes("Bit p: out-port p has an own packet.", "own", "Ports",
             [](const TileClass& tile) { return literal(1, tile.own); });
  of_classes("Bits p*16 +: 16: arrivals that out-port p passes on in a round.", "forward",
             "Ports*16", [](const TileClass& tile) { return literal(16, tile.forward); });
  of_classes("Bits q*16 +: 16: arrivals of in-port q in a round.", "take", "Ports*16",
             [](const TileClass& tile) { return literal(16, tile.take); });
  return text;
}

/// An own flit, the number of flits of the first leg that must have arrived on both sides before
/// it, and whether it is added to an arrival.
struct OwnFlit {
  std::uint64_t value = 0;
  std::uint64_t behind = 0;
  bool adds = false;
};

/// A flit that is delivered.
struct DeliveredFlit {
  Take take;
  std::uint64_t value = 0;
};

/// Flits that enter and leave a network, in a run without stalls.
class ElasticTraffic {
 public:
  explicit ElasticTraffic(const Network& network)
      : network_(network),
        flits_(network.elastic.flits()),
        delivered_(network.takes.size()),
        seen_(network.takes.size(), 0),
        sums_(network.program.combine ? network.plan.demand.pieces * flits_ : 0, 0) {
    if (network.program.combine) {
      words_.emplace(network.program);
      lanes_.emplace(network.plan);
      arithmetic_ = lanes_->arithmetic();
    }
    const auto engine = make_fast_elastic_engine(network.plan, {}, arithmetic_);
    while (true) {
      look(engine->links());
      if (engine->done()) break;
      engine->clock(1 + engine->quiet());
    }
  }

  [[nodiscard]] std::uint64_t last_cycle() const { return last_; }
  /// A value as hexadecimal digits.
  [[nodiscard]] std::string digits(std::uint64_t value) const {
    return lanes_ ? lanes_->digits(value) : fmt::format("{:x}", value);
  }
  /// Of a link.
  [[nodiscard]] const std::vector<DeliveredFlit>& delivered(LinkId link) const {
    return delivered_[link];
  }
  /// Of an out-port.
  [[nodiscard]] std::vector<OwnFlit> own(NodeId node, std::size_t port) const {
    std::vector<OwnFlit> own;
    const ElasticPort& at = network_.out[network_.slot(node, port)];
    if (own_chunks(at) == 0) return own;
    const std::uint64_t chunk = network_.elastic.chunk;
    if (!at.lane) {
      const PacketId packet = own_piece(network_.plan, node, at.preload.front());
      for (std::uint64_t flit = 0; flit < flits_; ++flit)
        own.push_back({packet * flits_ + flit, 0});
      return own;
    }
    for (std::uint64_t i = 0; i < at.carries * flits_; ++i) {
      const std::uint64_t round = i / chunk / at.carries;
      const PacketId packet = words_->sent(node, *at.lane, 0, i / chunk % at.carries);
      const PacketId piece = packet * flits_ + round * chunk + i % chunk;
      own.push_back({arithmetic_.word(node, piece, sums_.size(), network_.plan.topology.nodes()), 0,
                     i / chunk % at.carries != 0});
    }
    for (std::uint64_t flit = 0; flit < flits_ && elastic_legs(network_.program) > 1; ++flit) {
      own.push_back({sums_[words_->owned(node, *at.lane) * flits_ + flit], flit + 1});
    }
    return own;
  }

 private:
  void look(const LinkView& view) {
    for (const Take& take : view.takes) {
      const std::uint64_t carries =
          network_
              .out[network_.slot(network_.plan.topology.link_from(take.link),
                                 network_.plan.topology.link_port(take.link))]
              .carries;
      const std::uint64_t number = seen_[take.link]++ / network_.elastic.chunk;
      last_ = view.cycle;
      const bool adds = !sums_.empty() && number < carries * network_.elastic.rounds;
      if (adds && number % carries != carries - 1) continue;
      delivered_[take.link].push_back(
          {take, sums_.empty() ? take.packet * flits_ + take.flit : view.values[take.link]});
    }
    const std::uint64_t of_node = sums_.size() / network_.plan.topology.nodes();
    for (const Result& result : view.results) {
      if (result.packet / of_node == result.node) sums_[result.packet] = result.value;
    }
  }

  const Network& network_;
  std::uint64_t flits_;
  /// Reductions only.
  std::optional<ElasticWords> words_;
  std::optional<LaneWords> lanes_;
  Arithmetic arithmetic_;
  std::vector<std::vector<DeliveredFlit>> delivered_;
  /// By link, flits that have been taken.
  std::vector<std::uint64_t> seen_;
  /// By word and flit, the final value at its owner.
  std::vector<std::uint64_t> sums_;
  std::uint64_t last_ = 0;
};

/// The expected run for gsm_fabric_tb, without stalls; nullopt when it is too long.
std::optional<std::string> expected_takes(const Network& network) {
  const Plan& plan = network.plan;
  const Topology& topology = plan.topology;
  const std::uint64_t flits = network.elastic.flits();
  std::uint64_t rows = 0;
  for (const std::uint32_t take : network.takes) rows += take * flits;
  if (rows > kMaxElasticRows) return std::nullopt;
  const ElasticTraffic traffic(network);
  std::vector<std::vector<OwnFlit>> own;
  std::string counts;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::size_t p = 0; p < network.ports; ++p) {
      own.push_back(traffic.own(node, p));
      // The other direction of a cycle enters where this one leaves.
      const std::size_t slot = network.slot(node, p);
      const std::size_t feed = network.feed(slot);
      counts += fmt::format("{} {}\n", own.back().size(),
                            feed == network.ports ? slot : network.slot(node, feed));
    }
  }
  const auto link_into = [&](std::size_t slot) {
    const auto node = static_cast<NodeId>(slot / network.ports);
    const auto port = static_cast<Port>(slot % network.ports);
    return topology.link(topology.neighbor(node, port), opposite(port));
  };
  rows = 0;
  for (std::size_t slot = 0; slot < network.takes.size(); ++slot) {
    const std::size_t here =
        network.takes[slot] == 0 ? 0 : traffic.delivered(link_into(slot)).size();
    counts += fmt::format("{}\n", here);
    rows += here;
  }
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0, what gsm_fabric_tb has to see\n{} {} {}\n{}",
      traffic.last_cycle(), rows, network.program.combine ? 0 : 1, counts);
  for (const auto& list : own) {
    for (const OwnFlit& flit : list) {
      append_format(text, "{} {} {}\n", traffic.digits(flit.value), flit.behind, flit.adds ? 1 : 0);
    }
  }
  const std::uint32_t packets = network.program.packets_per_node();
  for (std::size_t slot = 0; slot < network.takes.size(); ++slot) {
    if (network.takes[slot] == 0) continue;
    std::uint64_t number = 0;
    for (const auto& [take, value] : traffic.delivered(link_into(slot))) {
      const std::uint64_t place =
          network.rings ? network.rings->rank[network.rings->cycle[slot]][take.packet / packets]
                        : number / network.elastic.chunk % network.takes[slot];
      append_format(text, "{} {} {}\n", take.packet * flits + take.flit, place,
                    traffic.digits(value));
      ++number;
    }
  }
  return text;
}

/// Constraints for the paths of gsm_elastic_crossing, for a network with one clock per node.
std::string constraints(const Network& network) {
  return fmt::format(
      R"(# SPDX-License-Identifier: Apache-2.0
# Timing of gsm_fabric with Crossings = 1. Clocks of nodes are not related; set gsm_period to the
# shortest of their periods (ns) before this file is read. Every bit of a pointer has to be in the other
# clock's first flip-flop within one period, so that no more than one bit changes between two samples; a
# flit's data has to be there when the pointer has passed both flip-flops.
if {{![info exists gsm_period]}} {{ set gsm_period 1.0 }}
for {{set n 0}} {{$n < {0}}} {{incr n}} {{
  create_clock -name gsm_node_$n -period $gsm_period [get_ports "node_clk_i\[$n\]"]
}}
foreach {{from to}} {{in_gray_q out_sync_q out_gray_q in_sync_q}} {{
  set_max_delay $gsm_period -from [get_cells -hierarchical "*u_crossing*$from*"]     -to [get_cells -hierarchical "*u_crossing*$to*"]
  set_false_path -hold -from [get_cells -hierarchical "*u_crossing*$from*"]     -to [get_cells -hierarchical "*u_crossing*$to*"]
}}
set_max_delay [expr {{2 * $gsm_period}}] -from [get_cells -hierarchical "*u_crossing*data_q*"]
set_false_path -hold -from [get_cells -hierarchical "*u_crossing*data_q*"]
)",
      network.plan.topology.nodes());
}

}  // namespace

std::vector<EmittedFile> emit_elastic_sv(const Plan& plan) {
  check_nodes(plan, "sv");
  if (plan.program.as<ElasticProgram>().elastic.slots < 2) {
    throw InputError(
        "format sv: queues of 1 slot: in the RTL library they follow ready in the same cycle, so "
        "the network is faster than planned; plan with --slots 2 or more");
  }
  const Network network = network_of(plan);
  std::map<TileClass, std::size_t> index;
  std::vector<const TileClass*> classes;
  std::vector<std::size_t> class_of;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    const auto [at, added] = index.try_emplace(class_of_node(network, node), classes.size());
    if (added) classes.push_back(&at->first);
    class_of.push_back(at->second);
  }
  if (network.program.combine && !network.rings) {
    throw InputError("format sv: sums require rings of 3 nodes or more");
  }
  const std::uint64_t streams = plan.topology.link_slots();
  FabricShape shape;
  shape.width = network.program.combine ? static_cast<std::uint64_t>(link_words(plan).link_bits)
                                        : data_bits(plan);
  shape.own_words = shape.own_stride = shape.delivers = network.ports;
  shape.own_total = streams;
  shape.link_extra = network.elastic.chunk > 1 ? 1 : 0;
  shape.deliver_extra = flit_bits(network.elastic) + network.slot_bits() + 3;
  shape.latencies = network.latency;
  shape.packet_flits = network.elastic.flits();
  shape.chunk_flits = network.elastic.chunk;
  shape.slot_bits = network.slot_bits();
  shape.flit_bits = flit_bits(network.elastic);
  shape.waits = true;
  shape.places = places_of(network);
  NetworkFiles files;
  files.package = package_text(network, shape, classes, class_of);
  files.tile = {.node = "gsm_elastic_node",
                .parameters = {{"Width", "Width"}, {"Status", "1'b1"}},
                .unused = "table_write_i, table_data_i",
                .waits = true};
  for (const std::string_view name : {"Ports", "Slots", "Chunk", "Rounds", "Reduce", "Operation",
                                      "Mark", "Parity", "Stall", "RingNodes", "Halves"}) {
    const bool bit = name == "Mark" || name == "Parity" || name == "Halves";
    files.tile.parameters.emplace_back(name,
                                       fmt::format("gsm_plan_pkg::{}{}", name, bit ? " != 0" : ""));
  }
  for (const auto& [parameter, function] : {std::pair{"Feed", "feed"},
                                            {"Cycle", "cycle"},
                                            {"Own", "own"},
                                            {"Forward", "forward"},
                                            {"Take", "take"}}) {
    files.tile.parameters.emplace_back(parameter, fmt::format("gsm_plan_pkg::{}(Class)", function));
  }
  files.modules =
      with_combine(plan, {"gsm_elastic_queue", "gsm_elastic_crossing", "gsm_elastic_channel",
                          "gsm_elastic_router", "gsm_elastic_node"});
  files.expected = expected_takes(network);
  std::vector<EmittedFile> written = network_files(files);
  written.push_back({"gsm_fabric.sdc", constraints(network)});
  return written;
}

}  // namespace gossamer::emit_detail
