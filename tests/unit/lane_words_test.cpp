// SPDX-License-Identifier: Apache-2.0
/// Words on the lanes of links: values of engines, and a judge that finds disturbed lanes.
#include <catch2/catch.hpp>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/lane_words.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/value_judge.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {
namespace {

Plan lanes_planned(std::int64_t link_bits, std::map<std::string, ParameterValue> parameters = {}) {
  parameters["link-bits"] = link_bits;
  return make_plan({Topology::torus(std::vector<std::uint32_t>{3, 3}),
                    "all-reduce",
                    "hamiltonian",
                    parameters,
                    {}});
}

TEST_CASE("a link has the words of its width", "[reduction][lanes]") {
  CHECK(link_words(lanes_planned(256)).lanes() == 8);
  CHECK(link_words(lanes_planned(12)).word_bits == 12);
  CHECK(link_words(lanes_planned(64, {{"word-bits", std::int64_t{16}}})).lanes() == 4);
  CHECK(link_words(lanes_planned(256, {{"type", std::string("bfloat16")}})).lanes() == 16);
  CHECK(!lanes_planned(256, {{"word-bits", std::int64_t{32}}}).parameters.contains("word-bits"));
  CHECK_THROWS_AS(lanes_planned(33), InputError);
  Plan wide = lanes_planned(1024);
  CHECK(link_words(wide).lanes() == 32);
  wide.parameters["link-bits"] = std::int64_t{2048};
  CHECK_THROWS_AS(link_words(wide), InfeasibleError);
  wide.parameters["link-bits"] = std::int64_t{100};
  CHECK_THROWS_AS(link_words(wide), InputError);
}

TEST_CASE("the words of a link are combined lane by lane", "[reduction][lanes]") {
  for (const std::int64_t link_bits : {48, 96, 960}) {
    CAPTURE(link_bits);
    const Plan plan = lanes_planned(link_bits, {{"word-bits", std::int64_t{24}}});
    LaneWords lanes(plan);
    std::vector<std::uint64_t> ones(static_cast<std::size_t>(lanes.lanes()), 1);
    std::vector<std::uint64_t> highest(ones.size(), 0xffffff);
    const std::uint64_t sum = lanes.combine(lanes.value(highest), lanes.value(ones));
    CHECK(lanes.words(sum) == std::vector<std::uint64_t>(ones.size(), 0));
    CHECK(sum == 0);
    CHECK(lanes.digits(sum) == "0");
    CHECK(lanes.digits(lanes.value(highest)) == lanes.all_ones());
    CHECK(lanes.all_ones() == std::string(static_cast<std::size_t>(link_bits / 4), 'f'));
    ones.assign(ones.size(), 0);
    ones[1] = 0xabcdef;
    CHECK(lanes.digits(lanes.value(ones)) == "abcdef000000");
  }
}

TEST_CASE("a carry between lanes is found", "[reduction][lanes]") {
  const Plan plan = lanes_planned(64);
  LaneWords lanes(plan);
  EngineOptions options;
  options.arithmetic = lanes.arithmetic();
  ValueJudge right(plan, nullptr, lanes);
  watch(*make_fast_engine(plan, options), step_limit(plan), right);
  CHECK(!right.difference());
  CHECK(right.compared() >= std::uint64_t{9} * plan.demand.pieces);

  /// Words of 64 bits: a carry of lane 0 disturbs lane 1.
  class Carries final : public WordMaker {
   public:
    explicit Carries(LaneWords& words) : words_(&words) {}
    std::uint64_t word(NodeId node, PacketId piece) override { return words_->word(node, piece); }
    std::uint64_t combine(std::uint64_t a, std::uint64_t b) override { return a + b; }

   private:
    LaneWords* words_;
  } carries(lanes);
  options.arithmetic.maker = &carries;
  ValueJudge wrong(plan, nullptr, lanes);
  watch(*make_fast_engine(plan, options), step_limit(plan), wrong);
  REQUIRE(wrong.difference());
  CHECK(wrong.difference()->find("lane 1,") != std::string::npos);
}

}  // namespace
}  // namespace gossamer
