// SPDX-License-Identifier: Apache-2.0
/// A machine that breaks while its plan stays what it is, and what its nodes receive.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// The plan's tables on a network whose broken links are cut, on an engine that `make` gives. What
/// is sent on a cut link is lost, and shown to nobody. Of `breaks` dead nodes are those all of
/// whose links are cut; no cores. The plan must outlive it.
[[nodiscard]] std::unique_ptr<Engine> make_broken_machine(
    const Plan& plan, const Faults& breaks,
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

/// What a self-test tells.
struct Diagnosis {
  /// The plan's torus with the faults that were found.
  Topology found;
  /// A machine with these faults receives exactly the same.
  bool explained = true;
};

/// Which links, nodes and cores are dead, from what the nodes received in a run of `plan`'s own
/// number of steps. Throws InputError unless it is a healthy `hamiltonian` plan with a packet for
/// each dimension, and at least 3 nodes. Source: docs/spec/faults.md, section 8.
[[nodiscard]] Diagnosis diagnose(const Plan& plan, const Received& received);

}  // namespace gossamer
