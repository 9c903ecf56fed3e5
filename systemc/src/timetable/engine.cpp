// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/stretched_engine.hpp"
#include "gossamer/systemc/pipelined_module.hpp"
#include "gossamer/systemc/timetable/router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

std::unique_ptr<Engine> make_timetable(const Plan& plan, const EngineOptions& options) {
  const auto& program = plan.program.as<TimetableProgram>();
  if (program.has_packets()) {
    const std::uint64_t steps = program.last_arrival(plan.topology);
    const StepPipeline pipeline = program.pipeline();
    return make_combining_fabric_engine(
        plan, "systemc",
        [&](const char* name, NodeId node) {
          return std::make_unique<PipelinedModule>(
              name, pipeline, steps, program.ports(), [&](const char* word, std::uint32_t flit) {
                return std::make_unique<TimetableRouter>(word, plan, program, node,
                                                         options.arithmetic, flit);
              });
        },
        options, 0, pipeline);
  }
  const auto make_node = [&](const char* name, NodeId node) {
    return std::make_unique<TimetableRouter>(name, plan, program, node, options.arithmetic);
  };
  return stretched(make_combining_fabric_engine(plan, "systemc", make_node, options),
                   program.flits);
}

const EngineMakerRegistration kRegistration(
    {.engine = "systemc", .machine = "timetable", .make = make_timetable, .pin_level = true});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_timetable)
