// SPDX-License-Identifier: Apache-2.0
/// Compositions as SystemVerilog.
#pragma once

#include <string>
#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer {

/// Why there is no SystemVerilog of the composition; empty where there is.
[[nodiscard]] std::string composition_sv_defect(const Plan& plan);
/// One tile per node, with the tiles of all members in it.
[[nodiscard]] std::vector<EmittedFile> emit_composition_sv(const Plan& plan);

/// The same for plans of contexts: one tile per node for all of them.
[[nodiscard]] std::string contexts_sv_defect(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_contexts_sv(const Plan& plan);

}  // namespace gossamer
