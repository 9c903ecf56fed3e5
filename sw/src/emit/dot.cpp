// SPDX-License-Identifier: Apache-2.0
/// GraphViz: the network with its links coloured by the closed stream they belong to; of a
/// broadcast, its sends coloured by step.
#include <fmt/format.h>

#include "formats.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/text.hpp"
#include "link_classes.hpp"

namespace gossamer::emit_detail {

std::string dot_nodes(const Plan& plan) {
  const Topology& topology = plan.topology;
  std::string text = fmt::format(
      "digraph gossamer {{\n  label=\"{} on {} {}, {}\";\n  layout=neato;\n  node [shape=circle, "
      "fixedsize=true, width=0.4, fontsize=9];\n",
      comment_text(plan.collective), topology.dims_text(), topology_words(topology),
      comment_text(plan.algorithm));
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    // Dimension 0 to the right, dimension 1 down, slices of the others side by side.
    const std::uint32_t plane =
        topology.dimensions() > 1 ? topology.stride(1) * topology.side(1) : topology.side(0);
    const std::uint64_t x =
        walk.coordinates()[0] + std::uint64_t{walk.node() / plane} * (topology.side(0) + 1);
    append_format(text, "  n{} [label=\"{}\", pos=\"{},-{}!\"];\n", walk.node(), walk.node(), x,
                  walk.coordinates()[1]);
  }
  return text;
}

std::vector<EmittedFile> emit_dot(const Plan& plan) {
  if (std::holds_alternative<RelayProgram>(plan.program)) return emit_relay_dot(plan);
  const Topology& topology = plan.topology;
  const std::vector<std::uint32_t> streams = closed_streams(plan);
  std::string text = dot_nodes(plan);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const std::uint32_t colour = streams[topology.link(walk.node(), port)];
      append_format(text, "  n{} -> n{} [color=\"{}\", taillabel=\"{}\", labelfontsize=6];\n",
                    walk.node(), to, kLinkColours[colour % kLinkColours.size()], port_name(port));
    }
  }
  text += "}\n";
  return {{"network.dot", std::move(text)}};
}

}  // namespace gossamer::emit_detail
