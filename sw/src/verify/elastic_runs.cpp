// SPDX-License-Identifier: Apache-2.0
/// The proofs of elastic routers that keep an order of their own: streams that merge, and
/// schedules. Either network does the same in whatever time, so one run without a clock says what
/// everybody gets and that nobody waits for ever, and gives an order of moves in which the cycle of
/// each of them follows from those before.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "gossamer/plan/schedule_tokens.hpp"
#include "gossamer/verify/schedule.hpp"
#include "link_times.hpp"
#include "stream_proofs.hpp"

namespace gossamer {

namespace {

/// Problems of one kind that are named, at most.
constexpr std::size_t kMostNamedOrders = 5;
/// Above so many flits that cross links no cycle is computed.
constexpr std::uint64_t kMostTimedFlits = std::uint64_t{1} << 33U;

/// An elastic verdict says nothing of steps.
void forget_steps(Verdict& verdict) {
  verdict.steps.reset();
  verdict.max_queue.reset();
}

std::vector<LinkTimes> times_of(const Topology& topology, const Elastic& elastic) {
  std::vector<LinkTimes> times;
  for (const std::uint32_t latency : elastic.latency.by_link(topology)) {
    times.push_back(latency == 0 ? LinkTimes() : LinkTimes(elastic, latency));
  }
  return times;
}

/// Streams that merge. Chunks are moved whole: a link has room for as many as fit in, a chunk moves
/// when all who pass it on have come to it and have room, and that is flit by flit a run of the
/// network, round after round. So if every chunk of a round can be moved, no run stops.
class MergeProof {
 public:
  explicit MergeProof(const Plan& plan)
      : topology_(plan.topology),
        program_(std::get<StreamProgram>(plan.program)),
        elastic_(*program_.elastic),
        lines_(topology_.link_slots()) {
    const std::vector<std::uint32_t> latencies = elastic_.latency.by_link(topology_);
    const auto ports = static_cast<std::uint32_t>(topology_.ports());
    for (LinkId link = 0; link < lines_.size(); ++link) {
      const PortProgram& told = told_of(link);
      Line& line = lines_[link];
      line.room = elastic_.capacity(latencies[link]) / elastic_.chunk;
      chunks_ += told.carries;
      if (told.carries == told.preload.size()) continue;
      for (std::uint32_t i = 0; i < told.carries - told.preload.size(); ++i) {
        const std::uint32_t arrival =
            told.order.empty() ? i * ports + told.feed.front() : told.order[i];
        pass_on(link, static_cast<Port>(arrival % ports), arrival / ports,
                static_cast<std::uint32_t>(told.preload.size()) + i);
      }
    }
  }

  Verdict prove() {
    verdict_.method = ProofMethod::kElasticStreams;
    if (!verdict_.problems.empty()) return std::move(verdict_);
    move_all();
    if (!name_stopped()) return std::move(verdict_);
    count_known();
    if (!verdict_.complete) return std::move(verdict_);
    const std::uint64_t nodes = topology_.live_nodes();
    verdict_.link_transfers = chunks_ * elastic_.flits();
    verdict_.duplicates = *verdict_.link_transfers -
                          nodes * (nodes - 1) * program_.packets_per_node() * elastic_.flits();
    if (*verdict_.link_transfers <= kMostTimedFlits) verdict_.cycles = timed();
    return std::move(verdict_);
  }

 private:
  /// An out-port that passes on an arrival, and as which chunk of its round.
  struct Pass {
    LinkId out;
    std::uint32_t place;
  };
  struct Line {
    /// Chunks that fit into it.
    std::uint64_t room = 0;
    std::uint64_t pushed = 0;
    std::uint64_t taken = 0;
    std::deque<PacketId> held;
    /// By arrival: who passes it on.
    std::vector<std::vector<Pass>> passed_to;
    /// The links that it passes on.
    std::vector<LinkId> feeds;
  };
  /// An own chunk is pushed, or one is taken from a link.
  struct Move {
    LinkId link;
    bool own;
  };

  [[nodiscard]] const PortProgram& told_of(LinkId link) const {
    return program_.at(topology_.link_from(link), topology_.link_port(link));
  }
  [[nodiscard]] std::string name(LinkId link) const {
    return fmt::format("node {}, {}", topology_.link_from(link),
                       port_name(topology_.link_port(link)));
  }

  void pass_on(LinkId out, Port in_port, std::uint32_t arrival, std::uint32_t place) {
    const LinkId in = topology_.link_into(topology_.link_from(out), in_port);
    if (in == kNoLink || arrival >= told_of(in).carries) {
      if (named_++ < kMostNamedOrders) {
        verdict_.problems.push_back(fmt::format("{}: passes on arrival {} of {}, which brings {}",
                                                name(out), arrival, port_name(in_port),
                                                in == kNoLink ? 0 : told_of(in).carries));
      }
      return;
    }
    auto& passed_to = lines_[in].passed_to;
    passed_to.resize(told_of(in).carries);
    passed_to[arrival].push_back({out, place});
    std::vector<LinkId>& feeds = lines_[out].feeds;
    if (std::find(feeds.begin(), feeds.end(), in) == feeds.end()) feeds.push_back(in);
  }

  [[nodiscard]] bool has_room(const Line& line) const {
    return line.pushed - line.taken < line.room;
  }

  bool push_own(LinkId link) {
    Line& line = lines_[link];
    const PortProgram& told = told_of(link);
    if (line.pushed >= told.preload.size() || !has_room(line)) return false;
    line.held.push_back(PacketId{topology_.link_from(link)} * program_.packets_per_node() +
                        told.preload[line.pushed++]);
    moves_.push_back({link, true});
    return true;
  }

  bool take(LinkId link) {
    Line& line = lines_[link];
    if (line.held.empty()) return false;
    if (!line.passed_to.empty()) {
      for (const Pass& pass : line.passed_to[line.taken]) {
        const Line& out = lines_[pass.out];
        if (out.pushed != pass.place || !has_room(out)) return false;
      }
    }
    const PacketId packet = line.held.front();
    line.held.pop_front();
    received_[topology_.neighbor(topology_.link_from(link), topology_.link_port(link))].push_back(
        packet);
    const std::uint64_t number = line.taken++;
    moves_.push_back({link, false});
    if (line.passed_to.empty()) return true;
    for (const Pass& pass : line.passed_to[number]) {
      ++lines_[pass.out].pushed;
      lines_[pass.out].held.push_back(packet);
      work_.push_back(pass.out);
      // Whether or not the out-port can move on itself, it is another's turn.
      const std::vector<LinkId>& feeds = lines_[pass.out].feeds;
      if (feeds.size() > 1) work_.insert(work_.end(), feeds.begin(), feeds.end());
    }
    return true;
  }

  void move_all() {
    received_.resize(topology_.nodes());
    for (LinkId link = 0; link < lines_.size(); ++link) {
      if (told_of(link).carries != 0) work_.push_back(link);
    }
    while (!work_.empty()) {
      const LinkId link = work_.back();
      work_.pop_back();
      bool moved = false;
      for (bool again = true; again;) {
        again = push_own(link);
        again = take(link) || again;
        moved = moved || again;
      }
      if (!moved) continue;
      work_.insert(work_.end(), lines_[link].feeds.begin(), lines_[link].feeds.end());
    }
  }

  /// False when the run has stopped before its end.
  bool name_stopped() {
    std::size_t stopped = 0;
    for (LinkId link = 0; link < lines_.size(); ++link) {
      const std::uint64_t carries = told_of(link).carries;
      if (lines_[link].taken == carries || stopped++ >= kMostNamedOrders) continue;
      verdict_.problems.push_back(fmt::format(
          "{}: stops at chunk {} of {}, with room for {} on the link; the longest queue of the "
          "plan in step, and one packet more, is always enough",
          name(link), lines_[link].taken, carries, lines_[link].room));
    }
    return stopped == 0;
  }

  void count_known() {
    const std::uint64_t packets =
        std::uint64_t{topology_.live_nodes()} * program_.packets_per_node();
    std::vector<NodeId> known_by(std::uint64_t{topology_.nodes()} * program_.packets_per_node(),
                                 kNoNode);
    verdict_.complete = true;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (!topology_.is_live(node)) continue;
      std::uint64_t known = program_.packets_per_node();
      for (std::uint32_t c = 0; c < program_.packets_per_node(); ++c) {
        known_by[PacketId{node} * program_.packets_per_node() + c] = node;
      }
      for (const PacketId packet : received_[node]) {
        if (known_by[packet] == node) continue;
        known_by[packet] = node;
        ++known;
      }
      if (known == packets) continue;
      verdict_.complete = false;
      list_missing(verdict_, node, packets - known, packets);
    }
  }

  /// The last take when nobody stalls.
  [[nodiscard]] std::uint64_t timed() const {
    std::vector<LinkTimes> times = times_of(topology_, elastic_);
    std::vector<std::uint64_t> number(lines_.size());
    std::uint64_t last = 0;
    for (std::uint32_t round = 0; round < elastic_.rounds; ++round) {
      number.assign(number.size(), 0);
      for (const Move& move : moves_) {
        LinkTimes& here = times[move.link];
        if (move.own) {
          for (std::uint32_t flit = 0; flit < elastic_.chunk; ++flit) here.push(here.can_push());
          continue;
        }
        static const std::vector<Pass> kNobody;
        const auto& lists = lines_[move.link].passed_to;
        const auto& passed_to = lists.empty() ? kNobody : lists[number[move.link]++];
        for (std::uint32_t flit = 0; flit < elastic_.chunk; ++flit) {
          std::uint64_t cycle = here.arrives();
          for (const Pass& pass : passed_to) cycle = std::max(cycle, times[pass.out].can_push());
          here.take(cycle);
          for (const Pass& pass : passed_to) times[pass.out].push(cycle);
          last = std::max(last, cycle);
        }
      }
    }
    return last;
  }

  const Topology& topology_;
  const StreamProgram& program_;
  const Elastic& elastic_;
  std::vector<Line> lines_;
  /// Chunks that cross links in a round.
  std::uint64_t chunks_ = 0;
  std::vector<LinkId> work_;
  std::vector<Move> moves_;
  /// By node.
  std::vector<std::vector<PacketId>> received_;
  std::size_t named_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_elastic_merge(const Plan& plan) { return MergeProof(plan).prove(); }

Verdict prove_elastic_schedule(const Plan& plan) {
  const auto& program = std::get<ScheduleProgram>(plan.program);
  const Topology& topology = plan.topology;
  const Elastic& elastic = *program.elastic;
  Verdict verdict = prove_schedule(topology, program);
  forget_steps(verdict);
  if (!verdict.complete || !verdict.problems.empty()) {
    // It has counted packets, and up to a step.
    verdict.link_conflicts.reset();
    verdict.link_transfers.reset();
    verdict.duplicates.reset();
    return verdict;
  }
  std::vector<std::pair<std::uint64_t, LinkId>> tokens;
  for_each_token(topology, program,
                 [&](std::uint64_t step, LinkId link) { tokens.emplace_back(step, link); });
  verdict.link_transfers = tokens.size() * elastic.flits();
  const std::uint64_t nodes = topology.live_nodes();
  const std::uint64_t wanted = nodes * (nodes - 1) * program.packets_per_node();
  verdict.duplicates =
      (tokens.size() - std::min<std::uint64_t>(tokens.size(), wanted)) * elastic.flits();
  if (*verdict.link_transfers > kMostTimedFlits) return verdict;

  // By node: the latest push or take of the steps before this one, and of this one.
  std::vector<std::uint64_t> before(topology.nodes(), 0);
  std::vector<std::uint64_t> latest(topology.nodes(), 0);
  std::vector<LinkTimes> times = times_of(topology, elastic);
  std::uint64_t last = 0;
  for (std::uint32_t round = 0; round < elastic.rounds; ++round) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (at == 0 || tokens[at].first != tokens[at - 1].first) before = latest;
      const LinkId link = tokens[at].second;
      const NodeId from = topology.link_from(link);
      const NodeId to = topology.neighbor(from, topology.link_port(link));
      for (std::uint32_t flit = 0; flit < elastic.chunk; ++flit) {
        const std::uint64_t push = std::max(before[from], times[link].can_push());
        times[link].push(push);
        const std::uint64_t take = std::max(before[to] + 1, times[link].arrives());
        times[link].take(take);
        latest[from] = std::max(latest[from], push);
        latest[to] = std::max(latest[to], take);
        last = std::max(last, take);
      }
    }
  }
  verdict.cycles = last;
  return verdict;
}

}  // namespace gossamer
