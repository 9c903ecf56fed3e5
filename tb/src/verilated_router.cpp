// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_router.hpp"

#include <Vgsm_router_p10_d1.h>
#include <Vgsm_router_p12_d1.h>
#include <Vgsm_router_p14_d1.h>
#include <Vgsm_router_p16_d1.h>
#include <Vgsm_router_p16_d4096.h>
#include <Vgsm_router_p16_d64.h>
#include <Vgsm_router_p2_d1.h>
#include <Vgsm_router_p4_d1.h>
#include <Vgsm_router_p4_d4096.h>
#include <Vgsm_router_p4_d64.h>
#include <Vgsm_router_p6_d1.h>
#include <Vgsm_router_p8_d1.h>
#include <Vgsm_router_p8_d4096.h>
#include <Vgsm_router_p8_d64.h>
#include <fmt/format.h>
#include <verilated.h>

#include <bit>
#include <cstring>
#include <type_traits>

namespace gossamer::tb {

namespace {

static_assert(std::endian::native == std::endian::little,
              "64-bit data is copied into Verilator's 32-bit words");

/// Puts `value` into bits lsb .. lsb+width-1 (width <= 32) of an input of any Verilator type.
template <typename Signal>
void put(Signal& signal, std::size_t lsb, std::size_t width, std::uint32_t value) {
  for (std::size_t bit = lsb; bit < lsb + width; ++bit, value >>= 1U) {
    if constexpr (std::is_integral_v<Signal>) {
      const std::uint64_t mask = std::uint64_t{1} << bit;
      signal = static_cast<Signal>((value & 1U) != 0 ? signal | mask : signal & ~mask);
    } else {
      const std::uint32_t mask = 1U << (bit % 32);
      std::uint32_t& word = signal[bit / 32];
      word = (value & 1U) != 0 ? word | mask : word & ~mask;
    }
  }
}

/// `Model` has `ModelPorts` ports and room for `depth` packets an out-port; the router in it uses
/// the first `ports` of them.
template <typename Model, int ModelPorts>
class RouterOf final : public VerilatedRouter {
 public:
  RouterOf(int ports, std::uint32_t depth)
      : ports_(ports),
        depth_(depth),
        data_bytes_(static_cast<std::size_t>(ports) * sizeof(std::uint64_t)),
        model_(context(), "router") {
    model_.depth_i = static_cast<SData>(depth);
    model_.clear_i = 1;
    model_.rst_ni = 1;
    model_.eval();
    model_.rst_ni = 0;
    model_.eval();
    model_.rst_ni = 1;
    edge();
  }
  ~RouterOf() override { model_.final(); }
  RouterOf(const RouterOf&) = delete;
  RouterOf& operator=(const RouterOf&) = delete;

  [[nodiscard]] int ports() const override { return ports_; }
  [[nodiscard]] std::uint32_t depth() const override { return depth_; }

  void set_table(Port out_port, PortSet feed, PortSet early_feed,
                 std::uint32_t switch_step) override {
    put(model_.feed_i, std::size_t{out_port} * ModelPorts, ModelPorts, feed.bits());
    put(model_.early_feed_i, std::size_t{out_port} * ModelPorts, ModelPorts, early_feed.bits());
    put(model_.switch_step_i, std::size_t{out_port} * 32, 32, switch_step);
  }

  void clock() override {
    using Bits = std::remove_reference_t<decltype(model_.in_valid_i)>;
    model_.clear_i = pins_.clear_i ? 1 : 0;
    model_.in_valid_i = static_cast<Bits>(pins_.in_valid_i.bits());
    model_.inject_valid_i = static_cast<Bits>(pins_.inject_valid_i.bits());
    std::memcpy(&model_.in_data_i[0], pins_.in_data_i.data(), data_bytes_);
    std::memcpy(&model_.inject_data_i[0], pins_.inject_data_i.data(), data_bytes_);
    edge();
    pins_.out_valid_o = PortSet(model_.out_valid_o);
    pins_.error_o = model_.error_o != 0;
    std::memcpy(pins_.out_data_o.data(), &model_.out_data_o[0], data_bytes_);
  }

 private:
  /// All routers share a context: one of their own would cost each of them 40 KB, and what little
  /// they use of it (that assertions are on) is the same for all.
  static VerilatedContext* context() {
    static VerilatedContext shared;
    return &shared;
  }
  void edge() {
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }

  int ports_;
  std::uint32_t depth_;
  std::size_t data_bytes_;
  Model model_;
};

template <typename Model, int ModelPorts>
std::unique_ptr<VerilatedRouter> make(int ports, std::uint32_t depth) {
  return std::make_unique<RouterOf<Model, ModelPorts>>(ports, depth);
}

/// The models of rtl/CMakeLists.txt, smallest first.
struct ModelEntry {
  int ports;
  std::uint32_t capacity;
  std::unique_ptr<VerilatedRouter> (*make)(int ports, std::uint32_t depth);
};
constexpr ModelEntry kModels[] = {
    {2, 1, make<Vgsm_router_p2_d1, 2>},       {4, 1, make<Vgsm_router_p4_d1, 4>},
    {6, 1, make<Vgsm_router_p6_d1, 6>},       {8, 1, make<Vgsm_router_p8_d1, 8>},
    {10, 1, make<Vgsm_router_p10_d1, 10>},    {12, 1, make<Vgsm_router_p12_d1, 12>},
    {14, 1, make<Vgsm_router_p14_d1, 14>},    {16, 1, make<Vgsm_router_p16_d1, 16>},
    {4, 64, make<Vgsm_router_p4_d64, 4>},     {8, 64, make<Vgsm_router_p8_d64, 8>},
    {16, 64, make<Vgsm_router_p16_d64, 16>},  {4, 4096, make<Vgsm_router_p4_d4096, 4>},
    {8, 4096, make<Vgsm_router_p8_d4096, 8>}, {16, 4096, make<Vgsm_router_p16_d4096, 16>},
};

}  // namespace

std::unique_ptr<VerilatedRouter> make_verilated_router(int ports, std::uint32_t depth) {
  if (ports < 2 || ports > kMaxPorts || ports % 2 != 0) {
    throw std::invalid_argument(
        fmt::format("a Verilated router has 2..{} ports, an even number; "
                    "not {}",
                    kMaxPorts, ports));
  }
  if (depth >= 1) {
    for (const ModelEntry& model : kModels) {
      if (model.ports >= ports && model.capacity >= depth) return model.make(ports, depth);
    }
  }
  throw std::invalid_argument(fmt::format("a Verilated router has a queue depth of 1..{}; not {}",
                                          kMaxVerilatedDepth, depth));
}

}  // namespace gossamer::tb
