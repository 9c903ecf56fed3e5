// SPDX-License-Identifier: Apache-2.0
/// The RTL relay router as plain C++ objects: gsm_relay_router, Verilated, one object per node. One
/// call of clock() is one clock cycle. No SystemC.
#pragma once

#include <memory>

#include "gossamer/machines/relay/router_pins.hpp"
#include "gossamer/tb/model_words.hpp"

namespace gossamer::tb {

class VerilatedRelayRouter {
 public:
  VerilatedRelayRouter() = default;
  VerilatedRelayRouter(const VerilatedRelayRouter&) = delete;
  VerilatedRelayRouter& operator=(const VerilatedRelayRouter&) = delete;
  virtual ~VerilatedRelayRouter() = default;

  /// One rising edge of the clock: takes the inputs of `pins`, sets its outputs. Throws
  /// RtlAssertion (verilated_router.hpp).
  virtual void clock(RelayRouterPins& pins) = 0;
};

/// A router after reset, cleared, with the constant inputs of `config` (any kind but kTree, for
/// which it throws std::invalid_argument). Sums have values as the model of `words` has them.
[[nodiscard]] std::unique_ptr<VerilatedRelayRouter> make_verilated_relay_router(
    const RelayRouterConfig& config, const ModelWords& words = {});

/// The function that a model exports to create one.
using RelayRouterMaker = std::unique_ptr<VerilatedRelayRouter>(const RelayRouterConfig& config);

}  // namespace gossamer::tb
