// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/embedding.hpp"

#include "gossamer/plan/machine.hpp"

namespace gossamer {

Plan embedded_plan(const Plan& plan, const Embedding& embedding) {
  Plan on_host = plan;
  on_host.topology = embedding.host;
  on_host.program = plan.machine().embedded(*plan.program, embedding).program;
  return on_host;
}

}  // namespace gossamer
