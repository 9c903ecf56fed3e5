// SPDX-License-Identifier: Apache-2.0
/// gossamer check: a schedule that another program wrote.
#include "gossamer/foreign/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/version.hpp"
#include "request_words.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

constexpr std::uint32_t kMostNodes = 65536;

struct CheckArguments {
  std::string file;
  std::string topology;
  std::string dims;
  std::string links;
  std::optional<std::uint32_t> nodes;
  std::string map;
  std::optional<std::uint32_t> root;
  std::string place;
  std::string format;
  ReportOutput report;
};

std::string read_all(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: is a directory", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: cannot be opened for reading", path));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The network of the options: its links, and what the report says of it.
struct Network {
  std::optional<foreign::LinkGraph> links;
  std::string topology;
  std::vector<std::uint32_t> dims;
};

Network network_of(const CheckArguments& arguments) {
  Network network;
  if (!arguments.links.empty()) {
    if (!arguments.topology.empty() || !arguments.dims.empty()) {
      throw InputError("--links: the links are given twice, by --topology or --dims as well");
    }
    network.links = foreign::LinkGraph::read(arguments.links);
    network.topology = "links";
    return network;
  }
  if (arguments.topology.empty() && arguments.dims.empty()) return network;
  if (arguments.dims.empty()) throw InputError("--topology: --dims is missing, e.g. --dims 4x4");
  network.topology = arguments.topology.empty() ? "torus" : arguments.topology;
  network.dims = parse_dims(arguments.dims);
  if (network.topology == "full") {
    if (network.dims.size() != 1 || network.dims[0] < 1 || network.dims[0] > kMostNodes) {
      throw InputError(fmt::format("--dims: full has one number, its nodes, 1..{}", kMostNodes));
    }
    network.links = foreign::LinkGraph::full(network.dims[0]);
  } else {
    network.links = foreign::LinkGraph::of(Topology::make(network.topology, network.dims));
  }
  return network;
}

/// "N0,N1,..": a permutation of 0 .. ranks-1.
std::vector<std::uint32_t> parse_map(const std::string& text, std::size_t ranks) {
  std::vector<std::uint32_t> nodes;
  std::vector<bool> taken(ranks, false);
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::uint32_t node = 0;
    const auto [stop, error] = std::from_chars(at, end, node);
    if (error != std::errc() || (stop != end && *stop != ',')) {
      throw InputError(fmt::format("--map: \"{}\" is not of the form 0,1,3,2", text));
    }
    if (node >= ranks || taken[node]) {
      throw InputError(fmt::format("--map: node {} {}", node,
                                   node >= ranks ? fmt::format("is outside 0..{}", ranks - 1)
                                                 : std::string("stands twice")));
    }
    taken[node] = true;
    nodes.push_back(node);
    if (stop == end) break;
    at = stop + 1;
  }
  if (nodes.size() != ranks) {
    throw InputError(fmt::format("--map: {} nodes for {} ranks", nodes.size(), ranks));
  }
  return nodes;
}

/// "msccl-xml" or "te-ccl", told from the first character.
std::string format_of(const CheckArguments& arguments, const std::string& name,
                      std::string_view text) {
  if (!arguments.format.empty()) return arguments.format;
  std::size_t at = text.find_first_not_of(" \t\r\n");
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) at = text.find_first_not_of(" \t\r\n", 3);
  if (at != std::string_view::npos && text[at] == '<') return "msccl-xml";
  if (at != std::string_view::npos && text[at] == '{') return "te-ccl";
  throw InputError(fmt::format(
      "{}:1: neither MSCCL XML nor TE-CCL JSON: it begins with neither < nor {{", name));
}

nlohmann::ordered_json document_of(const foreign::CheckResult& result, const Network& network,
                                   const std::string& file) {
  nlohmann::ordered_json document;
  document["gossamer"] = kVersion;
  document["file"] = file;
  document["format"] = result.format;
  document["name"] = text_or_null(result.name);
  document["verdict"] = result.defect ? "defective" : "correct";
  document["defect"] = nullptr;
  if (result.defect) {
    document["defect"] = {{"kind", result.defect->kind},
                          {"line", result.defect->line},
                          {"text", result.defect->text}};
  }
  document["collective"] = result.collective;
  document["topology"] = text_or_null(network.topology);
  document["dims"] =
      network.dims.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(network.dims);
  document["ranks"] = result.ranks;
  document["chunks"] = result.chunks;
  document["places"] = result.places;
  document["depth"] = or_null(result.depth);
  document["steps"] = or_null(result.steps);
  document["epochs"] = or_null(result.epochs);
  document["lower_bound_steps"] = or_null(result.lower_bound_steps);
  document["link_transfers"] = or_null(result.link_transfers);
  document["links_used"] = or_null(result.links_used);
  document["queue_slots"] = or_null(result.queue_slots);
  document["convertible"] = nullptr;
  document["reason"] = nullptr;
  document["notes"] = result.notes;
  return document;
}

/// The same for people.
std::string table_of(const nlohmann::ordered_json& document) {
  std::string text;
  for (const auto& [key, value] : document.items()) {
    if (value.is_null() || value.is_object() || key == "gossamer" ||
        (value.is_array() && value.empty())) {
      continue;
    }
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    std::string cell;
    if (key == "dims") {
      cell = fmt::format("{}", fmt::join(value.get<std::vector<std::uint32_t>>(), "x"));
    } else if (value.is_array()) {
      cell = fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), "; "));
    } else {
      cell = value.is_string() ? value.get<std::string>() : value.dump();
    }
    if (key == "lower_bound_steps" && document["steps"].is_number() && value != 0) {
      cell += fmt::format(" (the steps are {:.2f} times as many)",
                          document["steps"].get<double>() / value.get<double>());
    }
    text += fmt::format("  {:<18} {}\n", name, cell);
  }
  return text;
}

/// Line `number` of the text, cut to what a terminal shows.
std::string line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  constexpr std::size_t kWidth = 100;
  std::string shown(text.substr(0, std::min(text.find_first_of("\r\n"), kWidth)));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) == 0x7f) c = ' ';
  }
  return shown;
}

int run(const CheckArguments& arguments) {
  const std::string text = read_all(arguments.file);
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  const std::string format = format_of(arguments, name, text);
  Network network = network_of(arguments);
  foreign::CheckOptions options;
  options.network = network.links;
  options.nodes = arguments.nodes;
  if (arguments.root) options.root = *arguments.root;
  if (!arguments.place.empty()) {
    options.place = arguments.place == "in" ? foreign::Place::kIn : foreign::Place::kOut;
  }
  foreign::CheckResult result;
  if (format == "msccl-xml") {
    if (arguments.nodes) throw InputError("--nodes: only TE-CCL files take it");
    const foreign::MscclSchedule schedule = foreign::read_msccl(text, name);
    if (!arguments.map.empty()) {
      if (!network.links)
        throw InputError("--map: it needs a network, e.g. --topology mesh --dims 2x2");
      options.node_of_rank = parse_map(arguments.map, schedule.ranks.size());
    }
    result = foreign::check(schedule, options);
  } else {
    for (const auto& [option, given] : {std::pair{"--map", !arguments.map.empty()},
                                        std::pair{"--root", arguments.root.has_value()},
                                        std::pair{"--place", !arguments.place.empty()}}) {
      if (given) throw InputError(fmt::format("{}: only MSCCL files take it", option));
    }
    result = foreign::check(foreign::read_teccl(text, name), options);
  }

  const nlohmann::ordered_json document = document_of(result, network, arguments.file);
  if (!arguments.report.deliver(json_text(document))) {
    fmt::print("{}", table_of(document));
    if (result.defect) {
      fmt::print("\n{}:{}: {}: {}\n", name, result.defect->line, result.defect->kind,
                 result.defect->text);
      fmt::print("  {} | {}\n", result.defect->line, line_of(text, result.defect->line));
    }
  }
  return result.defect ? kCheckFailed : kDone;
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a schedule that another program wrote: MSCCL XML or TE-CCL JSON");
  command->add_option("file", arguments->file, "Schedule file, - for standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--topology", arguments->topology,
                   "The network: torus, mesh, or full (a link from each node to each other one)")
      ->check(CLI::IsMember({"torus", "mesh", "full"}))
      ->type_name("KIND");
  command->add_option("--dims", arguments->dims, "Its sides, e.g. 4x4; of full its nodes")
      ->type_name("AxB[xC..]");
  command
      ->add_option("--links", arguments->links,
                   "The network as a list of links: CSV with header from,to, or BookSim's anynet")
      ->type_name("FILE");
  command->add_option("--nodes", arguments->nodes, "Number of nodes (TE-CCL without a network)")
      ->check(CLI::Range(1U, kMostNodes))
      ->type_name("N");
  command->add_option("--map", arguments->map, "The node of each rank, e.g. 0,1,3,2 (MSCCL)")
      ->type_name("N0,N1,..");
  command->add_option("--root", arguments->root, "Root of a broadcast or reduce, default 0 (MSCCL)")
      ->type_name("RANK");
  command
      ->add_option("--place", arguments->place,
                   "Check calls in place or out of place, whatever the file claims (MSCCL)")
      ->check(CLI::IsMember({"in", "out"}))
      ->type_name("in|out");
  command->add_option("--format", arguments->format, "Default: told from the first character")
      ->check(CLI::IsMember({"msccl-xml", "te-ccl"}))
      ->type_name("msccl-xml|te-ccl");
  arguments->report.add_to(*command);
  command->footer("Exit status 0: correct; 1: defective, with the first defect and its line.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
