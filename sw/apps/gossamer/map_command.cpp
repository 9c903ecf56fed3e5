// SPDX-License-Identifier: Apache-2.0
/// gossamer map: a figure for every node, as text, CSV, JSON or a picture.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/broadcast/tcd_map.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "request_words.hpp"

namespace gossamer::cli {

namespace {

struct MapArguments {
  std::string topology = "mesh";
  std::string dims;
  std::string algorithm = "eye";
  std::string format;
  std::string output = "-";
};

std::string json_text(const TcdMap& map) {
  nlohmann::ordered_json json;
  json["algorithm"] = map.algorithm;
  json["topology"] = map.topology.kind();
  json["dims"] = map.topology.sides();
  json["minimum"] = map.minimum();
  json["maximum"] = map.maximum();
  json["sum"] = map.sum();
  json["tcd"] = nlohmann::ordered_json::array();
  for (const std::uint64_t tcd : map.tcd) {
    json["tcd"].push_back(tcd == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(tcd));
  }
  json["eyes"] = nlohmann::ordered_json::array();
  for (std::size_t node = 0; node < map.eye.size(); ++node) {
    if (map.eye[node]) json["eyes"].push_back(node);
  }
  return json.dump() + "\n";
}

/// The format given, else the one that the file's name ends in, else text.
std::string format_of(const MapArguments& arguments) {
  if (!arguments.format.empty()) return arguments.format;
  const std::string extension = std::filesystem::path(arguments.output).extension().string();
  for (const std::string format : {"csv", "json", "svg"}) {
    if (extension == "." + format) return format;
  }
  return "text";
}

int run_tcd(const MapArguments& arguments) {
  const std::string format = format_of(arguments);
  std::string (*const writer)(const TcdMap&) = format == "text"   ? tcd_map_text
                                               : format == "csv"  ? tcd_map_csv
                                               : format == "svg"  ? tcd_map_svg
                                               : format == "json" ? json_text
                                                                  : nullptr;
  if (writer == nullptr) {
    throw InputError(
        fmt::format("--format: \"{}\" is unknown; there is text, csv, json, svg", format));
  }
  OutputFile file(arguments.output);
  file.stream() << writer(
      tcd_map(Topology::make(arguments.topology, parse_dims(arguments.dims)), arguments.algorithm));
  file.commit();
  return kDone;
}

}  // namespace

void add_map_command(CLI::App& app, Action& action) {
  CLI::App* map = app.add_subcommand("map", "A figure for every node of a network, as a map");
  map->require_subcommand(1);
  auto arguments = std::make_shared<MapArguments>();
  CLI::App* command = map->add_subcommand(
      "tcd", "Total communication distance of a broadcast from every source; eyes are marked");
  command->add_option("--topology", arguments->topology, "torus or mesh")
      ->capture_default_str()
      ->type_name("KIND");
  command->add_option("--dims", arguments->dims, "Sides, dimension 0 (x) first, e.g. 8x8")
      ->required()
      ->type_name("AxB[xC..]");
  command->add_option("--algorithm", arguments->algorithm, "A broadcast algorithm")
      ->capture_default_str()
      ->type_name("NAME");
  command
      ->add_option("--format", arguments->format,
                   "text, csv, json or svg; default by the output's name, else text")
      ->type_name("FORMAT");
  command->add_option("-o,--output", arguments->output, "Where to write, - for standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer(
      "Example: gossamer map tcd --dims 8x8 --algorithm figure2, the 2-D paper's Figure 2\n");
  command->callback([arguments, &action] { action = [arguments] { return run_tcd(*arguments); }; });
}

}  // namespace gossamer::cli
