// SPDX-License-Identifier: Apache-2.0
/// gossamer list: shows collectives, algorithms, machines, engines and formats.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

constexpr std::size_t kNameWidth = 20;

void print_entry(std::string_view name, std::initializer_list<std::string_view> paragraphs) {
  bool first = true;
  for (const std::string_view paragraph : paragraphs) {
    for (const std::string& line : wrapped(paragraph, kColumns - kNameWidth - 3)) {
      fmt::print("  {:<{}} {}\n", first ? name : "", kNameWidth, line);
      first = false;
    }
  }
}

/// The names of those that make plans of a collective or an experiment.
std::vector<const Algorithm*> algorithms_of(std::string_view collective) {
  std::vector<const Algorithm*> made;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == collective) made.push_back(&algorithm);
  }
  return made;
}

int print_overview() {
  fmt::print("collectives and their numbers of algorithms (see gossamer list COLLECTIVE)\n");
  for (const Collective& collective : collectives()) {
    print_entry(fmt::format("{:<17}{:>3}", field_name(collective.name),
                            algorithms_of(collective.name).size()),
                {collective.summary});
  }
  fmt::print("machines, which execute plans (gossamer list --all shows their formats)\n");
  for (const Machine* machine : machines()) {
    print_entry(machine->name(), {machine->info().summary});
  }
  fmt::print("engines\n");
  for (const EngineInfo& engine : engines()) {
    print_entry(engine.name, {engine.summary});
  }
  std::vector<std::string_view> formats;
  for (const EmitFormat& format : emit_formats()) formats.push_back(format.name);
  fmt::print("formats of gossamer emit\n");
  for (const std::string& line : wrapped(joined(formats, ", "), kColumns - 2)) {
    fmt::print("  {}\n", line);
  }
  return kDone;
}

void print_collective(const Collective& collective) {
  fmt::print("{} algorithms; default: the first that supports the network\n",
             field_name(collective.name));
  for (const bool historical : {false, true}) {
    bool any = false;
    for (const Algorithm* algorithm : algorithms_of(collective.name)) {
      if (algorithm->historical != historical) continue;
      if (!any && historical)
        fmt::print("algorithms of the papers and older ones, for comparison\n");
      any = true;
      print_entry(algorithm->name, {algorithm->summary, algorithm->guarantee});
    }
  }
}

int print_all() {
  for (const Collective& collective : collectives()) print_collective(collective);
  fmt::print("\nengines\n");
  for (const EngineInfo& engine : engines()) print_entry(engine.name, {engine.summary});
  fmt::print("\nformats of gossamer emit\n");
  for (const EmitFormat& format : emit_formats()) print_entry(format.name, {format.description});
  fmt::print("\nmachines, with their engines and formats (cosim: with systemc and rtl)\n");
  for (const Machine* machine : machines()) {
    print_entry(machine->name(), {machine->info().summary, joined(engines_of(*machine), ", "),
                                  joined(words_of(machine->info().formats), ", ")});
  }
  return kDone;
}

nlohmann::ordered_json machine_json(const Machine& machine) {
  const std::vector<std::string_view> names = engines_of(machine);
  const auto has = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return {{"name", machine.name()},
          {"summary", machine.info().summary},
          {"verify", machine.info().proof},
          {"engines", names},
          {"cosim", has("systemc") && has("rtl")},
          {"pin_level", has_pin_level(machine)},
          {"formats", words_of(machine.info().formats)}};
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
                                  {"machines", words_of(algorithm.machines)}});
  }
  json["engines"] = nlohmann::ordered_json::array();
  for (const EngineInfo& engine : engines()) {
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
  json["machines"] = nlohmann::ordered_json::array();
  for (const Machine* machine : machines()) json["machines"].push_back(machine_json(*machine));
  print_json(json);
  return kDone;
}

struct ListArguments {
  std::string collective;
  bool all = false;
  bool json = false;
};

int run(const ListArguments& arguments) {
  if (arguments.json) return print_document();
  if (arguments.all) return print_all();
  if (arguments.collective.empty()) return print_overview();
  require_collective(arguments.collective);
  const std::string_view name = collective_name(arguments.collective);
  print_collective(*std::find_if(collectives().begin(), collectives().end(),
                                 [name](const Collective& one) { return one.name == name; }));
  return kDone;
}

}  // namespace

void add_list_command(Command& app, Action& action) {
  auto arguments = std::make_shared<ListArguments>();
  Command* command = app.add_subcommand(
      "list", "Show collectives, algorithms with their guarantees, machines, engines, formats");
  command
      ->add_option("collective", arguments->collective,
                   "Show the algorithms of this collective, e.g. all-gather")
      ->type_name("COLLECTIVE");
  command->add_flag("--all", arguments->all,
                    "Show all algorithms, and the engines and formats of every machine");
  add_json_flag(*command, arguments->json);
  command->footer("Example: gossamer list broadcast\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
