// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of broadcast plans: the package that parameterises gsm_relay_network.
///
/// Sources of power-of-two networks need no table, only the levels of the sides; other plans have a
/// list of sends for each node that sends, and nodes with the same list share a *class*. Header
/// fields are as narrow as the plan allows.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <iterator>
#include <map>

#include "formats.hpp"
#include "gossamer/sim/relay_router_pins.hpp"
#include "gossamer/util/error.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Bits of a header's further stretches that the lists are made of.
constexpr int kMaxMoreBits = 256;

/// What one node is told.
struct NodeClass {
  bool relays = false;
  std::uint64_t entries = 0;
  std::string list;
  std::uint64_t fan_in = 0;
  std::string fan_out;

  auto operator<=>(const NodeClass&) const = default;
};

/// The narrowest header that the plan's sends fit.
RelayFormat narrow_format(const Plan& plan, const RelayProgram& program) {
  const RelayRouterKind kind = relay_router_kind(program);
  const auto ports = static_cast<unsigned>(plan.topology.ports());
  std::uint64_t longest = 1;
  std::size_t segments = 2;
  for (const RelayPath& path : program.paths()) {
    segments = std::max(segments, path.size());
    for (const RelaySegment& segment : path) {
      longest = std::max<std::uint64_t>(longest, segment.hops);
    }
  }
  RelayFormat format;
  format.dimensions = plan.topology.dimensions();
  format.port_bits = static_cast<int>(std::bit_width(ports - 1));
  if (kind == RelayRouterKind::kEye) {
    format.hop_bits = field_bits(longest - 1);
    format.step_bits = field_bits(program.steps() - 1);
    format.tag_bits = plan.topology.is_torus() ? format.dimensions : 0;
  } else if (kind == RelayRouterKind::kTable) {
    format.hop_bits = field_bits(longest);
    // Also the number of the next entry of a list, its end included.
    format.step_bits = field_bits(program.steps());
    format.tag_bits = format.dimensions + 2;
    format.segments = static_cast<int>(segments);
  }
  return format;
}

int more_bits(const RelayFormat& format) {
  return (format.segments - 1) * (format.port_bits + format.hop_bits);
}

int entry_bits(const RelayFormat& format) {
  return format.port_bits + format.hop_bits + format.step_bits + format.tag_bits +
         more_bits(format);
}

NodeClass class_of(const RelayRouterConfigs& configs, const RelayFormat& format, NodeId node,
                   std::uint32_t sends, std::size_t entries_max) {
  NodeClass result;
  result.relays = sends != 0;
  const RelayRouterConfig config = configs.config(node);
  if (config.kind == RelayRouterKind::kFanOut) {
    result.fan_in = config.fan_in == RelayRouterConfig::kNoPort ? 0 : config.fan_in;
    Literal fan_out(static_cast<std::size_t>(config.ports));
    fan_out.set(0, config.fan_out.bits());
    result.fan_out = fan_out.text();
    return result;
  }
  if (!config.list) return result;
  Literal list(entries_max * static_cast<std::size_t>(entry_bits(format)));
  std::size_t at = 0;
  const auto put = [&](std::uint64_t value, int width) {
    list.set(at, value);
    at += static_cast<std::size_t>(width);
  };
  for (std::uint32_t i = 0; i < sends; ++i) {
    const RelayEntry entry = configs.entry(node, i);
    put(entry.port, format.port_bits);
    put(entry.hops, format.hop_bits);
    put(entry.step, format.step_bits);
    put(entry.tag, format.tag_bits);
    for (int bit = 0; bit < more_bits(format); ++bit) put(get_bits(entry.more, bit, 1), 1);
  }
  result.entries = sends;
  result.list = list.text();
  return result;
}

/// The function parity(node).
std::string parity_function(const Topology& topology) {
  std::string text =
      "  // Bit i: parity of coordinate i.\n"
      "  function automatic logic [Ports/2-1:0] parity(input int node);\n";
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    fmt::format_to(std::back_inserter(text), "    parity[{0}] = (node / {1}) % {2} % 2 == 1;\n",
                   dim, topology.stride(dim), topology.side(dim));
  }
  return text + "  endfunction\n\n";
}

std::string package_of(const Plan& plan, const RelayProgram& program, const RelayFormat& format,
                       std::uint64_t cycles) {
  const Topology& topology = plan.topology;
  const RelayRouterConfigs configs(plan, format);
  const RelayRouterKind kind = configs.kind();
  const SendsByNode sends = sends_by_node(topology, program);

  std::size_t entries_max = 1;
  std::uint64_t longest = 1;
  for (const RelayPath& path : program.paths()) {
    longest = std::max<std::uint64_t>(longest, path_hops(path));
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (configs.config(node).list) entries_max = std::max(entries_max, sends.of(node).size());
  }
  const auto list_bits = entries_max * static_cast<std::size_t>(entry_bits(format));
  if (kind == RelayRouterKind::kTable && list_bits > kMaxLiteralBits) {
    throw InputError(
        fmt::format("format sv: a node's list of {} sends has {} bits; it has at most {}",
                    entries_max, list_bits, kMaxLiteralBits));
  }

  std::map<NodeClass, std::size_t> index;
  std::vector<const NodeClass*> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const auto [at, added] =
        index.try_emplace(class_of(configs, format, node,
                                   static_cast<std::uint32_t>(sends.of(node).size()), entries_max),
                          classes.size());
    if (added) classes.push_back(&at->first);
    class_of_node.push_back(at->second);
  }

  const bool by_steps =
      kind == RelayRouterKind::kTable && program.clock.timing == RelayTiming::kStep;
  const int header = kind == RelayRouterKind::kFanOut ? 0 : format.header_bits();
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  // Not every kind of router needs every constant.
  std::string text = package_head(
      plan, "gsm_relay_network",
      {{"Nodes of the network.", "Nodes", topology.nodes()},
       {"Nodes of one row of dimension 0.", "NodesPerRow", topology.side(0)},
       {"Ports of a router.", "Ports", number(topology.ports())},
       {"Routers: 0 by the parity rule, 1 by lists of sends, 2 copying along a tree.", "Router",
        number(kind == RelayRouterKind::kEye     ? 0
               : kind == RelayRouterKind::kTable ? 1
                                                 : 2)},
       {"The node that has the message.", "Source", program.source()},
       {"Data bits of a flit, and those of the first that are its header's.", "Width",
        // The header and something to carry, in words.
        number((header / kDataBits + 1) * kDataBits)},
       {"Header: all bits; number of links; step; further stretches and one.", "HeaderBits",
        number(header)},
       {"", "HopBits", number(std::max(1, format.hop_bits))},
       {"", "StepBits", number(std::max(1, format.step_bits))},
       {"", "Segments", number(format.segments)},
       {"1: the header has a side bit for each dimension.", "SideBits",
        number(kind == RelayRouterKind::kEye && topology.is_torus() ? 1 : 0)},
       {"Flits of a message.", "Flits", program.clock.flits},
       {"Cycles of a hop.", "HopCycles", program.clock.hop_cycles},
       {"Cycles between having the message and sending it on.", "RelayCycles",
        program.clock.relay_cycles},
       {"Bits of a number of flits and relay cycles.", "TimeBits",
        number(field_bits(std::uint64_t{program.clock.flits} + program.clock.relay_cycles))},
       {"Steps and clock cycles of a broadcast.", "Steps", program.steps()},
       {"", "Cycles", cycles},
       {"Links of the longest send.", "MaxHops", longest},
       {"1: holders other than a list's send by the parity rule.", "Rule",
        number(program.rule ? 1 : 0)},
       {"1: sends wait for their step.", "StepSync", number(by_steps ? 1 : 0)},
       {"Entries of the longest list, and bits of an entry.", "EntriesMax", entries_max},
       {"", "EntryBits", number(kind == RelayRouterKind::kTable ? entry_bits(format) : 1)}});

  Literal levels(static_cast<std::size_t>(topology.dimensions()) * 4);
  Literal start_side(static_cast<std::size_t>(topology.dimensions()));
  if (program.rule) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      levels.set(static_cast<std::size_t>(dim) * 4,
                 program.rule->levels[static_cast<std::size_t>(dim)]);
    }
    start_side.set(0, program.rule->side_bits);
  }
  fmt::format_to(std::back_inserter(text),
                 "  // Parity rule: log2 of the sides, 4 bits each; side bits at the source.\n"
                 "  localparam logic [Ports/2*4-1:0] Levels = {};\n"
                 "  localparam logic [Ports/2-1:0] StartSide = {};\n\n",
                 levels.text(), start_side.text());
  text +=
      neighbor_function(topology) + parity_function(topology) + node_class_function(class_of_node);
  const auto ints = [&](std::string_view comment, std::string_view name, auto value) {
    std::vector<std::int64_t> values;
    for (const NodeClass* node_class : classes) values.push_back(value(*node_class));
    text += int_function(comment, name, values);
  };
  const auto literals = [&](std::string_view comment, std::string_view name, std::string_view range,
                            std::string NodeClass::*member) {
    std::vector<std::string> values;
    for (const NodeClass* at : classes) {
      values.push_back((at->*member).empty() ? "'0" : at->*member);
    }
    text += class_function(comment, name, range, values);
  };
  ints("1: the node sends.", "relays", [](const NodeClass& at) { return at.relays ? 1 : 0; });
  ints("Entries of the node's list.", "list_length",
       [](const NodeClass& at) { return static_cast<std::int64_t>(at.entries); });
  literals(
      "The list, EntryBits a send: out-port, links less one, step from 0, tag, further stretches.",
      "list", "EntriesMax*EntryBits", &NodeClass::list);
  ints("Tree: the in-port that the message comes by.", "fan_in",
       [](const NodeClass& at) { return static_cast<std::int64_t>(at.fan_in); });
  literals("Tree: bit p: the message leaves by out-port p.", "fan_out", "Ports",
           &NodeClass::fan_out);
  std::vector<std::int64_t> starts;
  std::int64_t start = 0;
  for (const std::uint64_t length : configs.step_lengths()) {
    starts.push_back(length == 0 ? -1 : start);
    start += static_cast<std::int64_t>(length);
  }
  text += int_function("Cycles from the start to that of step `index`, from 0; -1: without sends.",
                       "step_start", starts);
  return without_unused_warnings(text + "endpackage\n");
}

}  // namespace

std::vector<EmittedFile> emit_relay_sv(const Plan& plan) {
  const auto& program = std::get<RelayProgram>(plan.program);
  check_nodes(plan, "sv");
  static_cast<void>(planned_count(program.steps(), "steps", "sv"));
  const std::uint64_t cycles = planned_count(plan.expected.analytic_cycles, "cycles", "sv");
  const RelayFormat format = narrow_format(plan, program);
  if (more_bits(format) > kMaxMoreBits || format.segments > 16) {
    throw InputError(
        fmt::format("format sv: a path of {} stretches does not fit a header", format.segments));
  }
  return network_files(
      {package_of(plan, program, format, cycles),
       "gsm_relay_network",
       "gsm_relay_network_tb",
       "",
       {"gsm_link", "gsm_queue", "gsm_out_port", "gsm_framed_out_port", "gsm_router_table",
        "gsm_router", "gsm_relay_rule", "gsm_relay_switch", "gsm_relay_router",
        "gsm_relay_router_table", "gsm_fan_out_router", "gsm_relay_plan_router",
        "gsm_message_memory", "gsm_round", "gsm_relay_network"}});
}

}  // namespace gossamer::emit_detail
