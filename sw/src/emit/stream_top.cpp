// SPDX-License-Identifier: Apache-2.0
#include "stream_top.hpp"

#include <fmt/format.h>

#include <array>

#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// A port per node: its name after the node's prefix and before _i or _o, whether it is an input,
/// and the number of its bits.
struct NodePort {
  std::string_view name;
  bool input;
  std::string_view bits;
};
constexpr std::array<NodePort, 11> kNodePorts{{
    {"own_valid", true, "gsm_plan_pkg::OwnStreams"},
    {"own_ready", false, "gsm_plan_pkg::OwnStreams"},
    {"own_data", true, "gsm_plan_pkg::OwnStreams*Width"},
    {"own_next", false, "gsm_plan_pkg::OwnStreams"},
    {"own_index", false, "gsm_plan_pkg::OwnStreams*gsm_plan_pkg::IndexBits"},
    {"deliver_valid", false, "gsm_plan_pkg::Delivers"},
    {"deliver_ready", true, "gsm_plan_pkg::Delivers"},
    {"deliver_data", false, "gsm_plan_pkg::Delivers*(Width+gsm_plan_pkg::DeliverExtra)"},
    {"deliver_index", false, "gsm_plan_pkg::Delivers*gsm_plan_pkg::IndexBits"},
    {"link_valid", false, "gsm_plan_pkg::Ports"},
    {"link_data", false,
     "gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)"},
}};
/// Those that are ports of a tile too.
constexpr std::size_t kElementPorts = 9;

std::string node_port_name(NodeId node, const NodePort& port) {
  return fmt::format("n{}_{}_{}", node, port.name, port.input ? "i" : "o");
}

/// The in-port `port` of a node as the expressions of its valid and its data; slow links get a
/// module, which is added to `text`.
struct InPort {
  std::string valid;
  std::string data;
};
InPort in_port(const Topology& topology, const FabricShape& shape, NodeId node, Port port,
               std::string& text) {
  const NodeId from = topology.sender(node, port);
  if (from == kNoNode) return {"1'b0", "{LinkBits{1'b0}}"};
  const Port out = opposite(port);
  InPort in{fmt::format("n{}_out_valid[{}]", from, int{out}),
            fmt::format("n{}_out_data[{}*LinkBits+:LinkBits]", from, int{out})};
  const std::uint32_t period = shape.slow_links ? topology.period(from, out) : 1;
  // A slow link, or the registers of a long one after its out register.
  const auto add = [&](const std::string& name, std::string_view module,
                       const std::string& parameters) {
    append_format(text,
                  "  logic {0}_valid;\n"
                  "  logic [LinkBits-1:0] {0}_data;\n"
                  "  {1} #(\n"
                  "      .Width (LinkBits){2}\n"
                  "  ) u_{0} (\n"
                  "      .clk_i  (clk_i),\n"
                  "      .rst_ni (rst_ni),\n"
                  "      .clear_i(clear_i || n{3}_last || !(start_i || busy[{3}])),\n"
                  "      .valid_i({4}),\n"
                  "      .data_i ({5}),\n"
                  "      .valid_o({0}_valid),\n"
                  "      .data_o ({0}_data)\n"
                  "  );\n",
                  name, module, parameters, node, in.valid, in.data);
    in = {name + "_valid", name + "_data"};
  };
  if (period > 1) {
    add(fmt::format("n{}_slow{}", node, int{port}), "gsm_link_rate",
        fmt::format(",\n      .Period({})", period));
  }
  for (std::uint64_t i = 1; i < shape.latency; ++i) {
    add(fmt::format("n{}_wire{}_{}", node, int{port}, i), "gsm_link", "");
  }
  return in;
}

std::string node_text(const Topology& topology, const FabricShape& shape, NodeId node) {
  std::string text = fmt::format(
      "  logic [gsm_plan_pkg::Ports-1:0] n{0}_in_valid;\n"
      "  logic [gsm_plan_pkg::Ports*LinkBits-1:0] n{0}_in_data;\n"
      "  logic n{0}_last;\n",
      node);
  std::string valid;
  std::string data;
  for (const Port port : all_ports(topology.ports())) {
    const InPort in = in_port(topology, shape, node, port, text);
    valid = in.valid + (valid.empty() ? "" : ", ") + valid;
    data = in.data + (data.empty() ? "" : ", ") + data;
  }
  append_format(text,
                "  assign n{0}_in_valid = {{{1}}};\n"
                "  assign n{0}_in_data = {{{2}}};\n"
                "  assign n{0}_link_valid_o = n{0}_out_valid;\n"
                "  assign n{0}_link_data_o = n{0}_out_data;\n"
                "  gsm_tile #(\n"
                "      .Width(Width),\n"
                "{3}"
                "      .Class(gsm_plan_pkg::node_class({0}))\n"
                "  ) u_tile{0} (\n"
                "      .clk_i          (clk_i),\n"
                "      .rst_ni         (rst_ni),\n"
                "      .clear_i        (clear_i),\n"
                "      .start_i        (start_i),\n",
                node, valid, data, shape.ahead ? "      .Ahead(Ahead),\n" : "");
  for (std::size_t i = 0; i < kElementPorts; ++i) {
    const NodePort& port = kNodePorts[i];
    append_format(text, "      .{}_{}({}),\n", port.name, port.input ? "i" : "o",
                  node_port_name(node, port));
  }
  append_format(text,
                "      .in_valid_i     (n{0}_in_valid),\n"
                "      .in_data_i      (n{0}_in_data),\n"
                "      .out_valid_o    (n{0}_out_valid),\n"
                "      .out_data_o     (n{0}_out_data),\n"
                "      .busy_o         (busy[{0}]),\n"
                "      .last_o         (n{0}_last),\n"
                "      .done_o         (done[{0}]),\n"
                "      .idle_o         (idle[{0}]),\n"
                "      .error_o        (error[{0}])\n"
                "  );\n"
                "  logic n{0}_unused;\n"
                "  assign n{0}_unused = n{0}_last;\n\n",
                node);
  return text;
}

/// A dead node drives its ports with zeros.
std::string dead_text(NodeId node) {
  std::string text;
  std::string unused;
  for (const NodePort& port : kNodePorts) {
    if (port.input) {
      append_format(unused, "{}{}", unused.empty() ? "" : ", ", node_port_name(node, port));
    } else {
      append_format(text, "  assign {} = '0;\n", node_port_name(node, port));
    }
  }
  append_format(text,
                "  assign n{0}_out_valid = '0;\n  assign n{0}_out_data = '0;\n"
                "  assign busy[{0}] = 1'b0;\n  assign done[{0}] = 1'b0;\n"
                "  assign idle[{0}] = 1'b1;\n  assign error[{0}] = 1'b0;\n"
                "  logic n{0}_unused;\n"
                "  assign n{0}_unused = ^{{{1}, n{0}_out_valid, n{0}_out_data}};\n\n",
                node, unused);
  return text;
}

/// Text that depends on whether numbers of own words come ahead of the words.
std::string_view ahead_text(const FabricShape& shape, std::string_view text) {
  return shape.ahead ? text : std::string_view();
}

/// The node with its own ports as the tile's.
std::string node_body(const TileText& tile) {
  return fmt::format("  {} #(\n{}\n  ) u_node (\n      .*\n  );\n", tile.node,
                     tile.parameter_lines());
}

std::string stream_tile_text(const FabricShape& shape, const TileText& tile,
                             std::string_view body) {
  std::string ports;
  for (std::size_t i = 0; i < kElementPorts; ++i) {
    const NodePort& port = kNodePorts[i];
    append_format(ports, "    {} logic [{}-1:0] {}_{},\n", port.input ? "input" : "output",
                  port.bits, port.name, port.input ? "i" : "o");
  }
  return fmt::format(R"(// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The tile of gsm_fabric: {0} as the plan configures its class of nodes.
module gsm_tile #(
    // Bits of a word.
    parameter int Width = gsm_plan_pkg::Width,
{3}    // Nodes of one class have the same configuration.
    parameter int Class = 0
) (
    // As {0}.
    input logic clk_i,
    input logic rst_ni,
    input logic clear_i,
    input logic start_i,
{1}    input logic [gsm_plan_pkg::Ports-1:0] in_valid_i,
    input logic [gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)-1:0] in_data_i,
    output logic [gsm_plan_pkg::Ports-1:0] out_valid_o,
    output logic [gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)-1:0] out_data_o,
    output logic busy_o,
    output logic last_o,
    output logic done_o,
    output logic idle_o,
    output logic error_o
);

{2}
endmodule

`default_nettype wire
)",
                     tile.node, ports, body,
                     ahead_text(shape,
                                "    // Cycles from the number of an own word to the word.\n"
                                "    parameter int Ahead = 0,\n"));
}

std::string stream_top_text(const Topology& topology, const FabricShape& shape) {
  std::string ports;
  std::string wires;
  std::string tiles;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const NodeId node = walk.node();
    append_format(ports, "    // Node {}.\n", node);
    for (const NodePort& port : kNodePorts) {
      append_format(ports, "    {} logic [{}-1:0] {},\n", port.input ? "input" : "output",
                    port.bits, node_port_name(node, port));
    }
    append_format(wires,
                  "  logic [gsm_plan_pkg::Ports-1:0] n{0}_out_valid;\n"
                  "  logic [gsm_plan_pkg::Ports*LinkBits-1:0] n{0}_out_data;\n",
                  node);
    tiles += topology.is_live(node) ? node_text(topology, shape, node) : dead_text(node);
  }
  return fmt::format(R"(// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The network: tiles, and the links between them. All nodes start together; start_i in cycle t makes cycle t+1
// the first of a round{3}. done_o is high in the cycle after the last one, in
// which the next round can start.
// Node n has the element side of its tile at ports n<n>_*, with the streams of gsm_tile, and for observation
// its out registers.
module gsm_fabric #(
    // Bits of a word.
    parameter int Width = gsm_plan_pkg::Width{4}
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the round, empties the network, lowers error_o.
    input logic clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input logic start_i,
{0}    // This is a cycle of a round.
    output logic busy_o,
    // The cycle after the last cycle of a round.
    output logic done_o,
    // No tile has a round.
    output logic idle_o,
    // A tile lost a word since the last clear, reset or start of a round.
    output logic error_o
);

  localparam int LinkBits = gsm_plan_pkg::LinkWords * Width + gsm_plan_pkg::LinkExtra;
  logic [gsm_plan_pkg::Nodes-1:0] busy;
  logic [gsm_plan_pkg::Nodes-1:0] done;
  logic [gsm_plan_pkg::Nodes-1:0] idle;
  logic [gsm_plan_pkg::Nodes-1:0] error;
{1}
{2}  assign busy_o  = busy != '0;
  assign done_o  = done == ~gsm_plan_pkg::NodeDead;
  assign idle_o  = idle == '1;
  assign error_o = error != '0;

  `GSM_ASSERT(TilesAgree_A, busy == '0 || busy == ~gsm_plan_pkg::NodeDead,
              "the tiles are not in the same step")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || busy == '0, "start_i while a round is running")
  `GSM_ASSERT(StatusKnown_A, (^{{busy_o, done_o, error_o}}) !== 1'bx, "a status output is unknown")

endmodule

`default_nettype wire
)",
                     ports, wires, tiles, ahead_text(shape, ", whose step 1 is Ahead cycles later"),
                     ahead_text(shape,
                                ",\n    // Cycles from the number of an own word to the word, and "
                                "cycles of a round before step 1.\n    parameter int Ahead = 0"));
}

std::string stream_instance_text(const Topology& topology, const FabricShape& shape) {
  std::string text = "  logic idle;\n";
  std::string pins;
  // Outputs go to the flat vectors once they have settled: first the requests, which the elements
  // answer, then the others. Processes that follow every change take Icarus most of its time.
  std::string requests;
  std::string others;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const NodePort& port : kNodePorts) {
      const std::string slice = fmt::format("{0}[{1}*{2}+:{2}]", port.name, node, port.bits);
      if (port.input) {
        append_format(pins, "      .{}({}),\n", node_port_name(node, port), slice);
        continue;
      }
      const std::string wire = fmt::format("n{}_{}", node, port.name);
      append_format(text, "  logic [{}-1:0] {};\n", port.bits, wire);
      append_format(pins, "      .{}({}),\n", node_port_name(node, port), wire);
      append_format(port.name.starts_with("own") ? requests : others, "    {} = {};\n", slice,
                    wire);
    }
  }
  append_format(text,
                "  always @(clk) begin\n    #1;\n{0}    #2;\n{1}  end\n"
                "  assign flags = '0;\n"
                "  always @(negedge clk) begin\n"
                "    if (rst_n && idle === busy) begin\n"
                "      $display(\"FAIL: idle_o is %b while busy_o is %b\", idle, busy);\n"
                "      $fatal;\n"
                "    end\n"
                "  end\n"
                "  gsm_fabric{2} u_fabric (\n"
                "      .clk_i  (clk),\n"
                "      .rst_ni (rst_n),\n"
                "      .clear_i(1'b0),\n"
                "      .start_i(start),\n{3}"
                "      .busy_o (busy),\n"
                "      .done_o (done),\n"
                "      .idle_o (idle),\n"
                "      .error_o(error)\n"
                "  );\n",
                requests, others, ahead_text(shape, " #(\n      .Ahead(Ahead)\n  )"), pins);
  return text;
}

}  // namespace

void use_streams(const Topology& topology, const FabricShape& shape, NetworkFiles& network,
                 std::string_view body) {
  network.tile_text =
      stream_tile_text(shape, network.tile, body.empty() ? node_body(network.tile) : body);
  network.top_text = stream_top_text(topology, shape);
  network.instance_text = stream_instance_text(topology, shape);
}

}  // namespace gossamer::emit_detail
