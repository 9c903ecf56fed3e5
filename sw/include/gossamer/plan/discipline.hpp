// SPDX-License-Identifier: Apache-2.0
/// The one table of what exists for which discipline: engines, proof, cost, formats. Commands take
/// their refusals from it, and `gossamer list` prints it; an empty cell is a fact.
#pragma once

#include <span>
#include <string_view>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A row: a discipline, or the part of one for which more exists than for the rest.
struct Discipline {
  /// "stream", "stream in frames", ... for people; unique.
  std::string_view name;
  /// True for the plans of this row, unless an earlier row has them.
  bool (*holds)(const Plan& plan);
  /// How `gossamer verify` judges.
  std::string_view proof;
  /// What the routers' tables cost is counted in.
  std::string_view cost;
  /// Engines that run it, blank-separated. Every one but `fast` writes waves; `cosim` needs both
  /// systemc and rtl.
  std::string_view engines;
  /// Formats of `gossamer emit` that have words for it, blank-separated.
  std::string_view formats;
  /// SystemC routers with signals for pins.
  bool pin_level = false;
  /// SystemC transaction-level wrapper (systemc/tlm_collective.hpp).
  bool tlm = false;
  /// A torus plan runs on the mesh of the same sides (`simulate --fold`).
  bool folds = false;

  [[nodiscard]] bool has_engine(std::string_view engine) const;
  [[nodiscard]] bool has_format(std::string_view format) const;
};

[[nodiscard]] std::span<const Discipline> disciplines();

/// The plan's row.
[[nodiscard]] const Discipline& discipline_of(const Plan& plan);

/// Throws InputError when the engine does not run the plan, and names those that do.
void require_engine(const Plan& plan, std::string_view engine);
/// Throws InputError when the format has no words for the plan, and names those that have.
void require_format(const Plan& plan, std::string_view format);

}  // namespace gossamer
