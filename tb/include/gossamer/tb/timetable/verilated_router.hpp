// SPDX-License-Identifier: Apache-2.0
/// The RTL's router of timetables, gsm_timetable_router, as a plain C++ object, Verilated.
///
/// Supports any number of ports and slots at run time, without a compilation: the rows' fields are
/// inputs of the RTL. One call of clock() is one clock cycle. No SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gossamer/tb/model_words.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer::tb {

/// The largest number of slots of a Verilated router of timetables.
inline constexpr std::uint32_t kMaxTimetableRouterSlots = 4096;

/// The largest number of ports of one with adders of several cycles.
inline constexpr int kMaxLateRouterPorts = 8;

/// A word on the pins, its value as the model has it.
struct TaggedWord {
  std::uint64_t tag = 0;
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

class VerilatedTimetableRouter {
 public:
  VerilatedTimetableRouter() = default;
  VerilatedTimetableRouter(const VerilatedTimetableRouter&) = delete;
  VerilatedTimetableRouter& operator=(const VerilatedTimetableRouter&) = delete;
  virtual ~VerilatedTimetableRouter() = default;

  /// By port. Slot fields are 0 for none, otherwise the slot plus 1.
  struct Pins {
    /// Inputs of the coming cycle: the words that out-ports send in the next step (own words or
    /// slots), and the treatment of this step's arrivals.
    PortSet inject_valid_i;
    std::array<TaggedWord, kMaxPorts> inject_data_i{};
    std::array<std::uint32_t, kMaxPorts> read_i{};
    std::array<std::uint32_t, kMaxPorts> with_i{};
    PortSet own_valid_i;
    std::array<TaggedWord, kMaxPorts> own_data_i{};
    std::array<std::uint32_t, kMaxPorts> write_i{};
    PortSet in_valid_i;
    std::array<TaggedWord, kMaxPorts> in_data_i{};
    /// With adders of several cycles only: cycles of one, whether steps wait for their additions,
    /// and by in-port the additions after which results leave, and the results to be delivered.
    std::uint32_t adder_cycles_i = 0;
    bool steps_wait_i = false;
    std::array<std::uint32_t, kMaxPorts> waits_i{};
    PortSet deliver_i;
    PortSet result_valid_o;
    /// Outputs after this cycle, and the results of its arrivals.
    PortSet out_valid_o;
    std::array<TaggedWord, kMaxPorts> out_data_o{};
    std::array<TaggedWord, kMaxPorts> result_data_o{};
    bool error_o = false;
  };
  [[nodiscard]] Pins& pins() { return pins_; }
  [[nodiscard]] const Pins& pins() const { return pins_; }

  /// Empties memory and registers.
  virtual void clear() = 0;
  /// One rising edge of the clock. Throws RtlAssertion.
  virtual void clock() = 0;

 protected:
  Pins pins_;
};

/// A router after reset. `ports` is even, 2..kMaxPorts, `slots` 1..kMaxTimetableRouterSlots;
/// std::invalid_argument otherwise. `late`: adders of several cycles, with at most
/// kMaxLateRouterPorts ports.
[[nodiscard]] std::unique_ptr<VerilatedTimetableRouter> make_verilated_timetable_router(
    int ports, std::uint32_t slots, const ModelWords& words = {}, bool late = false);

/// The function that a model exports to create one.
using TimetableRouterMaker = std::unique_ptr<VerilatedTimetableRouter>(int ports);

}  // namespace gossamer::tb
