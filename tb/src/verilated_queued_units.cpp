// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_queued_units.hpp"

#include <Vgsm_line_stage_e1024.h>
#include <Vgsm_line_stage_e64.h>
#include <Vgsm_prefix_unit.h>
#include <fmt/format.h>
#include <verilated.h>

#include <stdexcept>

namespace gossamer::tb {

namespace {

/// What all units do: a model in the context that all of them share, as VerilatedRouters do.
template <typename Model, typename Pins>
class ClockedUnit : public VerilatedUnit<Pins> {
 public:
  ClockedUnit() : model_(context(), "unit") {
    model_.rst_ni = 1;
    model_.eval();
    model_.rst_ni = 0;
    model_.eval();
    model_.rst_ni = 1;
    model_.eval();
  }
  ~ClockedUnit() override { model_.final(); }

 protected:
  void edge() {
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }
  Model model_;

 private:
  static VerilatedContext* context() {
    static VerilatedContext shared;
    return &shared;
  }
};

class PrefixUnitOf final : public ClockedUnit<Vgsm_prefix_unit, PrefixUnitPins> {
 public:
  void clock() override {
    model_.clear_i = pins_.clear_i;
    model_.start_i = pins_.start_i;
    model_.own_i = pins_.own_i;
    model_.begin_i = pins_.begin_i;
    model_.kind_i = pins_.kind_i;
    model_.first_i = pins_.first_i;
    model_.last_i = pins_.last_i;
    model_.below_i = pins_.below_i;
    model_.above_i = pins_.above_i;
    model_.level_i = pins_.level_i;
    model_.root_level_i = pins_.root_level_i;
    model_.on_tree_i = pins_.on_tree_i;
    model_.up_valid_i = pins_.up_valid_i;
    model_.up_count_i = pins_.up_count_i;
    model_.down_valid_i = pins_.down_valid_i;
    model_.down_count_i = pins_.down_count_i;
    model_.down_total_i = pins_.down_total_i;
    edge();
    pins_.up_valid_o = model_.up_valid_o != 0;
    pins_.up_count_o = model_.up_count_o;
    pins_.down_valid_o = model_.down_valid_o != 0;
    pins_.down_count_o = model_.down_count_o;
    pins_.down_total_o = model_.down_total_o;
    pins_.before_o = model_.before_o;
    pins_.total_o = model_.total_o;
  }
};

template <typename Model>
class LineStageOf final : public ClockedUnit<Model, LineStagePins> {
 public:
  void clock() override {
    Model& model = this->model_;
    LineStagePins& pins = this->pins_;
    model.clear_i = pins.clear_i;
    model.active_i = pins.active_i;
    model.begin_i = pins.begin_i;
    model.own_valid_i = pins.own_valid_i;
    model.own_data_i = pins.own_data_i;
    model.own_hops_i = pins.own_hops_i;
    model.in_valid_i = pins.in_valid_i;
    model.in_data_i = pins.in_data_i;
    model.in_hops_i = pins.in_hops_i;
    model.eval();
    pins.overflow_o = model.overflow_o != 0;
    this->edge();
    pins.valid_o = model.valid_o != 0;
    pins.data_o = model.data_o;
    pins.hops_o = model.hops_o;
  }
};

}  // namespace

std::unique_ptr<VerilatedPrefixUnit> make_verilated_prefix_unit() {
  return std::make_unique<PrefixUnitOf>();
}

std::unique_ptr<VerilatedLineStage> make_verilated_line_stage(std::uint32_t entries) {
  if (entries > kMaxVerilatedOwnPackets) {
    throw std::invalid_argument(
        fmt::format("a Verilated line stage has room for {} packets, not {}",
                    kMaxVerilatedOwnPackets, entries));
  }
  if (entries <= 64) return std::make_unique<LineStageOf<Vgsm_line_stage_e64>>();
  return std::make_unique<LineStageOf<Vgsm_line_stage_e1024>>();
}

}  // namespace gossamer::tb
