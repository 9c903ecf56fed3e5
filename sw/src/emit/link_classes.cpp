// SPDX-License-Identifier: Apache-2.0
#include "link_classes.hpp"

#include <fmt/format.h>

#include <numeric>

#include "formats.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

/// Union-find with path halving.
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

std::vector<std::uint32_t> closed_streams(const Plan& plan) {
  const Topology& topology = plan.topology;
  const std::uint32_t frame = frame_of(plan);
  const std::uint32_t columns = frame * static_cast<std::uint32_t>(topology.ports());
  const auto place = [&](NodeId node, Port port, std::uint32_t slot) {
    return static_cast<LinkId>(topology.link(node, port) * frame + slot);
  };
  const std::size_t places = std::size_t{topology.link_slots()} * frame;
  LinkClasses classes(places);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::uint32_t p = 0; p < columns; ++p) {
      const auto port = static_cast<Port>(p / frame);
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const LinkId link = place(walk.node(), port, p % frame);
      if (frame == 1) classes.join(link, place(to, opposite(port), 0));
      const PortProgram program = hardware_program(plan, walk, static_cast<Port>(p));
      for (const Port in :
           PortSet(static_cast<std::uint16_t>(program.feed.bits() | program.early_feed.bits()))) {
        const auto in_port = static_cast<Port>(in / frame);
        classes.join(link, place(walk.sender(in_port), opposite(in_port), in % frame));
      }
    }
  }
  std::vector<std::uint32_t> number(places, 0);
  std::vector<std::uint32_t> of_class(places, kNoStream);
  std::uint32_t next = 0;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::uint32_t p = 0; p < columns; ++p) {
      const auto port = static_cast<Port>(p / frame);
      if (walk.neighbor(port) == kNoNode) continue;
      const LinkId link = place(walk.node(), port, p % frame);
      std::uint32_t& of = of_class[classes.find(link)];
      if (of == kNoStream) of = next++;
      number[link] = of;
    }
  }
  return number;
}

DirectedStreams mesh_streams(const Plan& plan, std::string_view format, std::uint32_t limit) {
  const Topology& topology = plan.topology;
  const auto refuse = [&](std::string_view cause) {
    throw InputError(fmt::format("format {}: {}", format, cause));
  };
  if (!topology.is_mesh() || topology.dimensions() > 2) {
    refuse("routes on a mesh of one or two dimensions only; try --topology mesh");
  }
  LinkClasses classes(topology.link_slots());
  std::vector<bool> used(topology.link_slots(), false);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const PortProgram program = hardware_program(plan, walk, port);
      if (program.has_fan_in() || program.switch_step != 0) {
        refuse(
            fmt::format("out-port {} of node {} is not fed by one in-port for good; try a mesh "
                        "with an even number of nodes and --algorithm array",
                        port_name(port), walk.node()));
      }
      const LinkId link = topology.link(walk.node(), port);
      used[link] = !program.feed.empty() || !program.preload.empty();
      if (program.feed.empty()) continue;
      classes.join(link, topology.link_into(walk.node(), program.feed.front()));
    }
  }
  DirectedStreams streams;
  streams.of_link.assign(topology.link_slots(), kNoStream);
  std::vector<std::uint32_t> of_class(topology.link_slots(), kNoStream);
  for (LinkId link = 0; link < topology.link_slots(); ++link) {
    if (!used[link]) continue;
    std::uint32_t& of = of_class[classes.find(link)];
    if (of == kNoStream) of = streams.count++;
    streams.of_link[link] = of;
  }
  if (streams.count > limit) {
    refuse(fmt::format("{} directed streams; there is room for {}", streams.count, limit));
  }
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    std::vector<bool> seen(streams.count, false);
    for (const Port port : all_ports(topology.ports())) {
      const LinkId link = topology.link_into(walk.node(), port);
      if (link == kNoLink || streams.of_link[link] == kNoStream) continue;
      if (seen[streams.of_link[link]]) {
        refuse(fmt::format("a stream passes node {} twice", walk.node()));
      }
      seen[streams.of_link[link]] = true;
    }
  }
  return streams;
}

}  // namespace gossamer::emit_detail
