// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_queued_units.hpp"

#include <Vgsm_line_stage_e1024.h>
#include <Vgsm_line_stage_e64.h>
#include <Vgsm_prefix_unit.h>
#include <fmt/format.h>

#include <stdexcept>

#include "clocked_model.hpp"

namespace gossamer::tb {

namespace {

class PrefixUnitOf final : public VerilatedPrefixUnit {
 public:
  PrefixUnitOf() { model_.reset(); }

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
    model_.edge();
    pins_.up_valid_o = model_.up_valid_o != 0;
    pins_.up_count_o = model_.up_count_o;
    pins_.down_valid_o = model_.down_valid_o != 0;
    pins_.down_count_o = model_.down_count_o;
    pins_.down_total_o = model_.down_total_o;
    pins_.before_o = model_.before_o;
    pins_.total_o = model_.total_o;
  }

 private:
  ClockedModel<Vgsm_prefix_unit> model_{"prefix_unit"};
};

template <typename Model>
class LineStageOf final : public VerilatedLineStage {
 public:
  LineStageOf() { model_.reset(); }

  void clock() override {
    model_.clear_i = pins_.clear_i;
    model_.active_i = pins_.active_i;
    model_.begin_i = pins_.begin_i;
    model_.own_valid_i = pins_.own_valid_i;
    model_.own_data_i = pins_.own_data_i;
    model_.own_hops_i = pins_.own_hops_i;
    model_.in_valid_i = pins_.in_valid_i;
    model_.in_data_i = pins_.in_data_i;
    model_.in_hops_i = pins_.in_hops_i;
    model_.eval();
    pins_.overflow_o = model_.overflow_o != 0;
    model_.edge();
    pins_.valid_o = model_.valid_o != 0;
    pins_.data_o = model_.data_o;
    pins_.hops_o = model_.hops_o;
  }

 private:
  ClockedModel<Model> model_{"line_stage"};
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
