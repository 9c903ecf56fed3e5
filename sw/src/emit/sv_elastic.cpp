// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of elastic streams: gsm_pkg, a tile for each class of nodes, and gsm_network,
/// which wires one tile a node.
///
/// Where the plan's streams are Hamiltonian rings, what follows from a node's place are constant
/// pins, and nodes that differ in nothing else share a class. Elsewhere a class holds the counts of
/// arrivals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "formats.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace {

/// The counters of gsm_elastic_router.
constexpr std::uint32_t kMaxElasticTake = 65535;
/// The flits in the list that the testbench reads, some 20 MB.
constexpr std::uint64_t kMaxElasticRows = std::uint64_t{1} << 21U;

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
  const StreamProgram& program;
  const Elastic& elastic;
  std::size_t ports;
  std::vector<std::uint32_t> latency;
  /// By out-port slot: the program, without what the border of a mesh cuts off.
  std::vector<PortProgram> out;
  /// By in-port slot: chunks that arrive in a round.
  std::vector<std::uint32_t> takes;
  std::optional<Rings> rings;

  [[nodiscard]] std::size_t slot(NodeId node, std::size_t port) const {
    return node * ports + port;
  }
  /// The in-port that feeds an out-port; `ports` for none.
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
    const std::uint32_t own = out[out_slot].preload.empty() ? 0 : 1;
    return feed(out_slot) == ports ? 0 : out[out_slot].carries - own;
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
    if (ring.size() == topology.nodes() || network.out[network.slot(node, port)].preload.empty()) {
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

/// The rings, when the plan consists of Hamiltonian rings that carry what a tile can be told by
/// pins.
std::optional<Rings> find_rings(const Network& network) {
  const Topology& topology = network.plan.topology;
  Rings rings;
  rings.nodes = topology.nodes();
  if (rings.nodes < 3) return std::nullopt;
  std::size_t used = 0;
  for (const PortProgram& program : network.out) used += program.carries > 0 ? 1 : 0;
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
    order.push_back({{network.out[port].preload.front(), port}, port});
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
    const Ring* const both[]{&forward, has_other ? &other->second : nullptr};
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

Network network_of(const Plan& plan) {
  Network network{plan,
                  std::get<StreamProgram>(plan.program),
                  *elastic_of(plan),
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
      PortProgram program = hardware_program(plan, walk, port);
      if (program.carries > kMaxElasticTake) {
        throw InputError(fmt::format("format sv: {} chunks a round on a link; it counts to {}",
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

/// What the nodes of a class have in common.
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
    tile.own.push_back(network.out[slot].preload.empty() ? 0 : 1);
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

/// A pin of the streams at the element: name, output, the constant that says its bits.
struct StreamPin {
  std::string_view name;
  bool output;
  std::string_view bits;
};
constexpr std::array<StreamPin, 12> kStreamPins{{{"s_valid_i", false, ""},
                                                 {"s_ready_o", true, ""},
                                                 {"s_data_i", false, "gsm_pkg::Width"},
                                                 {"s_last_i", false, ""},
                                                 {"m_valid_o", true, ""},
                                                 {"m_ready_i", false, ""},
                                                 {"m_data_o", true, "gsm_pkg::Width"},
                                                 {"m_last_o", true, ""},
                                                 {"m_slot_o", true, "gsm_pkg::SlotBits"},
                                                 {"m_flit_o", true, "gsm_pkg::FlitBits"},
                                                 {"m_done_o", true, ""},
                                                 {"m_error_o", true, ""}}};
constexpr std::array<std::string_view, 5> kFlags{"parity_error_o", "order_error_o",
                                                 "length_error_o", "stall_o", "stall_here_o"};
/// The package's part of a module's port list: `count` streams and `nodes` flags.
std::string stream_ports(std::string_view count, std::string_view flags) {
  std::string text;
  for (const StreamPin& pin : kStreamPins) {
    fmt::format_to(std::back_inserter(text), "    {} logic [{}{}{}-1:0] {},\n",
                   pin.output ? "output" : "input ", count, pin.bits.empty() ? "" : "*", pin.bits,
                   pin.name);
  }
  for (const std::string_view flag : kFlags) {
    fmt::format_to(std::back_inserter(text), "    output logic {}{}{},\n", flags,
                   flags.empty() ? "" : " ", flag);
  }
  return text;
}

std::string package_text(const Network& network) {
  const Plan& plan = network.plan;
  const Topology& topology = plan.topology;
  const std::uint64_t flits = network.elastic.flits();
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "/* verilator lint_off UNUSEDPARAM */\n/* verilator lint_off UNUSEDSIGNAL */\n\n"
      "// Elastic {} on the {} {}, algorithm {}: what gsm_network and its tiles are told.\n"
      "package gsm_pkg;\n\n",
      plan.collective, topology.dims_text(), topology.kind(), comment_text(plan.algorithm));
  const auto put = [&text](std::string_view comment, std::string_view name, std::uint64_t value) {
    fmt::format_to(std::back_inserter(text), "  // {}\n  localparam int {} = {};\n", comment, name,
                   value);
  };
  put("Nodes of the network.", "Nodes", topology.nodes());
  put("Ports of a tile.", "Ports", network.ports);
  put("Data bits of a flit.", "Width", kDataBits);
  put("Flits behind an out-port.", "Slots", network.elastic.slots);
  put("Flits of a chunk.", "Chunk", network.elastic.chunk);
  put("Rounds of a message: a packet has Chunk*Rounds flits.", "Rounds", network.elastic.rounds);
  put("Bits of a slot.", "SlotBits", network.slot_bits());
  put("Bits of the number of a flit.", "FlitBits",
      static_cast<std::uint64_t>(field_bits(flits - 1)));
  put("1: marks, parity; stall flags after 2^Stall cycles, 0: none.", "Mark", 0);
  text.pop_back();
  text +=
      "\n  localparam int Parity = 0;\n  localparam int Stall = 10;\n"
      "  // Bits of a flit on a link.\n"
      "  localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0) + Mark + Parity;\n\n";
  return text + neighbor_function(topology) +
         "endpackage\n\n/* verilator lint_on UNUSEDPARAM */\n/* verilator lint_on UNUSEDSIGNAL "
         "*/\n";
}

std::string tile_text(const Network& network, std::size_t number, const TileClass& tile) {
  std::vector<std::uint32_t> bits(network.ports * network.ports, 0);
  for (std::size_t p = 0; p < network.ports; ++p) {
    if (tile.feed[p] < network.ports) bits[p * network.ports + tile.feed[p]] = 1;
  }
  return fmt::format(
      R"(// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// gsm_elastic_tile as the plan tells its class {0} of nodes.
module gsm_tile_{0} (
    // As gsm_elastic_tile.
    input  logic clk_i,
    input  logic rst_ni,
    input  logic [gsm_pkg::Ports/2*gsm_pkg::SlotBits-1:0] rank_i,
    input  logic [gsm_pkg::Ports-1:0] backward_i,
{1}    input  logic [gsm_pkg::Ports-1:0] in_valid_i,
    output logic [gsm_pkg::Ports-1:0] in_ready_o,
    input  logic [gsm_pkg::Ports*gsm_pkg::LinkWidth-1:0] in_data_i,
    output logic [gsm_pkg::Ports-1:0] out_valid_o,
    input  logic [gsm_pkg::Ports-1:0] out_ready_i,
    output logic [gsm_pkg::Ports*gsm_pkg::LinkWidth-1:0] out_data_o
);

  gsm_elastic_tile #(
      .Ports  (gsm_pkg::Ports),
      .Width  (gsm_pkg::Width),
      .Slots  (gsm_pkg::Slots),
      .Chunk  (gsm_pkg::Chunk),
      .Rounds (gsm_pkg::Rounds),
      .Mark   (gsm_pkg::Mark != 0),
      .Parity (gsm_pkg::Parity != 0),
      .Stall  (gsm_pkg::Stall),
      .Nodes  ({2}),
      .Halves (1'b{3}),
      .Feed   ({4}),
      .Cycle  ({5}),
      .Own    ({6}),
      .Forward({7}),
      .Take   ({8})
  ) u_tile (
      .*
  );

endmodule

`default_nettype wire
)",
      number, stream_ports("gsm_pkg::Ports", ""), network.rings ? network.rings->nodes : 0,
      network.rings && network.rings->halves ? 1 : 0, literal(1, bits), literal(4, tile.cycle),
      literal(1, tile.own), literal(16, tile.forward), literal(16, tile.take));
}

std::string network_text(const Network& network, const std::vector<std::size_t>& class_of) {
  const Topology& topology = network.plan.topology;
  const std::size_t ports = network.ports;
  std::string text = fmt::format(
      R"(// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The elastic network of a plan: a tile a node, and the links. No start and no clear; routers wait for
// each other. Port p of node n is element n*Ports + p of every vector: out-ports for s_*, in-ports for m_*.
module gsm_network #(
    // 1: every node has a clock of its own, and links cross between them. 0: one clock, on all pins.
    parameter bit Crossings = 1'b0
) (
    // By node: clock, rising edge; asynchronous reset, active low. All have to be in reset at one common
    // time, and may leave it in any order, any time apart.
    input  logic [gsm_pkg::Nodes-1:0] clk_i,
    input  logic [gsm_pkg::Nodes-1:0] rst_ni,
    // By node, as gsm_elastic_tile.
{0}    // For tests, otherwise all 1: what has come over the link into in-port p of node n may be shown. Once
    // high with link_valid_o it has to stay until the flit is taken.
    input  logic [gsm_pkg::Nodes*gsm_pkg::Ports-1:0] link_open_i,
    // To watch: something has come.
    output logic [gsm_pkg::Nodes*gsm_pkg::Ports-1:0] link_valid_o
);

  localparam int Width = gsm_pkg::LinkWidth;

  // By in-port the end of its link, by out-port the beginning.
  logic [gsm_pkg::Nodes*gsm_pkg::Ports-1:0] in_ready;
  logic [gsm_pkg::Nodes*gsm_pkg::Ports*Width-1:0] in_data;
  logic [gsm_pkg::Nodes*gsm_pkg::Ports-1:0] out_valid;
  logic [gsm_pkg::Nodes*gsm_pkg::Ports-1:0] out_ready;
  logic [gsm_pkg::Nodes*gsm_pkg::Ports*Width-1:0] out_data;
  // Some ports have no link.
  logic unused_ports;
  assign unused_ports = ^{{in_ready, out_valid, out_data}};

)",
      stream_ports("gsm_pkg::Nodes*gsm_pkg::Ports", "[gsm_pkg::Nodes-1:0]"));
  const auto out = std::back_inserter(text);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const NodeId node = walk.node();
    for (std::size_t p = 0; p < ports; ++p) {
      const std::size_t from = network.slot(node, p);
      if (network.takes[from] == 0) {
        fmt::format_to(out,
                       "  assign link_valid_o[{0}] = 1'b0;\n"
                       "  assign in_data[{0}*Width+:Width] = '0;\n",
                       from);
      }
      if (network.out[from].carries == 0) {
        fmt::format_to(out, "  assign out_ready[{0}] = 1'b0;\n", from);
        continue;
      }
      const auto port = static_cast<Port>(p);
      const NodeId next = walk.neighbor(port);
      const std::size_t to = topology.link(next, opposite(port));
      fmt::format_to(out,
                     "  gsm_elastic_channel #(\n      .Width   (Width),\n      .Stages  ({4}),\n"
                     "      .Crossing(Crossings)\n  ) u_link_{0}_{1} (\n"
                     "      .in_clk_i   (clk_i[{0}]),\n      .in_rst_ni  (rst_ni[{0}]),\n"
                     "      .in_valid_i (out_valid[{2}]),\n      .in_ready_o (out_ready[{2}]),\n"
                     "      .in_data_i  (out_data[{2}*Width+:Width]),\n"
                     "      .out_clk_i  (clk_i[{5}]),\n      .out_rst_ni (rst_ni[{5}]),\n"
                     "      .out_valid_o(link_valid_o[{3}]),\n"
                     "      .out_ready_i(in_ready[{3}] && link_open_i[{3}]),\n"
                     "      .out_data_o (in_data[{3}*Width+:Width])\n  );\n",
                     node, p, from, to, network.latency[from] - 1, next);
    }
    std::vector<std::uint32_t> ranks(ports / 2, 0);
    std::vector<std::uint32_t> backward(ports, 0);
    if (network.rings) {
      for (std::size_t c = 0; c < network.rings->rank.size(); ++c) {
        ranks[c] = network.rings->rank[c][node];
      }
      for (std::size_t q = 0; q < ports; ++q) {
        backward[q] = network.rings->backward[network.slot(node, q)];
      }
    }
    fmt::format_to(out,
                   "  gsm_tile_{0} u_tile_{1} (\n      .clk_i(clk_i[{1}]),\n"
                   "      .rst_ni(rst_ni[{1}]),\n      .rank_i({2}),\n      .backward_i({3}),\n",
                   class_of[node], node, literal(network.slot_bits(), ranks), literal(1, backward));
    const std::size_t first = network.slot(node, 0);
    const auto vector = [&](std::string_view pin, std::string_view name, std::string_view bits) {
      if (bits.empty()) {
        fmt::format_to(out, "      .{}({}[{}+:{}]),\n", pin, name, first, ports);
      } else {
        fmt::format_to(out, "      .{0}({1}[{2}*{4}+:{3}*{4}]),\n", pin, name, first, ports, bits);
      }
    };
    for (const StreamPin& pin : kStreamPins) vector(pin.name, pin.name, pin.bits);
    for (const std::string_view flag : kFlags) {
      fmt::format_to(out, "      .{0}({0}[{1}]),\n", flag, node);
    }
    fmt::format_to(out, "      .in_valid_i(link_valid_o[{0}+:{1}] & link_open_i[{0}+:{1}]),\n",
                   first, ports);
    vector("in_ready_o", "in_ready", "");
    vector("in_data_i", "in_data", "Width");
    vector("out_valid_o", "out_valid", "");
    vector("out_ready_i", "out_ready", "");
    vector("out_data_o", "out_data", "Width");
    text.resize(text.size() - 2);
    text += "\n  );\n\n";
  }
  return text + "endmodule\n\n`default_nettype wire\n";
}

/// What gsm_network_tb has to see, from a run without stalls; nullopt when that is too long.
std::optional<std::string> expected_takes(const Network& network) {
  const Plan& plan = network.plan;
  const Topology& topology = plan.topology;
  const std::uint64_t flits = network.elastic.flits();
  std::uint64_t rows = 0;
  for (const std::uint32_t take : network.takes) rows += take * flits;
  if (rows > kMaxElasticRows) return std::nullopt;
  // By link, what its far end takes, in order.
  std::vector<std::vector<Take>> takes(topology.link_slots());
  std::uint64_t last = 0;
  const auto engine = make_fast_engine(plan);
  while (true) {
    const LinkView view = engine->links();
    for (const Take& take : view.takes) {
      takes[take.link].push_back(take);
      last = view.cycle;
    }
    if (engine->done()) break;
    engine->clock(1 + engine->quiet());
  }
  std::string text =
      fmt::format("// SPDX-License-Identifier: Apache-2.0, what gsm_network_tb has to see\n{} {}\n",
                  last, rows);
  const auto out = std::back_inserter(text);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::size_t p = 0; p < network.ports; ++p) {
      const auto& own = network.out[network.slot(node, p)].preload;
      if (own.empty()) {
        fmt::format_to(out, "-1\n");
      } else {
        fmt::format_to(out, "{}\n", own_piece(plan, node, own.front()));
      }
    }
  }
  for (const std::uint32_t take : network.takes) fmt::format_to(out, "{}\n", take * flits);
  const std::uint32_t packets = packets_per_node(plan);
  for (std::size_t slot = 0; slot < network.takes.size(); ++slot) {
    if (network.takes[slot] == 0) continue;
    const auto node = static_cast<NodeId>(slot / network.ports);
    const auto port = static_cast<Port>(slot % network.ports);
    const LinkId link = topology.link(topology.neighbor(node, port), opposite(port));
    std::uint64_t number = 0;
    for (const Take& take : takes[link]) {
      const std::uint64_t place =
          network.rings ? network.rings->rank[network.rings->cycle[slot]][take.packet / packets]
                        : number / network.elastic.chunk % network.takes[slot];
      fmt::format_to(out, "{} {}\n", take.packet * flits + take.flit, place);
      ++number;
    }
  }
  return text;
}

}  // namespace

std::vector<EmittedFile> emit_elastic_sv(const Plan& plan) {
  check_nodes(plan, "sv");
  check_port(plan.topology, "gsm_network", "m_data_o",
             plan.topology.link_slots() * static_cast<std::uint64_t>(kDataBits));
  const Network network = network_of(plan);
  std::map<TileClass, std::size_t> index;
  std::vector<const TileClass*> classes;
  std::vector<std::size_t> class_of;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    const auto [at, added] = index.try_emplace(class_of_node(network, node), classes.size());
    if (added) classes.push_back(&at->first);
    class_of.push_back(at->second);
  }
  std::vector<EmittedFile> files{{"gsm_pkg.sv", package_text(network)},
                                 embedded_file("gsm_assert.svh")};
  std::string list = "+incdir+.\ngsm_pkg.sv\n";
  const auto add = [&](EmittedFile file) {
    fmt::format_to(std::back_inserter(list), "{}\n", file.name);
    files.push_back(std::move(file));
  };
  for (const std::string_view module : {"queue", "crossing", "link", "channel", "router", "tile"}) {
    add(embedded_file(fmt::format("gsm_elastic_{}.sv", module)));
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    add({fmt::format("gsm_tile_{}.sv", i), tile_text(network, i, *classes[i])});
  }
  add({"gsm_network.sv", network_text(network, class_of)});
  if (const auto expected = expected_takes(network)) {
    files.push_back(embedded_file("gsm_network_tb.sv"));
    files.push_back({"gsm_network_expected.txt", *expected});
  }
  files.push_back({"gsm_network.f", std::move(list)});
  files.push_back(embedded_file("Makefile"));
  return files;
}

}  // namespace gossamer::emit_detail
