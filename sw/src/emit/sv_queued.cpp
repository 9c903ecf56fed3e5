// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of the queued collectives whose parts exist in RTL: all broadcasts of a line or
/// ring (gsm_line_node) and prefixes (gsm_prefix_node).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "expected_run.hpp"
#include "formats.hpp"
#include "gossamer/sim/queued_rules.hpp"
#include "gossamer/util/error.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Nodes that are told the same share a class.
class NodeClasses {
 public:
  void add(std::vector<std::string> told) {
    const auto [at, added] = index_.try_emplace(std::move(told), told_.size());
    if (added) told_.push_back(&at->first);
    of_node_.push_back(at->second);
  }
  /// The function node_class.
  [[nodiscard]] std::string of_node() const { return node_class_function(of_node_); }
  /// What the classes are told as their `item`-th.
  [[nodiscard]] std::vector<std::string> told(std::size_t item) const {
    std::vector<std::string> result;
    for (const auto* at : told_) result.push_back(at->at(item));
    return result;
  }

 private:
  std::map<std::vector<std::string>, std::size_t> index_;
  std::vector<const std::vector<std::string>*> told_;
  std::vector<std::size_t> of_node_;
};

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
  NodeClasses classes;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    Literal linked(2);
    Literal lengths(2UL * 16);
    Literal literal(2 * list_bits);
    for (const Port port : {make_port(0, false), make_port(0, true)}) {
      if (topology.neighbor(node, port) != kNoNode) linked.set(port, 1);
      const auto& list = lists[topology.link(node, port)];
      lengths.set(std::size_t{port} * 16, list.size());
      std::size_t at = port * list_bits;
      for (const Own& own : list) {
        literal.set(at, own.part);
        literal.set(at + static_cast<std::size_t>(number_bits), own.hops);
        at += static_cast<std::size_t>(number_bits + hop_bits);
      }
    }
    classes.add({linked.text(), lengths.text(), literal.text()});
  }
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  FabricShape shape;
  shape.own_words = plan.demand.pieces;
  shape.own_stride = shape.own_words;
  shape.own_total = topology.nodes() * shape.own_words;
  shape.link_extra = number(hop_bits);
  shape.delivers = 2;
  NetworkFiles network;
  network.package =
      fabric_package(plan, shape,
                     {{"Parts of packets that a node may have.", "Packets", shape.own_words},
                      {"Steps of a round.", "Steps", steps},
                      {"Bits of a number of links.", "HopBits", number(hop_bits)},
                      {"Entries of the longest list.", "EntriesMax", longest}}) +
      classes.of_node() +
      class_function("Bit p: port p leads to a neighbour.", "linked", "2", classes.told(0)) +
      class_function("Bits p*16 +: 16: own packets that leave by port p.", "list_length", "2*16",
                     classes.told(1)) +
      class_function("They in their order, each with its number and the links that it goes.",
                     "list", fmt::format("2*{}", list_bits), classes.told(2));
  network.tile = {"gsm_line_node",
                  {{"Width", "Width"},
                   {"Packets", "gsm_plan_pkg::Packets"},
                   {"Steps", "gsm_plan_pkg::Steps"},
                   {"HopBits", "gsm_plan_pkg::HopBits"},
                   {"EntriesMax", "gsm_plan_pkg::EntriesMax"},
                   {"Linked", "gsm_plan_pkg::linked(Class)"},
                   {"ListLength", "gsm_plan_pkg::list_length(Class)"},
                   {"List", "gsm_plan_pkg::list(Class)"}},
                  "coordinates_i, table_write_i, table_data_i"};
  network.modules = {"gsm_link",  "gsm_queue", "gsm_line_stage",
                     "gsm_round", "gsm_error", "gsm_line_node"};
  network.expected =
      expected_packets(plan, steps, std::uint64_t{plan.topology.nodes()} * plan.demand.pieces,
                       kDataBits, fmt::format("steps={} cycles={}", steps, steps));
  return network_files(network);
}

/// What the testbench of a prefix has to see: a message on each link in its cycle, whatever it
/// says, and in the end ranks and sums, counted here from the nodes' numbers.
std::optional<std::string> expected_ranks(const Plan& plan, std::uint64_t steps, int count_bits) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<QueuedProgram>(plan.program);
  const auto classes = static_cast<std::size_t>(program.classes);
  auto run = ExpectedRun::make(steps, topology.link_slots(), topology.nodes() * classes);
  if (!run) return std::nullopt;
  for (std::size_t i = 0; i < topology.nodes() * classes; ++i) run->add({"0", "0", 0, 0, i});
  observe_links(plan, steps, [&run](std::uint64_t step, std::size_t link, PacketId packet) {
    run->on_link(step, link, static_cast<std::uint32_t>(packet + 1));
  });

  std::vector<std::uint64_t> counts(topology.nodes(), 0);
  std::uint64_t total = 0;
  for (const DemandSource& source : plan.demand.sources_in(topology)) {
    counts[source.node] = source.pieces;
    total += source.pieces;
  }
  const auto bits = static_cast<std::size_t>(count_bits);
  for (int index = 0; index < program.classes; ++index) {
    // The nodes in the order of the class: dimension `index` least significant.
    std::vector<NodeId> order(topology.nodes());
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      std::size_t place = 0;
      for (int j = topology.dimensions(); j-- > 0;) {
        const int dim = (j + index) % topology.dimensions();
        place =
            place * topology.side(dim) + topology.coordinates(node)[static_cast<std::size_t>(dim)];
      }
      order[place] = node;
    }
    std::uint64_t before = 0;
    for (const NodeId node : order) {
      Literal data(2 * bits);
      data.set(0, before);
      data.set(bits, total);
      Literal mask(2 * bits);
      for (std::size_t bit = counts[node] != 0 ? 0 : bits; bit < 2 * bits; ++bit) mask.set(bit, 1);
      run->deliver(steps + 1, node * classes + static_cast<std::size_t>(index),
                   run->add({data.digits(), mask.digits(), 0, 0, 0}));
      before += counts[node];
    }
  }
  std::vector<std::string> own;
  for (const std::uint64_t count : counts) own.push_back(fmt::format("{:x}", count));
  return run->text(fmt::format("steps={} cycles={}", steps, steps), own, "0");
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
  // Class by class, in whatever order the plan lists them.
  std::vector<QueuedPhase> listed = program.phases;
  std::stable_sort(listed.begin(), listed.end(),
                   [](const auto& a, const auto& b) { return a.class_index < b.class_index; });
  const std::size_t phases = listed.size() / program.classes;
  const int dimensions = topology.dimensions();
  Literal starts(listed.size() * 32);
  Literal kinds(listed.size() * 2);
  Literal along(listed.size() * 3);
  Literal levels(listed.size() * 3);
  // The digit of the class's order that a phase's dimension is.
  const auto level_of = [dimensions](const QueuedPhase& phase) {
    return (phase.dimension + dimensions - static_cast<int>(phase.class_index)) % dimensions;
  };
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const QueuedPhase& phase = listed[i];
    if (phase.class_index != i / phases || phase.class_round) {
      throw InputError("format sv: the classes of this prefix have different phases");
    }
    starts.set(i * 32, phase.start);
    kinds.set(i * 2, static_cast<std::uint64_t>(phase.kind));
    along.set(i * 3, static_cast<std::uint64_t>(phase.dimension));
    levels.set(i * 3, static_cast<std::uint64_t>(level_of(phase)));
  }
  NodeClasses classes;
  const std::uint32_t side = topology.side(0);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const Coordinates at = topology.coordinates(node);
    Literal place(listed.size() * 6);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const QueuedPhase& phase = listed[i];
      const std::uint32_t digit = at[static_cast<std::size_t>(phase.dimension)];
      const int level = level_of(phase);
      // All less significant digits are the last.
      bool on_tree = true;
      for (int j = 0; j < level; ++j) {
        const int dim = (j + static_cast<int>(phase.class_index)) % dimensions;
        on_tree = on_tree && at[static_cast<std::size_t>(dim)] == side - 1;
      }
      const bool flags[] = {digit == 0, digit == side - 1, digit<side / 2, digit> side / 2,
                            level == dimensions - 1, on_tree};
      for (std::size_t bit = 0; bit < std::size(flags); ++bit) {
        place.set(i * 6 + bit, flags[bit] ? 1 : 0);
      }
    }
    classes.add({place.text()});
  }
  const int count_bits = field_bits(topology.nodes());
  FabricShape shape;
  shape.width = static_cast<std::uint64_t>(count_bits);
  shape.own_total = topology.nodes();
  shape.link_words = 2;
  shape.delivers = program.classes;
  shape.deliver_words = 2;
  const auto literal = [](std::string_view comment, std::string_view name, int bits,
                          const Literal& value) {
    return fmt::format("  // {}\n  localparam logic [Classes*Phases*{}-1:0] {} = {};\n\n", comment,
                       bits, name, value.text());
  };
  NetworkFiles network;
  network.package =
      fabric_package(plan, shape,
                     {{"Classes, each with its order of the dimensions; phases of each.", "Classes",
                       program.classes},
                      {"", "Phases", phases},
                      {"Steps of a phase, and of a round.", "PhaseSteps", side - 1},
                      {"", "Steps", steps}}) +
      literal("By class*Phases + phase: its first step.", "PhaseStart", 32, starts) +
      literal("Its kind: 0 tree forward, 1 tree backward, 2 two-way.", "PhaseKind", 2, kinds) +
      literal("Its dimension.", "PhaseDimension", 3, along) +
      literal("The digit that this is in the order of the class.", "PhaseLevel", 3, levels) +
      classes.of_node() +
      class_function("Place on the line: first, last, below, above, root level, on tree.", "place",
                     "Classes*Phases*6", classes.told(0));
  network.tile = {
      "gsm_prefix_node", {{"Width", "Width"}}, "coordinates_i, table_write_i, table_data_i"};
  for (const std::string_view name : {"Ports", "Classes", "Phases", "PhaseSteps", "Steps",
                                      "PhaseStart", "PhaseKind", "PhaseDimension", "PhaseLevel"}) {
    network.tile.parameters.emplace_back(name, fmt::format("gsm_plan_pkg::{}", name));
  }
  network.tile.parameters.emplace_back("Place", "gsm_plan_pkg::place(Class)");
  network.modules = {"gsm_prefix_unit", "gsm_round", "gsm_prefix_node", "gsm_link"};
  network.expected = expected_ranks(plan, steps, count_bits);
  return network_files(network);
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
