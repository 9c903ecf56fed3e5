// SPDX-License-Identifier: Apache-2.0
/// Relay plans: SystemVerilog of their networks (gsm_relay_node), and their lists of sends as CSV,
/// JSON and GraphViz.
///
/// Sources of power-of-two networks need no table, only the levels of the sides; other plans have a
/// list of sends for each node that sends. Header fields are as narrow as the plan allows.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "../../emit/expected_run.hpp"
#include "../../emit/network_text.hpp"
#include "../../emit/stream_top.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/machines/relay/router_pins.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Bits of a header as RelayData holds it.
constexpr int kMaxHeaderBits = 256;

/// The narrowest header that the sends of a plan fit. Throws InputError for paths with too many
/// stretches.
RelayFormat narrow_format(const Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  const RelayRouterKind kind = relay_router_kind(program);
  const auto ports = static_cast<unsigned>(plan.topology.ports());
  RelayFormat format;
  if (kind == RelayRouterKind::kTree) return format;
  std::uint64_t longest = 1;
  std::size_t segments = 1;
  for (const RelayPath& path : program.paths()) {
    segments = std::max(segments, path.size());
    for (const RelaySegment& segment : path) {
      longest = std::max<std::uint64_t>(longest, segment.hops);
    }
  }
  format.dimensions = plan.topology.dimensions();
  format.port_bits = static_cast<int>(std::bit_width(ports - 1));
  // A further stretch of 0 links does not exist.
  format.hop_bits = field_bits(segments == 1 ? longest - 1 : longest);
  format.segments = static_cast<int>(segments);
  if (kind == RelayRouterKind::kRule) {
    format.step_bits = field_bits(program.steps() - 1);
    format.tag_bits = plan.topology.is_torus() ? format.dimensions : 0;
  } else {
    // Also the number of the next entry of a list, its end included.
    format.step_bits = field_bits(program.steps());
    format.tag_bits = kind == RelayRouterKind::kList ? format.dimensions + 2 : 0;
  }
  if (format.header_bits() > kMaxHeaderBits || format.segments > 16) {
    throw InputError(
        fmt::format("format sv: a path of {} stretches does not fit a header", format.segments));
  }
  return format;
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

/// One word of every message of a reduction: value and contributions when it is sent, and the
/// receiver's value after it.
class MessageWords final : public Observer {
 public:
  struct Sent {
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
      sent_[{head.step, from}] = {has_[from], head.terms};
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

/// The level of each step of the rule, from 0: steps of the highest level are first.
std::vector<int> step_levels(const EyeRule& rule, int dimensions) {
  std::vector<int> levels;
  for (int level = 15; level >= 1; --level) {
    for (int dim = 0; dim < dimensions; ++dim) {
      if (rule.levels[static_cast<std::size_t>(dim)] >= level) levels.push_back(level);
    }
  }
  return levels;
}

/// The headers of all sends, as their senders write them (docs/tile.md).
class Headers {
 public:
  Headers(const Plan& plan, const RelayRouterConfigs& configs, const RelayFormat& format)
      : program_(plan.program.as<RelayProgram>()),
        configs_(configs),
        format_(format),
        sent_(plan.topology.nodes(), 0),
        tag_(plan.topology.nodes(), 0),
        level_(plan.topology.nodes(), 0) {
    if (program_.rule) levels_ = step_levels(*program_.rule, plan.topology.dimensions());
  }

  /// The header of the send, which arrives at `to`. Sends are in the order of their steps.
  RelayData of(std::uint32_t step, const RelaySend& send, NodeId to) {
    if (configs_.kind() == RelayRouterKind::kTree) return {};
    RelayEntry entry;
    const RelayRouterConfig config = configs_.config(send.from);
    if (config.list) {
      entry = configs_.entry(send.from, sent_[send.from]++);
    } else {
      entry = relay_entry(format_, program_.path(send), step - 1, config.start_side);
      if (configs_.kind() == RelayRouterKind::kList) {
        // An order of the dimensions is passed on only within its level.
        const std::uint32_t side = (1U << static_cast<unsigned>(format_.dimensions)) - 1;
        entry.tag = tag_[send.from] & (level_of(step) == level_[send.from] ? ~0U : side);
      }
    }
    tag_[to] = entry.tag;
    level_[to] = level_of(step);
    RelayData header{};
    format_.put_header(header, entry);
    return header;
  }

 private:
  [[nodiscard]] int level_of(std::uint32_t step) const {
    return step <= levels_.size() ? levels_[step - 1] : 0;
  }

  const RelayProgram& program_;
  const RelayRouterConfigs& configs_;
  const RelayFormat& format_;
  /// By node: number of sends so far, and tag and level of its received message.
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> tag_;
  std::vector<int> level_;
  std::vector<int> levels_;
};

/// The network of a plan: package, tile, and expected run.
class RelayNetwork {
 public:
  RelayNetwork(const Plan& plan, bool streams)
      : plan_(plan),
        topology_(plan.topology),
        program_(plan.program.as<RelayProgram>()),
        clock_(program_.clock),
        cycles_(planned_count(plan.expected.analytic_cycles, "cycles", "sv")),
        format_(narrow_format(plan)),
        configs_(plan, format_),
        kind_(configs_.kind()),
        sends_(sends_by_node(topology_, program_)) {
    static_cast<void>(planned_count(program_.steps(), "steps", "sv"));
    if (sums()) {
      lanes_ = std::make_unique<LaneWords>(plan);
      arithmetic_ = lanes_->arithmetic();
      width_ = static_cast<std::size_t>(lanes_->width());
      list_results();
    } else {
      // The header and something to carry, where the links are too narrow in words.
      const auto header = static_cast<std::uint64_t>(format_.header_bits());
      const std::uint64_t bits = data_bits(plan);
      width_ =
          static_cast<std::size_t>(bits > header ? bits : (header / kDataBits + 1) * kDataBits);
    }
    // Streams have no numbers for words that leave an adder late.
    const bool late = program_.adder_cycles != 0;
    if (streams && late) {
      throw InputError("format sv-stream: relays with adders of several cycles are not supported");
    }
    streams_ = streams || (!late && !fits_flat_top(topology_, flat_shape()));
  }

  [[nodiscard]] std::vector<EmittedFile> files() const;

 private:
  /// A row of the trace.
  struct Crossing {
    std::uint32_t step = 0;
    std::uint32_t hop = 0;
    LinkId link = 0;
    /// The cycle of the head, from 0.
    std::uint64_t cycle = 0;
    RelayData header{};
    NodeId from = 0;
    /// The node that receives the message; kNoNode without one.
    NodeId to = kNoNode;
  };

  [[nodiscard]] bool sums() const { return kind_ == RelayRouterKind::kSums; }
  [[nodiscard]] bool lists() const { return kind_ == RelayRouterKind::kList || sums(); }
  [[nodiscard]] FabricShape flat_shape() const;
  [[nodiscard]] FabricShape stream_shape() const;
  /// By node, the step whose message is its result, 0 without a result.
  void list_results();
  [[nodiscard]] std::vector<Crossing> crossings() const;
  /// The run that the testbench compares with: flit by flit, with headers.
  [[nodiscard]] std::optional<std::string> expected() const;
  /// A flit of a broadcast's message, from bit `first` on; its pattern is unique.
  [[nodiscard]] Literal message_flit(std::uint64_t flit, std::size_t first = 0) const;
  [[nodiscard]] Literal step_starts(std::size_t start_bits) const;
  void describe_lists(NetworkBuilder& network) const;

  const Plan& plan_;
  const Topology& topology_;
  const RelayProgram& program_;
  const MessageClock& clock_;
  std::uint64_t cycles_;
  RelayFormat format_;
  RelayRouterConfigs configs_;
  RelayRouterKind kind_;
  SendsByNode sends_;
  /// Of a reduction.
  std::unique_ptr<LaneWords> lanes_;
  Arithmetic arithmetic_;
  std::vector<std::uint32_t> result_step_;
  /// Bits of a word.
  std::size_t width_ = 0;
  /// Tiles exchange words with their elements by streams.
  bool streams_ = false;
};

FabricShape RelayNetwork::flat_shape() const {
  FabricShape shape;
  shape.width = width_;
  // All tiles see a broadcast's message, the source takes it.
  shape.own_words = clock_.flits;
  shape.own_stride = sums() ? clock_.flits : 0;
  shape.own_total = std::uint64_t{clock_.flits} * (sums() ? topology_.nodes() : 1);
  // The head bit, and of a reduction the header.
  shape.link_extra = 1 + (sums() ? static_cast<std::uint64_t>(format_.header_bits()) : 0);
  shape.deliver_extra = 1;
  shape.latency = clock_.hop_cycles;
  return shape;
}

FabricShape RelayNetwork::stream_shape() const {
  FabricShape shape = flat_shape();
  // Words to send and, in a reduction, words to add to.
  shape.own_words = sums() ? 2 : 1;
  // The number of a delivery takes the place of its head bit.
  shape.deliver_extra = 0;
  shape.streams = true;
  shape.indexed = true;
  shape.index_bits = static_cast<std::uint64_t>(field_bits(clock_.flits - 1));
  return shape;
}

void RelayNetwork::list_results() {
  result_step_.assign(topology_.nodes(), 0);
  for (std::uint32_t step = 1; step <= program_.steps(); ++step) {
    for (const RelaySend& send : program_.sends(step)) {
      const NodeId to = path_end(topology_, send.from, program_.path(send));
      if (plan_.demand.to == Destination::kRoot && to != plan_.demand.root) continue;
      result_step_[to] = step;
    }
  }
}

std::vector<RelayNetwork::Crossing> RelayNetwork::crossings() const {
  FirstHops first(topology_);
  watch(*make_fast_engine(plan_), kNoStepLimit, first);
  std::vector<Crossing> crossings;
  Headers headers(plan_, configs_, format_);
  for (std::uint32_t step = 1; step <= program_.steps(); ++step) {
    for (const RelaySend& send : program_.sends(step)) {
      const RelayPath& path = program_.path(send);
      const NodeId end = path_end(topology_, send.from, path);
      RelayData header = headers.of(step, send, end);
      const std::uint64_t begin = first.cycle(step, send.from, path.front().port);
      const std::uint32_t hops = path_hops(path);
      walk_path(topology_, send.from, path, [&](std::uint32_t hop, NodeId node, Port port) {
        if (hop != 0) format_.advance(header);
        crossings.push_back({step, hop, topology_.link(node, port),
                             begin + std::uint64_t{hop} * clock_.hop_cycles, header, send.from,
                             hop + 1 == hops ? end : kNoNode});
      });
    }
  }
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return std::tie(a.step, a.hop, a.link) < std::tie(b.step, b.hop, b.link);
  });
  return crossings;
}

Literal RelayNetwork::message_flit(std::uint64_t flit, std::size_t first) const {
  SplitMix64 random(flit);
  Literal bits(width_ + 1);
  std::uint64_t word = 0;
  for (std::size_t bit = 0; bit < width_; ++bit, word >>= 1U) {
    if (bit % 64 == 0) word = random.next();
    if (bit >= first) bits.set(bit, word & 1U);
  }
  return bits;
}

std::optional<std::string> RelayNetwork::expected() const {
  auto run = ExpectedRun::make(cycles_, topology_.link_slots(), topology_.nodes());
  if (!run) return std::nullopt;
  const auto header_bits = static_cast<std::size_t>(format_.header_bits());
  const std::size_t flit_bits = sums() ? header_bits + width_ : width_;
  Literal all(flit_bits + 1);
  all.fill(0, flit_bits + 1);
  const std::string mask = all.digits();

  std::vector<std::string> own;
  // An engine of a reduction carries one word. Observers do not move. Values do not depend on the
  // cycles of adders, and without them a node has a sum before it sends it.
  std::deque<MessageWords> words;
  Plan at_once = plan_;
  at_once.program.edit<RelayProgram>().adder_cycles = 0;
  for (std::uint32_t flit = 0; flit < clock_.flits && sums(); ++flit) {
    std::vector<std::uint64_t> at_start;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      at_start.push_back(arithmetic_.word(node, flit, clock_.flits, topology_.nodes()));
    }
    watch(*make_relay_engine(at_once, arithmetic_, flit, clock_.flits), kNoStepLimit,
          words.emplace_back(topology_, std::move(at_start)));
  }
  for (NodeId node = 0; node < (sums() ? topology_.nodes() : 1); ++node) {
    for (std::uint32_t flit = 0; flit < clock_.flits; ++flit) {
      own.push_back(
          sums() ? lanes_->digits(arithmetic_.word(node, flit, clock_.flits, topology_.nodes()))
                 : message_flit(flit).digits());
    }
  }

  // Deliveries by streams have numbers.
  const auto number_of = [this](std::uint32_t flit) { return streams_ ? flit : 0U; };
  // By flit: in a broadcast all but the heads are the same everywhere and have one number.
  std::vector<std::uint32_t> bodies(clock_.flits, 0);
  const auto on_link = [&](const Crossing& crossing, std::uint32_t flit) {
    const bool head = flit == 0;
    if (!head && !sums() && bodies[flit] != 0) return bodies[flit];
    Literal bits = sums() ? Literal(flit_bits + 1) : message_flit(flit, head ? header_bits : 0);
    for (std::size_t bit = 0; head && bit < header_bits; ++bit) {
      bits.set(bit, get_bits(crossing.header, static_cast<int>(bit), 1));
    }
    bits.set(flit_bits, head ? 1 : 0);
    std::uint32_t terms = 0;
    if (sums()) {
      const MessageWords::Sent& sent = words[flit].sent(crossing.step, crossing.from);
      put_value(bits, header_bits, *lanes_, sent.value);
      terms = sent.terms;
    }
    return bodies[flit] = run->add({bits.digits(), mask, head ? std::int64_t{crossing.step} : -1,
                                    crossing.hop, number_of(flit), terms});
  };
  const auto checked = [this](std::uint64_t cycle) {
    if (cycle <= cycles_) return cycle;
    throw InfeasibleError(
        fmt::format("format sv: the plan promises {} cycles, but its run takes more", cycles_));
  };
  for (const Crossing& crossing : crossings()) {
    for (std::uint32_t flit = 0; flit < clock_.flits; ++flit) {
      std::uint32_t word = on_link(crossing, flit);
      std::uint64_t cycle = crossing.cycle + flit + 1;
      run->on_link(checked(cycle), crossing.link, word);
      if (crossing.to == kNoNode) continue;
      if (sums()) {
        if (result_step_[crossing.to] != crossing.step) continue;
        Literal result(width_ + 1);
        put_value(result, 0, *lanes_, words[flit].becomes(crossing.step, crossing.to));
        result.set(width_, flit == 0 ? 1 : 0);
        word = run->add({result.digits(), mask, -1, 0, number_of(flit)});
        if (crossing.step <= program_.adding_steps) cycle += program_.adder_cycles;
      }
      run->deliver(checked(cycle + clock_.hop_cycles - 1), crossing.to, word);
    }
  }
  // The own words of a reduction are the same in every round.
  Literal vary(width_);
  if (!sums()) vary.fill(header_bits, width_);
  return run->text(sums() ? pass_summary(plan_, program_.steps(), cycles_)
                          : fmt::format("steps={} cycles={}", program_.steps(), cycles_),
                   own, vary.digits());
}

Literal RelayNetwork::step_starts(std::size_t start_bits) const {
  const std::vector<std::uint64_t>& lengths = configs_.step_lengths();
  if (lengths.size() * start_bits > kMaxLiteralBits) {
    throw InputError(
        fmt::format("format sv: {} steps begin at cycles of {} bits; all together "
                    "have at most {}",
                    lengths.size(), start_bits, kMaxLiteralBits));
  }
  Literal starts(lengths.size() * start_bits);
  std::uint64_t start = 0;
  for (std::size_t step = 0; step < lengths.size(); ++step) {
    if (lengths[step] == 0) {
      starts.fill(step * start_bits, (step + 1) * start_bits);
    } else {
      starts.set(step * start_bits, start);
    }
    start += lengths[step];
  }
  return starts;
}

void RelayNetwork::describe_lists(NetworkBuilder& network) const {
  const auto length_of = [this](NodeId node) {
    return configs_.config(node).list ? sends_.of(node).size() : 0;
  };
  std::size_t entries_max = 1;
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    entries_max = std::max(entries_max, length_of(node));
  }
  const auto entry_bits = static_cast<std::size_t>(format_.port_bits + format_.header_bits());
  const std::size_t list_bits = entries_max * entry_bits;
  if (list_bits > kMaxLiteralBits) {
    throw InputError(
        fmt::format("format sv: a node's list of {} sends has {} bits; it has at most {}",
                    entries_max, list_bits, kMaxLiteralBits));
  }
  network.number("Header: stretches of a path.", "Segments",
                 static_cast<std::uint64_t>(format_.segments));
  network.number("Entries of the longest list.", "EntriesMax", entries_max);
  network.of_nodes("Entries of the node's list.", "ListLength", "list_length", length_of);
  network.of_nodes(
      "The list: out-port, links less one, step from 0, tag, further stretches of each send.",
      "List", "list", fmt::format("{}", list_bits), [&](NodeId node) {
        Literal list(list_bits);
        for (std::uint32_t i = 0; i < length_of(node); ++i) {
          const RelayEntry entry = configs_.entry(node, i);
          RelayData header{};
          format_.put_header(header, entry);
          std::size_t at = i * entry_bits;
          list.set(at, entry.port);
          at += static_cast<std::size_t>(format_.port_bits);
          for (int bit = 0; bit < format_.header_bits(); ++bit, ++at) {
            list.set(at, get_bits(header, bit, 1));
          }
        }
        return list;
      });
}

std::vector<EmittedFile> RelayNetwork::files() const {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const auto dimensions = static_cast<std::size_t>(topology_.dimensions());
  const bool tree = kind_ == RelayRouterKind::kTree;
  const FabricShape shape = streams_ ? stream_shape() : flat_shape();

  NetworkBuilder network(plan_, "gsm_relay_node");
  network.configuration(relay_router_name(kind_), 4);
  network.parameter("Ports", "gsm_plan_pkg::Ports");
  network.number("Words of a message.", "Flits", clock_.flits);
  network.number("Cycles between having the message and sending it on.", "RelayCycles",
                 clock_.relay_cycles);
  network.number("Clock cycles of a round, and its steps.", "Cycles", cycles_);
  network.number("", "Steps", program_.steps());
  network.number("Bits of a number of flits and relay cycles.", "TimeBits",
                 number(field_bits(std::uint64_t{clock_.flits} + clock_.relay_cycles)));
  if (!tree) {
    network.constant("Header: all bits; number of links; step.", "HeaderBits",
                     number(format_.header_bits()));
    network.number("", "HopBits", number(format_.hop_bits));
    network.number("", "StepBits", number(format_.step_bits));
  }
  if (sums()) {
    network.number("The operation, as gsm_combine numbers them.", "Operation",
                   combine_operation(plan_));
    network.number("Steps whose messages are combined.", "AddingSteps",
                   std::min(program_.adding_steps, program_.steps()));
    if (program_.adder_cycles != 0) {
      network.number("Cycles of an adder, and its inner registers.", "AdderCycles",
                     program_.adder_cycles);
      network.number("", "Stages", inner_stages(plan_, program_.adder_cycles));
    }
    network.flag("1: nodes may send and receive at once.", "Duplex",
                 program_.ports == RelayPorts::kDuplex);
    network.of_nodes("The step whose message is the node's result; 0: it has none.", "ResultStep",
                     "result_step", [this](NodeId node) { return result_step_[node]; });
  } else {
    const auto bit = [](bool value) {
      Literal literal(1);
      literal.set(0, value ? 1 : 0);
      return literal;
    };
    network.of_nodes("1: the node has the message at first.", "Source", "source", "1",
                     [&](NodeId node) { return bit(node == program_.source()); });
    network.of_nodes("1: the node sends.", "Relays", "relays", "1",
                     [&](NodeId node) { return bit(!sends_.of(node).empty()); });
    if (kind_ == RelayRouterKind::kList && program_.rule) {
      network.of_nodes("1: the node sends by its list, 0: by the parity rule.", "ByList", "by_list",
                       "1", [&](NodeId node) { return bit(configs_.config(node).list); });
    }
  }
  if (tree) {
    network.of_nodes("The in-port that the message comes by.", "FanIn", "fan_in",
                     [this](NodeId node) -> std::uint64_t {
                       const Port port = configs_.config(node).fan_in;
                       return port == RelayRouterConfig::kNoPort ? 0 : port;
                     });
    network.of_nodes("Bit p: the message leaves by out-port p.", "FanOut", "fan_out", "Ports",
                     [this](NodeId node) {
                       const RelayRouterConfig config = configs_.config(node);
                       Literal fan_out(static_cast<std::size_t>(config.ports));
                       fan_out.set(0, config.fan_out.bits());
                       return fan_out;
                     });
  } else if (program_.rule && !sums()) {
    Literal levels(dimensions * 4);
    for (std::size_t dim = 0; dim < dimensions; ++dim) {
      levels.set(dim * 4, program_.rule->levels[dim]);
    }
    network.literal("Parity rule: log2 of the sides, 4 bits each.", "Levels", "Ports/2*4", levels);
    network.of_nodes("Bit i: parity of coordinate i.", "Parity", "parity", "Ports/2",
                     [&](NodeId node) {
                       const RelayRouterConfig config = configs_.config(node);
                       Literal parity(dimensions);
                       if (!config.list) parity.set(0, config.parity);
                       return parity;
                     });
    Literal start_side(dimensions);
    start_side.set(0, program_.rule->side_bits);
    network.literal("Side bits at the source.", "StartSide", "Ports/2", start_side);
    network.flag("1: headers have side bits.", "Torus", topology_.is_torus());
  }
  if (lists()) describe_lists(network);
  if (sums() || (!tree && clock_.timing == MessageTiming::kStep)) {
    const int start_bits = field_bits(cycles_ + 1);
    network.parameter("StepSync", "1'b1");
    network.number("Bits of a cycle in which a step begins.", "StartBits", number(start_bits));
    network.literal("Cycles from the start to that of each step; all ones: it has no sends.",
                    "StepStarts", "Steps*StartBits",
                    step_starts(static_cast<std::size_t>(start_bits)));
  }

  if (streams_) {
    network.parameter("Streams", "1'b1");
    network.parameter("IndexBits", "gsm_plan_pkg::IndexBits");
  } else {
    network.tile().leave_out_streams(1, 1, 1);
  }
  NetworkFiles result = network.finish(
      shape, "coordinates_i, table_write_i, table_data_i",
      with_combine(plan_, {"gsm_link", "gsm_queue", "gsm_out_port", "gsm_router_table",
                           "gsm_router", "gsm_relay_sender", "gsm_relay_switch", "gsm_relay_router",
                           "gsm_relay_memory", "gsm_round", "gsm_error", "gsm_relay_node"}));
  if (program_.adder_cycles != 0) {
    for (const std::string_view name : {"gsm_delay", "gsm_adder"}) {
      result.modules.emplace_back(name);
    }
  }
  result.expected = expected();
  if (streams_) use_streams(topology_, shape, result);
  return network_files(result);
}

/// Calls visit(node, step, to, path) for every send, in the order of node and step.
template <typename Visit>
void for_each_send(const Plan& plan, Visit visit) {
  const auto& program = plan.program.as<RelayProgram>();
  const SendsByNode lists = sends_by_node(plan.topology, program);
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (const SendsByNode::Entry& entry : lists.of(node)) {
      const RelayPath& path = program.paths()[entry.path];
      visit(node, entry.step, path_end(plan.topology, node, path), path);
    }
  }
}

}  // namespace

std::vector<EmittedFile> emit_relay_sv(const Plan& plan, bool streams) {
  check_nodes(plan, "sv");
  return RelayNetwork(plan, streams).files();
}

std::vector<EmittedFile> emit_relay_csv(const Plan& plan) {
  std::string text = "node,step,to,hops,path\n";
  for_each_send(plan, [&](NodeId node, std::uint32_t step, NodeId to, const RelayPath& path) {
    append_format(text, "{},{},{},{},", node, step, to, path_hops(path));
    for (std::size_t i = 0; i < path.size(); ++i) {
      append_format(text, "{}{}{}", i == 0 ? "" : " ", port_name(path[i].port), path[i].hops);
    }
    text += '\n';
  });
  return {{"sends.csv", std::move(text)}};
}

std::vector<EmittedFile> emit_relay_json(const Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  std::string text = fmt::format(
      "{{\n\"format\": \"gossamer-sends\",\n\"version\": 1,\n\"collective\": {},\n"
      "\"algorithm\": {},\n{},\n\"source\": {},\n"
      "\"copies_on_the_way\": {},\n\"timing\": \"{}\",\n\"flits\": {},\n\"hop_cycles\": {},\n"
      "\"relay_cycles\": {},\n\"steps\": {},\n\"cycles\": {},\n\"sends\": [",
      json_text(plan.collective), json_text(plan.algorithm), json_topology(plan.topology),
      program.source(), program.ports == RelayPorts::kFanOut,
      program.clock.timing == MessageTiming::kStep ? "step" : "self", program.clock.flits,
      program.clock.hop_cycles, program.clock.relay_cycles, program.steps(),
      json_number(plan.expected.analytic_cycles));
  bool first = true;
  for_each_send(plan, [&](NodeId node, std::uint32_t step, NodeId to, const RelayPath& path) {
    append_format(text, "{}\n  {{\"node\": {}, \"step\": {}, \"to\": {}, \"hops\": {}, \"path\": [",
                  first ? "" : ",", node, step, to, path_hops(path));
    for (std::size_t i = 0; i < path.size(); ++i) {
      append_format(text, R"({}{{"port": "{}", "hops": {}}})", i == 0 ? "" : ", ",
                    port_name(path[i].port), path[i].hops);
    }
    text += "]}";
    first = false;
  });
  text += "\n]\n}\n";
  return {{"sends.json", std::move(text)}};
}

std::vector<EmittedFile> emit_relay_dot(const Plan& plan) {
  std::string text = dot_nodes(plan);
  for_each_send(plan, [&](NodeId node, std::uint32_t step, NodeId to, const RelayPath&) {
    append_format(text, "  n{} -> n{} [color=\"{}\", label=\"{}\", fontsize=6];\n", node, to,
                  kLinkColours[(step - 1) % kLinkColours.size()], step);
  });
  text += "}\n";
  return {{"network.dot", std::move(text)}};
}

}  // namespace gossamer::emit_detail
