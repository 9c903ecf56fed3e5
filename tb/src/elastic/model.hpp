// SPDX-License-Identifier: Apache-2.0
/// A Verilated gsm_elastic_router with the interface ElasticRouterPins.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "../models/verilated_signal.hpp"
#include "gossamer/tb/elastic/verilated_router.hpp"

namespace gossamer::tb {

/// Data bits of the models, and bits of the number of an arrival. From bit 0: contributions (32),
/// value (64), packet (64), number in the packet (31). Above them a link has the bit that ends a
/// chunk, so that a flit on a link is six words of 32 bits.
constexpr std::size_t kFlitBits = 191;
constexpr std::size_t kLinkWords = 6;
constexpr std::size_t kNumberBits = 16;

constexpr std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_word(std::uint64_t value) { return low_word(value >> 32U); }

/// `Model` has `kPorts` ports and queues of up to `kSlots` flits.
template <typename Model, std::size_t kPorts, std::uint32_t kSlots>
class ElasticRouterOf final : public VerilatedElasticRouter {
 public:
  explicit ElasticRouterOf(const ElasticRouterTable& table)
      : ports_(table.outs.size()), model_("elastic_router") {
    if (ports_ > kPorts || table.slots > kSlots) {
      throw std::invalid_argument("no Verilated elastic router is large enough");
    }
    put(model_.slots_i, 0, 8, table.slots);
    for (std::size_t p = 0; p < ports_; ++p) {
      const ElasticRouterTable::Out& out = table.outs[p];
      put(model_.own_i, p, 1, out.own ? 1 : 0);
      put(model_.take_i, p, 1, table.takes[p] != 0 ? 1 : 0);
      if (table.takes[p] != 0) {
        put(model_.take_last_i, p * kNumberBits, kNumberBits, table.takes[p] - 1);
      }
      if (!out.feed) continue;
      put(model_.feed_i, p * kPorts + *out.feed, 1, 1);
      put(model_.pass_i, p, 1, 1);
      put(model_.pass_last_i, p * kNumberBits, kNumberBits, out.passes - 1);
    }
    clear();
  }

  void clear() override {
    model_.s_valid_i = model_.m_ready_i = model_.in_valid_i = model_.out_ready_i = 0;
    model_.reset();
    clock();
  }

  void settle(ElasticRouterPins& pins) override {
    model_.s_valid_i = static_cast<CData>(pins.s_valid_i.bits());
    model_.m_ready_i = static_cast<CData>(pins.m_ready_i.bits());
    model_.in_valid_i = static_cast<CData>(pins.in_valid_i.bits());
    model_.out_ready_i = static_cast<CData>(pins.out_ready_i.bits());
    model_.add_i = static_cast<CData>(pins.add_i.bits());
    for (const Port p : pins.s_valid_i) {
      const std::array<std::uint32_t, kLinkWords> words = words_of(pins.s_data_i[p]);
      for (std::size_t i = 0; i < kLinkWords; ++i) {
        put(model_.s_data_i, p * kFlitBits + 32 * i, std::min<std::size_t>(32, kFlitBits - 32 * i),
            i + 1 == kLinkWords ? words[i] & ~kLastBit : words[i]);
      }
      put(model_.s_last_i, p, 1, pins.s_data_i[p].last ? 1 : 0);
    }
    for (const Port p : pins.in_valid_i) {
      const std::array<std::uint32_t, kLinkWords> words = words_of(pins.in_data_i[p]);
      for (std::size_t i = 0; i < kLinkWords; ++i) model_.in_data_i[kLinkWords * p + i] = words[i];
    }
    model_.eval();
    pins.s_ready_o = PortSet(model_.s_ready_o);
    pins.m_valid_o = PortSet(model_.m_valid_o);
    pins.in_ready_o = PortSet(model_.in_ready_o);
    pins.out_valid_o = PortSet(model_.out_valid_o);
    for (const Port p : pins.out_valid_o) {
      const auto word = [&](std::size_t i) { return model_.out_data_o[kLinkWords * p + i]; };
      const auto both = [&](std::size_t i) { return word(i) | std::uint64_t{word(i + 1)} << 32U; };
      pins.out_data_o[p] = {both(3), word(5) & ~kLastBit, (word(5) & kLastBit) != 0, both(1),
                            word(0)};
    }
  }

  void clock() override { model_.edge(); }

 private:
  static constexpr std::uint32_t kLastBit = 1U << 31U;
  static std::array<std::uint32_t, kLinkWords> words_of(const ElasticFlit& flit) {
    return {flit.terms,
            low_word(flit.value),
            high_word(flit.value),
            low_word(flit.packet),
            high_word(flit.packet),
            flit.flit | (flit.last ? kLastBit : 0U)};
  }

  std::size_t ports_;
  ClockedModel<Model> model_;
};

}  // namespace gossamer::tb
