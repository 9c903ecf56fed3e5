// SPDX-License-Identifier: Apache-2.0
/// gossamer check: a schedule that another program wrote.
#include "gossamer/foreign/check.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/foreign/conversion.hpp"
#include "gossamer/foreign/file.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"
#include "gossamer/version.hpp"
#include "improve.hpp"
#include "request_words.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

constexpr std::uint32_t kMostNodes = 65536;

struct CheckArguments {
  std::string file;
  ShapeArguments shape;
  std::string links;
  std::optional<std::uint32_t> nodes;
  std::string map;
  std::optional<std::uint32_t> root;
  std::string place;
  std::string format;
  std::string output;
  bool improve = false;
  ReportOutput report;
};

/// The network of the options: its links, and its description in the report.
struct Network {
  std::optional<foreign::LinkGraph> links;
  std::string topology;
  std::vector<std::uint32_t> dims;
  /// A torus, mesh or grid: what plans are for.
  std::optional<Topology> shape;
};

Network network_of(const CheckArguments& arguments) {
  Network network;
  const ShapeArguments& shape = arguments.shape;
  const bool has_shape = !shape.topology.empty() || !shape.dims.empty() || !shape.wrap.empty() ||
                         !shape.topology_file.empty();
  if (!arguments.links.empty()) {
    if (has_shape) {
      throw InputError(
          "--links: excludes --topology, --dims, --wrap and --topology-file, which also define the "
          "links");
    }
    network.links = foreign::LinkGraph::read(arguments.links);
    network.topology = "links";
    return network;
  }
  if (!has_shape) return network;
  if (shape.topology == "full") {
    if (shape.dims.empty())
      throw InputError("--topology: full requires --dims with the number of nodes, e.g. --dims 8");
    network.topology = shape.topology;
    network.dims = parse_dims(shape.dims);
    if (network.dims.size() != 1 || network.dims[0] < 1 || network.dims[0] > kMostNodes) {
      throw InputError(fmt::format(
          "--dims: --topology full takes one number of nodes, 1 to {}, e.g. --dims 8", kMostNodes));
    }
    network.links = foreign::LinkGraph::full(network.dims[0]);
    return network;
  }
  network.shape = shape_of(shape);
  network.topology = network.shape->kind();
  network.dims = network.shape->sides();
  network.links = foreign::LinkGraph::of(*network.shape);
  return network;
}

/// "N0,N1,..": a permutation of 0 .. ranks-1.
std::vector<std::uint32_t> parse_map(const std::string& text, std::size_t ranks) {
  auto nodes = whole_numbers(text, ',');
  if (!nodes) throw InputError(fmt::format("--map: \"{}\" is not of the form 0,1,3,2", text));
  std::vector<bool> taken(ranks, false);
  for (const std::uint32_t node : *nodes) {
    if (node >= ranks || taken[node]) {
      throw InputError(fmt::format("--map: node {} {}", node,
                                   node >= ranks
                                       ? fmt::format("is not in the range 0 to {}", ranks - 1)
                                       : std::string("is given twice")));
    }
    taken[node] = true;
  }
  if (nodes->size() != ranks) {
    throw InputError(
        fmt::format("--map: {} nodes are given for {} ranks; one node per rank is expected",
                    nodes->size(), ranks));
  }
  return *std::move(nodes);
}

nlohmann::ordered_json document_of(const foreign::CheckResult& result, const Network& network,
                                   const foreign::Conversion& conversion, const std::string& file) {
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
  const bool is_known = network.shape && !result.defect;
  document["convertible"] =
      is_known ? nlohmann::ordered_json(conversion.plan.has_value()) : nullptr;
  document["reason"] = text_or_null(conversion.reason);
  document["notes"] = result.notes;
  return document;
}

/// "hamiltonian 8 steps (0.50 of theirs); ring 12"
std::string improvement_of(const nlohmann::ordered_json& document) {
  std::string text;
  for (const auto& rival : document["improve"]) {
    const auto steps = rival["steps"].get<std::uint64_t>();
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", rival["algorithm"].get<std::string>(),
                        steps);
    if (text.find(';') == std::string::npos && document["steps"].is_number() && steps != 0) {
      text += fmt::format(" steps ({:.2f} of theirs)",
                          static_cast<double>(steps) / document["steps"].get<double>());
    }
  }
  return text.empty() ? "no algorithm supports this collective with this number of chunks here"
                      : text;
}

/// The same for people.
std::string table_of(const nlohmann::ordered_json& document) {
  std::string text;
  for (const auto& [key, value] : document.items()) {
    if (key == "improve") {
      text += fmt::format("  {:<18} {}\n", "ours", improvement_of(document));
      continue;
    }
    if (value.is_null() || value.is_object() || key == "gossamer" ||
        (value.is_array() && value.empty())) {
      continue;
    }
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    std::string cell;
    if (key == "dims") {
      cell = joined(value.get<std::vector<std::uint32_t>>(), "x");
    } else if (value.is_array()) {
      cell = joined(value.get<std::vector<std::string>>(), "; ");
    } else {
      cell = value.is_string() ? value.get<std::string>() : dump_json(value);
    }
    if (key == "lower_bound_steps" && document["steps"].is_number() && value != 0) {
      cell += fmt::format(" (the steps are {:.2f} times as many)",
                          document["steps"].get<double>() / value.get<double>());
    }
    text += fmt::format("  {:<18} {}\n", name, cell);
  }
  return text;
}

/// Line `number` of the text, shortened for a terminal.
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

/// Writes the plan made from the schedule; InfeasibleError if there is no plan.
void write_conversion(const CheckArguments& arguments, const Network& network,
                      const foreign::Conversion& conversion) {
  if (!network.shape) {
    throw InfeasibleError(fmt::format(
        "{}: cannot become a plan: {}; plans require a torus or mesh, e.g. --topology mesh --dims "
        "4x4",
        arguments.file,
        network.links ? "the links are not those of a torus or mesh" : "no network is given"));
  }
  if (!conversion.plan) {
    throw InfeasibleError(
        fmt::format("{}: cannot become a plan: {}", arguments.file, conversion.reason));
  }
  const Plan& plan = proved(*conversion.plan, arguments.file, {});
  OutputFile file(arguments.output);
  write_plan(plan, file.stream(), encoding_for(arguments.output));
  file.commit();
  if (arguments.output != "-" && !arguments.report.is_alone()) {
    fmt::print("  {:<18} {} ({}, {} per node)\n", "plan", arguments.output,
               counted(*plan.expected.analytic_steps, "step"),
               counted(plan.expected.queue_depth, "slot"));
  }
}

/// Writes the best of the rivals in the format of the file that was checked.
void write_improvement(const CheckArguments& arguments, std::string_view format,
                       const std::vector<Rival>& rivals) {
  if (rivals.empty()) {
    throw InfeasibleError(
        fmt::format("{}: --improve: no Gossamer algorithm supports this collective with this "
                    "number of chunks on this network",
                    arguments.file));
  }
  OutputFile file(arguments.output);
  write_rival(rivals.front(), format, file.stream());
  file.commit();
  if (arguments.output != "-" && !arguments.report.is_alone()) {
    fmt::print("  {:<18} {} ({}, {} steps)\n", "improved", arguments.output,
               rivals.front().algorithm, rivals.front().steps);
  }
}

int run(const CheckArguments& arguments) {
  if (arguments.output == "-" && arguments.report.is_alone()) {
    throw InputError("-o: the plan and the report cannot both go to standard output");
  }
  InputFile file(arguments.file);
  const std::string text = file.text();
  const std::string& name = file.name();
  const std::string format =
      arguments.format.empty() ? foreign::schedule_format(text, name) : arguments.format;
  Network network = network_of(arguments);
  foreign::CheckOptions options;
  options.network = network.links;
  options.nodes = arguments.nodes;
  if (arguments.root) options.root = *arguments.root;
  if (!arguments.place.empty()) {
    options.place = arguments.place == "in" ? foreign::Place::kIn : foreign::Place::kOut;
  }
  if (arguments.improve && !network.shape) {
    throw InputError("--improve: Gossamer's algorithms require a torus or mesh, e.g. --dims 4x4");
  }
  if (arguments.improve && !arguments.map.empty()) {
    throw InputError("--improve: excludes --map, because Gossamer's rank r is on node r");
  }
  options.wants_flow = network.shape.has_value();
  NodeId root = options.root;
  foreign::CheckResult result;
  if (format == "msccl-xml") {
    if (arguments.nodes) throw InputError("--nodes: for TE-CCL files only");
    const foreign::MscclSchedule schedule = foreign::read_msccl(text, name);
    if (!arguments.map.empty()) {
      if (!network.links)
        throw InputError("--map: requires a network, e.g. --topology mesh --dims 2x2");
      options.node_of_rank = parse_map(arguments.map, schedule.ranks.size());
    }
    result = foreign::check(schedule, options);
    root = schedule.root.value_or(options.root);
  } else {
    for (const auto& [option, given] : {std::pair{"--map", !arguments.map.empty()},
                                        std::pair{"--root", arguments.root.has_value()},
                                        std::pair{"--place", !arguments.place.empty()}}) {
      if (given) throw InputError(fmt::format("{}: for MSCCL files only", option));
    }
    result = foreign::check(foreign::read_teccl(text, name), options);
  }

  foreign::Conversion conversion;
  if (result.flow) {
    conversion = foreign::convert(*result.flow, *network.shape, options.node_of_rank);
    if (conversion.useless_moves != 0) {
      result.notes.push_back(
          fmt::format("{} of {} moves bring data that no output needs; the "
                      "plan omits them",
                      conversion.useless_moves, *result.link_transfers));
    }
  } else {
    conversion.reason = result.no_flow;
  }

  nlohmann::ordered_json document = document_of(result, network, conversion, arguments.file);
  std::vector<Rival> rivals;
  if (arguments.improve) {
    rivals = rivals_of(result, *network.shape, root);
    auto& improved = document["improve"] = nlohmann::ordered_json::array();
    for (const Rival& rival : rivals) {
      improved.push_back({{"algorithm", rival.algorithm}, {"steps", rival.steps}});
    }
  }
  const bool stdout_is_plan = arguments.output == "-" && !result.defect;
  if (!arguments.report.deliver(json_text(document)) && !stdout_is_plan) {
    fmt::print("{}", table_of(document));
    if (result.defect) {
      fmt::print("\n{}:{}: {}: {}\n", name, result.defect->line, result.defect->kind,
                 result.defect->text);
      fmt::print("  {} | {}\n", result.defect->line, line_of(text, result.defect->line));
    }
  }
  if (arguments.improve && !arguments.output.empty()) {
    write_improvement(arguments, format, rivals);
  } else if (!result.defect && !arguments.output.empty()) {
    write_conversion(arguments, network, conversion);
  }
  return result.defect ? kCheckFailed : kDone;
}

}  // namespace

void add_check_command(Command& app, Action& action) {
  auto arguments = std::make_shared<CheckArguments>();
  Command* command =
      app.add_subcommand("check", "Check a schedule of another program: MSCCL XML or TE-CCL JSON");
  command->add_option("file", arguments->file, "Schedule file; - for standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "-o,--output", arguments->output,
          "Write the schedule as a plan; JSON, or CBOR if it ends in .cbor; - for standard output")
      ->type_name("PLAN");
  command->add_flag("--improve", arguments->improve,
                    "Also list Gossamer's algorithms for the same collective, chunks and network "
                    "by steps; -o then writes the best one's schedule in the format of FILE");
  arguments->shape.standard = "torus";
  add_shape_options(*command, arguments->shape);
  command
      ->add_option(
          "--links", arguments->links,
          "Network as a list of links: CSV with the header from,to, or a BookSim anynet file")
      ->type_name("FILE");
  command->add_option("--nodes", arguments->nodes, "TE-CCL without a network: number of nodes")
      ->range(1U, kMostNodes)
      ->type_name("N");
  command
      ->add_option("--map", arguments->map,
                   "MSCCL: node of each rank, e.g. 0,1,3,2; default: rank r is on node r")
      ->type_name("N0,N1,..");
  command
      ->add_option("--root", arguments->root,
                   "MSCCL: root of a broadcast or reduce whose file names none; default 0")
      ->type_name("RANK");
  command
      ->add_option("--place", arguments->place,
                   "MSCCL: check calls in place or out of place; default: as the file says")
      ->one_of({"in", "out"})
      ->type_name("in|out");
  command
      ->add_option("--format", arguments->format, "Format of FILE; default: by its first character")
      ->one_of({"msccl-xml", "te-ccl"})
      ->type_name("msccl-xml|te-ccl");
  arguments->report.add_to(*command);
  command->footer(
      "--topology full: a link between each pair of nodes; --dims is their number.\n"
      "Exit status 0: correct; 1: defective, with the first defect and its line.\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
