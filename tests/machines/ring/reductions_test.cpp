// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/folded.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_to_all/isotropic.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/collectives/reduce/lines.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;

struct Run {
  bool complete = false;
  std::uint64_t steps = 0;
  std::uint64_t transfers = 0;
};

/// A judged run; the judge accepts only the right sums, at every node that needs them.
Run run(const Plan& plan) {
  const auto outcome = testing::simulate_fast(plan, settled_after(plan).value());
  return {outcome.complete, outcome.steps, outcome.transfers};
}

Run check(const Plan& plan) {
  const Run result = run(plan);
  INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.kind() << " "
                       << plan.topology.dims_text());
  CHECK(result.complete);
  CHECK(result.steps == *plan.expected.analytic_steps);
  CHECK(*plan.expected.lower_bound_steps <= result.steps);
  const Verdict verdict = verify(plan);
  INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
  CHECK(verdict.ok());
  CHECK(verdict.complete);
  CHECK(verdict.steps == result.steps);
  CHECK(verdict.link_transfers == result.transfers);
  // A router has one slot at least.
  CHECK(std::max<std::uint64_t>(*verdict.max_queue, 1) == plan.expected.queue_depth);
  return result;
}

Plan on_torus(const Sides& sides, std::uint32_t k, ReduceTo to) {
  const Topology torus = Topology::torus(sides);
  return plan_cycle_reduction(plan_hamiltonian(torus, {}), {k, to});
}

TEST_CASE("figures of the table of reductions on Hamiltonian cycles", "[reduction]") {
  struct Row {
    Sides sides;
    std::array<std::uint64_t, 2> scatter, all;
    std::array<std::uint64_t, 2> transfers;
  };
  for (const Row& row :
       {Row{{3, 3}, {4, 8}, {8, 16}, {144, 288}}, Row{{4, 4}, {8, 15}, {15, 30}, {512, 960}},
        Row{{5, 4}, {10, 19}, {19, 38}, {800, 1520}},
        Row{{8, 8}, {32, 63}, {63, 126}, {8192, 16128}},
        Row{{3, 3, 3}, {13, 26}, {26, 52}, {2106, 4212}},
        Row{{4, 4, 4}, {32, 63}, {63, 126}, {12288, 24192}}}) {
    const auto d = static_cast<std::uint32_t>(row.sides.size());
    for (std::uint32_t i = 0; i < 2; ++i) {
      const Run scatter = check(on_torus(row.sides, (i + 1) * d, ReduceTo::kOwner));
      const Run all = check(on_torus(row.sides, (i + 1) * d, ReduceTo::kEveryNode));
      CHECK(scatter.steps == row.scatter[i]);
      CHECK(all.steps == row.all[i]);
      if (i > 0) continue;
      CHECK(scatter.transfers == row.transfers[0]);
      CHECK(all.transfers == row.transfers[1]);
    }
  }
  CHECK(check(on_torus({4, 4}, 3, ReduceTo::kOwner)).steps == 15);
  CHECK(check(on_torus({4, 4}, 3, ReduceTo::kEveryNode)).steps == 30);
  for (const std::uint32_t k : {5U, 6U}) {
    CHECK(check(on_torus({4, 4}, k, ReduceTo::kOwner)).steps == 23);
    CHECK(check(on_torus({4, 4}, k, ReduceTo::kEveryNode)).steps == 45);
    CHECK(check(on_torus({3, 3}, k, ReduceTo::kOwner)).steps == 12);
    CHECK(check(on_torus({3, 3}, k, ReduceTo::kEveryNode)).steps == 24);
  }
}

TEST_CASE("reductions on cycles, all sizes of the page", "[reduction]") {
  std::vector<Sides> tori{{3},    {4},       {5},       {6},       {7},       {10},
                          {15},   {2, 2},    {2, 4},    {4, 2},    {2, 6},    {6, 2},
                          {2, 8}, {3, 3, 4}, {3, 4, 5}, {4, 4, 3}, {2, 4, 4}, {3, 3, 3, 3}};
  for (std::uint32_t x = 3; x <= 9; ++x) {
    for (std::uint32_t y = 3; y <= 9; ++y) tori.push_back({x, y});
  }
  for (const Sides& sides : tori) {
    const auto d = static_cast<std::uint32_t>(sides.size());
    for (std::uint32_t k = 1; k <= 3 * d; k += d > 1 && sides[0] > 4 ? d : 1) {
      check(on_torus(sides, k, ReduceTo::kOwner));
      check(on_torus(sides, k, ReduceTo::kEveryNode));
    }
  }
}

TEST_CASE("array reductions on meshes with an even number of nodes", "[reduction]") {
  for (std::uint32_t x = 2; x <= 8; ++x) {
    for (std::uint32_t y = 2; y <= 8; ++y) {
      if (x * y % 2 != 0) continue;
      const Topology mesh = Topology::mesh(std::array{x, y});
      const std::uint64_t nodes = mesh.nodes();
      for (std::uint32_t k = 1; k <= 2; ++k) {
        const Plan cycle = plan_array(mesh, {1});
        CHECK(check(plan_cycle_reduction(cycle, {k, ReduceTo::kOwner})).steps ==
              (k == 1 ? nodes / 2 : nodes - 1));
        CHECK(check(plan_cycle_reduction(cycle, {k, ReduceTo::kEveryNode})).steps ==
              k * (nodes - 1));
      }
    }
  }
}

TEST_CASE("folded reductions take twice the torus' steps", "[reduction]") {
  for (const Sides& sides : {Sides{3, 3}, Sides{4, 4}, Sides{3, 4}, Sides{5, 5}, Sides{7}, Sides{6},
                             Sides{3, 3, 3}, Sides{4, 3, 3}, Sides{2, 4}}) {
    const auto d = static_cast<std::uint32_t>(sides.size());
    const std::uint64_t nodes = Topology::torus(sides).nodes();
    CHECK(check(plan_folded(on_torus(sides, d, ReduceTo::kOwner))).steps == 2 * (nodes / 2));
    CHECK(check(plan_folded(on_torus(sides, d, ReduceTo::kEveryNode))).steps == 2 * (nodes - 1));
    check(plan_folded(on_torus(sides, 3 * d, ReduceTo::kEveryNode)));
  }
}

TEST_CASE("line-sum takes the diameter, rings d (n - 1)", "[reduction]") {
  for (const Sides& sides : {Sides{2},
                             {5},
                             {6},
                             {2, 2},
                             {3, 3},
                             {4, 4},
                             {5, 4},
                             {2, 3},
                             {7, 8},
                             {3, 3, 3},
                             {4, 2, 5},
                             {4, 4, 4},
                             {2, 2, 2, 2}}) {
    for (const bool torus : {true, false}) {
      const Topology topology = torus ? Topology::torus(sides) : Topology::mesh(sides);
      CHECK(check(plan_line_sum(topology, {})).steps == topology.diameter());
      const bool equal = std::count(sides.begin(), sides.end(), sides[0]) ==
                         static_cast<std::ptrdiff_t>(sides.size());
      if (!equal) continue;
      CHECK(check(plan_line_sum(topology, {sides.size()})).steps == topology.diameter());
    }
  }
  struct Row {
    Sides sides;
    std::uint64_t steps;
  };
  for (const Row& row : {Row{{3, 3}, 4}, Row{{4, 4}, 6}, Row{{5, 5}, 8}, Row{{8, 8}, 14},
                         Row{{3, 3, 3}, 6}, Row{{4, 4, 4}, 9}, Row{{2, 2}, 2}}) {
    const Topology torus = Topology::torus(row.sides);
    const std::uint64_t words = row.sides.size() * row.sides[0];
    CHECK(check(plan_rings(torus, {words})).steps == row.steps);
    CHECK(check(plan_rings(torus, {2 * words})).steps == 2 * row.steps);
  }
}

TEST_CASE("lines meet the bound for short vectors on every mesh", "[reduction]") {
  std::vector<Sides> shapes = {{2, 2, 2}, {3, 2, 4}, {4, 4, 4}, {2, 2, 2, 3}};
  for (std::uint32_t n = 2; n <= 11; ++n) shapes.push_back({n});
  for (std::uint32_t n = 2; n <= 8; ++n) {
    for (std::uint32_t m = 2; m <= 8; ++m) shapes.push_back({n, m});
  }
  for (const Sides& sides : shapes) {
    const Topology mesh = Topology::mesh(sides);
    const std::uint64_t d = sides.size();
    const std::uint64_t most = d * (*std::min_element(sides.begin(), sides.end()) - 1);
    std::uint64_t transfers = 0;
    for (const std::uint32_t n : sides) transfers += 2 * (mesh.nodes() / n) * (n - 1);
    for (std::uint64_t words = 1; words <= most; ++words) {
      const Plan plan = plan_lines(mesh, {words});
      const Run outcome = check(plan);
      CHECK(outcome.steps == mesh.diameter() - 1 + (words + d - 1) / d);
      CHECK(outcome.steps == plan.expected.lower_bound_steps);
      CHECK(outcome.transfers == words * transfers);
    }
    CHECK(check(plan_lines(mesh, {most + 3})).steps == mesh.diameter() + most + 2);
  }
  // The page's row for 8x8.
  const Topology mesh = Topology::mesh(Sides{8, 8});
  for (const auto& [words, steps] : std::array<std::array<std::uint64_t, 2>, 10>{{{1, 14},
                                                                                  {2, 14},
                                                                                  {8, 17},
                                                                                  {14, 20},
                                                                                  {16, 29},
                                                                                  {32, 45},
                                                                                  {64, 77},
                                                                                  {128, 141},
                                                                                  {256, 269},
                                                                                  {1024, 1037}}}) {
    CHECK(*plan_lines(mesh, {words}).expected.analytic_steps == steps);
  }
  CHECK_THROWS_AS(plan_lines(Topology::torus(Sides{4, 4}), {1}), InfeasibleError);
  CHECK_THROWS_AS(plan_lines(mesh, {kMaxTimetableSlots}), InfeasibleError);
}

TEST_CASE("lines leave the same bits at all nodes, for every order", "[reduction]") {
  for (const Sides& sides : {Sides{4, 4}, {5, 3}, {3, 2, 4}}) {
    const std::uint64_t words = 3;
    const Plan plan = plan_lines(Topology::mesh(sides), {words, Operation::kSignedSaturatingSum});
    const auto engine = make_fast_engine(
        plan, {.arithmetic = {.operation = Operation::kSignedSaturatingSum, .bits = 8}});
    std::map<PacketId, std::set<std::uint64_t>> values;
    std::uint64_t results = 0;
    for (; !engine->done(); engine->clock(1)) {
      for (const Result& result : engine->links().results) {
        values[result.packet].insert(result.value);
        ++results;
      }
    }
    for (const Result& result : engine->links().results) {
      values[result.packet].insert(result.value);
      ++results;
    }
    CHECK(results == words * plan.topology.nodes());
    CHECK(values.size() == words);
    for (const auto& [word, seen] : values) CHECK(seen.size() == 1);
  }
}

/// How far the node is that is farthest from `root`.
std::uint64_t eccentricity(const Topology& topology, NodeId root) {
  const Coordinates at = topology.coordinates(root);
  std::uint64_t distance = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint64_t x = at[static_cast<std::size_t>(dim)];
    const std::uint64_t n = topology.side(dim);
    distance += topology.wraps(dim) ? n / 2 : std::max(x, n - 1 - x);
  }
  return distance;
}

TEST_CASE("reduce by line-sum takes as many steps as the distance of the farthest node",
          "[reduction]") {
  for (const Sides& sides : {Sides{9}, {2}, {5, 7}, {3, 3}, {2, 2}, {4, 3, 2}, {3, 3, 3}}) {
    const auto d = static_cast<std::uint64_t>(sides.size());
    const bool equal = std::count(sides.begin(), sides.end(), sides[0]) ==
                       static_cast<std::ptrdiff_t>(sides.size());
    for (std::uint32_t wrap = 0; wrap < 1U << sides.size(); ++wrap) {
      const Topology topology = Topology::grid(sides, wrap);
      for (NodeId root = 0; root < topology.nodes(); ++root) {
        const Plan plan = plan_line_sum(topology, {1, Operation::kSum, root});
        CHECK(check(plan).steps == eccentricity(topology, root));
        CHECK(plan.expected.analytic_steps == plan.expected.lower_bound_steps);
        if (equal) check(plan_line_sum(topology, {d, Operation::kSum, root}));
        // An all-reduce, of which only the root's words are wanted: over when it has them.
        Plan whole = plan_line_sum(topology, {equal ? d : 1});
        whole.demand = Demand::combined(Destination::kRoot, Operation::kSum, equal ? d : 1, root);
        whole.expected = {};
        const Verdict verdict = verify(whole);
        const Run result = run(whole);
        INFO(topology.dims_text() << " wrap " << wrap << " root " << root);
        CHECK(verdict.complete);
        CHECK(result.complete);
        CHECK(verdict.steps == result.steps);
        CHECK(verdict.link_transfers == result.transfers);
      }
    }
  }
  // The smallest case in which the proof once used nodes that were not requested.
  CHECK(check(plan_line_sum(Topology::mesh(Sides{9}), {1, Operation::kSum, 4})).steps == 4);
  CHECK_THROWS_WITH(plan_line_sum(Topology::torus(Sides{4, 3}), {2, Operation::kSum, 0}),
                    Catch::Contains("nearest feasible: --words 1, or --algorithm disjoint-trees"));
}

/// Judges damaged plans by proof and by run.
class Mutants {
 public:
  explicit Mutants(Plan plan) : plan_(std::move(plan)) {}

  void run_all() {
    for (std::size_t i = 0; i < combine().ranks.size(); ++i) {
      mutate(
          [&](RingProgram& program) {
            std::uint32_t& rank = program.combine.ranks[i];
            rank = (rank + 1) % program.combine.blocks;
          },
          true);
    }
    for (std::size_t r = 0; r < combine().legs.size(); ++r) {
      for (const int change : {-1, 1}) {
        mutate(
            [&](RingProgram& program) {
              std::uint32_t& turn = program.combine.legs[r].turn;
              turn = static_cast<std::uint32_t>(std::max(0, static_cast<int>(turn) + change));
            },
            true);
      }
      for (std::size_t l = 0; l < combine().legs[r].lanes.size(); ++l) {
        if (!combine().legs[r].lanes[l]) continue;
        for (int kind = 0; kind < 7; ++kind) mutate_lane(r, l, kind);
      }
      mutate_operations(r);
    }
    for (NodeId node = 0; node < plan_.topology.nodes(); ++node) {
      for (Port port = 0; port < program().ports(); ++port) {
        for (Port other = 0; other < program().ports(); ++other) {
          mutate(
              [&](RingProgram& damaged) {
                RingPort entry = damaged.at(node, port);
                if (entry.feed.empty()) return;
                entry.feed = PortSet::of(other);
                damaged.set(node, port, entry);
              },
              true);
          mutate([&](RingProgram& damaged) {
            const RingPort entry = damaged.at(node, other);
            damaged.set(node, port, entry);
          });
        }
        mutate([&](RingProgram& damaged) { damaged.set_code(node, port, 0); });
      }
    }
  }

  std::size_t tried = 0;
  std::size_t legal = 0;

 private:
  const RingProgram& program() { return plan_.program.as<RingProgram>(); }
  const Combination& combine() { return program().combine; }

  void mutate_lane(std::size_t r, std::size_t l, int kind) {
    mutate(
        [&](RingProgram& program) {
          CombineLane& lane = *program.combine.legs[r].lanes[l];
          if (kind == 0) ++lane.offset;
          if (kind == 1) --lane.offset;
          if (kind == 2) lane.slope = -lane.slope;
          if (kind == 3) lane.slope = lane.slope == 0 ? 1 : 0;
          if (kind == 4) --lane.steps;
          if (kind == 5) lane.writes = !lane.writes;
          if (kind == 6) lane.part = (lane.part + 1) % program.combine.parts;
        },
        (kind == 2 || kind == 3) && combine().blocks > 2);
  }

  void mutate_operations(std::size_t r) {
    std::vector<CombineStep> list;
    for (const CombineRun& run : combine().legs[r].operations) {
      list.insert(list.end(), run.count, run.step);
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t step = 0; step < kCombineStepNames.size(); ++step) {
        mutate(
            [&](RingProgram& program) {
              std::vector<CombineStep> damaged = list;
              damaged[i] = static_cast<CombineStep>(step);
              auto& runs = program.combine.legs[r].operations;
              runs.clear();
              for (const CombineStep operation : damaged) runs.push_back({operation, 1});
            },
            static_cast<CombineStep>(step) != list[i]);
      }
    }
  }

  /// `wrong`: the proof has to refuse it, whatever a run makes of it.
  template <typename Damage>
  void mutate(Damage damage, bool wrong = false) {
    Plan damaged = plan_;
    auto& program = damaged.program.edit<RingProgram>();
    damage(program);
    for (NodeId node = 0; node < damaged.topology.nodes(); ++node) {
      for (Port port = 0; port < program.ports(); ++port) {
        const auto out = static_cast<Port>(port / program.frame());
        if (damaged.topology.neighbor(node, out) == kNoNode && program.code(node, port) != 0)
          return;
      }
    }
    if (damaged == plan_) return;
    ++tried;
    const Verdict verdict = verify(damaged);
    const Run result = run(damaged);
    INFO((verdict.problems.empty() ? "nothing wrong" : verdict.problems.front()));
    // The proof may refuse what happens to work, as sums that are written too early and again.
    if (!verdict.complete) {
      CHECK_FALSE(verdict.ok());
      return;
    }
    CHECK_FALSE(wrong);
    CHECK(result.complete);
    CHECK(*verdict.steps == result.steps);
    ++legal;
  }

  Plan plan_;
};

TEST_CASE("the proof refuses the plans that a run refuses", "[reduction][verify]") {
  const auto judge = [](Plan plan) {
    INFO(plan.collective << " " << plan.algorithm << " " << plan.topology.dims_text());
    Mutants mutants(std::move(plan));
    mutants.run_all();
    CHECK(mutants.tried > 50);
    // Common shifts of a walk's counters, lanes that send longer than anybody listens.
    CHECK(mutants.legal <= mutants.tried / 5);
  };
  for (const ReduceTo to : {ReduceTo::kOwner, ReduceTo::kEveryNode}) {
    for (const Sides& sides : {Sides{3, 3}, Sides{4, 3}, Sides{5}, Sides{6}}) {
      const auto d = static_cast<std::uint32_t>(sides.size());
      for (const std::uint32_t k : {d, 2 * d, 3 * d}) judge(on_torus(sides, k, to));
    }
    judge(plan_folded(on_torus({3, 3}, 2, to)));
  }
  judge(plan_rings(Topology::torus(std::array{3U, 3U}), {6}));
  judge(plan_rings(Topology::torus(std::array{4U, 4U}), {8}));
  judge(plan_line_sum(Topology::torus(std::array{4U, 3U}), {}));
  judge(plan_line_sum(Topology::mesh(std::array{3U, 3U}), {2}));
  judge(plan_line_sum(Topology::mesh(std::array{4U, 3U}), {1, Operation::kSum, 5}));
}

/// Runs the hops of every offset: each packet ends where it should, no port serves two offsets and
/// no packet moves twice in a step. The most packets under way between two steps.
std::uint32_t slots_of(const Topology& torus, std::uint64_t* waits = nullptr) {
  const auto hops = isotropic_hops(torus);
  CHECK(hops.size() == bounds::isotropic_steps(torus));
  std::vector<NodeId> at(torus.nodes(), 0);
  std::size_t most = 0;
  if (waits != nullptr) *waits = 0;
  for (const auto& step : hops) {
    std::vector<bool> moved(torus.nodes(), false);
    PortSet used;
    for (const ExchangeHop& hop : step) {
      REQUIRE(!used.contains(hop.port));
      REQUIRE(!moved[hop.offset]);
      used.insert(hop.port);
      moved[hop.offset] = true;
      at[hop.offset] = torus.neighbor(at[hop.offset], hop.port);
    }
    std::size_t held = 0;
    for (NodeId offset = 1; offset < torus.nodes(); ++offset) {
      const bool under_way = at[offset] != 0 && at[offset] != offset;
      held += under_way;
      if (waits != nullptr && under_way && !moved[offset]) ++*waits;
    }
    most = std::max(most, held);
  }
  for (NodeId offset = 0; offset < torus.nodes(); ++offset) CHECK(at[offset] == offset);
  return static_cast<std::uint32_t>(most);
}

TEST_CASE("isotropic total exchange: steps and slots of the page's table", "[exchange]") {
  struct Row {
    Sides sides;
    std::uint64_t steps;
    std::uint32_t slots;
  };
  for (const Row& row :
       {Row{{4, 4}, 8, 3}, Row{{5, 5}, 15, 3}, Row{{5, 7}, 30, 3}, Row{{8, 8}, 64, 4},
        Row{{3, 3, 3}, 9, 4}, Row{{4, 4, 4}, 32, 5}, Row{{8, 4}, 32, 3}, Row{{16, 16}, 512, 4},
        Row{{4, 3}, 7, 2}, Row{{10}, 15, 2}, Row{{8, 8, 8}, 512, 6}}) {
    const Topology torus = Topology::torus(row.sides);
    CAPTURE(row.sides);
    CHECK(bounds::isotropic_steps(torus) == row.steps);
    CHECK(slots_of(torus) == row.slots);
  }
  for (const std::uint32_t n : {17U, 18U, 31U, 32U}) {
    const Topology torus = Topology::torus(std::array{n, n});
    std::uint64_t waits = 0;
    CHECK(slots_of(torus, &waits) == 4);
    CHECK(waits == 0);
  }
}

TEST_CASE("isotropic total exchange on every torus of the page", "[exchange]") {
  std::vector<Sides> tori;
  for (std::uint32_t a = 2; a <= 12; ++a) tori.push_back({a});
  for (std::uint32_t a = 2; a <= 10; ++a) {
    for (std::uint32_t b = 2; b <= 10; ++b) tori.push_back({a, b});
  }
  for (std::uint32_t a = 2; a <= 5; ++a) {
    for (std::uint32_t b = 2; b <= 5; ++b) {
      for (std::uint32_t c = 2; c <= 5; ++c) tori.push_back({a, b, c});
    }
  }
  for (std::uint32_t bits = 0; bits < 16; ++bits) {
    tori.push_back(
        {2 + (bits & 1U), 2 + (bits >> 1U & 1U), 2 + (bits >> 2U & 1U), 2 + (bits >> 3U)});
  }
  REQUIRE(tori.size() == 172);
  for (const Sides& sides : tori) {
    const Topology torus = Topology::torus(sides);
    CAPTURE(sides);
    slots_of(torus);
    // Where the bound is missed: an even side beside an odd number of lines decides.
    const std::uint64_t gap =
        bounds::isotropic_steps(torus) - bounds::all_to_all_lower_bound(torus);
    std::uint64_t allowed = 0;
    for (const std::uint32_t n : sides) {
      if (n % 2 == 0 && torus.nodes() / n % 2 != 0)
        allowed = std::max<std::uint64_t>(allowed, n / 4);
    }
    CHECK(gap <= allowed);
  }
}

TEST_CASE("two ROMs by parity close the gap of a total exchange", "[exchange]") {
  struct Row {
    Sides sides;
    std::uint64_t steps;
  };
  // The page's table.
  for (const Row& row : {Row{{4}, 2}, Row{{6}, 5}, Row{{8}, 8}, Row{{10}, 13}, Row{{12}, 18},
                         Row{{3, 4}, 6}, Row{{3, 6}, 14}, Row{{3, 8}, 24}, Row{{3, 10}, 38},
                         Row{{5, 6}, 23}, Row{{5, 8}, 40}, Row{{7, 8}, 56}, Row{{3, 3, 4}, 18}}) {
    const Plan plan = plan_parity(Topology::torus(row.sides));
    CHECK(check(plan).steps == row.steps);
    CHECK(plan.program.as<TimetableProgram>().roms().size() == 2);
  }
  // Every other torus of up to 60 nodes that one ROM keeps above the bound.
  int closed = 0;
  for (std::uint32_t a = 2; a <= 14; ++a) {
    for (std::uint32_t b = 1; b <= 9 && a * b <= 60; ++b) {
      const Sides sides = b == 1 ? Sides{a} : Sides{a, b};
      const Topology torus = Topology::torus(sides);
      if (!halved_dimension(torus)) {
        CHECK(bounds::isotropic_steps(torus) == bounds::all_to_all_lower_bound(torus));
        continue;
      }
      CAPTURE(sides);
      const Plan plan = plan_parity(torus);
      const Verdict verdict = verify(plan);
      CHECK(verdict.ok());
      CHECK(verdict.steps == bounds::all_to_all_lower_bound(torus));
      CHECK(*verdict.steps < bounds::isotropic_steps(torus));
      ++closed;
    }
  }
  CHECK(closed == 23);
  CHECK_THROWS_AS(plan_parity(Topology::torus(Sides{4, 4})), InfeasibleError);
  const auto chosen = [](const Topology& topology, const char* algorithm) {
    return make_plan({topology, "all-to-all", algorithm, {}, {}}).algorithm;
  };
  for (const char* algorithm : {"", "auto"}) {
    CHECK(chosen(Topology::torus(Sides{4, 3}), algorithm) == "parity");
    CHECK(chosen(Topology::torus(Sides{4, 4}), algorithm) == "isotropic");
    CHECK(chosen(Topology::mesh(Sides{3, 2}), algorithm) == "scheduled");
  }
}

TEST_CASE("one ROM for all reduces at the bound of one block a node", "[reduction]") {
  struct Row {
    Sides sides;
    std::uint64_t steps;
  };
  // The page's list.
  for (const Row& row :
       {Row{{3, 3}, 2}, Row{{3, 4}, 3}, Row{{4, 4}, 4}, Row{{5, 5}, 6}, Row{{5, 7}, 9},
        Row{{6, 6}, 9}, Row{{8, 8}, 16}, Row{{3, 3, 3}, 5}, Row{{4, 4, 4}, 11}, Row{{2, 4}, 3}}) {
    for (const char* collective : {"reduce-scatter", "all-reduce"}) {
      const bool scatters = collective == std::string("reduce-scatter");
      const Plan plan = make_plan({Topology::torus(row.sides),
                                   collective,
                                   "scheduled",
                                   {{"packets", std::int64_t{1}}},
                                   {}});
      CHECK(check(plan).steps == (scatters ? row.steps : 2 * row.steps));
      CHECK(plan.program.as<TimetableProgram>().one_rom());
      // A ROM has a send for every other node's block, and reading it gives the plan.
      CHECK(plan.program.as<TimetableProgram>().roms().front().sends.size() ==
            (scatters ? 1 : 2) * (plan.topology.nodes() - std::size_t{1}));
      std::ostringstream out;
      write_plan(plan, out, PlanEncoding::kJson);
      const auto document = nlohmann::json::parse(out.str());
      CHECK(document["program"]["table"].size() == plan.program.as<TimetableProgram>().steps());
      const auto read = [](const nlohmann::json& changed) {
        std::istringstream in(changed.dump());
        return read_plan(in, "plan");
      };
      CHECK(read(document) == plan);
      nlohmann::json damaged = document;
      const std::uint32_t own = document["program"]["own_words"];
      const std::uint32_t slots = document["program"]["slots"];
      damaged["program"]["table"][0][1] = own + slots + 1;
      CHECK_THROWS_AS(read(damaged), InputError);
      damaged = document;
      damaged["topology"]["kind"] = "mesh";
      CHECK_THROWS_AS(read(damaged), InputError);
      // Another own word is another owner's at every node.
      damaged = document;
      auto& first = damaged["program"]["table"][0];
      auto& source =
          *std::find_if(first.begin() + 1, first.end(), [](const auto& at) { return at != 0; });
      source = static_cast<std::uint32_t>(source) % own + 1;
      CHECK_FALSE(verify(read(damaged)).ok());
      CHECK_FALSE(verify(read(damaged)).complete);
      CHECK_FALSE(run(read(damaged)).complete);
    }
  }
  // Several blocks, in the fewest steps that the links of an owner allow.
  for (const Sides& sides :
       {Sides{5}, {3, 3}, {4, 4}, {5, 3}, {2, 6}, {2, 2}, {3, 3, 3}, {4, 3, 2}}) {
    for (const std::int64_t k : {2, 3, 4, 7}) {
      const Topology torus = Topology::torus(sides);
      const Plan plan = make_plan({torus, "reduce-scatter", "scheduled", {{"packets", k}}, {}});
      CHECK(check(plan).steps == plan.expected.lower_bound_steps);
      CHECK(plan.program.as<TimetableProgram>().one_rom());
      CHECK(plan.program.as<TimetableProgram>().roms().front().sends.size() ==
            static_cast<std::size_t>(k) * (torus.nodes() - std::size_t{1}));
      std::ostringstream out;
      write_plan(plan, out, PlanEncoding::kJson);
      std::istringstream in(out.str());
      CHECK(read_plan(in, "plan") == plan);
    }
  }
  // Networks whose nodes differ have one ROM per node.
  const Plan mesh = make_plan(
      {Topology::mesh(Sides{3, 3}), "all-reduce", "scheduled", {{"packets", std::int64_t{1}}}, {}});
  CHECK_FALSE(mesh.program.as<TimetableProgram>().one_rom());
}

}  // namespace
}  // namespace gossamer
