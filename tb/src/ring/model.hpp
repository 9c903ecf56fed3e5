// SPDX-License-Identifier: Apache-2.0
/// Verilated gsm_combining_node and gsm_rank_discovery with the pins of VerilatedCombiningNode.
#pragma once

#include <optional>
#include <type_traits>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "../models/verilated_signal.hpp"
#include "gossamer/plan/combination.hpp"
#include "gossamer/tb/ring/verilated_node.hpp"

namespace gossamer::tb {

/// Bits of a word: terms, then the value, so that no carry leaves the terms.
constexpr std::size_t kWordBits = 96;
/// The format of the models of rtl/CMakeLists.txt; they have one lane per port.
constexpr LegFormat model_format(std::uint32_t ports) { return {ports, 30, 28, 31, kMaxRuns}; }

/// Words of 32 bits of any Verilator signal.
template <typename Signal>
std::uint32_t word_of(const Signal& signal, std::size_t index) {
  if constexpr (std::is_integral_v<Signal>) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(signal) >> (32 * index));
  } else {
    return signal[index];
  }
}

template <typename Signal>
std::uint32_t bits_of(const Signal& signal, std::size_t lsb, std::size_t width) {
  std::uint64_t value = word_of(signal, lsb / 32);
  if (lsb % 32 + width > 32) value |= std::uint64_t{word_of(signal, lsb / 32 + 1)} << 32U;
  return static_cast<std::uint32_t>((value >> (lsb % 32)) & ((std::uint64_t{1} << width) - 1));
}

template <typename Signal>
void put_word(Signal& signal, std::size_t index, const CountedWord& word) {
  signal[3 * index] = word.terms;
  signal[3 * index + 1] = static_cast<std::uint32_t>(word.value);
  signal[3 * index + 2] = static_cast<std::uint32_t>(word.value >> 32U);
}

template <typename Signal>
CountedWord word_at(const Signal& signal, std::size_t index) {
  return {signal[3 * index + 1] | std::uint64_t{signal[3 * index + 2]} << 32U, signal[3 * index]};
}
static_assert(kWordBits == 3 * 32);

/// `Model` has `kPorts` ports and lanes and frames of `kFrame` slots. The node in it uses the first
/// `ports` of them, and all slots or one. `Discovery` has the same number of lanes.
template <typename Model, typename Discovery, std::uint32_t kPorts, std::uint32_t kFrame>
class NodeOf final : public VerilatedCombiningNode {
 public:
  NodeOf(const Combination& combination, int ports, const CombiningWiring& wiring, NodeId node,
         bool find_ranks, decltype(put_leg)& writer, const PacketCycles& packets)
      : combination_(combination),
        put_leg_(writer),
        ports_(static_cast<std::size_t>(ports)),
        lanes_(wiring.in.size()),
        model_("combining_node") {
    constexpr std::size_t kColumns = std::size_t{kPorts} * kFrame;
    constexpr LegFormat kFormat = model_format(kPorts);
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (wiring.in[l]) put(model_.lane_in_i, l * kColumns + *wiring.in[l], 1, 1);
      if (wiring.out[l]) put(model_.lane_out_i, l * kColumns + *wiring.out[l], 1, 1);
    }
    for (const auto& [out, in] : wiring.relays) put(model_.relay_i, out * kColumns + in, 1, 1);
    model_.blocks_i = combination.blocks;
    model_.flits_i = static_cast<SData>(packets.pipeline.flits);
    model_.step_cycles_i = static_cast<SData>(packets.pipeline.step_cycles);
    model_.adder_cycles_i = static_cast<CData>(packets.adder_cycles);
    model_.result_cycles_i = static_cast<CData>(packets.pipeline.result_cycles);
    if (find_ranks) {
      discovery_.emplace("rank_discovery");
      discovery_->blocks_i = combination.blocks;
      discovery_->legs_i = static_cast<SData>(combination.legs.size());
      // Cycles that exist only in the model need not wait for a word.
      put(discovery_->heads_i, 0, kPorts / 2, ~std::uint32_t{0});
    }
    for (std::size_t c = 0; c < combination.cycles(); ++c) {
      const std::uint32_t rank = combination.ranks[node * combination.cycles() + c];
      if (find_ranks) {
        put(discovery_->heads_i, c, 1, rank == 0 ? 1 : 0);
      } else {
        put(model_.ranks_i, c * kFormat.block_bits, kFormat.block_bits, rank);
      }
    }
    model_.legs_i = static_cast<SData>(combination.legs.size());
    reset();
  }

  void reset() override {
    model_.reset();
    if (discovery_) discovery_->reset();
    clear();
  }

  void clear() override {
    model_.clear_i = 1;
    pins_.start_i = false;
    pins_.in_valid_i = PortSet();
    settle();
    clock();
    model_.clear_i = 0;
  }

  void settle() override {
    using Bits = std::remove_reference_t<decltype(model_.in_valid_i)>;
    model_.start_i = pins_.start_i ? 1 : 0;
    model_.in_valid_i = static_cast<Bits>(pins_.in_valid_i.bits());
    for (std::size_t p = 0; p < ports_; ++p) put_word(model_.in_data_i, p, pins_.in_data_i[p]);
    for (std::size_t l = 0; l < lanes_; ++l) {
      put_word(model_.operand_data_i, l, pins_.operand_data_i[l]);
      put_word(model_.first_data_i, l, pins_.first_data_i[l]);
    }
    model_.eval();
    if (discovery_) show_discovery();
    read();
  }

  void clock() override {
    model_.edge();
    if (discovery_) discovery_->edge();
    // The legs' words follow their numbers in the same cycle.
    show_leg(discovery_ ? discovery_->leg_i : model_.leg_i, model_.leg_o, present_);
    show_leg(discovery_ ? discovery_->next_leg_i : model_.next_leg_i, model_.next_leg_o, next_);
    if (discovery_) discover();
    model_.eval();
    if (discovery_) show_discovery();
    read();
  }

 private:
  /// The outputs of the discovery for the node, which depend on registers and legs only.
  void discover() {
    discovery_->eval();
    model_.legs_i = discovery_->legs_o;
    model_.leg_i = discovery_->leg_o;
    model_.next_leg_i = discovery_->next_leg_o;
    model_.ranks_i = discovery_->ranks_o;
  }
  /// The outputs of the node for the discovery.
  void show_discovery() {
    discovery_->start_i = model_.start_i;
    discovery_->step_i = model_.step_o;
    discovery_->write_valid_i = model_.write_valid_o;
    discovery_->last_i = model_.last_o;
    discovery_->eval();
  }
  /// Puts the word of a leg on the pins, unless it is there; there is no word after the last leg.
  template <typename Signal>
  void show_leg(Signal& signal, std::size_t number, std::optional<std::size_t>& shown) {
    if (number >= combination_.legs.size() || shown == number) return;
    shown = number;
    put_leg_(combination_, combination_.legs[number], model_format(kPorts), 0,
             [&signal](std::size_t lsb, std::size_t width, std::uint32_t value) {
               put(signal, lsb, width, value);
             });
  }

  void read() {
    constexpr std::size_t kAddress = model_format(kPorts).address_bits;
    pins_.first_o = model_.first_o != 0;
    pins_.busy_o = model_.busy_o != 0;
    const bool known = !discovery_ || discovery_->known_o != 0;
    pins_.fault_o = known ? model_.fault_o != 0 : discovery_->fault_o != 0;
    pins_.write_valid_o = known ? PortSet(model_.write_valid_o) : PortSet();
    for (std::size_t l = 0; l < lanes_; ++l) {
      pins_.operand_address_o[l] = bits_of(model_.operand_address_o, l * kAddress, kAddress);
      pins_.first_address_o[l] = bits_of(model_.first_address_o, l * kAddress, kAddress);
      pins_.write_address_o[l] = bits_of(model_.write_address_o, l * kAddress, kAddress);
      pins_.write_data_o[l] = word_at(model_.write_data_o, l);
    }
    pins_.out_valid_o = PortSet(model_.out_valid_o);
    for (std::size_t p = 0; p < ports_; ++p) pins_.out_data_o[p] = word_at(model_.out_data_o, p);
  }

  const Combination& combination_;
  decltype(put_leg)& put_leg_;
  std::size_t ports_;
  std::size_t lanes_;
  /// The legs whose words are at the pins.
  std::optional<std::size_t> present_;
  std::optional<std::size_t> next_;
  ClockedModel<Model> model_;
  std::optional<ClockedModel<Discovery>> discovery_;
};

}  // namespace gossamer::tb
