// SPDX-License-Identifier: Apache-2.0
/// The proof of elastic streams. The sequence of packets on every link does not depend on time,
/// because each router reads its input ports in a fixed order and waits. The destinations of
/// packets therefore follow from the feeds alone. It remains to show that no link waits for ever,
/// which depends on the capacities, and to find the cycle in which the last flit is taken
/// (docs/algorithms/elastic.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "../../verify/link_rings.hpp"
#include "gossamer/bounds/elastic.hpp"
#include "gossamer/machines/elastic/words.hpp"
#include "link_times.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

/// Problems of one kind that are named, at most.
constexpr std::size_t kMostNamedLinks = 5;
/// Above this number of link crossings no cycle is computed where the formula does not hold.
constexpr std::uint64_t kMostSweptFlits = std::uint64_t{1} << 33U;
/// The same where the cycles of sums have to be kept.
constexpr std::uint64_t kMostSweptSums = std::uint64_t{1} << 28U;

/// A link as its routers are configured.
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
        program_(plan.program.as<ElasticProgram>()),
        elastic_(program_.elastic),
        legs_(elastic_legs(program_)),
        lines_(topology_.link_slots()) {
    const std::vector<std::uint32_t> latencies = elastic_.latency.by_link(topology_);
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (const Port port : all_ports(topology_.ports())) {
        const ElasticPort& at = program_.at(walk.node(), port);
        if (at.carries == 0) continue;
        const LinkId link = topology_.link(walk.node(), port);
        ElasticLine& line = lines_[link];
        line.carries = at.carries;
        line.own = own_chunks(at);
        line.latency = latencies[link];
        line.capacity = elastic_.capacity(latencies[link]);
        chunks_ += line.carries;
        if (!at.preload.empty()) {
          line.packet = own_piece(plan, walk.node(), at.preload.front());
        }
        if (line.passes_on() != 0) {
          line.feed = topology_.link_into(walk.node(), at.feed.front());
        }
      }
    }
  }

  Verdict prove() {
    verdict_.method = "elastic streams";
    verdict_.max_queue.reset();
    verdict_.link_transfers.reset();
    verdict_.duplicates.reset();
    check_feeds();
    // Streams of a root run down trees, along which nothing waits for itself.
    const bool trees = plan_.demand.from == Origin::kRoot;
    if (!trees) check_capacities();
    if (!verdict_.problems.empty()) return std::move(verdict_);
    if (trees) {
      prove_trees();
      return std::move(verdict_);
    }
    LinkRings rings(topology_, program_);
    // find() may leave a program half walked; its results are then not used.
    bool on_rings = rings.find();
    if (program_.combine) {
      prove_sums(rings, on_rings);
    } else {
      on_rings = on_rings && prove_rings(rings);
      if (!on_rings) prove_streams();
    }
    if (!verdict_.complete) return std::move(verdict_);
    verdict_.link_transfers = legs_ * chunks_ * elastic_.flits();
    const std::uint64_t nodes = topology_.live_nodes();
    verdict_.duplicates = *verdict_.link_transfers - legs_ * nodes * (nodes - 1) *
                                                         program_.packets_per_node() *
                                                         elastic_.flits();
    if (on_rings && legs_ == 1 && has_full_rate()) {
      verdict_.cycles = cycles_of(rings);
    } else if (*verdict_.link_transfers <= (legs_ == 1 ? kMostSweptFlits : kMostSweptSums)) {
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

  /// If every link that forwards n arrivals per round receives n, every router's round ends.
  void check_feeds() {
    std::size_t noted = 0;
    for (LinkId link = 0; link < lines_.size(); ++link) {
      const ElasticLine& line = lines_[link];
      const std::uint64_t brought = line.feed == kNoLink ? 0 : lines_[line.feed].carries;
      if (brought >= line.passes_on()) continue;
      note(noted, [&] {
        return fmt::format("{}: {} chunks per round are forwarded, but the feed delivers {}",
                           name(link), line.passes_on(), brought);
      });
    }
    for (const LinkId link : links_behind_feeds().left_over) {
      note(noted, [&] { return fmt::format("{}: on a ring without a sender", name(link)); });
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
        const std::string demand = fmt::format("a link needs chunk + 1 slots, {}", needed);
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

  /// Hamiltonian rings, alone or in pairs that carry the same packets in opposite directions:
  /// arrival n of a round comes from n nodes away. False for other programs.
  bool prove_rings(const LinkRings<ElasticProgram>& rings) {
    const std::uint64_t others = topology_.live_nodes() - std::uint64_t{1};
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
      if (!topology_.is_live(node)) continue;
      for (auto& list : sent_on) list.clear();
      for (const Port port : all_ports(topology_.ports())) {
        const auto& preload = program_.at(node, port).preload;
        if (!preload.empty()) sent_on[preload.front()].push_back(rings.ring(node, port));
      }
      for (const auto& list : sent_on) {
        if (list.empty() || list.size() > 2) return false;
        if (list.size() == 2 && rings.reverse(list[0]) != list[1]) return false;
        std::uint64_t reached = 0;
        for (const std::uint8_t ring : list) reached += carries[ring];
        if (reached != others) return false;
      }
    }
    verdict_.method = "elastic rings";
    verdict_.complete = true;
    return true;
  }

  /// Reductions. On a ring along which ranks rise (or fall) by one per hop, chunk n of a round at
  /// rank k is the one that chunk n - 1 was at rank k - 1 when its block moves one back; the last
  /// one, number L - 1 at the neighbour, belongs to the block of rank k when the offset is L, and
  /// holds the words of the L ranks before. Two opposite rings that carry P - 1 chunks together
  /// then bring every other node's word once, and the second leg spreads the complete sums.
  void prove_sums(const LinkRings<ElasticProgram>& rings, bool found) {
    const Combination& combine = *program_.combine;
    const std::uint64_t nodes = topology_.nodes();
    const auto refuse = [this](std::string problem) {
      verdict_.problems.push_back(std::move(problem));
    };
    if (!found) return refuse("sums require rings through all nodes, but there are others");
    // By cycle: chunks of a round on its rings.
    std::vector<std::uint64_t> brought(combine.cycles(), 0);
    for (std::size_t r = 0; r < rings.rings(); ++r) {
      // Against the stream.
      const std::vector<LinkId> links = rings.links_of(static_cast<std::uint8_t>(r));
      const ElasticPort& first =
          program_.at(topology_.link_from(links.front()), topology_.link_port(links.front()));
      if (first.carries == 0) return refuse(fmt::format("{}: carries nothing", name(links[0])));
      const std::uint8_t lane = *first.lane;
      const std::size_t cycle = lane / 2U;
      // Which way ranks go along the stream.
      const std::int64_t way = lane % 2 == 0 ? 1 : -1;
      const auto rank = [&](LinkId link) {
        return std::int64_t{combine.ranks[topology_.link_from(link) * combine.cycles() + cycle]};
      };
      const auto length = static_cast<std::int64_t>(nodes);
      for (std::size_t at = 0; at < links.size(); ++at) {
        const LinkId before = links[(at + 1) % links.size()];
        const ElasticPort& told =
            program_.at(topology_.link_from(links[at]), topology_.link_port(links[at]));
        if (told.lane != first.lane || told.carries != first.carries ||
            (rank(links[at]) - rank(before) - way) % length != 0) {
          return refuse(
              fmt::format("{}: lane {} does not arrive from the previous rank, or has a different "
                          "number of chunks",
                          name(links[at]), lane));
        }
      }
      for (std::size_t leg = 0; leg < combine.legs.size(); ++leg) {
        const CombineLane& of_leg = *combine.legs[leg].lanes[lane];
        const std::int64_t ahead = leg == 0 ? way * std::int64_t{first.carries} : 0;
        if (of_leg.slope != -way || (of_leg.offset - ahead) % length != 0) {
          return refuse(fmt::format("leg {}, lane {}: a node adds its own word to a different word",
                                    leg, lane));
        }
      }
      brought[cycle] += first.carries;
    }
    std::vector<bool> summed(combine.parts, false);
    for (std::size_t cycle = 0; cycle < brought.size(); ++cycle) {
      if (brought[cycle] == 0) continue;
      const auto& legs = combine.legs.front().lanes;
      const auto& forward = legs[2 * cycle];
      const auto& backward = legs[2 * cycle + 1];
      const std::uint32_t part = (forward ? forward : backward)->part;
      if (brought[cycle] != nodes - 1 || (forward && backward && forward->part != backward->part) ||
          summed[part]) {
        return refuse(fmt::format(
            "cycle {} delivers words of {} other nodes instead of {}, or words of another part",
            cycle, brought[cycle], nodes - 1));
      }
      summed[part] = true;
    }
    if (std::find(summed.begin(), summed.end(), false) != summed.end()) {
      return refuse("a part of the vector has no cycle");
    }
    const bool spreads = combine.legs.size() > 1;
    if (spreads != (plan_.demand.to == Destination::kEveryNode) ||
        (!spreads && plan_.demand.to != Destination::kOwner)) {
      return refuse(spreads ? "sums go to every node, unlike the demand"
                            : "sums stay with their owners, unlike the demand");
    }
    verdict_.method = "elastic rings";
    verdict_.complete = true;
  }

  /// The packets of a root. A link carries the packet of one output port of the root, which is
  /// found along the feeds. No feeds form a ring (check_feeds), so flits go down trees. The links
  /// into leaves wait for elements alone; any other link only waits for links below it. So no link
  /// waits for ever, with any capacity.
  void prove_trees() {
    const std::vector<LinkId> order = links_behind_feeds().order;
    std::vector<PacketId> packet(lines_.size(), kNoPacket);
    // By link: cycles from a push at the root to the take at the link's end, if no queue is full.
    std::vector<std::uint64_t> way(lines_.size(), 0);
    std::uint64_t longest = 0;
    for (const LinkId link : order) {
      const ElasticLine& line = lines_[link];
      packet[link] = line.own != 0 ? line.packet : packet[line.feed];
      way[link] = line.latency + (line.own != 0 ? 0 : way[line.feed]);
      longest = std::max(longest, way[link]);
    }
    verdict_.method = "elastic trees";
    const std::uint64_t packets = program_.packets_per_node();
    std::vector<NodeId> known_by(packets, kNoNode);
    std::uint64_t lacking = 0;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (node == plan_.demand.root || !topology_.is_live(node)) continue;
      std::uint64_t known = 0;
      for (const Port port : all_ports(topology_.ports())) {
        const LinkId link = topology_.link_into(node, port);
        if (link == kNoLink || lines_[link].carries == 0) continue;
        NodeId& known_to = known_by[packet[link]];
        if (known_to != node) ++known;
        known_to = node;
      }
      if (known == packets) continue;
      ++lacking;
      list_missing(verdict_, node, packets - known, packets);
    }
    verdict_.complete = lacking == 0;
    if (!verdict_.complete) return;
    verdict_.link_transfers = chunks_ * elastic_.flits();
    verdict_.duplicates = *verdict_.link_transfers -
                          (topology_.live_nodes() - std::uint64_t{1}) * packets * elastic_.flits();
    // From two slots on, a queue accepts a flit per cycle on links of any latency.
    if (elastic_.slots >= 2) {
      verdict_.cycles = longest + elastic_.flits() - 1;
    } else if (*verdict_.link_transfers <= kMostSweptFlits) {
      verdict_.cycles = sweep();
    }
  }

  /// Any wiring: a link carries the own packets met on the way back along the feeds.
  void prove_streams() {
    const std::uint64_t packets =
        std::uint64_t{topology_.live_nodes()} * program_.packets_per_node();
    std::vector<NodeId> known_by(std::uint64_t{topology_.nodes()} * program_.packets_per_node(),
                                 kNoNode);
    std::uint64_t lacking = 0;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (!topology_.is_live(node)) continue;
      std::uint64_t known = 0;
      const auto learn = [&](PacketId packet) {
        if (known_by[packet] == node) return;
        known_by[packet] = node;
        ++known;
      };
      for (std::uint32_t c = 0; c < program_.packets_per_node(); ++c) {
        learn(PacketId{node} * program_.packets_per_node() + c);
      }
      for (const Port port : all_ports(topology_.ports())) {
        LinkId link = topology_.link_into(node, port);
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

  [[nodiscard]] std::uint64_t cycles_of(const LinkRings<ElasticProgram>& rings) const {
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

  /// The links in an order in which links without own packets follow their feeds.
  struct LinkOrder {
    std::vector<LinkId> order;
    /// Links on rings without a sender, and links that depend on them.
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

  /// When the sums of the first leg are complete, which the second one sends.
  class Sums {
   public:
    explicit Sums(const ElasticProof& proof) : proof_(proof) {
      if (proof.legs_ > 1) come_.resize(proof.topology_.nodes() * cycles());
    }
    void note(LinkId link, std::uint64_t round, std::uint64_t place, std::uint64_t cycle) {
      const std::uint64_t chunk = proof_.elastic_.chunk;
      const std::uint64_t first = (proof_.lines_[link].carries - 1) * chunk;
      if (place < first) return;
      const NodeId to = proof_.topology_.neighbor(proof_.topology_.link_from(link),
                                                  proof_.topology_.link_port(link));
      std::vector<std::uint64_t>& come = come_[to * cycles() + cycle_of(link)];
      come.resize(proof_.elastic_.flits(), 0);
      std::uint64_t& at = come[round * chunk + place - first];
      // An element adds in the cycle of the take, and offers in the next.
      at = std::max(at, cycle + 1);
    }
    [[nodiscard]] std::uint64_t come(LinkId link, std::uint64_t flit) const {
      return come_[proof_.topology_.link_from(link) * cycles() + cycle_of(link)].at(flit);
    }

   private:
    [[nodiscard]] std::size_t cycles() const { return proof_.program_.combine->cycles(); }
    [[nodiscard]] std::size_t cycle_of(LinkId link) const {
      return *proof_.program_.at(proof_.topology_.link_from(link), proof_.topology_.link_port(link))
                  .lane /
             2U;
    }

    const ElasticProof& proof_;
    /// By node and cycle, then flit.
    std::vector<std::vector<std::uint64_t>> come_;
  };

  /// The last take without stalls. Processes round by round, and within a round place by place:
  /// with the capacities above no place waits for a later one, so every cycle is known when its
  /// turn comes.
  [[nodiscard]] std::uint64_t sweep() const {
    const std::vector<LinkId> order = links_behind_feeds().order;
    std::vector<LinkTimes> times(lines_.size());
    std::vector<std::vector<LinkId>> fed(lines_.size());
    std::uint64_t longest = 0;
    for (const LinkId link : order) {
      times[link] = LinkTimes(elastic_, static_cast<std::uint32_t>(lines_[link].latency));
      longest = std::max(longest, lines_[link].carries * elastic_.chunk);
      if (lines_[link].feed != kNoLink) fed[lines_[link].feed].push_back(link);
    }
    std::uint64_t last = 0;
    Sums sums(*this);
    for (std::uint64_t round = 0; round < legs_ * elastic_.rounds; ++round) {
      for (const LinkId link : order) {
        for (std::uint64_t flit = 0; flit < lines_[link].own * elastic_.chunk; ++flit) {
          std::uint64_t cycle = times[link].can_push();
          if (round >= elastic_.rounds) {
            cycle =
                std::max(cycle, sums.come(link, (round - elastic_.rounds) * elastic_.chunk + flit));
          }
          times[link].push(cycle);
        }
      }
      for (std::uint64_t place = 0; place < longest; ++place) {
        for (const LinkId link : order) {
          const ElasticLine& line = lines_[link];
          if (place >= line.carries * elastic_.chunk) continue;
          LinkTimes& here = times[link];
          std::uint64_t cycle = here.arrives();
          const auto passes = [&](LinkId out) {
            return place < lines_[out].passes_on() * elastic_.chunk;
          };
          for (const LinkId out : fed[link]) {
            if (passes(out)) cycle = std::max(cycle, times[out].can_push());
          }
          here.take(cycle);
          for (const LinkId out : fed[link]) {
            if (passes(out)) times[out].push(cycle);
          }
          if (legs_ > 1 && round < elastic_.rounds) sums.note(link, round, place, cycle);
          last = std::max(last, cycle);
        }
      }
    }
    return last;
  }

  const Plan& plan_;
  const Topology& topology_;
  const ElasticProgram& program_;
  const Elastic& elastic_;
  std::uint64_t legs_;
  std::vector<ElasticLine> lines_;
  /// Chunks that cross links in a round.
  std::uint64_t chunks_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_elastic(const Plan& plan) {
  Verdict verdict = ElasticProof(plan).prove();
  const ExpectedFigures& expected = plan.expected;
  if (verdict.cycles && expected.analytic_cycles && verdict.cycles != expected.analytic_cycles) {
    verdict.problems.push_back(fmt::format("the last flit is taken in cycle {}, the plan states {}",
                                           *verdict.cycles, *expected.analytic_cycles));
  }
  const std::uint32_t slots = plan.program.as<ElasticProgram>().elastic.slots;
  if (expected.queue_depth != slots) {
    verdict.problems.push_back(fmt::format("queues have {} slots, the plan's queue_depth is {}",
                                           slots, expected.queue_depth));
  }
  if (expected.analytic_steps || expected.lower_bound_steps || expected.bound_steps) {
    verdict.problems.emplace_back("elastic streams have no steps, but the plan promises some");
  }
  return verdict;
}

}  // namespace gossamer
