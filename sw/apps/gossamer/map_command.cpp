// SPDX-License-Identifier: Apache-2.0
/// gossamer map: figures over all nodes of a topology.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "gossamer/compare/tcd_map.hpp"
#include "gossamer/util/output_file.hpp"
#include "request_words.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct MapArguments {
  ShapeArguments shape;
  std::string algorithm = "eye";
  std::string format;
  std::string output = "-";
  bool json = false;
};

struct MapFormat {
  std::string_view name;
  std::string (*write)(const TcdMap& map);
};
constexpr std::array kFormats{
    MapFormat{"text", tcd_map_text},
    MapFormat{"csv", tcd_map_csv},
    MapFormat{"svg", tcd_map_svg},
    MapFormat{"json", tcd_map_json},
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const MapFormat& format : kFormats) names.emplace_back(format.name);
  return names;
}

/// The requested format, otherwise by the ending of the output's name, otherwise text.
const MapFormat& choose_format(const MapArguments& arguments) {
  const std::string_view wanted = arguments.json ? "json" : std::string_view(arguments.format);
  for (const MapFormat& format : kFormats) {
    if (wanted.empty() ? arguments.output.ends_with(fmt::format(".{}", format.name))
                       : wanted == format.name) {
      return format;
    }
  }
  return kFormats.front();
}

int run(const MapArguments& arguments) {
  const MapFormat& format = choose_format(arguments);
  const Topology topology = shape_of(arguments.shape);
  const TcdMap map = tcd_map(topology, arguments.algorithm, progress_bar());
  OutputFile file(arguments.output);
  file.stream() << format.write(map);
  file.commit();
  return kDone;
}

}  // namespace

void add_map_command(Command& app, Action& action) {
  Command* command = app.add_subcommand("map", "Draw a property of every node of a network");
  command->footer("gossamer map tcd --help lists its options.\n");
  command->require_subcommand();
  auto arguments = std::make_shared<MapArguments>();
  Command* tcd = command->add_subcommand(
      "tcd", "Total communication distance of a broadcast from every source");
  arguments->shape.standard = "mesh";
  add_shape_options(*tcd, arguments->shape);
  tcd->add_option("--algorithm", arguments->algorithm,
                  "Broadcast algorithm: eye, min-tcd, figure2, tree, xy-unicast or doubling")
      ->capture_default_str()
      ->type_name("NAME");
  Option* format =
      tcd->add_option(
             "--format", arguments->format,
             "text, csv, svg or json; default: by the ending of the output's name, else text")
          ->one_of(format_names())
          ->type_name("NAME");
  tcd->add_flag("--json", arguments->json, "The same as --format json")->excludes(format);
  tcd->add_option("-o,--output", arguments->output, "Output file; - for standard output")
      ->capture_default_str()
      ->type_name("FILE");
  tcd->footer(
      "Example: gossamer map tcd --dims 8x8 --algorithm figure2 -o figure2.svg\n"
      "Eyes have a * in text and a ring in pictures. Sources that the algorithm does\n"
      "not support are - in text and hatched in pictures.\n");
  tcd->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
