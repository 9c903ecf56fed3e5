// SPDX-License-Identifier: Apache-2.0
/// The RTL of elastic routers as plain C++ objects: gsm_elastic_router_table, Verilated. No
/// SystemC.
#pragma once

#include <memory>

#include "gossamer/machines/elastic/router_pins.hpp"

namespace gossamer::tb {

/// A router with the pins of ElasticRouterPins; what is not connected is idle.
class VerilatedElasticRouter {
 public:
  VerilatedElasticRouter() = default;
  VerilatedElasticRouter(const VerilatedElasticRouter&) = delete;
  VerilatedElasticRouter& operator=(const VerilatedElasticRouter&) = delete;
  virtual ~VerilatedElasticRouter() = default;

  /// Reset, and the first edge behind it.
  virtual void clear() = 0;
  /// From the inputs and the registers to the outputs.
  virtual void settle(ElasticRouterPins& pins) = 0;
  /// One rising edge of the clock, with the inputs that have been settled. Throws RtlAssertion
  /// (verilated_router.hpp).
  virtual void clock() = 0;
};

/// Ports and slots of a queue of the largest model.
inline constexpr std::size_t kMaxVerilatedElasticPorts = 8;
inline constexpr std::uint32_t kMaxVerilatedElasticSlots = 64;

/// The smallest model with room for the table, after clear(); std::invalid_argument when there is
/// none.
[[nodiscard]] std::unique_ptr<VerilatedElasticRouter> make_verilated_elastic_router(
    const ElasticRouterTable& table);

/// The function that a model exports to make one.
using ElasticRouterMaker = std::unique_ptr<VerilatedElasticRouter>(const ElasticRouterTable& table);

}  // namespace gossamer::tb
