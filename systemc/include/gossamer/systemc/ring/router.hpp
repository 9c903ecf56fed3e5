// SPDX-License-Identifier: Apache-2.0
/// The router of combining streams with its network interface as a module of the fabric
/// (plan/combination.hpp).
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/combination.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/systemc/combining.hpp"

namespace gossamer::systemc {

/// What all routers of a combining program have in common.
struct CombiningPlan {
  /// `plan` must hold a RingProgram that combines, and outlive it. `find_ranks`: a node is told
  /// where its rank is 0, and finds its ranks in the first round after reset. Throws InputError
  /// when they are to be found and the plan has none.
  explicit CombiningPlan(const Plan& plan, const Arithmetic& arithmetic = {},
                         bool find_ranks = false);

  const Topology& topology;
  const RingProgram& program;
  const Combination& combine;
  Arithmetic arithmetic;
  /// By cycle, then rank: the node. Empty when blocks belong to no nodes.
  std::vector<NodeId> node_of_rank;
  /// What lanes do in the round in which ranks are found, as gsm_rank_discovery has it: nodes of
  /// rank 0 send a word along the forward lane of each cycle, all others pass it on, and the step
  /// in which it comes is the rank. Empty where they are told.
  std::optional<CombineLeg> discovery;
  /// Own words are read again after they were written, so a node has to keep them.
  bool keeps_vector = false;

  /// Cycles of the round in which ranks are found, 0 where they are told.
  [[nodiscard]] std::uint64_t finding_cycles() const {
    return discovery ? (combine.blocks - std::uint64_t{1}) * program.frame() : 0;
  }

  /// The number of the word that a lane knows as block `block` of part `part`.
  [[nodiscard]] PacketId piece(std::size_t lane, std::uint32_t part, std::uint32_t block) const {
    const std::uint64_t named =
        node_of_rank.empty() ? block : node_of_rank[lane / 2 * topology.nodes() + block];
    return named * combine.parts + part;
  }
};

/// A register a lane, fed by one in-port, with the lane's counter and the adder before it. Frames
/// of several slots: what arrives waits for the end of the frame, and out-ports without a lane
/// pass on. Where ranks are to be found, the first round after reset that nobody clears does that,
/// in blocks - 1 frames and without a result; they are known until the next reset.
class CombiningRouter : public CombiningModule {
 public:
  CombiningRouter(const sc_core::sc_module_name& name, std::shared_ptr<const CombiningPlan> plan,
                  NodeId node);

  void clear() override;
  void reset() override;
  std::uint64_t clock(const Edge<CombinedWord>& edge) override;
  [[nodiscard]] std::uint64_t max_queue() const override { return depth_; }
  /// A link has lost a word of a lane that runs along a cycle, or ranks were to be found and no
  /// word has come, or one to the node of rank 0.
  [[nodiscard]] bool error() const override { return error_; }
  /// The node's rank on a cycle: told, or found, 0 before.
  [[nodiscard]] std::uint32_t rank(std::size_t cycle) const { return lanes_[2 * cycle].rank; }

  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

 private:
  static constexpr std::uint8_t kNoPort = 0xff;
  /// A port in a slot of the frame.
  struct Place {
    std::uint8_t port = kNoPort;
    std::uint8_t slot = 0;
  };
  struct Lane {
    Place out;
    Place in;
    std::uint32_t rank = 0;
    /// The node has rank 0 on the cycle.
    bool head = false;
    /// The block that the register is about.
    std::uint32_t counter = 0;
    CombinedWord content;
    CombinedWord arrival;
  };
  struct Relay {
    Place out;
    Place in;
    CombinedWord content;
  };

  void wire();
  /// Of the plan, or of the round in which ranks are found.
  [[nodiscard]] std::span<const CombineLeg> legs() const {
    if (!knows_ranks_) return {&*plan_->discovery, 1};
    return plan_->combine.legs;
  }
  [[nodiscard]] const CombineLeg* leg() const {
    return leg_ < legs().size() ? &legs()[leg_] : nullptr;
  }
  void begin_leg();
  void end_frame(std::uint64_t cycle);
  void end_leg();
  [[nodiscard]] CombineStep next_operation();
  void take(CombineStep step);
  void write(std::size_t index, const CombineLane& lane, bool replace);
  [[nodiscard]] PacketId piece(std::size_t index, const CombineLane& lane) const;
  [[nodiscard]] CombinedWord own(PacketId piece) const;
  [[nodiscard]] CombinedWord contributed(PacketId piece) const;
  [[nodiscard]] CombinedWord combined(const CombinedWord& a, const CombinedWord& b) const;

  std::shared_ptr<const CombiningPlan> plan_;
  NodeId node_;
  std::uint32_t frame_;
  std::uint64_t depth_ = 1;
  std::vector<Lane> lanes_;
  std::vector<Relay> relays_;
  bool knows_ranks_;
  /// The node's vector, where it is kept.
  std::vector<CombinedWord> vector_;
  std::size_t leg_ = 0;
  std::uint64_t leg_step_ = 1;
  /// The run of operations that goes on, and how often it has been done.
  std::size_t run_ = 0;
  std::uint32_t done_ = 0;
  bool error_ = false;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
};

}  // namespace gossamer::systemc
