// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

Topology::Topology(std::span<const std::uint32_t> sides, std::uint32_t wrap)
    : sides_(sides.begin(), sides.end()), wrap_(wrap) {
  if (sides_.empty() || sides_.size() > static_cast<std::size_t>(kMaxDimensions)) {
    throw InputError(
        fmt::format("dims: {} dimensions given, 1 to {} allowed", sides_.size(), kMaxDimensions));
  }
  std::uint64_t nodes = 1;
  for (const std::uint32_t side : sides_) {
    if (side < kMinSide || side > kMaxSide) {
      throw InputError(fmt::format("dims: side {} is outside {}..{}", side, kMinSide, kMaxSide));
    }
    strides_.push_back(static_cast<std::uint32_t>(nodes));
    nodes *= side;
    if (nodes > kMaxNodes) {
      throw InputError(fmt::format("dims: {} has more than {} nodes, the largest supported network",
                                   dims_text(), kMaxNodes));
    }
  }
  nodes_ = static_cast<std::uint32_t>(nodes);
  if (nodes_ == 1) {
    throw InputError(fmt::format("dims: {} is one node without links; some side must be 2 or more",
                                 dims_text()));
  }
}

Topology Topology::torus(std::span<const std::uint32_t> sides) {
  return {sides, (1U << std::min<std::size_t>(sides.size(), kMaxDimensions + 1)) - 1};
}
Topology Topology::mesh(std::span<const std::uint32_t> sides) { return {sides, 0}; }
Topology Topology::grid(std::span<const std::uint32_t> sides, std::uint32_t wrap) {
  return {sides, wrap};
}

Topology narrowed(const Topology& topology, int dropped) {
  std::vector<std::uint32_t> sides;
  std::uint32_t wrap = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (dim == dropped || topology.side(dim) == 1) continue;
    if (topology.wraps(dim)) wrap |= 1U << sides.size();
    sides.push_back(topology.side(dim));
  }
  const Topology without = Topology::grid(sides, wrap);
  if (topology.has_equal_links() || dropped >= 0) return without;
  LinkPeriods periods = topology.link_periods();
  for (auto* list : {&periods.chiplets, &periods.inside, &periods.between}) {
    std::size_t kept = 0;
    for (std::size_t dim = 0; dim < list->size(); ++dim) {
      if (topology.side(static_cast<int>(dim)) != 1) (*list)[kept++] = (*list)[dim];
    }
    list->resize(kept);
  }
  return without.with_link_periods(std::move(periods));
}

Topology Topology::make(std::string_view kind, std::span<const std::uint32_t> sides) {
  if (kind == "torus") return torus(sides);
  if (kind == "mesh") return mesh(sides);
  throw InputError(fmt::format("topology: \"{}\" is neither torus nor mesh{}", kind,
                               did_you_mean(kind, {"torus", "mesh"})));
}

Topology Topology::with_faults(Faults faults) const {
  const auto order = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  order(faults.dead_nodes);
  order(faults.dead_cores);
  order(faults.dead_arcs);
  const auto none = [&](const std::string& what) {
    throw InputError(fmt::format("faults: there is no {} on the {} {}", what, dims_text(), kind()));
  };
  const auto is_dead = [&faults](NodeId node) {
    return std::binary_search(faults.dead_nodes.begin(), faults.dead_nodes.end(), node);
  };
  for (const auto* list : {&faults.dead_nodes, &faults.dead_cores}) {
    if (!list->empty() && list->back() >= nodes_) none(fmt::format("node {}", list->back()));
  }
  for (const NodeId node : faults.dead_cores) {
    if (!is_dead(node)) continue;
    throw InputError(
        fmt::format("faults: node {} is dead and has a dead core: give only one of them",
                    node_text(*this, node)));
  }
  for (const LinkId arc : faults.dead_arcs) {
    if (arc >= link_slots()) none(fmt::format("link {}", arc));
    if (beyond(link_from(arc), link_port(arc)) == kNoNode) none("link " + arc_text(*this, arc));
  }
  std::erase_if(faults.dead_arcs, [&](LinkId arc) {
    return is_dead(link_from(arc)) || is_dead(beyond(link_from(arc), link_port(arc)));
  });
  if (faults.dead_nodes.size() + faults.dead_cores.size() + 2 > nodes_) {
    throw InputError(fmt::format(
        "faults: {} of {} nodes are left with a live core, 2 are needed",
        nodes_ - std::min<std::size_t>(nodes_, faults.dead_nodes.size() + faults.dead_cores.size()),
        nodes_));
  }
  Topology degraded = *this;
  degraded.faults_ = std::move(faults);
  return degraded;
}

Topology Topology::healthy() const {
  Topology topology = *this;
  topology.faults_ = {};
  return topology;
}

std::string Topology::dims_text() const { return joined(sides_, "x"); }

bool Topology::routers_are_alike() const {
  for (int dim = 0; dim < dimensions(); ++dim) {
    if (side(dim) > 1 && !wraps(dim)) return false;
    const auto axis = static_cast<std::size_t>(dim);
    const bool chiplets = !periods_.chiplets.empty() && periods_.chiplets[axis] < side(dim);
    if (chiplets && periods_.between[axis] != periods_.inside[axis]) return false;
  }
  return is_healthy();
}

std::vector<std::string> Topology::wrap_names() const {
  std::vector<std::string> names;
  for (int dim = 0; dim < dimensions(); ++dim) {
    if (((wrap_ >> dim) & 1U) == 0) continue;
    std::string name = port_name(make_port(dim, true));
    name.pop_back();
    names.push_back(std::move(name));
  }
  return names;
}

std::uint64_t Topology::links() const {
  std::uint64_t links = 0;
  if (!faults_.dead_nodes.empty()) {
    for (NodeId node = 0; node < nodes_; ++node) links += static_cast<std::uint64_t>(degree(node));
    return links;
  }
  for (int dim = 0; dim < dimensions(); ++dim) {
    const std::uint64_t lines = nodes_ / side(dim);
    links += 2 * lines * (wraps(dim) ? side(dim) : side(dim) - 1);
  }
  return links - faults_.dead_arcs.size();
}

Coordinates Topology::coordinates(NodeId node) const {
  Coordinates at{};
  for (std::size_t dim = 0; dim < sides_.size(); ++dim) {
    at[dim] = node % sides_[dim];
    node /= sides_[dim];
  }
  return at;
}

NodeId Topology::node(const Coordinates& coordinates) const {
  NodeId node = 0;
  for (std::size_t dim = 0; dim < sides_.size(); ++dim) node += coordinates[dim] * strides_[dim];
  return node;
}

NodeId Topology::neighbor(NodeId node, Port out_port) const {
  const NodeId to = beyond(node, out_port);
  return is_healthy() || to == kNoNode || is_live_arc(node, to, out_port) ? to : kNoNode;
}

NodeId Topology::sender(NodeId node, Port in_port) const {
  const NodeId from = beyond(node, in_port);
  const bool alive = is_healthy() || from == kNoNode || is_live_arc(from, node, opposite(in_port));
  return alive ? from : kNoNode;
}

bool Topology::is_live(NodeId node) const {
  return !std::binary_search(faults_.dead_nodes.begin(), faults_.dead_nodes.end(), node);
}

bool Topology::has_core(NodeId node) const {
  return is_live(node) &&
         !std::binary_search(faults_.dead_cores.begin(), faults_.dead_cores.end(), node);
}

bool Topology::is_live_arc(NodeId from, NodeId to, Port out_port) const {
  const auto& dead = faults_.dead_arcs;
  return is_live(from) && is_live(to) &&
         !std::binary_search(dead.begin(), dead.end(), link(from, out_port));
}

NodeId Topology::beyond(NodeId node, Port port) const {
  const int dim = dimension_of(port);
  const std::uint32_t step = stride(dim);
  const std::uint32_t last = side(dim) - 1;
  const std::uint32_t at = node / step % side(dim);
  if (is_positive(port)) {
    if (at < last) return node + step;
    return wraps(dim) ? node - last * step : kNoNode;
  }
  if (at > 0) return node - step;
  return wraps(dim) ? node + last * step : kNoNode;
}

std::uint32_t Topology::distance(NodeId from, NodeId to) const {
  const Coordinates a = coordinates(from);
  const Coordinates b = coordinates(to);
  std::uint32_t hops = 0;
  for (int dim = 0; dim < dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    const std::uint32_t straight = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    hops += wraps(dim) ? std::min(straight, side(dim) - straight) : straight;
  }
  return hops;
}

std::uint64_t Topology::diameter() const {
  std::uint64_t hops = 0;
  for (int dim = 0; dim < dimensions(); ++dim) hops += wraps(dim) ? side(dim) / 2 : side(dim) - 1;
  return hops;
}

int Topology::degree(NodeId node) const {
  int degree = 0;
  for (int port = 0; port < ports(); ++port) {
    if (sender(node, static_cast<Port>(port)) != kNoNode) ++degree;
  }
  return degree;
}

}  // namespace gossamer
