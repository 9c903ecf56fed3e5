// SPDX-License-Identifier: Apache-2.0
/// The RTL router as a plain C++ object: gsm_router_table, Verilated, one object per node.
///
/// Supports any number of ports and any queue depth at run time, without a compilation: the table
/// and the depth are inputs of the RTL. One call of clock() is one clock cycle. No SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gossamer/sim/engine.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer::tb {

/// An assertion of the RTL failed, or it called $fatal, in any kind of router; an engine reports it
/// as its own assertion. The message names file, line and module. The router that threw it can only
/// be destroyed.
class RtlAssertion : public ModelAssertion {
 public:
  using ModelAssertion::ModelAssertion;
};

/// The largest queue depth of a Verilated router.
inline constexpr std::uint32_t kMaxVerilatedDepth = 4096;

/// The pins of a router, by the names of docs/tile.md. Data of a port whose valid bit
/// is 0 is meaningless.
struct RouterPins {
  // Inputs, read by clock().
  bool clear_i = false;
  PortSet inject_valid_i;
  PortSet in_valid_i;
  std::array<std::uint64_t, kMaxPorts> inject_data_i{};
  std::array<std::uint64_t, kMaxPorts> in_data_i{};
  // Outputs, written by clock().
  PortSet out_valid_o;
  bool error_o = false;
  std::array<std::uint64_t, kMaxPorts> out_data_o{};
};

class VerilatedRouter {
 public:
  VerilatedRouter() = default;
  VerilatedRouter(const VerilatedRouter&) = delete;
  VerilatedRouter& operator=(const VerilatedRouter&) = delete;
  virtual ~VerilatedRouter() = default;

  [[nodiscard]] virtual int ports() const = 0;
  [[nodiscard]] virtual std::uint32_t depth() const = 0;

  /// Slots of a frame; 1: the out-ports have one queue each for all steps.
  [[nodiscard]] virtual std::uint32_t frame() const = 0;

  /// The table row of an out-port: the in-ports that feed it in steps >= switch_step and before.
  /// Ports are numbered as in a StreamProgram, port * frame + slot.
  virtual void set_table(Port out_port, PortSet feed, PortSet early_feed,
                         std::uint32_t switch_step) = 0;

  /// Inputs of the coming cycle and outputs of the past one.
  [[nodiscard]] RouterPins& pins() { return pins_; }
  [[nodiscard]] const RouterPins& pins() const { return pins_; }

  /// One rising edge of the clock: reads the inputs, sets the outputs to the contents of the
  /// registers after the edge. Throws RtlAssertion.
  virtual void clock() = 0;

 protected:
  RouterPins pins_;
};

/// A router after reset, cleared, with an idle table. Its step counter is 0, so that the next
/// clock() loads the first own packets. `ports` is even, 2..kMaxPorts, `depth`
/// 1..kMaxVerilatedDepth, `frame` 1..kMaxPorts / ports; std::invalid_argument otherwise.
[[nodiscard]] std::unique_ptr<VerilatedRouter> make_verilated_router(int ports, std::uint32_t depth,
                                                                     std::uint32_t frame = 1);

/// The function that a model exports to create one.
using RouterMaker = std::unique_ptr<VerilatedRouter>(int ports, std::uint32_t depth,
                                                     std::uint32_t frame);

}  // namespace gossamer::tb
