// SPDX-License-Identifier: Apache-2.0
/// The same network with its dimensions in another order.
#pragma once

#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A network without faults whose dimension i is dimension order[i] of `here`.
class SideOrder {
 public:
  SideOrder(const Topology& here, std::vector<int> order);

  [[nodiscard]] const Topology& there() const { return there_; }
  /// A node and a port of there() in the network that was given.
  [[nodiscard]] NodeId node_here(NodeId node) const;
  [[nodiscard]] Port port_here(Port port) const {
    return make_port(order_[static_cast<std::size_t>(dimension_of(port))], is_positive(port));
  }

 private:
  const Topology* here_;
  std::vector<int> order_;
  Topology there_;
};

/// The orders that give other networks, each once. None for networks with faults, of one dimension,
/// of more than 3 dimensions, which have too many orders, and of equal dimensions. `here` must
/// outlive them.
[[nodiscard]] std::vector<SideOrder> other_side_orders(const Topology& here);

}  // namespace gossamer
