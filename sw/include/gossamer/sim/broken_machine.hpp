// SPDX-License-Identifier: Apache-2.0
/// A machine that breaks while its plan stays unchanged, and the packets that its nodes receive.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// A set of broken links, and their behaviour.
struct Break {
  /// All links of a dead node break; there are no dead cores.
  Faults what;
  /// The links deliver a valid wrong word, kGarbage, in every step; otherwise no word.
  bool garbage = false;
  /// The first step in which they are broken; 1 in machines without steps, i.e. from the beginning.
  /// Phases before the first step belong to step 1.
  std::uint64_t since = 1;
};

/// "link:3,4:x+", "arc:3,4:x+" or "node:2,2", then "=silent" or "=garbage" (without: silent), then
/// "@STEP" (without: from step 1 on). InputError for other texts.
[[nodiscard]] Break parse_break(const Topology& topology, std::string_view text);

/// The plan's tables on a network with wires everywhere, including faults of the plan that `breaks`
/// names, on an engine that `make` creates. Packets sent on a broken link are lost. The words that
/// it delivers instead become visible only when a router forwards them. The plan must outlive it.
/// Throws InputError for garbage where any word could be a header, and for a step other than the
/// first in a machine without steps.
[[nodiscard]] std::unique_ptr<Engine> make_broken_machine(
    const Plan& plan, std::span<const Break> breaks,
    const std::function<std::unique_ptr<Engine>(const Plan&)>& make);

/// The packets that each node has in a run of an all-gather.
class Received final : public Observer {
 public:
  /// Every node with a core has its own packets; without `own`, all nodes start empty. Throws
  /// InputError for another demand, and above 2^33 pairs of node and packet.
  explicit Received(const Plan& plan, bool own = true);
  /// Adds the contents of a file in the format of write(): `node,packet`, then one row per pair.
  /// `name` is used in messages. Throws InputError with the line for rows that are not pairs of the
  /// plan.
  void read(std::istream& in, std::string_view name);

  bool on_links(const LinkView& view) override;

  [[nodiscard]] bool has(NodeId node, PacketId packet) const {
    return has_[std::size_t{node} * packets_ + packet];
  }
  void add(NodeId node, PacketId packet) { has_[std::size_t{node} * packets_ + packet] = true; }
  /// True if the node has no packet.
  [[nodiscard]] bool is_silent(NodeId node) const;
  /// Removes all packets from a node.
  void silence(NodeId node);
  void write(std::ostream& out) const;

 private:
  std::uint32_t nodes_;
  std::uint64_t packets_;
  /// By link: the node that it leads to.
  std::vector<NodeId> receiver_;
  std::vector<bool> has_;
};

}  // namespace gossamer
