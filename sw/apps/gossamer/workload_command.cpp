// SPDX-License-Identifier: Apache-2.0
/// gossamer workload: what a step of a job costs.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "gossamer/compare/workload.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "plot/draw_plot.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"
#include "workload_file.hpp"

namespace gossamer::cli {

namespace {

struct WorkloadArguments {
  std::string file;
  ShapeArguments shape;
  LinkArguments links;
  bool plans_only = false;
  std::string output;
  std::string svg;
  PhysicalComparisonOptions options;
  ReportOutput report;
};

int run(const WorkloadArguments& arguments) {
  if (arguments.svg == "-" && arguments.report.is_alone()) {
    throw InputError("--svg, --report, --json: only one of them can use standard output");
  }
  const Topology topology = shape_of(arguments.shape);
  PhysicalComparisonOptions options = arguments.options;
  options.quantities = arguments.links.quantities(topology);
  options.conventional = !arguments.plans_only;
  if (options.conventional && !topology.is_healthy()) {
    throw InfeasibleError(
        "workload: the conventional network does not support faults; nearest feasible: "
        "--plans-only");
  }
  // Opened before the run, so an invalid path is reported immediately.
  std::optional<OutputFile> svg;
  if (!arguments.svg.empty()) svg.emplace(arguments.svg);
  options.progress = progress_bar();
  const WorkloadResult result =
      evaluate(read_workload(arguments.file, topology), topology, options);
  options.progress = {};
  if (svg) {
    if (!draw_json(workload_json(result), "timeline", svg->stream())) return kBadInput;
    svg->commit();
  }
  const bool writes = !arguments.output.empty();
  const WorkloadContexts contexts = writes ? contexts_of(result) : WorkloadContexts{};
  const auto paths = writes ? write_files(workload_files(result, contexts), arguments.output)
                            : std::vector<std::filesystem::path>{};
  const bool reports = arguments.report.is_alone() || !arguments.report.file.empty();
  const std::string json =
      reports ? workload_json(result, writes ? &contexts : nullptr) : std::string();
  if (!arguments.report.deliver(json) && arguments.svg != "-") {
    fmt::print("{}", workload_table(result, {terminal_columns(), false}));
    for (const auto& path : paths) fmt::print("{}\n", path.string());
    if (writes) fmt::print("{}", contexts_text(result, contexts));
  }
  return kDone;
}

}  // namespace

void add_workload_command(Command& app, Action& action) {
  auto arguments = std::make_shared<WorkloadArguments>();
  Command* command = app.add_subcommand(
      "workload", "Compute time and energy of one step of a job, with overlapping collectives");
  command
      ->add_option(
          "file", arguments->file,
          "Steps of the job with their dependencies: YAML, - for standard input, or a directory of "
          "Chakra traces")
      ->required()
      ->type_name("FILE");
  add_shape_options(*command, arguments->shape);
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return command->add_option(name, value, help)->type_name(type);
  };
  arguments->links.add_to(*command);
  add("--energy", arguments->links.energy, "fJ per bit; default link=110,router=29,buffer=29",
      "SPEC");
  constexpr const char* kConventional = "Conventional network";
  const auto add_conventional = [&](const char* name, auto& value, const char* help,
                                    const char* type) {
    add(name, value, help, type)->capture_default_str()->group(kConventional);
  };
  add_conventional("--vcs", arguments->options.router.channels, "Virtual channels per input port",
                   "V");
  add_conventional("--buffer", arguments->options.router.buffer, "Flits per virtual channel",
                   "FLITS");
  add_conventional("--payload", arguments->options.messages.packet_payload,
                   "Flits per packet after its head flit", "FLITS");
  add_conventional("--message-cycles", arguments->options.messages.start_up,
                   "Cycles of software to start a message", "CYCLES");
  command->add_flag("--plans-only", arguments->plans_only, "Leave out the conventional network")
      ->group(kConventional);
  add("-o,--output", arguments->output,
      "Directory for the plans, contexts.json and workload.json, created if missing", "DIR");
  add("--svg", arguments->svg, "Draw both networks over time as SVG (requires matplotlib)", "FILE");
  arguments->report.add_to(*command);
  command->footer(
      "docs/workload.md describes the file and the figures.\n"
      "Example: gossamer workload step.yaml --dims 8x8 --link-bits 256 --clock 1GHz\n"
      "Exit status 3: a collective has no plan on this network.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
