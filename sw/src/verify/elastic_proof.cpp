// SPDX-License-Identifier: Apache-2.0
/// The proof of elastic streams. What every link carries does not depend on time, for each router
/// reads its in-ports in a fixed order and waits: so who gets what follows from the feeds alone,
/// and remains to be shown that nothing waits for ever, which the capacities decide, and when the
/// last flit is taken (docs/algorithms/elastic.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "gossamer/bounds/elastic.hpp"
#include "link_rings.hpp"
#include "stream_proofs.hpp"

namespace gossamer {

namespace {

/// Problems of one kind that are named, at most.
constexpr std::size_t kMostNamedLinks = 5;
/// Above so many flits that cross links no cycle is computed where the formula does not hold.
constexpr std::uint64_t kMostSweptFlits = std::uint64_t{1} << 33U;

/// A link as its routers are told it.
struct ElasticLine {
  LinkId feed = kNoLink;
  /// Chunks a round.
  std::uint64_t carries = 0;
  std::uint64_t own = 0;
  PacketId packet = kNoPacket;
  std::uint64_t latency = 1;
  std::uint64_t capacity = 0;

  [[nodiscard]] std::uint64_t passes_on() const { return carries - own; }
};

class ElasticProof {
 public:
  explicit ElasticProof(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        program_(std::get<StreamProgram>(plan.program)),
        elastic_(*program_.elastic),
        lines_(topology_.link_slots()) {
    const std::vector<std::uint32_t> latencies = elastic_.latency.by_link(topology_);
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (int p = 0; p < topology_.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const PortProgram& at = program_.at(walk.node(), port);
        if (at.carries == 0) continue;
        const LinkId link = topology_.link(walk.node(), port);
        ElasticLine& line = lines_[link];
        line.carries = at.carries;
        line.own = at.preload.size();
        line.latency = latencies[link];
        line.capacity = elastic_.capacity(latencies[link]);
        chunks_ += line.carries;
        if (line.own != 0) {
          line.packet = PacketId{walk.node()} * program_.packets_per_node() + at.preload.front();
        }
        if (line.passes_on() != 0) {
          line.feed = topology_.link_into(walk.node(), at.feed.front());
        }
      }
    }
  }

  Verdict prove() {
    verdict_.method = ProofMethod::kElasticStreams;
    verdict_.max_queue.reset();
    verdict_.link_transfers.reset();
    verdict_.duplicates.reset();
    check_feeds();
    check_capacities();
    if (!verdict_.problems.empty()) return std::move(verdict_);
    LinkRings rings(topology_, program_);
    // find() may leave a program half walked; what it is asked for then is nothing.
    const bool on_rings = rings.find() && prove_rings(rings);
    if (!on_rings) prove_streams();
    if (!verdict_.complete) return std::move(verdict_);
    verdict_.link_transfers = chunks_ * elastic_.flits();
    const std::uint64_t nodes = topology_.nodes();
    verdict_.duplicates = *verdict_.link_transfers -
                          nodes * (nodes - 1) * program_.packets_per_node() * elastic_.flits();
    if (on_rings && has_full_rate()) {
      verdict_.cycles = cycles_of(rings);
    } else if (*verdict_.link_transfers <= kMostSweptFlits) {
      verdict_.cycles = sweep();
    }
    return std::move(verdict_);
  }

 private:
  [[nodiscard]] std::string name(LinkId link) const {
    return fmt::format("node {}, {}", topology_.link_from(link),
                       port_name(topology_.link_port(link)));
  }
  template <typename Text>
  void note(std::size_t& noted, const Text& text) {
    if (noted++ < kMostNamedLinks) verdict_.problems.push_back(text());
    if (noted == kMostNamedLinks + 1) verdict_.problems.emplace_back("... and more like these");
  }

  /// Whoever passes on n arrivals a round gets n: then every router's round comes to its end.
  void check_feeds() {
    std::size_t noted = 0;
    for (LinkId link = 0; link < lines_.size(); ++link) {
      const ElasticLine& line = lines_[link];
      const std::uint64_t brought = line.feed == kNoLink ? 0 : lines_[line.feed].carries;
      if (brought >= line.passes_on()) continue;
      note(noted, [&] {
        return fmt::format("{}: {} chunks a round are passed on, but the feed brings {}",
                           name(link), line.passes_on(), brought);
      });
    }
    for (const LinkId link : links_behind_feeds().left_over) {
      note(noted, [&] { return fmt::format("{}: on a ring on which nobody sends", name(link)); });
    }
  }

  /// With room for a chunk and a flit on every link flit t of a link waits for lower numbers only.
  void check_capacities() {
    const std::uint64_t needed = std::uint64_t{elastic_.chunk} + 1;
    std::vector<bool> named(lines_.size(), false);
    std::size_t noted = 0;
    for (LinkId link = 0; link < lines_.size(); ++link) {
      const ElasticLine& line = lines_[link];
      if (line.carries == 0 || line.capacity >= needed || named[link]) continue;
      std::uint64_t flits = 0;
      std::uint64_t slots = 0;
      LinkId on = link;
      do {
        named[on] = true;
        flits += lines_[on].own * elastic_.chunk;
        slots += lines_[on].capacity;
        on = lines_[on].feed;
      } while (on != kNoLink && !named[on]);
      note(noted, [&] {
        const std::string demand =
            fmt::format("a link needs a chunk and one more, {} slots", needed);
        if (on != link) {
          return fmt::format("{}: chunks of {} flits in {} slots; {}", name(link), elastic_.chunk,
                             line.capacity, demand);
        }
        return fmt::format("the ring through {}: {} flits in {} slots{}; {}", name(link), flits,
                           slots,
                           slots > flits ? fmt::format(", {} of them on that link", line.capacity)
                                         : std::string(" cannot move"),
                           demand);
      });
    }
  }

  /// Hamiltonian rings, alone or in pairs that carry the same packets opposite ways: arrival n of a
  /// round comes from n nodes away. False when the program is something else.
  bool prove_rings(const LinkRings& rings) {
    const std::uint64_t others = topology_.nodes() - std::uint64_t{1};
    std::vector<std::uint64_t> carries(rings.rings());
    for (std::size_t r = 0; r < rings.rings(); ++r) {
      const auto ring = static_cast<std::uint8_t>(r);
      const std::vector<LinkId> links = rings.links_of(ring);
      carries[r] = lines_[links.front()].carries;
      const bool even = std::all_of(links.begin(), links.end(), [&](LinkId link) {
        return lines_[link].carries == carries[r];
      });
      if (!even) return false;
    }
    std::vector<std::vector<std::uint8_t>> sent_on(program_.packets_per_node());
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (auto& list : sent_on) list.clear();
      for (int p = 0; p < topology_.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const auto& preload = program_.at(node, port).preload;
        if (!preload.empty()) sent_on[preload.front()].push_back(rings.ring(node, port));
      }
      for (const auto& list : sent_on) {
        if (list.empty() || list.size() > 2) return false;
        if (list.size() == 2 && rings.reverse(list[0]) != list[1]) return false;
        std::uint64_t reached = 0;
        for (const std::uint8_t ring : list) reached += carries[ring];
        if (reached == others) continue;
        if (reached < others) return false;
        verdict_.problems.push_back(
            fmt::format("rings carry packets of node {} to {} nodes, there are {} others", node,
                        reached, others));
        return true;
      }
    }
    verdict_.method = ProofMethod::kElasticRings;
    verdict_.complete = true;
    return true;
  }

  /// Any wiring: what a link carries are the own packets met on the way back along the feeds.
  void prove_streams() {
    const std::uint64_t packets = std::uint64_t{topology_.nodes()} * program_.packets_per_node();
    std::vector<NodeId> known_by(packets, kNoNode);
    std::uint64_t lacking = 0;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      std::uint64_t known = 0;
      const auto learn = [&](PacketId packet) {
        if (known_by[packet] == node) return;
        known_by[packet] = node;
        ++known;
      };
      for (std::uint32_t c = 0; c < program_.packets_per_node(); ++c) {
        learn(PacketId{node} * program_.packets_per_node() + c);
      }
      for (int p = 0; p < topology_.ports(); ++p) {
        LinkId link = topology_.link_into(node, static_cast<Port>(p));
        if (link == kNoLink) continue;
        for (std::uint64_t left = lines_[link].carries; left != 0; link = lines_[link].feed) {
          if (lines_[link].own == 0) continue;
          learn(lines_[link].packet);
          --left;
        }
      }
      if (known == packets) continue;
      ++lacking;
      list_missing(verdict_, node, packets - known, packets);
    }
    verdict_.complete = lacking == 0;
  }

  [[nodiscard]] bool has_full_rate() const {
    return std::all_of(lines_.begin(), lines_.end(), [this](const ElasticLine& line) {
      return line.carries == 0 ||
             line.capacity >= line.latency + std::max<std::uint64_t>(line.latency, elastic_.chunk);
    });
  }

  [[nodiscard]] std::uint64_t cycles_of(const LinkRings& rings) const {
    std::uint64_t cycles = 0;
    for (std::size_t r = 0; r < rings.rings(); ++r) {
      const std::vector<LinkId> links = rings.links_of(static_cast<std::uint8_t>(r));
      const std::uint64_t carries = lines_[links.front()].carries;
      if (carries == 0) continue;
      std::vector<std::uint32_t> along;
      for (auto link = links.rbegin(); link != links.rend(); ++link) {
        along.push_back(static_cast<std::uint32_t>(lines_[*link].latency));
      }
      cycles = std::max(cycles,
                        bounds::elastic_cycles(along, {carries, elastic_.rounds, elastic_.chunk}));
    }
    return cycles;
  }

  /// The links in an order in which those without own packets come behind their feeds.
  struct LinkOrder {
    std::vector<LinkId> order;
    /// Links on rings on which nobody sends, and what hangs on them.
    std::vector<LinkId> left_over;
  };
  [[nodiscard]] LinkOrder links_behind_feeds() const {
    LinkOrder found;
    std::vector<std::vector<LinkId>> waiting(lines_.size());
    for (LinkId link = 0; link < lines_.size(); ++link) {
      const ElasticLine& line = lines_[link];
      if (line.carries == 0) continue;
      if (line.own != 0 || line.feed == kNoLink) {
        found.order.push_back(link);
      } else {
        waiting[line.feed].push_back(link);
      }
    }
    for (std::size_t at = 0; at < found.order.size(); ++at) {
      auto& next = waiting[found.order[at]];
      found.order.insert(found.order.end(), next.begin(), next.end());
      next.clear();
    }
    for (const auto& list : waiting) {
      found.left_over.insert(found.left_over.end(), list.begin(), list.end());
    }
    return found;
  }

  /// When the flits of a link were pushed and taken, as far back as somebody may ask.
  struct Times {
    std::vector<std::uint64_t> pushed_at;
    std::vector<std::uint64_t> taken_at;
    std::uint64_t pushed = 0;
    std::uint64_t taken = 0;
  };
  /// The first cycle in which a link's next flit can be pushed.
  [[nodiscard]] std::uint64_t can_push(const ElasticLine& line, const Times& times) const {
    const std::uint64_t places = times.taken_at.size();
    std::uint64_t cycle = 0;
    if (times.pushed != 0) cycle = times.pushed_at[(times.pushed - 1) % places] + 1;
    if (times.pushed >= line.capacity) {
      const std::uint64_t before = times.pushed - line.capacity;
      cycle = std::max(cycle, times.taken_at[before % places] + line.latency);
    }
    return cycle;
  }
  static void push(Times& times, std::uint64_t cycle) {
    times.pushed_at[times.pushed++ % times.pushed_at.size()] = cycle;
  }

  /// The last take when nobody stalls. Round by round, and in a round by places: with the
  /// capacities above no place waits for a later one, so every cycle can be told when its turn
  /// comes.
  [[nodiscard]] std::uint64_t sweep() const {
    const std::vector<LinkId> order = links_behind_feeds().order;
    std::vector<Times> times(lines_.size());
    std::vector<std::vector<LinkId>> fed(lines_.size());
    std::uint64_t longest = 0;
    for (const LinkId link : order) {
      times[link].pushed_at.assign(lines_[link].capacity + 1, 0);
      times[link].taken_at.assign(lines_[link].capacity + 1, 0);
      longest = std::max(longest, lines_[link].carries * elastic_.chunk);
      if (lines_[link].feed != kNoLink) fed[lines_[link].feed].push_back(link);
    }
    std::uint64_t last = 0;
    for (std::uint32_t round = 0; round < elastic_.rounds; ++round) {
      for (const LinkId link : order) {
        for (std::uint64_t flit = 0; flit < lines_[link].own * elastic_.chunk; ++flit) {
          push(times[link], can_push(lines_[link], times[link]));
        }
      }
      for (std::uint64_t place = 0; place < longest; ++place) {
        for (const LinkId link : order) {
          const ElasticLine& line = lines_[link];
          if (place >= line.carries * elastic_.chunk) continue;
          Times& here = times[link];
          const std::uint64_t places = here.taken_at.size();
          std::uint64_t cycle = here.pushed_at[here.taken % places] + line.latency;
          if (here.taken != 0)
            cycle = std::max(cycle, here.taken_at[(here.taken - 1) % places] + 1);
          const auto passes = [&](LinkId out) {
            return place < lines_[out].passes_on() * elastic_.chunk;
          };
          for (const LinkId out : fed[link]) {
            if (passes(out)) cycle = std::max(cycle, can_push(lines_[out], times[out]));
          }
          here.taken_at[here.taken++ % places] = cycle;
          for (const LinkId out : fed[link]) {
            if (passes(out)) push(times[out], cycle);
          }
          last = std::max(last, cycle);
        }
      }
    }
    return last;
  }

  const Plan& plan_;
  const Topology& topology_;
  const StreamProgram& program_;
  const Elastic& elastic_;
  std::vector<ElasticLine> lines_;
  /// Chunks that cross links in a round.
  std::uint64_t chunks_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_elastic(const Plan& plan) { return ElasticProof(plan).prove(); }

}  // namespace gossamer
