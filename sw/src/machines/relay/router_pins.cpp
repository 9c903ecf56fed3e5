// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/relay/router_pins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Flits of all node memories together that the engines hold, 32 bytes each.
constexpr std::uint64_t kMaxMemoryFlits = std::uint64_t{1} << 26;
/// The longest time of a send, F + o, that the routers' timers hold.
constexpr std::uint64_t kMaxPeriod = (std::uint64_t{1} << 18) - 2;
/// The largest level of the rule's hardware.
constexpr std::uint8_t kMaxLevel = 15;

/// gsm_relay_sender's number of an order of the dimensions.
std::uint32_t order_code(const DimensionOrder& order, int dimensions) {
  if (std::equal(order.begin(), order.begin() + dimensions, ascending_order().begin())) return 0;
  if (dimensions == 2) return 1;
  if (dimensions == 3 && order[0] == 0 && order[1] == 2 && order[2] == 1) return 1;
  if (dimensions == 3 && order[0] == 1 && order[1] == 2 && order[2] == 0) return 2;
  throw InfeasibleError("the relay router does not support this order of the dimensions");
}

/// The order that the source names in the header of each of its sends, by step.
std::vector<std::uint32_t> source_tags(const EyeRule& rule, const RelayFormat& format,
                                       int dimensions) {
  std::vector<std::uint32_t> tags;
  for (const DimensionOrder& order : rule.source_orders) {
    const std::uint32_t tag = order_code(order, dimensions) << format.dimensions;
    tags.insert(tags.end(), static_cast<std::size_t>(dimensions), tag);
  }
  return tags;
}

}  // namespace

RelayRouterKind relay_router_kind(const RelayProgram& program) {
  if (program.ports == RelayPorts::kFanOut) return RelayRouterKind::kTree;
  if (program.adding_steps != 0) return RelayRouterKind::kSums;
  const bool table_free = program.rule && program.rule->source_orders.empty();
  return table_free ? RelayRouterKind::kRule : RelayRouterKind::kList;
}

std::string_view relay_router_name(RelayRouterKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"rule", "list", "sums", "tree"};
  return kNames.at(static_cast<std::size_t>(kind));
}

int relay_model_ports(int ports) { return ports <= 4 ? 4 : 16; }

RelayFormat RelayFormat::of(RelayRouterKind kind, int ports) {
  RelayFormat format;
  const int model_ports = relay_model_ports(ports);
  format.dimensions = model_ports / 2;
  format.port_bits = model_ports == 4 ? 2 : 4;
  format.hop_bits = 16;
  switch (kind) {
    case RelayRouterKind::kRule:
      format.step_bits = 5;
      format.tag_bits = format.dimensions;
      return format;
    case RelayRouterKind::kList:
      format.step_bits = 31;
      format.tag_bits = format.dimensions + 2;
      format.segments = 10;
      format.words = 4;
      return format;
    case RelayRouterKind::kSums:
      format.step_bits = 16;
      format.segments = 7;
      format.words = 4;
      return format;
    case RelayRouterKind::kTree:
      break;
  }
  return {};
}

// The header has at most 32 + 6 * 20 bits.
RelaySum RelaySum::of(const RelayData& data) {
  return {data[3], static_cast<std::uint32_t>(data[2] >> 32U)};
}

void RelaySum::put(RelayData& data) const {
  data[3] = value;
  data[2] = (data[2] & 0xffffffffU) | std::uint64_t{terms} << 32U;
}

std::optional<Port> RelayFormat::next_port(const RelayData& head, Port in_port) const {
  if (get_bits(head, 0, hop_bits) != 0) return opposite(in_port);
  if (segments == 1) return {};
  const int more = hop_bits + step_bits + tag_bits;
  if (get_bits(head, more + port_bits, hop_bits) == 0) return {};
  return static_cast<Port>(get_bits(head, more, port_bits));
}

void RelayFormat::advance(RelayData& head) const {
  const std::uint32_t hops = get_bits(head, 0, hop_bits);
  if (hops != 0) {
    put_bits(head, 0, hop_bits, hops - 1);
    return;
  }
  const int first = hop_bits + step_bits + tag_bits;
  const int segment_bits = port_bits + hop_bits;
  put_bits(head, 0, hop_bits, get_bits(head, first + port_bits, hop_bits) - 1);
  for (int i = 0; i + 1 < segments; ++i) {
    const int at = first + i * segment_bits;
    const bool last = i + 2 == segments;
    put_bits(head, at, segment_bits, last ? 0 : get_bits(head, at + segment_bits, segment_bits));
  }
}

RelayEntry relay_entry(const RelayFormat& format, const RelayPath& path, std::uint32_t step,
                       std::uint32_t tag) {
  RelayEntry entry;
  entry.valid = true;
  entry.port = path.front().port;
  entry.hops = path.front().hops - 1U;
  entry.step = step;
  entry.tag = tag;
  int at = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    put_bits(entry.more, at, format.port_bits, path[i].port);
    put_bits(entry.more, at + format.port_bits, format.hop_bits, path[i].hops);
    at += format.port_bits + format.hop_bits;
  }
  return entry;
}

RelayRouterConfigs::RelayRouterConfigs(const Plan& plan)
    : RelayRouterConfigs(plan, RelayFormat::of(relay_router_kind(plan.program.as<RelayProgram>()),
                                               plan.topology.ports())) {}

RelayRouterConfigs::RelayRouterConfigs(const Plan& plan, const RelayFormat& format)
    : plan_(&plan),
      program_(&plan.program.as<RelayProgram>()),
      kind_(relay_router_kind(*program_)),
      format_(format) {
  const Topology& topology = plan.topology;
  const MessageClock& clock = program_->clock;
  if (std::uint64_t{topology.nodes()} * clock.flits > kMaxMemoryFlits) {
    throw InfeasibleError(
        fmt::format("{} nodes with {} flits each exceed the {} flits of the hardware engines; use "
                    "--engine fast or fewer flits",
                    topology.nodes(), clock.flits, kMaxMemoryFlits));
  }
  if (std::uint64_t{clock.flits} + clock.relay_cycles > kMaxPeriod) {
    throw InfeasibleError(
        fmt::format("{} flits and {} relay cycles exceed the {} cycles of the timers in the "
                    "hardware engines; use --engine fast",
                    clock.flits, clock.relay_cycles, kMaxPeriod));
  }
  if (clock.hop_cycles > kMaxHopCycles) {
    throw InfeasibleError(
        fmt::format("{} cycles per hop exceed the {} registers per link of the hardware engines; "
                    "use --engine fast",
                    clock.hop_cycles, kMaxHopCycles));
  }
  for (std::uint32_t step = 1; step <= program_->steps(); ++step) {
    std::uint32_t longest = 0;
    for (const RelaySend& send : program_->sends(step)) {
      const RelayPath& path = program_->path(send);
      if (send.from >= topology.nodes() || path_end(topology, send.from, path) == kNoNode) {
        throw InputError(fmt::format("plan: the send of node {} in step {} does not lead to a node",
                                     send.from, step));
      }
      longest = std::max(longest, path_hops(path));
    }
    step_lengths_.push_back(longest == 0 ? 0
                                         : std::uint64_t{longest} * clock.hop_cycles + clock.flits -
                                               1 + program_->pause_after(step));
  }
  const bool lists = kind_ == RelayRouterKind::kList || kind_ == RelayRouterKind::kSums;
  if (lists && (program_->steps() >> format_.step_bits) != 0) {
    throw InfeasibleError(
        fmt::format("{} steps do not fit the header of the hardware engines, which has {} bits for "
                    "them; use --engine fast",
                    program_->steps(), format_.step_bits));
  }
  if (kind_ == RelayRouterKind::kTree) {
    fan_in_.assign(topology.nodes(), RelayRouterConfig::kNoPort);
    fan_out_.resize(topology.nodes());
    try {
      const std::vector<FanOutEntry> table = fan_out_table(topology, *program_);
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        if (node != program_->source()) fan_in_[node] = table[node].in;
        fan_out_[node] = table[node].out;
      }
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("plan: {}", error.what()));
    }
    return;
  }
  for (const RelayPath& path : program_->paths()) {
    if (lists && path.size() > static_cast<std::size_t>(format_.segments)) {
      throw InfeasibleError(
          fmt::format("a path of {} stretches does not fit the header of the hardware engines, "
                      "which has room for {}; use --engine fast",
                      path.size(), format_.segments));
    }
  }
  if (program_->rule) {
    for (const std::uint8_t level : program_->rule->levels) {
      if (level > kMaxLevel) {
        throw InputError(fmt::format("plan: the rule's level {} is above {}", level, kMaxLevel));
      }
    }
  }
  lists_ = sends_by_node(topology, *program_);
}

RelayRouterConfig RelayRouterConfigs::config(NodeId node) const {
  const Topology& topology = plan_->topology;
  RelayRouterConfig config;
  config.kind = kind_;
  config.ports = topology.ports();
  config.format = format_;
  config.clock = program_->clock;
  if (kind_ == RelayRouterKind::kTree) {
    config.fan_in = fan_in_[node];
    config.fan_out = fan_out_[node];
    return config;
  }
  config.duplex = program_->ports == RelayPorts::kDuplex;
  config.adding_steps = std::min(program_->adding_steps, program_->steps());
  config.adder_cycles = program_->adder_cycles;
  config.list = !program_->rule || kind_ == RelayRouterKind::kSums ||
                (kind_ == RelayRouterKind::kList && node == program_->source());
  if (program_->rule) {
    config.levels = program_->rule->levels;
    config.start_side = program_->rule->side_bits;
    const Coordinates at = topology.coordinates(node);
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      const unsigned bit = at[static_cast<std::size_t>(dim)] & 1U;
      config.parity = static_cast<std::uint8_t>(config.parity | bit << dim);
    }
  }
  return config;
}

RelayEntry RelayRouterConfigs::entry(NodeId node, std::uint32_t index) const {
  const auto list = lists_.of(node);
  if (index >= list.size()) return {};
  const SendsByNode::Entry& entry = list[index];
  std::uint32_t tag = 0;
  if (program_->rule) {
    const std::vector<std::uint32_t> tags =
        source_tags(*program_->rule, format_, plan_->topology.dimensions());
    if (entry.step <= tags.size()) tag = tags[entry.step - 1];
  }
  return relay_entry(format_, program_->paths()[entry.path], entry.step - 1, tag);
}

}  // namespace gossamer
