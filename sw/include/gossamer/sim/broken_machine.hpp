// SPDX-License-Identifier: Apache-2.0
/// A machine that breaks while its plan stays what it is, and what its nodes receive.
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

/// Links that break, and how.
struct Break {
  /// Of a dead node all links break; there are no dead cores.
  Faults what;
  /// The links deliver a valid wrong word in every step, kGarbage; else nothing.
  bool garbage = false;
  /// The first step in which they are broken; 1, from the beginning, where there are no steps. What
  /// goes before the first step is broken with it.
  std::uint64_t since = 1;
};

/// "link:3,4:x+", "arc:3,4:x+" or "node:2,2", then "=silent" or "=garbage" (without: silent), then
/// "@STEP" (without: from step 1 on). InputError for anything else.
[[nodiscard]] Break parse_break(const Topology& topology, std::string_view text);

/// The plan's tables on a network with wires everywhere, those of the plan's own faults that
/// `breaks` names included, on an engine that `make` gives. What is sent on a broken link is lost,
/// and what it delivers instead is shown to nobody until a router passes it on. The plan must
/// outlive it. Throws InputError for garbage where a header could be anything, and for a later step
/// where there are none.
[[nodiscard]] std::unique_ptr<Engine> make_broken_machine(
    const Plan& plan, std::span<const Break> breaks,
    const std::function<std::unique_ptr<Engine>(const Plan&)>& make);

/// Who has which packets of an all-gather.
class Received final : public Observer {
 public:
  /// Every node with a core has its own packets; not `own`: nobody has anything yet. Throws
  /// InputError for another demand, and above 2^33 pairs of node and packet.
  explicit Received(const Plan& plan, bool own = true);
  /// Adds what the file says that write() writes: `node,packet`, then a row for each. `name` stands
  /// in messages. Throws InputError with the line for what is no pair of the plan's.
  void read(std::istream& in, std::string_view name);

  bool on_links(const LinkView& view) override;

  [[nodiscard]] bool has(NodeId node, PacketId packet) const {
    return has_[std::size_t{node} * packets_ + packet];
  }
  void add(NodeId node, PacketId packet) { has_[std::size_t{node} * packets_ + packet] = true; }
  /// Node `node` reports nothing at all.
  [[nodiscard]] bool is_silent(NodeId node) const;
  /// Takes everything from a node.
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
