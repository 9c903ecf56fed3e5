// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_router.hpp"

#include <Vgsm_router_p16_f1_d1.h>
#include <Vgsm_router_p16_f1_d4096.h>
#include <Vgsm_router_p2_f8_d4096.h>
#include <Vgsm_router_p4_f1_d1.h>
#include <Vgsm_router_p4_f1_d4096.h>
#include <Vgsm_router_p4_f1_d64.h>
#include <Vgsm_router_p4_f4_d4096.h>
#include <Vgsm_router_p6_f1_d1.h>
#include <Vgsm_router_p8_f1_d1.h>
#include <Vgsm_router_p8_f1_d64.h>
#include <Vgsm_router_p8_f2_d4096.h>
#include <Vgsm_router_p8_f2_d64.h>
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "clocked_model.hpp"
#include "verilated_signal.hpp"

namespace gossamer::tb {

namespace {

static_assert(std::endian::native == std::endian::little,
              "64-bit data is copied into Verilator's 32-bit words");

/// `Model` has `ModelPorts` ports, `ModelFrame` slots in a frame and room for `depth` packets a
/// queue; the router in it uses the first `ports` of the ports and `frame` of the slots.
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

template <typename Model, std::size_t ModelPorts, std::size_t ModelFrame>
std::unique_ptr<VerilatedRouter> make(int ports, std::uint32_t depth, std::uint32_t frame) {
  return std::make_unique<RouterOf<Model, ModelPorts, ModelFrame>>(ports, depth, frame);
}

/// The models of rtl/CMakeLists.txt, smallest first.
struct RouterModel {
  int ports;
  std::uint32_t frame;
  std::uint32_t capacity;
  std::unique_ptr<VerilatedRouter> (*make)(int ports, std::uint32_t depth, std::uint32_t frame);
};
constexpr RouterModel kRouterModels[] = {
    {4, 1, 1, make<Vgsm_router_p4_f1_d1, 4, 1>},
    {6, 1, 1, make<Vgsm_router_p6_f1_d1, 6, 1>},
    {8, 1, 1, make<Vgsm_router_p8_f1_d1, 8, 1>},
    {16, 1, 1, make<Vgsm_router_p16_f1_d1, 16, 1>},
    {4, 1, 64, make<Vgsm_router_p4_f1_d64, 4, 1>},
    {8, 1, 64, make<Vgsm_router_p8_f1_d64, 8, 1>},
    {4, 1, 4096, make<Vgsm_router_p4_f1_d4096, 4, 1>},
    {16, 1, 4096, make<Vgsm_router_p16_f1_d4096, 16, 1>},
    {8, 2, 64, make<Vgsm_router_p8_f2_d64, 8, 2>},
    {8, 2, 4096, make<Vgsm_router_p8_f2_d4096, 8, 2>},
    {4, 4, 4096, make<Vgsm_router_p4_f4_d4096, 4, 4>},
    {2, 8, 4096, make<Vgsm_router_p2_f8_d4096, 2, 8>},
};

}  // namespace

std::unique_ptr<VerilatedRouter> make_verilated_router(int ports, std::uint32_t depth,
                                                       std::uint32_t frame) {
  if (ports < 2 || ports > kMaxPorts || ports % 2 != 0) {
    throw std::invalid_argument(
        fmt::format("a Verilated router has 2..{} ports, an even number; "
                    "not {}",
                    kMaxPorts, ports));
  }
  const auto slots = static_cast<std::uint32_t>(kMaxPorts / ports);
  if (frame < 1 || frame > slots) {
    throw std::invalid_argument(fmt::format(
        "a Verilated router of {} ports has frames of 1..{} slots; not {}", ports, slots, frame));
  }
  if (depth >= 1) {
    for (const RouterModel& model : kRouterModels) {
      const bool has_frame = frame == 1 ? model.frame == 1 : model.frame >= frame;
      if (model.ports >= ports && has_frame && model.capacity >= depth) {
        return model.make(ports, depth, frame);
      }
    }
  }
  throw std::invalid_argument(fmt::format("a Verilated router has a queue depth of 1..{}; not {}",
                                          kMaxVerilatedDepth, depth));
}

}  // namespace gossamer::tb
