// SPDX-License-Identifier: Apache-2.0
/// gossamer plot: the results of sweeps as figures for print, drawn by matplotlib.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "plot/draw_plot.hpp"
#include "plot_script.hpp"
#include "python_script.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct PlotArguments {
  std::string results;
  std::string kind = "steps";
  std::string collective;
  std::string output;
  bool json = false;
};

int run(const PlotArguments& arguments) {
  std::string output = arguments.output;
  if (output.empty()) {
    const auto stem = std::filesystem::path(arguments.results).stem();
    output = fmt::format("{}-{}.svg", stem.string(), arguments.kind);
  }
  const std::string suffix = std::filesystem::path(output).extension();
  if (suffix != ".svg" && suffix != ".pdf" && suffix != ".png") {
    throw InputError(fmt::format("{}: the name must end in .svg, .pdf or .png", output));
  }
  if (arguments.kind == "area" && !arguments.collective.empty()) {
    throw InputError("--collective: chooses among a sweep's rows; not with --kind area");
  }
  if (!std::filesystem::exists(arguments.results)) {
    throw InputError(fmt::format("{}: cannot be read", arguments.results));
  }
  if (!draw_plot(arguments.results, arguments.kind, output, arguments.collective)) {
    return kBadInput;
  }
  if (arguments.json) {
    print_json({{"results", arguments.results}, {"kind", arguments.kind}, {"figure", output}});
  } else {
    fmt::print("{}\n", output);
  }
  return kDone;
}

}  // namespace

bool draw_plot(const std::string& results, const std::string& kind, const std::string& output,
               const std::string& collective) {
  const int status = run_python(std::string(kPlotScript), {results, kind, output, collective});
  if (status != 0 && status != kBadInput) {
    throw std::runtime_error(fmt::format("{} could not draw", kPython));
  }
  return status == 0;
}

void add_plot_command(Command& app, Action& action) {
  auto arguments = std::make_shared<PlotArguments>();
  Command* command =
      app.add_subcommand("plot", "Draw the results of sweeps for print, as SVG, PDF or PNG");
  command
      ->add_option(
          "results", arguments->results,
          "Results of gossamer sweep, SQLite; JSON for area, and also for delay, time and energy")
      ->required()
      ->type_name("RESULTS");
  command
      ->add_option(
          "--kind", arguments->kind,
          "steps: over nodes, with the lower bound; compare: bars of the largest sizes; "
          "tcd: total communication distance over the side; delay: against load, with the "
          "bound; faults: steps over dead links, with the bound; latency, stall: cycles of "
          "elastic plans over the links' mean latency and the part of the cycles with a "
          "stall, with the bound; area: of routers over width, from the JSON of "
          "bench/rtl_area; time, energy: over the bytes of a message, from a sweep of them or "
          "the JSON of gossamer compare, one document after the other")
      ->one_of({"steps", "compare", "tcd", "delay", "faults", "latency", "stall", "area", "time",
                "energy"})
      ->capture_default_str()
      ->type_name("KIND");
  command
      ->add_option("--collective", arguments->collective,
                   "Which one; default the one with the most rows")
      ->type_name("NAME");
  command
      ->add_option("-o,--output", arguments->output,
                   "Figure, .svg, .pdf or .png; default RESULTS-KIND.svg here")
      ->type_name("FILE");
  add_json_flag(*command, arguments->json);
  command->footer("Example: gossamer plot results.sqlite --kind compare -o compare.pdf\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
