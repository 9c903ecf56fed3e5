// SPDX-License-Identifier: Apache-2.0
/// Nodes whose steps move packets of words and wait for adders (plan/step_pipeline.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gossamer/plan/step_pipeline.hpp"
#include "gossamer/systemc/combining.hpp"

namespace gossamer::systemc {

/// A node whose steps move packets: a module of single words for each word of a packet. A word that
/// one of them sends is on the link step_cycles after the arrivals that it used, and a result is
/// written result_cycles after them.
class PipelinedModule final : public CombiningModule {
 public:
  /// Makes the module of word `flit` of all packets.
  using WordFactory =
      std::function<std::unique_ptr<CombiningModule>(const char* name, std::uint32_t flit)>;

  /// `steps`: those of the plan.
  PipelinedModule(const sc_core::sc_module_name& name, const StepPipeline& pipeline,
                  std::uint64_t steps, int ports, const WordFactory& make_word);

  void clear() override;
  std::uint64_t clock(const Edge<CombinedWord>& edge) override;
  [[nodiscard]] bool error() const override;
  [[nodiscard]] std::uint64_t max_queue() const override { return words_.front()->max_queue(); }
  [[nodiscard]] std::uint64_t conflicts() const override { return words_.front()->conflicts(); }
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override;

 private:
  /// Words and results on their way: the cycle whose edge puts them on the link, or writes them.
  struct Sent {
    std::uint64_t cycle;
    std::size_t port;
    CombinedWord word;
  };
  struct Written {
    std::uint64_t cycle;
    std::vector<Result> results;
  };

  StepPipeline pipeline_;
  std::uint64_t steps_;
  std::size_t ports_;
  std::vector<std::unique_ptr<CombiningModule>> words_;
  /// The ports of a word's module; one more than there are, which is always idle.
  std::vector<LinkId> slots_;
  std::vector<CombinedWord> arrivals_;
  std::vector<CombinedWord> driven_;
  std::deque<Sent> sent_;
  std::deque<Written> written_;
};

}  // namespace gossamer::systemc
