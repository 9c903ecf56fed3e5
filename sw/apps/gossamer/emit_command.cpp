// SPDX-License-Identifier: Apache-2.0
/// gossamer emit: a plan as files for other tools.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/compare/workload.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/sim/value_judge.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"
#include "workload_file.hpp"

namespace gossamer::cli {

namespace {

struct EmitArguments {
  std::string plan;
  std::string format;
  std::string output;
  std::string name;
  std::optional<std::uint64_t> chunk_bytes;
  std::optional<std::uint32_t> ring;
  bool json = false;
  /// Of a workload.
  ShapeArguments shape;
  LinkArguments links;
};

/// The only format of workloads instead of plans.
constexpr std::string_view kWorkloadFormat = "astra-sim";

/// Testbenches expect the words of a fast run: compares them with the trees of sums that round.
void check_words(const Plan& plan) {
  if (!values_show_order(plan)) return;
  const SumTrees trees(plan);
  auto problem = trees.problem();
  if (!problem) problem = compare_values("fast", plan, &trees, {});
  if (problem) throw InputError(fmt::format("emit: {}", *problem));
}

/// Throws InputError naming the first option that was given.
void refuse_given(const std::vector<std::pair<const char*, bool>>& options,
                  const std::string& cause) {
  for (const auto& [name, given] : options) {
    if (given) throw InputError(fmt::format("{}: {}", name, cause));
  }
}

std::vector<EmittedFile> files_of_workload(const EmitArguments& arguments) {
  refuse_given({{"--name", !arguments.name.empty()},
                {"--chunk-bytes", arguments.chunk_bytes.has_value()},
                {"--ring", arguments.ring.has_value()}},
               "not with format astra-sim");
  const Topology topology = shape_of(arguments.shape);
  PhysicalComparisonOptions options;
  options.quantities = arguments.links.quantities(topology);
  options.conventional = false;
  options.progress = progress_bar();
  return astra_sim_files(evaluate(read_workload(arguments.plan, topology), topology, options));
}

std::vector<EmittedFile> files_of_plan(const EmitArguments& arguments) {
  const LinkArguments defaults;
  refuse_given({{"--dims", !arguments.shape.dims.empty()},
                {"--topology", !arguments.shape.topology.empty()},
                {"--wrap", !arguments.shape.wrap.empty()},
                {"--topology-file", !arguments.shape.topology_file.empty()},
                {"--link-bits", arguments.links.link_bits != defaults.link_bits},
                {"--clock", arguments.links.clock != defaults.clock},
                {"--link-latency", !arguments.links.link_latency.empty()}},
               "only with format astra-sim; a plan contains its network");
  const Plan plan = proved(load_plan(arguments.plan), arguments.plan, progress_bar());
  check_words(plan);
  return emit_files(
      plan, arguments.format,
      {.name = arguments.name, .chunk_bytes = arguments.chunk_bytes, .ring = arguments.ring});
}

int run(const EmitArguments& arguments) {
  const bool of_workload = arguments.format == kWorkloadFormat;
  const std::vector<EmittedFile> files =
      of_workload ? files_of_workload(arguments) : files_of_plan(arguments);
  nlohmann::ordered_json document{{of_workload ? "workload" : "plan", arguments.plan},
                                  {"format", arguments.format},
                                  {"files", nlohmann::ordered_json::array()}};
  for (const auto& path : write_files(files, arguments.output)) {
    document["files"].push_back(path.string());
    if (!arguments.json) fmt::print("{}\n", path.string());
  }
  if (arguments.json) print_json(document);
  std::fflush(stdout);
  for (const EmittedFile& file : files) {
    for (const std::string& warning : file.warnings) {
      fmt::print(stderr, "gossamer: {}: {}\n", file.name, warning);
    }
  }
  return kDone;
}

}  // namespace

void add_emit_command(Command& app, Action& action) {
  auto arguments = std::make_shared<EmitArguments>();
  Command* command =
      app.add_subcommand("emit", "Write a plan's tables and RTL as files for other tools");
  add_plan_argument(*command, arguments->plan,
                    "Plan file, for astra-sim a workload; - for standard input");
  command->add_option("--format", arguments->format, "Format, e.g. sv; gossamer list shows all")
      ->required()
      ->type_name("FORMAT");
  command
      ->add_option("-o,--output", arguments->output, "Directory of the files, created if missing")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--name", arguments->name,
                   "Prefix of the plan's modules, packages and files, e.g. ag for ag_fabric; "
                   "default gsm")
      ->type_name("NAME");
  command
      ->add_option("--chunk-bytes", arguments->chunk_bytes,
                   fmt::format("chakra-et: bytes per packet; default: by the plan's --bytes, or {}",
                               kDefaultChunkBytes))
      ->range(std::uint64_t{1}, std::uint64_t{1} << 40)
      ->type_name("N");
  command
      ->add_option("--ring", arguments->ring,
                   "ranks: nodes per ring; default: edge-disjoint cycles through all nodes")
      ->range(1U, static_cast<std::uint32_t>(kMaxNodes))
      ->type_name("G");
  add_json_flag(*command, arguments->json);
  constexpr const char* kWorkloads = "Workloads (astra-sim)";
  add_sides_options(*command, arguments->shape, kWorkloads);
  arguments->links.add_to(*command, kWorkloads);
  command->footer(
      "The same plan gives the same bytes. All files are written, or none.\n"
      "Example: gossamer emit plan.json --format sv -o out\n"
      "Exit status 2: the format does not support the plan's machine; 3: sv cannot\n"
      "build the plan, for the reason that gossamer plan reports as buildable.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
