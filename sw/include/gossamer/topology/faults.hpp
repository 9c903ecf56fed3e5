// SPDX-License-Identifier: Apache-2.0
/// What of a network is dead, and how people write it.
///
/// A dead arc is one direction of a link; a dead link is both. Of a dead node the router is gone,
/// and with it every link that touches it. A dead core leaves its router: the node forwards, has no
/// packets and wants none. Source: docs/spec/faults.md, section 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/topology/port.hpp"

namespace gossamer {

class Topology;

/// A node number, 0 .. nodes()-1.
using NodeId = std::uint32_t;
/// A directed link: from * ports + out-port. 64-bit in counts, 32-bit in storage.
using LinkId = std::uint32_t;

struct Faults {
  /// Ascending, each once, and no node in both.
  std::vector<NodeId> dead_nodes;
  std::vector<NodeId> dead_cores;
  /// Directed links that are dead by themselves, none that touches a dead node; ascending. Both of
  /// a dead link.
  std::vector<LinkId> dead_arcs;

  [[nodiscard]] bool empty() const {
    return dead_nodes.empty() && dead_cores.empty() && dead_arcs.empty();
  }
  bool operator==(const Faults&) const = default;
};

/// The dead arcs of a network, told apart: both arcs dead is a link, named by its positive port.
struct DeadLinks {
  std::vector<LinkId> links;
  std::vector<LinkId> arcs;
};
[[nodiscard]] DeadLinks dead_links(const Topology& topology);

/// "3,4" as a node; InputError when it is none of the network's. `what` begins the message.
[[nodiscard]] NodeId parse_node(const Topology& topology, std::string_view text,
                                std::string_view what);
/// The arc "3,4:x+": out-port x+ of node 3,4. InputError when there is no such link.
[[nodiscard]] LinkId parse_arc(const Topology& topology, std::string_view text,
                               std::string_view what);
/// The inverse: "3,4" and "3,4:x+".
[[nodiscard]] std::string node_text(const Topology& topology, NodeId node);
[[nodiscard]] std::string arc_text(const Topology& topology, LinkId arc);
/// The other direction of the same link.
[[nodiscard]] LinkId reverse_arc(const Topology& topology, LinkId arc);

/// Adds a harvest to `faults`: "x=3", all nodes of that coordinate, or the box "3,3-4,4".
/// InputError for anything else.
void add_harvest(const Topology& topology, std::string_view text, Faults& faults);
/// Adds a fault as `simulate --break` and `diagnose` write it: "link:3,4:x+", "arc:3,4:x-",
/// "node:2,2", "core:5,5". InputError for anything else.
void add_fault(const Topology& topology, std::string_view text, Faults& faults);
/// The network with the faults that `words`, blank-separated, name: as add_fault, "harvest:x=3", or
/// "random:LINKS:SEED", so many dead links, drawn from those whose loss leaves the network
/// connected. InputError for anything else, and when there are not so many.
[[nodiscard]] Topology with_named_faults(const Topology& topology, std::string_view words);
/// Every fault on a line of its own: "link 3,4:x+", "arc 3,4:x-", "node 2,2", "core 5,5".
[[nodiscard]] std::vector<std::string> fault_lines(const Topology& topology);

/// The live nodes in parts that hear one another: strongly connected components, the largest first,
/// of equals the one with the lowest node.
[[nodiscard]] std::vector<std::vector<NodeId>> live_parts(const Topology& topology);
/// Does nothing when every live node hears every other one. Throws InfeasibleError otherwise, with
/// the sizes of the parts and the nodes to declare dead that leave the largest.
void require_connected(const Topology& topology);

}  // namespace gossamer
