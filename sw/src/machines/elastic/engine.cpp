// SPDX-License-Identifier: Apache-2.0
/// Elastic streams on the fast engine, without a clock. The cycles in which a flit is pushed and
/// taken depend on those of a few other flits (docs/algorithms/elastic.md). A work list of links is
/// therefore processed until no more cycles can be determined, at a cost per flit instead of per
/// cycle. The takes are then shown in the order of cycles, and sums are added as they are shown.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gossamer/machines/elastic/engine.hpp"
#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kMostElasticBytes = std::uint64_t{8} << 30U;

/// A flit with the cycle in which it was pushed, or taken.
struct TimedFlit {
  std::uint64_t cycle;
  PacketId packet;
  std::uint32_t flit;
};

/// A sum with its contributions.
struct ElasticTerm {
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

/// A link with the output port before it and the input port after it.
struct ElasticLink {
  NodeId from = 0;
  NodeId to = 0;
  Port out = 0;
  Port in = 0;
  std::uint64_t latency = 1;
  std::uint64_t capacity = 0;
  /// Cycles from a push to the next: a queue of one slot has to lose its flit first.
  std::uint64_t push_gap = 1;
  /// The own packet whose chunk opens a round.
  PacketId packet = kNoPacket;
  /// Reductions: the lane that it is on.
  std::uint8_t lane = 0;
  /// Flits of a round, and how many of them are the node's own.
  std::uint64_t round = 0;
  std::uint64_t own = 0;
  /// Flits of all rounds.
  std::uint64_t all = 0;
  /// The link whose arrivals the output port forwards, and the links whose output ports forward
  /// this one's.
  LinkId feed = kNoLink;
  std::vector<LinkId> fed;

  /// It takes all flits sent on it, and delivers nothing (kNoPacket) or a wrong packet.
  std::optional<PacketId> broken;

  std::uint64_t pushed = 0;
  std::uint64_t last_push = 0;
  /// When the element is done with the own flit before.
  std::uint64_t own_from = 0;
  std::deque<TimedFlit> held;
  std::vector<TimedFlit> taken;
  /// Reductions, as they are shown: what was passed on and is not yet taken.
  std::deque<ElasticTerm> passed;

  /// The out-port passes on flit `place` of a round of the link that feeds it.
  [[nodiscard]] bool passes(std::uint64_t place) const { return place < round - own; }
};

/// The vectors of a reduction.
struct ElasticSums {
  ElasticSums(const Plan& plan, const Arithmetic& with)
      : words(plan.program.as<ElasticProgram>()),
        arithmetic(with),
        nodes(plan.topology.nodes()),
        pieces(plan.demand.pieces),
        flits(plan.program.as<ElasticProgram>().elastic.flits()) {}

  [[nodiscard]] ElasticTerm contributed(NodeId node, PacketId packet, std::uint64_t flit) const {
    return {arithmetic.word(node, packet * flits + flit, pieces * flits, nodes), 1};
  }
  [[nodiscard]] ElasticTerm combined(const ElasticTerm& a, const ElasticTerm& b) const {
    if (a.terms == 0) return b;
    if (b.terms == 0) return a;
    return {arithmetic.combine(a.value, b.value), a.terms + b.terms};
  }

  ElasticWords words;
  Arithmetic arithmetic;
  NodeId nodes;
  std::uint64_t pieces;
  std::uint64_t flits;
  /// By lane and node, then flit: the contents of a round's last chunk. The forward lane's chunk
  /// becomes the sum.
  std::vector<std::vector<ElasticTerm>> brought;
};

class ElasticEngine final : public Engine {
 public:
  ElasticEngine(const Plan& plan, StallScript stalls, const Arithmetic& arithmetic);

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] LinkView links() override {
    if (!told_) tell_cycles();
    return shown_.in(cycle_);
  }
  void clock(std::uint64_t cycles) override {
    if (!told_) tell_cycles();
    cycle_ += cycles;
    show();
  }
  [[nodiscard]] std::uint64_t quiet() const override {
    return next_.empty() ? 0 : next_.begin()->first - cycle_ - 1;
  }
  [[nodiscard]] bool done() const override { return told_ && next_.empty(); }
  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.cycles = cycle_;
    return statistics;
  }
  [[nodiscard]] std::uint64_t held(LinkId link) const override { return links_[link].held.size(); }
  void force(LinkId link, PacketId packet) override {
    if (told_) throw std::logic_error("links of elastic plans break only before the run");
    links_[link].broken = packet;
  }

 private:
  void wire(const Plan& plan, const ElasticProgram& program);
  /// Processes the work list, which is the engine's whole work.
  void tell_cycles();
  void touch(LinkId link);
  void touch_sums(const ElasticLink& link);
  void advance(LinkId link);
  bool push_own(ElasticLink& link);
  bool take(ElasticLink& link);
  void show();
  /// Adds the values that a take moves.
  void show_sums(const Take& take, std::size_t index);
  void bring_last(const ElasticLink& link, std::uint64_t flit, const ElasticTerm& term);

  /// The flit with number `index` on a link, from 0, is one of its first leg's, in which nodes add.
  [[nodiscard]] bool adds_at(const ElasticLink& link, std::uint64_t index) const {
    return sums_ && index < link.round * rounds_;
  }
  /// Its number in its packet.
  [[nodiscard]] std::uint32_t flit_at(const ElasticLink& link, std::uint64_t index) const {
    const std::uint64_t of_chunk = index % link.round % chunk_;
    return static_cast<std::uint32_t>(index / link.round % rounds_ * chunk_ + of_chunk);
  }
  /// The first cycle in which the element offers flit `index` of a link: after the previous one,
  /// and a sum when it is complete. kNever when the cycle is unknown or does not exist.
  [[nodiscard]] std::uint64_t offered(const ElasticLink& link, std::uint64_t index) const;

  /// The cycle in which the place for the flit after `pushed` others is free; kNever if unknown.
  [[nodiscard]] static std::uint64_t place_free(const ElasticLink& link) {
    if (link.pushed < link.capacity || link.broken) return 0;
    const std::uint64_t before = link.pushed - link.capacity;
    return before < link.taken.size() ? link.taken[before].cycle + link.latency : kNever;
  }
  static void push(ElasticLink& link, const TimedFlit& flit) {
    if (!link.broken) link.held.push_back(flit);
    link.last_push = flit.cycle;
    ++link.pushed;
  }
  /// The first cycle in which something else than the flit before can be pushed.
  [[nodiscard]] static std::uint64_t after_push(const ElasticLink& link) {
    return link.pushed == 0 ? 0 : link.last_push + link.push_gap;
  }

  StallScript stalls_;
  std::uint64_t chunk_;
  std::uint64_t rounds_;
  std::uint64_t legs_ = 1;
  /// Reductions only.
  std::optional<ElasticSums> sums_;
  std::vector<ElasticLink> links_;
  /// Reductions: by lane and node, the link into the node and the one out of it.
  std::vector<LinkId> into_;
  std::vector<LinkId> out_of_;
  std::vector<LinkId> work_;
  std::vector<bool> listed_;
  bool told_ = false;

  // By link the number of takes that have been shown, and by cycle the next takers.
  std::vector<std::size_t> seen_;
  std::map<std::uint64_t, std::vector<LinkId>> next_;
  ShownTakes shown_;
  std::uint64_t cycle_ = 0;
};

ElasticEngine::ElasticEngine(const Plan& plan, StallScript stalls, const Arithmetic& arithmetic)
    : stalls_(std::move(stalls)),
      chunk_(plan.program.as<ElasticProgram>().elastic.chunk),
      rounds_(plan.program.as<ElasticProgram>().elastic.rounds),
      links_(plan.topology.link_slots()),
      listed_(plan.topology.link_slots(), false),
      seen_(plan.topology.link_slots(), 0) {
  const auto& program = plan.program.as<ElasticProgram>();
  legs_ = elastic_legs(program);
  wire(plan, program);
  if (!program.combine) return;
  sums_.emplace(plan, arithmetic);
  shown_.show_values(links_.size());
  const std::size_t lanes = 2 * program.combine->cycles() * plan.topology.nodes();
  sums_->brought.resize(lanes);
  into_.resize(lanes, kNoLink);
  out_of_.resize(lanes, kNoLink);
  for (LinkId id = 0; id < links_.size(); ++id) {
    const ElasticLink& link = links_[id];
    if (link.all == 0) continue;
    const std::size_t first = link.lane * std::size_t{plan.topology.nodes()};
    into_[first + link.to] = id;
    out_of_[first + link.from] = id;
  }
}

void ElasticEngine::wire(const Plan& plan, const ElasticProgram& program) {
  const Topology& topology = plan.topology;
  const Elastic& elastic = program.elastic;
  const std::vector<std::uint32_t> latencies = elastic.latency.by_link(topology);
  std::uint64_t flits = 0;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const ElasticPort& at = program.at(walk.node(), port);
      if (at.carries == 0) continue;
      const LinkId id = topology.link(walk.node(), port);
      ElasticLink& link = links_[id];
      link.from = walk.node();
      link.out = port;
      link.to = walk.neighbor(port);
      link.in = opposite(port);
      link.latency = latencies[id];
      link.capacity = elastic.capacity(latencies[id]);
      link.push_gap = elastic.slots == 1 ? 2 : 1;
      link.round = at.carries * chunk_;
      link.all = link.round * rounds_ * legs_;
      link.own = own_chunks(at) * chunk_;
      link.lane = at.lane.value_or(0);
      flits += link.all;
      if (!at.preload.empty()) {
        link.packet = own_piece(plan, walk.node(), at.preload.front());
      }
      if (link.round != link.own) {
        link.feed = topology.link_into(walk.node(), at.feed.front());
      }
    }
  }
  for (LinkId out = 0; out < links_.size(); ++out) {
    if (links_[out].feed != kNoLink) links_[links_[out].feed].fed.push_back(out);
  }
  if (flits <= kMostElasticBytes / sizeof(TimedFlit)) return;
  throw InputError(
      fmt::format("simulate: {} flits cross links, and their cycles would take {} MiB; the limit "
                  "of the fast engine is {} MiB",
                  flits, flits * sizeof(TimedFlit) >> 20U, kMostElasticBytes >> 20U));
}

void ElasticEngine::tell_cycles() {
  told_ = true;
  for (LinkId link = 0; link < links_.size(); ++link) {
    links_[link].taken.reserve(links_[link].all);
    touch(link);
  }
  while (!work_.empty()) {
    const LinkId link = work_.back();
    work_.pop_back();
    listed_[link] = false;
    advance(link);
  }
  for (LinkId link = 0; link < links_.size(); ++link) {
    if (!links_[link].taken.empty()) next_[links_[link].taken.front().cycle].push_back(link);
  }
  show();
}

void ElasticEngine::touch(LinkId link) {
  if (link == kNoLink || links_[link].all == 0 || listed_[link]) return;
  listed_[link] = true;
  work_.push_back(link);
}

/// Determines all cycles on this link that can be computed now. The work list then gets the output
/// ports that forward its arrivals. If an own chunk has left or a place is free, it also gets the
/// link that feeds this one.
void ElasticEngine::advance(LinkId id) {
  ElasticLink& link = links_[id];
  bool moved = false;
  bool passed = false;
  for (bool again = true; again;) {
    again = false;
    while (push_own(link)) again = true;
    while (take(link)) again = passed = true;
    moved = moved || again;
  }
  if (moved) touch(link.feed);
  if (passed) {
    for (const LinkId out : link.fed) touch(out);
    if (legs_ > 1) touch_sums(link);
  }
}

/// Both of the node's lanes on this cycle wait for arrivals from either side.
void ElasticEngine::touch_sums(const ElasticLink& link) {
  for (const std::size_t lane : {link.lane & ~1U, link.lane | 1U}) {
    touch(out_of_[lane * sums_->nodes + link.to]);
  }
}

std::uint64_t ElasticEngine::offered(const ElasticLink& link, std::uint64_t index) const {
  std::uint64_t idle = std::max(stalls_.start(link.from), link.own_from);
  if (sums_ && !adds_at(link, index)) {
    for (const std::size_t lane : {link.lane & ~1U, link.lane | 1U}) {
      const LinkId id = into_[lane * sums_->nodes + link.from];
      if (id == kNoLink) continue;
      const ElasticLink& into = links_[id];
      const std::uint64_t flit = flit_at(link, index);
      const std::uint64_t brought = (flit / chunk_ + 1) * into.round - chunk_ + flit % chunk_;
      if (brought >= into.taken.size()) return kNever;
      idle = std::max(idle, into.taken[brought].cycle + 1);
    }
  }
  return stalls_.next_open(Gate::kOffer, link.from, link.out, idle);
}

bool ElasticEngine::push_own(ElasticLink& link) {
  const std::uint64_t place = link.pushed % std::max<std::uint64_t>(link.round, 1);
  if (link.pushed == link.all || place >= link.own) return false;
  const std::uint64_t free = place_free(link);
  if (free == kNever) return false;
  const std::uint64_t from = offered(link, link.pushed);
  if (from == kNever) return false;
  const std::uint64_t cycle = std::max({from, after_push(link), free});
  PacketId packet = link.packet;
  if (sums_) {
    const std::size_t leg = adds_at(link, link.pushed) ? 0 : 1;
    packet = sums_->words.sent(link.from, link.lane, leg, 0);
  }
  push(link, {cycle, packet, flit_at(link, link.pushed)});
  link.own_from = cycle + 1;
  return true;
}

bool ElasticEngine::take(ElasticLink& link) {
  const std::size_t index = link.taken.size();
  if (link.broken ? link.broken == kNoPacket || index == link.all : link.held.empty()) return false;
  TimedFlit flit{0, link.broken.value_or(kNoPacket), flit_at(link, index)};
  if (!link.broken) flit = link.held.front();
  const std::uint64_t before = index == 0 ? 0 : link.taken.back().cycle + 1;
  const std::uint64_t arrives = link.broken ? 0 : flit.cycle + link.latency;
  const std::uint64_t shown =
      stalls_.next_open(Gate::kShow, link.to, link.in, std::max(arrives, before));
  if (shown == kNever) return false;
  std::uint64_t ready = shown;
  const std::uint64_t round = index / link.round;
  const std::uint64_t place = index % link.round;
  // A flit that is added to a forwarded one is not delivered to the element.
  bool delivered = true;
  for (const LinkId fed : link.fed) {
    const ElasticLink& out = links_[fed];
    if (!out.passes(place)) continue;
    // Its own chunk, and arrivals before this flit, precede it.
    if (out.pushed != round * out.round + out.own + place) return false;
    const std::uint64_t free = place_free(out);
    if (free == kNever) return false;
    ready = std::max({ready, after_push(out), free});
    if (!adds_at(out, out.pushed)) continue;
    delivered = false;
    const std::uint64_t from = offered(out, out.pushed);
    if (from == kNever) return false;
    ready = std::max(ready, from);
  }
  flit.cycle = delivered ? stalls_.next_open(Gate::kAccept, link.to, link.in, ready) : ready;
  if (flit.cycle == kNever) return false;
  if (!link.broken) link.held.pop_front();
  link.taken.push_back(flit);
  for (const LinkId fed : link.fed) {
    ElasticLink& out = links_[fed];
    if (!out.passes(place)) continue;
    TimedFlit passed = flit;
    if (adds_at(out, out.pushed)) {
      passed.packet = sums_->words.sent(out.from, out.lane, 0, out.pushed % out.round / chunk_);
      out.own_from = flit.cycle + 1;
    }
    push(out, passed);
  }
  return true;
}

void ElasticEngine::show_sums(const Take& take, std::size_t index) {
  ElasticLink& link = links_[take.link];
  const bool adds = adds_at(link, index);
  const std::uint64_t place = index % link.round;
  ElasticTerm term;
  if (link.broken) {
    term = {kGarbageValue, 1};
  } else if (place >= link.own) {
    term = link.passed.front();
    link.passed.pop_front();
  } else if (adds) {
    term = sums_->contributed(link.from, take.packet, take.flit);
  } else {
    const auto& sums = sums_->brought[(link.lane & ~1U) * std::size_t{sums_->nodes} + link.from];
    if (take.flit < sums.size()) term = sums[take.flit];
  }
  if (!link.broken) shown_.put(take.link, term.value, term.terms);
  for (const LinkId fed : link.fed) {
    ElasticLink& out = links_[fed];
    if (!out.passes(place)) continue;
    ElasticTerm passed = term;
    if (adds) {
      const PacketId packet = sums_->words.sent(out.from, out.lane, 0, (out.own + place) / chunk_);
      passed = sums_->combined(term, sums_->contributed(out.from, packet, take.flit));
    }
    out.passed.push_back(passed);
  }
  if (!adds) {
    const PacketId piece = take.packet * sums_->flits + take.flit;
    shown_.results.push_back({link.to, piece, term.value, term.terms});
  } else if (place >= link.round - chunk_) {
    bring_last(link, take.flit, term);
  }
}

/// The second of both sides completes the sum: (forward's + backward's) + own.
void ElasticEngine::bring_last(const ElasticLink& link, std::uint64_t flit,
                               const ElasticTerm& term) {
  const auto side = [&](std::size_t lane) { return lane * std::size_t{sums_->nodes} + link.to; };
  const auto at = [&](std::size_t lane) -> ElasticTerm& {
    std::vector<ElasticTerm>& brought = sums_->brought[side(lane)];
    brought.resize(sums_->flits);
    return brought[flit];
  };
  at(link.lane) = term;
  const std::size_t forward = link.lane & ~std::size_t{1};
  for (const std::size_t lane : {forward, forward + 1}) {
    if (into_[side(lane)] != kNoLink && at(lane).terms == 0) return;
  }
  const PacketId packet = sums_->words.owned(link.to, link.lane);
  ElasticTerm& sum = at(forward);
  sum = sums_->combined(sums_->combined(sum, at(forward + 1)),
                        sums_->contributed(link.to, packet, flit));
  shown_.results.push_back({link.to, packet * sums_->flits + flit, sum.value, sum.terms});
}

/// Collects the takes of the present cycle.
void ElasticEngine::show() {
  shown_.clear();
  while (!next_.empty() && next_.begin()->first <= cycle_) {
    auto due = next_.extract(next_.begin());
    std::vector<LinkId>& links = due.mapped();
    // Mostly they are, for one cycle's links have put down the next one's.
    if (!std::is_sorted(links.begin(), links.end())) std::sort(links.begin(), links.end());
    for (const LinkId link : links) {
      const std::vector<TimedFlit>& taken = links_[link].taken;
      const std::size_t index = seen_[link]++;
      const TimedFlit& flit = taken[index];
      if (flit.cycle == cycle_) {
        const Take take{link, flit.flit, flit.packet};
        if (!links_[link].broken) shown_.takes.push_back(take);
        if (sums_) show_sums(take, index);
      }
      if (seen_[link] < taken.size()) next_[taken[seen_[link]].cycle].push_back(link);
    }
  }
}

}  // namespace

std::unique_ptr<Engine> make_fast_elastic_engine(const Plan& plan, StallScript stalls,
                                                 const Arithmetic& arithmetic) {
  return std::make_unique<ElasticEngine>(plan, std::move(stalls), arithmetic);
}

}  // namespace gossamer
