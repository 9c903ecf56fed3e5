// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/interleaved_engine.hpp"

#include <deque>
#include <utility>

#include "gossamer/sim/shown_words.hpp"

namespace gossamer {

namespace {

class InterleavedEngine final : public Engine {
 public:
  InterleavedEngine(std::vector<std::unique_ptr<Engine>> words, const StepPipeline& pipeline,
                    std::uint64_t steps)
      : words_(std::move(words)),
        pipeline_(pipeline),
        steps_(steps),
        idle_(words_.front()->links().packets.size()) {}

  [[nodiscard]] std::string_view name() const override { return words_.front()->name(); }
  [[nodiscard]] LinkView links() override {
    const auto [step, flit] = pipeline_.place(cycle_, steps_);
    LinkView view = moves() ? words_[flit]->links() : idle_.in(step);
    view.cycle = cycle_;
    view.step = step;
    view.flit = flit;
    view.results = results_;
    view.begins = flit < pipeline_.flits || !results_.empty();
    return view;
  }
  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) next();
  }
  [[nodiscard]] bool done() const override {
    return words_.back()->done() && cycle_ >= pipeline_.cycles(steps_);
  }
  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics = words_.front()->statistics();
    statistics.cycles = cycle_;
    return statistics;
  }
  bool upset(LinkId link, const Upset& upset) override {
    return moves() && words_[flit()]->upset(link, upset);
  }
  void force(LinkId link, PacketId packet) override {
    if (moves()) words_[flit()]->force(link, packet);
  }

 private:
  /// Results, and the cycle in which they are shown.
  struct Due {
    std::uint64_t cycle;
    std::vector<Result> results;
  };

  [[nodiscard]] std::uint64_t flit() const { return pipeline_.place(cycle_, steps_).flit; }
  /// Words are on the links.
  [[nodiscard]] bool moves() const {
    const auto [step, flit] = pipeline_.place(cycle_, steps_);
    return flit < pipeline_.flits && step <= steps_;
  }

  void next() {
    if (moves()) {
      Engine& word = *words_[flit()];
      word.clock(1);
      const auto written = word.links().results;
      if (!written.empty()) {
        due_.push_back({cycle_ + 1 + pipeline_.result_cycles, {written.begin(), written.end()}});
        for (Result& result : due_.back().results) {
          result.packet = result.packet * pipeline_.flits + flit();
        }
      }
    }
    ++cycle_;
    results_.clear();
    if (due_.empty() || due_.front().cycle != cycle_) return;
    results_ = std::move(due_.front().results);
    due_.pop_front();
  }

  std::vector<std::unique_ptr<Engine>> words_;
  StepPipeline pipeline_;
  std::uint64_t steps_;
  ShownWords idle_;
  std::uint64_t cycle_ = 0;
  std::deque<Due> due_;
  std::vector<Result> results_;
};

}  // namespace

std::unique_ptr<Engine> interleaved(std::vector<std::unique_ptr<Engine>> words,
                                    const StepPipeline& pipeline, std::uint64_t steps) {
  return std::make_unique<InterleavedEngine>(std::move(words), pipeline, steps);
}

}  // namespace gossamer
