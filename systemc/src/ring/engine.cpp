// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/pipelined_module.hpp"
#include "gossamer/systemc/ring/router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

std::unique_ptr<Engine> make_ring(const Plan& plan, const EngineOptions& options) {
  const auto& program = plan.program.as<RingProgram>();
  if (program.has_packets() && !options.find_ranks) {
    std::vector<std::shared_ptr<const CombiningPlan>> words;
    for (std::uint32_t flit = 0; flit < program.flits; ++flit) {
      words.push_back(std::make_shared<const CombiningPlan>(plan, options.arithmetic, false, flit));
    }
    return make_combining_fabric_engine(
        plan, "systemc",
        [words, &plan, &program](const char* name, NodeId node) {
          return std::make_unique<PipelinedModule>(
              name, program.pipeline(), program.combine.steps(), plan.topology.ports(),
              [&words, node](const char* word, std::uint32_t flit) {
                return std::make_unique<CombiningRouter>(word, words[flit], node);
              });
        },
        options, 0, program.pipeline());
  }
  const auto shared =
      std::make_shared<const CombiningPlan>(plan, options.arithmetic, options.find_ranks);
  const auto make_node = [shared](const char* name, NodeId node) {
    return std::make_unique<CombiningRouter>(name, shared, node);
  };
  return make_combining_fabric_engine(plan, "systemc", make_node, options,
                                      shared->finding_cycles());
}

const EngineMakerRegistration kRegistration(
    {.engine = "systemc", .machine = "ring", .make = make_ring, .pin_level = true});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_ring)
