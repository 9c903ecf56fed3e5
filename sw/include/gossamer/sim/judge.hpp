// SPDX-License-Identifier: Apache-2.0
/// Decides whether a run meets the plan's demand.
///
/// The judge reads the plan's demand and the link contents, never an engine and never the program.
/// There is one exception: the machine defines the step from which arrivals are deliveries
/// (ArrivalRule). One judge serves all collectives:
///  - copied pieces: the pieces that each node has, one bit per piece and node;
///  - personal and ranked pieces: the location of each piece;
///  - combined pieces: a node has a word when its network interface wrote the sum of all
///    contributions, each counted once (contribution.hpp); handed-over copies likewise, when the
///    origin's word was handed over;
///  - counts: the result that the engine reports for every node.
/// A plan of several collectives has a judge for each of them, which sees its own packets only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// The step from which arrivals of copied pieces count. Packing moves pieces to other nodes, and
/// its hops deliver nothing. A piece is delivered at the node where packing left it when its class
/// begins to broadcast, and wherever it arrives from then on.
struct ArrivalRule {
  /// By piece, in order of origin and number: its class. Empty: all arrivals count.
  std::vector<std::uint8_t> class_of_piece;
  /// By class.
  std::vector<std::uint64_t> first_step;
};

class Judge final : public Observer {
 public:
  /// Bytes of memory that the judge of a plan needs.
  [[nodiscard]] static std::uint64_t memory_bytes(const Plan& plan);
  explicit Judge(const Plan& plan);
  Judge(const Topology& topology, const Demand& demand, ArrivalRule rule = {});
  ~Judge() override;

  /// Ends the run when the demand is met. Runs without steps, of ranked pieces and of counts
  /// continue until the engine is done, since no node in the network knows before its last barrier
  /// that nothing moves any more.
  bool on_links(const LinkView& view) override;
  /// Counts only: compares every result at every node. Call it when the engine is done.
  void check_results(const Engine& engine);

  /// Pieces are combined.
  [[nodiscard]] bool combines() const { return combines_; }
  /// Every piece is at its destinations, and every sender had the pieces that it sent.
  [[nodiscard]] bool complete() const;
  /// The step at whose end the last piece was delivered, 0 if no piece had to be delivered; for
  /// ranked pieces and counts the last step. Cut-through: the largest planned step of a send that
  /// delivered a new piece.
  [[nodiscard]] std::uint64_t completion_step() const;
  /// Without steps: cycles until the last piece was delivered.
  [[nodiscard]] std::uint64_t completion_cycle() const;
  /// Deliveries of copies that the node already had; contributions beyond the first in words that
  /// never became complete.
  [[nodiscard]] std::uint64_t duplicates() const;
  /// Sends of pieces that the sender did not have, or of invalid pieces; 0 in a correct run.
  [[nodiscard]] std::uint64_t misplaced() const;
  /// Missing deliveries: pieces (or words, or counts) times nodes.
  [[nodiscard]] std::uint64_t missing() const;
  /// The missing deliveries of one node.
  [[nodiscard]] std::uint64_t missing(NodeId node) const;
  /// Plans of several collectives: the judge of one of them. Its steps are the collective's own.
  [[nodiscard]] const Judge& member(std::size_t number) const;
  /// The node that currently holds a personal or ranked piece. Throws std::out_of_range for other
  /// numbers.
  [[nodiscard]] NodeId location(PacketId piece) const;

  class Case;

 private:
  std::unique_ptr<Case> case_;
  bool combines_ = false;
};

}  // namespace gossamer
