// SPDX-License-Identifier: Apache-2.0
/// gossamer search: looks for plans that no construction gives.
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/gossip/class_tables.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "request_words.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct SearchArguments {
  std::string dims;
  OnePacketSearch search;
  std::string output;
};

int run_one_packet(const SearchArguments& arguments) {
  const Topology topology = Topology::make("torus", parse_dims(arguments.dims));
  if (arguments.search.rule.empty() != (arguments.search.classes == 0)) {
    throw InputError("search one-packet: --rule and --classes go together");
  }
  std::optional<OutputFile> file;
  if (!arguments.output.empty()) file.emplace(arguments.output);
  OnePacketSearch search = arguments.search;
  search.progress = progress_bar();
  const OnePacketFinding finding = search_one_packet(topology, search);
  search.progress = {};
  const bool data_on_stdout = arguments.output == "-";
  if (!data_on_stdout) {
    fmt::print("  {:<18} {} steps on a {} torus; at least {}\n", "looked for", finding.target_steps,
               topology.dims_text(), bounds::gossip_lower_bound(topology, 1));
    fmt::print("  {:<18} {} ({})\n", "moves", finding.iterations, finding.provenance);
  }
  if (!finding.plan) {
    if (!data_on_stdout) {
      fmt::print("  {:<18} none; the best table lacks {} arrivals: {}\n", "found", finding.missing,
                 finding.table.text());
    }
    fmt::print(stderr,
               "gossamer: nothing found, which proves nothing; try another --seed, more "
               "--iterations, or --steps {}\n",
               finding.target_steps + 1);
    return kCheckFailed;
  }
  if (!data_on_stdout) {
    fmt::print("  {:<18} {} steps: rule {} mod {}, table {}\n", "found",
               finding.plan->expected.analytic_steps.value_or(0),
               fmt::join(finding.table.rule, ","), finding.table.classes, finding.table.text());
  }
  if (file) {
    write_plan(*finding.plan, file->stream(), encoding_for(arguments.output));
    file->commit();
    if (!data_on_stdout) fmt::print("  {:<18} {}\n", "plan", arguments.output);
  }
  return kDone;
}

}  // namespace

void add_search_command(CLI::App& app, Action& action) {
  CLI::App* search = app.add_subcommand("search", "Look for plans that no construction gives");
  search->require_subcommand(1);
  auto arguments = std::make_shared<SearchArguments>();
  CLI::App* command = search->add_subcommand(
      "one-packet", "Annealing for small tables of one-packet, time-independent gossip");
  command->add_option("--dims", arguments->dims, "Sides of the torus, e.g. 8x8")
      ->required()
      ->type_name("AxB[xC..]");
  command
      ->add_option("--steps", arguments->search.target_steps,
                   "Steps to end in; default one above the lower bound")
      ->type_name("N");
  command
      ->add_option("--rule", arguments->search.rule,
                   "A node's class is the sum of A x + B y + .. mod --classes; default all rules")
      ->delimiter(',')
      ->type_name("A,B[,C..]");
  command->add_option("--classes", arguments->search.classes, "Classes of the rule")
      ->type_name("Q");
  command
      ->add_option("--most-classes", arguments->search.most_classes,
                   "Without --rule: the most classes of a rule that is tried")
      ->capture_default_str()
      ->type_name("Q");
  command->add_option("--seed", arguments->search.seed, "Same seed, same result")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--iterations", arguments->search.iterations, "Moves in all")
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--seconds", arguments->search.seconds,
                   "Give up after so long, 0: never; the result then depends on the machine")
      ->capture_default_str()
      ->type_name("S");
  command->add_option("-o,--output", arguments->output, "Write the plan found")->type_name("PLAN");
  command->footer(
      "Exit status 0: found; 1: not found, which proves nothing.\n"
      "Example: gossamer search one-packet --dims 5x5 --rule 1,3 --classes 5 -o plan.json\n");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_one_packet(*arguments); }; });
}

}  // namespace gossamer::cli
