// SPDX-License-Identifier: Apache-2.0
/// The engines by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/sim/engine.hpp"

namespace gossamer::cli {

struct EngineInfo {
  std::string_view name;
  /// What it simulates and when to choose it.
  std::string_view summary;
};

[[nodiscard]] std::span<const EngineInfo> engines();

struct EngineOptions {
  /// Wave file, empty for none; only engines that have signals can write one.
  std::string wave;
};

/// Throws InputError for an unknown engine or an option it does not have.
[[nodiscard]] std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                                  const EngineOptions& options);

}  // namespace gossamer::cli
