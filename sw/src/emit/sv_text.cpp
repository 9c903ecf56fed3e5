// SPDX-License-Identifier: Apache-2.0
#include "sv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <stdexcept>

#include "gossamer/plan/link_words.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "network_text.hpp"
#include "split_top.hpp"

namespace gossamer::emit_detail {

namespace {

constexpr std::size_t kChunkNodes = 64;
/// Outputs of a tile that valid/ready tiles lack, and that others lack.
constexpr std::string_view kRoundOutputs = "last_o";
constexpr std::string_view kWaitOutputs = "own_ready_o in_ready_o flags_o";

/// Steps of several cycles between a node and the tile's ports; `ports` connects the node's ports
/// with different names.
struct SerialText {
  std::string body;
  std::string ports;
};
SerialText serial_text(const StepClock& clock) {
  if (!clock.serial()) return {};
  return {fmt::format(R"(
  // Steps of several cycles.
  localparam int Extra = (gsm_plan_pkg::LinkWords - 1) * Width + gsm_plan_pkg::LinkExtra;
  logic node_clk;
  logic step_last;
  logic [$clog2(({2} > {3} ? {2} : {3})+1)-1:0] unused_cycle;
  logic unused_packets;
  logic node_busy;
  logic node_last;
  logic node_done;
  logic [gsm_plan_pkg::Ports*({0}*Width+Extra)-1:0] node_in_data;
  logic [gsm_plan_pkg::Ports*({0}*Width+Extra)-1:0] node_out_data;
  logic [gsm_plan_pkg::Delivers-1:0] node_deliver_valid;
  gsm_serial_steps #(
      .Ports(gsm_plan_pkg::Ports),
      .Width(Width),
      .Words({0}),
      .Extra(Extra),
      .PrefixSteps({1}),
      .PrefixCycles({2}),
      .Cycles({3})
  ) u_steps (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .tile_clk_o(node_clk),
      .tile_busy_i(node_busy),
      .tile_done_i(node_done),
      .step_last_o(step_last),
      .cycle_o(unused_cycle),
      .packets_o(unused_packets),
      .in_data_i(in_data_i),
      .out_data_o(out_data_o),
      .tile_in_data_o(node_in_data),
      .tile_out_data_i(node_out_data)
  );
  assign busy_o = node_busy;
  assign last_o = node_last && step_last;
  assign done_o = node_done;
  assign deliver_valid_o = node_deliver_valid & {{gsm_plan_pkg::Delivers{{step_last || node_done}}}};
)",
                      clock.words, clock.prefix_steps, clock.prefix_cycles, clock.cycles),
          "      .clk_i(node_clk),\n      .in_data_i(node_in_data),\n"
          "      .out_data_o(node_out_data),\n      .deliver_valid_o(node_deliver_valid),\n"
          "      .busy_o(node_busy),\n      .last_o(node_last),\n      .done_o(node_done),\n"};
}

/// The text of gsm_tile.sv.
std::string tile_module(const TileText& tile, const StepClock& clock) {
  const SerialText serial = serial_text(clock);
  const std::string parameters =
      tile.parameter_lines(clock.words > 1 ? fmt::format("{} * Width", clock.words) : "Width");
  std::string constants = tile.constant_lines();
  std::string outputs;
  for (const auto& [name, bits] : tile.outputs) {
    append_format(outputs, "  logic [{}-1:0] unused_{};\n", bits, name);
    append_format(constants, "      .{0}(unused_{0}),\n", name);
  }
  std::string unused =
      outputs + fmt::format("  logic unused;\n  assign unused = ^{{{}{}{}}};\n", tile.unused,
                            tile.unused.empty() ? "" : ", ",
                            tile.waits ? "clear_i, start_i"
                                       : "own_valid_i, own_last_i, out_ready_i, deliver_ready_i");
  for (const std::string_view output : words_of(tile.waits ? kRoundOutputs : kWaitOutputs)) {
    append_format(unused, "  assign {} = '0;\n", output);
  }
  return tile_text(
      fmt::format("{} as the plan configures its class of nodes", tile.node),
      fmt::format(R"(  // Inputs and outputs that only other tiles have.
{2}{3}
  {0} #(
{1}
  ) u_node (
{5}{4}      .*
  );
)",
                  tile.node, parameters, unused, serial.body, serial.ports, constants));
}

std::string neighbor_function(const Topology& topology) {
  // One assignment per dimension if dimensions differ.
  bool mixed = false;
  for (int dim = 1; dim < topology.dimensions(); ++dim) {
    mixed = mixed || topology.wraps(dim) != topology.wraps(0);
  }
  std::string text =
      "  // The neighbour of `node` in direction `port`; -1 beyond the border of a mesh.\n"
      "  function automatic int neighbor(input int node, input int port);\n"
      "    int side;\n    int stride;\n    int at;\n";
  if (mixed) text += "    bit wraps;\n    wraps  = 0;\n";
  text += "    side   = 1;\n    stride = 1;\n    case (port / 2)\n";
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    append_format(text,
                  "      {}: begin\n        side   = {};\n        stride = {};\n{}      end\n", dim,
                  topology.side(dim), topology.stride(dim),
                  mixed ? fmt::format("        wraps  = {};\n", topology.wraps(dim) ? 1 : 0) : "");
  }
  const auto wrapping = [&](const std::string& round) {
    return mixed ? "wraps ? " + round + " : -1" : topology.wraps(0) ? round : "-1";
  };
  append_format(text,
                "      default: ;\n    endcase\n"
                "    at = (node / stride) % side;\n"
                "    if (port % 2 == 1) neighbor = at + 1 < side ? node + stride : {};\n"
                "    else neighbor = at > 0 ? node - stride : {};\n",
                wrapping("node - at * stride"), wrapping("node + (side - 1) * stride"));
  return text + "  endfunction\n\n";
}

struct FabricPort {
  std::string_view name;
  std::uint64_t bits;
};
/// The ports of a node's data.
std::array<FabricPort, 3> node_ports(const Topology& topology, const FabricShape& shape) {
  const auto ports = static_cast<std::uint64_t>(topology.ports());
  return {{{"own_data_i of a node", shape.own_words * shape.serial_words * shape.width},
           {"link_data_o of a node", ports * (shape.link_words * shape.width + shape.link_extra)},
           {"deliver_data_o of a node",
            shape.delivers *
                (shape.deliver_words * shape.serial_words * shape.width + shape.deliver_extra)}}};
}

/// The ports of a node's data, and the ports that have a bit per node, stream or link.
std::vector<FabricPort> narrow_ports(const Topology& topology, const FabricShape& shape) {
  const std::uint64_t nodes = topology.nodes();
  const auto data = node_ports(topology, shape);
  std::vector<FabricPort> ports(data.begin(), data.end());
  ports.insert(ports.end(), {{"link_valid_o", nodes * static_cast<std::uint64_t>(topology.ports())},
                             {"deliver_valid_o", nodes * shape.delivers},
                             {"flags_o", nodes * (shape.waits ? kWaitFlags : 1)}});
  return ports;
}

void check_ports(const Topology& topology, const FabricShape& shape) {
  for (const FabricPort& port : narrow_ports(topology, shape)) {
    if (port.bits <= kMaxPortBits) continue;
    const bool long_message =
        port.name.starts_with("own") && shape.own_words * shape.serial_words > 1;
    throw InputError(
        fmt::format("{} nodes: port {} of gsm_fabric has {} bits, more than the {} that every tool "
                    "takes (IEEE 1800, 6.9.1); emit {}",
                    topology.nodes(), port.name, port.bits, kMaxPortBits,
                    long_message ? "fewer words per node" : "a smaller network"));
  }
}

}  // namespace

bool fits_flat_top(const Topology& topology, const FabricShape& shape) {
  // Own words may be shared; links and deliveries are there once per node.
  const auto [own, links, deliveries] = node_ports(topology, shape);
  return shape.own_total * shape.serial_words * shape.width <= kMaxPortBits &&
         topology.nodes() * std::max(links.bits, deliveries.bits) <= kMaxPortBits;
}

std::string tile_text(std::string_view what, std::string_view body) {
  return fmt::format(R"(// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The tile of gsm_fabric: {0}.
module gsm_tile #(
    // Data bits of a packet or flit.
    parameter int Width = gsm_plan_pkg::Width,
    // Nodes of one class have the same configuration.
    parameter int Class = 0
) (
    // As gsm_fabric, of one tile; links are as wide as the discipline has them.
    input logic clk_i,
    input logic rst_ni,
    input logic clear_i,
    input logic start_i,
    // Constant, 16 bits a dimension.
    input logic [gsm_plan_pkg::Ports/2*16-1:0] coordinates_i,
    // Bit p: the word of out-port p; bit Ports: the steps; bit Ports+1: the node's.
    input logic [gsm_plan_pkg::Ports+1:0] table_write_i,
    input logic [gsm_plan_pkg::TableBits-1:0] table_data_i,
    input logic [gsm_plan_pkg::OwnWords*Width-1:0] own_data_i,
    input logic [gsm_plan_pkg::OwnStreams-1:0] own_valid_i,
    output logic [gsm_plan_pkg::OwnStreams-1:0] own_ready_o,
    input logic [gsm_plan_pkg::OwnStreams-1:0] own_last_i,
    input logic [gsm_plan_pkg::Ports-1:0] in_valid_i,
    output logic [gsm_plan_pkg::Ports-1:0] in_ready_o,
    input logic [gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)-1:0] in_data_i,
    output logic [gsm_plan_pkg::Ports-1:0] out_valid_o,
    input logic [gsm_plan_pkg::Ports-1:0] out_ready_i,
    output logic [gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)-1:0] out_data_o,
    output logic [gsm_plan_pkg::Delivers-1:0] deliver_valid_o,
    input logic [gsm_plan_pkg::Delivers-1:0] deliver_ready_i,
    output logic [gsm_plan_pkg::Delivers*(gsm_plan_pkg::DeliverWords*Width+gsm_plan_pkg::DeliverExtra)-1:0] deliver_data_o,
    output logic busy_o,
    output logic last_o,
    output logic done_o,
    output logic error_o,
    output logic [gsm_plan_pkg::Flags-1:0] flags_o
);

{1}
endmodule

`default_nettype wire
)",
                     what, body);
}

int field_bits(std::uint64_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(largest)));
}

void Literal::set(std::size_t lsb, std::uint64_t value) {
  for (std::size_t bit = lsb; value != 0; ++bit, value >>= 1U) {
    if ((value & 1U) != 0) {
      nibbles_.at(bit / 4) = static_cast<std::uint8_t>(nibbles_[bit / 4] | (1U << (bit % 4)));
    }
  }
}

void Literal::fill(std::size_t first, std::size_t behind) {
  for (std::size_t bit = first; bit < behind; ++bit) set(bit, 1);
}

std::string Literal::digits() const {
  std::string digits;
  for (std::size_t i = nibbles_.size(); i-- > 0;) digits += "0123456789abcdef"[nibbles_[i]];
  return digits;
}

std::uint64_t data_bits(const Plan& plan) { return planned_link_bits(plan).value_or(kDataBits); }

std::uint64_t packet_bits(const Plan& plan, std::uint64_t words, std::uint64_t numbers) {
  constexpr std::uint64_t kHalf = kDataBits / 2;
  if (const auto planned = planned_link_bits(plan)) return *planned;
  return words * kDataBits > kMaxPortBits && numbers <= 1U << kHalf ? kHalf : kDataBits;
}

void TileText::take_constants(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    parameters.emplace_back(name, fmt::format("gsm_plan_pkg::{}", name));
  }
}

std::string TileText::parameter_lines(std::string_view width) const {
  std::string lines;
  for (const auto& [name, value] : parameters) {
    append_format(lines, "{}      .{}({})", lines.empty() ? "" : ",\n", name,
                  name == "Width" ? width : value);
  }
  return lines;
}

void TileText::leave_out_streams(std::size_t own, std::size_t deliveries, std::size_t index_bits) {
  constants.emplace_back("own_valid_i", fmt::format("{{{}{{1'b1}}}}", own));
  constants.emplace_back("deliver_ready_i", fmt::format("{{{}{{1'b1}}}}", deliveries));
  for (const auto& [name, bits] : {std::pair<std::string_view, std::size_t>{"own_ready_o", own},
                                   {"own_next_o", own},
                                   {"own_index_o", own * index_bits},
                                   {"deliver_index_o", deliveries * index_bits},
                                   {"idle_o", 1}}) {
    outputs.emplace_back(name, fmt::format("{}", bits));
  }
}

std::string TileText::constant_lines() const {
  std::string lines;
  for (const auto& [name, value] : constants) {
    append_format(lines, "      .{}({}),\n", name, value);
  }
  return lines;
}

std::string Literal::text() const { return fmt::format("{}'h{}", bits_, digits()); }

namespace {

/// The constants that state which tiles are absent, and which links are cut off.
std::string dead_constants(const Topology& topology) {
  std::string nodes = "'0";
  std::string arcs = "'0";
  if (!topology.is_healthy()) {
    Literal node_bits(topology.nodes());
    Literal arc_bits(topology.link_slots());
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      if (!topology.is_live(walk.node())) node_bits.set(walk.node(), 1);
      for (const Port port : all_ports(topology.ports())) {
        if (walk.beyond(port) == kNoNode || walk.neighbor(port) != kNoNode) continue;
        arc_bits.set(topology.link(walk.node(), port), 1);
      }
    }
    nodes = node_bits.text();
    arcs = arc_bits.text();
  }
  return fmt::format(
      "  // Bit n: node n is dead. Bit n*Ports + p: so is what leaves node n by port p.\n"
      "  localparam logic [Nodes-1:0] NodeDead = {};\n"
      "  localparam logic [Nodes*Ports-1:0] ArcDead = {};\n",
      nodes, arcs);
}

std::uint64_t ones(std::size_t bits) {
  return bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
}

}  // namespace

std::string StepClock::data(std::uint64_t packet, std::size_t width) const {
  if (words == 1) return fmt::format("{:x}", packet & ones(width));
  Literal literal(words * width);
  set(literal, packet, width);
  return literal.digits();
}

void StepClock::list(std::vector<std::string>& own, std::uint64_t packet, std::size_t width) const {
  for (std::uint64_t i = 0; i < words; ++i) {
    own.push_back(StepClock{}.data(packet + i * kFlitStride, width));
  }
}

std::string StepClock::mask(std::size_t width) const {
  Literal literal(words * width);
  literal.fill(0, words * width);
  return literal.digits();
}

std::string StepClock::each_word(std::string_view digits) const {
  std::string all;
  for (std::uint64_t i = 0; i < words; ++i) all += digits;
  return all;
}

void StepClock::set(Literal& literal, std::uint64_t packet, std::size_t width,
                    std::size_t lsb) const {
  for (std::uint64_t i = 0; i < words; ++i) {
    literal.set(lsb + i * width, (packet + i * kFlitStride) & ones(width));
  }
}

std::string fabric_package(const Plan& plan, const FabricShape& told,
                           const std::vector<PackageConstant>& constants) {
  const Topology& topology = plan.topology;
  if (!told.streams) check_ports(topology, told);
  FabricShape shape = told;
  shape.own_words *= shape.serial_words;
  shape.own_stride *= shape.serial_words;
  shape.own_total *= shape.serial_words;
  shape.deliver_words *= shape.serial_words;
  // Not every tile needs every constant.
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "/* verilator lint_off UNUSEDPARAM */\n/* verilator lint_off UNUSEDSIGNAL */\n\n"
      "// {} on the {} {}, algorithm {}: the configuration of gsm_fabric and its tiles.\n"
      "package gsm_plan_pkg;\n\n",
      plan.collective, topology.dims_text(), topology_words(topology),
      comment_text(plan.algorithm));
  const auto put = [&text](const std::vector<PackageConstant>& list) {
    for (const PackageConstant& constant : list) {
      if (!constant.comment.empty()) {
        append_format(text, "  // {}\n", constant.comment);
      }
      append_format(text, "  localparam int {} = {};\n", constant.name, constant.value);
    }
  };
  put({{"Nodes of the network.", "Nodes", topology.nodes()},
       {"Nodes of one row of dimension 0.", "NodesPerRow", topology.side(0)},
       {"Ports of a tile.", "Ports", static_cast<std::uint64_t>(topology.ports())},
       {"Data bits of a packet or flit: a word.", "Width", shape.width},
       {"Own words of a tile; from those of node n to those of n + 1; all.", "OwnWords",
        shape.own_words},
       {"", "OwnStride", shape.own_stride},
       {"", "OwnTotal", shape.own_total},
       {"Contents of a link: words, and bits above them.", "LinkWords", shape.link_words},
       {"", "LinkExtra", shape.link_extra},
       {"Deliveries of a tile; words of each, and bits above them.", "Delivers", shape.delivers},
       {"", "DeliverWords", shape.deliver_words},
       {"", "DeliverExtra", shape.deliver_extra},
       {"Bits of a word of the tables that can be loaded; 1: no such table.", "TableBits",
        shape.table_bits},
       {"Words of a tile's vector that are loaded one by one; 0: none.", "LoadWords",
        shape.load_words},
       {"Cycles of the first round after reset, in which tiles learn their ranks; 0: none.",
        "LearnCycles", shape.learn_cycles},
       {"1: tiles use valid/ready back-pressure.", "Elastic", shape.waits ? 1U : 0U},
       {"1: links of several cycles carry one word at a time.", "SlowLinks",
        shape.slow_links ? 1U : 0U},
       {"1: tiles take own words from streams, by numbers of IndexBits bits; OwnStride and "
        "OwnTotal "
        "count the words.",
        "Streams", shape.streams ? 1U : 0U},
       {"", "IndexBits", shape.index_bits},
       {"1: deliveries have the numbers of their words.", "Indexed", shape.indexed ? 1U : 0U},
       {"Streams of own words and flags of a tile; 1 without any.", "OwnStreams",
        shape.waits || shape.streams ? shape.own_words : 1},
       {"", "Flags", shape.waits ? kWaitFlags : 1},
       {"Elastic: flits of a packet and of a chunk; bits of a slot and of a flit's number.",
        "PacketFlits", shape.packet_flits},
       {"", "ChunkFlits", shape.chunk_flits},
       {"", "SlotBits", shape.slot_bits},
       {"", "FlitBits", shape.flit_bits}});
  put(constants);
  text += dead_constants(shape.loads_faults ? topology.healthy() : topology);
  text += '\n' + neighbor_function(topology);
  for (std::size_t cycle = 0; cycle < shape.places.size(); ++cycle) {
    text += number_function("The place of a node on a ring, and its directions.",
                            fmt::format("place_{}", cycle), shape.places[cycle]);
  }
  text +=
      "  // Coordinate `dimension` of a node, or its place on a ring.\n"
      "  function automatic int coordinate(input int node, input int dimension);\n"
      "    coordinate = 0;\n    case (dimension)\n";
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    append_format(text, "      {}: coordinate = {};\n", dim,
                  !shape.waits
                      ? fmt::format("(node / {}) % {}", topology.stride(dim), topology.side(dim))
                  : at < shape.places.size() ? fmt::format("place_{}(node)", dim)
                                             : "0");
  }
  text += "      default: ;\n    endcase\n  endfunction\n\n";
  if (!shape.latencies.empty()) {
    text += number_function("Cycles of a link slot, node * Ports + out-port.", "slot_latency",
                            shape.latencies);
  }
  append_format(
      text,
      "  // Cycles from the out register of `node` at `port` to the neighbour, 1 or more.\n"
      "  function automatic int link_latency(input int node, input int port);\n"
      "    link_latency = {};\n  endfunction\n\n",
      shape.latencies.empty() ? fmt::format("{}", shape.latency)
                              : fmt::format("slot_latency(node * {} + port)", topology.ports()));
  return text;
}

std::string number_function(std::string_view comment, std::string_view name,
                            const std::vector<std::uint32_t>& numbers) {
  std::string text = fmt::format(
      "  // {1}\n"
      "  function automatic int {2}(input int index);\n"
      "    logic [{0}*16-1:0] chunk;\n    chunk = '0;\n    case (index / {0})\n",
      kChunkNodes, comment, name);
  for (std::size_t first = 0; first < numbers.size(); first += kChunkNodes) {
    Literal chunk(kChunkNodes * 16);
    for (std::size_t i = first; i < std::min(first + kChunkNodes, numbers.size()); ++i) {
      chunk.set((i - first) * 16, numbers[i]);
    }
    append_format(text, "      {}: chunk = {};\n", first / kChunkNodes, chunk.text());
  }
  append_format(text,
                "      default: ;\n    endcase\n"
                "    {1} = 32'(chunk[(index%{0})*16+:16]);\n  endfunction\n\n",
                kChunkNodes, name);
  return text;
}

std::string node_class_function(const std::vector<std::size_t>& class_of_node) {
  return number_function("The class of a node: nodes of one class have the same tables.",
                         "node_class",
                         std::vector<std::uint32_t>(class_of_node.begin(), class_of_node.end()));
}

std::string class_function(std::string_view comment, std::string_view name, std::string_view range,
                           const std::vector<std::string>& literals) {
  std::string text = fmt::format(
      "  // {}\n  function automatic logic [{}-1:0] {}(input int index);\n"
      "    {} = '0;\n    case (index)\n",
      comment, range, name, name);
  for (std::size_t i = 0; i < literals.size(); ++i) {
    append_format(text, "      {}: {} = {};\n", i, name, literals[i]);
  }
  text += "      default: ;\n    endcase\n  endfunction\n\n";
  return text;
}

std::string int_function(std::string_view comment, std::string_view name,
                         const std::vector<std::string>& values) {
  std::string text = fmt::format(
      "  // {}\n  function automatic int {}(input int index);\n    {} = 0;\n    case (index)\n",
      comment, name, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    append_format(text, "      {}: {} = {};\n", i, name, values[i]);
  }
  text += "      default: ;\n    endcase\n  endfunction\n\n";
  return text;
}

NetworkBuilder::NetworkBuilder(const Plan& plan, std::string_view node) : plan_(&plan) {
  network_.tile.node = node;
  parameter("Width", "Width");
}

void NetworkBuilder::configuration(std::string_view name, int letters) {
  append_format(
      literals_,
      "  // The node's configuration.\n  localparam logic [8*{}-1:0] Router = \"{}\";\n\n", letters,
      name);
  parameter("Router", "gsm_plan_pkg::Router");
}

void NetworkBuilder::number(std::string_view comment, std::string_view name, std::uint64_t value) {
  constant(comment, name, value);
  parameter(name, fmt::format("gsm_plan_pkg::{}", name));
}

void NetworkBuilder::flag(std::string_view comment, std::string_view name, bool value) {
  constant(comment, name, value ? 1 : 0);
  parameter(name, fmt::format("gsm_plan_pkg::{} != 0", name));
}

void NetworkBuilder::literal(std::string_view comment, std::string_view name,
                             std::string_view range, const Literal& value) {
  append_format(literals_, "  // {}\n  localparam logic [{}-1:0] {} = {};\n\n", comment, range,
                name, value.text());
  parameter(name, fmt::format("gsm_plan_pkg::{}", name));
}

void NetworkBuilder::add_of_nodes(std::string_view comment, std::string_view name,
                                  std::string_view range,
                                  const std::function<std::string(NodeId)>& value) {
  OfNodes& added = of_nodes_.emplace_back(OfNodes{comment, name, std::string(range), {}, {}});
  for (NodeId node = 0; node < plan_->topology.nodes(); ++node) {
    added.of_node.push_back(&*added.values.insert(value(node)).first);
  }
}

void NetworkBuilder::of_nodes(std::string_view comment, std::string_view parameter_name,
                              std::string_view name, std::string_view range,
                              const std::function<Literal(NodeId)>& value) {
  add_of_nodes(comment, name, range, [&value](NodeId node) { return value(node).text(); });
  parameter(parameter_name, fmt::format("gsm_plan_pkg::{}(Class)", name));
}

void NetworkBuilder::of_nodes(std::string_view comment, std::string_view parameter_name,
                              std::string_view name,
                              const std::function<std::uint64_t(NodeId)>& value) {
  add_of_nodes(comment, name, "", [&value](NodeId node) { return fmt::format("{}", value(node)); });
  parameter(parameter_name, fmt::format("gsm_plan_pkg::{}(Class)", name));
}

void NetworkBuilder::input_of_nodes(std::string_view comment, std::string_view input_name,
                                    std::string_view name, std::string_view range,
                                    const std::function<Literal(NodeId)>& value) {
  add_of_nodes(comment, name, range, [&value](NodeId node) { return value(node).text(); });
  input(input_name, fmt::format("gsm_plan_pkg::{}(Class)", name));
}

NetworkFiles NetworkBuilder::finish(const FabricShape& shape, std::string_view unused,
                                    std::vector<std::string_view> modules) {
  std::map<std::vector<const std::string*>, std::size_t> index;
  // By class, its first node.
  std::vector<NodeId> first;
  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < plan_->topology.nodes(); ++node) {
    std::vector<const std::string*> told;
    for (const OfNodes& item : of_nodes_) told.push_back(item.of_node[node]);
    const auto [at, added] = index.try_emplace(std::move(told), first.size());
    if (added) first.push_back(node);
    class_of_node.push_back(at->second);
  }
  network_.package =
      fabric_package(*plan_, shape, constants_) + literals_ + node_class_function(class_of_node);
  for (const OfNodes& item : of_nodes_) {
    std::vector<std::string> values;
    for (const NodeId node : first) values.push_back(*item.of_node[node]);
    network_.package += item.range.empty()
                            ? int_function(item.comment, item.name, values)
                            : class_function(item.comment, item.name, item.range, values);
  }
  network_.tile.unused = unused;
  network_.modules = std::move(modules);
  return std::move(network_);
}

namespace {

/// A constant of a package: its name, and its value in hexadecimal digits.
using Constant = std::pair<std::string, std::string>;

/// Those of a package's text, in its order.
std::vector<Constant> constants_of(std::string_view package) {
  constexpr std::string_view kBegin = "\n  localparam ";
  std::vector<Constant> constants;
  for (std::size_t at = package.find(kBegin); at != std::string_view::npos;
       at = package.find(kBegin, at + 1)) {
    const std::string_view line = package.substr(at + 1, package.find(';', at) - at - 1);
    const std::size_t equals = line.find(" = ");
    const std::string_view left = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 3);
    std::string digits;
    if (value.front() == '"') {
      for (const char letter : value.substr(1, value.size() - 2)) {
        append_format(digits, "{:02x}", static_cast<unsigned>(letter));
      }
    } else if (const std::size_t base = value.find('\''); base != std::string_view::npos) {
      // 36'h0401, or '0.
      digits = value.substr(base + (value[base + 1] == 'h' ? 2 : 1));
    } else {
      digits = fmt::format("{:x}", std::stoull(std::string(value)));
    }
    constants.emplace_back(left.substr(left.rfind(' ') + 1), std::move(digits));
  }
  return constants;
}

/// The nodes of a network whose flat ports of data some tools do not take; empty if all tools do,
/// or if the network has streams.
std::optional<std::uint64_t> split_nodes(const NetworkFiles& network,
                                         const std::vector<Constant>& constants) {
  if (!network.top_text.empty()) return std::nullopt;
  std::map<std::string, std::uint64_t, std::less<>> number;
  for (const auto& [name, digits] : constants) {
    constexpr std::size_t kIntDigits = 8;
    if (digits.size() <= kIntDigits) number[name] = std::stoull(digits, nullptr, 16);
  }
  const std::uint64_t nodes = number.at("Nodes");
  const std::uint64_t width = number.at("Width");
  const std::uint64_t links = number.at("LinkWords") * width + number.at("LinkExtra");
  const std::uint64_t delivery = number.at("DeliverWords") * width + number.at("DeliverExtra");
  const bool fits = number.at("OwnTotal") * width <= kMaxPortBits &&
                    nodes * number.at("Ports") * links <= kMaxPortBits &&
                    nodes * number.at("Delivers") * delivery <= kMaxPortBits;
  return fits ? std::nullopt : std::optional(nodes);
}

/// The testbench, which compares every constant with the one that the expected run begins with.
std::vector<EmittedFile> testbench_files(const NetworkFiles& network,
                                         const std::vector<Constant>& constants,
                                         std::optional<std::uint64_t> split) {
  std::string checks;
  std::string said;
  EmittedFile bench = embedded_file("gsm_fabric_tb.sv");
  for (const auto& [name, digits] : constants) {
    const bool own = bench.contents.find("gsm_plan_pkg::" + name) != std::string::npos;
    append_format(checks,
                  "      begin : of_{0}\n"
                  "        logic [$bits(gsm_plan_pkg::{0})-1:0] said;\n"
                  "        if ($fscanf(file, \"%h\", said) != 1) ends_early;\n"
                  "        if (said !== gsm_plan_pkg::{0}) constant_is_wrong(\"{0}\", {1});\n"
                  "      end\n",
                  name, own ? 1 : 0);
    append_format(said, "{}{}", said.empty() ? "" : " ", digits);
  }
  const std::string_view mark = "      // CONSTANTS\n";
  bench.contents.replace(bench.contents.find(mark), mark.size(), checks);
  if (!network.instance_text.empty()) {
    const std::size_t begin = bench.contents.find("  gsm_fabric u_fabric (");
    constexpr std::string_view kEnd = "\n  );\n";
    const std::size_t end = bench.contents.find(kEnd, begin) + kEnd.size();
    bench.contents.replace(begin, end - begin, network.instance_text);
  }
  if (split) {
    bench.contents = split_testbench_text(std::move(bench.contents), *split);
  }
  // After the comment.
  std::string expected = *network.expected;
  expected.insert(expected.find('\n') + 1, said + '\n');
  return {std::move(bench), {"gsm_fabric_expected.txt", std::move(expected)}};
}

}  // namespace

std::vector<EmittedFile> network_files(const NetworkFiles& network) {
  const std::vector<Constant> constants = constants_of(network.package);
  const std::optional<std::uint64_t> split = split_nodes(network, constants);
  std::vector<EmittedFile> files{
      {"gsm_plan_pkg.sv",
       network.package +
           "endpackage\n\n"
           "/* verilator lint_on UNUSEDPARAM */\n/* verilator lint_on UNUSEDSIGNAL */\n"},
      embedded_file("gsm_assert.svh")};
  std::string list = "+incdir+.\ngsm_plan_pkg.sv\n";
  const auto add = [&](EmittedFile file) {
    append_format(list, "{}\n", file.name);
    files.push_back(std::move(file));
  };
  std::vector<std::string_view> modules = network.modules;
  if (network.clock.serial()) {
    modules.insert(modules.end(), {"gsm_clock_gate", "gsm_serial_steps"});
  }
  for (const std::string_view module : modules) {
    add(embedded_file(fmt::format("{}.sv", module)));
  }
  for (const EmittedFile& part : network.parts) add(part);
  add({"gsm_tile.sv",
       network.tile_text.empty() ? tile_module(network.tile, network.clock) : network.tile_text});
  if (split) {
    add({"gsm_fabric.sv", split_top_text(embedded_file("gsm_fabric.sv").contents, *split)});
  } else {
    add(network.top_text.empty() ? embedded_file("gsm_fabric.sv")
                                 : EmittedFile{"gsm_fabric.sv", network.top_text});
  }
  if (!network.testbench_text.empty()) {
    files.push_back({"gsm_fabric_tb.sv", network.testbench_text});
  }
  if (network.expected) {
    for (EmittedFile& file : testbench_files(network, constants, split)) {
      files.push_back(std::move(file));
    }
  }
  files.push_back({"gsm_fabric.f", std::move(list)});
  files.push_back(embedded_file("Makefile"));
  return files;
}

void put_value(Literal& literal, std::size_t lsb, const LaneWords& words, std::uint64_t value) {
  for (const std::uint64_t word : words.words(value)) {
    literal.set(lsb, word);
    lsb += static_cast<std::size_t>(words.word_bits());
  }
}

std::uint64_t combine_operation(const Plan& plan) {
  // rtl/common/gsm_combine.sv
  constexpr std::uint64_t kSignedLarger = 8;
  constexpr std::uint64_t kSignedSmaller = 9;
  constexpr std::uint64_t kFloat = 16;
  constexpr std::uint64_t kLane = std::uint64_t{1} << 20U;
  const Demand& demand = plan.demand;
  const LinkWords words = link_words(plan);
  const std::uint64_t lanes =
      words.lanes() == 1 ? 0 : kLane * static_cast<std::uint64_t>(words.word_bits);
  const std::uint64_t number = lanes + static_cast<std::uint64_t>(demand.operation) -
                               static_cast<std::uint64_t>(Operation::kSum);
  if (const auto format = float_format(demand.accumulate)) {
    return number + kFloat * static_cast<std::uint64_t>(format->exponent_bits);
  }
  if (demand.type != WordType::kInt) return number;
  if (demand.operation == Operation::kMax) return lanes + kSignedLarger;
  return demand.operation == Operation::kMin ? lanes + kSignedSmaller : number;
}

std::uint32_t inner_stages(const Plan& plan, std::uint32_t cycles) {
  constexpr std::uint32_t kMost = 4;
  return sums_round(plan.demand) ? std::min(cycles, kMost) : 0;
}

std::vector<std::string_view> with_combine(const Plan& plan, std::vector<std::string_view> others) {
  std::vector<std::string_view> modules;
  if (is_float(plan.demand.accumulate)) modules.emplace_back("gsm_float_add");
  modules.emplace_back("gsm_combine");
  modules.insert(modules.end(), others.begin(), others.end());
  return modules;
}

void check_nodes(const Plan& plan, std::string_view format) {
  if (plan.topology.nodes() <= kMaxRtlNodes) return;
  throw InputError(fmt::format("format {}: {} nodes; one RTL top has at most {}", format,
                               plan.topology.nodes(), kMaxRtlNodes));
}

std::uint64_t planned_count(const std::optional<std::uint64_t>& count, std::string_view what,
                            std::string_view format) {
  if (!count || *count == 0 || *count > (1U << 30U)) {
    throw InputError(
        fmt::format("format {}: the plan names no number of {} between 1 and 2^30", format, what));
  }
  return *count;
}

}  // namespace gossamer::emit_detail
