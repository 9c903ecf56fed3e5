// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/stretched_engine.hpp"

#include <algorithm>
#include <utility>

#include "gossamer/sim/restartable.hpp"

namespace gossamer {

namespace {

class StretchedEngine final : public Engine, public Restartable {
 public:
  StretchedEngine(std::unique_ptr<Engine> engine, std::uint64_t cycles)
      : engine_(std::move(engine)), cycles_(cycles) {}

  [[nodiscard]] std::string_view name() const override { return engine_->name(); }
  [[nodiscard]] LinkView links() override {
    LinkView view = engine_->links();
    view.begins = view.begins && passed_ == 0;
    view.cycle = view.cycle * cycles_ + passed_;
    return view;
  }
  void clock(std::uint64_t cycles) override {
    engine_->clock((passed_ + cycles) / cycles_);
    passed_ = (passed_ + cycles) % cycles_;
  }
  /// Throws std::bad_cast for an engine that cannot be restarted.
  void restart() override {
    dynamic_cast<Restartable&>(*engine_).restart();
    passed_ = 0;
  }
  [[nodiscard]] std::uint64_t quiet() const override { return cycles_ - 1 - passed_; }
  [[nodiscard]] bool done() const override { return engine_->done(); }
  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics = engine_->statistics();
    statistics.cycles = statistics.cycles * cycles_ + passed_;
    return statistics;
  }
  [[nodiscard]] bool error(NodeId node) const override { return engine_->error(node); }
  bool upset(LinkId link, const Upset& upset) override { return engine_->upset(link, upset); }
  void force(LinkId link, PacketId packet) override { engine_->force(link, packet); }

 private:
  std::unique_ptr<Engine> engine_;
  std::uint64_t cycles_;
  /// Cycles of the present step that are over.
  std::uint64_t passed_ = 0;
};

}  // namespace

std::unique_ptr<Engine> stretched(std::unique_ptr<Engine> engine, std::uint64_t cycles) {
  if (cycles == 1) return engine;
  return std::make_unique<StretchedEngine>(std::move(engine), cycles);
}

}  // namespace gossamer
