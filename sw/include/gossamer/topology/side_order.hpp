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
  /// Converts a node, a port and a link of there() to the given network, and a node back.
  [[nodiscard]] NodeId node_here(NodeId node) const;
  [[nodiscard]] NodeId node_there(NodeId node) const;
  [[nodiscard]] Port port_here(Port port) const {
    return make_port(order_[static_cast<std::size_t>(dimension_of(port))], is_positive(port));
  }
  [[nodiscard]] LinkId link_here(LinkId link) const {
    return here_->link(node_here(there_.link_from(link)), port_here(there_.link_port(link)));
  }

 private:
  const Topology* here_;
  std::vector<int> order_;
  Topology there_;
};

/// The orders that give different networks, each once; `here` must outlive them. Empty for networks
/// with faults, with one dimension, with equal dimensions, and with more than 3 dimensions, which
/// have too many orders.
[[nodiscard]] std::vector<SideOrder> other_side_orders(const Topology& here);

}  // namespace gossamer
