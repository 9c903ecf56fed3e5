// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog: the plan as the package gsm_plan_pkg, beside the RTL that it parameterises.
///
/// Nodes with the same table share a *class*, and with it one set of router parameters.
#include <fmt/format.h>

#include <bit>
#include <compare>
#include <map>

#include "formats.hpp"
#include "gossamer/util/error.hpp"
#include "sv_text.hpp"

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
  const std::size_t frame = frame_of(plan);
  const auto ports = static_cast<std::size_t>(plan.topology.ports()) * frame;
  Literal feed(ports * ports);
  Literal early_feed(ports * ports);
  Literal switch_step(ports * 32);
  Literal inject_mask(ports / frame);
  Literal preload_length(ports * 16);
  Literal preload(ports * preload_max * 16);
  for (std::size_t p = 0; p < ports; ++p) {
    const PortProgram program = hardware_program(plan, at, static_cast<Port>(p));
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
  if (plan.collective != "gossip") {
    throw InputError(
        fmt::format("format {}: the testbench knows gossip only, not {}", format, plan.collective));
  }
  static_cast<void>(planned_count(plan.expected.analytic_steps, "steps", format));
  check_nodes(plan, format);
  if (plan.expected.queue_depth == 0 || plan.expected.queue_depth > kMaxRtlDepth) {
    throw InputError(fmt::format("format {}: queue depth {} is outside 1..{}", format,
                                 plan.expected.queue_depth, kMaxRtlDepth));
  }
  if (static_cast<std::size_t>(plan.topology.ports()) * frame_of(plan) * preload_max * 16 >
      kMaxLiteralBits) {
    throw InputError(fmt::format(
        "format {}: preload lists of {} packets on {} ports; they have at most {} bits a node",
        format, preload_max, plan.topology.ports(), kMaxLiteralBits));
  }
  const auto* schedule = std::get_if<ScheduleProgram>(&plan.program);
  if (schedule == nullptr) return;
  if (!plan.topology.is_torus()) {
    throw InputError("format sv: a schedule runs on a torus only; this plan's topology is a mesh");
  }
  if (schedule->steps() == 0 || schedule->rom_bits() > kMaxLiteralBits) {
    throw InputError(fmt::format("format sv: a schedule of {} bits; a ROM has 1 to {} bits",
                                 schedule->rom_bits(), kMaxLiteralBits));
  }
}

/// The ROM as gsm_schedule_router's parameter Rom.
Literal rom_of(const ScheduleProgram& schedule) {
  const auto ports = static_cast<std::size_t>(schedule.ports());
  const auto source_bits = static_cast<std::size_t>(
      std::bit_width(std::uint64_t{schedule.packets_per_node()} + schedule.slots()));
  const auto store_bits = static_cast<std::size_t>(std::bit_width(schedule.slots()));
  Literal rom(static_cast<std::size_t>(schedule.rom_bits()));
  std::size_t at = 0;
  for (std::uint64_t step = 1; step <= schedule.steps(); ++step) {
    for (std::size_t p = 0; p < ports; ++p, at += source_bits) {
      rom.set(at, schedule.source_code(step, static_cast<Port>(p)));
    }
    for (std::size_t q = 0; q < ports; ++q, at += store_bits) {
      rom.set(at, schedule.store_code(step, static_cast<Port>(q)));
    }
  }
  return rom;
}

/// The package without tables and end: sizes, the constants `more`, and the wiring.
std::string package_begin(const Plan& plan, std::size_t preload_max, std::string_view more) {
  const Topology& topology = plan.topology;
  return package_head(
             plan, "gsm_network",
             {{"Nodes of the network.", "Nodes", topology.nodes()},
              {"Nodes of one row of dimension 0.", "NodesPerRow", topology.side(0)},
              {"Ports of a router.", "Ports", static_cast<std::uint64_t>(topology.ports())},
              {"Data bits of a packet.", "Width", kDataBits},
              {"Packets that an out-port can hold, its register included.", "Depth",
               plan.expected.queue_depth},
              {"Own packets of a node.", "Packets", packets_per_node(plan)},
              {"Steps of a round.", "Steps", *plan.expected.analytic_steps},
              {"Entries of a list of own packets.", "PreloadMax", preload_max}}) +
         fmt::format("{}\n", more) + neighbor_function(topology);
}

std::string package_of(const Plan& plan, std::size_t preload_max) {
  const Topology& topology = plan.topology;
  std::map<NodeClass, std::size_t> index;
  std::vector<const NodeClass*> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const auto [at, added] = index.try_emplace(class_of(plan, walk, preload_max), classes.size());
    if (added) classes.push_back(&at->first);
    class_of_node.push_back(at->second);
  }

  const auto* schedule = std::get_if<ScheduleProgram>(&plan.program);
  std::string text = package_begin(
      plan, preload_max,
      fmt::format(
          "  // Slots of a frame; with more than one, the tables' ports are port*Frame + slot.\n"
          "  localparam int Frame = {};\n"
          "  // Schedules: slots of a packet buffer, 0 for none; words of the ROM; the ROM.\n"
          "  localparam int Slots = {};\n"
          "  localparam int ScheduleSteps = {};\n"
          "  localparam logic [{}-1:0] Schedule = {};\n",
          frame_of(plan), schedule != nullptr ? schedule->slots() : 0,
          schedule != nullptr ? schedule->steps() : 1,
          schedule != nullptr ? schedule->rom_bits() : 1,
          schedule != nullptr ? rom_of(*schedule).text() : "1'h0"));

  const auto of_classes = [&](std::string_view comment, std::string_view name,
                              std::string_view range, std::string NodeClass::*member) {
    std::vector<std::string> literals;
    for (const NodeClass* node_class : classes) literals.push_back(node_class->*member);
    text += class_function(comment, name, range, literals);
  };
  text += node_class_function(class_of_node);
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
  text += "endpackage\n";
  return text;
}

std::size_t preload_entries(const Plan& plan) {
  const auto* streams = std::get_if<StreamProgram>(&plan.program);
  return streams != nullptr ? longest_preload(*streams) : 1;
}

}  // namespace

void check_rtl_limits(const Plan& plan, std::string_view format) {
  check_expressible(plan, preload_entries(plan), format);
}

std::string shape_package(const Plan& plan) {
  // Not every top needs every size.
  return without_unused_warnings(package_begin(plan, preload_entries(plan), "") + "endpackage\n");
}

std::vector<EmittedFile> emit_sv(const Plan& plan) {
  if (std::holds_alternative<RelayProgram>(plan.program)) return emit_relay_sv(plan);
  if (std::holds_alternative<QueuedProgram>(plan.program)) return emit_queued_sv(plan);
  const std::size_t preload_max = preload_entries(plan);
  check_expressible(plan, preload_max, "sv");
  return network_files(
      {package_of(plan, preload_max),
       "gsm_network",
       "gsm_network_tb",
       "",
       {"gsm_link", "gsm_queue", "gsm_out_port", "gsm_framed_out_port", "gsm_router_table",
        "gsm_router", "gsm_schedule_router_table", "gsm_schedule_router", "gsm_round",
        "gsm_network_interface", "gsm_network", "gsm_node_port", "gsm_collective"}});
}

}  // namespace gossamer::emit_detail
