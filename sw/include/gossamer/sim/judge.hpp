// SPDX-License-Identifier: Apache-2.0
/// Decides whether a run brought about what the plan demands.
///
/// The judge knows the plan's demand and what the links carried, never an engine and never the
/// program, with one exception: the machine says from which step on arrivals are deliveries
/// (ArrivalRule). One judge serves all collectives:
///  - copied pieces: who has what, a bit for every piece and node;
///  - personal and ranked pieces: where each one is;
///  - combined pieces: a node has a word when what its network interface wrote is the sum of all
///    contributions, each counted once (contribution.hpp); copies that are handed over likewise,
///    when what was handed over is the origin's word;
///  - counts: what the engine says that every node was told.
/// A plan of several collectives has a judge for each of them, which sees its own packets alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// From which step on the arrivals of copied pieces count. Packing moves pieces to other nodes, and
/// its hops deliver nothing: a piece is delivered at the node where packing left it when its class
/// begins to broadcast, and wherever it arrives from then on.
struct ArrivalRule {
  /// By piece, in order of origin and number: its class. Empty: arrivals count from the start.
  std::vector<std::uint8_t> class_of_piece;
  /// By class.
  std::vector<std::uint64_t> first_step;
};

class Judge final : public Observer {
 public:
  /// Bytes that the judge of a plan takes.
  [[nodiscard]] static std::uint64_t memory_bytes(const Plan& plan);
  explicit Judge(const Plan& plan);
  Judge(const Topology& topology, const Demand& demand, ArrivalRule rule = {});
  ~Judge() override;

  /// Ends the run when the demand is met; runs without steps, of ranked pieces and of counts go on
  /// until the engine is done, since nobody in the network knows before its last barrier that
  /// nothing moves any more.
  bool on_links(const LinkView& view) override;
  /// Counts only: compares every result at every node. To be called when the engine is done.
  void check_results(const Engine& engine);

  /// Pieces are combined.
  [[nodiscard]] bool combines() const { return combines_; }
  /// Everything is where it should be, and nothing was sent by a node that did not have it.
  [[nodiscard]] bool complete() const;
  /// The step at whose end the last piece was delivered, 0 when there was nothing to do; of ranked
  /// pieces and counts the last step. Cut-through: the largest planned step of a send that
  /// delivered something new.
  [[nodiscard]] std::uint64_t completion_step() const;
  /// Without steps: cycles until the last piece was delivered.
  [[nodiscard]] std::uint64_t completion_cycle() const;
  /// Deliveries of copies that the node already had; contributions beyond the first in words that
  /// never became complete.
  [[nodiscard]] std::uint64_t duplicates() const;
  /// Sends of what the sender did not have, or of no piece at all: never in a right run.
  [[nodiscard]] std::uint64_t misplaced() const;
  /// Deliveries that are still to come: pieces (or words, or counts) times nodes.
  [[nodiscard]] std::uint64_t missing() const;
  /// Those of one node.
  [[nodiscard]] std::uint64_t missing(NodeId node) const;
  /// Plans of several collectives: the judge of one of them. Its steps are the collective's own.
  [[nodiscard]] const Judge& member(std::size_t number) const;
  /// Where a personal or ranked piece is now (std::out_of_range for other numbers).
  [[nodiscard]] NodeId location(PacketId piece) const;

  class Case;

 private:
  std::unique_ptr<Case> case_;
  bool combines_ = false;
};

}  // namespace gossamer
