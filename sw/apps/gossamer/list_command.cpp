// SPDX-License-Identifier: Apache-2.0
/// gossamer list: what there is to choose from.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "engines.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/planner/planner.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

/// Breaks text at blanks into lines of at most `width` characters.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    std::size_t at = text.rfind(' ', width);
    if (at == std::string_view::npos) at = width;
    lines.emplace_back(text.substr(0, at));
    text.remove_prefix(std::min(text.size(), at + 1));
  }
  lines.emplace_back(text);
  return lines;
}

void print_entry(std::string_view name, std::initializer_list<std::string_view> paragraphs) {
  constexpr std::size_t kNameWidth = 20;
  constexpr std::size_t kTextWidth = 78;
  bool first = true;
  for (const std::string_view paragraph : paragraphs) {
    for (const std::string& line : wrapped(paragraph, kTextWidth)) {
      fmt::print("  {:<{}} {}\n", first ? name : "", kNameWidth, line);
      first = false;
    }
  }
}

int print_text() {
  std::string_view collective;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective) {
      collective = algorithm.collective;
      fmt::print("{} algorithms (the first that fits the topology is the default)\n", collective);
    }
    print_entry(algorithm.name, {algorithm.summary, algorithm.guarantee});
  }
  fmt::print("\nengines\n");
  for (const EngineInfo& engine : engines()) print_entry(engine.name, {engine.summary});
  fmt::print("\nformats of gossamer emit\n");
  for (const EmitFormat& format : emit_formats()) print_entry(format.name, {format.description});
  return kDone;
}

int print_document() {
  nlohmann::ordered_json json;
  json["algorithms"] = nlohmann::ordered_json::array();
  for (const Algorithm& algorithm : algorithms()) {
    json["algorithms"].push_back({{"collective", algorithm.collective},
                                  {"name", algorithm.name},
                                  {"summary", algorithm.summary},
                                  {"guarantee", algorithm.guarantee},
                                  {"options", algorithm.options}});
  }
  json["engines"] = nlohmann::ordered_json::array();
  for (const EngineInfo& engine : engines()) {
    json["engines"].push_back({{"name", engine.name}, {"summary", engine.summary}});
  }
  json["formats"] = nlohmann::ordered_json::array();
  for (const EmitFormat& format : emit_formats()) {
    json["formats"].push_back({{"name", format.name}, {"summary", format.description}});
  }
  print_json(json);
  return kDone;
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "list", "Show collectives, algorithms with what each guarantees, engines and formats");
  add_json_flag(*command, *as_json);
  command->callback([as_json, &action] {
    action = [as_json] { return *as_json ? print_document() : print_text(); };
  });
}

}  // namespace gossamer::cli
