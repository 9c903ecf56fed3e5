// SPDX-License-Identifier: Apache-2.0
/// A Verilated gsm_timetable_router with the pins of VerilatedTimetableRouter.
#pragma once

#include <bit>
#include <type_traits>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "../models/verilated_signal.hpp"
#include "gossamer/tb/timetable/verilated_router.hpp"

namespace gossamer::tb {

/// 32-bit words of a word on the pins: terms, value, tag.
constexpr std::size_t kTaggedWords = 5;

template <typename Signal>
void put_tagged(Signal& signal, std::size_t index, const TaggedWord& word) {
  signal[kTaggedWords * index] = word.terms;
  signal[kTaggedWords * index + 1] = static_cast<std::uint32_t>(word.value);
  signal[kTaggedWords * index + 2] = static_cast<std::uint32_t>(word.value >> 32U);
  signal[kTaggedWords * index + 3] = static_cast<std::uint32_t>(word.tag);
  signal[kTaggedWords * index + 4] = static_cast<std::uint32_t>(word.tag >> 32U);
}

template <typename Signal>
TaggedWord tagged_at(const Signal& signal, std::size_t index) {
  const auto both = [&](std::size_t at) {
    return std::uint64_t{signal[kTaggedWords * index + at]} |
           std::uint64_t{signal[kTaggedWords * index + at + 1]} << 32U;
  };
  return {both(3), both(1), signal[kTaggedWords * index]};
}

/// `Model` may have more ports and slots than needed: the router uses the first `ports` ports and
/// the slots in its rows.
template <typename Model, std::size_t ModelPorts, std::size_t ModelSlots>
class TimetableRouterOf final : public VerilatedTimetableRouter {
 public:
  explicit TimetableRouterOf(int ports)
      : ports_(static_cast<std::size_t>(ports)), model_("timetable_router") {
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
    for (std::size_t port = 0; port < ports_; ++port) {
      put(model_.read_i, port * kField, kField, pins_.read_i[port]);
      put(model_.with_i, port * kField, kField, pins_.with_i[port]);
      put(model_.write_i, port * kField, kField, pins_.write_i[port]);
      put(model_.waits_i, port * kWaits, kWaits, pins_.waits_i[port]);
      put_tagged(model_.inject_data_i, port, pins_.inject_data_i[port]);
      put_tagged(model_.own_data_i, port, pins_.own_data_i[port]);
      put_tagged(model_.in_data_i, port, pins_.in_data_i[port]);
    }
    model_.inject_valid_i = static_cast<Bits>(pins_.inject_valid_i.bits());
    model_.own_valid_i = static_cast<Bits>(pins_.own_valid_i.bits());
    model_.in_valid_i = static_cast<Bits>(pins_.in_valid_i.bits());
    model_.adder_cycles_i = static_cast<std::uint8_t>(pins_.adder_cycles_i);
    model_.steps_wait_i = pins_.steps_wait_i ? 1 : 0;
    model_.deliver_i = static_cast<Bits>(pins_.deliver_i.bits());
    // Depends on the inputs: read it before the edge.
    model_.eval();
    pins_.result_valid_o = PortSet(model_.result_valid_o);
    for (std::size_t port = 0; port < ports_; ++port) {
      pins_.result_data_o[port] = tagged_at(model_.result_data_o, port);
    }
    model_.edge();
    pins_.out_valid_o = PortSet(model_.out_valid_o);
    pins_.error_o = model_.error_o != 0;
    for (std::size_t port = 0; port < ports_; ++port) {
      pins_.out_data_o[port] = tagged_at(model_.out_data_o, port);
    }
  }

 private:
  static constexpr std::size_t kField = std::bit_width(ModelSlots);
  static constexpr std::size_t kWaits = std::bit_width(ModelPorts);

  std::size_t ports_;
  ClockedModel<Model> model_;
};

}  // namespace gossamer::tb
