// SPDX-License-Identifier: Apache-2.0
/// The RTL of elastic routers as plain C++ objects: gsm_elastic_router, Verilated. No
/// SystemC.
#pragma once

#include <memory>

#include "gossamer/machines/elastic/router_pins.hpp"
#include "gossamer/tb/model_words.hpp"

namespace gossamer::tb {

/// A router with the pins of ElasticRouterPins; unconnected ports are idle.
class VerilatedElasticRouter {
 public:
  VerilatedElasticRouter() = default;
  VerilatedElasticRouter(const VerilatedElasticRouter&) = delete;
  VerilatedElasticRouter& operator=(const VerilatedElasticRouter&) = delete;
  virtual ~VerilatedElasticRouter() = default;

  /// Reset, and the first edge after it.
  virtual void clear() = 0;
  /// Computes the outputs from the inputs and the registers.
  virtual void settle(ElasticRouterPins& pins) = 0;
  /// One rising edge of the clock, with settled inputs. Throws RtlAssertion (verilated_router.hpp).
  virtual void clock() = 0;
};

/// Ports, and slots of a queue, of the largest model.
inline constexpr std::size_t kMaxVerilatedElasticPorts = 8;
inline constexpr std::uint32_t kMaxVerilatedElasticSlots = 64;

/// The smallest model with room for the table, after clear(); std::invalid_argument if there is no
/// such model.
[[nodiscard]] std::unique_ptr<VerilatedElasticRouter> make_verilated_elastic_router(
    const ElasticRouterTable& table, const ModelWords& words = {});

/// The function that a model exports to create one.
using ElasticRouterMaker = std::unique_ptr<VerilatedElasticRouter>(const ElasticRouterTable& table);

}  // namespace gossamer::tb
