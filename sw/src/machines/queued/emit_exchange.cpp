// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of exchange and gather.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "emit_sv.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/machines/queued/rules.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

/// A packet on a link.
struct ExchangeSend {
  std::uint64_t step = 0;
  NodeId from = 0;
  Port port = 0;
  NodeId origin = 0;
  NodeId destination = 0;
};

class ExchangeNetwork {
 public:
  explicit ExchangeNetwork(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        program_(plan.program.as<QueuedProgram>()),
        gather_(plan.demand.to == Destination::kEachSource),
        steps_(planned_count(plan.expected.analytic_steps, "steps", "sv")),
        clock_(clock_of(program_, plan.demand)),
        prefix_(prefix_tables(plan)) {
    if (topology_.dimensions() != 2 || prefix_.classes != 2 || prefix_.deals ||
        prefix_.phases == 0 || program_.phases.back().kind != QueuedPhaseKind::kExchange ||
        program_.phases.back().start != 1 ||
        program_.phases.size() != prefix_.classes * prefix_.phases + 1) {
      throw InputError(
          "format sv: the exchange must consist of sums of rows and columns and one phase of "
          "packets");
    }
    rows_.assign(topology_.side(1), 0);
    columns_.assign(topology_.side(0), 0);
    for (const DemandSource& source : plan.demand.sources) {
      active_.push_back(source.node);
      ++rows_[y_of(source.node)];
      ++columns_[x_of(source.node)];
    }
    // Any node may be active: in an exchange every node has a list for when it is.
    Demand all = plan.demand;
    if (!gather_) {
      all.sources.clear();
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        all.sources.push_back({node, 1});
      }
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      lists_.push_back(exchange_order(topology_, all, program_, node));
      longest_ = std::max(longest_, lists_.back().size());
    }
    observe_links(plan, steps_, [this](std::uint64_t step, std::size_t link, PacketId packet) {
      const auto ports = static_cast<std::size_t>(topology_.ports());
      sends_.push_back({step, static_cast<NodeId>(link / ports), static_cast<Port>(link % ports),
                        static_cast<NodeId>(packet / topology_.nodes()),
                        static_cast<NodeId>(packet % topology_.nodes())});
    });
  }

  [[nodiscard]] std::vector<EmittedFile> files(bool streams) const;

 private:
  [[nodiscard]] std::uint32_t x_of(NodeId node) const { return node % topology_.side(0); }
  [[nodiscard]] std::uint32_t y_of(NodeId node) const { return node / topology_.side(0); }
  [[nodiscard]] bool x_first(NodeId origin, NodeId destination) const {
    const NodeId active = gather_ ? destination : origin;
    return begins_along_x(topology_, plan_.demand, program_, rows_[y_of(active)],
                          columns_[x_of(active)], gather_ ? origin : destination);
  }

  /// The most packets that wait in a FIFO, those that leave at the edge at which they came not
  /// counted: they never join it.
  [[nodiscard]] std::uint64_t most_waiting() const {
    // By node, port and leg: when packets join and leave, +1 and -1 by step.
    std::map<std::uint64_t, std::map<std::uint64_t, std::int64_t>> changes;
    std::map<std::pair<NodeId, NodeId>, std::uint64_t> came;
    for (const ExchangeSend& send : sends_) {
      const auto at = came.find({send.origin, send.destination});
      // Own packets stay with the processing element.
      if (at != came.end() && at->second + 1 < send.step) {
        const bool first = (dimension_of(send.port) == 0) == x_first(send.origin, send.destination);
        const std::uint64_t fifo = (std::uint64_t{send.from} * 4 + send.port) * 2 + (first ? 0 : 1);
        ++changes[fifo][at->second + 1];
        --changes[fifo][send.step];
      }
      came[{send.origin, send.destination}] = send.step;
    }
    std::int64_t most = 1;
    for (const auto& [fifo, steps] : changes) {
      std::int64_t waiting = 0;
      for (const auto& [step, change] : steps) most = std::max(most, waiting += change);
    }
    return static_cast<std::uint64_t>(most);
  }

  /// `own_words`: packets and words of flags; with streams those of flags alone.
  [[nodiscard]] std::optional<std::string> expected(std::size_t word_width,
                                                    std::size_t coordinate_bits,
                                                    std::size_t own_words, bool streams) const;
  [[nodiscard]] std::uint64_t kept() const {
    std::vector<PacketSend> sends;
    for (const ExchangeSend& send : sends_) {
      sends.push_back({send.step, topology_.link(send.from, send.port),
                       PacketId{send.origin} * topology_.nodes() + send.destination});
    }
    return most_kept(topology_, sends);
  }

  const Plan& plan_;
  const Topology& topology_;
  const QueuedProgram& program_;
  bool gather_;
  std::uint64_t steps_;
  StepClock clock_;
  PrefixTables prefix_;
  std::vector<NodeId> active_;
  /// Active nodes of each row and column.
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> columns_;
  /// By node, destinations of its packets in their order.
  std::vector<std::vector<NodeId>> lists_;
  std::size_t longest_ = 1;
  std::vector<ExchangeSend> sends_;
};

std::vector<EmittedFile> ExchangeNetwork::files(bool streams) const {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t nodes = topology_.nodes();
  const auto coordinate_bits =
      static_cast<std::size_t>(field_bits(std::max(topology_.side(0), topology_.side(1)) - 1));
  const int count_bits = field_bits(nodes);
  const std::size_t bits = gather_ ? longest_ + 1 : 1;
  // A word of a node is that of a packet.
  const auto words = [&](std::uint64_t width) {
    return longest_ + (bits + clock_.words * width - 1) / (clock_.words * width);
  };
  const std::uint64_t width =
      packet_bits(plan_, nodes * words(data_bits(plan_)) * clock_.words, nodes * nodes);
  FabricShape shape = queued_shape(plan_, words(width));
  shape.width = width;
  shape.link_extra = 2 * coordinate_bits + 1;
  shape.delivers = number(topology_.ports()) + 1;
  shape.deliver_extra = 2 * number(count_bits);
  streams = streams || !fits_flat_top(topology_, shape);
  if (streams) shape.width = data_bits(plan_);
  std::uint64_t own_words = shape.own_words;

  NetworkBuilder network = queued_network(plan_, gather_ ? "gather" : "exchange");
  network.number("Bits of a coordinate and of a count.", "CoordinateBits", coordinate_bits);
  network.number("", "CountBits", number(count_bits));
  network.flag("1: the balanced rule.", "Balanced", program_.rule == ExchangeRule::kBalanced);
  network.number("Own packets of a node, and the most others that ever wait in a FIFO.", "Own",
                 longest_);
  network.number("", "Entries", most_waiting());
  network.number("Steps of the sums and of the packets.", "PrefixSteps", program_.prefix_steps());
  network.number("", "Steps", steps_);
  network.of_nodes("Own packets that there are.", "Listed", "listed", "Own", [&](NodeId node) {
    Literal listed(longest_);
    listed.fill(0, lists_[node].size());
    return listed;
  });
  network.of_nodes("Where each goes, y above x.", "To", "to", "Own*2*CoordinateBits",
                   [&](NodeId node) {
                     Literal to(longest_ * 2 * coordinate_bits);
                     for (std::size_t i = 0; i < lists_[node].size(); ++i) {
                       to.set(2 * i * coordinate_bits, x_of(lists_[node][i]));
                       to.set((2 * i + 1) * coordinate_bits, y_of(lists_[node][i]));
                     }
                     return to;
                   });
  tell_prefix(network, plan_, prefix_);
  if (streams) {
    const PacketStreams side{
        .own = longest_, .flag_bits = bits, .kept = kept(), .count_bits = number(count_bits)};
    use_packet_streams(network, plan_, side, shape);
    own_words = side.flag_words(shape.width);
  }
  return queued_files(network, plan_, shape,
                      expected(shape.width, coordinate_bits, own_words, streams));
}

std::optional<std::string> ExchangeNetwork::expected(std::size_t word_width,
                                                     std::size_t coordinate_bits,
                                                     std::size_t own_words, bool streams) const {
  // Of a packet.
  const std::size_t width = clock_.words * word_width;
  const std::uint64_t before = program_.prefix_steps();
  const std::uint64_t all = before + steps_;
  const auto delivers = static_cast<std::size_t>(topology_.ports()) + 1;
  auto run = ExpectedRun::make(clock_, all, word_width, topology_.link_slots(),
                               topology_.nodes() * delivers, streams);
  if (!run) return std::nullopt;
  add_prefix(plan_, *run);
  const std::size_t bits = width + 2 * coordinate_bits + 1;
  Literal mask(bits);
  mask.fill(0, bits);
  for (const ExchangeSend& send : sends_) {
    const PacketId packet = PacketId{send.origin} * topology_.nodes() + send.destination;
    Literal word(bits);
    clock_.set(word, packet, word_width);
    word.set(width, x_of(send.destination));
    word.set(width + coordinate_bits, y_of(send.destination));
    word.set(width + 2 * coordinate_bits, x_first(send.origin, send.destination) ? 1 : 0);
    const std::uint32_t number =
        run->add({word.digits(), mask.digits(), static_cast<std::int64_t>(send.step), 0, packet});
    run->on_link(before + send.step, topology_.link(send.from, send.port), number);
    const NodeId to = topology_.neighbor(send.from, send.port);
    if (to != send.destination) continue;
    run->deliver(
        before + send.step, to * delivers + opposite(send.port),
        run->add({clock_.data(packet, word_width), clock_.mask(word_width), -1, 0, packet}));
  }
  const auto count_bits = static_cast<std::size_t>(field_bits(topology_.nodes()));
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    Literal sums(width + 2 * count_bits);
    sums.set(width, rows_[y_of(node)]);
    sums.set(width + count_bits, columns_[x_of(node)]);
    Literal sums_mask(width + 2 * count_bits);
    sums_mask.fill(width, width + 2 * count_bits);
    run->deliver_one(before + 1, node * delivers + delivers - 1,
                     run->add({sums.digits(), sums_mask.digits(), -1, 0, 0}));
  }

  std::vector<std::string> own;
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    const std::vector<NodeId>& list = lists_[node];
    const bool active = std::find(active_.begin(), active_.end(), node) != active_.end();
    for (std::size_t i = 0; i < longest_; ++i) {
      clock_.list(own, i < list.size() ? PacketId{node} * topology_.nodes() + list[i] : 0,
                  word_width);
    }
    // Flags, in words of a packet's length or of a link's.
    const std::size_t flag_words =
        streams ? own_words : (own_words - longest_) * static_cast<std::size_t>(clock_.words);
    std::vector<Literal> flags(flag_words, Literal(word_width));
    flags.front().set(0, active ? 1 : 0);
    for (std::size_t i = 0; i < list.size() && gather_; ++i) {
      flags.at((i + 1) / word_width).set((i + 1) % word_width, x_first(node, list[i]) ? 1 : 0);
    }
    for (const Literal& word : flags) own.push_back(word.digits());
  }
  // The sums of a gatherer and the set of active nodes do not change from round to round.
  const std::string vary =
      gather_
          ? "0"
          : (streams ? StepClock() : clock_).each_word(std::string(word_width / 4 - 1, 'f') + "e");
  return run->text(fmt::format("steps={} cycles={}", steps_, clock_.last_cycle(all)), own, vary);
}

}  // namespace

std::vector<EmittedFile> emit_exchange(const Plan& plan, bool streams) {
  return ExchangeNetwork(plan).files(streams);
}

}  // namespace gossamer::emit_detail
