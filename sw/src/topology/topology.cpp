// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gossamer/util/error.hpp"

namespace gossamer {

Topology::Topology(std::span<const std::uint32_t> sides, bool wraps)
    : sides_(sides.begin(), sides.end()), wraps_(wraps) {
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
      throw InputError(fmt::format("dims: {} has more than {} nodes, the most that can be planned",
                                   dims_text(), kMaxNodes));
    }
  }
  nodes_ = static_cast<std::uint32_t>(nodes);
}

Topology Topology::torus(std::span<const std::uint32_t> sides) { return {sides, true}; }
Topology Topology::mesh(std::span<const std::uint32_t> sides) { return {sides, false}; }

Topology Topology::make(std::string_view kind, std::span<const std::uint32_t> sides) {
  if (kind == "torus") return torus(sides);
  if (kind == "mesh") return mesh(sides);
  throw InputError(fmt::format("topology: \"{}\" is neither torus nor mesh", kind));
}

std::string Topology::dims_text() const { return fmt::format("{}", fmt::join(sides_, "x")); }

std::uint64_t Topology::links() const {
  std::uint64_t links = 0;
  for (int dim = 0; dim < dimensions(); ++dim) {
    const std::uint64_t lines = nodes_ / side(dim);
    links += 2 * lines * (wraps(dim) ? side(dim) : side(dim) - 1);
  }
  return links;
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

NodeId Topology::neighbor(NodeId node, Port port) const {
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
    if (neighbor(node, static_cast<Port>(port)) != kNoNode) ++degree;
  }
  return degree;
}

}  // namespace gossamer
