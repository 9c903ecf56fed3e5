// SPDX-License-Identifier: Apache-2.0
/// The proof on lines through all live nodes, cycles or paths, O(P d log P). A chain of links, each
/// fed by the one before it, sends without a gap when every link preloads something: first its own
/// list, then that of the link before it, and so on (docs/spec/faults.md, section 3). So the packet
/// at place j of a list arrives where link i leads j + 1 steps after the lists in between have
/// passed. Each packet has to be on one chain that reaches everybody, or on two that run opposite
/// ways: one arrival grows with the distance, the other falls, and the last node is where they
/// cross.
#include <algorithm>
#include <utility>

#include "stream_proofs.hpp"

namespace gossamer {

namespace {

constexpr std::uint8_t kNoChain = 0xFF;

/// Packets in the lists of a chain's first places.
class PacketsBefore {
 public:
  /// The next place has a list of so many.
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

/// A line of links through all live nodes.
struct Chain {
  bool closed = false;
  /// Senders, of an open chain the last receiver, too; the first of them.
  std::uint64_t size = 0;
  NodeId front = kNoNode;
  /// By node: its place among them.
  std::vector<NodeId> place;
  /// The last receiver has no list.
  PacketsBefore before;
  /// The chain that runs the other way, kNoChain when there is none.
  std::uint8_t reverse = kNoChain;

  /// The step in which the receiver `hops` places on gets what stands `at` in the list of `place`.
  [[nodiscard]] std::uint64_t arrival(std::uint64_t from, std::uint64_t hops,
                                      std::uint64_t at) const {
    const std::uint64_t first = from + 1;
    const std::uint64_t last = from + hops;  // lists first .. last - 1 pass before it
    const auto sum = [&](std::uint64_t end) {
      return end <= size ? before[end] : before[size] + before[end - size];
    };
    return sum(last) - sum(first) + at + 1;
  }
  /// Places that what `place` sends gets to.
  [[nodiscard]] std::uint64_t reach(std::uint64_t from) const {
    return closed ? size - 1 : size - 1 - from;
  }
};

/// The chains of a program, if that is all it has.
class Chains {
 public:
  Chains(const Topology& topology, const StreamProgram& program)
      : topology_(topology), program_(program), chain_of_(topology.link_slots(), kNoChain) {}

  /// False when some link that is not idle is on no chain through all live nodes with a packet on
  /// every link or on none.
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
  /// The chain of a link, kNoChain when it carries nothing.
  [[nodiscard]] std::uint8_t chain(LinkId link) const {
    return chain_of_[link] == kSilent ? kNoChain : chain_of_[link];
  }

 private:
  /// Not idle, and not followed yet.
  static constexpr std::uint8_t kFound = 0xFD;
  static constexpr std::uint8_t kSilent = 0xFE;

  /// The link that this one feeds, kNoLink when it feeds none.
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
    std::size_t empty = 0;
    LinkId link = start;
    do {
      if (links.size() == topology_.live_nodes() || chain_of_[link] != kFound) return false;
      links.push_back(link);
      const auto& preload =
          program_.at(topology_.link_from(link), topology_.link_port(link)).preload;
      if (preload.empty()) ++empty;
      chain.before.add(preload.size());
      link = downstream(link);
    } while (link != kNoLink && link != start);
    // Nothing is put on it: nothing comes of it, whatever it leads through.
    const bool silent = empty == links.size();
    if (!silent && empty != 0) return false;
    const std::size_t number = silent ? kSilent : chains_.size();
    if (!silent && number == static_cast<std::size_t>(topology_.ports())) return false;
    for (const LinkId on : links) chain_of_[on] = static_cast<std::uint8_t>(number);
    if (silent) return true;
    chain.closed = link == start;
    chain.front = topology_.link_from(start);
    chain.size = links.size() + (chain.closed ? 0 : 1);
    if (chain.size != topology_.live_nodes()) return false;
    chain.place.assign(topology_.nodes(), kNoNode);
    const auto stands = [&chain](NodeId node, std::size_t place) {
      if (node == kNoNode || chain.place[node] != kNoNode) return false;
      chain.place[node] = static_cast<NodeId>(place);
      return true;
    };
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (!stands(topology_.link_from(links[i]), i)) return false;
    }
    if (!chain.closed) {
      const LinkId last = links.back();
      const NodeId node = topology_.neighbor(topology_.link_from(last), topology_.link_port(last));
      if (!stands(node, links.size())) return false;
    }
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

  /// True when the places of all nodes on the two add up to the same, round the line.
  [[nodiscard]] static bool run_opposite(const Chain& a, const Chain& b) {
    const std::uint64_t sum = b.place[a.front] % a.size;
    for (std::size_t node = 0; node < a.place.size(); ++node) {
      const std::uint64_t places = std::uint64_t{a.place[node]} + b.place[node];
      // Neither has a place for the dead.
      if (a.place[node] != kNoNode && places % a.size != sum) return false;
    }
    return true;
  }

  const Topology& topology_;
  const StreamProgram& program_;
  std::vector<std::uint8_t> chain_of_;
  std::vector<Chain> chains_;
};

/// A packet's place in one chain's list of its node.
struct Sending {
  std::uint8_t chain;
  std::uint64_t at;
};

/// The last of the first arrivals of a packet that goes along both chains; nothing when somebody
/// never gets it. `meeting` is where the last search ended, and this one begins: neighbours'
/// packets meet themselves about as far away.
std::optional<std::uint64_t> last_arrival(const Chain& there, std::uint64_t at, const Chain& back,
                                          std::uint64_t back_at, NodeId node,
                                          std::uint64_t& meeting) {
  const std::uint64_t n = there.size;
  const std::uint64_t from = there.place[node];
  const std::uint64_t back_from = back.place[node];
  // At distance x one way, n - x the other.
  const std::uint64_t there_to = there.reach(from);
  const std::uint64_t back_to = n - back.reach(back_from);
  if (there_to + 1 < back_to) return std::nullopt;
  const auto arrives = [&](std::uint64_t x) { return there.arrival(from, x, at); };
  const auto returns = [&](std::uint64_t x) { return back.arrival(back_from, n - x, back_at); };
  std::uint64_t last = 0;
  if (back_to > 1) last = arrives(back_to - 1);
  if (there_to < n - 1) last = std::max(last, returns(there_to + 1));
  // Where both get to, the first x with arrives(x) >= returns(x).
  const auto has_met = [&](std::uint64_t x) { return arrives(x) >= returns(x); };
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
  if (low <= there_to) last = std::max(last, returns(low));
  if (low > back_to) last = std::max(last, arrives(low - 1));
  return last;
}

}  // namespace

std::optional<Verdict> prove_on_hamiltonian_cycles(const Plan& plan, std::uint64_t limit) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<StreamProgram>();
  if (program.frame() != 1 || !topology.faults().dead_cores.empty()) return std::nullopt;
  Chains found(topology, program);
  if (!found.find()) return std::nullopt;
  const std::vector<Chain>& chains = found.chains();

  const std::uint64_t nodes = topology.live_nodes();
  const std::uint32_t k = program.packets_per_node();
  Verdict verdict;
  verdict.method = "hamiltonian cycles";
  verdict.complete = true;
  std::uint64_t steps = 0;
  std::uint64_t meeting = nodes / 2;
  std::vector<std::vector<Sending>> sendings(k);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.is_live(node)) continue;
    for (auto& list : sendings) list.clear();
    for (const Port port : all_ports(topology.ports())) {
      const std::uint8_t chain = found.chain(topology.link(node, port));
      if (chain == kNoChain) continue;
      const auto& preload = program.at(node, port).preload;
      verdict.max_queue = std::max<std::uint64_t>(*verdict.max_queue, preload.size());
      for (std::size_t at = 0; at < preload.size(); ++at) {
        auto& list = sendings[preload[at]];
        // A packet that stands twice in a list counts where it stands first.
        if (list.empty() || list.back().chain != chain) list.push_back({chain, at});
      }
    }
    for (const auto& list : sendings) {
      if (list.empty() || list.size() > 2) return std::nullopt;
      const Chain& chain = chains[list[0].chain];
      if (list.size() == 1) {
        const std::uint64_t from = chain.place[node];
        if (chain.reach(from) != nodes - 1) return std::nullopt;
        steps = std::max(steps, chain.arrival(from, nodes - 1, list[0].at));
        continue;
      }
      if (chain.reverse != list[1].chain) return std::nullopt;
      const auto last =
          last_arrival(chain, list[0].at, chains[list[1].chain], list[1].at, node, meeting);
      if (!last) return std::nullopt;
      steps = std::max(steps, *last);
    }
  }
  // A list longer than the buffer loses packets, and then the chains prove nothing.
  if (steps > limit || verdict.max_queue > plan.expected.queue_depth) return std::nullopt;
  verdict.steps = steps;
  verdict.link_transfers = 0;
  for (const Chain& chain : chains) {
    if (chain.closed) {
      *verdict.link_transfers += nodes * steps;
      continue;
    }
    for (std::size_t i = 1; i < nodes; ++i) {
      *verdict.link_transfers += std::min(steps, chain.before[i]);
    }
  }
  verdict.duplicates = *verdict.link_transfers - nodes * (nodes - 1) * k;
  return verdict;
}

}  // namespace gossamer
