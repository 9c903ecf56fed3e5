// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/embedding.hpp"

namespace gossamer {

/// As Machine::embedded.
[[nodiscard]] EmbeddedProgram embedded_ring(const RingProgram& guest, const Embedding& embedding);

}  // namespace gossamer
