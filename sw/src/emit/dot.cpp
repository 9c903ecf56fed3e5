// SPDX-License-Identifier: Apache-2.0
/// GraphViz: the network with its links coloured by the closed stream they belong to.
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "formats.hpp"

namespace gossamer::emit_detail {

namespace {

constexpr std::array<std::string_view, 10> kColours{"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                                    "#9467bd", "#8c564b", "#e377c2", "#17becf",
                                                    "#bcbd22", "#7f7f7f"};

/// Classes of links: union-find with path halving.
class LinkClasses {
 public:
  explicit LinkClasses(std::size_t links) : parent_(links) {
    std::iota(parent_.begin(), parent_.end(), LinkId{0});
  }
  [[nodiscard]] LinkId find(LinkId link) {
    while (parent_[link] != link) {
      parent_[link] = parent_[parent_[link]];
      link = parent_[link];
    }
    return link;
  }
  void join(LinkId a, LinkId b) { parent_[find(a)] = find(b); }

 private:
  std::vector<LinkId> parent_;
};

}  // namespace

std::vector<EmittedFile> emit_dot(const Plan& plan) {
  const Topology& topology = plan.topology;

  // A link goes with the links that feed it and with its reverse: the two directions of one
  // Hamiltonian cycle get one colour.
  LinkClasses classes(topology.link_slots());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const LinkId link = topology.link(walk.node(), port);
      classes.join(link, topology.link(to, opposite(port)));
      const PortProgram program = hardware_program(plan, walk, port);
      for (const Port in_port :
           PortSet(static_cast<std::uint16_t>(program.feed.bits() | program.early_feed.bits()))) {
        classes.join(link, topology.link(walk.neighbor(in_port), opposite(in_port)));
      }
    }
  }

  std::string text = fmt::format(
      "digraph gossamer {{\n  label=\"{} on {} {}, {}\";\n  layout=neato;\n  node [shape=circle, "
      "fixedsize=true, width=0.4, fontsize=9];\n",
      plan.collective, topology.dims_text(), topology.kind(), plan.algorithm);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    // Dimension 0 to the right, dimension 1 down, slices of the others side by side.
    const std::uint32_t plane =
        topology.dimensions() > 1 ? topology.stride(1) * topology.side(1) : topology.side(0);
    const std::uint64_t x =
        walk.coordinates()[0] + std::uint64_t{walk.node() / plane} * (topology.side(0) + 1);
    fmt::format_to(std::back_inserter(text), "  n{} [label=\"{}\", pos=\"{},-{}!\"];\n",
                   walk.node(), walk.node(), x, walk.coordinates()[1]);
  }
  std::map<LinkId, std::size_t> number;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const std::size_t colour =
          number.try_emplace(classes.find(topology.link(walk.node(), port)), number.size())
              .first->second;
      fmt::format_to(std::back_inserter(text),
                     "  n{} -> n{} [color=\"{}\", taillabel=\"{}\", labelfontsize=6];\n",
                     walk.node(), to, kColours[colour % kColours.size()], port_name(port));
    }
  }
  text += "}\n";
  return {{"network.dot", std::move(text)}};
}

}  // namespace gossamer::emit_detail
