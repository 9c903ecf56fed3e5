// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of broadcast plans: the package that parameterises gsm_relay_node.
///
/// Sources of power-of-two networks need no table, only the levels of the sides; other plans have a
/// list of sends for each node that sends, and nodes with the same list share a *class*. Header
/// fields are as narrow as the plan allows.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <map>
#include <tuple>
#include <utility>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"
#include "emit_sv.hpp"

namespace gossamer::emit_detail {

namespace {

/// Bits of a header as RelayData holds it.
constexpr int kMaxHeaderBits = 256;

}  // namespace

int more_bits(const RelayFormat& format) {
  return (format.segments - 1) * (format.port_bits + format.hop_bits);
}

RelayFormat narrow_format(const Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  const RelayRouterKind kind = relay_router_kind(program);
  const auto ports = static_cast<unsigned>(plan.topology.ports());
  std::uint64_t longest = 1;
  // gsm_relay_router_table always turns.
  std::size_t segments = kind == RelayRouterKind::kTable ? 2 : 1;
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
  } else if (kind != RelayRouterKind::kFanOut) {
    // Of further stretches 0 is none.
    format.hop_bits = field_bits(segments == 1 ? longest - 1 : longest);
    // Also the number of the next entry of a list, its end included.
    format.step_bits = field_bits(program.steps());
    format.tag_bits = kind == RelayRouterKind::kTable ? format.dimensions + 2 : 0;
    format.segments = static_cast<int>(segments);
  }
  if (format.header_bits() > kMaxHeaderBits || format.segments > 16) {
    throw InputError(
        fmt::format("format sv: a path of {} stretches does not fit a header", format.segments));
  }
  return format;
}

int entry_bits(const RelayFormat& format) {
  return format.port_bits + format.hop_bits + format.step_bits + format.tag_bits +
         more_bits(format);
}

void put_entry(Literal& list, std::size_t index, const RelayFormat& format,
               const RelayEntry& entry) {
  std::size_t at = index * static_cast<std::size_t>(entry_bits(format));
  const auto put = [&](std::uint64_t value, int width) {
    list.set(at, value);
    at += static_cast<std::size_t>(width);
  };
  put(entry.port, format.port_bits);
  put(entry.hops, format.hop_bits);
  put(entry.step, format.step_bits);
  put(entry.tag, format.tag_bits);
  for (int bit = 0; bit < more_bits(format); ++bit) put(get_bits(entry.more, bit, 1), 1);
}

RelayData header_of(const RelayFormat& format, const RelayEntry& entry) {
  RelayData head{};
  int at = 0;
  const auto put = [&](std::uint32_t value, int width) {
    put_bits(head, at, width, value);
    at += width;
  };
  put(entry.hops, format.hop_bits);
  put(entry.step, format.step_bits);
  put(entry.tag, format.tag_bits);
  for (int bit = 0; bit < more_bits(format); ++bit) put(get_bits(entry.more, bit, 1), 1);
  return head;
}

void check_list(std::size_t entries, std::size_t bits) {
  if (bits <= kMaxLiteralBits) return;
  throw InputError(
      fmt::format("format sv: a node's list of {} sends has {} bits; it has at most {}", entries,
                  bits, kMaxLiteralBits));
}

std::string step_starts(const RelayRouterConfigs& configs, bool told, int start_bits) {
  const std::vector<std::uint64_t>& lengths = configs.step_lengths();
  const std::size_t bits = lengths.size() * static_cast<std::size_t>(start_bits);
  if (bits > kMaxLiteralBits) {
    throw InputError(
        fmt::format("format sv: {} steps begin at cycles of {} bits; all together "
                    "have at most {}",
                    lengths.size(), start_bits, kMaxLiteralBits));
  }
  // Nodes that go on by themselves are told no starts; these may lie behind the last cycle.
  Literal starts(bits);
  std::uint64_t start = 0;
  for (std::size_t step = 0; step < lengths.size(); ++step) {
    const std::uint64_t none = (std::uint64_t{1} << static_cast<unsigned>(start_bits)) - 1;
    starts.set(step * static_cast<std::size_t>(start_bits),
               lengths[step] == 0 || !told ? none : start);
    start += lengths[step];
  }
  return starts.text();
}

namespace {

/// What one node is told, as literals; what its kind of router does not hear is empty.
struct RelayNodeClass {
  std::string source;
  std::string relays;
  std::string parity;
  std::string by_list;
  std::uint64_t entries = 0;
  std::string list;
  std::uint64_t fan_in = 0;
  std::string fan_out;

  auto operator<=>(const RelayNodeClass&) const = default;
};

std::string bit_text(bool value) { return value ? "1'h1" : "1'h0"; }

RelayNodeClass class_of(const Plan& plan, const RelayRouterConfigs& configs,
                        const RelayFormat& format, NodeId node, std::uint32_t sends,
                        std::size_t entries_max) {
  const auto& program = plan.program.as<RelayProgram>();
  RelayNodeClass result;
  result.source = bit_text(node == program.source());
  result.relays = bit_text(sends != 0);
  const RelayRouterConfig config = configs.config(node);
  if (config.kind == RelayRouterKind::kFanOut) {
    result.fan_in = config.fan_in == RelayRouterConfig::kNoPort ? 0 : config.fan_in;
    Literal fan_out(static_cast<std::size_t>(config.ports));
    fan_out.set(0, config.fan_out.bits());
    result.fan_out = fan_out.text();
    return result;
  }
  Literal parity(static_cast<std::size_t>(plan.topology.dimensions()));
  if (!config.list) parity.set(0, config.parity);
  result.parity = parity.text();
  result.by_list = bit_text(config.list);
  Literal list(entries_max * static_cast<std::size_t>(entry_bits(format)));
  if (config.list) {
    for (std::uint32_t i = 0; i < sends; ++i) {
      put_entry(list, i, format, configs.entry(node, i));
    }
    result.entries = sends;
  }
  result.list = list.text();
  return result;
}

/// The cycle, from 0, in which the head of each send enters its first link: by step, node,
/// out-port.
class FirstHops final : public Observer {
 public:
  explicit FirstHops(const Topology& topology) : topology_(topology) {}
  bool on_links(const LinkView& view) override {
    for (const Head& head : view.heads) {
      if (head.hop != 0) continue;
      cycle_[{head.step, topology_.link_from(head.link), topology_.link_port(head.link)}] =
          view.cycle;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t cycle(std::uint32_t step, NodeId from, Port port) const {
    return cycle_.at({step, from, port});
  }

 private:
  const Topology& topology_;
  std::map<std::tuple<std::uint32_t, NodeId, Port>, std::uint64_t> cycle_;
};

/// The level of each step of the rule, from 0: those of the highest level come first.
std::vector<int> step_levels(const EyeRule& rule, int dimensions) {
  std::vector<int> levels;
  for (int level = 15; level >= 1; --level) {
    for (int dim = 0; dim < dimensions; ++dim) {
      if (rule.levels[static_cast<std::size_t>(dim)] >= level) levels.push_back(level);
    }
  }
  return levels;
}

/// The headers of all sends, as their senders write them (docs/hardware-interface.md).
class Headers {
 public:
  Headers(const Plan& plan, const RelayFormat& format)
      : program_(plan.program.as<RelayProgram>()),
        configs_(plan, format),
        format_(format),
        sent_(plan.topology.nodes(), 0),
        tag_(plan.topology.nodes(), 0),
        level_(plan.topology.nodes(), 0) {
    if (program_.rule) levels_ = step_levels(*program_.rule, plan.topology.dimensions());
  }

  /// The header of the send, which arrives at `to`. Sends come in the order of their steps.
  RelayData of(std::uint32_t step, const RelaySend& send, NodeId to) {
    if (configs_.kind() == RelayRouterKind::kFanOut) return {};
    RelayEntry entry;
    const RelayRouterConfig config = configs_.config(send.from);
    if (config.list) {
      entry = configs_.entry(send.from, sent_[send.from]++);
    } else {
      entry = relay_entry(format_, program_.path(send), step - 1, config.start_side);
      if (configs_.kind() == RelayRouterKind::kTable) {
        // An order of the dimensions is passed on only within its level.
        const std::uint32_t side = (1U << static_cast<unsigned>(format_.dimensions)) - 1;
        entry.tag = tag_[send.from] & (level_of(step) == level_[send.from] ? ~0U : side);
      }
    }
    tag_[to] = entry.tag;
    level_[to] = level_of(step);
    return header_of(format_, entry);
  }

 private:
  [[nodiscard]] int level_of(std::uint32_t step) const {
    return step <= levels_.size() ? levels_[step - 1] : 0;
  }

  const RelayProgram& program_;
  RelayRouterConfigs configs_;
  const RelayFormat& format_;
  /// By node: sends done, and tag and level of what it got.
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> tag_;
  std::vector<int> level_;
  std::vector<int> levels_;
};

/// What the testbench has to see: flit by flit, with headers.
std::optional<std::string> expected_message(const Plan& plan, const RelayFormat& format,
                                            std::size_t width, std::uint64_t cycles) {
  const auto& program = plan.program.as<RelayProgram>();
  const Topology& topology = plan.topology;
  const MessageClock& clock = program.clock;
  auto run = ExpectedRun::make(cycles, topology.link_slots(), topology.nodes());
  if (!run) return std::nullopt;

  FirstHops first(topology);
  watch(*make_fast_engine(plan), kNoStepLimit, first);

  const auto header_bits = static_cast<std::size_t>(
      relay_router_kind(program) == RelayRouterKind::kFanOut ? 0 : format.header_bits());
  // A flit of the message, all bits; nothing else looks like it.
  const auto own_bits = [&](std::uint64_t flit) {
    SplitMix64 random(flit);
    std::vector<bool> bits;
    while (bits.size() < width) {
      const std::uint64_t word = random.next();
      for (unsigned bit = 0; bit < 64 && bits.size() < width; ++bit) {
        bits.push_back((word >> bit & 1U) != 0);
      }
    }
    return bits;
  };
  const auto digits = [](const std::vector<bool>& bits) {
    Literal literal(bits.size());
    for (std::size_t bit = 0; bit < bits.size(); ++bit) literal.set(bit, bits[bit] ? 1 : 0);
    return literal.digits();
  };
  const std::string mask = digits(std::vector<bool>(width + 1, true));
  std::vector<bool> vary(width, true);
  std::fill_n(vary.begin(), header_bits, false);

  // The rows of the trace in its order, then the flits behind the heads.
  struct Crossing {
    std::uint32_t step = 0;
    std::uint32_t hop = 0;
    LinkId link = 0;
    std::uint64_t cycle = 0;
    RelayData header{};
    /// The node that the flits are delivered to, kNoNode for none.
    NodeId to = kNoNode;
  };
  std::vector<Crossing> crossings;
  Headers headers(plan, format);
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (const RelaySend& send : program.sends(step)) {
      const RelayPath& path = program.path(send);
      const NodeId end = path_end(topology, send.from, path);
      RelayData header = headers.of(step, send, end);
      const std::uint64_t begin = first.cycle(step, send.from, path.front().port);
      const std::uint32_t hops = path_hops(path);
      walk_path(topology, send.from, path, [&](std::uint32_t hop, NodeId node, Port port) {
        if (hop != 0) format.advance(header);
        crossings.push_back({step, hop, topology.link(node, port),
                             begin + std::uint64_t{hop} * clock.hop_cycles, header,
                             hop + 1 == hops ? end : kNoNode});
      });
    }
  }
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return std::tie(a.step, a.hop, a.link) < std::tie(b.step, b.hop, b.link);
  });
  const auto heads = static_cast<std::uint32_t>(crossings.size());
  for (const Crossing& crossing : crossings) {
    std::vector<bool> bits = own_bits(0);
    for (std::size_t bit = 0; bit < header_bits; ++bit) {
      bits[bit] = get_bits(crossing.header, static_cast<int>(bit), 1) != 0;
    }
    bits.push_back(true);
    const std::uint32_t head = run->add({digits(bits), mask, crossing.step, crossing.hop, 0});
    for (std::uint32_t flit = 0; flit < clock.flits; ++flit) {
      const std::uint32_t word = flit == 0 ? head : heads + flit;
      const std::uint64_t cycle = crossing.cycle + flit + 1;
      run->on_link(cycle, crossing.link, word);
      if (crossing.to != kNoNode) run->deliver(cycle + clock.hop_cycles - 1, crossing.to, word);
    }
  }
  std::vector<std::string> own;
  for (std::uint32_t flit = 0; flit < clock.flits; ++flit) {
    own.push_back(digits(own_bits(flit)));
    if (flit != 0) run->add({own.back(), mask, -1, 0, 0});
  }
  return run->text(fmt::format("steps={} cycles={}", program.steps(), cycles), own, digits(vary));
}

/// Package, tile and what the testbench has to see.
NetworkFiles network_of(const Plan& plan, const RelayProgram& program, const RelayFormat& format,
                        std::uint64_t cycles) {
  const Topology& topology = plan.topology;
  const RelayRouterConfigs configs(plan, format);
  const RelayRouterKind kind = configs.kind();
  const bool lists = kind == RelayRouterKind::kTable;
  const SendsByNode sends = sends_by_node(topology, program);

  std::size_t entries_max = 1;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (configs.config(node).list) entries_max = std::max(entries_max, sends.of(node).size());
  }
  const auto list_bits = entries_max * static_cast<std::size_t>(entry_bits(format));
  if (lists) check_list(entries_max, list_bits);

  std::map<RelayNodeClass, std::size_t> index;
  std::vector<const RelayNodeClass*> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const auto sent = static_cast<std::uint32_t>(sends.of(node).size());
    const auto [at, added] =
        index.try_emplace(class_of(plan, configs, format, node, sent, entries_max), classes.size());
    if (added) classes.push_back(&at->first);
    class_of_node.push_back(at->second);
  }

  const bool by_steps =
      kind != RelayRouterKind::kFanOut && program.clock.timing == MessageTiming::kStep;
  const bool has_starts = lists || by_steps;
  const int header = kind == RelayRouterKind::kFanOut ? 0 : format.header_bits();
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  FabricShape shape;
  // The header and something to carry, in words.
  shape.width = number((header / kDataBits + 1) * kDataBits);
  // All tiles see the message, the source takes it.
  shape.own_words = program.clock.flits;
  shape.own_stride = 0;
  shape.own_total = program.clock.flits;
  // The head bit.
  shape.link_extra = 1;
  shape.deliver_extra = 1;
  shape.latency = program.clock.hop_cycles;

  NetworkFiles network;
  network.tile.node = "gsm_relay_node";
  network.tile.unused = "coordinates_i, table_write_i, table_data_i";
  auto& parameters = network.tile.parameters;
  parameters = {{"Width", "Width"}, {"Ports", "gsm_plan_pkg::Ports"}};
  std::vector<PackageConstant> constants;
  const auto constant = [&](std::string_view comment, std::string_view name, std::uint64_t value) {
    constants.push_back({comment, name, value});
    parameters.emplace_back(name, fmt::format("gsm_plan_pkg::{}", name));
  };
  constant("Flits of a message.", "Flits", program.clock.flits);
  constant("Cycles between having the message and sending it on.", "RelayCycles",
           program.clock.relay_cycles);
  constant("Clock cycles of a broadcast, and its steps.", "Cycles", cycles);
  constant("", "Steps", program.steps());
  constant("Bits of a number of flits and relay cycles.", "TimeBits",
           number(field_bits(std::uint64_t{program.clock.flits} + program.clock.relay_cycles)));
  if (kind != RelayRouterKind::kFanOut) {
    constants.push_back({"Header: all bits; number of links; step.", "HeaderBits", number(header)});
    constant("", "HopBits", number(std::max(1, format.hop_bits)));
    constant("", "StepBits", number(std::max(1, format.step_bits)));
  }
  int start_bits = 0;
  if (lists) {
    constant("Header: further stretches and one.", "Segments", number(format.segments));
    constant("Entries of the longest list.", "EntriesMax", entries_max);
  }
  if (has_starts) {
    start_bits = field_bits(cycles + 1);
    constant("Bits of a cycle in which a step begins.", "StartBits", number(start_bits));
  }
  std::string text = fabric_package(plan, shape, constants);

  const auto literal = [&](std::string_view comment, std::string_view name, std::string_view range,
                           const std::string& value) {
    append_format(text, "  // {}\n  localparam logic [{}-1:0] {} = {};\n\n", comment, range, name,
                  value);
    parameters.emplace_back(name, fmt::format("gsm_plan_pkg::{}", name));
  };
  const auto literals = [&](std::string_view comment, std::string_view parameter,
                            std::string_view name, std::string_view range,
                            std::string RelayNodeClass::*member) {
    std::vector<std::string> values;
    for (const RelayNodeClass* at : classes) values.push_back(at->*member);
    text += class_function(comment, name, range, values);
    parameters.emplace_back(parameter, fmt::format("gsm_plan_pkg::{}(Class)", name));
  };
  const auto ints = [&](std::string_view comment, std::string_view parameter, std::string_view name,
                        std::uint64_t RelayNodeClass::*member) {
    std::vector<std::int64_t> values;
    for (const RelayNodeClass* at : classes)
      values.push_back(static_cast<std::int64_t>(at->*member));
    text += int_function(comment, name, values);
    parameters.emplace_back(parameter, fmt::format("gsm_plan_pkg::{}(Class)", name));
  };
  text += node_class_function(class_of_node);
  literals("1: the node has the message at first.", "Source", "source", "1",
           &RelayNodeClass::source);
  literals("1: the node sends.", "Relays", "relays", "1", &RelayNodeClass::relays);
  if (kind == RelayRouterKind::kFanOut) {
    parameters.emplace_back("Router", "\"tree\"");
    ints("The in-port that the message comes by.", "FanIn", "fan_in", &RelayNodeClass::fan_in);
    literals("Bit p: the message leaves by out-port p.", "FanOut", "fan_out", "Ports",
             &RelayNodeClass::fan_out);
  } else {
    parameters.emplace_back("Router", lists ? "\"list\"" : "\"rule\"");
    Literal levels(static_cast<std::size_t>(topology.dimensions()) * 4);
    Literal start_side(static_cast<std::size_t>(topology.dimensions()));
    if (program.rule) {
      for (int dim = 0; dim < topology.dimensions(); ++dim) {
        levels.set(static_cast<std::size_t>(dim) * 4,
                   program.rule->levels[static_cast<std::size_t>(dim)]);
      }
      start_side.set(0, program.rule->side_bits);
    }
    literal("Parity rule: log2 of the sides, 4 bits each.", "Levels", "Ports/2*4", levels.text());
    literals("Bit i: parity of coordinate i.", "Parity", "parity", "Ports/2",
             &RelayNodeClass::parity);
    if (!lists) {
      literal("Side bits at the source, and whether headers have them.", "StartSide", "Ports/2",
              start_side.text());
      parameters.emplace_back("Torus", bit_text(topology.is_torus()));
    }
  }
  if (lists) {
    literals("1: the node sends by its list, 0: by the parity rule.", "ByList", "by_list", "1",
             &RelayNodeClass::by_list);
    ints("Entries of the node's list.", "ListLength", "list_length", &RelayNodeClass::entries);
    literals(
        "The list: out-port, links less one, step from 0, tag, further stretches of each send.",
        "List", "list", fmt::format("{}", list_bits), &RelayNodeClass::list);
  }
  if (has_starts) {
    parameters.emplace_back("StepSync", bit_text(by_steps));
    literal(
        "Cycles from the start to that of each step; all ones: it has no sends, or is not told.",
        "StepStarts", "Steps*StartBits", step_starts(configs, by_steps, start_bits));
  }
  network.package = text;
  network.expected = expected_message(plan, format, shape.width, cycles);
  return network;
}

}  // namespace

std::vector<EmittedFile> emit_relay_sv(const Plan& plan) {
  if (plan.demand.combines()) return emit_relay_sums_sv(plan);
  const auto& program = plan.program.as<RelayProgram>();
  check_nodes(plan, "sv");
  static_cast<void>(planned_count(program.steps(), "steps", "sv"));
  const std::uint64_t cycles = planned_count(plan.expected.analytic_cycles, "cycles", "sv");
  const RelayFormat format = narrow_format(plan);
  NetworkFiles network = network_of(plan, program, format, cycles);
  network.modules = {
      "gsm_link",         "gsm_queue",        "gsm_out_port",           "gsm_framed_out_port",
      "gsm_router_table", "gsm_router",       "gsm_relay_rule",         "gsm_relay_sender",
      "gsm_relay_switch", "gsm_relay_router", "gsm_relay_router_table", "gsm_fan_out_router",
      "gsm_relay_list",   "gsm_relay_steps",  "gsm_relay_plan_router",  "gsm_message_memory",
      "gsm_round",        "gsm_error",        "gsm_relay_node"};
  return network_files(network);
}

}  // namespace gossamer::emit_detail
