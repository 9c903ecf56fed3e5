// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of reductions by relays: every node has a list of sends and an adder.
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "engine.hpp"
#include "gossamer/sim/observers.hpp"
#include "emit_sv.hpp"

namespace gossamer::emit_detail {

namespace {

/// What one node is told.
struct SumNodeClass {
  std::int64_t result_step = 0;
  std::int64_t entries = 0;
  std::string list;

  auto operator<=>(const SumNodeClass&) const = default;
};

/// One word of every message of a run: what it holds, when its head leaves, what it becomes.
class MessageWords final : public Observer {
 public:
  struct Sent {
    std::uint64_t cycle = 0;
    std::uint64_t value = 0;
    std::uint32_t terms = 0;
  };

  MessageWords(const Topology& topology, std::vector<std::uint64_t> own)
      : topology_(topology), has_(std::move(own)) {}

  bool on_links(const LinkView& view) override {
    for (std::size_t i = 0; i < view.deliveries.size(); ++i) {
      const Result& result = view.results[i];
      has_[result.node] = result.value;
      become_[{view.deliveries[i].step, result.node}] = result.value;
    }
    for (const Head& head : view.heads) {
      if (head.hop != 0) continue;
      const NodeId from = topology_.link_from(head.link);
      sent_[{head.step, from}] = {view.cycle, has_[from], head.terms};
    }
    return true;
  }
  [[nodiscard]] const Sent& sent(std::uint32_t step, NodeId from) const {
    return sent_.at({step, from});
  }
  [[nodiscard]] std::uint64_t becomes(std::uint32_t step, NodeId to) const {
    return become_.at({step, to});
  }

 private:
  const Topology& topology_;
  /// By node.
  std::vector<std::uint64_t> has_;
  std::map<std::pair<std::uint32_t, NodeId>, Sent> sent_;
  std::map<std::pair<std::uint32_t, NodeId>, std::uint64_t> become_;
};

/// By node, the step whose message is its result; 0: it has none.
std::vector<std::uint32_t> result_steps(const Plan& plan, const RelayProgram& program) {
  std::vector<std::uint32_t> last(plan.topology.nodes(), 0);
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (const RelaySend& send : program.sends(step)) {
      const NodeId to = path_end(plan.topology, send.from, program.path(send));
      if (plan.demand.to == Destination::kRoot && to != plan.demand.root) continue;
      last[to] = step;
    }
  }
  return last;
}

/// What the testbench has to see: flit by flit, with headers. Each flit is the word of a run.
std::optional<std::string> expected_sums(const Plan& plan, const RelayFormat& format,
                                         const Arithmetic& arithmetic,
                                         const std::vector<std::uint32_t>& result_step,
                                         std::uint64_t cycles) {
  const auto& program = plan.program.as<RelayProgram>();
  const Topology& topology = plan.topology;
  const MessageClock& clock = program.clock;
  auto run = ExpectedRun::make(cycles, topology.link_slots(), topology.nodes());
  if (!run) return std::nullopt;

  std::vector<std::vector<std::uint64_t>> own(topology.nodes());
  // Observers do not move.
  std::deque<MessageWords> words;
  for (std::uint32_t flit = 0; flit < clock.flits; ++flit) {
    std::vector<std::uint64_t> at_start;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      at_start.push_back(arithmetic.word(node, flit, clock.flits, topology.nodes()));
      own[node].push_back(at_start.back());
    }
    watch(*make_relay_engine(plan, arithmetic, flit, program.clock.flits), kNoStepLimit,
          words.emplace_back(topology, std::move(at_start)));
  }

  const auto width = static_cast<std::size_t>(arithmetic.bits);
  const auto header_bits = static_cast<std::size_t>(format.header_bits());
  const auto digits = [&](const RelayData& header, std::uint64_t word, bool head) {
    Literal literal(header_bits + width + 1);
    for (std::size_t bit = 0; head && bit < header_bits; ++bit) {
      literal.set(bit, get_bits(header, static_cast<int>(bit), 1));
    }
    literal.set(header_bits, word);
    literal.set(header_bits + width, head ? 1 : 0);
    return literal.digits();
  };
  Literal all(header_bits + width + 1);
  all.fill(0, header_bits + width + 1);
  const std::string mask = all.digits();

  // The rows of the trace in its order.
  struct Crossing {
    std::uint32_t step = 0;
    std::uint32_t hop = 0;
    LinkId link = 0;
    NodeId from = 0;
    RelayData header{};
    /// The node that the message is delivered to, kNoNode for none.
    NodeId to = kNoNode;
  };
  std::vector<Crossing> crossings;
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (const RelaySend& send : program.sends(step)) {
      const RelayPath& path = program.path(send);
      const std::uint32_t hops = path_hops(path);
      RelayData header = header_of(format, relay_entry(format, path, step - 1, 0));
      walk_path(topology, send.from, path, [&](std::uint32_t hop, NodeId node, Port port) {
        if (hop != 0) format.advance(header);
        const NodeId to = hop + 1 == hops ? topology.neighbor(node, port) : kNoNode;
        crossings.push_back({step, hop, topology.link(node, port), send.from, header, to});
      });
    }
  }
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return std::tie(a.step, a.hop, a.link) < std::tie(b.step, b.hop, b.link);
  });
  for (const Crossing& crossing : crossings) {
    for (std::uint32_t flit = 0; flit < clock.flits; ++flit) {
      const MessageWords::Sent& sent = words[flit].sent(crossing.step, crossing.from);
      const std::uint64_t cycle =
          sent.cycle + std::uint64_t{crossing.hop} * clock.hop_cycles + flit + 1;
      const bool head = flit == 0;
      run->on_link(
          cycle, crossing.link,
          run->add({digits(crossing.header, sent.value, head), mask,
                    head ? std::int64_t{crossing.step} : -1, crossing.hop, 0, sent.terms}));
      if (crossing.to == kNoNode || result_step[crossing.to] != crossing.step) continue;
      Literal result(width + 1);
      result.set(0, words[flit].becomes(crossing.step, crossing.to));
      result.set(width, head ? 1 : 0);
      run->deliver(cycle + clock.hop_cycles - 1, crossing.to,
                   run->add({result.digits(), mask, -1, 0, 0}));
    }
  }
  std::vector<std::string> given;
  for (const std::vector<std::uint64_t>& node : own) {
    for (const std::uint64_t word : node) given.push_back(fmt::format("{:x}", word));
  }
  return run->text(pass_summary(plan, program.steps(), cycles), given, "0");
}

}  // namespace

std::vector<EmittedFile> emit_relay_sums_sv(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<RelayProgram>();
  const MessageClock& clock = program.clock;
  check_nodes(plan, "sv");
  static_cast<void>(planned_count(program.steps(), "steps", "sv"));
  const std::uint64_t cycles = planned_count(plan.expected.analytic_cycles, "cycles", "sv");
  const RelayFormat format = narrow_format(plan);
  const RelayRouterConfigs configs(plan, format);
  const Arithmetic arithmetic = hardware_arithmetic(plan);

  FabricShape shape;
  shape.width = static_cast<std::uint64_t>(arithmetic.bits);
  shape.own_words = clock.flits;
  shape.own_stride = clock.flits;
  shape.own_total = std::uint64_t{clock.flits} * topology.nodes();
  // Header and head bit.
  shape.link_extra = static_cast<std::uint64_t>(format.header_bits()) + 1;
  shape.deliver_extra = 1;
  shape.latency = clock.hop_cycles;

  const SendsByNode sends = sends_by_node(topology, program);
  std::size_t entries_max = 1;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    entries_max = std::max(entries_max, sends.of(node).size());
  }
  const auto list_bits = entries_max * static_cast<std::size_t>(entry_bits(format));
  check_list(entries_max, list_bits);
  const std::vector<std::uint32_t> result_step = result_steps(plan, program);
  std::map<SumNodeClass, std::size_t> index;
  std::vector<SumNodeClass> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    Literal list(list_bits);
    const auto count = static_cast<std::uint32_t>(sends.of(node).size());
    for (std::uint32_t i = 0; i < count; ++i) put_entry(list, i, format, configs.entry(node, i));
    const SumNodeClass one{result_step[node], count, list.text()};
    const auto [at, added] = index.try_emplace(one, classes.size());
    if (added) classes.push_back(one);
    class_of_node.push_back(at->second);
  }

  const int start_bits = field_bits(cycles + 1);
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  NetworkFiles network;
  network.package = fabric_package(
      plan, shape,
      {{"The operation, as gsm_combine numbers them.", "Operation", combine_operation(plan)},
       {"Words of a message.", "Flits", clock.flits},
       {"Cycles between having a message and sending the node's on.", "RelayCycles",
        clock.relay_cycles},
       {"Clock cycles of a round, its steps, and those whose messages are combined.", "Cycles",
        cycles},
       {"", "Steps", program.steps()},
       {"", "AddingSteps", std::min(program.adding_steps, program.steps())},
       {"1: nodes may send and receive at once.", "Duplex",
        program.ports == RelayPorts::kDuplex ? 1U : 0U},
       {"Bits of a number of flits and relay cycles.", "TimeBits",
        number(field_bits(std::uint64_t{clock.flits} + clock.relay_cycles))},
       {"Header: number of links; step; stretches of a path.", "HopBits", number(format.hop_bits)},
       {"", "StepBits", number(format.step_bits)},
       {"", "Segments", number(format.segments)},
       {"Entries of the longest list.", "EntriesMax", entries_max},
       {"Bits of a cycle in which a step begins.", "StartBits", number(start_bits)}});
  network.package += node_class_function(class_of_node);
  std::vector<std::int64_t> results;
  std::vector<std::int64_t> lengths;
  std::vector<std::string> lists;
  for (const SumNodeClass& one : classes) {
    results.push_back(one.result_step);
    lengths.push_back(one.entries);
    lists.push_back(one.list);
  }
  network.package += int_function("The step whose message is the node's result; 0: it has none.",
                                  "result_step", results);
  network.package += int_function("Entries of the node's list.", "list_length", lengths);
  network.package += class_function(
      "The list: out-port, links less one, step from 0, further stretches of each send.", "list",
      fmt::format("{}", list_bits), lists);
  network.package += fmt::format(
      "  // Cycles from the start to that of each step; all ones: it has no sends.\n"
      "  localparam logic [Steps*StartBits-1:0] StepStarts = {};\n\n",
      step_starts(configs, true, start_bits));

  network.tile.node = "gsm_relay_sum_node";
  network.tile.unused = "coordinates_i, table_write_i, table_data_i";
  network.tile.parameters = {{"Width", "Width"}};
  network.tile.take_constants({"Ports", "Operation", "Flits", "RelayCycles", "Cycles", "Steps",
                               "AddingSteps", "TimeBits", "HopBits", "StepBits", "Segments",
                               "EntriesMax", "StartBits", "StepStarts"});
  network.tile.parameters.emplace_back("Duplex", "gsm_plan_pkg::Duplex != 0");
  for (const auto& [parameter, function] :
       {std::pair{"ResultStep", "result_step"}, {"ListLength", "list_length"}, {"List", "list"}}) {
    network.tile.parameters.emplace_back(parameter,
                                         fmt::format("gsm_plan_pkg::{}(Class)", function));
  }
  network.modules = {"gsm_link",          "gsm_combine",     "gsm_relay_switch",
                     "gsm_relay_list",    "gsm_relay_steps", "gsm_relay_sum_router",
                     "gsm_sum_memory",    "gsm_round",       "gsm_error",
                     "gsm_relay_sum_node"};
  network.expected = expected_sums(plan, format, arithmetic, result_step, cycles);
  return network_files(network);
}

}  // namespace gossamer::emit_detail
