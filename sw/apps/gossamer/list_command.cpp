// SPDX-License-Identifier: Apache-2.0
/// gossamer list: what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/discipline.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/tb/engines.hpp"
#include "gossamer/util/words.hpp"
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

/// A line of the matrix: what exists for a collective's plans of one discipline.
struct MatrixRow {
  std::string_view collective;
  const Discipline* discipline;
};

/// Every collective with every discipline that some algorithm of it makes plans of; then those
/// disciplines that no algorithm uses, but `check -o` for schedules of other programs.
std::vector<MatrixRow> matrix() {
  std::vector<MatrixRow> rows;
  for (const Collective& collective : collectives()) {
    for (const Discipline& discipline : disciplines()) {
      const bool made =
          std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& algorithm) {
            return algorithm.collective == collective.name &&
                   has_word(algorithm.disciplines, discipline.name);
          });
      if (made) rows.push_back({collective.name, &discipline});
    }
  }
  for (const Discipline& discipline : disciplines()) {
    const bool listed = std::any_of(rows.begin(), rows.end(), [&](const MatrixRow& row) {
      return row.discipline == &discipline;
    });
    if (!listed) rows.push_back({"imported", &discipline});
  }
  return rows;
}

/// Engines, then what else exists, then formats: a column each, marked where it does.
void print_matrix() {
  constexpr std::string_view kMark = "x";
  fmt::print("| collective | discipline | verify |");
  for (const tb::EngineInfo& engine : tb::engines()) fmt::print(" {} |", engine.name);
  fmt::print(" pin-level | TLM device | fold |");
  for (const EmitFormat& format : emit_formats()) fmt::print(" {} |", format.name);
  const std::size_t marks = tb::engines().size() + 3 + emit_formats().size();
  fmt::print("\n| --- | --- | --- |");
  for (std::size_t i = 0; i < marks; ++i) fmt::print(" --- |");
  fmt::print("\n");
  for (const auto& [collective, row] : matrix()) {
    fmt::print("| {} | {} | {} |", collective, row->name, row->proof);
    const auto cell = [&](bool exists) { fmt::print(" {} |", exists ? kMark : ""); };
    for (const tb::EngineInfo& engine : tb::engines()) cell(row->has_engine(engine.name));
    cell(row->pin_level);
    cell(row->tlm);
    cell(row->folds);
    for (const EmitFormat& format : emit_formats()) cell(row->has_format(format.name));
    fmt::print("\n");
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
  for (const tb::EngineInfo& engine : tb::engines()) print_entry(engine.name, {engine.summary});
  fmt::print("\nformats of gossamer emit\n");
  for (const EmitFormat& format : emit_formats()) print_entry(format.name, {format.description});
  fmt::print(
      "\nwhat exists for whose plans (cosim: where systemc and rtl do)\n"
      "imported: what check -o makes of schedules of other programs\n");
  print_matrix();
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
                                  {"options", algorithm.options},
                                  {"disciplines", words_of(algorithm.disciplines)}});
  }
  json["engines"] = nlohmann::ordered_json::array();
  for (const tb::EngineInfo& engine : tb::engines()) {
    json["engines"].push_back({{"name", engine.name}, {"summary", engine.summary}});
  }
  json["formats"] = nlohmann::ordered_json::array();
  for (const EmitFormat& format : emit_formats()) {
    json["formats"].push_back({{"name", format.name}, {"summary", format.description}});
  }
  json["collectives"] = nlohmann::ordered_json::array();
  for (const Collective& collective : collectives()) {
    json["collectives"].push_back({{"name", collective.name},
                                   {"field_name", collective.field_name},
                                   {"summary", collective.summary}});
  }
  json["matrix"] = nlohmann::ordered_json::array();
  for (const auto& [collective, row] : matrix()) {
    json["matrix"].push_back({{"collective", collective},
                              {"discipline", row->name},
                              {"verify", row->proof},
                              {"cost", row->cost},
                              {"engines", words_of(row->engines)},
                              {"cosim", row->has_engine("systemc") && row->has_engine("rtl")},
                              {"pin_level", row->pin_level},
                              {"tlm", row->tlm},
                              {"fold", row->folds},
                              {"formats", words_of(row->formats)}});
  }
  print_json(json);
  return kDone;
}

}  // namespace

void add_list_command(Command& app, Action& action) {
  auto as_json = std::make_shared<bool>(false);
  Command* command = app.add_subcommand(
      "list", "Show collectives, algorithms with what each guarantees, engines and formats");
  add_json_flag(*command, *as_json);
  command->callback([as_json, &action] {
    action = [as_json] { return *as_json ? print_document() : print_text(); };
  });
}

}  // namespace gossamer::cli
