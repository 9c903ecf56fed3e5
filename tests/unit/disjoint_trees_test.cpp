// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/disjoint_trees.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/verify/verify.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

/// Every topology of these sides: each dimension wraps or does not.
std::vector<Topology> all_wraps(const Sides& sides) {
  std::vector<Topology> all;
  for (std::uint32_t wrap = 0; wrap < 1U << sides.size(); ++wrap) {
    all.push_back(Topology::grid(sides, wrap));
  }
  return all;
}

/// The links that leave a corner.
std::uint64_t corner_links(const Topology& topology) {
  return static_cast<std::uint64_t>(topology.degree(0));
}

TEST_CASE("trees of a broadcast span the network and share no link", "[broadcast][slow]") {
  for (const Sides& sides :
       {Sides{2}, Sides{3}, Sides{7}, Sides{8}, Sides{2, 2}, Sides{2, 3}, Sides{2, 5}, Sides{3, 3},
        Sides{4, 4}, Sides{3, 6}, Sides{5, 4}, Sides{8, 4}, Sides{2, 2, 2}, Sides{2, 3, 2},
        Sides{4, 2, 3}, Sides{3, 3, 3}, Sides{2, 2, 2, 2}, Sides{2, 3, 2, 3}}) {
    for (const Topology& topology : all_wraps(sides)) {
      for (NodeId root = 0; root < topology.nodes(); ++root) {
        INFO(topology.kind() << " " << topology.dims_text() << " root " << root);
        const DisjointTrees trees(topology, root);
        int lines = 0;
        bool doubled = topology.wrap() != 0;
        for (int dim = 0; dim < topology.dimensions(); ++dim) {
          lines += topology.wraps(dim) ? 0 : 1;
          doubled = doubled && (!topology.wraps(dim) || topology.side(dim) == 2);
        }
        REQUIRE(trees.size() == corner_links(topology) - (lines == 1 && doubled ? 1 : 0));
        std::set<LinkId> used;
        for (std::size_t tree = 0; tree < trees.size(); ++tree) {
          std::uint64_t deepest = 0;
          for (NodeId node = 0; node < topology.nodes(); ++node) {
            if (node == root) continue;
            const LinkId link = topology.link_into(node, trees.in_port(tree, node));
            REQUIRE(link != kNoLink);
            REQUIRE(used.insert(link).second);
            std::uint64_t depth = 0;
            for (NodeId at = node; at != root; ++depth) {
              REQUIRE(depth <= topology.nodes());
              at = topology.neighbor(at, trees.in_port(tree, at));
            }
            deepest = std::max(deepest, depth);
          }
          REQUIRE(trees.depths()[tree] == deepest);
        }
      }
    }
  }
}

/// Proof, run, formula and document of a plan agree; its steps.
std::uint64_t check(const Plan& plan) {
  INFO(plan.topology.kind() << " " << plan.topology.dims_text() << " root " << plan.demand.root
                            << ", " << plan.demand.pieces << " packets");
  std::ostringstream trace;
  const auto run = testing::simulate_fast(plan, settled_after(plan).value());
  const std::uint64_t others = plan.topology.nodes() - std::uint64_t{1};
  CHECK(run.complete);
  CHECK(run.steps == *plan.expected.analytic_steps);
  CHECK(run.transfers == plan.demand.pieces * others);
  CHECK(run.duplicates == 0);
  CHECK(run.conflicts == 0);
  CHECK(run.max_queue == plan.expected.queue_depth);
  CHECK(*plan.expected.lower_bound_steps <= run.steps);
  if (plan.expected.bound_steps) CHECK(run.steps <= *plan.expected.bound_steps);
  const Verdict verdict = verify(plan);
  INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
  CHECK(verdict.ok());
  CHECK(verdict.steps == run.steps);
  CHECK(verdict.link_transfers == run.transfers);
  std::ostringstream document;
  write_plan(plan, document, PlanEncoding::kJson);
  std::istringstream read(document.str());
  CHECK(read_plan(read, "plan") == plan);
  return run.steps;
}

TEST_CASE("disjoint trees on meshes meet the bound", "[broadcast]") {
  // Figures of the mesh algorithm as first settled.
  const auto steps = [](const Sides& sides, NodeId root, std::uint32_t packets) {
    return check(plan_disjoint_trees(Topology::mesh(sides), {root, packets}));
  };
  CHECK(steps({9, 7}, 0, 50) == 38);
  CHECK(steps({9, 7}, 5, 50) == 35);
  CHECK(steps({9, 7}, 40, 50) == 32);
  CHECK(steps({4, 5, 6}, 33, 100) == 42);
  for (std::uint32_t x = 2; x <= 7; ++x) {
    for (std::uint32_t y = 2; y <= 7; ++y) {
      const Topology mesh = Topology::mesh(Sides{x, y});
      for (const NodeId root : {NodeId{0}, mesh.nodes() / 2, mesh.nodes() - 1, x / 2}) {
        for (const std::uint32_t packets : {1U, 2U, 5U, 16U}) {
          const Plan plan = plan_disjoint_trees(mesh, {root, packets});
          CHECK(check(plan) == *bounds::disjoint_trees_steps(mesh, root, packets));
          const Coordinates at = mesh.coordinates(root);
          if (std::max(at[0], x - 1 - at[0]) >= 2 && std::max(at[1], y - 1 - at[1]) >= 2) {
            CHECK(plan.expected.analytic_steps == plan.expected.lower_bound_steps);
          }
        }
      }
    }
  }
}

TEST_CASE("disjoint trees on tori and cylinders compared with the bound", "[broadcast]") {
  struct Row {
    Sides sides;
    std::uint32_t wrap;
    std::uint32_t packets;
    std::uint64_t steps, bound;
  };
  for (const Row& row : {
           Row{{8, 8}, 3, 64, 24, 23},
           Row{{4, 4, 4}, 7, 64, 17, 16},
           Row{{4, 4}, 3, 64, 20, 19},
           Row{{5, 5}, 3, 64, 21, 19},
           Row{{4, 8}, 3, 64, 22, 21},
           Row{{16, 16}, 3, 64, 32, 31},
           Row{{8, 4}, 1, 64, 28, 28},
           Row{{2, 4}, 1, 64, 36, 34},
       }) {
    const Topology topology = Topology::grid(row.sides, row.wrap);
    const Plan plan = plan_disjoint_trees(topology, {0, row.packets});
    CHECK(check(plan) == row.steps);
    CHECK(*plan.expected.lower_bound_steps == row.bound);
  }
  for (const Sides& sides : {Sides{3, 5}, Sides{2, 4}, Sides{2, 2}, Sides{6}, Sides{3, 3, 3}}) {
    for (const Topology& topology : all_wraps(sides)) {
      for (const std::uint32_t packets : {1U, 3U, 20U}) {
        for (const NodeId root : {NodeId{0}, topology.nodes() - 1}) {
          check(plan_disjoint_trees(topology, {root, packets}));
        }
      }
    }
  }
}

TEST_CASE("the proof of a damaged broadcast agrees with its run", "[broadcast][verify]") {
  SplitMix64 random(7);
  for (const Sides& sides : {Sides{3, 3}, Sides{4, 3}}) {
    for (const bool torus : {false, true}) {
      const Topology topology = torus ? Topology::torus(sides) : Topology::mesh(sides);
      const Plan whole = plan_disjoint_trees(topology, {4, 5});
      for (int i = 0; i < 400; ++i) {
        Plan plan = whole;
        auto& program = plan.program.edit<StreamProgram>();
        for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
          const auto node = static_cast<NodeId>(random.below(topology.nodes()));
          const auto port = static_cast<Port>(random.below(4));
          if (topology.neighbor(node, port) == kNoNode) continue;
          StreamPort entry = program.at(node, port);
          if (!entry.preload.empty() && random.below(2) == 0) {
            entry.preload[random.below(entry.preload.size())] =
                static_cast<std::uint16_t>(random.below(5));
            if (random.below(2) == 0) entry.preload.push_back(1);
          } else {
            entry = {};
            if (random.below(4) != 0) {
              entry.feed = PortSet::of(static_cast<Port>(random.below(4)));
            }
          }
          program.set(node, port, entry);
        }
        const std::uint64_t limit = step_limit(plan);
        const auto run = testing::simulate_fast(plan, limit);
        const Verdict verdict = verify(plan);
        REQUIRE(verdict.method == "trees");
        REQUIRE(verdict.complete == run.complete);
        if (run.complete) REQUIRE(verdict.steps == run.steps);
        REQUIRE(verdict.link_transfers == run.transfers);
        REQUIRE(verdict.duplicates == run.duplicates);
        REQUIRE(verdict.link_conflicts == run.conflicts);
        REQUIRE(verdict.max_queue == run.max_queue);
      }
    }
  }
}

TEST_CASE("programs that broadcast streams are read with care", "[broadcast][plan]") {
  const Plan whole = plan_disjoint_trees(Topology::torus(Sides{3, 3}), {4, 5});
  const auto refusal = [&](const auto& damage) -> std::string {
    Plan plan = whole;
    damage(plan, plan.program.edit<StreamProgram>());
    std::ostringstream document;
    write_plan(plan, document, PlanEncoding::kJson);
    std::istringstream read(document.str());
    try {
      static_cast<void>(read_plan(read, "plan"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal([](Plan&, StreamProgram&) {}).empty());
  CHECK(refusal([](Plan& plan, StreamProgram&) { plan.demand.pieces = 6; }) ==
        "plan: program: packets_per_node: 5, but the demand has 6 pieces");
  CHECK(refusal([](Plan&, StreamProgram& program) {
          program.set(0, 0, {PortSet(), PortSet(), 0, {1}});
        }) == "plan: program: table: node 0 has own packets, but the root is node 4");
  CHECK(refusal([](Plan&, StreamProgram& program) {
          program.set(0, 0, {PortSet(6), PortSet(), 0, {}});
        }) ==
        "plan: program: ports: in a broadcast an out-port has one feed for good, or own "
        "packets");
  CHECK_THROWS_AS(plan_disjoint_trees(whole.topology, {0, 0}), InputError);
  CHECK_THROWS_AS(plan_disjoint_trees(whole.topology, {0, kMaxPacketsPerNode + 1}), InputError);
}

TEST_CASE("a request for packets selects the algorithm that ends first", "[broadcast][planner]") {
  const Topology torus = Topology::torus(Sides{8, 8});
  const auto planned = [&](const Topology& topology, std::int64_t packets) {
    return make_plan({topology, "broadcast", "", {{"packets", packets}}, {}});
  };
  CHECK(planned(torus, 1).algorithm == "tree");
  CHECK(planned(torus, 64).algorithm == "disjoint-trees");
  // A line has one tree and no choice; sides of 1 are irrelevant.
  const Topology line = Topology::mesh(Sides{9, 1});
  for (const std::int64_t packets : {1, 40}) {
    const Plan plan = planned(line, packets);
    CHECK(plan.algorithm == "tree");
    CHECK(*plan.expected.analytic_cycles == static_cast<std::uint64_t>(packets) + 7);
  }
  CHECK(check(make_plan(
            {line, "broadcast", "disjoint-trees", {{"packets", std::int64_t{40}}}, {}})) == 47);
  CHECK(make_plan({torus, "broadcast", "", {}, {}}).algorithm == "eye");
}

}  // namespace
}  // namespace gossamer
