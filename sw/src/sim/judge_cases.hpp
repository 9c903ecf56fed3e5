// SPDX-License-Identifier: Apache-2.0
/// The cases of the judge, one for each kind of demand.
#pragma once

#include <memory>
#include <stdexcept>

#include "gossamer/sim/judge.hpp"

namespace gossamer {

class Judge::Case {
 public:
  Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  virtual ~Case() = default;

  virtual bool on_links(const LinkView& view) = 0;
  virtual void check_results(const Engine& /*engine*/) {}
  [[nodiscard]] virtual std::uint64_t missing(NodeId node) const = 0;
  [[nodiscard]] virtual std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] virtual NodeId location(PacketId /*piece*/) const {
    throw std::out_of_range("this judge does not track the places of pieces");
  }

  [[nodiscard]] virtual const Judge& member(std::size_t /*number*/) const {
    throw std::out_of_range("a judge of a single collective");
  }

  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] std::uint64_t misplaced() const { return misplaced_; }
  [[nodiscard]] std::uint64_t completion_step() const { return completion_step_; }
  [[nodiscard]] std::uint64_t completion_cycle() const { return completion_cycle_; }

 protected:
  std::uint64_t missing_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t misplaced_ = 0;
  std::uint64_t completion_step_ = 0;
  std::uint64_t completion_cycle_ = 0;
};

/// Calls visit(from, port, to, packet, link) for every link of a step that carries something; `to`
/// is kNoNode where the link leaves the mesh.
template <typename Visit>
void for_each_send(const Topology& topology, const LinkView& view, Visit visit) {
  const auto ports = static_cast<std::size_t>(topology.ports());
  const PacketId* here = view.packets.data();
  for (NodeWalk walk(topology); !walk.done(); walk.next(), here += ports) {
    for (std::size_t port = 0; port < ports; ++port) {
      if (here[port] == kNoPacket) continue;
      visit(walk.node(), walk.neighbor(static_cast<Port>(port)), here[port],
            static_cast<std::size_t>(here + port - view.packets.data()));
    }
  }
}

/// The inputs of a case; it keeps its own copy.
struct Judged {
  Topology topology;
  /// Of flits where pieces travel as flits: piece p's are p * flits .. p * flits + flits - 1.
  Demand demand;
  std::uint64_t flits = 1;
  /// A node receives handed-over words instead of every arrival: timetables.
  bool hands_over = false;
};
[[nodiscard]] std::unique_ptr<Judge::Case> judge_copies(const Judged& judged, ArrivalRule rule);
[[nodiscard]] std::uint64_t copies_memory_bytes(const Judged& judged);
/// Personal and ranked pieces.
[[nodiscard]] std::unique_ptr<Judge::Case> judge_moves(const Judged& judged);
[[nodiscard]] std::uint64_t moves_memory_bytes(const Judged& judged);
/// Combined pieces, and copies that are handed over.
[[nodiscard]] std::unique_ptr<Judge::Case> judge_written(const Judged& judged);
[[nodiscard]] std::uint64_t written_memory_bytes(const Judged& judged);
[[nodiscard]] std::unique_ptr<Judge::Case> judge_counts(const Judged& judged);

}  // namespace gossamer
