// SPDX-License-Identifier: Apache-2.0
/// emit_hand_plan NAME NX NY FORMAT DIRECTORY: emits a hand-made plan, the trace of the fast engine
/// (expected.csv) and the expected output of the testbench (pass.txt).
#include <fmt/format.h>

#include <exception>
#include <string>

#include "gossamer/emit/emit.hpp"
#include "hand_plan.hpp"

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: emit_hand_plan NAME NX NY FORMAT DIRECTORY\n");
    return 2;
  }
  try {
    const gossamer::Plan plan =
        gossamer::test::hand_plan(argv[1], static_cast<std::uint32_t>(std::stoul(argv[2])),
                                  static_cast<std::uint32_t>(std::stoul(argv[3])));
    auto files = gossamer::emit_files(plan, argv[4]);
    // The scoreboard is quadratic in the nodes; large plans are emitted for lint and speed only.
    if (plan.topology.nodes() <= 1024) {
      files.push_back({"expected.csv", gossamer::test::fast_trace(plan)});
    }
    files.push_back({"pass.txt", fmt::format("PASS steps={}\n", *plan.expected.analytic_steps)});
    gossamer::write_files(files, argv[5]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "emit_hand_plan: {}\n", error.what());
    return 2;
  }
  return 0;
}
