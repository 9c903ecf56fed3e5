// SPDX-License-Identifier: Apache-2.0
#include "link_classes.hpp"

#include <limits>
#include <numeric>

#include "emit.hpp"

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

std::vector<std::uint32_t> closed_streams(const Topology& topology, const StreamProgram& program) {
  const std::uint32_t frame = program.frame();
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
      const StreamPort told = reachable(program, walk, static_cast<Port>(p));
      for (const Port in :
           PortSet(static_cast<std::uint16_t>(told.feed.bits() | told.early_feed.bits()))) {
        const auto in_port = static_cast<Port>(in / frame);
        classes.join(link, place(walk.sender(in_port), opposite(in_port), in % frame));
      }
    }
  }
  std::vector<std::uint32_t> number(places, 0);
  constexpr std::uint32_t kUnnumbered = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> of_class(places, kUnnumbered);
  std::uint32_t next = 0;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::uint32_t p = 0; p < columns; ++p) {
      const auto port = static_cast<Port>(p / frame);
      if (walk.neighbor(port) == kNoNode) continue;
      const LinkId link = place(walk.node(), port, p % frame);
      std::uint32_t& of = of_class[classes.find(link)];
      if (of == kUnnumbered) of = next++;
      number[link] = of;
    }
  }
  return number;
}

}  // namespace gossamer::emit_detail
