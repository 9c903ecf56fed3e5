// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <fmt/format.h>

#include <array>

#include "gossamer/util/error.hpp"

namespace gossamer::cli {

namespace {
constexpr auto kEngines = std::to_array<EngineInfo>({
    {"fast", "plain C++ over flat arrays; for large networks and sweeps"},
});
}  // namespace

std::span<const EngineInfo> engines() { return kEngines; }

std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                    const EngineOptions& options) {
  if (name == "fast") {
    if (!options.wave.empty()) {
      throw InputError("--wave: the fast engine has no signals; use --engine systemc");
    }
    return make_fast_engine(plan);
  }
  std::string known;
  for (const EngineInfo& engine : kEngines) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", engine.name);
  }
  throw InputError(fmt::format("--engine: \"{}\" is unknown; there is {}", name, known));
}

}  // namespace gossamer::cli
