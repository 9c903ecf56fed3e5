// SPDX-License-Identifier: Apache-2.0
/// All-reduces over packed trees on links that are not equally fast: docs/chiplets.md.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "../unequal_judge.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/reduce/trees.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

struct Network {
  const char* kind;
  const char* dims;
  LinkRateTexts rates;
};

Plan packed(const Network& network, std::uint64_t words,
            std::optional<std::uint32_t> frame = std::nullopt) {
  const Topology topology = with_link_rates(
      topology_named(network.kind, *whole_numbers(network.dims, 'x')), network.rates);
  return plan_packing(topology, {.words = words}, frame);
}

/// Empty if every node gets every word with each contribution once, over links that are free. Knows
/// the network and the trace only.
std::string defect_of(const Topology& topology, std::uint64_t words, const std::string& trace) {
  testing::UnequalNetwork network{topology.sides(),
                                  {},
                                  topology.link_periods().chiplets,
                                  topology.link_periods().inside,
                                  topology.link_periods().between};
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    network.wraps.push_back(topology.wraps(dim));
  }
  const std::uint32_t nodes = network.nodes();
  using Set = std::vector<bool>;
  std::vector<Set> sums(nodes * words, Set(nodes, false));
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint64_t word = 0; word < words; ++word) sums[node * words + word][node] = true;
  }
  const auto is_all = [](const Set& set) {
    return std::find(set.begin(), set.end(), false) == set.end();
  };
  std::multimap<std::uint64_t, std::pair<std::size_t, Set>> arriving;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> busy;
  std::string defect;
  const auto land = [&](std::uint64_t before) {
    for (; !arriving.empty() && arriving.begin()->first < before;
         arriving.erase(arriving.begin())) {
      const auto& [place, set] = arriving.begin()->second;
      if (is_all(set)) {
        sums[place] = set;
        continue;
      }
      for (std::uint32_t node = 0; node < nodes; ++node) {
        if (set[node] && sums[place][node]) defect = "a contribution comes twice";
        if (set[node]) sums[place][node] = true;
      }
    }
  };
  for (const testing::TraceTransfer& sent : testing::transfers_of(trace)) {
    land(sent.step);
    const auto [to, period] = network.link(sent.from, sent.port);
    if (to < 0) return "no such link";
    auto& until = busy[{sent.from, sent.port}];
    if (until >= sent.step) return "a link is busy";
    until = sent.step + period - 1;
    arriving.emplace(until, std::pair(static_cast<std::size_t>(to) * words + sent.packet,
                                      sums[sent.from * words + sent.packet]));
  }
  land(~std::uint64_t{0});
  if (!std::all_of(sums.begin(), sums.end(), is_all)) return "a sum is incomplete";
  return defect;
}

TEST_CASE("packed trees on links of different rates run as planned", "[unequal][trees]") {
  for (const Network& network : {Network{"mesh", "4x4", {{}, {}, "2x2", "1/3"}},
                                 {"torus", "4x4", {{}, {}, "2x2", "1/2"}},
                                 {"torus", "8x4", {{}, {}, "4x2", "1/3"}},
                                 {"mesh", "6x4x2", {"x=1,y=1/2,z=1/3", {}, {}, {}}},
                                 {"torus", "5x3", {"x=1,y=1/4", {}, {}, {}}},
                                 {"wrap-x", "6x4", {{}, {}, "3x2", "1/2"}}}) {
    for (const std::uint64_t words : {1U, 50U}) {
      const Plan plan = packed(network, words, 6);
      CAPTURE(plan.topology.kind(), network.dims, words);
      const Verdict verdict = verify(plan);
      CHECK(verdict.problems.empty());
      CHECK(verdict.complete);
      CHECK(verdict.method == "packed trees");
      CHECK(verdict.steps == plan.expected.analytic_steps);
      CHECK(*plan.expected.lower_bound_steps <= *verdict.steps);
      std::ostringstream trace;
      RunOptions options;
      options.trace = &trace;
      const Report run = run_on_engine("fast", plan, {}, options);
      CHECK(run.problems.empty());
      CHECK(run.steps == verdict.steps);
      CHECK(run.link_transfers == 2 * words * (plan.topology.nodes() - 1));
      CHECK(run.link_transfers == verdict.link_transfers);
      CHECK(defect_of(plan.topology, words, trace.str()).empty());
    }
  }
}

TEST_CASE("packed trees on chiplets take the page's steps", "[unequal][trees][slow]") {
  const Network mesh{"mesh", "8x8", {{}, {}, "4x4", "1/4"}};
  CHECK(*packed(mesh, 1024, 12).expected.analytic_steps <= 806);
  // As many trees as the frame has room for.
  for (const auto& [kind, frame, trees] :
       {std::tuple("mesh", 4U, 5), {"mesh", 12U, 16}, {"torus", 4U, 6}, {"torus", 8U, 13}}) {
    CAPTURE(kind, frame);
    const Plan plan = packed({kind, "8x8", mesh.rates}, 16, frame);
    CHECK(std::get<std::int64_t>(plan.parameters.at("trees")) == trees);
  }
}

TEST_CASE("packed trees take the steps of the table", "[unequal][trees][slow]") {
  struct Known {
    Network network;
    std::uint32_t frame;
    /// Of 1, 16, 64, 256 and 1024 words.
    std::array<std::uint64_t, 5> steps;
  };
  const LinkRateTexts dies_of_4{{}, {}, "4x4", "1/4"};
  const LinkRateTexts dies_of_2{{}, {}, "4x4", "1/2"};
  const std::vector<Known> table{
      {{"mesh", "8x8", dies_of_4}, 4, {30, 42, 80, 234, 848}},
      {{"mesh", "8x8", dies_of_2}, 2, {20, 30, 62, 190, 702}},
      {{"mesh", "8x8", dies_of_2}, 8, {31, 42, 71, 189, 661}},
      {{"mesh", "8x8", {{}, {}, "4x4", "1/8"}}, 8, {46, 70, 144, 453, 1680}},
      {{"torus", "8x8", {"y=1/2", {}, {}, {}}}, 2, {24, 34, 66, 194, 706}},
      {{"mesh", "12x12", dies_of_4}, 4, {47, 63, 95, 223, 735}},
      // Here other searches find trees that end up to four steps earlier.
      {{"torus", "8x8", dies_of_4}, 4, {30, 39, 71, 199, 711}},
      {{"torus", "8x8", dies_of_4}, 8, {34, 48, 77, 195, 668}},
      {{"torus", "8x8", {"y=1/3", {}, {}, {}}}, 3, {32, 43, 79, 223, 799}},
      {{"torus", "8x8", {"y=1/6", {}, {}, {}}}, 6, {57, 69, 111, 274, 933}},
      {{"mesh", "8x8", {"y=1/3", {}, {}, {}}}, 6, {36, 50, 90, 255, 914}},
  };
  constexpr std::array<std::uint64_t, 5> kWords{1, 16, 64, 256, 1024};
  for (const Known& known : table) {
    CAPTURE(known.network.kind, known.network.dims, known.frame);
    const Plan plan = packed(known.network, 1024, known.frame);
    // The same trees carry vectors of any length.
    std::vector<std::uint64_t> first;
    for (const std::uint32_t done : plan.program.as<TimetableProgram>().repetition().first_done) {
      first.push_back(done);
    }
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      CHECK(bounds::packed_steps(first, known.frame, kWords[i]) <= known.steps[i]);
    }
    CHECK(plan.expected.analytic_steps == bounds::packed_steps(first, known.frame, 1024));
    CHECK(verify(plan).problems.empty());
  }
}

TEST_CASE("no damaged tree on slow links is accepted that an independent judge refuses",
          "[unequal][trees]") {
  SplitMix64 random(5);
  const std::uint64_t words = 12;
  const Plan plan = packed({"mesh", "4x4", {{}, {}, "2x2", "1/3"}}, words, 3);
  const auto& whole = plan.program.as<TimetableProgram>();
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    Plan damaged = plan;
    auto& program = damaged.program.edit<TimetableProgram>();
    const auto node = static_cast<NodeId>(random.below(plan.topology.nodes()));
    TimetableRom rom = whole.roms()[whole.rom_of(node)];
    SendRow& row = rom.sends[random.below(rom.sends.size())];
    switch (random.below(4)) {
      case 0:
        row.step = row.step > 1 ? row.step - 1 : row.step + 1;
        break;
      case 1:
        row.step += 1;
        break;
      case 2:
        row.port = opposite(row.port);
        break;
      default:
        row.times -= 1;
        break;
    }
    program.assign(node, program.intern(std::move(rom)));
    CAPTURE(i);
    const Verdict verdict = verify(damaged);
    if (!verdict.complete || !verdict.problems.empty()) {
      ++refused;
      continue;
    }
    std::ostringstream trace;
    RunOptions options;
    options.trace = &trace;
    const Report run = run_on_engine("fast", damaged, {}, options);
    CHECK(run.complete == true);
    CHECK(run.link_conflicts == 0);
    CHECK(defect_of(plan.topology, words, trace.str()).empty());
  }
  CHECK(refused > 400);
}

}  // namespace
}  // namespace gossamer
