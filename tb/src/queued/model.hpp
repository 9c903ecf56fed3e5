// SPDX-License-Identifier: Apache-2.0
/// Verilated units of queued routers with the interface of their pins.
#pragma once

#include <array>
#include <vector>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "../models/verilated_signal.hpp"
#include "gossamer/tb/queued/verilated_units.hpp"

namespace gossamer::tb {

template <typename Model>
class PrefixUnitOf final : public VerilatedPrefixUnit {
 public:
  PrefixUnitOf() { model_.reset(); }

  void clock() override {
    model_.clear_i = pins_.clear_i;
    model_.start_i = pins_.start_i;
    model_.own_i = pins_.own_i;
    model_.lost_i = pins_.lost_i;
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
    pins_.missing_o = model_.missing_o != 0;
  }

 private:
  ClockedModel<Model> model_{"prefix_unit"};
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

/// Packs two fields of 16 bits.
inline std::uint32_t pair_of(std::uint16_t low, std::uint16_t high) {
  return low | std::uint32_t{high} << 16U;
}

/// The i-th of fields of 64 bits.
template <typename Signal>
void set_data(Signal& signal, std::size_t i, std::uint64_t data) {
  signal[2 * i] = static_cast<std::uint32_t>(data);
  signal[2 * i + 1] = static_cast<std::uint32_t>(data >> 32U);
}
template <typename Signal>
std::uint64_t data_of(const Signal& signal, std::size_t i) {
  return signal[2 * i] | std::uint64_t{signal[2 * i + 1]} << 32U;
}

/// Keys and numbers of links have 16 bits, data 64. The model has room for `kRanks` packets.
template <typename Model, std::size_t kRanks>
class ClassUnitOf final : public VerilatedClassUnit {
 public:
  ClassUnitOf() { model_.reset(); }

  void clock() override {
    model_.clear_i = pins_.clear_i;
    model_.load_i = pins_.load_i;
    model_.load_valid_i = bits(pins_.load_valid_i);
    model_.load_key_i = pins_.load_key_i;
    model_.active_i = pins_.active_i;
    model_.begin_i = pins_.begin_i;
    model_.broadcast_i = pins_.broadcast_i;
    model_.keep_i = pins_.keep_i;
    model_.halves_i = pins_.halves_i;
    model_.half_i = pins_.half_i;
    model_.linked_i = bits(pins_.linked_i);
    model_.hops_i = pair_of(pins_.hops_i[0], pins_.hops_i[1]);
    model_.alternate_i = pins_.alternate_i;
    model_.in_valid_i = bits({pins_.in_i[0].valid, pins_.in_i[1].valid});
    model_.in_key_i = pair_of(pins_.in_i[0].key, pins_.in_i[1].key);
    model_.in_hops_i = pair_of(pins_.in_i[0].hops, pins_.in_i[1].hops);
    for (std::size_t d = 0; d < 2; ++d) {
      set_data(model_.in_data_i, d, pins_.in_i[d].data);
      set_data(model_.load_data_i, d, pins_.load_data_i[d]);
      if (!pins_.begin_i) continue;
      for (std::size_t rank = 0; rank < kRanks; ++rank) {
        const std::vector<bool>& wants = pins_.wants_i[d];
        put(model_.wants_i, d * kRanks + rank, 1, rank < wants.size() && wants[rank] ? 1 : 0);
      }
    }
    model_.eval();
    pins_.fault_o = model_.fault_o != 0;
    for (std::size_t d = 0; d < 2; ++d) pins_.waiting_o[d] = half_of(model_.waiting_o, d);
    model_.edge();
    for (std::size_t d = 0; d < 2; ++d) {
      pins_.out_o[d] = {(model_.out_valid_o >> d & 1U) != 0, data_of(model_.out_data_o, d),
                        half_of(model_.out_key_o, d), half_of(model_.out_hops_o, d)};
    }
  }

 private:
  static std::uint8_t bits(const std::array<bool, 2>& pair) {
    return static_cast<std::uint8_t>((pair[0] ? 1U : 0U) | (pair[1] ? 2U : 0U));
  }
  static std::uint16_t half_of(std::uint32_t pair, std::size_t d) {
    return static_cast<std::uint16_t>(pair >> (16U * d));
  }
  ClockedModel<Model> model_{"class_unit"};
};

/// Coordinates have 16 bits, data 64. The model has room for `kOwn` own packets.
template <typename Model, std::size_t kOwn>
class ExchangeUnitOf final : public VerilatedExchangeUnit {
 public:
  ExchangeUnitOf() { model_.reset(); }

  void clock() override {
    model_.clear_i = pins_.clear_i;
    model_.load_i = pins_.load_i;
    for (std::size_t i = 0; i < kOwn && pins_.load_i; ++i) {
      const Word own = i < pins_.own_i.size() ? pins_.own_i[i] : Word{};
      put(model_.load_valid_i, i, 1, own.valid ? 1 : 0);
      put(model_.own_x_first_i, i, 1, own.x_first ? 1 : 0);
      model_.own_to_i[i] = own.to;
      set_data(model_.own_data_i, i, own.data);
    }
    model_.here_i = pins_.here_i;
    model_.active_i = pins_.active_i;
    for (std::size_t q = 0; q < 4; ++q) {
      const Word& in = pins_.in_i[q];
      put(model_.in_valid_i, q, 1, in.valid ? 1 : 0);
      put(model_.in_x_first_i, q, 1, in.x_first ? 1 : 0);
      model_.in_to_i[q] = in.to;
      set_data(model_.in_data_i, q, in.data);
    }
    model_.eval();
    pins_.fault_o = model_.fault_o != 0;
    for (std::size_t p = 0; p < 4; ++p) {
      pins_.waiting_o[p] = static_cast<std::uint16_t>(model_.waiting_o >> (16U * p));
    }
    model_.edge();
    for (std::size_t p = 0; p < 4; ++p) {
      pins_.out_o[p] = {(model_.out_valid_o >> p & 1U) != 0, (model_.out_x_first_o >> p & 1U) != 0,
                        model_.out_to_o[p], data_of(model_.out_data_o, p)};
    }
  }

 private:
  using Word = ExchangeUnitPins::Word;

  ClockedModel<Model> model_{"exchange_unit"};
};

}  // namespace gossamer::tb
