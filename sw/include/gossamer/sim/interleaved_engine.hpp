// SPDX-License-Identifier: Apache-2.0
/// Packets of words, simulated by interleaved engines of a plan of single words.
#pragma once

#include <memory>
#include <vector>

#include "gossamer/plan/step_pipeline.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Engines whose steps are cycles, one for each word of a packet: engine f shows the contents of
/// the links in the f-th cycle of every step. Results appear pipeline.result_cycles later, numbered
/// flit by flit. `steps`: steps of the plan.
[[nodiscard]] std::unique_ptr<Engine> interleaved(std::vector<std::unique_ptr<Engine>> words,
                                                  const StepPipeline& pipeline,
                                                  std::uint64_t steps);

}  // namespace gossamer
