// SPDX-License-Identifier: Apache-2.0
/// gossamer recommend: the plan to build for each collective of a network.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/compare/recommend.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/verify/proof.hpp"
#include "shape_options.hpp"
#include "synth/measure.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct RecommendArguments {
  ShapeArguments shape;
  std::string collectives;
  std::string link_bits = "32";
  std::string clock = "1GHz";
  std::string energy;
  bool plans_only = false;
  bool cells = false;
  bool all = false;
  bool json = false;
};

/// Measures the tiles of the plan to build as `gossamer synth --top tile` does. Returns the exit
/// status.
int measure_cells(const Recommendations& all, Recommendation& one) {
  const auto& row = one.to_build();
  if (!row || row->unbuildable.value_or("unknown") != "") return kDone;
  const std::string name(field_name(one.request.collective));
  if (progress_bar()) {
    fmt::print(stderr, "{} {}: tiles of {}\n", name, bytes_text(one.request.bytes), row->algorithm);
  }
  MeasureOptions options;
  options.command = "recommend: " + name;
  options.top = "tile";
  nlohmann::ordered_json measured;
  const Plan plan = proved(make_plan(plan_request(all, one, *row)), name, {});
  if (const int status = measure(plan, options, measured); status != kDone) return status;
  one.cells = 0;
  for (const auto& entry : measured["classes"]) {
    const std::uint64_t cells = entry["with_interface"]["cells"];
    one.cells = std::max(*one.cells, cells);
  }
  return kDone;
}

int run(const RecommendArguments& arguments) {
  if (arguments.cells) require_yosys("--cells");
  const Topology topology = shape_of(arguments.shape);
  const auto collectives = parse_collectives("--collectives", arguments.collectives);
  MessageOptions message{
      {"bytes", std::int64_t{1}}, {"link-bits", arguments.link_bits}, {"clock", arguments.clock}};
  if (!arguments.energy.empty()) message["energy"] = arguments.energy;
  PhysicalComparisonOptions options;
  options.quantities = *parse_message(message, topology);
  options.conventional = !arguments.plans_only;
  options.progress = progress_bar();
  Recommendations all = recommend(topology, collectives, options);
  options.progress = {};
  all.has_cells = arguments.cells;
  for (Recommendation& one : all.collectives) {
    if (!arguments.cells) break;
    if (const int status = measure_cells(all, one); status != kDone) return status;
  }
  fmt::print("{}", arguments.json ? recommendation_json(all)
                                  : recommendation_table(all, {terminal_columns(),
                                                               arguments.all || arguments.cells}));
  return kDone;
}

}  // namespace

void add_recommend_command(Command& app, Action& action) {
  auto arguments = std::make_shared<RecommendArguments>();
  Command* command = app.add_subcommand(
      "recommend",
      "Recommend the plan to build for each collective, next to the conventional network");
  add_shape_options(*command, arguments->shape);
  add_link_rate_options(*command, arguments->shape);
  command
      ->add_option("--collectives", arguments->collectives,
                   "Collectives and their bytes per node, e.g. all-gather=64KiB,all-to-all=4KiB; "
                   "also broadcast, reduce-scatter, all-reduce, reduce")
      ->required()
      ->type_name("NAME=B[,NAME=B..]");
  command->add_option("--link-bits", arguments->link_bits, "Bits per flit, 1 to 65536")
      ->capture_default_str()
      ->type_name("W");
  command->add_option("--clock", arguments->clock, "Clock frequency, e.g. 800MHz")
      ->capture_default_str()
      ->type_name("F");
  command
      ->add_option("--energy", arguments->energy,
                   "fJ per bit; default link=110,router=29,buffer=29")
      ->type_name("SPEC");
  command->add_flag("--plans-only", arguments->plans_only,
                    "Leave out the conventional network, which has to be simulated");
  command->add_flag("--cells", arguments->cells,
                    "Measure the cells of each recommended plan's largest tile with yosys, as "
                    "gossamer synth --top tile does; takes seconds to minutes per plan");
  command->add_flag("--all", arguments->all, "Show the reason for each plan that cannot be built");
  add_json_flag(*command, arguments->json);
  command->footer(
      "For each collective: the fastest plan of gossamer compare; the fastest plan that\n"
      "gossamer emit can build, if it is another one; and the fastest order of the\n"
      "conventional network. The commands that write the plans follow the table.\n"
      "Example: gossamer recommend --dims 8x8 --topology mesh --link-bits 256\n"
      "           --clock 1.2GHz --collectives all-gather=64KiB,all-to-all=4KiB\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
