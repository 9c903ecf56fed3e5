// SPDX-License-Identifier: Apache-2.0
/// The machine of combining streams (plan/combination.hpp) over flat arrays. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A word with its contributions; without any it is nothing.
struct Term {
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

/// What a network interface wrote into its node's vector.
struct Result {
  NodeId node = 0;
  PacketId packet = 0;
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

class CombiningStreams {
 public:
  /// Stands in step 1. The program must combine and outlive it. Throws InputError for a vector that
  /// would have to be kept and does not fit.
  CombiningStreams(const Topology& topology, const StreamProgram& program);

  /// The present step, from 1.
  [[nodiscard]] std::uint64_t step() const { return step_; }
  /// What the links carry in it: by link slot the piece (kNoPacket on an idle link), its word and
  /// its number of contributions.
  [[nodiscard]] std::span<const PacketId> packets() const { return packets_; }
  [[nodiscard]] std::span<const std::uint64_t> values() const { return values_; }
  [[nodiscard]] std::span<const std::uint32_t> terms() const { return terms_; }
  /// What was written at the end of the step before.
  [[nodiscard]] std::span<const Result> results() const { return results_; }
  /// Goes on to the next step.
  void next();

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  struct Register {
    /// Where it is sent: link * frame + slot; kNowhere: on no link.
    std::size_t sent = kNowhere;
    /// Where its arrivals come from: link * frame + slot; kNowhere: none.
    std::size_t fed = kNowhere;
  };
  /// An out-port and slot that passes on.
  struct Relay {
    std::size_t sent;
    std::size_t fed;
  };

  [[nodiscard]] std::size_t cycles() const { return lanes_ / 2; }
  [[nodiscard]] std::uint32_t rank(NodeId node, std::size_t lane) const {
    return combine_.ranks[node * cycles() + lane / 2];
  }
  [[nodiscard]] PacketId piece(const CombineLane& lane, std::size_t index, std::uint32_t block) const;
  [[nodiscard]] Term own(NodeId node, PacketId piece) const;
  /// Operation into `step` of a round.
  [[nodiscard]] static CombineStep operation(const CombineRound& round, std::uint64_t step);
  /// Puts the registers on the frame's links and lets the relays pass.
  void fill_frame();
  /// Shows the present step's slot of it.
  void show();
  /// The edge at the end of a frame.
  void edge();
  void write_results(const CombineRound& round, std::uint64_t entered);
  void write(NodeId node, PacketId piece, const Term& term);
  void take(const CombineRound& round, std::uint64_t entered);
  void keep_vector_if_needed();

  const Topology& topology_;
  const StreamProgram& program_;
  const Combination& combine_;
  std::size_t lanes_;
  std::size_t frame_;
  /// Registers lane by lane, node by node.
  std::vector<Register> wiring_;
  std::vector<Relay> relays_;
  std::vector<Term> registers_;
  std::vector<Term> next_registers_;
  std::vector<Term> arrivals_;
  /// By cycle, then rank: the node (blocks = nodes).
  std::vector<NodeId> node_of_rank_;
  /// By node, then piece: the vector, kept where a program reads what it has written.
  std::vector<Term> vector_;
  /// By link * frame + slot: what crosses it in the present frame.
  std::vector<PacketId> frame_packets_;
  std::vector<Term> frame_terms_;

  std::size_t round_ = 0;
  /// Step (in frames) of the round.
  std::uint64_t round_step_ = 1;
  std::uint64_t step_ = 1;
  std::vector<PacketId> packets_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  std::vector<Result> results_;
};

}  // namespace gossamer
