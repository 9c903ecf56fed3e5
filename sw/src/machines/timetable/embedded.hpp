// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/embedding.hpp"

namespace gossamer {

/// As Machine::embedded, for links that stay single links.
[[nodiscard]] EmbeddedProgram embedded_timetable(const TimetableProgram& guest,
                                                 const Embedding& embedding);

}  // namespace gossamer
