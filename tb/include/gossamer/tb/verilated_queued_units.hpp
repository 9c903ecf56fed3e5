// SPDX-License-Identifier: Apache-2.0
/// The RTL parts of queued routers as plain C++ objects: gsm_prefix_unit and gsm_line_stage,
/// Verilated. One call of clock() is one clock cycle. No SystemC.
#pragma once

#include <cstdint>
#include <memory>

namespace gossamer::tb {

/// The pins of a node's prefix of one class, by the names of docs/modules/gsm_prefix_unit.md.
struct PrefixUnitPins {
  // Inputs, read by clock().
  bool clear_i = false;
  bool start_i = false;
  std::uint32_t own_i = 0;
  bool begin_i = false;
  std::uint8_t kind_i = 0;
  bool first_i = false;
  bool last_i = false;
  bool below_i = false;
  bool above_i = false;
  std::uint8_t level_i = 0;
  bool root_level_i = false;
  bool on_tree_i = false;
  bool up_valid_i = false;
  std::uint32_t up_count_i = 0;
  bool down_valid_i = false;
  std::uint32_t down_count_i = 0;
  std::uint32_t down_total_i = 0;
  // Outputs, written by clock(): what the registers hold after the edge.
  bool up_valid_o = false;
  std::uint32_t up_count_o = 0;
  bool down_valid_o = false;
  std::uint32_t down_count_o = 0;
  std::uint32_t down_total_o = 0;
  std::uint32_t before_o = 0;
  std::uint32_t total_o = 0;
};

/// The pins of one direction of a line's node, by the names of docs/modules/gsm_line_stage.md.
struct LineStagePins {
  // Inputs, read by clock().
  bool clear_i = false;
  bool active_i = false;
  bool begin_i = false;
  bool own_valid_i = false;
  std::uint64_t own_data_i = 0;
  std::uint16_t own_hops_i = 0;
  bool in_valid_i = false;
  std::uint64_t in_data_i = 0;
  std::uint16_t in_hops_i = 0;
  // Outputs, written by clock(): what the registers hold after the edge, and whether an own packet
  // was lost at it.
  bool valid_o = false;
  std::uint64_t data_o = 0;
  std::uint16_t hops_o = 0;
  bool overflow_o = false;
};

/// A part of a router with such pins.
template <typename Pins>
class VerilatedUnit {
 public:
  VerilatedUnit() = default;
  VerilatedUnit(const VerilatedUnit&) = delete;
  VerilatedUnit& operator=(const VerilatedUnit&) = delete;
  virtual ~VerilatedUnit() = default;

  /// Inputs of the coming cycle and outputs of the past one.
  [[nodiscard]] Pins& pins() { return pins_; }
  [[nodiscard]] const Pins& pins() const { return pins_; }

  /// One rising edge of the clock. Throws RtlAssertion (verilated_router.hpp).
  virtual void clock() = 0;

 protected:
  Pins pins_;
};

using VerilatedPrefixUnit = VerilatedUnit<PrefixUnitPins>;
using VerilatedLineStage = VerilatedUnit<LineStagePins>;

/// Own packets that the largest stage has room for.
inline constexpr std::uint32_t kMaxVerilatedOwnPackets = 1024;

/// A unit after reset.
[[nodiscard]] std::unique_ptr<VerilatedPrefixUnit> make_verilated_prefix_unit();
/// A stage after reset with room for `entries` own packets or some more; std::invalid_argument
/// above kMaxVerilatedOwnPackets.
[[nodiscard]] std::unique_ptr<VerilatedLineStage> make_verilated_line_stage(std::uint32_t entries);

}  // namespace gossamer::tb
