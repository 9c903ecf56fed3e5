// SPDX-License-Identifier: Apache-2.0
/// The descriptor, which registers itself, and a planner for it.
#include <bit>

#include "east.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"

namespace east {

namespace {

using namespace gossamer;

// [machine]
class EastMachine final : public MachineDefaults {
 public:
  EastMachine()
      : MachineDefaults({.name = "east",
                         .summary = "routers forward every packet to the east neighbour",
                         .proof = "rows",
                         .formats = "arrivals"}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    EastProgram program;
    program.steps = source.fields.number<std::uint32_t>("steps", 0, 0xffffffff);
    return program;
  }
  void write(const Program& program, DocumentWriter& out) const override {
    out.number("steps", dynamic_cast<const EastProgram&>(program).steps);
  }
  void check(const Plan& plan, const std::string& place) const override {
    if (!plan.topology.wraps(0) || !plan.topology.is_healthy()) {
      throw InputError(place + ": machine: east requires rings along x without faults");
    }
    if (plan.demand != Demand::all_gather(1)) {
      throw InputError(place + ": machine: east requires one packet per node, for all nodes");
    }
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    return {.settled_after = plan.program.as<EastProgram>().steps, .buffer_accesses = 0};
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& /*options*/) const override {
    return make_engine(plan);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& /*progress*/) const override {
    return east::prove(plan);
  }
  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    const auto bits = std::bit_width(plan.program.as<EastProgram>().steps);
    return {.table_bits = static_cast<std::uint64_t>(bits), .packets = 1};
  }
};

const EastMachine kMachine;
const MachineRegistration kRegistration(kMachine);
// [machine]

// [planner]
Plan plan_east(const PlanRequest& request) {
  const Topology& topology = request.topology;
  if (!topology.wraps(0) || topology.nodes() != topology.side(0)) {
    throw InfeasibleError("user:east: requires one ring; nearest feasible: --dims 8");
  }
  EastProgram program;
  program.steps = topology.nodes() - 1;
  Plan plan{topology, "gossip", "user:east", {}, Demand::all_gather(1), program, {}};
  plan.expected.analytic_steps = program.steps;
  plan.expected.analytic_cycles = program.steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, 1);
  return plan;
}

const bool kRegistered = [] {
  register_algorithm({.collective = "gossip",
                      .shapes = Shapes::kTorus,
                      .name = "user:east",
                      .summary = "One packet per node, eastward round one ring",
                      .guarantee = "one ring; P - 1 steps; one register per router",
                      .options = "",
                      .machines = "east",
                      .plan = plan_east});
  return true;
}();
// [planner]

}  // namespace

const Machine& EastProgram::machine() const { return kMachine; }

}  // namespace east
