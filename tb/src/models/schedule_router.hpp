// SPDX-License-Identifier: Apache-2.0
/// A Verilated gsm_schedule_router_table behind the pins of VerilatedScheduleRouter.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "clocked_model.hpp"
#include "model.hpp"
#include "verilated_signal.hpp"

namespace gossamer::tb {

static_assert(std::endian::native == std::endian::little,
              "64-bit data is copied into Verilator's 32-bit words");

/// `Model` has ports and slots to spare; the router uses the first `ports` of them and whatever
/// slots its words name.
template <typename Model, std::size_t ModelSlots>
class ScheduleRouterOf final : public VerilatedScheduleRouter {
 public:
  explicit ScheduleRouterOf(int ports)
      : ports_(ports),
        data_bytes_(static_cast<std::size_t>(ports) * sizeof(std::uint64_t)),
        model_("schedule_router") {
    model_.clear_i = 1;
    model_.reset();
    model_.edge();
  }

  [[nodiscard]] int ports() const override { return ports_; }

  void clock() override {
    using Bits = std::remove_reference_t<decltype(model_.in_valid_i)>;
    constexpr std::size_t kField = std::bit_width(ModelSlots);
    model_.clear_i = pins_.clear_i ? 1 : 0;
    for (std::size_t port = 0; port < static_cast<std::size_t>(ports_); ++port) {
      put(model_.read_i, port * kField, kField, word_.read[port]);
      put(model_.write_i, port * kField, kField, word_.write[port]);
    }
    model_.in_valid_i = static_cast<Bits>(pins_.in_valid_i.bits());
    model_.inject_valid_i = static_cast<Bits>(pins_.inject_valid_i.bits());
    std::memcpy(&model_.in_data_i[0], pins_.in_data_i.data(), data_bytes_);
    std::memcpy(&model_.inject_data_i[0], pins_.inject_data_i.data(), data_bytes_);
    model_.edge();
    pins_.out_valid_o = PortSet(model_.out_valid_o);
    pins_.error_o = model_.error_o != 0;
    std::memcpy(pins_.out_data_o.data(), &model_.out_data_o[0], data_bytes_);
  }

 private:
  int ports_;
  std::size_t data_bytes_;
  ClockedModel<Model> model_;
};

}  // namespace gossamer::tb
