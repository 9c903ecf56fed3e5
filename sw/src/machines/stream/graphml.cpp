// SPDX-License-Identifier: Apache-2.0
/// GraphML: the topology with attributes of every node and link, and the routing table as one CSV
/// row per input port, in the scatter form that router generators read.
#include <fmt/format.h>

#include "../../emit/network_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/text.hpp"
#include "link_classes.hpp"

namespace gossamer::emit_detail {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // XML has no other control characters than these.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') result += c;
    }
  }
  return result;
}

std::string graph_of(const Plan& plan) {
  const Topology& topology = plan.topology;
  const std::vector<std::uint32_t> streams =
      closed_streams(topology, plan.program.as<StreamProgram>());
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "  <key id=\"collective\" for=\"graph\" attr.name=\"collective\" attr.type=\"string\"/>\n"
      "  <key id=\"algorithm\" for=\"graph\" attr.name=\"algorithm\" attr.type=\"string\"/>\n"
      "  <key id=\"topology\" for=\"graph\" attr.name=\"topology\" attr.type=\"string\"/>\n"
      "  <key id=\"dims\" for=\"graph\" attr.name=\"dims\" attr.type=\"string\"/>\n";
  std::string facts;
  for (const auto& [name, value] : facts_of(plan)) {
    append_format(text, "  <key id=\"{0}\" for=\"graph\" attr.name=\"{0}\" attr.type=\"long\"/>\n",
                  name);
    append_format(facts, "    <data key=\"{}\">{}</data>\n", name, value);
  }
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    append_format(text, "  <key id=\"c{0}\" for=\"node\" attr.name=\"c{0}\" attr.type=\"int\"/>\n",
                  dim);
  }
  append_format(text,
                "  <key id=\"port\" for=\"edge\" attr.name=\"port\" attr.type=\"string\"/>\n"
                "  <key id=\"dimension\" for=\"edge\" attr.name=\"dimension\" attr.type=\"int\"/>\n"
                "  <key id=\"direction\" for=\"edge\" attr.name=\"direction\" attr.type=\"int\"/>\n"
                "  <key id=\"wraps\" for=\"edge\" attr.name=\"wraps\" attr.type=\"boolean\"/>\n"
                "  <key id=\"cycle\" for=\"edge\" attr.name=\"cycle\" attr.type=\"int\"/>\n"
                "  <graph id=\"network\" edgedefault=\"directed\">\n"
                "    <data key=\"collective\">{}</data>\n    <data key=\"algorithm\">{}</data>\n"
                "    <data key=\"topology\">{}</data>\n    <data key=\"dims\">{}</data>\n",
                escaped(plan.collective), escaped(plan.algorithm), topology.kind(),
                topology.dims_text());
  text += facts;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    append_format(text, "    <node id=\"n{}\">", walk.node());
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      append_format(text, "<data key=\"c{}\">{}</data>", dim,
                    walk.coordinates()[static_cast<std::size_t>(dim)]);
    }
    text += "</node>\n";
  }
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const int dim = dimension_of(port);
      const std::uint32_t at = walk.coordinates()[static_cast<std::size_t>(dim)];
      const bool wraps = at == (is_positive(port) ? topology.side(dim) - 1 : 0);
      append_format(text,
                    "    <edge id=\"n{0}.{1}\" source=\"n{0}\" target=\"n{2}\">"
                    "<data key=\"port\">{1}</data><data key=\"dimension\">{3}</data>"
                    "<data key=\"direction\">{4}</data><data key=\"wraps\">{5}</data>"
                    "<data key=\"cycle\">{6}</data></edge>\n",
                    walk.node(), port_name(port), to, dim, is_positive(port) ? 1 : -1, wraps,
                    streams[topology.link(walk.node(), port)]);
    }
  }
  text += "  </graph>\n</graphml>\n";
  return text;
}

/// Which out-ports each in-port feeds; `early` before the switch step. "local" is the node itself,
/// which gets every arrival.
std::string routing_of(const Plan& plan) {
  const Topology& topology = plan.topology;
  std::string text = "router,in_port,out_ports,early_out_ports,local\n";
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    std::vector<std::string> out(static_cast<std::size_t>(topology.ports()));
    std::vector<std::string> early = out;
    std::string own;
    const auto add = [](std::string& names, Port port) {
      if (!names.empty()) names += ' ';
      names += port_name(port);
    };
    for (const Port port : all_ports(topology.ports())) {
      const StreamPort program = reachable(plan.program.as<StreamProgram>(), walk, port);
      for (const Port in_port : program.feed) add(out[in_port], port);
      for (const Port in_port : program.early_feed) add(early[in_port], port);
      if (!program.preload.empty()) add(own, port);
    }
    for (const Port in_port : all_ports(topology.ports())) {
      if (walk.sender(in_port) == kNoNode) continue;
      append_format(text, "{},{},{},{},1\n", walk.node(), port_name(in_port), out[in_port],
                    early[in_port]);
    }
    // The node's own packets.
    append_format(text, "{},local,{},,0\n", walk.node(), own);
  }
  return text;
}

}  // namespace

std::vector<EmittedFile> emit_graphml(const Plan& plan) {
  return {{"network.graphml", graph_of(plan)}, {"routing.csv", routing_of(plan)}};
}

}  // namespace gossamer::emit_detail
