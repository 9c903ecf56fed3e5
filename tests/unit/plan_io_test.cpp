// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/plan_io.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/rivals.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

Plan small_plan() { return plan_hamiltonian(Topology::torus(std::array{4U, 3U}), {}); }

std::string text_of(const Plan& plan, PlanEncoding encoding) {
  std::ostringstream out;
  write_plan(plan, out, encoding);
  return out.str();
}

Plan read(const std::string& bytes) {
  std::istringstream in(bytes);
  return read_plan(in, "test");
}

/// The message of the refusal; fails when the bytes are accepted.
std::string refusal(const std::string& bytes) {
  try {
    (void)read(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("accepted: " << bytes.substr(0, 200));
  return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

TEST_CASE("a plan survives writing and reading in both encodings", "[plan][io]") {
  std::vector<Plan> plans = {small_plan()};
  plans.push_back(small_plan());
  auto& program = plans.back().program.edit<StreamProgram>();
  StreamPort entry;
  entry.feed = PortSet(5);
  entry.early_feed = PortSet(2);
  entry.switch_step = 7;
  entry.preload = {1, 0, 1};
  program.set(3, 2, entry);
  plans.back().parameters = {
      {"flag", true}, {"number", std::int64_t{-3}}, {"text", "a \"b\" \xc3\xa4"}};
  plans.back().expected.bound_steps.reset();
  for (const Plan& plan : plans) {
    for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
      const std::string bytes = text_of(plan, encoding);
      const Plan back = read(bytes);
      REQUIRE(back == plan);
      REQUIRE(text_of(back, encoding) == bytes);
      REQUIRE(plan_hash(back) == plan_hash(plan));
    }
  }
  REQUIRE(plan_hash(plans[0]) != plan_hash(plans[1]));
}

TEST_CASE("more than 256 distinct port programs survive writing and reading", "[plan][io]") {
  StreamProgram program(1024, 4, 1);
  for (NodeId node = 0; node < 1024; ++node) {
    StreamPort entry;
    entry.feed = PortSet(1);
    entry.switch_step = node + 1;
    program.set(node, 0, entry);
  }
  REQUIRE(program.dictionary().size() == 1025);
  const Plan plan{
      Topology::torus(std::array{32U, 32U}), "gossip", "x", {}, Demand::all_gather(1), program, {}};
  REQUIRE(read(text_of(plan, PlanEncoding::kJson)) == plan);
  REQUIRE(read(text_of(plan, PlanEncoding::kCbor)) == plan);
}

TEST_CASE("documents of version 2 are read, and are the same in the present version",
          "[plan][io]") {
  int documents = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(GOSSAMER_SOURCE_DIR "/tests/golden/version2")) {
    CAPTURE(entry.path());
    const Plan older = read_plan_file(entry.path());
    const Verdict verdict = verify(older);
    CAPTURE(verdict.problems);
    CHECK(verdict.ok());
    CHECK(verdict.complete);
    const Report run = run_plan(older, *make_fast_engine(older));
    CHECK(run.problems.empty());
    CHECK(run.complete == true);
    CHECK(run.cycles == verdict.cycles);
    CHECK(run.link_transfers == verdict.link_transfers);
    for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
      CHECK(read(text_of(older, encoding)) == older);
    }
    ++documents;
  }
  CHECK(documents >= 16);
}

TEST_CASE("every truncation of a plan is refused with one line", "[plan][io][hostile]") {
  for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
    const std::string bytes = text_of(small_plan(), encoding);
    const std::size_t end = encoding == PlanEncoding::kJson ? bytes.rfind('}') : bytes.size() - 1;
    for (std::size_t length = 0; length <= end; ++length) {
      const std::string message = refusal(bytes.substr(0, length));
      REQUIRE(message.find('\n') == std::string::npos);
      REQUIRE(message.rfind("test", 0) == 0);
    }
  }
}

TEST_CASE("every one-byte change of a plan is refused or read without harm",
          "[plan][io][hostile][slow]") {
  for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
    const std::string bytes = text_of(small_plan(), encoding);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const char value : std::string("\0\1\"9{[\x7f\x80\x9f\xbb\xff", 11)) {
        std::string changed = bytes;
        changed[at] = value;
        try {
          (void)read(changed);
        } catch (const InputError& error) {
          REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("a refusal names the place and the cause", "[plan][io]") {
  const std::string good = text_of(small_plan(), PlanEncoding::kJson);
  const auto says = [](const std::string& bytes, const std::string& part) {
    CHECK_THAT(refusal(bytes), Catch::Contains(part));
  };
  says(replaced(good, "\"version\": 3", "\"version\": 4"),
       "version: 4 is not supported; this program reads versions 1 to 3");
  says(replaced(good, "gossamer-plan", "other"), "format");
  says(replaced(good, "\"collective\"", "\"colective\""), "\"collective\" is missing");
  says(replaced(good, "\"algorithm\":", "\"extra\": 1, \"algorithm\":"), "unknown key \"extra\"");
  says(replaced(good, "[4,3]", "[4,3,0]"), "0 is outside 1..65535");
  says(replaced(good, "[4,3]", "[4,4]"), "12 rows for 16 nodes");
  says(replaced(good, "[4,3]", "[2,2,3]"), "rows of 4 entries for routers of 6 ports");
  says(replaced(good, "[4,3]", "[65535,65535]"), "more than");
  says(replaced(good, "torus", "ring"), "neither torus nor mesh");
  says(replaced(good, "\"x-\"", "\"q-\""), "there is no port");
  says(replaced(good, "\"packets_per_node\": 2", "\"packets_per_node\": 1"), "outside 0..0");
  says(replaced(good, "\"packets_per_node\": 2", "\"packets_per_node\": 2.5"),
       "not a whole number");
  says(replaced(good, "\"packets_per_node\": 2", "\"packets_per_node\": 99999999999999999999"),
       "not a whole number");
  says(replaced(good, "\"queue_depth\": 1", "\"queue_depth\": 0"), "outside 1..4294967295");
  says(replaced(good, "\"stream\"", "\"steam\""), "\"steam\" is unknown");
  says(replaced(good, "\"collective\":", "\"format\": 1, \"collective\":"), "occurs twice");
  says(good + "x", "is no JSON value");
  // Round a ring of four and on: the header has two bits for it, and a router would see two hops.
  const std::string sends =
      text_of(plan_tree(Topology::torus(std::array{4U, 3U}), {}), PlanEncoding::kJson);
  says(replaced(sends, "\"hops\": 1", "\"hops\": 6"), "paths[0]: hops: 6 is outside 1..3");
  // Routers have room for more dimensions than a line has, and would use the extra entries.
  const std::string rule =
      text_of(plan_eye(Topology::mesh(std::array{2U}), {}), PlanEncoding::kJson);
  says(replaced(rule, "[1,0,0,0,0,0,0,0]", "[1,3,0,0,0,0,0,0]"),
       "rule: levels: the network has 1 dimension");
  says(replaced(rule, "\"side_bits\": 0", "\"side_bits\": 2"), "side_bits: 2 is outside 0..1");
}

TEST_CASE("hostile files cost neither stack nor memory", "[plan][io][hostile]") {
  REQUIRE_THAT(refusal(std::string(100000, '[')), Catch::Contains("nested"));
  REQUIRE_THAT(refusal("{\"table\":" + std::string(100000, '[')), Catch::Contains("table"));
  REQUIRE_THAT(refusal(std::string(100000, '\x81')), Catch::Contains("nested"));
  REQUIRE_THAT(refusal(std::string(100000, '\x9f')), Catch::Contains("nested"));
  // A key is compared with those before it: a million of them would take hours.
  std::string members;
  for (int i = 0; i < 1000000; ++i) members += "\"" + std::to_string(i) + "\":0,";
  REQUIRE_THAT(refusal("{" + members), Catch::Contains("too many members"));
  // An array and a text that claim 2^32 - 1 and 2^63 elements.
  REQUIRE_FALSE(refusal(std::string("\x9a\xff\xff\xff\xff", 5)).empty());
  REQUIRE_FALSE(refusal(std::string("\xbf\x7b\x7f\xff\xff\xff\xff\xff\xff\xff", 10)).empty());
  // 4 * 10^9 nodes claimed, none there.
  REQUIRE_FALSE(refusal(R"({"format":"gossamer-plan","version":1,"topology":{"kind":"torus",)"
                        R"("dims":[65535,2047]},"collective":"gossip","algorithm":"hamiltonian",)"
                        R"("parameters":{},"expected":{"analytic_steps":1,"lower_bound_steps":1,)"
                        R"("bound_steps":1,"analytic_cycles":1,"queue_depth":1},)"
                        R"("program":{"discipline":"stream","packets_per_node":2,"ports":[],)"
                        R"("table":[]}})")
                    .empty());
}

}  // namespace
}  // namespace gossamer
