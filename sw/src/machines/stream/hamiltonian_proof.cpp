// SPDX-License-Identifier: Apache-2.0
/// The proof on lines through all live nodes, cycles, closed trails or paths, O(P d log P). In a
/// chain of links each link is fed by the one before it. If every link preloads packets, the chain
/// sends without a gap: first a link's own list, then that of the link before it, and so on
/// (docs/spec/faults.md, section 3). The packet at place j of a list therefore arrives at the end
/// of link i in the step j + 1 steps after the lists in between have passed. An empty list counts
/// as one gap. A link with a list of n packets has a backlog of n - 1 packets from then on, and
/// fills as many gaps as reach it, the nearest first. Each packet has to be on one chain
/// that reaches every node, or on two that run in opposite directions. One arrival time then grows
/// with the distance, the other falls, and the last node is where they cross. A closed trail visits
/// some nodes more than once. Such a node puts its packets on the trail at every visit, which
/// divides the trail into stretches between two visits. It receives a packet at the visit that the
/// packet reaches first.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "stream_proofs.hpp"

namespace gossamer {

namespace {

constexpr std::uint8_t kNoChain = 0xFF;
/// Arrivals at nodes without a core that are looked at, for each packet of a node.
constexpr std::uint64_t kMostLooks = std::uint64_t{1} << 24;
/// Filled gaps of a chain, all of which every arrival time looks at.
constexpr std::size_t kMostFilled = 64;

/// Packets in the lists of a chain's first places.
class PacketsBefore {
 public:
  /// The next place has a list of this many packets.
  void add(std::uint64_t packets) {
    if (places_ == 0) each_ = packets;
    // Lists of one length need no sums.
    if (sums_.empty() && packets != each_) {
      for (std::uint64_t place = 0; place <= places_; ++place) sums_.push_back(place * each_);
    }
    if (!sums_.empty()) sums_.push_back(sums_.back() + packets);
    ++places_;
  }
  /// Those of places 0 .. place - 1.
  [[nodiscard]] std::uint64_t operator[](std::uint64_t place) const {
    return sums_.empty() ? place * each_ : sums_[place];
  }

 private:
  std::uint64_t each_ = 0;
  std::uint64_t places_ = 0;
  std::vector<std::uint64_t> sums_;
};

/// A gap that a backlog fills.
struct FilledGap {
  /// The place with the empty list.
  std::uint64_t place = 0;
  /// The link that fills it is this many places on.
  std::uint64_t hops = 0;
};

/// A line of links through all live nodes.
struct Chain {
  bool closed = false;
  /// Places: the senders and, of an open chain, the last receiver.
  std::uint64_t size = 0;
  /// By place.
  std::vector<NodeId> nodes;
  /// By node: its first place, kNoNode for the dead.
  std::vector<NodeId> place;
  /// All places of the nodes that have several.
  std::unordered_map<NodeId, std::vector<std::uint64_t>> places;
  /// The last receiver has no list; a gap represents an empty one.
  PacketsBefore before;
  /// Places with empty lists, ascending.
  std::vector<std::uint64_t> gaps;
  std::vector<FilledGap> filled;
  /// Steps before the first gap reaches a backlog, if so many are filled that `filled` is empty.
  std::uint64_t valid_for = ~std::uint64_t{0};
  /// The chain that runs the other way, or kNoChain; place i here is place `sum` - i there.
  std::uint8_t reverse = kNoChain;
  std::uint64_t sum = 0;

  /// The step in which the receiver `hops` places on gets packet `at` of the list of `place`.
  [[nodiscard]] std::uint64_t arrival(std::uint64_t from, std::uint64_t hops,
                                      std::uint64_t at) const {
    const std::uint64_t first = from + 1;
    const std::uint64_t last = from + hops;  // lists first .. last - 1 pass before it
    const auto up_to = [&](std::uint64_t end) {
      return end <= size ? before[end] : before[size] + before[end - size];
    };
    std::uint64_t filled_between = 0;
    for (const FilledGap& gap : filled) {
      const std::uint64_t behind = (gap.place + size - from) % size;
      if (behind != 0 && behind + gap.hops < hops) ++filled_between;
    }
    return up_to(last) - up_to(first) - filled_between + at + 1;
  }
  /// Packets that the links send in this number of steps, at most once around a closed chain.
  [[nodiscard]] std::uint64_t transfers(std::uint64_t steps) const {
    const std::uint64_t links = closed ? size : size - 1;
    std::uint64_t sent = 0;
    if (closed) {
      sent = links * steps;
    } else {
      for (std::uint64_t i = 1; i <= links; ++i) {
        const auto is_filled_by_now = [i](const FilledGap& gap) {
          return gap.place + gap.hops < i;
        };
        const auto fewer = std::count_if(filled.begin(), filled.end(), is_filled_by_now);
        sent += std::min(steps, before[i] - static_cast<std::uint64_t>(fewer));
      }
    }
    for (const std::uint64_t gap : gaps) {
      // Leaves the place `hops` on in step arrival(gap, hops + 1, 0).
      std::uint64_t low = 0;
      std::uint64_t high = closed ? links : links - gap;
      for (const FilledGap& one : filled) {
        if (one.place == gap) high = one.hops;
      }
      while (low < high) {
        const std::uint64_t middle = (low + high) / 2;
        if (arrival(gap, middle + 1, 0) > steps) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      sent -= low;
    }
    return sent;
  }
  /// The step in which the first gap arrives at a place.
  [[nodiscard]] std::uint64_t first_gap_at(std::uint64_t at) const {
    const auto after = std::lower_bound(gaps.begin(), gaps.end(), at);
    if (after == gaps.begin() && (gaps.empty() || !closed)) return ~std::uint64_t{0};
    const std::uint64_t gap = after == gaps.begin() ? gaps.back() : *(after - 1);
    return arrival(gap, (at + size - gap) % size, 0);
  }
  /// Matches gaps with the backlogs that fill them. `backlogs`: places with lists of two and more
  /// packets, ascending, and by how many packets the lists exceed one.
  void fill_gaps(std::vector<std::pair<std::uint64_t, std::uint64_t>> backlogs) {
    if (gaps.empty() || backlogs.empty()) return;
    // The nearest gap reaches a backlog first. On a closed chain, gaps that the first lap leaves
    // open go on to the backlogs that it leaves unused.
    std::vector<std::uint64_t> open;
    for (std::uint64_t lap = 0; lap < (closed ? 2U : 1U); ++lap) {
      auto gap = gaps.begin();
      for (auto& [link, left] : backlogs) {
        for (; lap == 0 && gap != gaps.end() && *gap < link; ++gap) open.push_back(*gap);
        for (; left > 0 && !open.empty(); --left, open.pop_back()) {
          const std::uint64_t hops = (link + size - open.back()) % size;
          if (filled.size() < kMostFilled) {
            filled.push_back({open.back(), hops});
            continue;
          }
          filled.clear();
          for (const auto& [at, unused] : backlogs)
            valid_for = std::min(valid_for, first_gap_at(at));
          return;
        }
      }
      for (; lap == 0 && gap != gaps.end(); ++gap) open.push_back(*gap);
    }
  }
  /// The number of places that packets of `place` reach.
  [[nodiscard]] std::uint64_t reach(std::uint64_t from) const {
    return closed ? size - 1 : size - 1 - from;
  }
  /// The corresponding place on the chain of the opposite direction.
  [[nodiscard]] std::uint64_t opposite(std::uint64_t at) const { return (sum + size - at) % size; }
};

/// The chains of a program, if that is all it has.
class Chains {
 public:
  Chains(const Topology& topology, const StreamProgram& program)
      : topology_(topology), program_(program), chain_of_(topology.link_slots(), kNoChain) {}

  /// False when some link that is not idle is on no chain through all live nodes.
  bool find() {
    std::vector<LinkId> unfed;
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      std::uint32_t feeding = 0;
      for (const Port port : all_ports(topology_.ports())) {
        const StreamPort& at = program_.at(walk.node(), port);
        if (at.feed.empty() && at.preload.empty() && at.switch_step == 0) continue;
        if (at.switch_step != 0 || at.has_fan_in()) return false;
        const LinkId link = topology_.link(walk.node(), port);
        chain_of_[link] = kFound;
        if (at.feed.empty()) {
          unfed.push_back(link);
          continue;
        }
        const std::uint32_t from = 1U << at.feed.front();
        if (walk.sender(at.feed.front()) == kNoNode || (feeding & from) != 0) return false;
        feeding |= from;
      }
    }
    // A chain may begin with a link that never sends.
    for (LinkId link = 0; link < chain_of_.size(); ++link) {
      const NodeId node = topology_.link_from(link);
      const auto& feed = program_.at(node, topology_.link_port(link)).feed;
      if (chain_of_[link] != kFound || feed.empty()) continue;
      const LinkId from = topology_.link_into(node, feed.front());
      if (chain_of_[from] != kNoChain) continue;
      chain_of_[from] = kFound;
      unfed.push_back(from);
    }
    for (const LinkId link : unfed) {
      if (chain_of_[link] == kFound && !follow(link)) return false;
    }
    for (LinkId link = 0; link < chain_of_.size(); ++link) {
      if (chain_of_[link] == kFound && !follow(link)) return false;
    }
    find_reverses();
    return true;
  }

  /// Chains that carry something.
  [[nodiscard]] const std::vector<Chain>& chains() const { return chains_; }
  /// The chain of a link; kNoChain for an empty link.
  [[nodiscard]] std::uint8_t chain(LinkId link) const {
    return chain_of_[link] == kSilent ? kNoChain : chain_of_[link];
  }
  /// Where on its chain a link leaves.
  [[nodiscard]] std::uint64_t place(LinkId link) const {
    const auto again = places_.find(link);
    if (again != places_.end()) return again->second;
    return chains_[chain_of_[link]].place[topology_.link_from(link)];
  }

 private:
  /// Not idle, and not followed yet.
  static constexpr std::uint8_t kFound = 0xFD;
  static constexpr std::uint8_t kSilent = 0xFE;

  /// The link that this one feeds; kNoLink without one.
  [[nodiscard]] LinkId downstream(LinkId link) const {
    const Port port = topology_.link_port(link);
    const NodeId node = topology_.neighbor(topology_.link_from(link), port);
    if (node == kNoNode) return kNoLink;
    for (int p = 0; p < topology_.ports(); ++p) {
      const auto& feed = program_.at(node, static_cast<Port>(p)).feed;
      if (!feed.empty() && feed.front() == opposite(port)) {
        return topology_.link(node, static_cast<Port>(p));
      }
    }
    return kNoLink;
  }

  bool follow(LinkId start) {
    Chain chain;
    std::vector<LinkId> links;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> backlogs;
    LinkId link = start;
    do {
      if (chain_of_[link] != kFound) return false;
      links.push_back(link);
      const std::uint64_t list =
          program_.at(topology_.link_from(link), topology_.link_port(link)).preload.size();
      if (list == 0) chain.gaps.push_back(links.size() - 1);
      if (list > 1) backlogs.emplace_back(links.size() - 1, list - 1);
      chain.before.add(std::max<std::uint64_t>(1, list));
      link = downstream(link);
    } while (link != kNoLink && link != start);
    // No packet is put on it, so it delivers none, regardless of its nodes.
    const bool silent = chain.gaps.size() == links.size();
    const std::size_t number = silent ? kSilent : chains_.size();
    if (!silent && number == static_cast<std::size_t>(topology_.ports())) return false;
    for (const LinkId on : links) chain_of_[on] = static_cast<std::uint8_t>(number);
    if (silent) return true;
    chain.closed = link == start;
    chain.nodes.reserve(links.size() + 1);
    for (const LinkId on : links) chain.nodes.push_back(topology_.link_from(on));
    if (!chain.closed) {
      const LinkId last = links.back();
      chain.nodes.push_back(
          topology_.neighbor(topology_.link_from(last), topology_.link_port(last)));
      if (chain.nodes.back() == kNoNode) return false;
    }
    chain.size = chain.nodes.size();
    chain.place.assign(topology_.nodes(), kNoNode);
    std::uint64_t visited = 0;
    for (std::uint64_t i = 0; i < chain.size; ++i) {
      NodeId& first = chain.place[chain.nodes[i]];
      if (first == kNoNode) {
        first = static_cast<NodeId>(i);
        ++visited;
        continue;
      }
      if (!chain.closed) return false;
      auto& places = chain.places[chain.nodes[i]];
      if (places.empty()) places.push_back(first);
      places.push_back(i);
      places_.emplace(links[i], i);
    }
    if (visited != topology_.live_nodes()) return false;
    chain.fill_gaps(std::move(backlogs));
    chains_.push_back(std::move(chain));
    return true;
  }

  void find_reverses() {
    for (Chain& chain : chains_) {
      for (std::size_t other = 0; other < chains_.size(); ++other) {
        if (&chains_[other] != &chain && run_opposite(chain, chains_[other])) {
          chain.reverse = static_cast<std::uint8_t>(other);
          break;
        }
      }
    }
  }

  /// True when one leads through the places of the other in the opposite order; notes the sum of
  /// the two places that are one.
  [[nodiscard]] static bool run_opposite(Chain& a, const Chain& b) {
    if (a.size != b.size) return false;
    const NodeId front = a.nodes.front();
    const auto several = b.places.find(front);
    const std::vector<std::uint64_t> sums =
        several == b.places.end() ? std::vector<std::uint64_t>{b.place[front]} : several->second;
    return std::any_of(sums.begin(), sums.end(), [&a, &b](std::uint64_t sum) {
      a.sum = sum;
      for (std::uint64_t i = 0; i < a.size; ++i) {
        if (a.nodes[i] != b.nodes[a.opposite(i)]) return false;
      }
      return true;
    });
  }

  const Topology& topology_;
  const StreamProgram& program_;
  std::vector<std::uint8_t> chain_of_;
  std::vector<Chain> chains_;
  /// Places of the links by which nodes are left again.
  std::unordered_map<LinkId, std::uint64_t> places_;
};

/// Entry of a node's packet on a chain: the chain, the place, and its index in the list.
struct Sending {
  std::uint8_t chain;
  std::uint64_t place;
  std::uint64_t at;
};

/// One packet on a chain and, if it is sent in both directions, on the opposite chain.
class Journey {
 public:
  Journey(const Topology& topology, const std::vector<Chain>& chains)
      : topology_(topology), all_cores_(topology.faults().dead_cores.empty()), chains_(chains) {}

  /// The next packet; false when the chains do not determine its receivers.
  bool begin(const std::vector<Sending>& sendings) {
    starts_.clear();
    back_ = nullptr;
    if (sendings.empty()) return false;
    there_ = &chains_[sendings.front().chain];
    std::size_t back = 0;
    for (const Sending& sending : sendings) {
      if (&chains_[sending.chain] == there_) {
        starts_.push_back({sending.place, sending.at, 0});
        continue;
      }
      if (sending.chain != there_->reverse) return false;
      back_ = &chains_[sending.chain];
      ++back;
    }
    if (back != 0 && back != starts_.size()) return false;
    for (const Sending& sending : sendings) {
      if (&chains_[sending.chain] == there_) continue;
      const std::uint64_t place = there_->opposite(sending.place);
      const auto start = std::find_if(starts_.begin(), starts_.end(),
                                      [&](const Start& s) { return s.place == place; });
      if (start == starts_.end()) return false;
      start->back_at = sending.at;
    }
    std::sort(starts_.begin(), starts_.end(),
              [](const Start& a, const Start& b) { return a.place < b.place; });
    return true;
  }

  /// Raises `steps` to the last of the packet's first arrivals; false when a node never gets it.
  /// `meeting` is where the last search ended, and this one begins: neighbours' packets meet
  /// themselves about as far away.
  bool follow(std::uint64_t& steps, std::uint64_t& meeting) const {
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      if (!follow(stretch(i), steps, meeting)) return false;
    }
    return true;
  }

  /// When a node gets the packet first.
  [[nodiscard]] std::uint64_t arrival(NodeId node) const {
    if (node == there_->nodes[starts_.front().place]) return 0;
    const auto several = there_->places.find(node);
    if (several == there_->places.end()) return arrival_at(there_->place[node]);
    std::uint64_t first = kNever;
    for (const std::uint64_t place : several->second) first = std::min(first, arrival_at(place));
    return first;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Start {
    std::uint64_t place;
    std::uint64_t at;
    /// On the chain that runs the other way.
    std::uint64_t back_at;
  };
  /// The places from one start to the next.
  struct Stretch {
    const Start& from;
    const Start& to;
    std::uint64_t length;
  };

  [[nodiscard]] Stretch stretch(std::size_t i) const {
    const Start& from = starts_[i];
    const Start& to = starts_[(i + 1) % starts_.size()];
    return {from, to,
            from.place < to.place ? to.place - from.place : to.place + there_->size - from.place};
  }
  /// At distance x from where a stretch begins.
  [[nodiscard]] std::uint64_t arrives(const Stretch& on, std::uint64_t x) const {
    return there_->arrival(on.from.place, x, on.from.at);
  }
  [[nodiscard]] std::uint64_t returns(const Stretch& on, std::uint64_t x) const {
    if (back_ == nullptr) return kNever;
    return back_->arrival(there_->opposite(on.to.place), on.length - x, on.to.back_at);
  }

  bool follow(const Stretch& on, std::uint64_t& steps, std::uint64_t& meeting) const {
    const std::uint64_t end = on.length;
    const std::uint64_t there_to = std::min(there_->reach(on.from.place), end - 1);
    const std::uint64_t back_to =
        back_ == nullptr ? end
                         : end - std::min(back_->reach(there_->opposite(on.to.place)), end - 1);
    if (there_to + 1 < back_to) return false;
    // Where both get to, the first x with arrives(x) >= returns(x).
    const auto has_met = [&](std::uint64_t x) { return arrives(on, x) >= returns(on, x); };
    std::uint64_t low = back_to;
    std::uint64_t high = there_to + 1;
    meeting = std::clamp(meeting, low, high);
    std::uint64_t stride = 1;
    if (meeting < high && !has_met(meeting)) {
      low = meeting + 1;
      for (; high - low >= stride && !has_met(low + stride - 1); stride *= 2) low += stride;
      high = std::min(high, low + stride - 1);
    } else {
      high = meeting;
      for (; high - low >= stride && has_met(high - stride); stride *= 2) high -= stride;
      low = high - low >= stride ? high - stride + 1 : low;
    }
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (has_met(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    meeting = low;
    for (std::uint64_t x = low; x < end && returns(on, x) > steps; ++x) {
      steps = std::max(steps, first_of_visits(on, x, returns(on, x)));
    }
    for (std::uint64_t x = low - 1; x > 0 && arrives(on, x) > steps; --x) {
      steps = std::max(steps, first_of_visits(on, x, arrives(on, x)));
    }
    return true;
  }

  /// When the node at distance x has the packet, which gets to this visit in step `here`.
  [[nodiscard]] std::uint64_t first_of_visits(const Stretch& on, std::uint64_t x,
                                              std::uint64_t here) const {
    const NodeId node = there_->nodes[(on.from.place + x) % there_->size];
    if (!all_cores_ && !topology_.has_core(node)) return 0;
    return there_->places.empty() || there_->places.count(node) == 0 ? here : arrival(node);
  }

  /// When the packet gets to a place, which is no start.
  [[nodiscard]] std::uint64_t arrival_at(std::uint64_t place) const {
    const auto after =
        std::upper_bound(starts_.begin(), starts_.end(), place,
                         [](std::uint64_t one, const Start& start) { return one < start.place; });
    const Stretch on = stretch(
        (static_cast<std::size_t>(after - starts_.begin()) + starts_.size() - 1) % starts_.size());
    const std::uint64_t hops = (place + there_->size - on.from.place) % there_->size;
    std::uint64_t first = kNever;
    if (hops <= there_->reach(on.from.place)) first = arrives(on, hops);
    if (back_ != nullptr && on.length - hops <= back_->reach(there_->opposite(on.to.place))) {
      first = std::min(first, returns(on, hops));
    }
    return first;
  }

  const Topology& topology_;
  bool all_cores_;
  const std::vector<Chain>& chains_;
  const Chain* there_ = nullptr;
  const Chain* back_ = nullptr;
  /// By place.
  std::vector<Start> starts_;
};

}  // namespace

std::optional<Verdict> prove_on_hamiltonian_cycles(const Plan& plan, std::uint64_t limit) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<StreamProgram>();
  const std::vector<NodeId>& coreless = topology.faults().dead_cores;
  const std::uint64_t cores = topology.cores();
  if (program.frame() != 1 || coreless.size() * cores > kMostLooks) return std::nullopt;
  Chains found(topology, program);
  if (!found.find()) return std::nullopt;
  const std::vector<Chain>& chains = found.chains();

  const std::uint64_t nodes = topology.live_nodes();
  const std::uint32_t k = program.packets_per_node();
  Verdict verdict;
  const bool once = std::all_of(chains.begin(), chains.end(),
                                [](const Chain& chain) { return chain.places.empty(); });
  verdict.method = once ? "hamiltonian cycles" : "closed trails";
  verdict.complete = true;
  std::uint64_t steps = 0;
  std::uint64_t meeting = nodes / 2;
  std::vector<std::vector<Sending>> sendings(k);
  Journey journey(topology, chains);
  // Nodes without a core require nothing, but their arrivals are not duplicates.
  std::vector<std::uint64_t> unwanted;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.is_live(node)) continue;
    const bool has_core = coreless.empty() || topology.has_core(node);
    for (auto& list : sendings) list.clear();
    for (const Port port : all_ports(topology.ports())) {
      const LinkId link = topology.link(node, port);
      const std::uint8_t chain = found.chain(link);
      if (chain == kNoChain) continue;
      const auto& preload = program.at(node, port).preload;
      if (!has_core && !preload.empty()) return std::nullopt;
      verdict.max_queue = std::max<std::uint64_t>(*verdict.max_queue, preload.size());
      const std::uint64_t place = found.place(link);
      for (std::size_t at = 0; at < preload.size(); ++at) {
        auto& list = sendings[preload[at]];
        // A packet that occurs twice in a list counts at its first occurrence.
        if (list.empty() || list.back().chain != chain || list.back().place != place) {
          list.push_back({chain, place, at});
        }
      }
    }
    if (!has_core) continue;
    for (const auto& list : sendings) {
      if (!journey.begin(list) || !journey.follow(steps, meeting)) return std::nullopt;
      for (const NodeId to : coreless) unwanted.push_back(journey.arrival(to));
    }
  }
  // A list longer than the buffer loses packets, and then the chains prove nothing.
  if (steps > limit || verdict.max_queue > plan.expected.queue_depth) return std::nullopt;
  verdict.steps = steps;
  verdict.link_transfers = 0;
  for (const Chain& chain : chains) {
    if (steps > chain.valid_for) return std::nullopt;
    if (chain.closed && !chain.gaps.empty() && steps > chain.size) return std::nullopt;
    *verdict.link_transfers += chain.transfers(steps);
  }
  const auto passed_on = std::count_if(unwanted.begin(), unwanted.end(),
                                       [steps](std::uint64_t step) { return step <= steps; });
  verdict.duplicates =
      *verdict.link_transfers - cores * (cores - 1) * k - static_cast<std::uint64_t>(passed_on);
  return verdict;
}

}  // namespace gossamer
