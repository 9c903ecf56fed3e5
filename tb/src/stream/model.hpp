// SPDX-License-Identifier: Apache-2.0
/// A Verilated gsm_router_table with the pins of VerilatedRouter.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "../models/clocked_model.hpp"
#include "../models/model.hpp"
#include "../models/verilated_signal.hpp"
#include "gossamer/tb/verilated_router.hpp"

namespace gossamer::tb {

static_assert(std::endian::native == std::endian::little,
              "64-bit data is copied into Verilator's 32-bit words");

/// `Model` has `ModelPorts` ports, `ModelFrame` slots in a frame and room for `depth` packets per
/// queue. The router in it uses the first `ports` of the ports and `frame` of the slots.
template <typename Model, std::size_t ModelPorts, std::size_t ModelFrame>
class RouterOf final : public VerilatedRouter {
 public:
  RouterOf(int ports, std::uint32_t depth, std::uint32_t frame)
      : ports_(ports),
        depth_(depth),
        frame_(frame),
        data_bytes_(static_cast<std::size_t>(ports) * sizeof(std::uint64_t)),
        model_("router") {
    model_.depth_i = static_cast<SData>(depth);
    model_.frame_i = static_cast<CData>(frame);
    model_.clear_i = 1;
    model_.reset();
    model_.edge();
  }

  [[nodiscard]] int ports() const override { return ports_; }
  [[nodiscard]] std::uint32_t depth() const override { return depth_; }
  [[nodiscard]] std::uint32_t frame() const override { return frame_; }

  void set_table(Port out_port, PortSet feed, PortSet early_feed,
                 std::uint32_t switch_step) override {
    constexpr std::size_t kRow = ModelPorts * ModelFrame;
    const std::size_t row = model_port(out_port);
    put(model_.feed_i, row * kRow, kRow, model_ports(feed));
    put(model_.early_feed_i, row * kRow, kRow, model_ports(early_feed));
    put(model_.switch_step_i, row * 32, 32, switch_step);
  }

  void clock() override {
    using Bits = std::remove_reference_t<decltype(model_.in_valid_i)>;
    model_.clear_i = pins_.clear_i ? 1 : 0;
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
  /// A table's port, port * frame + slot, as the model numbers it.
  [[nodiscard]] std::size_t model_port(Port port) const {
    return port / frame_ * ModelFrame + port % frame_;
  }
  [[nodiscard]] std::uint32_t model_ports(PortSet ports) const {
    std::uint32_t bits = 0;
    for (const Port port : ports) bits |= 1U << model_port(port);
    return bits;
  }

  int ports_;
  std::uint32_t depth_;
  std::uint32_t frame_;
  std::size_t data_bytes_;
  ClockedModel<Model> model_;
};

}  // namespace gossamer::tb
