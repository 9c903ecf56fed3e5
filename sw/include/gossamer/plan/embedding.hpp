// SPDX-License-Identifier: Apache-2.0
/// Placement of a plan's network (the *guest*) in a larger network (the *host*), once or several
/// times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The image of a guest's link: a straight line of host links.
struct EmbeddedLink {
  /// Direction of the line, as seen from the guest link's sender.
  Port port = 0;
  /// Host links of the line, >= 1.
  std::uint32_t hops = 1;
  /// The slot in which its first link is crossed; each following link is crossed in the next slot.
  /// The last slot is at most the frame's last.
  std::uint32_t leaves = 0;

  /// The slot in which the last link is crossed.
  [[nodiscard]] std::uint32_t arrives() const { return leaves + hops - 1; }
};

/// No two guest links use the same host link in the same slot. If a guest link leaves by host port
/// p, its opposite link arrives by input port p. All copies of the guest have the same links.
struct Embedding {
  Topology guest;
  Topology host;
  /// Host steps for each guest step: a frame, with slots 0 .. frame - 1.
  std::uint32_t frame = 1;
  /// By copy and guest node: its node in the host.
  std::vector<NodeId> nodes;
  /// By guest link slot.
  std::vector<EmbeddedLink> links;

  [[nodiscard]] const EmbeddedLink& link(NodeId guest_node, Port guest_port) const {
    return links[guest.link(guest_node, guest_port)];
  }
  [[nodiscard]] std::size_t copies() const { return nodes.size() / guest.nodes(); }
  [[nodiscard]] NodeId node(std::size_t copy, NodeId guest_node) const {
    return nodes[copy * guest.nodes() + guest_node];
  }
  /// All links arrive in the last slot: what arrives in one guest step arrives in one host step.
  [[nodiscard]] bool arrives_together() const {
    return std::all_of(links.begin(), links.end(),
                       [this](const EmbeddedLink& link) { return link.arrives() + 1 == frame; });
  }
};

/// The plan on the host if a guest step is a host step, with the same pieces and figures. Throws
/// InfeasibleError like Machine::embedded.
[[nodiscard]] Plan embedded_plan(const Plan& plan, const Embedding& embedding);

/// A program on the host.
struct EmbeddedProgram {
  SharedProgram program;
  /// Largest number of packets that an output port holds at the beginning of a frame and during it;
  /// 0: the same as the guest's.
  std::uint32_t queue_depth = 0;
};

}  // namespace gossamer
