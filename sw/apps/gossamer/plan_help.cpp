// SPDX-License-Identifier: Apache-2.0
#include "plan_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "gossamer/plan/collective.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

constexpr std::size_t kOptionWidth = 25;

/// Options that collectives have in common, whatever their algorithms.
constexpr std::string_view kCommonOptions =
    "--dims, --topology, --wrap, --topology-file, --algorithm, --output, --json, --dead-link, "
    "--dead-arc, --dead-node, --dead-core, --harvest, --faults";

bool some_algorithm_takes(std::string_view collective, std::string_view option) {
  return std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && has_word(algorithm.options, option);
  });
}

std::string option_lines(const OptionSpec& option) {
  std::string head = fmt::format("  --{}", option.name);
  if (option.kind == OptionKind::kNumber) head += " N";
  if (option.kind == OptionKind::kText) head += " TEXT";
  std::string lines;
  for (const std::string& line : wrapped(option.help, kColumns - kOptionWidth)) {
    lines += fmt::format("{:<{}}{}\n", lines.empty() ? head : "", kOptionWidth, line);
  }
  return lines;
}

std::string algorithm_lines(std::string_view collective, bool historical,
                            std::string_view heading) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == collective && algorithm.historical == historical) {
      names.push_back(algorithm.name);
    }
  }
  if (names.empty()) return {};
  std::string lines = fmt::format("\n{}\n", heading);
  for (const std::string& line : wrapped(joined(names, ", "), kColumns - 2)) {
    lines += fmt::format("  {}\n", line);
  }
  return lines;
}

}  // namespace

std::optional<std::string> plan_help(std::string_view asked) {
  const std::string_view collective = collective_name(asked);
  const auto first =
      std::find_if(algorithms().begin(), algorithms().end(),
                   [&](const Algorithm& algorithm) { return algorithm.collective == collective; });
  if (first == algorithms().end()) return std::nullopt;
  const std::string_view name = field_name(collective);
  // An experiment is not a collective; its only algorithm describes it.
  std::string_view summary = first->summary;
  for (const Collective& one : collectives()) {
    if (one.name == collective) summary = one.summary;
  }
  std::string text;
  for (const std::string& line : wrapped(fmt::format("{}: {}", name, summary), kColumns)) {
    text += line + "\n";
  }
  text += fmt::format(
      "Usage: gossamer plan {} --dims AxB[xC..] [OPTIONS] -o PLAN\n\n"
      "Common options, explained by gossamer plan --help:\n",
      name);
  std::string common(kCommonOptions);
  std::string lines;
  for (const OptionSpec& option : plan_options()) {
    if (some_algorithm_takes(collective, option.name)) {
      lines += option_lines(option);
    } else if (option.name.starts_with("group")
                   ? takes_groups(collective)
                   : first->experiment == nullptr && is_message_option(option.name)) {
      common += fmt::format(", --{}", option.name);
    }
  }
  for (const std::string& line : wrapped(common, kColumns - 2)) {
    text += fmt::format("  {}\n", line);
  }
  if (!lines.empty()) text += fmt::format("\nOptions of {}:\n{}", name, lines);
  text += algorithm_lines(collective, false,
                          "Algorithms; the first that supports the network is the default:");
  text +=
      algorithm_lines(collective, true, "Algorithms of the papers and older ones, for comparison:");
  text += fmt::format("\ngossamer list {} describes each algorithm and its guarantees.\n", name);
  return text;
}

}  // namespace gossamer::cli
