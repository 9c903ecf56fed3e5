// SPDX-License-Identifier: Apache-2.0
/// Reductions over packed trees: the figures of docs/spec/mesh-reductions.md.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/reduce/packing.hpp"
#include "gossamer/collectives/reduce/trees.hpp"
#include "gossamer/machines/timetable/trees.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "timetable.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

/// Formula and proof agree; with `run` also the machine. The steps.
std::uint64_t check(const Plan& plan, bool run = true) {
  INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.kind() << " "
                       << plan.topology.dims_text() << ", " << plan.demand.pieces << " words");
  const Verdict verdict = verify(plan);
  INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
  CHECK(verdict.ok());
  CHECK(verdict.complete);
  CHECK(verdict.steps == plan.expected.analytic_steps);
  if (!run) return verdict.steps.value_or(0);
  const Report report = run_plan(plan, *make_fast_engine(plan), {});
  INFO((report.problems.empty() ? "" : report.problems.front()));
  CHECK(report.problems.empty());
  CHECK(report.complete == true);
  CHECK(report.steps == verdict.steps);
  CHECK(report.link_transfers == verdict.link_transfers);
  CHECK(report.max_queue == verdict.max_queue);
  std::ostringstream out;
  write_plan(plan, out, PlanEncoding::kJson);
  std::istringstream in(out.str());
  CHECK(read_plan(in, "plan") == plan);
  return verdict.steps.value_or(0);
}

TEST_CASE("tree and three-trees take the steps of the page", "[reduction][trees]") {
  const auto three = [](const Sides& sides, std::uint64_t words) {
    return check(plan_three_trees(Topology::mesh(sides), {words}));
  };
  for (const auto& [words, steps] : std::map<std::uint64_t, std::uint64_t>{{1, 16},
                                                                           {2, 16},
                                                                           {3, 16},
                                                                           {6, 18},
                                                                           {8, 20},
                                                                           {14, 24},
                                                                           {16, 26},
                                                                           {24, 30},
                                                                           {32, 36},
                                                                           {64, 58},
                                                                           {100, 82},
                                                                           {128, 100},
                                                                           {256, 186},
                                                                           {1024, 698}}) {
    CHECK(three({8, 8}, words) == steps);
    CHECK(check(plan_tree(Topology::mesh(Sides{8, 8}), {words})) == 16 + words - 1);
  }
  CHECK(three({7, 7}, 3) == 13);
  CHECK(three({7, 7}, 32) == 32);
  CHECK(three({13, 17}, 100) == 94);
  CHECK(three({13, 17}, 1000) == 694);
  CHECK(three({16, 16}, 64) == 74);
  CHECK(three({16, 16}, 1000) == 698);
}

TEST_CASE("three-trees plan on all sides up to 32, and run on small ones", "[reduction][trees]") {
  for (std::uint32_t n = 3; n <= 32; ++n) {
    for (std::uint32_t m = 3; m <= 32; ++m) {
      const bool small = n <= 8 && m <= 8;
      for (const std::uint64_t words : {1U, 2U, 5U, 40U}) {
        check(plan_three_trees(Topology::mesh(Sides{n, m}), {words}), small);
      }
    }
  }
  check(plan_three_trees(Topology::torus(Sides{5, 4}), {11}));
}

TEST_CASE("disjoint-trees reduce to every root, mostly at the bound", "[reduction][trees]") {
  for (const Sides& sides : {Sides{2},
                             {3},
                             {7},
                             {2, 2},
                             {3, 3},
                             {5, 4},
                             {9, 2},
                             {8, 8},
                             {2, 3, 4},
                             {3, 3, 3},
                             {2, 2, 2, 2}}) {
    const Topology mesh = Topology::mesh(sides);
    for (NodeId root = 0; root < mesh.nodes(); ++root) {
      for (const std::uint64_t words : {1U, 4U, 17U}) {
        const Plan plan = plan_disjoint_tree_reduction(mesh, root, {words});
        check(plan, mesh.nodes() <= 27);
        const Coordinates at = mesh.coordinates(root);
        bool inside = true;
        for (int dim = 0; dim < mesh.dimensions(); ++dim) {
          const std::uint32_t x = at[static_cast<std::size_t>(dim)];
          inside = inside && std::max(x, mesh.side(dim) - 1 - x) >= 2;
        }
        // On a line no other node shares a coordinate with the root: no path begins outward.
        if (sides.size() > 1) CHECK(plan.expected.analytic_steps == plan.expected.bound_steps);
        CHECK(plan.expected.analytic_steps <= plan.expected.bound_steps);
        if (inside) CHECK(plan.expected.analytic_steps == plan.expected.lower_bound_steps);
      }
    }
  }
  const Topology mesh = Topology::mesh(Sides{9, 7});
  CHECK(check(plan_disjoint_tree_reduction(mesh, 0, {50})) == 38);
  CHECK(check(plan_disjoint_tree_reduction(mesh, 5, {50})) == 35);
  CHECK(check(plan_disjoint_tree_reduction(mesh, 40, {50})) == 32);
  CHECK(check(plan_disjoint_tree_reduction(Topology::mesh(Sides{4, 5, 6}), 33, {100})) == 42);
}

TEST_CASE("disjoint-trees reduce on tori and cylinders, too", "[reduction][trees]") {
  for (const Sides& sides : {Sides{2}, {5}, {2, 2}, {3, 4}, {3, 2, 2}}) {
    for (std::uint32_t wrap = 1; wrap < 1U << sides.size(); ++wrap) {
      const Topology topology = Topology::grid(sides, wrap);
      for (NodeId root = 0; root < topology.nodes(); root += 5) {
        for (const std::uint64_t words : {1U, 31U}) {
          const Plan plan = plan_disjoint_tree_reduction(topology, root, {words});
          check(plan);
          CHECK(plan.expected.analytic_steps >= plan.expected.lower_bound_steps);
          CHECK(plan.expected.analytic_steps <= plan.expected.bound_steps.value_or(1000));
        }
      }
    }
  }
}

TEST_CASE("packing fills frames with trees that end as early as those of the documentation",
          "[reduction][trees][slow]") {
  struct Row {
    Topology topology;
    std::uint32_t frame;
    std::uint64_t trees;
    /// The last of the first words, at most.
    std::uint64_t last;
  };
  const auto mesh = [](const Sides& sides) { return Topology::mesh(sides); };
  const Row rows[] = {
      {mesh({4, 4}), 2, 3, 9},     {mesh({4, 4}), 3, 4, 10},    {mesh({4, 4}), 4, 6, 12},
      {mesh({4, 4}), 5, 8, 13},    {mesh({5, 5}), 2, 3, 10},    {mesh({5, 5}), 3, 5, 15},
      {mesh({7, 7}), 2, 3, 13},    {mesh({7, 7}), 3, 5, 16},    {mesh({7, 7}), 4, 7, 20},
      {mesh({8, 8}), 2, 3, 17},    {mesh({8, 8}), 3, 5, 19},    {mesh({8, 8}), 4, 7, 22},
      {mesh({4, 8}), 2, 3, 13},    {mesh({4, 8}), 3, 5, 16},    {mesh({4, 8}), 4, 6, 15},
      {mesh({5, 7}), 2, 3, 12},    {mesh({5, 7}), 3, 5, 16},    {mesh({5, 7}), 4, 6, 14},
      {mesh({4, 4, 4}), 1, 2, 12}, {mesh({4, 4, 4}), 2, 4, 14}, {mesh({4, 4, 4}), 3, 6, 16}};
  for (const Row& row : rows) {
    CAPTURE(row.frame);
    CHECK(packed_trees(row.topology, row.frame) == row.trees);
    const Plan plan = plan_packing(row.topology, {3 * row.trees}, row.frame);
    check(plan);
    const auto& first_done = plan.program.as<TimetableProgram>().repetition().first_done;
    CHECK(first_done.size() == row.trees);
    for (const std::uint32_t step : first_done) CHECK(step <= row.last);
  }
  // The best of frames 1 to 4 on 8x8: words, and steps of the page at most.
  for (const auto& [words, steps] :
       std::map<std::uint64_t, std::uint64_t>{{32, 35}, {128, 92}, {1024, 605}}) {
    CHECK(check(plan_packing(mesh({8, 8}), {words}, std::nullopt), false) <= steps);
  }
}

TEST_CASE("packing supports every shape", "[reduction][trees]") {
  for (const Sides& sides : {Sides{2}, {5}, {2, 3}, {3, 3}, {2, 2, 3}}) {
    for (const Topology& topology :
         {Topology::mesh(sides), Topology::torus(sides), Topology::grid(sides, 1)}) {
      for (const std::uint32_t frame : {1U, 2U, 3U}) {
        check(plan_packing(topology, {7, Operation::kMax}, frame));
      }
    }
  }
  CHECK_THROWS_AS(plan_packing(Topology::mesh(Sides{40, 40}), {1}, 1), InfeasibleError);
}

TEST_CASE("trees on other shapes, and the shapes that they refuse", "[reduction][trees]") {
  for (const Sides& sides : {Sides{2}, {6}, {1, 4}, {4, 3}, {3, 4, 5}, {2, 2, 2, 2}}) {
    std::uint64_t halves = 0;
    for (const std::uint32_t side : sides) halves += side / 2;
    for (const Topology& topology :
         {Topology::mesh(sides), Topology::torus(sides), Topology::grid(sides, 1)}) {
      CHECK(check(plan_tree(topology, {9})) == 8 + 2 * halves);
    }
  }
  CHECK_THROWS_AS(plan_three_trees(Topology::mesh(Sides{2, 5}), {1}), InfeasibleError);
  CHECK_THROWS_AS(plan_three_trees(Topology::mesh(Sides{3, 3, 3}), {1}), InfeasibleError);
  // Sides of 1 stand where they were asked for.
  PlanRequest request{Topology::mesh(Sides{4, 1, 5}), "all-reduce", "three-trees", {}, {}};
  request.parameters["words"] = std::int64_t{9};
  const Plan plan = make_plan(request);
  CHECK(plan.algorithm == "three-trees");
  CHECK(check(plan) == bounds::packed_steps({9, 9, 10}, 2, 9));
  PlanRequest reduce{Topology::mesh(Sides{1, 9, 7}), "reduce", "auto", {}, {}};
  reduce.parameters["words"] = std::int64_t{50};
  reduce.parameters["source"] = std::string("0,5,0");
  const Plan reduced = make_plan(reduce);
  CHECK(reduced.algorithm == "disjoint-trees");
  CHECK(check(reduced) == 35);
  reduce.parameters["words"] = std::int64_t{1};
  CHECK(make_plan(reduce).algorithm == "line-sum");
}

TEST_CASE("trees avoid dead links and nodes", "[reduction][trees][faults]") {
  struct Row {
    Topology topology;
    const char* faults;
    std::uint64_t tree;
    std::uint64_t packing;
  };
  const auto mesh = [](const Sides& sides) { return Topology::mesh(sides); };
  const auto torus = [](const Sides& sides) { return Topology::torus(sides); };
  const Row rows[] = {// A leaf, for which one tree at a time is all.
                      {mesh({4, 4}), "link:0,0:x+", 51, 51},
                      {mesh({8, 8}), "node:3,3 link:5,5:x+", 67, 51},
                      {torus({5, 4}), "link:1,1:x+ link:2,2:y+ arc:4,3:x+ node:0,2", 47, 34},
                      {torus({3, 4, 3}), "node:1,1,1", 47, 25},
                      // All that is left is a line.
                      {torus({5}), "node:2", 43, 43}};
  for (const Row& row : rows) {
    const Topology topology = with_named_faults(row.topology, row.faults);
    INFO(row.faults);
    const Plan tree = plan_tree(topology, {40});
    CHECK(check(tree) == row.tree);
    const Plan packing = plan_packing(topology, {40}, std::nullopt);
    CHECK(check(packing) == row.packing);
    CHECK(row.packing >= packing.expected.lower_bound_steps);
    for (const NodeId root : {first_live(topology), live_middle(topology)}) {
      const Plan up = plan_tree_reduction(topology, root, {1});
      CHECK(check(up) == up.expected.lower_bound_steps);
    }
  }
  const Topology one_way = with_named_faults(torus({3}), "arc:0:x+ arc:1:x+");
  CHECK_THROWS_WITH(plan_tree(one_way, {1}), Catch::Contains("two-way"));
  CHECK_THROWS_WITH(plan_packing(one_way, {1}, 1), Catch::Contains("two-way"));
  CHECK(check(plan_tree_reduction(one_way, 1, {3})) == 4);
  const Topology coreless = with_named_faults(mesh({3, 3}), "core:1,1");
  CHECK_THROWS_WITH(plan_tree(coreless, {1}), Catch::Contains("dead core"));
  CHECK_THROWS_WITH(
      plan_tree_reduction(coreless, 0, {1}),
      Catch::Contains("dead core") && Catch::Contains("nearest feasible: all-reduce"));
}

TEST_CASE("timetables of trees that use faulty links are refused", "[reduction][trees][faults]") {
  const auto refused = [](const Plan& plan, const std::string& why) {
    std::ostringstream out;
    write_plan(plan, out, PlanEncoding::kJson);
    std::istringstream in(out.str());
    CHECK_THROWS_WITH(read_plan(in, "plan"), Catch::Contains(why));
  };
  Plan plan = plan_tree(Topology::mesh(Sides{3, 3}), {2});
  const NodeId child = 0;
  const auto& program = plan.program.as<TimetableProgram>();
  const Port parent = program.roms()[program.rom_of(child)].sends.front().port;
  const Topology healthy = plan.topology;
  Faults faults;
  // Words towards the root do not use this arc.
  faults.dead_arcs = {healthy.link(healthy.neighbor(child, parent), opposite(parent))};
  plan.topology = healthy.with_faults(faults);
  refused(plan, "node 0 takes arrivals of port x+, which has no live link");
  plan.topology = with_named_faults(healthy, "node:0,0");
  refused(plan, "node 0 sends by port x+, which has no live link");
  // A dead core has no words.
  plan.topology = with_named_faults(healthy, "core:0,0");
  const Verdict verdict = verify(plan);
  CHECK_FALSE(verdict.ok());
  CHECK_FALSE(verdict.complete);
  CHECK_THAT(verdict.problems.front(),
             Catch::Contains("node 0") && Catch::Contains("core is dead"));
}

TEST_CASE("an all-reduce around faults takes the fewest steps", "[reduction][faults]") {
  const auto chosen = [](const Topology& topology, const char* faults) {
    return make_plan({with_named_faults(topology, faults), "all-reduce", "", {}, {}});
  };
  // The figures of docs/faults.md.
  struct Row {
    Topology topology;
    const char* faults;
    std::uint64_t steps;
    std::uint64_t bound;
  };
  const Topology torus = Topology::torus(Sides{8, 8});
  const Topology mesh = Topology::mesh(Sides{8, 8});
  for (const Row& row : {Row{torus, "link:3,4:x+", 83, 64}, Row{torus, "node:3,3", 83, 63},
                         Row{torus, "harvest:x=3", 82, 60}, Row{mesh, "link:3,4:x+", 104, 77},
                         Row{mesh, "node:3,3", 103, 76},
                         Row{Topology::torus(Sides{4, 4, 4}), "link:1,1,1:x+", 77, 64}}) {
    INFO(row.faults);
    const Plan plan = chosen(row.topology, row.faults);
    CHECK(plan.algorithm == "packing");
    CHECK(check(plan) == row.steps);
    CHECK(plan.expected.lower_bound_steps == row.bound);
  }
  const Plan packed = chosen(Topology::torus(Sides{4, 4}), "link:1,1:x+");
  CHECK(packed.algorithm == "packing");
  CHECK(check(packed) == 24);
  // A word a step, for there is a leaf; 56 by timetable.
  const Plan leaf = chosen(Topology::mesh(Sides{4, 4}), "link:0,0:x+ node:2,1");
  CHECK(leaf.algorithm == "tree");
  CHECK(check(leaf) == 41);
  CHECK(chosen(Topology::mesh(Sides{4, 4}), "core:1,1").algorithm == "scheduled");
  // An all-gather keeps its fixed wiring, though a ROM in every router would be faster.
  const Topology damaged = with_named_faults(Topology::torus(Sides{4, 4}), "node:3,2 link:1,1:x+");
  CHECK(make_plan({damaged, "gossip", "", {}, {}}).algorithm == "degraded");
}

/// Counts damaged plans, and those of them that are right all the same.
struct Damages {
  std::size_t tried = 0;
  std::size_t refused = 0;
  std::size_t legal = 0;

  /// The reader refuses the damaged plan, or proof and run agree on it.
  void judge(const Plan& damaged) {
    ++tried;
    std::stringstream document;
    write_plan(damaged, document, PlanEncoding::kJson);
    try {
      static_cast<void>(read_plan(document, "plan"));
    } catch (const InputError&) {
      ++refused;
      return;
    }
    const Verdict verdict = verify(damaged);
    RunOptions options;
    options.max_steps = 200;
    const Report run = run_plan(damaged, *make_fast_engine(damaged), options);
    INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
    if (run.complete == false) CHECK_FALSE(verdict.complete);
    if (!verdict.complete) {
      CHECK_FALSE(verdict.ok());
      return;
    }
    ++legal;
    CHECK(run.complete == true);
    CHECK(run.steps == verdict.steps);
  }
};

TEST_CASE("every damaged place of a tree is refused, or right", "[reduction][trees][verify]") {
  Damages damages;
  for (const auto& [topology, frame] : {std::pair{Topology::mesh(Sides{3, 3}), 1U},
                                        {Topology::mesh(Sides{3, 3}), 3U},
                                        {Topology::mesh(Sides{4, 3}), 2U}}) {
    const Plan plan = plan_packing(topology, {8}, frame);
    const PackedTrees good = packed_program(topology, frame, 8);
    REQUIRE(plan.program == SharedProgram(timetable_of_trees(topology, good)));
    for (NodeId node = 0; node < good.nodes(); ++node) {
      for (std::uint32_t stream = 0; stream < good.streams(); ++stream) {
        for (int kind = 0; kind < 12; ++kind) {
          PackedTrees trees = good;
          TreePlace& place = trees.at(node, stream);
          if (kind < 4) place.parent = static_cast<Port>(kind);
          if (kind == 4) place.parent = kTreeRoot;
          if (kind == 5 || kind == 6) place.up += kind == 5 ? 1 : good.frame();
          const std::uint32_t earlier = kind == 7 ? 1 : good.frame();
          if ((kind == 7 || kind == 8) && place.up > earlier) place.up -= earlier;
          if (kind == 9) ++place.down;
          if (kind == 10 && place.down > 1) --place.down;
          if (kind == 11) place.down = 0;
          if (place.up == 0 || trees == good) continue;
          if (place.parent != kTreeRoot && topology.neighbor(node, place.parent) == kNoNode) {
            continue;
          }
          INFO("frame " << frame << " node " << node << " stream " << stream << " kind " << kind);
          Plan damaged = plan;
          damaged.program = timetable_of_trees(topology, trees);
          damages.judge(damaged);
        }
      }
    }
  }
  CHECK(damages.tried > 300);
  CHECK(damages.refused < damages.tried / 2);
  // Sends that may as well come a step or a frame later.
  CHECK(damages.legal < damages.tried / 4);
}

TEST_CASE("every damaged row of a repeating timetable is refused, or right",
          "[reduction][trees][verify]") {
  Damages damages;
  for (const Plan& plan : {plan_three_trees(Topology::mesh(Sides{4, 3}), {7}),
                           plan_packing(Topology::mesh(Sides{3, 3}), {8}, 3),
                           plan_tree(Topology::mesh(Sides{3, 3}), {5}),
                           plan_disjoint_tree_reduction(Topology::mesh(Sides{3, 4}), 5, {6})}) {
    const auto& good = plan.program.as<TimetableProgram>();
    REQUIRE(good.repeats());
    const auto judge = [&](std::size_t rom, const auto& change) {
      std::vector<TimetableRom> roms = good.roms();
      change(roms[rom]);
      if (roms[rom] == good.roms()[rom]) return;
      Plan damaged = plan;
      damaged.program = testing::with_roms(good, std::move(roms));
      damages.judge(damaged);
    };
    for (std::size_t rom = 0; rom < good.roms().size(); ++rom) {
      for (std::size_t at = 0; at < good.roms()[rom].sends.size(); ++at) {
        for (int kind = 0; kind < 3; ++kind) {
          INFO(plan.algorithm << " ROM " << rom << " send " << at << " kind " << kind);
          judge(rom, [&](TimetableRom& damaged) {
            SendRow& row = damaged.sends[at];
            if (kind == 0) damaged.sends.erase(damaged.sends.begin() + static_cast<long>(at));
            if (kind == 1 && row.times > 1) --row.times;
            if (kind == 2)
              row.source = row.source.is_own() ? WordSource::slot(0) : WordSource::own(0);
          });
        }
      }
      for (std::size_t at = 0; at < good.roms()[rom].arrivals.size(); ++at) {
        for (int kind = 0; kind < 4; ++kind) {
          INFO(plan.algorithm << " ROM " << rom << " arrival " << at << " kind " << kind);
          judge(rom, [&](TimetableRom& damaged) {
            ArrivalRow& row = damaged.arrivals[at];
            if (kind == 0) damaged.arrivals.erase(damaged.arrivals.begin() + static_cast<long>(at));
            if (kind == 1) row.with = {};
            if (kind == 2) row.slot = row.slot == 0 ? ArrivalRow::kNoSlot : 0;
            if (kind == 3) row.delivers = !row.delivers;
          });
        }
      }
    }
  }
  CHECK(damages.tried > 300);
  CHECK(damages.refused < damages.tried / 2);
  CHECK(damages.legal < damages.tried / 4);
}

}  // namespace
}  // namespace gossamer
