// SPDX-License-Identifier: Apache-2.0
/// gossamer traffic, as its users call it.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

TEST_CASE("traffic reports latency over load and full load", "[cli][traffic]") {
  const ScratchDirectory directory;
  const auto run = gossamer(directory,
                            "traffic --topology torus --dims 4x4 --buffer 4 --rate 0.1,0.9 "
                            "--saturation --report r.json --json");
  REQUIRE(run.status == 0);
  const auto report = nlohmann::json::parse(run.out);
  CHECK(nlohmann::json::parse(file_text(directory.file("r.json"))) == report);
  CHECK(report["link_latency"] == 2);
  REQUIRE(report["points"].size() == 2);
  const auto& free = report["points"][0];
  CHECK(free["rate"] == 0.1);
  CHECK(free["saturated"] == false);
  CHECK(free["mean_latency"].get<double>() == Approx(19.4).margin(0.2));
  CHECK(free["latency_ci95"].get<double>() < 0.2);
  const auto& full = report["points"][1];
  CHECK(full["saturated"] == true);
  CHECK(full["mean_latency"].is_null());
  CHECK(full["latency_ci95"].is_null());
  CHECK(full["accepted_rate"].get<double>() < 0.6);
  CHECK(report["full_load_accepted_rate"].get<double>() == Approx(0.445).epsilon(0.02));
}

TEST_CASE("traffic supports cylinders, sides of 1 and machines in files", "[cli][traffic]") {
  const ScratchDirectory directory;
  std::ofstream(directory.file("m.textproto"))
      << "device_topology { dims: [8, 1, 4] dim_types: [RING, LINE, LINE] }";
  const std::string request = "traffic --rate 0.1 --saturation --json ";
  const auto cylinder =
      nlohmann::json::parse(gossamer(directory, request + "--dims 8x4 --wrap x").out);
  CHECK(cylinder["topology"] == "grid");
  CHECK(cylinder["wrap"] == nlohmann::json{"x"});
  const auto machine =
      nlohmann::json::parse(gossamer(directory, request + "--topology-file m.textproto").out);
  CHECK(machine["dims"] == nlohmann::json{8, 1, 4});
  CHECK(machine["points"] == cylinder["points"]);
  CHECK(machine["full_load_accepted_rate"] == cylinder["full_load_accepted_rate"]);
  // Shorter ways than the mesh has, longer ones than the torus.
  const auto latency = [&](const std::string& topology) {
    return nlohmann::json::parse(
               gossamer(directory, request + "--link-latency 1 --dims 8x4 " + topology).out)
        .at("points")
        .at(0)
        .at("mean_latency")
        .get<double>();
  };
  const double between = latency("--wrap x");
  CHECK(latency("--topology mesh") > between);
  CHECK(latency("--topology torus") < between);
}

TEST_CASE("traffic without --saturation reports null, and the table says saturated",
          "[cli][traffic]") {
  const ScratchDirectory directory;
  const auto json = gossamer(directory, "traffic --dims 4x4 --rate 0.2 --json");
  CHECK(nlohmann::json::parse(json.out)["full_load_accepted_rate"].is_null());
  const auto text = gossamer(directory, "traffic --dims 4x4 --vcs 1 --buffer 1 --rate 0.5");
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::Contains("saturated"));
}

TEST_CASE("traffic refuses impossible requests in one line and writes nothing", "[cli][traffic]") {
  const ScratchDirectory directory;
  struct Refusal {
    const char* arguments;
    int status;
    const char* says;
  };
  for (const Refusal& refusal : {
           Refusal{"--dims 4x4", 2, "--rate"},
           Refusal{"--dims 4x4 --rate 0", 2, "rate: 0"},
           Refusal{"--dims 4x4 --rate 1.5", 2, "rate: 1.5"},
           Refusal{"--dims 4x4 --rate 0.1,x", 2, "list of numbers"},
           Refusal{"--dims 4x4 --rate nan", 2, "rate: nan"},
           Refusal{"--dims 4x4 --rate 0.1 --pattern zigzag", 2, "there is uniform"},
           Refusal{"--dims 4x4 --rate 0.1 --vcs 0", 2, "vcs: 0"},
           Refusal{"--dims 4x4 --rate 0.1 --buffer 0", 2, "buffer: 0"},
           Refusal{"--dims 4x4 --rate 0.1 --packet-flits 0", 2, "packet-flits: 0"},
           Refusal{"--dims 4x4 --rate 0.1 --pipeline 1,1,1", 2, "five"},
           Refusal{"--dims 4x4 --rate 0.1 --pipeline 1,0,1,1,1", 2, "pipeline: 0"},
           Refusal{"--dims 4x4 --rate 0.1 --hotspot 1,1", 2, "hotspot"},
           Refusal{"--dims 4x4 --rate 0.1 --pattern hotspot --hotspot 4,1", 2, "is not a node"},
           Refusal{"--dims 4x3 --rate 0.1 --pattern transpose", 3, "4x4"},
           Refusal{"--dims 4x3 --rate 0.1 --pattern bit-reverse", 3, "power of two"},
           Refusal{"--dims 4x4 --topology torus --rate 0.1 --vcs 1", 3, "--vcs 2"},
           Refusal{"--dims 4x4 --wrap y --rate 0.1 --vcs 1", 3, "--vcs 2"},
           Refusal{"--dims 4x4 --dead-node 1,1 --rate 0.1", 3, "4x4 mesh without faults"},
           Refusal{"--rate 0.1", 2, "--dims is required"},
       }) {
    CAPTURE(refusal.arguments);
    const auto run =
        gossamer(directory, std::string("traffic --report r.json ") + refusal.arguments);
    CHECK(run.status == refusal.status);
    CHECK_THAT(run.err, Catch::Contains(refusal.says));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(directory.file("r.json")));
  }
}

}  // namespace
}  // namespace gossamer::testing
