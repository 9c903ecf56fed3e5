// SPDX-License-Identifier: Apache-2.0
/// Verilated gsm_context_router with the pins of VerilatedContextRouter.
#pragma once

#include <type_traits>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "../models/verilated_signal.hpp"
#include "gossamer/tb/compose/verilated_router.hpp"

namespace gossamer::tb {

/// 32-bit parts of a word of the models of rtl/CMakeLists.txt: terms, then the value, so that no
/// carry leaves the terms.
constexpr std::size_t kContextWordParts = 3;

template <typename Signal>
void put_context_word(Signal& signal, std::size_t index, const ContextWord& word) {
  signal[kContextWordParts * index] = word.terms;
  signal[kContextWordParts * index + 1] = static_cast<std::uint32_t>(word.value);
  signal[kContextWordParts * index + 2] = static_cast<std::uint32_t>(word.value >> 32U);
}

template <typename Signal>
ContextWord context_word_at(const Signal& signal, std::size_t index) {
  return {signal[kContextWordParts * index + 1] |
              std::uint64_t{signal[kContextWordParts * index + 2]} << 32U,
          signal[kContextWordParts * index]};
}

/// `Model` has `kPorts` ports, of which the router uses the first ones.
template <typename Model, std::size_t kPorts>
class ContextRouterOf final : public VerilatedContextRouter {
 public:
  ContextRouterOf(int ports, std::span<const Port> feeds)
      : ports_(static_cast<std::size_t>(ports)), model_("context_router") {
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const std::size_t row = i / ports_ * kPorts + i % ports_;
      put(model_.feed_i, row * kPorts + feeds[i], 1, 1);
    }
    // Nodes send nothing at the ends of lines: the schedule controls each register.
    model_.end_i = 0;
    model_.reset();
    clear();
  }

  void clear() override {
    model_.clear_i = 1;
    pins_ = {};
    clock();
    model_.clear_i = 0;
  }

  void clock() override {
    using Bits = std::remove_reference_t<decltype(model_.in_valid_i)>;
    const auto bits = [](const PortSet& set) { return static_cast<Bits>(set.bits()); };
    model_.wiring_i = pins_.wiring_i;
    model_.first_i = pins_.first_i ? 1 : 0;
    model_.first_valid_i = bits(pins_.first_valid_i);
    model_.take_i = bits(pins_.take_i);
    model_.inject_valid_i = bits(pins_.inject_valid_i);
    model_.cross_i = bits(pins_.cross_i);
    model_.join_i = bits(pins_.join_i);
    model_.in_valid_i = bits(pins_.in_valid_i);
    for (std::size_t port = 0; port < ports_; ++port) {
      put_context_word(model_.first_data_i, port, pins_.first_data_i[port]);
      put_context_word(model_.inject_data_i, port, pins_.inject_data_i[port]);
      put_context_word(model_.in_data_i, port, pins_.in_data_i[port]);
    }
    // Depends on the inputs: read it before the edge.
    model_.eval();
    pins_.taken_valid_o = PortSet(static_cast<std::uint16_t>(model_.taken_valid_o));
    for (std::size_t port = 0; port < ports_; ++port) {
      pins_.taken_data_o[port] = context_word_at(model_.taken_data_o, port);
    }
    model_.edge();
    pins_.out_valid_o = PortSet(static_cast<std::uint16_t>(model_.out_valid_o));
    for (std::size_t port = 0; port < ports_; ++port) {
      pins_.out_data_o[port] = context_word_at(model_.out_data_o, port);
    }
  }

 private:
  std::size_t ports_;
  ClockedModel<Model> model_;
};

}  // namespace gossamer::tb
