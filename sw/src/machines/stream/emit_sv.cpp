// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog: the plan as the package gsm_plan_pkg, with the RTL that it parameterises.
///
/// Nodes with the same table share a *class*, and with it one set of router parameters.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <map>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

constexpr std::uint32_t kMaxRtlDepth = 65535;

/// The parameters of one router and network interface, as literals.
struct NodeClass {
  std::string feed;
  std::string early_feed;
  std::string switch_step;
  std::string inject_mask;
  std::string preload_length;
  std::string preload;

  auto operator<=>(const NodeClass&) const = default;
};

NodeClass class_of(const Plan& plan, const NodeWalk& at, std::size_t preload_max) {
  // In frames, a table's ports are port * frame + slot.
  const auto& told = plan.program.as<StreamProgram>();
  const std::size_t frame = told.frame();
  const auto ports = static_cast<std::size_t>(plan.topology.ports()) * frame;
  Literal feed(ports * ports);
  Literal early_feed(ports * ports);
  Literal switch_step(ports * 32);
  Literal inject_mask(ports / frame);
  Literal preload_length(ports * 16);
  Literal preload(ports * preload_max * 16);
  for (std::size_t p = 0; p < ports; ++p) {
    const StreamPort program = reachable(told, at, static_cast<Port>(p));
    feed.set(p * ports, program.feed.bits());
    early_feed.set(p * ports, program.early_feed.bits());
    switch_step.set(p * 32, program.switch_step);
    inject_mask.set(p / frame, program.preload.empty() ? 0 : 1);
    preload_length.set(p * 16, program.preload.size());
    for (std::size_t i = 0; i < program.preload.size(); ++i) {
      preload.set((p * preload_max + i) * 16, program.preload[i]);
    }
  }
  return {feed.text(),        early_feed.text(),     switch_step.text(),
          inject_mask.text(), preload_length.text(), preload.text()};
}

void check_expressible(const Plan& plan, std::size_t preload_max, std::string_view format) {
  static_cast<void>(planned_count(plan.expected.analytic_steps, "steps", format));
  check_nodes(plan, format);
  if (plan.expected.queue_depth == 0 || plan.expected.queue_depth > kMaxRtlDepth) {
    throw InputError(fmt::format("format {}: queue depth {} is outside 1..{}", format,
                                 plan.expected.queue_depth, kMaxRtlDepth));
  }
  if (static_cast<std::size_t>(plan.topology.ports()) * plan.program.as<StreamProgram>().frame() *
          preload_max * 16 >
      kMaxLiteralBits) {
    throw InputError(fmt::format(
        "format {}: preload lists of {} packets on {} ports; the limit is {} bits per node", format,
        preload_max, plan.topology.ports(), kMaxLiteralBits));
  }
}

std::size_t preload_entries(const Plan& plan) {
  return longest_preload(plan.program.as<StreamProgram>());
}

/// Own packets that a node has, or could have.
std::uint32_t own_packets(const Plan& plan) {
  return plan.program.as<StreamProgram>().packets_per_node();
}

/// Packets that an output port has to hold, including its register. A list without other streams
/// needs no queue: the network interface supplies one packet per step.
std::uint32_t hardware_depth(const Plan& plan) {
  return plan.demand.from == Origin::kRoot ? 1 : plan.expected.queue_depth;
}

/// The package of a store-and-forward plan.
std::string package_of(const Plan& plan, const FabricShape& shape, bool has_tables) {
  const Topology& topology = plan.topology;
  const std::size_t preload_max = preload_entries(plan);
  std::map<NodeClass, std::size_t> index;
  std::vector<const NodeClass*> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const auto [at, added] = index.try_emplace(
        has_tables ? class_of(plan, walk, preload_max) : NodeClass{}, classes.size());
    if (added) classes.push_back(&at->first);
    class_of_node.push_back(at->second);
  }

  std::string text = fabric_package(
      plan, shape,
      {{"Packets that an out-port can hold, its register included.", "Depth", hardware_depth(plan)},
       {"Own packets of a node.", "Packets", own_packets(plan)},
       {"Steps of a round.", "Steps", *plan.expected.analytic_steps},
       {"Sides of dimensions 0 and 1.", "SideX", topology.side(0)},
       {"", "SideY", topology.dimensions() > 1 ? topology.side(1) : 1},
       {"Slots of a frame; with more than one, the tables' ports are port*Frame + slot.", "Frame",
        plan.program.as<StreamProgram>().frame()},
       {"Entries of a list of own packets.", "PreloadMax", preload_max}});
  text += node_class_function(class_of_node);
  if (!has_tables) return text;
  const auto of_classes = [&](std::string_view comment, std::string_view name,
                              std::string_view range, std::string NodeClass::*member) {
    std::vector<std::string> literals;
    for (const NodeClass* node_class : classes) literals.push_back(node_class->*member);
    text += class_function(comment, name, range, literals);
  };
  of_classes("Bit p*Ports*Frame + q: in-port q feeds out-port p.", "feed",
             "Ports*Frame*Ports*Frame", &NodeClass::feed);
  of_classes("The same before the switch step.", "early_feed", "Ports*Frame*Ports*Frame",
             &NodeClass::early_feed);
  of_classes("Bits p*32 +: 32: first step of feed at out-port p; 0: no switch.", "switch_step",
             "Ports*Frame*32", &NodeClass::switch_step);
  of_classes("Bit p: out-port p has own packets.", "inject_mask", "Ports", &NodeClass::inject_mask);
  of_classes("Bits p*16 +: 16: number of own packets that out-port p sends.", "preload_length",
             "Ports*Frame*16", &NodeClass::preload_length);
  of_classes("Bits (p*PreloadMax + i)*16 +: 16: the i-th of them.", "preload",
             "Ports*Frame*PreloadMax*16", &NodeClass::preload);
  return text;
}

}  // namespace

std::size_t longest_preload(const StreamProgram& program) {
  std::size_t longest = 1;
  for (const StreamPort& entry : program.dictionary()) {
    longest = std::max(longest, entry.preload.size());
  }
  return longest;
}

StreamPort reachable(const StreamProgram& program, const NodeWalk& at, Port out_port) {
  const std::uint32_t frame = program.frame();
  if (at.neighbor(static_cast<Port>(out_port / frame)) == kNoNode) return {};
  StreamPort told = program.at(at.node(), out_port);
  for (const Port in_port : all_ports(program.ports())) {
    if (at.sender(static_cast<Port>(in_port / frame)) != kNoNode) continue;
    told.feed.erase(in_port);
    told.early_feed.erase(in_port);
  }
  return told;
}

void check_rtl_limits(const Plan& plan, std::string_view format) {
  check_expressible(plan, preload_entries(plan), format);
}

std::vector<EmittedFile> stream_network(const Plan& plan, std::string_view tables) {
  const std::uint64_t steps = *plan.expected.analytic_steps;
  const std::uint32_t packets = own_packets(plan);
  const auto ports = static_cast<std::uint64_t>(plan.topology.ports());
  // The packets of one root are there once, and all nodes see them.
  const bool one_root = plan.demand.from == Origin::kRoot;
  FabricShape shape;
  shape.width = data_bits(plan);
  shape.own_words = packets;
  shape.own_stride = one_root ? 0 : packets;
  shape.own_total = one_root ? packets : std::uint64_t{plan.topology.nodes()} * packets;
  shape.delivers = ports;
  NetworkFiles network;
  network.tile.parameters = {{"Width", "Width"}};
  network.tile.take_constants({"Ports", "Packets", "Steps"});
  {
    if (tables == "loadable") {
      shape.table_bits = 2 * ports + 48 + 16 * preload_entries(plan);
      shape.loads_faults = true;
    }
    network.tile.node = "gsm_stream_node";
    if (tables == "computed") network.tile.unused = "Class[0]";
    network.tile.parameters.emplace_back("Tables", fmt::format("\"{}\"", tables));
    network.tile.parameters.emplace_back("TableBits", "gsm_plan_pkg::TableBits");
    network.tile.take_constants({"Depth", "Frame", "PreloadMax", "SideX", "SideY"});
    if (tables != "computed") {
      for (const auto& [parameter, function] : {std::pair{"Feed", "feed"},
                                                {"EarlyFeed", "early_feed"},
                                                {"SwitchStep", "switch_step"},
                                                {"InjectMask", "inject_mask"},
                                                {"PreloadLength", "preload_length"},
                                                {"Preload", "preload"}}) {
        network.tile.parameters.emplace_back(parameter,
                                             fmt::format("gsm_plan_pkg::{}(Class)", function));
      }
    }
    network.modules = {
        "gsm_link",    "gsm_queue", "gsm_out_port",          "gsm_router_table",
        "gsm_router",  "gsm_round", "gsm_network_interface", "gsm_network_interface_table",
        "gsm_pairing", "gsm_error", "gsm_stream_node"};
  }
  network.package = package_of(plan, shape, tables != "computed");
  network.expected =
      expected_packets(plan, steps, packets, shape.width, pass_summary(plan, steps, steps));
  return network_files(network);
}

std::vector<EmittedFile> emit_stream_sv(const Plan& plan) {
  check_rtl_limits(plan, "sv");
  return stream_network(plan, "constant");
}

}  // namespace gossamer::emit_detail
