// SPDX-License-Identifier: Apache-2.0
/// The router of packed trees with its network interface as a module of the fabric
/// (plan/tree_program.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gossamer/systemc/combining_router.hpp"

namespace gossamer::systemc {

/// What all routers of packed trees have in common.
struct TreePlan {
  /// `plan` must hold a TreeProgram, and outlive it.
  explicit TreePlan(const Plan& plan);

  const Topology& topology;
  const TreeProgram& program;
  TreeWords dealt;
};

/// For each stream a register that adds up what children send, and one for the last total; a
/// counter of steps tells it whose turn it is.
class TreeRouter final : public CombiningModule {
 public:
  TreeRouter(const sc_core::sc_module_name& name, std::shared_ptr<const TreePlan> plan,
             NodeId node);

  void clear() override;
  std::uint64_t clock(const Edge<CombinedWord>& edge) override;
  [[nodiscard]] std::uint64_t max_queue() const override { return 1; }
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

 private:
  /// A link to or from this node as a stream uses it.
  struct Use {
    std::uint32_t stream;
    Port port;
    /// Step of the first word.
    std::uint32_t first;
    /// Totals, not sums.
    bool down;
  };
  /// The number of the word that the stream is at in `step`; kNoPacket: not its turn, or over.
  [[nodiscard]] PacketId due(std::uint32_t stream, std::uint32_t first, std::uint64_t step) const;
  CombinedWord take_sum(std::uint32_t stream, PacketId packet);
  void conclude(std::uint32_t stream, const CombinedWord& total);

  std::shared_ptr<const TreePlan> plan_;
  NodeId node_;
  std::vector<Use> heard_;
  std::vector<Use> sent_;
  /// By stream.
  std::vector<CombinedWord> sums_;
  std::vector<CombinedWord> totals_;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
};

/// The engine of packed trees: a TreeRouter at every node.
[[nodiscard]] std::unique_ptr<Engine> make_systemc_tree_engine(const Plan& plan,
                                                               const SystemcOptions& options);

}  // namespace gossamer::systemc
