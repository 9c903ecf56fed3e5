// SPDX-License-Identifier: Apache-2.0
/// gossamer plot: the results of sweeps as figures for print, drawn by matplotlib.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
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
  const bool without_rows = arguments.kind == "area" || arguments.kind == "timeline";
  if (without_rows && !arguments.collective.empty()) {
    throw InputError(fmt::format(
        "--collective: selects rows of a sweep; --kind {} does not support it", arguments.kind));
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

bool draw_json(const std::string& document, const std::string& kind, std::ostream& svg) {
  const TemporaryFolder work = TemporaryFolder::make();
  const std::string json = work.path() / "report.json";
  const std::string drawn = work.path() / "drawn.svg";
  std::ofstream(json) << document;
  if (!draw_plot(json, kind, drawn, "")) return false;
  svg << std::ifstream(drawn).rdbuf();
  return true;
}

void add_plot_command(Command& app, Action& action) {
  auto arguments = std::make_shared<PlotArguments>();
  Command* command = app.add_subcommand("plot", "Draw results for print, as SVG, PDF or PNG");
  command
      ->add_option("results", arguments->results,
                   "Results: SQLite of gossamer sweep; JSON of gossamer workload (timeline), of "
                   "bench/rtl_area (area), of gossamer simulate (delay) or of gossamer compare "
                   "--bytes (time, energy)")
      ->required()
      ->type_name("RESULTS");
  command
      ->add_option("--kind", arguments->kind,
                   "steps: over nodes; words: steps over words of a vector; compare: steps over "
                   "the lower bound, as bars for the eight largest sizes; tcd: total communication "
                   "distance over the side; delay: over load; faults: steps over dead links; "
                   "latency, stall: cycles of elastic plans over mean link latency, or over the "
                   "part of cycles with a stall; area: of routers over flit width; timeline: a "
                   "workload on both networks; time, energy: over message bytes")
      ->one_of({"steps", "words", "compare", "tcd", "delay", "faults", "latency", "stall", "area",
                "timeline", "time", "energy"})
      ->capture_default_str()
      ->type_name("KIND");
  command
      ->add_option("--collective", arguments->collective,
                   "Collective to draw; default: the one with the most rows")
      ->type_name("NAME");
  command
      ->add_option("-o,--output", arguments->output,
                   "Figure, .svg, .pdf or .png; default: RESULTS-KIND.svg in this directory")
      ->type_name("FILE");
  add_json_flag(*command, arguments->json);
  command->footer("Example: gossamer plot results.sqlite --kind compare -o compare.pdf\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
