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

/// State shared by all routers of a combining program.
struct CombiningPlan {
  /// `plan` must hold a RingProgram that combines, and outlive this object. `find_ranks`: nodes
  /// know only whether their rank is 0, and find their ranks in the first round after reset. Throws
  /// InputError if ranks must be found and the plan has none.
  /// `flit`: the word of every packet that the routers combine.
  explicit CombiningPlan(const Plan& plan, const Arithmetic& arithmetic = {},
                         bool find_ranks = false, std::uint32_t flit = 0);

  const Topology& topology;
  const RingProgram& program;
  const Combination& combine;
  Arithmetic arithmetic;
  std::uint32_t flit;
  /// By cycle, then rank: the node. Empty when blocks belong to no nodes.
  std::vector<NodeId> node_of_rank;
  /// Operation of the lanes in the round that finds ranks, as in gsm_rank_discovery. Nodes of rank
  /// 0 send a word along the forward lane of each cycle, all others pass it on, and the rank is the
  /// step of its arrival. Empty if ranks are configured.
  std::optional<CombineLeg> discovery;
  /// Own words are read again after they were written, so a node must store them.
  bool keeps_vector = false;

  /// Cycles of the round that finds ranks; 0 if ranks are configured.
  [[nodiscard]] std::uint64_t finding_cycles() const {
    return discovery ? (combine.blocks - std::uint64_t{1}) * program.frame() : 0;
  }

  /// The number of the word that a lane uses as block `block` of part `part`.
  [[nodiscard]] PacketId piece(std::size_t lane, std::uint32_t part, std::uint32_t block) const {
    const std::uint64_t named =
        node_of_rank.empty() ? block : node_of_rank[lane / 2 * topology.nodes() + block];
    return named * combine.parts + part;
  }
  /// The value that a node contributes to word `word` of the packet `piece`.
  [[nodiscard]] std::uint64_t contribution(NodeId node, PacketId piece, std::uint64_t word) const {
    return arithmetic.word(node, piece * program.flits + word, combine.words() * program.flits,
                           topology.nodes());
  }
};

/// One register per lane, fed by one in-port, with the lane's counter and an adder before it. With
/// frames of several slots, arrivals wait for the end of the frame, and out-ports without a lane
/// pass on. If ranks must be found, the first round after reset that is not cleared does this, in
/// blocks - 1 frames and without a result. The ranks are kept until the next reset.
class CombiningRouter : public CombiningModule {
 public:
  CombiningRouter(const sc_core::sc_module_name& name, std::shared_ptr<const CombiningPlan> plan,
                  NodeId node);

  void clear() override;
  void reset() override;
  std::uint64_t clock(const Edge<CombinedWord>& edge) override;
  [[nodiscard]] std::uint64_t max_queue() const override { return depth_; }
  /// A link has lost a word of a lane that runs along a cycle; or, in the round that finds ranks,
  /// no word has arrived, or one has arrived at the node of rank 0.
  [[nodiscard]] bool error() const override { return error_; }
  /// The node's rank on a cycle, configured or found; 0 before it is found.
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
    /// The block of the register.
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
  /// The program of the plan, or of the round that finds ranks.
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
  void write(std::size_t index, const CombineLane& lane, CombinedWord word);
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
  /// The node's vector, if it is stored.
  std::vector<CombinedWord> vector_;
  std::size_t leg_ = 0;
  std::uint64_t leg_step_ = 1;
  /// The current run of operations, and the number of its repetitions.
  std::size_t run_ = 0;
  std::uint32_t done_ = 0;
  bool error_ = false;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
};

}  // namespace gossamer::systemc
