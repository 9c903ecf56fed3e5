// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_line.hpp"

#include <Vgsm_line_stage_b0.h>
#include <Vgsm_line_stage_b1.h>
#include <Vgsm_prefix_unit_000.h>
#include <Vgsm_prefix_unit_001.h>
#include <Vgsm_prefix_unit_010.h>
#include <Vgsm_prefix_unit_011.h>
#include <Vgsm_prefix_unit_100.h>
#include <Vgsm_prefix_unit_101.h>
#include <verilated.h>

namespace gossamer::tb {

namespace {

/// All models share a context.
VerilatedContext* context() {
  static VerilatedContext shared;
  return &shared;
}

template <typename Model>
void edge(Model& model) {
  model.clk_i = 1;
  model.eval();
  model.clk_i = 0;
  model.eval();
}

template <typename Model>
void reset(Model& model) {
  model.rst_ni = 1;
  model.eval();
  model.rst_ni = 0;
  model.eval();
  model.rst_ni = 1;
  edge(model);
}

template <typename Model>
class LineStageOf final : public VerilatedLineStage {
 public:
  LineStageOf() : model_(context(), "line_stage") { reset(model_); }
  ~LineStageOf() override { model_.final(); }
  LineStageOf(const LineStageOf&) = delete;
  LineStageOf& operator=(const LineStageOf&) = delete;

  void load(const LinePacket& packet) override {
    model_.load_valid_i = 1;
    model_.load_hops_i = static_cast<std::uint16_t>(packet.hops);
    model_.load_data_i = packet.data;
    edge(model_);
    model_.load_valid_i = 0;
  }
  void clock(const std::optional<LinePacket>& arrival) override {
    model_.run_i = 1;
    model_.in_valid_i = arrival ? 1 : 0;
    model_.in_hops_i = static_cast<std::uint16_t>(arrival ? arrival->hops : 0);
    model_.in_data_i = arrival ? arrival->data : 0;
    edge(model_);
  }
  [[nodiscard]] std::optional<LinePacket> out() const override {
    if (model_.out_valid_o == 0) return std::nullopt;
    return LinePacket{model_.out_data_o, model_.out_hops_o};
  }
  [[nodiscard]] bool error() const override { return model_.error_o != 0; }

 private:
  Model model_;
};

template <typename Model>
class PrefixUnitOf final : public VerilatedPrefixUnit {
 public:
  PrefixUnitOf() : model_(context(), "prefix_unit") { reset(model_); }
  ~PrefixUnitOf() override { model_.final(); }
  PrefixUnitOf(const PrefixUnitOf&) = delete;
  PrefixUnitOf& operator=(const PrefixUnitOf&) = delete;

  void start(std::uint32_t own) override {
    model_.start_i = 1;
    model_.own_i = own;
    clock({}, {});
    model_.start_i = 0;
  }
  void clock(const std::optional<PrefixMessage>& up,
             const std::optional<PrefixMessage>& down) override {
    model_.up_valid_i = up ? 1 : 0;
    model_.up_count_i = up ? up->count : 0;
    model_.down_valid_i = down ? 1 : 0;
    model_.down_count_i = down ? down->count : 0;
    model_.down_total_i = down ? down->total : 0;
    // The last dimension's line: what its last node has counted is all there is.
    model_.eval();
    model_.line_valid_i = model_.line_valid_o;
    model_.line_before_i = 0;
    model_.line_total_i = model_.line_count_o;
    edge(model_);
  }
  [[nodiscard]] std::optional<PrefixMessage> up() const override {
    if (model_.up_valid_o == 0) return std::nullopt;
    return PrefixMessage{model_.up_count_o, 0};
  }
  [[nodiscard]] std::optional<PrefixMessage> down() const override {
    if (model_.down_valid_o == 0) return std::nullopt;
    return PrefixMessage{model_.down_count_o, model_.down_total_o};
  }
  [[nodiscard]] bool done() const override { return model_.done_o != 0; }
  [[nodiscard]] std::uint32_t before() const override { return model_.before_o; }
  [[nodiscard]] std::uint32_t total() const override { return model_.total_o; }

 private:
  Model model_;
};

}  // namespace

std::unique_ptr<VerilatedLineStage> make_verilated_line_stage(bool border) {
  if (border) return std::make_unique<LineStageOf<Vgsm_line_stage_b1>>();
  return std::make_unique<LineStageOf<Vgsm_line_stage_b0>>();
}

std::unique_ptr<VerilatedPrefixUnit> make_verilated_prefix_unit(LinePlace place, bool two_way) {
  switch (place) {
    case LinePlace::kFirst:
      if (two_way) return std::make_unique<PrefixUnitOf<Vgsm_prefix_unit_101>>();
      return std::make_unique<PrefixUnitOf<Vgsm_prefix_unit_100>>();
    case LinePlace::kMiddle:
      if (two_way) return std::make_unique<PrefixUnitOf<Vgsm_prefix_unit_001>>();
      return std::make_unique<PrefixUnitOf<Vgsm_prefix_unit_000>>();
    case LinePlace::kLast:
      break;
  }
  if (two_way) return std::make_unique<PrefixUnitOf<Vgsm_prefix_unit_011>>();
  return std::make_unique<PrefixUnitOf<Vgsm_prefix_unit_010>>();
}

}  // namespace gossamer::tb
