// SPDX-License-Identifier: Apache-2.0
/// gossamer traffic: the conventional network under synthetic traffic, latency over load.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/version.hpp"
#include "gossamer/wormhole/traffic.hpp"
#include "request_words.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

struct TrafficArguments {
  ShapeArguments shape;
  std::string pattern = "uniform";
  std::string hotspot;
  std::string rates;
  bool saturation = false;
  wormhole::Router router;
  std::string pipeline = "1,1,1,1,1";
  wormhole::Traffic traffic;
  ReportOutput report;
};

/// "0.1,0.2" as numbers; `what` is the option's name.
template <typename Number>
std::vector<Number> parse_list(std::string_view what, std::string_view text) {
  std::vector<Number> values;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    Number value{};
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (stop != end && *stop != ',')) {
      throw InputError(
          fmt::format("--{}: \"{}\" is not a list of numbers separated by commas", what, text));
    }
    values.push_back(value);
    if (stop == end) return values;
    at = stop + 1;
  }
}

wormhole::Pipeline parse_pipeline(const std::string& text) {
  const auto stages = parse_list<std::uint32_t>("pipeline", text);
  if (stages.size() != 5) {
    throw InputError(
        fmt::format("--pipeline: \"{}\" has {} numbers; five are required, RC,VA,SA,ST,CREDIT",
                    text, stages.size()));
  }
  return {stages[0], stages[1], stages[2], stages[3], stages[4]};
}

struct Results {
  std::vector<wormhole::TrafficPoint> points;
  std::optional<double> full_load;
  std::uint64_t cycles = 0;
  double seconds = 0;
};

nlohmann::ordered_json document(const TrafficArguments& arguments, const Topology& topology,
                                const Results& results) {
  const wormhole::Router& router = arguments.router;
  const wormhole::Pipeline& stages = router.pipeline;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const wormhole::TrafficPoint& point : results.points) {
    points.push_back({{"rate", point.rate},
                      {"mean_latency", or_null(point.mean_latency)},
                      {"latency_ci95", or_null(point.latency_ci95)},
                      {"accepted_rate", point.accepted_rate},
                      {"saturated", point.saturated},
                      {"packets", point.packets},
                      {"cycles", point.cycles}});
  }
  nlohmann::ordered_json json = {{"gossamer", kVersion}};
  add_network(json, topology);
  json.update(nlohmann::ordered_json{
      {"pattern", arguments.pattern},
      {"packet_flits", arguments.traffic.packet_flits},
      {"seed", arguments.traffic.seed},
      {"vcs", router.channels},
      {"buffer", router.buffer},
      {"pipeline",
       {stages.route, stages.channel_allocation, stages.switch_allocation, stages.switch_traversal,
        stages.credit}},
      {"link_latency", wormhole::link_latency(router, topology)},
      {"points", points},
      {"full_load_accepted_rate", or_null(results.full_load)},
      {"cycles", results.cycles},
      {"wall_seconds", results.seconds},
      {"router_cycles_per_second",
       static_cast<double>(results.cycles) * topology.nodes() / results.seconds}});
  return json;
}

std::string table(const Results& results) {
  std::vector<std::vector<std::string>> rows{
      {"rate", "mean latency", "95 % interval", "accepted", "packets"}};
  for (const wormhole::TrafficPoint& point : results.points) {
    rows.push_back({fmt::format("{}", point.rate),
                    point.mean_latency ? fmt::format("{:.2f}", *point.mean_latency) : "saturated",
                    point.latency_ci95 ? fmt::format("+- {:.2f}", *point.latency_ci95) : "-",
                    fmt::format("{:.4f}", point.accepted_rate), fmt::format("{}", point.packets)});
  }
  std::string text = results.points.empty() ? "" : aligned(rows);
  if (results.full_load) {
    text += fmt::format("at full load the network accepts {:.4f} flits per node and cycle\n",
                        *results.full_load);
  }
  return text;
}

int run(TrafficArguments arguments) {
  if (arguments.rates.empty() && !arguments.saturation) {
    throw InputError("nothing to measure: give --rate, --saturation or both");
  }
  const Topology topology = shape_of(arguments.shape);
  arguments.router.pipeline = parse_pipeline(arguments.pipeline);
  arguments.traffic.pattern = wormhole::parse_pattern(arguments.pattern);
  if (!arguments.hotspot.empty()) {
    if (arguments.traffic.pattern != wormhole::Pattern::kHotspot) {
      throw InputError("--hotspot: requires --pattern hotspot");
    }
    arguments.traffic.hotspot = parse_node(topology, arguments.hotspot, "--hotspot");
  }
  wormhole::require_possible(arguments.router, topology);
  const auto rates =
      arguments.rates.empty() ? std::vector<double>() : parse_list<double>("rate", arguments.rates);
  for (const double rate : rates) wormhole::require_possible(arguments.traffic, rate);
  Results results;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Progress progress = progress_bar();
    for (const double rate : rates) {
      results.points.push_back(
          wormhole::measure_load(topology, arguments.router, arguments.traffic, rate, progress));
      results.cycles += results.points.back().cycles;
    }
    if (arguments.saturation) {
      std::uint64_t cycles = 0;
      results.full_load = wormhole::full_load_accepted_rate(topology, arguments.router,
                                                            arguments.traffic, cycles, progress);
      results.cycles += cycles;
    }
  }
  results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!arguments.report.deliver(json_text(document(arguments, topology, results)))) {
    fmt::print("{}", table(results));
  }
  return kDone;
}

}  // namespace

void add_traffic_command(Command& app, Action& action) {
  Command* command = app.add_subcommand(
      "traffic", "Measure a conventional wormhole network under synthetic traffic");
  auto arguments = std::make_shared<TrafficArguments>();
  arguments->shape.standard = "mesh";
  add_shape_options(*command, arguments->shape);
  add_link_rate_options(*command, arguments->shape);
  command
      ->add_option(
          "--pattern", arguments->pattern,
          fmt::format("Destinations of packets: {}", joined(wormhole::pattern_names(), ", ")))
      ->capture_default_str()
      ->type_name("NAME");
  command
      ->add_option("--hotspot", arguments->hotspot,
                   "Destination of the pattern hotspot; default: the middle node")
      ->type_name("X,Y[,Z..]");
  command
      ->add_option("--rate", arguments->rates,
                   "Offered loads in flits per node and cycle, above 0, at most 1, e.g. 0.05,0.1")
      ->type_name("R[,R..]");
  command->add_flag("--saturation", arguments->saturation,
                    "Also measure the accepted rate when every node always has a flit to send");
  command
      ->add_option("--vcs", arguments->router.channels,
                   "Virtual channels per input port, 1 to 32; rings of 4 or more nodes need 2")
      ->capture_default_str()
      ->type_name("V");
  command->add_option("--buffer", arguments->router.buffer, "Flits per virtual channel")
      ->capture_default_str()
      ->type_name("FLITS");
  command->add_option("--packet-flits", arguments->traffic.packet_flits, "Flits per packet")
      ->capture_default_str()
      ->type_name("F");
  command
      ->add_option("--pipeline", arguments->pipeline,
                   "Cycles of route computation, VC allocation, switch allocation, switch "
                   "traversal and credit processing")
      ->capture_default_str()
      ->type_name("RC,VA,SA,ST,CREDIT");
  command
      ->add_option("--link-latency", arguments->router.link_latency,
                   "Cycles per link between routers; 0: 1 on a mesh, 2 on a torus, whose folded "
                   "links are twice as long")
      ->capture_default_str()
      ->type_name("CYCLES");
  command
      ->add_option("--seed", arguments->traffic.seed,
                   "Seed of the random numbers; the same seed gives the same figures")
      ->capture_default_str()
      ->type_name("N");
  arguments->report.add_to(*command);
  command->footer(
      "Latency is from a packet's generation to the arrival of its last flit. Routing\n"
      "by coordinates does not avoid faults, so networks with faults are refused.\n"
      "Example: gossamer traffic --topology torus --dims 8x8 --rate 0.05,0.1,0.2\n");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gossamer::cli
