// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_schedule_router.hpp"

#include <Vgsm_schedule_router_p16_s4096.h>
#include <Vgsm_schedule_router_p4_s64.h>
#include <Vgsm_schedule_router_p8_s64.h>
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

template <typename Model, std::size_t ModelSlots>
std::unique_ptr<VerilatedScheduleRouter> make(int ports) {
  return std::make_unique<ScheduleRouterOf<Model, ModelSlots>>(ports);
}

/// The models of rtl/CMakeLists.txt, smallest first.
struct ScheduleModel {
  int ports;
  std::uint32_t slots;
  std::unique_ptr<VerilatedScheduleRouter> (*make)(int ports);
};
constexpr ScheduleModel kScheduleModels[] = {
    {4, 64, make<Vgsm_schedule_router_p4_s64, 64>},
    {8, 64, make<Vgsm_schedule_router_p8_s64, 64>},
    {16, 4096, make<Vgsm_schedule_router_p16_s4096, 4096>},
};

}  // namespace

std::unique_ptr<VerilatedScheduleRouter> make_verilated_schedule_router(int ports,
                                                                        std::uint32_t slots) {
  if (ports < 2 || ports % 2 != 0 || slots == 0) {
    throw std::invalid_argument(
        "a Verilated scheduled router has 2..16 ports, an even number, and "
        "1 or more slots");
  }
  for (const ScheduleModel& model : kScheduleModels) {
    if (model.ports >= ports && model.slots >= slots) return model.make(ports);
  }
  throw std::invalid_argument(
      fmt::format("a Verilated scheduled router has up to {} ports and {} slots; not {} and {}",
                  kMaxPorts, kMaxVerilatedSlots, ports, slots));
}

}  // namespace gossamer::tb
