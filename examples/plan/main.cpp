// SPDX-License-Identifier: Apache-2.0
/// From a topology to a proved plan, on disk and as RTL.
///
///   plan DIRECTORY
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace {

int run(const std::filesystem::path& directory) {
  // The request. It uses the collective's default algorithm on this topology; options are those of
  // the command line, by name.
  gossamer::PlanRequest request{
      gossamer::Topology::torus(std::array{8U, 6U}), "all-gather", {}, {}, {}};
  const gossamer::Plan plan = gossamer::make_plan(request);

  // The proof does not trust the planner's figures.
  const gossamer::Verdict verdict = gossamer::verify(plan);
  for (const std::string& problem : verdict.problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!verdict.ok()) return 1;
  std::printf("%s: all-gather in %llu steps, proved by %s; nobody can do it in less than %llu\n",
              plan.algorithm.c_str(), static_cast<unsigned long long>(*verdict.steps),
              std::string(verdict.method).c_str(),
              static_cast<unsigned long long>(*plan.expected.lower_bound_steps));

  // On disk, and back.
  std::filesystem::create_directories(directory);
  const std::filesystem::path path = directory / "plan.json";
  {
    std::ofstream out(path, std::ios::binary);
    gossamer::write_plan(plan, out, gossamer::encoding_for(path));
  }
  if (gossamer::read_plan_file(path) != plan) return 1;

  // As SystemVerilog with the tables wired in, a testbench and a Makefile.
  const auto files = gossamer::write_files(gossamer::emit_files(plan, "sv"), directory / "rtl");
  std::printf("%zu files in %s\n", files.size(), (directory / "rtl").c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "out");
  } catch (const gossamer::InputError& error) {  // malformed: one line with the place and the cause
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (
      const gossamer::InfeasibleError& error) {  // no plan exists: what is nearest stands in it
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
