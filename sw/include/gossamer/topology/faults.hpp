// SPDX-License-Identifier: Apache-2.0
/// The dead parts of a network, and their notation.
///
/// A dead arc is one direction of a link; a dead link is both. A dead node has no router, so every
/// link at it is dead. A dead core has a live router: the node forwards, but has no packets and
/// needs none. Source: docs/spec/faults.md, section 1.
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
  /// Directed links that are dead on their own, i.e. without a dead node at either end; ascending.
  /// A dead link contributes both directions.
  std::vector<LinkId> dead_arcs;

  [[nodiscard]] bool empty() const {
    return dead_nodes.empty() && dead_cores.empty() && dead_arcs.empty();
  }
  bool operator==(const Faults&) const = default;
};

/// The dead arcs of a network by kind: if both arcs are dead it is a link, named by its positive
/// port.
struct DeadLinks {
  std::vector<LinkId> links;
  std::vector<LinkId> arcs;
};
[[nodiscard]] DeadLinks dead_links(const Topology& topology);

/// "3,4" as a node; InputError for nodes outside the network. `what` begins the message.
[[nodiscard]] NodeId parse_node(const Topology& topology, std::string_view text,
                                std::string_view what);
/// The arc "3,4:x+": output port x+ of node 3,4. InputError for links outside the network.
[[nodiscard]] LinkId parse_arc(const Topology& topology, std::string_view text,
                               std::string_view what);
/// The inverse: "3,4" and "3,4:x+".
[[nodiscard]] std::string node_text(const Topology& topology, NodeId node);
[[nodiscard]] std::string arc_text(const Topology& topology, LinkId arc);
/// The other direction of the same link.
[[nodiscard]] LinkId reverse_arc(const Topology& topology, LinkId arc);

/// Adds a harvest to `faults`: "x=3", all nodes of that coordinate, or the box "3,3-4,4".
/// InputError for other texts.
void add_harvest(const Topology& topology, std::string_view text, Faults& faults);
/// Adds a fault in the notation of `simulate --break` and `diagnose`: "link:3,4:x+", "arc:3,4:x-",
/// "node:2,2", "core:5,5". InputError for other texts.
void add_fault(const Topology& topology, std::string_view text, Faults& faults);
/// The network with the faults listed in `words`, blank-separated: as in add_fault, "harvest:x=3",
/// or "random:LINKS:SEED". The latter draws LINKS dead links from those whose loss leaves the
/// network connected. InputError for other texts, and if there are fewer such links.
[[nodiscard]] Topology with_named_faults(const Topology& topology, std::string_view words);
/// Every fault on a separate line: "link 3,4:x+", "arc 3,4:x-", "node 2,2", "core 5,5".
[[nodiscard]] std::vector<std::string> fault_lines(const Topology& topology);

/// The live nodes in mutually reachable parts: strongly connected components, the largest first,
/// ties by the lowest node.
[[nodiscard]] std::vector<std::vector<NodeId>> live_parts(const Topology& topology);
/// Does nothing when every live node can reach every other one. Otherwise throws InfeasibleError
/// with the sizes of the parts, and the nodes to declare dead so that the largest part remains.
void require_connected(const Topology& topology);

}  // namespace gossamer
