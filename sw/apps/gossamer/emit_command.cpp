// SPDX-License-Identifier: Apache-2.0
/// gossamer emit: a plan as files for other tools.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/planner/load.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct EmitArguments {
  std::string plan;
  std::string format;
  std::string output;
  std::string name;
  std::optional<std::uint64_t> chunk_bytes;
  std::optional<std::uint32_t> ring;
  bool json = false;
};

int run(const EmitArguments& arguments) {
  const Plan plan = proved(load_plan(arguments.plan), arguments.plan, progress_bar());
  const std::vector<EmittedFile> files = emit_files(
      plan, arguments.format,
      {.name = arguments.name, .chunk_bytes = arguments.chunk_bytes, .ring = arguments.ring});
  nlohmann::ordered_json document{{"plan", arguments.plan},
                                  {"format", arguments.format},
                                  {"files", nlohmann::ordered_json::array()}};
  for (const auto& path : write_files(files, arguments.output)) {
    document["files"].push_back(path.string());
    if (!arguments.json) fmt::print("{}\n", path.string());
  }
  if (arguments.json) print_json(document);
  std::fflush(stdout);
  for (const EmittedFile& file : files) {
    for (const std::string& warning : file.warnings) {
      fmt::print(stderr, "gossamer: {}: {}\n", file.name, warning);
    }
  }
  return kDone;
}

}  // namespace

void add_emit_command(Command& app, Action& action) {
  auto arguments = std::make_shared<EmitArguments>();
  Command* command =
      app.add_subcommand("emit", "Write a plan's tables and RTL as files for other tools");
  add_plan_argument(*command, arguments->plan);
  command->add_option("--format", arguments->format, "gossamer list shows the formats")
      ->required()
      ->type_name("FORMAT");
  command->add_option("-o,--output", arguments->output, "Directory, created if missing")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--name", arguments->name,
                   "Prefix of the plan's modules, packages and files: NAME_fabric, ...")
      ->type_name("NAME");
  command
      ->add_option(
          "--chunk-bytes", arguments->chunk_bytes,
          fmt::format("Bytes of a packet (chakra-et); default: those of the plan's --bytes, "
                      "or {}",
                      kDefaultChunkBytes))
      ->range(std::uint64_t{1}, std::uint64_t{1} << 40)
      ->type_name("N");
  command
      ->add_option("--ring", arguments->ring,
                   "Nodes of each ring (ranks); default: all nodes, by edge-disjoint cycles")
      ->range(1U, static_cast<std::uint32_t>(kMaxNodes))
      ->type_name("G");
  add_json_flag(*command, arguments->json);
  command->footer(
      "The same plan gives the same bytes. Example: gossamer emit plan.json --format sv -o out\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
