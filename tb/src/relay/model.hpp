// SPDX-License-Identifier: Apache-2.0
/// A Verilated relay router of any kind with the interface RelayRouterPins.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "gossamer/plan/message_clock.hpp"
#include "gossamer/tb/relay/verilated_router.hpp"

namespace gossamer::tb {

static_assert(std::endian::native == std::endian::little,
              "64-bit data is copied into Verilator's 32-bit words");

/// The first bytes of an input of any Verilator type.
template <typename Signal>
void put_bytes(Signal& signal, const void* from, std::size_t bytes) {
  if constexpr (std::is_integral_v<Signal>) {
    signal = 0;
    std::memcpy(&signal, from, std::min(bytes, sizeof(Signal)));
  } else {
    std::memcpy(&signal[0], from, bytes);
  }
}
template <typename Signal>
void get_bytes(const Signal& signal, void* to, std::size_t bytes) {
  if constexpr (std::is_integral_v<Signal>) {
    std::memcpy(to, &signal, bytes);
  } else {
    std::memcpy(to, &signal[0], bytes);
  }
}

template <typename Signal, typename Value>
void assign(Signal& signal, Value value) {
  signal = static_cast<Signal>(value);
}

/// `Model` has `ModelPorts` ports and `Words` 64-bit words per flit.
template <typename Model, int ModelPorts, std::size_t Words>
class RelayRouterOf final : public VerilatedRelayRouter {
 public:
  explicit RelayRouterOf(const RelayRouterConfig& config)
      : ports_(static_cast<std::size_t>(config.ports)), format_(config.format), model_("router") {
    std::uint64_t levels = 0;
    for (std::size_t dim = 0; dim < ModelPorts / 2; ++dim) {
      levels |= std::uint64_t{config.levels[dim]} << (4 * dim);
    }
    assign(model_.levels_i, levels);
    assign(model_.parity_i, config.parity);
    assign(model_.start_side_i, config.start_side);
    assign(model_.flits_i, config.clock.flits);
    assign(model_.relay_cycles_i, config.clock.relay_cycles);
    assign(model_.adding_steps_i, config.adding_steps);
    assign(model_.adder_cycles_i, config.adder_cycles);
    model_.list_i = config.list ? 1 : 0;
    model_.duplex_i = config.duplex ? 1 : 0;
    model_.step_sync_i = config.clock.timing == MessageTiming::kStep ? 1 : 0;
    model_.clear_i = 1;
    model_.reset();
    model_.edge();
  }

  void clock(RelayRouterPins& pins) override {
    drive(pins);
    model_.eval();
    // The delivery is valid during the cycle.
    pins.deliver_o = {};
    if (model_.deliver_valid_o != 0) {
      pins.deliver_o.valid = true;
      pins.deliver_o.head = model_.deliver_head_o != 0;
      get_bytes(model_.deliver_data_o, pins.deliver_o.data.data(), kBytes);
    }
    model_.edge();
    for (std::size_t port = 0; port < ports_; ++port) {
      PinFlit& flit = pins.out_o[port];
      flit = {};
      if ((std::uint32_t{model_.out_valid_o} >> port & 1U) == 0) continue;
      flit.valid = true;
      flit.head = (std::uint32_t{model_.out_head_o} >> port & 1U) != 0;
      std::memcpy(flit.data.data(), &model_.out_data_o[port * kBytes / 4], kBytes);
    }
    pins.flit_o = model_.flit_o;
    pins.busy_o = model_.busy_o != 0;
    pins.error_o = model_.error_o != 0;
    pins.entry_o = model_.entry_o;
    pins.store_o = model_.store_o;
    pins.write_o = model_.write_o;
  }

 private:
  static constexpr std::size_t kBytes = Words * sizeof(std::uint64_t);
  /// The fields of a RelaySum, at the top of a flit.
  static constexpr std::size_t kSumBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

  void drive(const RelayRouterPins& pins) {
    model_.clear_i = pins.clear_i ? 1 : 0;
    model_.start_i = pins.start_i ? 1 : 0;
    std::uint32_t valid = 0;
    std::uint32_t head = 0;
    for (std::size_t port = 0; port < ports_; ++port) {
      const PinFlit& flit = pins.in_i[port];
      if (!flit.valid) continue;
      valid |= 1U << port;
      head |= (flit.head ? 1U : 0U) << port;
      std::memcpy(&model_.in_data_i[port * kBytes / 4], flit.data.data(), kBytes);
    }
    assign(model_.in_valid_i, valid);
    assign(model_.in_head_i, head);
    put_bytes(model_.own_data_i, pins.own_data_i.data(), kBytes);
    model_.step_start_i = pins.step_start_i ? 1 : 0;
    assign(model_.step_i, pins.step_i);
    const auto* stored = reinterpret_cast<const unsigned char*>(pins.stored_i.data());
    put_bytes(model_.stored_i, stored + kBytes - kSumBytes,
              std::min(kSumBytes, sizeof(model_.stored_i)));
    model_.entry_valid_i = pins.entry_i.valid ? 1 : 0;
    if (pins.entry_i.valid) put_entry(pins.entry_i);
  }

  /// The out-port in the low bits, and above it the header.
  void put_entry(const RelayEntry& entry) {
    RelayData data{};
    format_.put_header(data, entry);
    for (std::size_t word = data.size(); word-- > 0;) {
      data[word] = data[word] << format_.port_bits |
                   (word == 0 ? entry.port : data[word - 1] >> (64 - format_.port_bits));
    }
    put_bytes(model_.entry_i, data.data(), sizeof(model_.entry_i));
  }

  std::size_t ports_;
  RelayFormat format_;
  ClockedModel<Model> model_;
};

}  // namespace gossamer::tb
