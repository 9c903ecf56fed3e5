// SPDX-License-Identifier: Apache-2.0
#include "gossamer/report/physical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "gossamer/bounds/groups.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/plan/link_latency.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

constexpr auto kMessageOptions =
    std::to_array<std::string_view>({"bytes", "link-bits", "clock", "link-latency", "energy"});
/// A picojoule a bit is much on a chip; a thousand of them is a mistake.
constexpr std::uint32_t kMostFemtojoules = 1'000'000;

/// The option as text, empty when it is not given.
std::string text_of(const MessageOptions& options, std::string_view name) {
  const auto found = options.find(std::string(name));
  if (found == options.end()) return {};
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) {
    return std::to_string(*number);
  }
  if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
  throw InputError(fmt::format("--{}: a value is required", name));
}

std::uint32_t longest_link(const std::string& text, const Topology& topology) {
  const LinkLatency latency = parse_link_latency(text, topology);
  std::uint32_t longest = 1;
  for (const std::uint32_t cycles : latency.by_link(topology)) longest = std::max(longest, cycles);
  return longest;
}

/// Packets that a node's message is dealt to.
std::uint64_t packets_of(const Plan& plan, const RunFacts& facts) {
  const Demand& demand = plan.demand;
  if (facts.whole_messages) return 1;
  // A block of each operand.
  if (demand.to == Destination::kPairs) return 1;
  if (demand.to == Destination::kEachSource) return 1;
  if (demand.is_personal()) return (demand.members(plan.topology.nodes()) - 1) * demand.pieces;
  return demand.pieces;
}

/// Not every collective has a message.
void require_message(const Plan& plan, const PhysicalQuantities& given) {
  if (plan.demand.to == Destination::kMembers) {
    throw InputError(
        "--bytes: the plan has several collectives; give each member a message of its own");
  }
  if (plan.demand.is_counts()) {
    throw InputError(
        fmt::format("--bytes: {} only counts packets; --prefix-flits is the length of its messages",
                    plan.collective));
  }
  if (plan.collective == "barrier" && given.flits() > 1) {
    throw InputError("--bytes: a barrier is one bit per node; use --bytes 1");
  }
}

std::optional<double> ratio(const std::optional<std::uint64_t>& a, const std::optional<double>& b) {
  if (!a || !b || *b == 0) return std::nullopt;
  return static_cast<double>(*a) / *b;
}

}  // namespace

EnergyModel parse_energy(std::string_view what, std::string_view text) {
  EnergyModel energy;
  energy.source = "as given";
  for (const std::string_view part : words_of(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    std::uint32_t* const entry = name == "link"     ? &energy.link
                                 : name == "router" ? &energy.router
                                 : name == "buffer" ? &energy.buffer
                                 : name == "die"    ? &energy.die.emplace()
                                 : name == "add"    ? &energy.add.emplace()
                                                    : nullptr;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (entry == nullptr || error != std::errc() || end != value.data() + value.size() ||
        number > kMostFemtojoules) {
      throw InputError(fmt::format(
          "{}: \"{}\": link=, router=, buffer=, die= and add= in femtojoules per bit are expected, "
          "0 to {}",
          what, part, kMostFemtojoules));
    }
    *entry = number;
  }
  return energy;
}

std::uint64_t PhysicalQuantities::flits() const {
  // Avoids overflow: eight bytes at a time.
  return bytes / link_bits * 8 + bounds::ceil_div(bytes % link_bits * 8, link_bits);
}

void PhysicalFigures::measure(std::optional<std::uint64_t> in_all,
                              std::optional<std::uint64_t> link_transfers,
                              std::optional<std::uint64_t> die_transfers) {
  cycles = in_all;
  events.reset();
  const auto crossed = link_transfers ? product(*link_transfers, transfer_flits) : std::nullopt;
  const auto added = product(additions.value_or(0), transfer_flits);
  if (!crossed || !product(*crossed, 2) || !added) return;
  const bool counts_dies = given.energy.die.has_value();
  if (counts_dies && !die_transfers) return;
  events = FlitEvents{*crossed, *crossed, *crossed * buffer_accesses,
                      counts_dies ? *die_transfers * transfer_flits : 0, *added};
}

std::optional<double> PhysicalFigures::seconds() const {
  return ratio(cycles, static_cast<double>(given.hertz));
}

std::optional<double> PhysicalFigures::node_bytes_per_second() const {
  return ratio(given.bytes, seconds());
}

std::optional<double> PhysicalFigures::bytes_per_second() const {
  return ratio(delivered_bytes, seconds());
}

std::optional<double> PhysicalFigures::utilization() const {
  if (!events || !cycles) return std::nullopt;
  return ratio(events->links,
               static_cast<double>(*cycles) * flits_per_cycle.value_or(static_cast<double>(links)));
}

std::optional<double> PhysicalFigures::fraction_of_bound() const {
  if (!cycles) return std::nullopt;
  return ratio(lower_bound_cycles, static_cast<double>(*cycles));
}

std::optional<double> PhysicalFigures::femtojoules() const {
  if (!events) return std::nullopt;
  const auto of = [this](std::uint64_t flits, std::uint32_t each) {
    return static_cast<double>(flits) * given.link_bits * each;
  };
  return of(events->links - events->dies, given.energy.link) +
         of(events->dies, given.energy.die.value_or(0)) + of(events->routers, given.energy.router) +
         of(events->buffers, given.energy.buffer) + of(events->additions, add_femtojoules);
}

std::optional<double> PhysicalFigures::picojoules_per_bit() const {
  const auto energy = femtojoules();
  if (!energy || !delivered_bytes || *delivered_bytes == 0) return std::nullopt;
  return *energy / 1000 / 8 / static_cast<double>(*delivered_bytes);
}

std::optional<std::uint64_t> flit_lower_bound(const Topology& topology, const Demand& demand,
                                              std::uint64_t flits) {
  if (demand.to == Destination::kPairs) {
    // On a torus, a node receives N - 1 blocks of each operand over 4 links. On a mesh, a node in a
    // corner has a link for each operand.
    Demand rows = Demand::all_gather(1);
    rows.groups = Groups{.shape = {topology.side(0), 1}, .stride = {1, 1}};
    return flit_lower_bound(topology, rows, flits);
  }
  if (demand.groups) {
    Demand in_flits = demand;
    in_flits.pieces =
        demand.is_personal()
            ? bounds::ceil_div(flits, demand.members(topology.nodes()) - std::uint64_t{1})
            : flits;
    return bounds::group_lower_bound(topology, in_flits);
  }
  if (demand == Demand::all_gather(demand.pieces)) {
    return bounds::gossip_lower_bound(topology, flits);
  }
  // The others' bounds are those of whole networks.
  if (!topology.is_healthy()) return std::nullopt;
  if (demand == Demand::broadcast(demand.root, demand.pieces)) {
    return bounds::broadcast_lower_bound(topology, demand.root, flits);
  }
  if (demand == Demand::all_to_all()) {
    const std::uint64_t each =
        bounds::ceil_div(flits, std::max<std::uint64_t>(topology.nodes() - std::uint64_t{1}, 1));
    return bounds::all_to_all_lower_bound(topology, each);
  }
  if (demand.combines() && demand.from == Origin::kEveryNode) {
    Demand in_flits = demand;
    in_flits.pieces = flits;
    return bounds::lower_bound(topology, in_flits);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> delivered_bytes(const Topology& topology, const Demand& demand,
                                             std::uint64_t bytes) {
  const std::uint64_t cores = topology.cores();
  // Of each operand, those of its row or column.
  if (demand.to == Destination::kPairs) return product(cores * 2 * (topology.side(0) - 1), bytes);
  const std::uint64_t members = demand.members(cores);
  const std::uint64_t groups = cores / members;
  if (demand.combines()) {
    // Every node the whole vector; or each node its part of it; or one node all of it.
    return product(demand.to == Destination::kEveryNode ? cores : groups, bytes);
  }
  const std::uint64_t origins = demand.from == Origin::kRoot      ? groups
                                : demand.from == Origin::kSources ? demand.sources.size()
                                                                  : cores;
  return product(demand.to == Destination::kEveryNode ? origins * (members - 1) : origins, bytes);
}

PhysicalFigures physical_figures(const Plan& plan, const PhysicalQuantities& given) {
  require_message(plan, given);
  PhysicalFigures figures;
  figures.given = given;
  const RunFacts facts = run_facts(plan);
  figures.packets = packets_of(plan, facts);
  figures.packet_flits =
      bounds::ceil_div(given.flits(), std::max<std::uint64_t>(figures.packets, 1));
  if (const auto& own = facts.own_flits) {
    if (own->packet != figures.packet_flits) {
      throw InputError(
          fmt::format("--bytes: {} on links of {} bits are {} flits per packet, but the plan's "
                      "packets have {}; use gossamer plan --bytes instead",
                      bytes_text(given.bytes), given.link_bits, figures.packet_flits, own->packet));
    }
    figures.transfer_flits = own->transfer;
  } else {
    figures.step_cycles = given.latency + figures.packet_flits - 1;
    figures.transfer_flits = figures.packet_flits;
  }
  figures.buffer_accesses = facts.buffer_accesses;
  figures.nodes = plan.topology.nodes();
  figures.links = plan.topology.links();
  if (!plan.topology.has_equal_links()) {
    figures.flits_per_cycle = transfers_per_step(plan.topology);
  }
  if (plan.demand.combines()) {
    figures.additions = plan.machine().additions(plan);
    figures.add_femtojoules =
        given.energy.add.value_or(is_float(plan.demand.type) ? kFloatAddition : kIntegerAddition);
  }
  figures.delivered_bytes = delivered_bytes(plan.topology, plan.demand, given.bytes);
  figures.lower_bound_cycles = flit_lower_bound(plan.topology, plan.demand, given.flits());
  return figures;
}

bool is_message_option(std::string_view name) {
  return std::find(kMessageOptions.begin(), kMessageOptions.end(), name) != kMessageOptions.end();
}

namespace {

/// Parses the options other than the bytes.
void take_quantities(const MessageOptions& options, const Topology& topology,
                     PhysicalQuantities& given) {
  if (const std::string bits = text_of(options, "link-bits"); !bits.empty()) {
    const auto number = whole_number(bits, kMaxFlitBits);
    if (number.value_or(0) == 0) {
      throw InputError(fmt::format("--link-bits: \"{}\" is outside 1..{}", bits, kMaxFlitBits));
    }
    given.link_bits = static_cast<std::uint32_t>(*number);
  }
  if (const std::string clock = text_of(options, "clock"); !clock.empty()) {
    given.hertz = parse_hertz("--clock", clock);
  }
  if (const std::string latency = text_of(options, "link-latency"); !latency.empty()) {
    given.latency = longest_link(latency, topology);
  }
  if (const std::string energy = text_of(options, "energy"); !energy.empty()) {
    given.energy = parse_energy("--energy", energy);
    if (given.energy.die && topology.link_periods().chiplets.empty()) {
      throw InputError(
          "--energy: die= needs links between chiplets of another rate, e.g. --chiplets 4x4 "
          "--die-link-rate 1/4");
    }
  }
}

}  // namespace

bool is_standard_message_option(std::string_view name, const ParameterValue& value,
                                const Topology& topology) {
  if (name == "bytes") return false;
  const PhysicalQuantities standard;
  PhysicalQuantities given;
  take_quantities({{std::string(name), value}}, topology, given);
  given.energy.source = standard.energy.source;
  return given == standard;
}

std::optional<PhysicalQuantities> parse_message(const MessageOptions& options,
                                                const Topology& topology) {
  const std::string bytes = text_of(options, "bytes");
  if (bytes.empty()) {
    for (const auto& [name, value] : options) {
      if (!is_standard_message_option(name, value, topology)) {
        throw InputError(fmt::format("--{}: requires --bytes", name));
      }
    }
    return std::nullopt;
  }
  PhysicalQuantities given;
  given.bytes = parse_bytes("--bytes", bytes);
  if (given.bytes > kMaxMessageBytes) {
    throw InputError(
        fmt::format("--bytes: \"{}\" is above {}", bytes, bytes_text(kMaxMessageBytes)));
  }
  take_quantities(options, topology, given);
  return given;
}

std::optional<PhysicalQuantities> quantities_of(const Plan& plan) {
  if (!plan.parameters.contains("bytes")) return std::nullopt;
  MessageOptions options;
  for (const std::string_view name : kMessageOptions) {
    const auto found = plan.parameters.find(std::string(name));
    if (found == plan.parameters.end()) continue;
    if (name != "energy" && !std::holds_alternative<std::int64_t>(found->second)) {
      throw InputError(fmt::format("parameters: {}: a whole number is expected", name));
    }
    options.insert(*found);
  }
  return parse_message(options, plan.topology);
}

void widen_links(MessageOptions& options, WordType accumulate) {
  if (accumulate == WordType::kFloat64) options.try_emplace("link-bits", std::int64_t{64});
}

void set_message(Plan& plan, const MessageOptions& options) {
  if (options.empty()) return;
  MessageOptions all;
  for (const std::string_view name : kMessageOptions) {
    const std::string key(name);
    if (const auto given = options.find(key); given != options.end()) {
      all.insert(*given);
    } else if (const auto kept = plan.parameters.find(key);
               kept != plan.parameters.end() && plan.parameters.contains("bytes")) {
      all.insert(*kept);
    }
  }
  if (plan.demand.combines()) widen_links(all, plan.demand.accumulate);
  const auto quantities = parse_message(all, plan.topology);
  if (!quantities) return;
  const PhysicalFigures figures = physical_figures(plan, *quantities);
  if (quantities->latency > 1 && !figures.step_cycles) {
    throw InfeasibleError(fmt::format(
        "--link-latency: routers of {} plans have their own clock, in which a link takes one "
        "cycle; nearest feasible: --hop-cycles, if the algorithm supports it",
        plan.algorithm));
  }
  for (const auto& [name, value] : all) plan.parameters[name] = value;
  plan.parameters["bytes"] = static_cast<std::int64_t>(quantities->bytes);
  plan.parameters["link-bits"] = std::int64_t{quantities->link_bits};
  plan.parameters["clock"] = static_cast<std::int64_t>(quantities->hertz);
  // A file would have to stay in its place: only the longest link counts.
  plan.parameters.erase("link-latency");
  if (quantities->latency > 1) {
    plan.parameters["link-latency"] = std::int64_t{quantities->latency};
  }
}

}  // namespace gossamer
