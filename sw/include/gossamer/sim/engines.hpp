// SPDX-License-Identifier: Apache-2.0
/// The engines by name, and their options. The linked libraries determine the set: `fast` is always
/// present; the SystemC and RTL libraries register their engines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

struct EngineOptions {
  /// SystemC: links are signals, and every router has pins and its own process. Useful for
  /// observing the pins; about ten times slower.
  bool pin_level = false;
  /// File for VCD waves of all links, its name ending in ".vcd"; empty: none. Waves cost most of
  /// the speed and about 20 bytes per packet and link.
  std::string wave{};
  /// How nodes and links stall, for valid/ready routers; empty: no stalls.
  std::optional<StallScript> stalls{};
  /// Valid/ready routers, on systemc and rtl: by node the period of its tile's clock, >= 1, in
  /// cycles of the engine; all tiles start together. Links are then clock crossings of any latency,
  /// and tiles have pins. There are no waves and no upsets, and the cycles differ from the
  /// formula's. A stall script counts each tile's own cycles. Empty: one clock.
  std::vector<std::uint32_t> periods{};
  /// The contributions of nodes to reductions, and their combination. `rtl` has models that add
  /// floats or 64-bit integers, and ignores all others.
  Arithmetic arithmetic{};
  /// For nodes with ranks on rings: they find their ranks in a round before the run instead of
  /// being configured with them. Its cycles are not counted.
  bool find_ranks = false;
};

struct EngineInfo {
  /// "fast", "systemc", ...
  std::string_view name;
  /// Its model, and its use.
  std::string_view summary;
  bool writes_waves = false;
  bool has_pins = false;
  /// Tiles can have separate clocks.
  bool has_clocks = false;
  /// Its words are combined by hardware, which only adds (EngineOptions::arithmetic).
  bool has_adders = false;
};

/// All engines of this program, in the order of their names.
[[nodiscard]] std::span<const EngineInfo> engines();
/// Names of the engines that run a machine's plans. All except `fast` share cycles and signals that
/// `cosim` compares.
[[nodiscard]] std::vector<std::string_view> engines_of(const Machine& machine);
/// Whether some engine runs the machine's routers pin by pin (EngineOptions::pin_level).
[[nodiscard]] bool has_pin_level(const Machine& machine);

/// Throws InputError for an unknown engine, and for an option that it does not support.
void check_engine(std::string_view name, const EngineOptions& options);
/// An engine for a plan; the plan must outlive it. Throws InputError for an unknown engine, and for
/// an option or a plan that it does not support.
[[nodiscard]] std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                                  const EngineOptions& options = {});
/// The engine `fast`.
[[nodiscard]] std::unique_ptr<Engine> make_fast_engine(const Plan& plan,
                                                       const EngineOptions& options = {});

/// Adds an engine to engines(); used as a static object.
class EngineRegistration {
 public:
  explicit EngineRegistration(const EngineInfo& info);
};
/// How an engine runs the plans of one machine.
struct EngineMaker {
  std::string_view engine;
  std::string_view machine;
  std::unique_ptr<Engine> (*make)(const Plan& plan, const EngineOptions& options) = nullptr;
  bool pin_level = false;
};
/// Adds an EngineMaker; used as a static object.
class EngineMakerRegistration {
 public:
  explicit EngineMakerRegistration(const EngineMaker& maker);
};

}  // namespace gossamer
