// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of the queued collectives whose parts exist in RTL: all broadcasts of a line or
/// ring (gsm_line_network) and prefixes (gsm_prefix_network).
#include <fmt/format.h>

#include <algorithm>

#include "formats.hpp"
#include "gossamer/sim/queued_rules.hpp"
#include "gossamer/util/error.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace {

/// The function packets_of(node): packets that it has, in parts.
std::string packets_function(const Plan& plan) {
  std::vector<std::int64_t> packets(plan.topology.nodes(), 0);
  for (const DemandSource& source : plan.demand.sources_in(plan.topology)) {
    packets[source.node] = source.pieces;
  }
  return int_function("Packets of a node, in parts.", "packets_of", packets);
}

std::vector<EmittedFile> emit_line(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<QueuedProgram>(plan.program);
  const QueuedPhase& phase = program.phases.front();
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", "sv");
  if (program.substep_flits() != 1) {
    throw InputError(fmt::format(
        "format sv: a step of this plan lasts {} cycles, that of its network one; plan it "
        "with --flits {}",
        program.substep_flits(), program.substeps_per_unit()));
  }
  if (phase.start != 1) {
    throw InputError(fmt::format(
        "format sv: the broadcast begins in step {}, that of its network in step 1", phase.start));
  }

  // By node and port: number of the part and links to go.
  struct Own {
    std::uint32_t part = 0;
    std::uint32_t hops = 0;
  };
  std::vector<std::vector<Own>> lists(topology.link_slots());
  std::size_t longest = 1;
  std::uint32_t most_hops = 1;
  for (const DemandSource& source : plan.demand.sources_in(topology)) {
    for (std::uint32_t i = 0; i < source.pieces; ++i) {
      for (const bool positive : {false, true}) {
        const Port port = make_port(0, positive);
        const std::uint32_t hops = broadcast_hops(program, phase, i, i, positive);
        if (hops == 0 || topology.neighbor(source.node, port) == kNoNode) continue;
        auto& list = lists[topology.link(source.node, port)];
        list.push_back({i, hops});
        longest = std::max(longest, list.size());
        most_hops = std::max(most_hops, hops);
      }
    }
  }
  const int number_bits = field_bits(plan.demand.pieces - 1);
  const int hop_bits = field_bits(most_hops);
  const std::size_t list_bits = longest * static_cast<std::size_t>(number_bits + hop_bits);
  const std::uint64_t data_bits = std::uint64_t{topology.nodes()} * plan.demand.pieces * kDataBits;
  if (list_bits > kMaxLiteralBits || data_bits > (1U << 24U)) {
    throw InputError(
        fmt::format("format sv: {} packets at a node are more than its lists hold", longest));
  }
  std::vector<std::int64_t> lengths;
  std::vector<std::string> literals;
  for (const auto& list : lists) {
    Literal literal(list_bits);
    std::size_t at = 0;
    for (const Own& own : list) {
      literal.set(at, own.part);
      literal.set(at + static_cast<std::size_t>(number_bits), own.hops);
      at += static_cast<std::size_t>(number_bits + hop_bits);
    }
    lengths.push_back(static_cast<std::int64_t>(list.size()));
    literals.push_back(literal.text());
  }
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::string package =
      package_head(plan, "gsm_line_network",
                   {{"Nodes of the line or ring.", "Nodes", topology.nodes()},
                    {"Parts of packets that a node may have.", "Packets", plan.demand.pieces},
                    {"Data bits of a part.", "Width", kDataBits},
                    {"Steps of a round.", "Steps", steps},
                    {"Bits of a number of links.", "HopBits", number(hop_bits)},
                    {"Own packets that can wait at a stage.", "Entries", longest},
                    {"Entries of the longest list.", "EntriesMax", longest}}) +
      "\n" + neighbor_function(topology) + packets_function(plan) +
      int_function("Own packets of node index / 2 that leave by port index % 2.", "list_length",
                   lengths) +
      class_function("They in their order, each with its number and the links that it goes.",
                     "list", fmt::format("{}", list_bits), literals) +
      "endpackage\n";
  return network_files(
      {without_unused_warnings(package),
       "gsm_line_network",
       "gsm_line_network_tb",
       "",
       {"gsm_link", "gsm_queue", "gsm_line_stage", "gsm_round", "gsm_line_network"}});
}

std::vector<EmittedFile> emit_prefix(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<QueuedProgram>(plan.program);
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", "sv");
  if (program.clock.prefix_flits != 1) {
    throw InputError(fmt::format(
        "format sv: a step of this plan lasts {} cycles, that of its network one; plan it "
        "with --prefix-flits 1",
        program.clock.prefix_flits));
  }
  const std::size_t phases = program.phases.size() / program.classes;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> kinds;
  std::vector<std::int64_t> dimensions;
  for (std::size_t i = 0; i < program.phases.size(); ++i) {
    const QueuedPhase& phase = program.phases[i];
    if (phase.class_index != i / phases || phase.class_round) {
      throw InputError("format sv: the classes of this prefix have different phases");
    }
    starts.push_back(static_cast<std::int64_t>(phase.start));
    lengths.push_back(static_cast<std::int64_t>(phase.length));
    kinds.push_back(static_cast<std::int64_t>(phase.kind));
    dimensions.push_back(phase.dimension);
  }
  std::string coordinate =
      "  // Coordinate `dimension` of a node.\n"
      "  function automatic int coordinate(input int node, input int dimension);\n"
      "    coordinate = node;\n"
      "    for (int i = 0; i < dimension; i++) coordinate = coordinate / Side;\n"
      "    coordinate = coordinate % Side;\n  endfunction\n\n"
      "  // 1: the `level` digits of a node that are least significant in the order of class "
      "`index` are\n"
      "  // the last.\n"
      "  function automatic int on_tree(input int node, input int index, input int level);\n"
      "    on_tree = 1;\n"
      "    for (int j = 0; j < level; j++) begin\n"
      "      if (coordinate(node, (j + index) % (Ports / 2)) != Side - 1) on_tree = 0;\n"
      "    end\n  endfunction\n\n";
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::string package =
      package_head(
          plan, "gsm_prefix_network",
          {{"Nodes of the network, nodes of a line, ports of a router.", "Nodes", topology.nodes()},
           {"", "Side", topology.side(0)},
           {"", "Ports", number(topology.ports())},
           {"Classes, each with its order of the dimensions; phases of each.", "Classes",
            program.classes},
           {"", "Phases", phases},
           {"Bits of a count.", "CountBits", number(field_bits(topology.nodes()))},
           {"Steps of a round.", "Steps", steps}}) +
      "\n" + neighbor_function(topology) + coordinate + packets_function(plan) +
      int_function("Phase index % Phases of class index / Phases: its first step.", "phase_start",
                   starts) +
      int_function("Its steps.", "phase_length", lengths) +
      int_function("Its kind: 0 tree forward, 1 tree backward, 2 two-way.", "phase_kind", kinds) +
      int_function("Its dimension.", "phase_dimension", dimensions) + "endpackage\n";
  return network_files({without_unused_warnings(package),
                        "gsm_prefix_network",
                        "gsm_prefix_network_tb",
                        "",
                        {"gsm_prefix_unit", "gsm_round", "gsm_prefix_network"}});
}

}  // namespace

std::vector<EmittedFile> emit_queued_sv(const Plan& plan) {
  const auto& program = std::get<QueuedProgram>(plan.program);
  check_nodes(plan, "sv");
  if (program.phases.empty() || plan.demand.pieces_in_all(plan.topology.nodes()) == 0) {
    throw InputError("format sv: a plan in which nothing is sent makes no network");
  }
  return plan.demand.is_counts() ? emit_prefix(plan) : emit_line(plan);
}

}  // namespace gossamer::emit_detail
