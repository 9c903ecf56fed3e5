// SPDX-License-Identifier: Apache-2.0
/// gossamer search: looks for plans that no formula gives.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/auto.hpp"
#include "gossamer/collectives/all_gather/class_tables.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"
#include "request_words.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct SearchArguments {
  ShapeArguments shape;
  std::string rule;
  std::uint32_t classes = 0;
  std::uint32_t most_classes = 8;
  std::optional<std::uint64_t> steps;
  std::uint64_t seed = 1;
  std::uint64_t moves = 20'000'000;
  double seconds = 0;
  std::string output;
  std::string entry;
  bool json = false;
};

std::vector<std::uint32_t> parse_rule(const std::string& text) {
  if (text.empty()) return {};
  auto factors = whole_numbers(text, ',');
  if (!factors) throw InputError(fmt::format("--rule: \"{}\" is not of the form 3,1", text));
  return *std::move(factors);
}

/// Steps of the best plan that there is without a search, and its name.
struct Known {
  std::uint64_t steps = 0;
  std::string algorithm;
};
std::optional<Known> best_known(const Topology& topology, std::uint64_t seed) {
  try {
    const Plan plan = plan_auto(topology, {1, seed, progress_bar()});
    return Known{plan.expected.analytic_steps.value(), plan.algorithm};
  } catch (const InfeasibleError&) {
    return std::nullopt;
  }
}

/// The share of the moves or of the time that is used up, whichever is more.
Progress progress_of(const SearchArguments& arguments) {
  Progress bar = progress_bar();
  if (!bar || arguments.seconds == 0) return bar;
  const auto began = std::chrono::steady_clock::now();
  return [=](std::string_view phase, std::uint64_t done, std::uint64_t total) {
    constexpr double kUnits = 1e6;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    const double share = std::max(spent.count() / arguments.seconds,
                                  static_cast<double>(done) / static_cast<double>(total));
    bar(phase, static_cast<std::uint64_t>(share * kUnits), static_cast<std::uint64_t>(kUnits));
  };
}

/// During its lifetime Ctrl-C (SIGINT) requests the end of the search; a second one ends the
/// program.
class Interruption {
 public:
  Interruption() { before_ = std::signal(SIGINT, ask); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption() { std::signal(SIGINT, before_); }
  [[nodiscard]] static bool asked() { return asked_ != 0; }

 private:
  static void ask(int signal) {
    asked_ = 1;
    std::signal(signal, before_);
  }
  inline static volatile std::sig_atomic_t asked_ = 0;
  inline static void (*before_)(int) = SIG_DFL;
};

/// The figures of a search's result.
struct Outcome {
  OnePacketFinding finding;
  std::uint64_t lower_bound = 0;
  /// Steps of the found plan, proved.
  std::optional<std::uint64_t> steps;
  /// Empty if no plan is known without a search.
  std::optional<Known> known;

  [[nodiscard]] bool is_better() const { return steps && (!known || *steps < known->steps); }
};

/// A line as sw/src/collectives/all_gather/one_packet_library.cpp holds them.
std::string library_entry(const OnePacketFinding& finding, std::uint64_t steps) {
  return fmt::format("{{\"{}\", \"{}\", {}, {}, \"{}\",\n \"{}\"}},\n",
                     joined(finding.table.sides, "x"), joined(finding.table.rule, ","),
                     finding.table.classes, steps, finding.table.text(), finding.provenance);
}

std::string verdict(const Outcome& outcome) {
  if (!outcome.steps) {
    return fmt::format("{}: no table with {} among {}; this does not prove that no table exists",
                       Interruption::asked() ? "interrupted" : "not found",
                       counted(outcome.finding.target_steps, "step"),
                       counted(outcome.finding.iterations, "move"));
  }
  if (!outcome.known) return "found; no table was known for this torus";
  return fmt::format("found, {} than {} ({} steps)", outcome.is_better() ? "better" : "not better",
                     outcome.known->algorithm, outcome.known->steps);
}

std::string as_text(const Topology& topology, const Outcome& outcome) {
  const OnePacketFinding& finding = outcome.finding;
  std::string text;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<18} {}\n", name, value);
  };
  line("torus", fmt::format("{}, {} nodes", topology.dims_text(), topology.nodes()));
  line("lower bound", std::to_string(outcome.lower_bound));
  line("target steps", std::to_string(finding.target_steps));
  if (outcome.known) {
    line("best known", fmt::format("{} ({})", outcome.known->steps, outcome.known->algorithm));
  }
  line("moves", std::to_string(finding.iterations));
  if (outcome.steps) {
    line("steps", fmt::format("{} (proved)", *outcome.steps));
  } else {
    line("nearest table", fmt::format("{} missing (node, packet) pairs", finding.missing));
  }
  line("rule", fmt::format("{} mod {}", joined(finding.table.rule, ","), finding.table.classes));
  line("table", finding.table.text());
  line("provenance", finding.provenance);
  line("result", verdict(outcome));
  return text;
}

nlohmann::ordered_json as_json(const Topology& topology, const Outcome& outcome) {
  const OnePacketFinding& finding = outcome.finding;
  nlohmann::ordered_json json;
  json["search"] = "one-packet";
  json["topology"] = topology.kind();
  json["dims"] = topology.sides();
  json["found"] = outcome.steps.has_value();
  json["better"] = outcome.is_better();
  json["steps"] =
      outcome.steps ? nlohmann::ordered_json(*outcome.steps) : nlohmann::ordered_json(nullptr);
  json["target_steps"] = finding.target_steps;
  json["lower_bound_steps"] = outcome.lower_bound;
  json["known_steps"] = nullptr;
  json["known_algorithm"] = nullptr;
  if (outcome.known) {
    json["known_steps"] = outcome.known->steps;
    json["known_algorithm"] = outcome.known->algorithm;
  }
  json["missing"] = finding.missing;
  json["moves"] = finding.iterations;
  json["rule"] = finding.table.rule;
  json["classes"] = finding.table.classes;
  json["table"] = finding.table.text();
  json["provenance"] = finding.provenance;
  return json;
}

/// An unsuccessful search is an answer, not an error: the status reports it, and no files are
/// written.
int run(const SearchArguments& arguments) {
  if (arguments.output == "-" && (arguments.entry == "-" || arguments.json)) {
    throw InputError("-o, --entry and --json: only one of them can use standard output");
  }
  if (arguments.entry == "-" && arguments.json) {
    throw InputError("--entry and --json: only one of them can use standard output");
  }
  const Topology topology = shape_of(arguments.shape);
  // Opened before the search: a search is useless if its result cannot be written.
  std::optional<OutputFile> plan_file;
  std::optional<OutputFile> entry_file;
  if (!arguments.output.empty()) plan_file.emplace(arguments.output);
  if (!arguments.entry.empty()) entry_file.emplace(arguments.entry);

  OnePacketSearch search;
  search.rule = parse_rule(arguments.rule);
  search.classes = arguments.classes;
  search.most_classes = arguments.most_classes;
  search.target_steps = arguments.steps;
  search.seed = arguments.seed;
  search.iterations = arguments.moves;
  search.seconds = arguments.seconds;
  search.progress = progress_of(arguments);
  search.interrupted = Interruption::asked;
  Outcome outcome{[&search, &topology] {
                    const Interruption interruption;
                    return search_one_packet(topology, search);
                  }(),
                  bounds::gossip_lower_bound(topology, 1),
                  {},
                  best_known(topology, arguments.seed)};
  search.progress = {};
  const OnePacketFinding& finding = outcome.finding;
  if (finding.plan) {
    // The search counts over one node per class; the verifier does not know classes.
    const Report proof = prove(*finding.plan, progress_bar());
    if (!proof.problems.empty()) throw std::logic_error(proof.problems.front());
    outcome.steps = proof.steps;
    if (plan_file) {
      write_plan(*finding.plan, plan_file->stream(), encoding_for(arguments.output));
      plan_file->commit();
    }
    if (entry_file) {
      entry_file->stream() << library_entry(finding, *outcome.steps);
      entry_file->commit();
    }
  }
  if (arguments.json) {
    print_json(as_json(topology, outcome));
  } else if (arguments.output != "-" && arguments.entry != "-") {
    fmt::print("{}", as_text(topology, outcome));
  } else if (!finding.plan) {
    fmt::print(stderr, "gossamer: {}\n", verdict(outcome));
  }
  return finding.plan ? kDone : kCheckFailed;
}

}  // namespace

void add_search_command(Command& app, Action& action) {
  Command* command = app.add_subcommand("search", "Search for plans that no formula gives");
  command->footer("gossamer search one-packet --help lists its options.\n");
  command->require_subcommand();
  auto arguments = std::make_shared<SearchArguments>();
  Command* one = command->add_subcommand(
      "one-packet", "Search for small tables of a time-independent all-gather of one packet");
  add_shape_options(*one, arguments->shape);
  one->add_option(
         "--steps", arguments->steps,
         "Steps of the plan, at least the lower bound; default: one more than the lower bound")
      ->type_name("N");
  one->add_option("--seed", arguments->seed,
                  "Seed; the same seed and moves give the same result on every machine")
      ->capture_default_str()
      ->type_name("N");
  one->add_option("--time", arguments->seconds, "Give up after this many seconds; 0: no limit")
      ->capture_default_str()
      ->not_negative()
      ->type_name("SECONDS");
  one->add_option("--moves", arguments->moves, "Give up after this many moves")
      ->capture_default_str()
      ->type_name("N");
  Option* rule = one->add_option("--rule", arguments->rule,
                                 "Class of a node: the sum of its coordinates times these factors, "
                                 "modulo --classes; default: all rules that close around the torus")
                     ->type_name("A,B[,C..]");
  Option* classes = one->add_option("--classes", arguments->classes, "Number of classes of --rule")
                        ->needs(rule)
                        ->type_name("Q");
  rule->needs(classes);
  one->add_option("--most-classes", arguments->most_classes, "Largest number of classes to try")
      ->capture_default_str()
      ->excludes(rule)
      ->type_name("Q");
  one->add_option("-o,--output", arguments->output,
                  "Write the plan, if one is found; - for standard output")
      ->type_name("PLAN");
  one->add_option(
         "--entry", arguments->entry,
         "Write the line for the library of tables, if a table is found; - for standard output")
      ->type_name("FILE");
  add_json_flag(*one, arguments->json);
  one->footer(
      "Seeded annealing changes one table entry at a time. Faults are not supported.\n"
      "Example: gossamer search one-packet --dims 5x5 --steps 7 --time 60 -o found.json\n"
      "Exit status 0: found and proved; 1: not found within the limits, which does not\n"
      "prove that no table exists; 3: no rule closes around the torus.\n");
  one->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
