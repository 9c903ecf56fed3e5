// SPDX-License-Identifier: Apache-2.0
/// Port tables (port_table.hpp) on a host network that contains the table's own network
/// (embedding.hpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/port_table.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

/// The column of an input port without a sender.
inline constexpr Port kNoColumn = kMaxPorts;

/// Columns of a port table on the host: one per port and slot. Throws InfeasibleError for more
/// columns than a PortSet holds.
[[nodiscard]] inline int embedded_columns(const Embedding& embedding, std::uint32_t guest_frame) {
  const auto columns =
      static_cast<std::uint64_t>(embedding.host.ports()) * embedding.frame * guest_frame;
  if (columns <= kMaxPorts) return static_cast<int>(columns);
  throw InfeasibleError(fmt::format(
      "dims: {} ports in frames of {} steps, at most {} together; nearest feasible: fewer "
      "dimensions, without sides of 1",
      embedding.host.ports(), embedding.frame * guest_frame, kMaxPorts));
}

/// Embeds `guest` in the host's table, which has embedded_columns() columns and is idle. A guest
/// table with frames has columns port * guest_frame + slot, and the host's frame is then 1.
/// `moved(entry, columns)` is a guest's entry with every input port `p` of its feeds replaced by
/// columns[p], or removed for kNoColumn; `passes(in)` is the entry that forwards arrivals of the
/// input port. Returns the largest number of packets that an output port holds, when `own(entry)`
/// packets wait there initially.
template <typename Entry, typename Moved, typename Passes, typename Own>
std::uint32_t embed_ports(const PortTable<Entry>& guest, std::uint32_t guest_frame,
                          const Embedding& embedding, PortTable<Entry>& host, Moved moved,
                          Passes passes, Own own) {
  const std::uint32_t frame = embedding.frame * guest_frame;
  const auto column = [frame](Port port, std::uint32_t slot) {
    return static_cast<Port>(port * frame + slot);
  };
  const Topology& network = embedding.guest;
  // Entries are interned once for each kind, not once for each port. Their key is the guest's
  // number and the columns of the input ports, which are the same for many nodes on most networks.
  std::vector<Port> in_columns(static_cast<std::size_t>(guest.ports()));
  std::vector<Port> known_columns;
  std::vector<std::uint32_t> known;
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::uint32_t depth = 1;
  const auto embed = [&](std::size_t copy, const NodeWalk& walk) {
    const NodeId here = embedding.node(copy, walk.node());
    for (const Port port : all_ports(guest.ports())) {
      const auto guest_port = static_cast<Port>(port / guest_frame);
      in_columns[port] = kNoColumn;
      const NodeId from = walk.sender(guest_port);
      if (from == kNoNode) continue;
      const EmbeddedLink& in = embedding.link(from, opposite(guest_port));
      in_columns[port] =
          column(opposite(in.port), guest_frame > 1 ? port % guest_frame : in.arrives());
    }
    if (in_columns != known_columns) {
      known_columns = in_columns;
      known.assign(guest.dictionary().size(), kUnknown);
    }
    for (const Port port : all_ports(guest.ports())) {
      const auto guest_port = static_cast<Port>(port / guest_frame);
      if (walk.neighbor(guest_port) == kNoNode) continue;
      const EmbeddedLink& out = embedding.link(walk.node(), guest_port);
      std::uint32_t& code = known[guest.code(walk.node(), port)];
      if (code == kUnknown) code = host.intern(moved(guest.at(walk.node(), port), in_columns));
      const std::uint32_t first = guest_frame > 1 ? port % guest_frame : out.leaves;
      host.set_code(here, column(out.port, first), code);
      const Entry& entry = guest.at(walk.node(), port);
      std::uint32_t waiting = own(entry);
      // A packet that arrives before the output port's slot waits there, after the own ones.
      if (!entry.feed.empty() && in_columns[entry.feed.front()] % frame < first) ++waiting;
      depth = std::max(depth, waiting);
      // Intermediate nodes forward straight on.
      NodeId node = here;
      for (std::uint32_t hop = 1; hop < out.hops; ++hop) {
        node = embedding.host.neighbor(node, out.port);
        host.set(node, column(out.port, first + hop),
                 passes(column(opposite(out.port), first + hop - 1)));
      }
    }
  };
  for (std::size_t copy = 0; copy < embedding.copies(); ++copy) {
    for (NodeWalk walk(network); !walk.done(); walk.next()) embed(copy, walk);
  }
  return depth;
}

}  // namespace gossamer
