// SPDX-License-Identifier: Apache-2.0
/// Reductions with the plan's own operation, and the RTL against damaged plans.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <tuple>
#include <vector>

#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/folded.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/collectives/reduce/lines.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/systemc/ring/router.hpp"
#include "gossamer/tb/lock_step.hpp"
#include "gossamer/util/error.hpp"

using namespace gossamer;

namespace {

using Sides = std::vector<std::uint32_t>;
using Words = std::map<std::pair<NodeId, PacketId>, std::uint64_t>;

constexpr Operation kCombining[] = {Operation::kSum,
                                    Operation::kSaturatingSum,
                                    Operation::kSignedSaturatingSum,
                                    Operation::kMax,
                                    Operation::kMin,
                                    Operation::kAnd,
                                    Operation::kOr,
                                    Operation::kXor};

/// The final vector of every node.
class LastResults final : public Observer {
 public:
  bool on_links(const LinkView& view) override {
    for (const Result& result : view.results) {
      words[{result.node, result.packet}] = result.value;
    }
    return true;
  }
  Words words;
};

Words results_of(Engine& engine, std::uint64_t steps) {
  LastResults last;
  watch(engine, steps + 1, last);
  return last.words;
}

/// Operations by their definitions, on numbers wider than a word.
std::int64_t reference(Operation operation, int bits, std::int64_t a, std::int64_t b) {
  const std::int64_t modulus = std::int64_t{1} << bits;
  const auto wrapped = [modulus](std::int64_t x) { return ((x % modulus) + modulus) % modulus; };
  const auto as_signed = [modulus](std::int64_t x) { return x >= modulus / 2 ? x - modulus : x; };
  switch (operation) {
    case Operation::kSum:
      return wrapped(a + b);
    case Operation::kSaturatingSum:
      return a + b >= modulus ? modulus - 1 : a + b;
    case Operation::kSignedSaturatingSum: {
      const std::int64_t sum = as_signed(a) + as_signed(b);
      if (sum >= modulus / 2) return modulus / 2 - 1;
      if (sum < -modulus / 2) return modulus / 2;
      return wrapped(sum);
    }
    case Operation::kMax:
      return a > b ? a : b;
    case Operation::kMin:
      return a < b ? a : b;
    case Operation::kAnd:
      return a & b;
    case Operation::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

Plan on_torus(const Sides& sides, std::uint32_t k, ReduceTo to) {
  return plan_cycle_reduction(plan_hamiltonian(Topology::torus(sides), {}), {k, to});
}

const Combination& combination_of(const Plan& plan) {
  return plan.program.as<RingProgram>().combine;
}

}  // namespace

TEST_CASE("two words are combined as the operation defines", "[reduction]") {
  for (const int bits : {1, 2, 3, 5}) {
    for (const Operation operation : kCombining) {
      const Arithmetic arithmetic{operation, bits};
      for (std::uint64_t a = 0; a <= arithmetic.mask(); ++a) {
        for (std::uint64_t b = 0; b <= arithmetic.mask(); ++b) {
          const auto right = reference(operation, bits, static_cast<std::int64_t>(a),
                                       static_cast<std::int64_t>(b));
          if (arithmetic.combine(a, b) != static_cast<std::uint64_t>(right)) {
            FAIL(operation_name(operation)
                 << " of " << a << " and " << b << ", " << bits << " bits");
          }
        }
      }
    }
  }
  const Arithmetic wide{Operation::kSignedSaturatingSum, 64};
  CHECK(wide.combine(std::uint64_t{1} << 63U, ~std::uint64_t{0}) == std::uint64_t{1} << 63U);
  CHECK(Arithmetic{Operation::kSaturatingSum, 64}.combine(~std::uint64_t{0}, 1) ==
        ~std::uint64_t{0});
}

TEST_CASE("real words are reduced by every operation, with equal results on fast and systemc",
          "[reduction]") {
  const std::vector<Plan> plans = {
      on_torus({4, 3}, 2, ReduceTo::kEveryNode), on_torus({3, 3}, 3, ReduceTo::kOwner),
      on_torus({3, 3}, 5, ReduceTo::kEveryNode), plan_rings(Topology::torus(Sides{3, 3}), {9}),
      plan_line_sum(Topology::mesh(Sides{4, 3}), {1})};
  for (const Plan& plan : plans) {
    const Combination& combine = combination_of(plan);
    const std::uint64_t nodes = plan.topology.nodes();
    bool saturates = false;
    for (const Operation operation : kCombining) {
      if (operation == Operation::kSignedSaturatingSum && plan.algorithm == "line-sum") continue;
      INFO(plan.collective << " " << plan.algorithm << " " << operation_name(operation));
      const Arithmetic arithmetic{operation, 12};
      const auto fast = make_fast_engine(plan, {.arithmetic = arithmetic});
      const Words words = results_of(*fast, combine.steps());
      const auto clocked = make_engine("systemc", plan, {.arithmetic = arithmetic});
      CHECK(results_of(*clocked, combine.steps()) == words);
      // The order of a signed saturating sum is the plan's; all nodes have the same result.
      std::vector<std::uint64_t> right(combine.words());
      for (PacketId piece = 0; piece < combine.words(); ++piece) {
        for (NodeId node = 0; node < nodes; ++node) {
          const std::uint64_t own = arithmetic.word(node, piece, combine.words(), nodes);
          right[piece] = node == 0 ? own : arithmetic.combine(right[piece], own);
        }
        saturates = saturates ||
                    (operation == Operation::kSaturatingSum && right[piece] == arithmetic.mask());
      }
      std::size_t wanted = 0;
      const bool owned = plan.collective == "reduce-scatter";
      for (const auto& [at, value] : words) {
        if (owned && at.second / (combine.words() / nodes) != at.first) continue;
        ++wanted;
        if (operation == Operation::kSignedSaturatingSum) {
          if (!owned) CHECK(value == words.at({0, at.second}));
        } else {
          CHECK(value == right[at.second]);
        }
      }
      CHECK(wanted == combine.words() * (owned ? 1 : nodes));
    }
    if (combine.words() > 1) CHECK(saturates);
  }
}

TEST_CASE("the RTL executes a damaged reduction, and lock step detects a fault",
          "[reduction][lock-step]") {
  // The configuration differs from the planner's intent; the engines must still agree.
  const Plan right = on_torus({4, 3}, 4, ReduceTo::kEveryNode);
  std::vector<Plan> plans(6, right);
  const auto combine_of = [&plans](std::size_t i) -> Combination& {
    return plans[i].program.edit<RingProgram>().combine;
  };
  combine_of(1).ranks[5] = (combine_of(1).ranks[5] + 1) % 12;
  combine_of(2).legs[0].lanes[1]->offset = 4;
  combine_of(3).legs[0].lanes[2]->slope = 0;
  combine_of(4).legs[0].turn += 2;
  combine_of(5).legs[0].operations[1].step = CombineStep::kPass;
  for (const Plan& plan : plans) {
    const auto fast = make_fast_engine(plan);
    const auto rtl = make_engine("rtl", plan);
    tb::LockStep lock_step(plan.topology, *fast, *rtl);
    CHECK(lock_step.run(100).empty());
  }
  const auto clocked = make_engine("systemc", right);
  const auto rtl = make_engine("rtl", right);
  tb::LockStep lock_step(right.topology, *clocked, *rtl);
  lock_step.inject({tb::Side::kDevice, 7, 5, 2, {.flip = 64}});
  const auto& differences = lock_step.run(100);
  REQUIRE(differences.size() == 1);
  CHECK(differences.front().cycle == 7);
  CHECK(differences.front().node == 5);
}

struct TracedRun {
  Report report;
  std::string trace;
};

/// A run that ends well.
TracedRun run_well(const Plan& plan, Engine& engine) {
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  TracedRun run{run_plan(plan, engine, options), trace.str()};
  INFO((run.report.problems.empty() ? "" : run.report.problems.front()));
  CHECK(run.report.problems.empty());
  CHECK(run.report.complete == true);
  return run;
}

/// The result, which must be the same on every engine, if a step is a cycle.
auto outcome(const Plan& plan, Engine& engine) {
  const TracedRun run = run_well(plan, engine);
  CHECK(run.report.cycles == run.report.steps);
  return std::tuple(run.report.steps, run.report.link_transfers, run.report.max_queue, run.trace);
}

TEST_CASE("a reduce to any root has one trace on fast, systemc and rtl", "[reduction]") {
  for (const Sides& sides : {Sides{5}, Sides{2}, Sides{3, 3}, Sides{4, 3}, Sides{2, 3, 2}}) {
    const bool equal = sides.size() == 2 && sides[0] == sides[1];
    for (std::uint32_t wrap = 0; wrap < 1U << sides.size(); ++wrap) {
      const Topology topology = Topology::grid(sides, wrap);
      for (NodeId root = 0; root < topology.nodes(); ++root) {
        const std::uint64_t words = equal ? 2 : 1;
        Plan whole = plan_line_sum(topology, {words});
        whole.demand = Demand::combined(Destination::kRoot, Operation::kSum, words, root);
        whole.expected = {};
        for (const Plan& plan : {plan_line_sum(topology, {words, Operation::kSum, root}), whole}) {
          INFO(topology.dims_text() << " wrap " << wrap << " root " << root);
          const auto expected = outcome(plan, *make_fast_engine(plan));
          CHECK(outcome(plan, *make_engine("systemc", plan)) == expected);
          CHECK(outcome(plan, *make_engine("rtl", plan)) == expected);
        }
      }
    }
  }
}

TEST_CASE("packed trees have one trace on fast, systemc and rtl", "[reduction][trees]") {
  const auto planned = [](const char* collective, const char* algorithm, const Topology& topology,
                          std::int64_t words) {
    return make_plan({topology, collective, algorithm, {{"words", words}}, {}});
  };
  const std::vector<Plan> plans = {
      planned("all-reduce", "tree", Topology::mesh(Sides{4, 3}), 9),
      planned("all-reduce", "tree", Topology::torus(Sides{2, 3, 2}), 1),
      planned("all-reduce", "three-trees", Topology::mesh(Sides{4, 5}), 7),
      planned("all-reduce", "three-trees", Topology::mesh(Sides{3, 3}), 4),
      planned("reduce", "disjoint-trees", Topology::torus(Sides{4, 4}), 11),
      planned("reduce", "disjoint-trees", Topology::mesh(Sides{3, 4}), 3)};
  for (const Plan& plan : plans) {
    INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.dims_text());
    const auto expected = outcome(plan, *make_fast_engine(plan));
    CHECK(outcome(plan, *make_engine("systemc", plan)) == expected);
    CHECK(outcome(plan, *make_engine("rtl", plan)) == expected);
  }
}

TEST_CASE("relayed reductions have one trace on fast, systemc and rtl", "[reduction][relay][rtl]") {
  const auto cycles_and_trace = [](const Plan& plan, Engine& engine) {
    const TracedRun run = run_well(plan, engine);
    return std::pair(run.report.cycles, run.trace);
  };
  for (const Sides& sides :
       {Sides{8, 8}, Sides{4, 2}, Sides{4, 4, 4}, Sides{16}, Sides{5, 3}, Sides{3, 2, 3}}) {
    for (const Topology& topology : {Topology::torus(sides), Topology::mesh(sides)}) {
      for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.machines != "relay" || algorithm.collective == "broadcast" ||
            !serves(algorithm.shapes, topology)) {
          continue;
        }
        // One flit that is sent on at once, with wires of registers, and a long message.
        for (const auto& [flits, hop_cycles, relay_cycles] :
             {std::array<std::int64_t, 3>{1, 1, 0}, {1, 2, 1}, {7, 1, 0}, {3, 2, 3}}) {
          PlanRequest request{
              topology, std::string(algorithm.collective), std::string(algorithm.name), {}, {}};
          if (takes_option(request.collective, request.algorithm, "flits")) {
            request.parameters["flits"] = flits;
          }
          request.parameters["hop-cycles"] = hop_cycles;
          request.parameters["relay-cycles"] = relay_cycles;
          std::optional<Plan> plan;
          try {
            plan = make_plan(request);
          } catch (const InfeasibleError&) {
            continue;
          }
          INFO(plan->collective << " " << plan->algorithm << " " << topology.kind() << " "
                                << topology.dims_text() << " " << flits);
          const auto fast = make_fast_engine(*plan);
          const auto clocked = make_engine("systemc", *plan);
          const auto expected = cycles_and_trace(*plan, *fast);
          CHECK(expected == cycles_and_trace(*plan, *clocked));
          const auto rtl = make_engine("rtl", *plan);
          CHECK(expected == cycles_and_trace(*plan, *rtl));
          // Every bit of every flit, of small networks.
          if (topology.nodes() > 16) continue;
          const auto model = make_engine("systemc", *plan);
          const auto device = make_engine("rtl", *plan);
          tb::LockStep lock_step(topology, *model, *device);
          CHECK(lock_step.run(kNoStepLimit).empty());
        }
      }
    }
  }
}

TEST_CASE("legs that no hardware executes are refused", "[reduction]") {
  Plan plan = plan_line_sum(Topology::torus(Sides{4, 4}), {1});
  auto& leg = plan.program.edit<RingProgram>().combine.legs[1];
  leg.operations[1].step = CombineStep::kAdd;
  CHECK_THROWS_AS(make_engine("rtl", plan), InputError);
  Plan many = on_torus({4, 4}, 2, ReduceTo::kEveryNode);
  auto& runs = many.program.edit<RingProgram>().combine.legs[0].operations;
  runs.clear();
  runs.push_back({CombineStep::kLoad, 1});
  for (int i = 0; i < 8; ++i)
    runs.push_back({i % 2 == 0 ? CombineStep::kAdd : CombineStep::kPass, 1});
  CHECK_THROWS_WITH(make_engine("rtl", many), Catch::Contains("9 runs"));
}
