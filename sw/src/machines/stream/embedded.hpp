// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/embedding.hpp"

namespace gossamer {

/// As Machine::embedded.
[[nodiscard]] EmbeddedProgram embedded_stream(const StreamProgram& guest,
                                              const Embedding& embedding);

}  // namespace gossamer
