// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of packets in classes: packing, monotone routing, and partial broadcasts.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emit_sv.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Where a packet belongs: its class and its key in it.
struct ClassKey {
  std::uint8_t class_index = 0;
  std::uint32_t key = 0;
};

class ClassNetwork {
 public:
  explicit ClassNetwork(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        program_(plan.program.as<QueuedProgram>()),
        steps_(planned_count(plan.expected.analytic_steps, "steps", "sv")),
        split_(program_.class_rule == QueuedClassRule::kSplit),
        clock_(clock_of(program_, plan.demand)) {
    for (int dim = 1; dim < topology_.dimensions(); ++dim) {
      if (topology_.side(dim) != topology_.side(0) || topology_.wraps(dim) != topology_.wraps(0)) {
        refuse("the dimensions differ");
      }
    }
    has_prefix_ = program_.prefix_steps() != 0;
    if (has_prefix_) prefix_ = prefix_tables(plan);
    list_phases();
    list_members();
    observe_links(plan, steps_, [this](std::uint64_t step, std::size_t link, PacketId packet) {
      sends_.push_back({step, link, packet});
    });
  }

  [[nodiscard]] std::vector<EmittedFile> files(bool streams) const;

 private:
  [[noreturn]] static void refuse(std::string_view what) {
    throw InputError(fmt::format("format sv: {}", what));
  }

  /// The phases of class 0; those of the others are along other dimensions, and otherwise equal.
  void list_phases() {
    std::vector<std::vector<QueuedPhase>> by_class(program_.classes);
    for (const QueuedPhase& phase : program_.phases) {
      if (!phase.is_prefix()) by_class[phase.class_index].push_back(phase);
    }
    for (std::vector<QueuedPhase>& phases : by_class) {
      std::stable_sort(phases.begin(), phases.end(),
                       [](const auto& a, const auto& b) { return a.start < b.start; });
      for (std::size_t i = 0; i < phases.size(); ++i) {
        dimensions_.push_back(phases[i].dimension);
        phases[i].class_index = 0;
        phases[i].dimension = 0;
        if (phases[i].kind == QueuedPhaseKind::kExchange) {
          refuse("a phase does not move packets by class");
        }
        if (i > 0 && phases[i].start <= phases[i - 1].last()) {
          refuse(fmt::format("phases of a class overlap in step {}", phases[i].start));
        }
      }
      if (phases != by_class.front()) refuse("the classes of this plan have different phases");
    }
    phases_ = by_class.front();
    for (const QueuedPhase& phase : phases_) {
      if (phase.kind == QueuedPhaseKind::kBroadcast) last_broadcast_ = phase.start;
    }
  }

  /// Ranks of all packets, counted here from the nodes' numbers.
  void list_members() {
    std::vector<bool> active(topology_.nodes(), false);
    std::vector<std::uint32_t> class_of(topology_.nodes(), 0);
    std::uint32_t rank_of_all = 0;
    const bool ranked = program_.class_rule == QueuedClassRule::kRank;
    if (ranked && program_.classes > 1 && !prefix_.deals) {
      refuse("no round of the prefix deals packets to classes");
    }
    for (const DemandSource& source : plan_.demand.sources_in(topology_)) {
      if (program_.packets_of(source.pieces, plan_.demand) != 1) {
        refuse(fmt::format("node {} does not have exactly one packet", source.node));
      }
      active[source.node] = true;
      std::uint32_t sum = 0;
      for (const std::uint32_t digit : topology_.coordinates(source.node)) sum += digit;
      class_of[source.node] = (ranked ? rank_of_all : sum) % program_.classes;
      ++rank_of_all;
    }
    const std::uint64_t pieces = plan_.demand.pieces;
    ranks_.assign(program_.classes, std::vector<std::int64_t>(topology_.nodes(), -1));
    for (std::uint8_t c = 0; c < program_.classes; ++c) {
      std::uint32_t rank = 0;
      for (NodeId place = 0; place < topology_.nodes(); ++place) {
        const NodeId node = rotated_node(topology_, place, c);
        if (!active[node] || (!split_ && class_of[node] != c)) continue;
        const PacketId first = PacketId{node} * pieces + (split_ ? c * program_.halves : 0);
        for (std::uint32_t half = 0; half < program_.halves; ++half) {
          keys_[first + half] = {c, rank * program_.halves + half};
        }
        ranks_[c][node] = rank++;
      }
      most_ranks_ = std::max(most_ranks_, rank);
    }
  }

  [[nodiscard]] const QueuedPhase* phase_in(std::uint64_t step) const {
    for (const QueuedPhase& phase : phases_) {
      if (step >= phase.start && step <= phase.last()) return &phase;
    }
    return nullptr;
  }

  /// The largest number of packets of a class that a node holds after any edge; finally, the
  /// holders of class 0.
  [[nodiscard]] std::size_t most_held(std::vector<std::vector<PacketId>>& held) const {
    const auto ports = static_cast<std::size_t>(topology_.ports());
    std::vector<std::vector<PacketId>> at(std::size_t{topology_.nodes()} * program_.classes);
    for (const auto& [packet, key] : keys_) {
      at[packet / plan_.demand.pieces * program_.classes + key.class_index].push_back(packet);
    }
    std::size_t most = 1;
    std::vector<std::pair<std::size_t, PacketId>> arriving;
    std::size_t next = 0;
    for (std::uint64_t step = 1; step <= steps_ + 1; ++step) {
      for (const auto& [place, packet] : arriving) at[place].push_back(packet);
      arriving.clear();
      const QueuedPhase* phase = phase_in(step);
      const bool copies = phase != nullptr && phase->kind == QueuedPhaseKind::kBroadcast;
      for (; next < sends_.size() && sends_[next].step == step; ++next) {
        const auto from = static_cast<NodeId>(sends_[next].link / ports);
        const auto port = static_cast<Port>(sends_[next].link % ports);
        const PacketId packet = sends_[next].packet;
        const std::uint8_t c = keys_.at(packet).class_index;
        if (!copies) std::erase(at[from * program_.classes + c], packet);
        if (copies && phase->start == last_broadcast_) continue;
        arriving.emplace_back(topology_.neighbor(from, port) * program_.classes + c, packet);
      }
      for (const auto& packets : at) most = std::max(most, packets.size());
    }
    held = std::move(at);
    return most;
  }

  [[nodiscard]] std::optional<std::string> expected(std::size_t delivers, int key_bits,
                                                    const std::vector<std::vector<PacketId>>& held,
                                                    bool streams) const;

  const Plan& plan_;
  const Topology& topology_;
  const QueuedProgram& program_;
  std::uint64_t steps_;
  bool split_;
  StepClock clock_;
  bool has_prefix_ = false;
  PrefixTables prefix_;
  std::vector<QueuedPhase> phases_;
  /// By class and phase.
  std::vector<std::uint8_t> dimensions_;
  /// Start of the last broadcast, whose arrivals are not forwarded; 0: no broadcast.
  std::uint64_t last_broadcast_ = 0;
  std::map<PacketId, ClassKey> keys_;
  /// By class and node; -1: no packet of the class.
  std::vector<std::vector<std::int64_t>> ranks_;
  std::uint32_t most_ranks_ = 1;
  std::vector<PacketSend> sends_;
};

std::vector<EmittedFile> ClassNetwork::files(bool streams) const {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::size_t phases = phases_.size();
  const std::size_t classes = program_.classes;
  std::uint32_t most_hops = 1;
  for (const QueuedPhase& phase : phases_) {
    most_hops = std::max({most_hops, phase.hops_plus, phase.hops_minus});
  }
  const int hop_bits = field_bits(most_hops);
  const int key_bits = field_bits(std::uint64_t{most_ranks_} * program_.halves - 1);
  const int goal_bits = field_bits(topology_.side(0) - 1);
  const std::size_t goals = classes * phases * most_ranks_ * static_cast<std::size_t>(goal_bits);
  if (goals > kMaxLiteralBits) {
    refuse(fmt::format("{} packets in a class exceed its table of targets", most_ranks_));
  }

  Literal starts(phases * 32);
  Literal lasts(phases * 32);
  Literal broadcast(phases);
  Literal keep(phases);
  Literal wrap(phases);
  Literal alternate(phases);
  Literal hops(phases * 2 * static_cast<std::size_t>(hop_bits));
  Literal along(classes * phases * 3);
  Literal goal(goals);
  for (std::size_t i = 0; i < phases; ++i) {
    const QueuedPhase& phase = phases_[i];
    const bool copies = phase.kind == QueuedPhaseKind::kBroadcast;
    starts.set(i * 32, phase.start);
    lasts.set(i * 32, phase.last());
    broadcast.set(i, copies ? 1 : 0);
    keep.set(i, copies && phase.start != last_broadcast_ ? 1 : 0);
    wrap.set(i, phase.wrap ? 1 : 0);
    alternate.set(i, copies && phase.alternate ? 1 : 0);
    hops.set(2 * i * static_cast<std::size_t>(hop_bits), phase.hops_minus);
    hops.set((2 * i + 1) * static_cast<std::size_t>(hop_bits), phase.hops_plus);
    for (std::size_t c = 0; c < classes; ++c) {
      const std::uint8_t dimension = dimensions_[c * phases + i];
      along.set((c * phases + i) * 3, dimension);
      for (std::uint32_t rank = 0; rank < most_ranks_ && !copies; ++rank) {
        const NodeId node = phase.kind == QueuedPhaseKind::kPack
                                ? rotated_node(topology_, rank, static_cast<int>(c))
                                : plan_.demand.targets.at(rank);
        goal.set(((c * phases + i) * most_ranks_ + rank) * static_cast<std::size_t>(goal_bits),
                 topology_.coordinates(node)[dimension]);
      }
    }
  }

  std::vector<std::vector<PacketId>> held;
  const std::size_t entries = most_held(held);
  FabricShape shape = queued_shape(plan_, plan_.demand.pieces + (has_prefix_ ? 1 : 0));
  shape.link_extra = number(key_bits + hop_bits);
  shape.delivers = last_broadcast_ != 0 ? number(topology_.ports()) : 1;
  shape.deliver_extra = number(key_bits);
  if (streams && last_broadcast_ == 0) {
    throw InputError("format sv-stream: does not support packets that stay where they arrive");
  }
  streams = last_broadcast_ != 0 && (streams || !fits_flat_top(topology_, shape));

  NetworkBuilder network = queued_network(plan_, has_prefix_ ? "classes" : "ranked");
  network.number("Nodes of a line or ring; 1: they are rings.", "Side", topology_.side(0));
  network.flag("", "Torus", topology_.wraps(0));
  network.number("Classes, parts of a packet of one, and whether each has a part of every packet.",
                 "Classes", classes);
  network.number("", "Halves", program_.halves);
  network.flag("", "Split", split_);
  network.number("Packets of a class, and the most parts that a node ever holds of one.", "Ranks",
                 most_ranks_);
  network.number("", "Entries", entries);
  network.number("Bits of a key, of a number of links and of a target's coordinate.", "KeyBits",
                 number(key_bits));
  network.number("", "HopBits", number(hop_bits));
  network.number("", "GoalBits", number(goal_bits));
  network.number("Phases of a class, and steps of them all.", "Phases", phases);
  network.number("", "Steps", steps_);
  network.literal("By phase: first and last step.", "PhaseStart", "Phases*32", starts);
  network.literal("As above.", "PhaseLast", "Phases*32", lasts);
  network.literal("It broadcasts.", "PhaseBroadcast", "Phases", broadcast);
  network.literal("A later phase sends on its arrivals.", "PhaseKeep", "Phases", keep);
  network.literal("Packets go the shorter way round.", "PhaseWrap", "Phases", wrap);
  network.literal("Every second packet exchanges its numbers of links.", "PhaseAlternate", "Phases",
                  alternate);
  network.literal("Links that own packets go, downwards and upwards.", "PhaseHops",
                  "Phases*2*HopBits", hops);
  network.literal("By class*Phases + phase: its dimension.", "PhaseDimension", "Classes*Phases*3",
                  along);
  network.literal("Where the packet of each rank goes in it.", "Goal",
                  "Classes*Phases*Ranks*GoalBits", goal);
  if (has_prefix_) {
    network.number("Steps of the prefix; bits of a count.", "PrefixSteps", program_.prefix_steps());
    network.number("", "CountBits", number(field_bits(topology_.nodes())));
    tell_prefix(network, plan_, prefix_);
  } else {
    network.input_of_nodes("By class: the packet's rank, and above it that the node has one.",
                           "place_i", "place", "Classes*17", [&](NodeId node) {
                             Literal place(classes * 17);
                             for (std::size_t c = 0; c < classes; ++c) {
                               if (ranks_[c][node] < 0) continue;
                               place.set(c * 17, number(ranks_[c][node]) | 1U << 16U);
                             }
                             return place;
                           });
  }
  if (streams) {
    use_packet_streams(network, plan_,
                       {.own = std::uint64_t{program_.halves} * (split_ ? classes : 1),
                        .flag_bits = has_prefix_ ? 1U : 0U,
                        .kept = most_kept(topology_, sends_),
                        .count_bits = has_prefix_ ? number(field_bits(topology_.nodes())) : 0},
                       shape);
  }
  return queued_files(network, plan_, shape, expected(shape.delivers, key_bits, held, streams));
}

std::optional<std::string> ClassNetwork::expected(std::size_t delivers, int key_bits,
                                                  const std::vector<std::vector<PacketId>>& held,
                                                  bool streams) const {
  const std::uint64_t before = program_.prefix_steps();
  const std::uint64_t all = before + steps_;
  const auto width = static_cast<std::size_t>(data_bits(plan_));
  auto run = ExpectedRun::make(clock_, all, width, topology_.link_slots(),
                               topology_.nodes() * delivers, streams);
  if (!run) return std::nullopt;

  // The keys show the ranks.
  if (has_prefix_) add_prefix(plan_, *run);
  // The key is above the data; the next location of a packet shows how far it travels.
  const std::size_t word_bits = clock_.words * width;
  const auto all_bits = word_bits + static_cast<std::size_t>(key_bits);
  Literal mask(all_bits);
  mask.fill(0, all_bits);
  const auto add = [&](PacketId packet, std::int64_t step) {
    Literal word(all_bits);
    clock_.set(word, packet, width);
    word.set(word_bits, keys_.at(packet).key);
    return run->add({word.digits(), mask.digits(), step, 0, packet});
  };
  const auto ports = static_cast<std::size_t>(topology_.ports());
  for (const PacketSend& send : sends_) {
    const std::uint32_t word = add(send.packet, static_cast<std::int64_t>(send.step));
    run->on_link(before + send.step, send.link, word);
    const QueuedPhase* phase = phase_in(send.step);
    if (phase == nullptr || phase->kind != QueuedPhaseKind::kBroadcast) continue;
    const auto from = static_cast<NodeId>(send.link / ports);
    const auto port = static_cast<Port>(send.link % ports);
    run->deliver(before + send.step, topology_.link(topology_.neighbor(from, port), opposite(port)),
                 word);
  }
  for (NodeId node = 0; node < topology_.nodes() && last_broadcast_ == 0; ++node) {
    const std::vector<PacketId>& packets = held[std::size_t{node} * program_.classes];
    if (!packets.empty()) run->deliver(all + 1, node, add(packets.front(), -1));
  }

  // The parts of each node's packet, and where there is a prefix, whether there is one. That does
  // not change from round to round.
  std::vector<std::string> own;
  std::vector<bool> active(topology_.nodes(), false);
  for (const DemandSource& source : plan_.demand.sources_in(topology_)) active[source.node] = true;
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    for (std::uint32_t part = 0; part < plan_.demand.pieces; ++part) {
      clock_.list(own, PacketId{node} * plan_.demand.pieces + part, width);
    }
    if (!has_prefix_) continue;
    own.emplace_back(active[node] ? "1" : "0");
    if (!streams) own.resize(own.size() + clock_.words - 1, "0");
  }
  return run->text(
      pass_summary(plan_, steps_, clock_.last_cycle(all)), own,
      (streams ? StepClock() : clock_).each_word(has_prefix_ ? "fffffffe" : "ffffffff"));
}

}  // namespace

std::vector<EmittedFile> emit_classes(const Plan& plan, bool streams) {
  return ClassNetwork(plan).files(streams);
}

}  // namespace gossamer::emit_detail
