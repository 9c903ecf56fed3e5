// SPDX-License-Identifier: Apache-2.0
/// The RTL parts of queued routers as plain C++ objects: gsm_prefix_unit, gsm_line_stage,
/// gsm_class_unit and gsm_exchange_unit, Verilated. One call of clock() is one clock cycle. No
/// SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace gossamer::tb {

/// The pins of a node's prefix of one class, by the names of docs/modules/gsm_prefix_unit.md.
struct PrefixUnitPins {
  // Inputs, read by clock().
  bool clear_i = false;
  bool start_i = false;
  std::uint32_t own_i = 0;
  bool lost_i = false;
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
  // Outputs, written by clock(): contents of the registers after the edge.
  bool up_valid_o = false;
  std::uint32_t up_count_o = 0;
  bool down_valid_o = false;
  std::uint32_t down_count_o = 0;
  std::uint32_t down_total_o = 0;
  std::uint32_t before_o = 0;
  std::uint32_t total_o = 0;
  bool missing_o = false;
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
  // Outputs, written by clock(): contents of the registers after the edge, and whether an own
  // packet was lost at it.
  bool valid_o = false;
  std::uint64_t data_o = 0;
  std::uint16_t hops_o = 0;
  bool overflow_o = false;
};

/// The pins of a node's packets of one class, by the names of docs/modules/gsm_class_unit.md; pairs
/// are downwards, upwards.
struct ClassUnitPins {
  /// The content of a link.
  struct Word {
    bool valid = false;
    std::uint64_t data = 0;
    std::uint16_t key = 0;
    std::uint16_t hops = 0;
  };
  // Inputs, read by clock(); wants_i, by direction and rank, only together with begin_i.
  bool clear_i = false;
  bool load_i = false;
  std::array<bool, 2> load_valid_i{};
  std::uint16_t load_key_i = 0;
  std::array<std::uint64_t, 2> load_data_i{};
  bool active_i = false;
  bool begin_i = false;
  bool broadcast_i = false;
  bool keep_i = false;
  bool halves_i = false;
  bool half_i = false;
  std::array<bool, 2> linked_i{};
  std::array<std::vector<bool>, 2> wants_i;
  std::array<std::uint16_t, 2> hops_i{};
  bool alternate_i = false;
  std::array<Word, 2> in_i;
  // Outputs, written by clock(): contents of the registers after the edge, and the numbers of
  // waiting and lost packets at it.
  std::array<Word, 2> out_o;
  std::array<std::uint16_t, 2> waiting_o{};
  bool fault_o = false;
};

/// The pins of a node's personal packets, by the names of docs/modules/gsm_exchange_unit.md.
struct ExchangeUnitPins {
  /// The content of a link, or an own packet.
  struct Word {
    bool valid = false;
    bool x_first = false;
    /// The destination, y << 16 | x.
    std::uint32_t to = 0;
    std::uint64_t data = 0;
  };
  // Inputs, read by clock(); own_i only together with load_i.
  bool clear_i = false;
  bool load_i = false;
  std::vector<Word> own_i;
  /// As Word::to.
  std::uint32_t here_i = 0;
  bool active_i = false;
  std::array<Word, 4> in_i;
  // Outputs, written by clock(): contents of the registers after the edge, and the numbers of
  // waiting and lost packets at it.
  std::array<Word, 4> out_o;
  std::array<std::uint16_t, 4> waiting_o{};
  bool fault_o = false;
};

/// A part of a router with these pins.
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
  /// One cycle with the clear pin high: then the unit and its pins are as after reset.
  void clear() {
    pins_ = {};
    pins_.clear_i = true;
    clock();
    pins_.clear_i = false;
  }

 protected:
  Pins pins_;
};

using VerilatedPrefixUnit = VerilatedUnit<PrefixUnitPins>;
using VerilatedLineStage = VerilatedUnit<LineStagePins>;
using VerilatedClassUnit = VerilatedUnit<ClassUnitPins>;
using VerilatedExchangeUnit = VerilatedUnit<ExchangeUnitPins>;

/// Capacity of the largest stage in own packets.
inline constexpr std::uint32_t kMaxVerilatedOwnPackets = 1024;

/// A unit after reset.
[[nodiscard]] std::unique_ptr<VerilatedPrefixUnit> make_verilated_prefix_unit();
/// A stage after reset with room for at least `entries` own packets; std::invalid_argument above
/// kMaxVerilatedOwnPackets.
[[nodiscard]] std::unique_ptr<VerilatedLineStage> make_verilated_line_stage(std::uint32_t entries);

/// Capacity of the largest unit in packets of a class, or halves of them.
inline constexpr std::uint32_t kMaxVerilatedKeys = 512;
/// A unit after reset with room for at least `keys` packets or halves; std::invalid_argument above
/// kMaxVerilatedKeys.
[[nodiscard]] std::unique_ptr<VerilatedClassUnit> make_verilated_class_unit(std::uint32_t keys);

/// Capacity of the largest unit of an exchange in own packets.
inline constexpr std::uint32_t kMaxVerilatedExchange = 256;
/// A unit after reset with room for at least `own` packets; std::invalid_argument above
/// kMaxVerilatedExchange.
[[nodiscard]] std::unique_ptr<VerilatedExchangeUnit> make_verilated_exchange_unit(
    std::uint32_t own);

/// The function that a model exports to create one.
template <typename Pins>
using UnitMaker = std::unique_ptr<VerilatedUnit<Pins>>();

}  // namespace gossamer::tb
