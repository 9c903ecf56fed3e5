// SPDX-License-Identifier: Apache-2.0
/// The RTL's scheduled router as a plain C++ object: gsm_schedule_router_table, Verilated.
///
/// Any number of ports and of buffer slots at run time, without a compilation: the fields of the
/// ROM word are inputs of the RTL. One call of clock() is one clock cycle. No SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gossamer/tb/verilated_router.hpp"

namespace gossamer::tb {

/// The most buffer slots of a Verilated scheduled router.
inline constexpr std::uint32_t kMaxVerilatedSlots = 4096;

class VerilatedScheduleRouter {
 public:
  VerilatedScheduleRouter() = default;
  VerilatedScheduleRouter(const VerilatedScheduleRouter&) = delete;
  VerilatedScheduleRouter& operator=(const VerilatedScheduleRouter&) = delete;
  virtual ~VerilatedScheduleRouter() = default;

  [[nodiscard]] virtual int ports() const = 0;

  /// The fields of the ROM word, by port: 0, or 1 more than a slot. `read` is what the out-ports
  /// send in the coming step, `write` where the arrivals of this step go. Read by clock().
  struct Word {
    std::array<std::uint32_t, kMaxPorts> read{};
    std::array<std::uint32_t, kMaxPorts> write{};
  };
  [[nodiscard]] Word& word() { return word_; }

  /// Inputs of the coming cycle and outputs of the past one, as for VerilatedRouter.
  [[nodiscard]] RouterPins& pins() { return pins_; }
  [[nodiscard]] const RouterPins& pins() const { return pins_; }

  /// One rising edge of the clock. Throws RtlAssertion.
  virtual void clock() = 0;

 protected:
  Word word_;
  RouterPins pins_;
};

/// A router after reset, its buffer empty. `ports` is even, 2..kMaxPorts, `slots`
/// 1..kMaxVerilatedSlots; std::invalid_argument otherwise.
[[nodiscard]] std::unique_ptr<VerilatedScheduleRouter> make_verilated_schedule_router(
    int ports, std::uint32_t slots);

}  // namespace gossamer::tb
