// SPDX-License-Identifier: Apache-2.0
/// Summation trees: tables of the specification, one tree for all nodes and lengths, and words of
/// floating-point types on the engines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/float_words.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/sum_trees.hpp"
#include "gossamer/sim/sums_document.hpp"
#include "gossamer/sim/sums_of_vectors.hpp"
#include "gossamer/sim/value_judge.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Parameters = std::map<std::string, ParameterValue>;

Topology network(bool torus, std::vector<std::uint32_t> sides) {
  return torus ? Topology::torus(std::move(sides)) : Topology::mesh(std::move(sides));
}

Plan planned(const std::string& algorithm, const Topology& topology, Parameters parameters = {},
             const std::string& collective = "all-reduce") {
  return make_plan({topology, collective, algorithm, std::move(parameters), {}});
}

Parameters float32() { return {{"type", std::string("float32")}}; }
Parameters invariant(std::int64_t words) {
  return {{"type", std::string("float32")}, {"invariant", std::string("length")}, {"words", words}};
}

/// The report of `gossamer verify`.
Report proved_with_sums(const Plan& plan) {
  Report report = prove(plan, {});
  if (report.problems.empty()) add_sums(plan, report);
  return report;
}

/// Trees that have no problem.
SumTrees trees_of(const Plan& plan) {
  SumTrees trees(plan);
  CAPTURE(trees.problem().value_or(""));
  REQUIRE(!trees.problem());
  return trees;
}

std::string digest_text(const SumTrees& trees, std::uint64_t word) {
  return hex_text(trees.digest(trees.tree_of(word)));
}

TEST_CASE("SHA-256 gives the values of its standard", "[sums]") {
  CHECK(hex_text(sha256(std::string_view("abc"))) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex_text(sha256(std::string_view(""))) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex_text(
            sha256(std::string_view("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  // The padding begins a block of its own.
  CHECK(hex_text(sha256(std::string(64, 'x'))) ==
        "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST_CASE("trees and digests are those of the specification", "[sums][reduction]") {
  struct Row {
    std::string algorithm;
    Topology topology;
    Parameters parameters;
    std::uint64_t word = 0;
    std::string text;
    std::string digest;
  };
  const Parameters elastic{{"elastic", true}, {"packets", std::int64_t{1}}};
  for (const Row& row : {
           Row{"rings", network(true, {4}), {}, 0, "2+3+(1+0)", "2237a430d204204b"},
           Row{"rings", network(true, {4}), {}, 1, "3+0+(2+1)", "fc5fe5b3e78656db"},
           Row{"rings", network(true, {5}), {}, 0, "3+4+(2+1)+0", "02cda9d898bca593"},
           // The cycle leads down: rank r is node 4 - r.
           Row{"hamiltonian", network(true, {4}), elastic, 0, "2+1+3+0", ""},
           Row{"lines", network(false, {3}), {}, 0, "1+0+2", "61322fdbbba4a602"},
           Row{"lines", network(false, {5}), {}, 0, "2+(1+0)+(3+4)", "aa329272ce520788"},
           Row{"rings", network(true, {3, 3}), {}, 2, "0+2+1+(6+8+7)+(3+5+4)", "881e9552a80d0d00"},
           Row{"lines", network(false, {3, 3}), {}, 0, "4+3+5+(1+0+2)+(7+6+8)", "45743fc540d6dae2"},
           Row{"tree", network(false, {3, 3}), {}, 0, "4+3+5+(1+0+2)+(7+6+8)", "45743fc540d6dae2"},
       }) {
    CAPTURE(row.algorithm, row.topology.dims_text(), row.word);
    const Plan plan = planned(row.algorithm, row.topology, row.parameters);
    const SumTrees trees = trees_of(plan);
    CHECK(trees.text(trees.tree_of(row.word)) == row.text);
    CHECK(digest_text(trees, row.word).substr(0, row.digest.size()) == row.digest);
  }
}

/// The tree's text by the forms of the specification, section 2: chains of ranks upwards and
/// downwards. The planner's cycle leads down: rank r is node -r.
std::string chain(std::int64_t from, std::int64_t to, std::int64_t nodes) {
  std::string text;
  for (std::int64_t r = from;; r += from <= to ? 1 : -1) {
    text += (text.empty() ? "" : "+") + std::to_string(((-r) % nodes + nodes) % nodes);
    if (r == to) return text;
  }
}

TEST_CASE("legs of a ring have the trees of their chains", "[sums][reduction]") {
  for (const std::int64_t nodes : {4, 5, 6, 9, 12}) {
    const std::int64_t half = nodes / 2;
    for (const std::string collective : {"all-reduce", "reduce-scatter"}) {
      for (const std::int64_t blocks : {1, 2, 3}) {
        CAPTURE(nodes, collective, blocks);
        const Plan plan = planned("hamiltonian", network(true, {static_cast<std::uint32_t>(nodes)}),
                                  {{"packets", blocks}}, collective);
        const SumTrees trees = trees_of(plan);
        for (std::int64_t t = 0; t < nodes; ++t) {
          const auto text = [&](std::int64_t part) {
            const std::int64_t owner = (nodes - t) % nodes;
            return trees.text(trees.tree_of(static_cast<std::uint64_t>(owner * blocks + part)));
          };
          const std::string own = std::to_string((nodes - t) % nodes);
          std::string two_way = chain(t - half, t - 1, nodes);
          if (nodes % 2 == 0) {
            two_way += "+(" + chain(t + half - 1, t, nodes) + ")";
          } else {
            const std::string back = chain(t + half, t + 1, nodes);
            two_way += "+" + (half > 1 ? "(" + back + ")" : back) + "+" + own;
          }
          if (blocks > 1) {
            CHECK(text(0) == chain(t + 1, t + nodes - 1, nodes) + "+" + own);
            CHECK(text(1) == chain(t - 1, t - nodes + 1, nodes) + "+" + own);
          }
          if (blocks != 2) CHECK(text(blocks - 1) == two_way);
        }
      }
    }
  }
}

TEST_CASE("every plan of Theorem 2 has one tree per word, and real words follow it",
          "[sums][reduction]") {
  struct Row {
    std::string algorithm;
    Topology topology;
    std::int64_t words = 0;
  };
  for (const Row& row :
       {Row{"eye", network(true, {4, 4})}, Row{"eye-exchange", network(true, {4, 4})},
        Row{"min-tcd", network(true, {3, 5})}, Row{"partners", network(true, {4, 4})},
        Row{"partners", network(false, {8, 8})}, Row{"hamiltonian", network(true, {4, 4}), 32},
        Row{"hamiltonian", network(true, {3, 3}), 54}, Row{"rings", network(true, {5, 5}), 10},
        Row{"lines", network(false, {4, 5}), 6}, Row{"tree", network(true, {4, 5}), 3},
        Row{"three-trees", network(false, {4, 5}), 7}, Row{"packing", network(false, {4, 4}), 5},
        Row{"scheduled", network(true, {4, 4}), 16}, Row{"scheduled", network(false, {3, 3}), 9},
        Row{"array", network(false, {4, 4}), 16}, Row{"folded", network(false, {3, 3}), 18},
        Row{"forest", network(true, {4, 4}), 4}}) {
    for (const std::string type : {"float32", "float64", "float16", "bfloat16"}) {
      CAPTURE(row.algorithm, row.topology.dims_text(), type);
      Parameters parameters{{"type", type}};
      if (row.words != 0) parameters["words"] = row.words;
      const Plan plan = planned(row.algorithm, row.topology, parameters);
      const Report proof = proved_with_sums(plan);
      CAPTURE(proof.problems);
      CHECK(proof.problems.empty());
      const Report run = run_on_engine("fast", plan, {});
      CAPTURE(run.problems);
      CHECK(run.problems.empty());
      REQUIRE(run.sums);
      CHECK(run.sums->same_at_every_node == true);
      CHECK(run.sums->digest == proof.sums->digest);
      CHECK(run.sums->digest);
    }
  }
}

TEST_CASE("flits of a message are words of their own", "[sums][reduction]") {
  for (const Parameters& more :
       {Parameters{{"elastic", true}, {"packets", std::int64_t{2}}, {"flits", std::int64_t{3}}},
        Parameters{{"flits", std::int64_t{3}}}}) {
    const bool elastic = more.contains("elastic");
    Parameters parameters = float32();
    parameters.insert(more.begin(), more.end());
    const Plan plan = planned(elastic ? "hamiltonian" : "eye", network(true, {4, 4}), parameters);
    const SumTrees trees = trees_of(plan);
    CHECK(trees.elements() == (elastic ? 96 : 3));
    CHECK(trees.trees() == (elastic ? 32 : 1));
    CHECK(trees.tree_of(0) == trees.tree_of(2));
    CHECK(run_on_engine("fast", plan, {}).problems.empty());
  }
}

TEST_CASE("algorithms with several orders are refused for sums of floats only",
          "[sums][reduction]") {
  for (const auto& [algorithm, topology] :
       {std::pair{std::string("leaders"), network(true, {4, 4})},
        {std::string("partners"), network(true, {8, 8})},
        {std::string("line-sum"), network(true, {4, 4})},
        {std::string("cores"), network(true, {4, 4})}}) {
    CAPTURE(algorithm);
    try {
      (void)planned(algorithm, topology, float32());
      FAIL("not refused");
    } catch (const InfeasibleError& error) {
      CHECK(std::string(error.what())
                .find("nodes combine in different orders, and a sum of float32 "
                      "depends on it") != std::string::npos);
      CHECK(std::string(error.what()).ends_with("or --operation max"));
    }
    Parameters larger = float32();
    larger["operation"] = std::string("max");
    const Plan plan = planned(algorithm, topology, larger);
    CHECK(verify(plan).ok());
    CHECK(proved_with_sums(plan).problems.empty());
    CHECK(run_on_engine("fast", plan, {}).problems.empty());
  }
}

TEST_CASE("with --invariant length an element has one tree at every length", "[sums][reduction]") {
  struct Row {
    std::string algorithm;
    Topology topology;
    std::optional<std::uint64_t> period;
    Parameters more{};
  };
  for (const Row& row :
       {Row{"hamiltonian", network(true, {4, 4}), 32},
        Row{"hamiltonian", network(true, {3, 5}), 30},
        Row{"hamiltonian", network(true, {3, 3, 3}), 81}, Row{"array", network(false, {4, 4}), 16},
        Row{"folded", network(false, {3, 4}), 24}, Row{"rings", network(true, {4, 4}), 8},
        Row{"rings", network(true, {3, 3, 3}), 9}, Row{"lines", network(false, {4, 5}), 1},
        Row{"tree", network(true, {4, 5}), 1},
        Row{"three-trees", network(false, {4, 5}), std::nullopt},
        Row{"packing", network(true, {3, 3}), 2, {{"frame", std::int64_t{1}}}},
        Row{"packing", network(false, {4, 4}), std::nullopt},
        Row{"auto", network(true, {4, 4}), 32}, Row{"auto", network(false, {5}), 1},
        Row{"auto", network(false, {3, 3, 3}), 1}}) {
    CAPTURE(row.algorithm, row.topology.dims_text());
    std::vector<std::string> known;
    std::string algorithm;
    for (const std::int64_t words : {90, 7, 1, 33, 64}) {
      CAPTURE(words);
      Parameters parameters = invariant(words);
      parameters.insert(row.more.begin(), row.more.end());
      const Plan plan = planned(row.algorithm, row.topology, parameters);
      if (algorithm.empty()) algorithm = plan.algorithm;
      CHECK(plan.algorithm == algorithm);
      const Report proof = proved_with_sums(plan);
      CAPTURE(proof.problems);
      CHECK(proof.problems.empty());
      REQUIRE(proof.sums);
      CHECK(proof.sums->length_invariant);
      if (row.period) CHECK(proof.sums->period == row.period);
      const SumTrees trees = trees_of(plan);
      REQUIRE(trees.elements() == static_cast<std::uint64_t>(words));
      for (std::uint64_t j = 0; j < trees.elements(); ++j) {
        const std::string digest = digest_text(trees, j);
        if (known.size() <= j) known.push_back(digest);
        CHECK(digest == known[j]);
        if (proof.sums->period) CHECK(digest == known[j % *proof.sums->period]);
      }
    }
  }
  CHECK_THROWS_AS(planned("scheduled", network(true, {4, 4}), invariant(16)), InfeasibleError);
}

TEST_CASE("owners of a reduce-scatter keep their trees at every length", "[sums][reduction]") {
  const Topology topology = network(true, {4, 4});
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> known;
  for (const std::int64_t blocks : {5, 1, 2, 4}) {
    Parameters parameters{{"type", std::string("float32")},
                          {"invariant", std::string("length")},
                          {"packets", blocks}};
    const Plan plan = planned("hamiltonian", topology, parameters, "reduce-scatter");
    // m h steps, as section 4 says.
    CHECK(plan.expected.analytic_steps == static_cast<std::uint64_t>((blocks + 1) / 2 * 8));
    CHECK(proved_with_sums(plan).problems.empty());
    const SumTrees trees = trees_of(plan);
    for (std::uint64_t node = 0; node < 16; ++node) {
      for (std::uint64_t c = 0; c < static_cast<std::uint64_t>(blocks); ++c) {
        const std::string digest =
            digest_text(trees, node * static_cast<std::uint64_t>(blocks) + c);
        const auto [at, is_new] = known.try_emplace({node, c % 2}, digest);
        CHECK(at->second == digest);
      }
    }
  }
}

TEST_CASE("documents keep type, deal and promises", "[sums][plan]") {
  Parameters parameters = invariant(40);
  parameters["type"] = std::string("bfloat16");
  parameters["accumulate"] = std::string("float32");
  const Plan plan = planned("hamiltonian", network(true, {4, 4}), parameters);
  for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
    std::stringstream document;
    write_plan(plan, document, encoding);
    CHECK(read_plan(document, "document") == plan);
  }
  std::stringstream document;
  write_plan(plan, document, PlanEncoding::kJson);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = document.str();
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    std::istringstream in(text);
    return read_plan(in, "document");
  };
  CHECK_THROWS_AS(changed("\"rounds\"", "\"turns\""), InputError);
  const std::string typed = "\"type\": \"bfloat16\",\n    \"accumulate\": \"float32\"";
  CHECK_THROWS_AS(changed(typed, "\"type\": \"fp8\",\n    \"accumulate\": \"float32\""),
                  InputError);
  CHECK_THROWS_AS(changed(typed, "\"type\": \"bfloat16\",\n    \"accumulate\": \"float64\""),
                  InputError);
  // A promise that does not hold.
  const Plan wrong = changed("\"sum_period\": 32", "\"sum_period\": 3");
  CHECK(!proved_with_sums(wrong).problems.empty());
  CHECK(SumTrees(wrong).problem());
}

/// One operation, offset, rank or part of a combination is another one.
void damage(RingProgram& program, std::mt19937& random) {
  Combination& combine = program.combine;
  CombineLeg& leg = combine.legs[random() % combine.legs.size()];
  std::vector<CombineLane*> lanes;
  for (auto& lane : leg.lanes) {
    if (lane) lanes.push_back(&*lane);
  }
  CombineLane& lane = *lanes[random() % lanes.size()];
  switch (random() % 4) {
    case 0: {
      CombineStep& step = leg.operations[random() % leg.operations.size()].step;
      step = static_cast<CombineStep>((static_cast<unsigned>(step) + 1 + random() % 4) % 5);
      break;
    }
    case 1:
      lane.offset += random() % 2 == 0 ? 1 : -1;
      break;
    case 2:
      std::swap(combine.ranks[random() % combine.ranks.size()],
                combine.ranks[random() % combine.ranks.size()]);
      break;
    default:
      lane.part = (lane.part + 1) % combine.parts;
  }
}

/// A node sends to another neighbour, an arrival is added to another word, or a row is missing.
void damage(TimetableProgram& program, std::mt19937& random) {
  const auto node = static_cast<NodeId>(random() % program.nodes());
  TimetableRom rom = program.roms()[program.rom_of(node)];
  const bool arrives = !rom.arrivals.empty() && (rom.sends.empty() || random() % 2 == 0);
  if (arrives) {
    const std::size_t row = random() % rom.arrivals.size();
    if (random() % 2 == 0) {
      rom.arrivals.erase(rom.arrivals.begin() + static_cast<std::ptrdiff_t>(row));
    } else {
      WordSource& with = rom.arrivals[row].with;
      with = with.none() ? WordSource::own(0) : WordSource();
    }
  } else if (!rom.sends.empty()) {
    const std::size_t row = random() % rom.sends.size();
    SendRow& send = rom.sends[row];
    const auto port = static_cast<Port>(random() % 4);
    const bool taken = std::any_of(rom.sends.begin(), rom.sends.end(), [&](const SendRow& other) {
      return other.step == send.step && other.port == port;
    });
    if (taken) {
      rom.sends.erase(rom.sends.begin() + static_cast<std::ptrdiff_t>(row));
    } else {
      send.port = port;
      std::sort(rom.sends.begin(), rom.sends.end(), [](const SendRow& a, const SendRow& b) {
        return std::pair(a.step, a.port) < std::pair(b.step, b.port);
      });
    }
  }
  program.assign(node, program.intern(std::move(rom)));
}

/// A message goes to another node, or is missing.
void damage(RelayProgram& program, std::mt19937& random) {
  RelayProgram damaged(program.source());
  damaged.clock = program.clock;
  damaged.ports = program.ports;
  damaged.adding_steps = program.adding_steps;
  const auto step = static_cast<std::uint32_t>(1 + random() % program.steps());
  const std::size_t at = random() % program.sends(step).size();
  for (std::uint32_t each = 1; each <= program.steps(); ++each) {
    std::size_t number = 0;
    for (const RelaySend& send : program.sends(each)) {
      RelayPath path = program.path(send);
      const bool here = each == step && number++ == at;
      if (here && random() % 2 == 0) continue;
      if (here) path.front().port = opposite(path.front().port);
      damaged.add_send(send.from, path);
    }
    damaged.end_step();
  }
  program = damaged;
}

template <typename Program>
void check_mutants(const Plan& plan, int count) {
  CAPTURE(plan.algorithm);
  const std::string digest = hex_text(trees_of(plan).digest_of_all());
  std::mt19937 random(1);
  int silent = 0;
  int refused = 0;
  for (int i = 0; i < count;) {
    Plan mutant = plan;
    damage(mutant.program.edit<Program>(), random);
    if (mutant == plan) continue;
    ++i;
    try {
      mutant.machine().check(mutant, "mutant");
      if (!proved_with_sums(mutant).problems.empty()) {
        ++refused;
      } else if (hex_text(SumTrees(mutant).digest_of_all()) == digest) {
        ++silent;
      }
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(silent == 0);
  CHECK(2 * refused > count);
}

TEST_CASE("a damaged plan is refused or its digest changes", "[sums][reduction]") {
  check_mutants<RingProgram>(planned("hamiltonian", network(true, {3, 4}), float32()), 250);
  check_mutants<RingProgram>(planned("rings", network(true, {3, 3}), float32()), 150);
  check_mutants<RingProgram>(
      planned("hamiltonian", network(true, {4, 4}), float32(), "reduce-scatter"), 100);
  check_mutants<TimetableProgram>(planned("tree", network(false, {3, 4}), float32()), 200);
  check_mutants<TimetableProgram>(planned("lines", network(false, {3, 4}), float32()), 150);
  check_mutants<RelayProgram>(planned("eye", network(true, {4, 4}), float32()), 150);
}

/// NumPy's sum for pairs of bits of a type.
template <typename Float, typename Bits>
Bits added(Bits a, Bits b) {
  Float x = 0;
  Float y = 0;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  const Float sum = x + y;
  Bits bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  return bits;
}

TEST_CASE("sums of floats are those of the processor, with one NaN", "[sums][float]") {
  const FloatFormat single = *float_format(WordType::kFloat32);
  const FloatFormat wide = *float_format(WordType::kFloat64);
  std::uint64_t nan = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t a = float_test_word(single, i, 0, i % 61);
    const std::uint64_t b = float_test_word(single, i, 1, i % 61);
    const std::uint64_t sum = float_sum(single, a, b);
    const auto expected =
        added<float>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    if (is_float_nan(single, expected)) {
      ++nan;
      REQUIRE(sum == 0x7fc00000U);
    } else {
      REQUIRE(sum == expected);
    }
    REQUIRE(float_sum(single, b, a) == sum);
    const std::uint64_t c = float_test_word(wide, i, 0, i % 61);
    const std::uint64_t d = float_test_word(wide, i, 1, i % 61);
    const std::uint64_t wide_sum = float_sum(wide, c, d);
    const auto wide_expected = added<double>(c, d);
    REQUIRE(wide_sum == (is_float_nan(wide, wide_expected) ? 0x7ff8000000000000U : wide_expected));
  }
  CHECK(nan > 100);
}

/// a + b by exact integers: all words of a small format are multiples of its smallest one.
std::uint64_t exact_sum(const FloatFormat& format, std::uint64_t a, std::uint64_t b) {
  const auto nan = [&](std::uint64_t word) { return is_float_nan(format, word); };
  const std::uint64_t infinity = ((1U << format.exponent_bits) - 1U) << format.fraction_bits;
  const std::uint64_t sign = std::uint64_t{1} << (format.bits() - 1);
  const std::uint64_t quiet = infinity | 1U << (format.fraction_bits - 1);
  if (nan(a) || nan(b)) return quiet;
  const bool a_infinite = (a & ~sign) == infinity;
  const bool b_infinite = (b & ~sign) == infinity;
  if (a_infinite && b_infinite) return a == b ? a : quiet;
  if (a_infinite) return a;
  if (b_infinite) return b;
  const auto multiple = [&](std::uint64_t word) {
    const std::uint64_t exponent = (word & ~sign) >> format.fraction_bits;
    const std::uint64_t fraction = word & ((1U << format.fraction_bits) - 1U);
    const auto size = static_cast<std::int64_t>(
        exponent == 0 ? fraction : fraction + (std::uint64_t{1} << format.fraction_bits));
    const std::int64_t value = size << (exponent == 0 ? 0 : exponent - 1);
    return (word & sign) != 0 ? -value : value;
  };
  const std::int64_t sum = multiple(a) + multiple(b);
  if (sum == 0) return (a & b & sign) != 0 ? sign : 0;
  // The nearest finite word or the word after the last one, the even one of two.
  const std::int64_t size = sum < 0 ? -sum : sum;
  std::uint64_t best = 0;
  std::int64_t distance = size;
  for (std::uint64_t word = 1; word <= infinity; ++word) {
    const std::int64_t off = multiple(word) - size;
    const std::int64_t apart = off < 0 ? -off : off;
    if (apart < distance || (apart == distance && word % 2 == 0)) {
      best = word;
      distance = apart;
    }
  }
  return (sum < 0 ? sign : 0) | best;
}

TEST_CASE("sums of all pairs of three 8-bit formats are the nearest words", "[sums][float]") {
  for (const FloatFormat format : {FloatFormat{4, 3}, FloatFormat{5, 2}, FloatFormat{3, 4}}) {
    CAPTURE(format.exponent_bits);
    for (std::uint64_t a = 0; a < 256; ++a) {
      for (std::uint64_t b = a; b < 256; ++b) {
        REQUIRE(float_sum(format, a, b) == exact_sum(format, a, b));
      }
    }
  }
}

TEST_CASE("larger and smaller floats are those of IEEE 754-2019", "[sums][float]") {
  const FloatFormat format = *float_format(WordType::kFloat16);
  CHECK(float_larger(format, 0x8000, 0x0000) == 0x0000);
  CHECK(float_smaller(format, 0x8000, 0x0000) == 0x8000);
  CHECK(float_larger(format, 0xfc00, 0x0001) == 0x0001);
  CHECK(float_larger(format, 0xc000, 0xbc00) == 0xbc00);
  CHECK(float_smaller(format, 0xc000, 0xbc00) == 0xc000);
  CHECK(float_larger(format, 0x7c01, 0x3c00) == 0x7e00);
  CHECK(float_smaller(format, 0x3c00, 0xfe00) == 0x7e00);
}

TEST_CASE("a wrong adder is found by the words of the type", "[sums][float]") {
  const Plan plan = planned("hamiltonian", network(true, {4, 4}), float32());
  const SumTrees trees = trees_of(plan);
  // Trees of another plan: results differ in some bits.
  const Plan other = planned("tree", network(true, {4, 4}),
                             {{"type", std::string("float32")}, {"words", std::int64_t{32}}});
  const SumTrees others = trees_of(other);
  const auto difference = compare_values("fast", plan, &others, {});
  REQUIRE(difference);
  CHECK(difference->find("its tree gives 0x") != std::string::npos);
  CHECK(!compare_values("fast", plan, &trees, {}));
}

TEST_CASE("the other one of two floats is found by the words of the type", "[sums][float]") {
  for (const char* const type : {"float16", "bfloat16", "float64"}) {
    CAPTURE(type);
    const Plan plan = planned("hamiltonian", network(true, {4, 4}),
                              {{"type", std::string(type)}, {"operation", std::string("max")}});
    const auto run_with = [&](Operation operation) {
      return compare_values(plan, nullptr, {}, RunWords::kAsPlanned,
                            [&](const EngineOptions& again, std::uint64_t limit,
                                Observer& observer) -> std::optional<std::string> {
                              EngineOptions other = again;
                              other.arithmetic.operation = operation;
                              watch(*make_engine("fast", plan, other), limit, observer);
                              return std::nullopt;
                            });
    };
    REQUIRE(values_show_words(plan));
    CHECK(!run_with(Operation::kMax));
    for (const Operation operation : {Operation::kMin, Operation::kSum}) {
      const auto difference = run_with(operation);
      REQUIRE(difference);
      CHECK(difference->find("its operation gives 0x") != std::string::npos);
    }
  }
}

TEST_CASE("vectors are summed by the trees", "[sums][float]") {
  const Plan plan =
      planned("tree", network(false, {3}),
              {{"type", std::string("bfloat16")}, {"accumulate", std::string("float32")}});
  const SumTrees trees = trees_of(plan);
  // 256 + 1 is 256 in bfloat16, but 256 + 1 + 1 is 258 with float32 sums.
  const NpyArray vectors{"u2", 3, 1, {0x3f80, 0x4380, 0x3f80}};
  CHECK(sums_of_vectors(plan, trees, vectors, "X") == std::vector<std::uint64_t>{0x4381});
  const Plan narrow = planned("tree", network(false, {3}), {{"type", std::string("bfloat16")}});
  CHECK(sums_of_vectors(narrow, trees_of(narrow), vectors, "X") ==
        std::vector<std::uint64_t>{0x4380});
  CHECK_THROWS_AS(sums_of_vectors(plan, trees, {"u2", 2, 1, {0, 0}}, "X"), InputError);
  CHECK_THROWS_AS(sums_of_vectors(plan, trees, {"f4", 3, 1, {0, 0, 0}}, "X"), InputError);
}

}  // namespace
}  // namespace gossamer
