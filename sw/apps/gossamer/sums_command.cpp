// SPDX-License-Identifier: Apache-2.0
/// gossamer sums: the summation trees of a reduction, and their results for given vectors.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "commands.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/sim/sum_trees.hpp"
#include "gossamer/sim/sums_document.hpp"
#include "gossamer/sim/sums_of_vectors.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/npy.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/verify/verify.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct SumsArguments {
  std::string plan;
  std::optional<std::uint64_t> word;
  std::string format;
  std::string vectors;
  std::string output;
};

/// The plan is wrong.
int complain_of(const std::string& problem) {
  fmt::print(stderr, "gossamer: {}\n", problem);
  return kCheckFailed;
}

void print_results(const SumTrees& trees, const NpyArray& vectors,
                   const std::vector<std::uint64_t>& results) {
  for (std::uint64_t word = 0; word < trees.elements(); ++word) {
    fmt::print("word {}: 0x{:0{}x}\n", word, results[word], 2 * vectors.bytes());
  }
}

int evaluate(const SumsArguments& arguments, const Plan& plan, const SumTrees& trees) {
  InputFile file(arguments.vectors);
  NpyArray vectors = read_npy(file.stream(), fmt::format("sums: {}", file.name()));
  const std::vector<std::uint64_t> results =
      sums_of_vectors(plan, trees, vectors, fmt::format("sums: {}", file.name()));
  if (arguments.output.empty()) {
    print_results(trees, vectors, results);
    return kDone;
  }
  OutputFile out(arguments.output);
  write_npy(vectors.type[0] == 'V' ? "u2" : vectors.type, results, out.stream());
  out.commit();
  return kDone;
}

std::string text_of(const SumsArguments& arguments, const Plan& plan, const SumTrees& trees) {
  const bool named_json = arguments.format.empty() && arguments.output.ends_with(".json");
  if (arguments.format == "json" || (named_json && !arguments.word)) {
    return sums_document(plan, trees);
  }
  return arguments.word ? sum_listing(trees, *arguments.word) : sums_listing(plan, trees);
}

int run(const SumsArguments& arguments) {
  if (!arguments.format.empty() && arguments.format != "text" && arguments.format != "json") {
    throw InputError(fmt::format("--format: \"{}\" is unknown; there is text, json",
                                 arguments.format.substr(0, 40)));
  }
  if (arguments.word && (arguments.format == "json" || !arguments.vectors.empty())) {
    throw InputError(
        "--word: excludes --evaluate and --format json, because it prints one tree as text");
  }
  if (!arguments.vectors.empty() && !arguments.format.empty()) {
    throw InputError("--format: excludes --evaluate, which writes a NumPy array");
  }
  const PlanOrExperiment document = load_plan_or_experiment(arguments.plan);
  const auto* plan = std::get_if<Plan>(&document);
  if (plan == nullptr) {
    throw InputError(
        fmt::format("{}: is an experiment, not a plan; gossamer simulate runs it", arguments.plan));
  }
  if (const std::string defect = SumTrees::defect(*plan); !defect.empty()) {
    throw InputError(fmt::format("{}: sums: {}", arguments.plan, defect));
  }
  const Verdict verdict = verify(*plan, progress_bar());
  if (!verdict.ok()) return complain_of(verdict.problems.front());
  const SumTrees trees(*plan);
  if (trees.problem()) return complain_of(*trees.problem());
  if (arguments.word && *arguments.word >= trees.elements()) {
    throw InputError(fmt::format("--word: {} is not in the range 0 to {}", *arguments.word,
                                 trees.elements() - 1));
  }
  if (!arguments.vectors.empty()) return evaluate(arguments, *plan, trees);
  const std::string text = text_of(arguments, *plan, trees);
  if (arguments.output.empty()) {
    fmt::print("{}", text);
    return kDone;
  }
  OutputFile out(arguments.output);
  out.stream() << text;
  out.commit();
  return kDone;
}

}  // namespace

void add_sums_command(Command& app, Action& action) {
  auto arguments = std::make_shared<SumsArguments>();
  Command* command = app.add_subcommand(
      "sums", "Show the summation tree of every word of a reduction, or sum vectors along it");
  add_plan_argument(*command, arguments->plan);
  command
      ->add_option("--word", arguments->word,
                   "Show only the tree of this word, from 0 on, and its digest; default: all words")
      ->type_name("J");
  command
      ->add_option("--format", arguments->format,
                   "text or json; default: json for a FILE.json, else text")
      ->type_name("FORMAT");
  command
      ->add_option("--evaluate", arguments->vectors,
                   "Sum these vectors instead: a NumPy array of the plan's type with one row per "
                   "node and one column per word; bfloat16 as uint16")
      ->type_name("X.npy");
  command
      ->add_option("-o,--output", arguments->output,
                   "Write the trees, or with --evaluate a NumPy array of the sums; - for standard "
                   "output; default: print them")
      ->type_name("FILE");
  command->footer("Exit status 0: done; 1: the plan is wrong, with the reason.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
