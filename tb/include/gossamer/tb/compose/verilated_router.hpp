// SPDX-License-Identifier: Apache-2.0
/// Verilated routers of contexts: gsm_context_router with its wirings as inputs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "gossamer/tb/model_words.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer::tb {

/// Most wirings of a Verilated router.
inline constexpr std::size_t kMaxContextWirings = 4;

/// A value and its number of contributions, side by side on a link.
struct ContextWord {
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

class VerilatedContextRouter {
 public:
  VerilatedContextRouter() = default;
  VerilatedContextRouter(const VerilatedContextRouter&) = delete;
  VerilatedContextRouter& operator=(const VerilatedContextRouter&) = delete;
  virtual ~VerilatedContextRouter() = default;

  /// By port; the module's comments describe them.
  struct Pins {
    /// Inputs of the coming edge.
    std::uint8_t wiring_i = 0;
    bool first_i = false;
    PortSet first_valid_i;
    std::array<ContextWord, kMaxPorts> first_data_i{};
    PortSet take_i;
    PortSet inject_valid_i;
    std::array<ContextWord, kMaxPorts> inject_data_i{};
    PortSet cross_i;
    PortSet join_i;
    PortSet in_valid_i;
    std::array<ContextWord, kMaxPorts> in_data_i{};
    /// The results of that edge.
    PortSet taken_valid_o;
    std::array<ContextWord, kMaxPorts> taken_data_o{};
    /// Outputs after it.
    PortSet out_valid_o;
    std::array<ContextWord, kMaxPorts> out_data_o{};
  };
  [[nodiscard]] Pins& pins() { return pins_; }

  /// Empties the registers.
  virtual void clear() = 0;
  /// One rising edge of the clock. Throws RtlAssertion.
  virtual void clock() = 0;

 protected:
  Pins pins_;
};

/// A router of 2 .. kMaxPorts ports, an even number. `feeds` has, for each wiring, the feed of each
/// output port. Throws std::invalid_argument for more than kMaxContextWirings wirings.
[[nodiscard]] std::unique_ptr<VerilatedContextRouter> make_verilated_context_router(
    int ports, std::span<const Port> feeds, const ModelWords& words = {});

/// The function by which a model library makes a router.
using ContextRouterMaker = std::unique_ptr<VerilatedContextRouter>(int ports,
                                                                   std::span<const Port> feeds);

}  // namespace gossamer::tb
