// SPDX-License-Identifier: Apache-2.0
/// Elastic streams on the fast engine: no clock. When a flit is pushed and taken follows from when
/// a few others were (docs/algorithms/elastic.md), so a work list of links is gone through until no
/// flit can be told its cycle any more, at a cost a flit and not a cycle. Then the takes are shown
/// in the order of cycles.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "fast_engines.hpp"
#include "gossamer/sim/engine.hpp"
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

/// A link with the out-port before it and the in-port behind it.
struct ElasticLink {
  NodeId from = 0;
  NodeId to = 0;
  Port out = 0;
  Port in = 0;
  std::uint64_t latency = 1;
  std::uint64_t capacity = 0;
  PacketId packet = kNoPacket;
  /// Flits of a round, and how many of them are the node's own.
  std::uint64_t round = 0;
  std::uint64_t own = 0;
  /// Flits of all rounds.
  std::uint64_t all = 0;
  /// The link whose arrivals the out-port passes on, and those whose out-ports pass on this one's.
  LinkId feed = kNoLink;
  std::vector<LinkId> fed;

  std::uint64_t pushed = 0;
  std::uint64_t last_push = 0;
  std::uint64_t last_own_push = 0;
  std::deque<TimedFlit> held;
  std::vector<TimedFlit> taken;
};

class ElasticEngine final : public Engine {
 public:
  ElasticEngine(const Plan& plan, StallScript stalls);

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] LinkView links() override {
    if (!told_) tell_cycles();
    return {.cycle = cycle_, .begins = !takes_.empty(), .takes = takes_};
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

 private:
  void wire(const Plan& plan);
  /// Goes through the work list, which is all of the work.
  void tell_cycles();
  void touch(LinkId link);
  void advance(LinkId link);
  bool push_own(ElasticLink& link);
  bool take(ElasticLink& link);
  void show();

  /// When the place for the flit behind `pushed` others is free; kNever when that is not known.
  [[nodiscard]] static std::uint64_t place_free(const ElasticLink& link) {
    if (link.pushed < link.capacity) return 0;
    const std::uint64_t before = link.pushed - link.capacity;
    return before < link.taken.size() ? link.taken[before].cycle + link.latency : kNever;
  }
  static void push(ElasticLink& link, const TimedFlit& flit) {
    link.held.push_back(flit);
    link.last_push = flit.cycle;
    ++link.pushed;
  }
  /// The first cycle in which something else than the flit before can be pushed.
  [[nodiscard]] static std::uint64_t after_push(const ElasticLink& link) {
    return link.pushed == 0 ? 0 : link.last_push + 1;
  }

  StallScript stalls_;
  std::uint64_t chunk_;
  std::vector<ElasticLink> links_;
  std::vector<LinkId> work_;
  std::vector<bool> listed_;
  bool told_ = false;

  // What is shown: by link the number of takes that have been, and by cycle who takes in it next.
  std::vector<std::size_t> shown_;
  std::map<std::uint64_t, std::vector<LinkId>> next_;
  std::vector<Take> takes_;
  std::uint64_t cycle_ = 0;
};

ElasticEngine::ElasticEngine(const Plan& plan, StallScript stalls)
    : stalls_(std::move(stalls)),
      chunk_(elastic_of(plan)->chunk),
      links_(plan.topology.link_slots()),
      listed_(plan.topology.link_slots(), false),
      shown_(plan.topology.link_slots(), 0) {
  wire(plan);
}

void ElasticEngine::wire(const Plan& plan) {
  const Topology& topology = plan.topology;
  const Elastic& elastic = *elastic_of(plan);
  const auto& program = std::get<StreamProgram>(plan.program);
  const std::vector<std::uint32_t> latencies = elastic.latency.by_link(topology);
  std::uint64_t flits = 0;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const PortProgram& at = program.at(walk.node(), port);
      if (at.carries == 0) continue;
      const LinkId id = topology.link(walk.node(), port);
      ElasticLink& link = links_[id];
      link.from = walk.node();
      link.out = port;
      link.to = walk.neighbor(port);
      link.in = opposite(port);
      link.latency = latencies[id];
      link.capacity = elastic.capacity(latencies[id]);
      link.round = at.carries * chunk_;
      link.all = at.carries * elastic.flits();
      flits += link.all;
      if (!at.preload.empty()) {
        link.own = chunk_;
        link.packet = PacketId{walk.node()} * program.packets_per_node() + at.preload.front();
      }
      if (at.feed.empty() || link.round == link.own) continue;
      link.feed = topology.link_into(walk.node(), at.feed.front());
      if (link.feed != kNoLink) links_[link.feed].fed.push_back(id);
    }
  }
  if (flits > kMostElasticBytes / sizeof(TimedFlit)) {
    throw InputError(
        fmt::format("simulate: {} flits cross links, and their cycles would take {} MiB; "
                    "the fast engine keeps up to {}",
                    flits, flits * sizeof(TimedFlit) >> 20U, kMostElasticBytes >> 20U));
  }
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

/// Everything on this link that can be told now. What it leads to: out-ports that were passed
/// arrivals, and, since an own chunk is out or a place is free, the link that feeds this one.
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
    for (const LinkId fed : link.fed) touch(fed);
  }
}

bool ElasticEngine::push_own(ElasticLink& link) {
  const std::uint64_t place = link.pushed % std::max<std::uint64_t>(link.round, 1);
  if (link.pushed == link.all || place >= link.own) return false;
  const std::uint64_t free = place_free(link);
  if (free == kNever) return false;
  const std::uint64_t idle = link.pushed == 0 ? stalls_.start(link.from) : link.last_own_push + 1;
  const std::uint64_t offered = stalls_.next_open(Gate::kOffer, link.from, link.out, idle);
  if (offered == kNever) return false;
  const std::uint64_t cycle = std::max({offered, after_push(link), free});
  const std::uint64_t flit = link.pushed / link.round * chunk_ + place;
  push(link, {cycle, link.packet, static_cast<std::uint32_t>(flit)});
  link.last_own_push = cycle;
  return true;
}

bool ElasticEngine::take(ElasticLink& link) {
  if (link.held.empty()) return false;
  TimedFlit flit = link.held.front();
  const std::uint64_t before = link.taken.empty() ? 0 : link.taken.back().cycle + 1;
  const std::uint64_t shown =
      stalls_.next_open(Gate::kShow, link.to, link.in, std::max(flit.cycle + link.latency, before));
  if (shown == kNever) return false;
  std::uint64_t ready = shown;
  const std::uint64_t round = link.taken.size() / link.round;
  const std::uint64_t place = link.taken.size() % link.round;
  const auto passes = [&](const ElasticLink& out) { return place < out.round - out.own; };
  for (const LinkId fed : link.fed) {
    const ElasticLink& out = links_[fed];
    if (!passes(out)) continue;
    // Its own chunk, and what arrived before this flit, go first.
    if (out.pushed != round * out.round + out.own + place) return false;
    const std::uint64_t free = place_free(out);
    if (free == kNever) return false;
    ready = std::max({ready, after_push(out), free});
  }
  flit.cycle = stalls_.next_open(Gate::kAccept, link.to, link.in, ready);
  if (flit.cycle == kNever) return false;
  link.held.pop_front();
  link.taken.push_back(flit);
  for (const LinkId fed : link.fed) {
    if (passes(links_[fed])) push(links_[fed], flit);
  }
  return true;
}

/// Collects what is taken in the present cycle.
void ElasticEngine::show() {
  takes_.clear();
  while (!next_.empty() && next_.begin()->first <= cycle_) {
    auto due = next_.extract(next_.begin());
    std::vector<LinkId>& links = due.mapped();
    // Mostly they are, for one cycle's links have put down the next one's.
    if (!std::is_sorted(links.begin(), links.end())) std::sort(links.begin(), links.end());
    for (const LinkId link : links) {
      const std::vector<TimedFlit>& taken = links_[link].taken;
      const TimedFlit& flit = taken[shown_[link]++];
      if (flit.cycle == cycle_) takes_.push_back({link, flit.flit, flit.packet});
      if (shown_[link] < taken.size()) next_[taken[shown_[link]].cycle].push_back(link);
    }
  }
}

}  // namespace

std::unique_ptr<Engine> make_fast_elastic_engine(const Plan& plan, StallScript stalls) {
  return std::make_unique<ElasticEngine>(plan, std::move(stalls));
}

}  // namespace gossamer
