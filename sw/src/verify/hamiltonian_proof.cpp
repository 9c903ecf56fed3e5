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

/// A line of links through all live nodes.
struct Chain {
  bool closed = false;
  /// Senders in order; of an open chain the last receiver, too.
  std::vector<NodeId> nodes;
  /// By node: its place among them.
  std::vector<NodeId> place;
  /// before[i]: packets in the lists of places 0 .. i - 1. The last receiver has no list.
  std::vector<std::uint64_t> before;
  /// The chain that runs the other way, kNoChain when there is none.
  std::uint8_t reverse = kNoChain;

  [[nodiscard]] std::uint64_t size() const { return nodes.size(); }
  /// The step in which the receiver `hops` places on gets what stands `at` in the list of `place`.
  [[nodiscard]] std::uint64_t arrival(std::uint64_t from, std::uint64_t hops,
                                      std::uint64_t at) const {
    const std::uint64_t first = from + 1;
    const std::uint64_t last = from + hops;  // lists first .. last - 1 pass before it
    const std::uint64_t n = size();
    const auto sum = [&](std::uint64_t end) {
      return end <= n ? before[end] : before[n] + before[end - n];
    };
    return sum(last) - sum(first) + at + 1;
  }
  /// Places that what `place` sends gets to.
  [[nodiscard]] std::uint64_t reach(std::uint64_t from) const {
    return closed ? size() - 1 : size() - 1 - from;
  }
};

/// The chains of a program, if that is all it has.
class Chains {
 public:
  Chains(const Topology& topology, const StreamProgram& program)
      : topology_(topology),
        program_(program),
        downstream_(topology.link_slots(), kNoLink),
        chain_of_(topology.link_slots(), kNoChain) {}

  /// False when some link that is not idle is on no chain through all live nodes with a packet on
  /// every link or on none.
  bool find() {
    std::vector<LinkId> links;
    std::vector<LinkId> unfed;
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (int p = 0; p < topology_.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const PortProgram& at = program_.at(walk.node(), port);
        if (at.feed.empty() && at.preload.empty() && at.switch_step == 0) continue;
        if (at.switch_step != 0 || at.feed.size() > 1) return false;
        const LinkId link = topology_.link(walk.node(), port);
        links.push_back(link);
        if (at.feed.empty()) {
          unfed.push_back(link);
          continue;
        }
        const LinkId from = topology_.link_into(walk.node(), at.feed.front());
        if (from == kNoLink || downstream_[from] != kNoLink) return false;
        downstream_[from] = link;
      }
    }
    const auto follow_all = [this](const std::vector<LinkId>& starts) {
      return std::all_of(starts.begin(), starts.end(), [this](LinkId link) {
        return chain_of_[link] != kNoChain || follow(link);
      });
    };
    if (!follow_all(unfed) || !follow_all(links)) return false;
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
  static constexpr std::uint8_t kSilent = 0xFE;

  bool follow(LinkId start) {
    Chain chain;
    std::vector<LinkId> links;
    std::size_t empty = 0;
    LinkId link = start;
    do {
      if (links.size() == topology_.live_nodes() || chain_of_[link] != kNoChain) return false;
      links.push_back(link);
      const auto& preload =
          program_.at(topology_.link_from(link), topology_.link_port(link)).preload;
      if (preload.empty()) ++empty;
      chain.nodes.push_back(topology_.link_from(link));
      chain.before.push_back(preload.size());
      link = downstream_[link];
    } while (link != kNoLink && link != start);
    // Nothing is put on it: nothing comes of it, whatever it leads through.
    const bool silent = empty == links.size();
    if (!silent && empty != 0) return false;
    const std::size_t number = silent ? kSilent : chains_.size();
    if (!silent && number == static_cast<std::size_t>(topology_.ports())) return false;
    for (const LinkId on : links) chain_of_[on] = static_cast<std::uint8_t>(number);
    if (silent) return true;
    chain.closed = link == start;
    if (!chain.closed) {
      const LinkId last = links.back();
      chain.nodes.push_back(
          topology_.neighbor(topology_.link_from(last), topology_.link_port(last)));
      chain.before.push_back(0);
    }
    if (chain.nodes.size() != topology_.live_nodes()) return false;
    chain.place.assign(topology_.nodes(), kNoNode);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
      const NodeId node = chain.nodes[i];
      if (node == kNoNode || chain.place[node] != kNoNode) return false;
      chain.place[node] = static_cast<NodeId>(i);
      sum += std::exchange(chain.before[i], sum);
    }
    chain.before.push_back(sum);
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
    const std::uint64_t n = a.size();
    const std::uint64_t sum = b.place[a.nodes.front()] % n;
    for (std::size_t i = 1; i < a.nodes.size(); ++i) {
      if ((i + b.place[a.nodes[i]]) % n != sum) return false;
    }
    return true;
  }

  const Topology& topology_;
  const StreamProgram& program_;
  /// By link: the one that it feeds.
  std::vector<LinkId> downstream_;
  std::vector<std::uint8_t> chain_of_;
  std::vector<Chain> chains_;
};

/// A packet's place in one chain's list of its node.
struct Sending {
  std::uint8_t chain;
  std::uint64_t at;
};

/// The last of the first arrivals of a packet that goes along both chains; nothing when somebody
/// never gets it.
std::optional<std::uint64_t> last_arrival(const Chain& there, std::uint64_t at, const Chain& back,
                                          std::uint64_t back_at, NodeId node) {
  const std::uint64_t n = there.size();
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
  std::uint64_t low = back_to;
  std::uint64_t high = there_to + 1;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (arrives(middle) >= returns(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low <= there_to) last = std::max(last, returns(low));
  if (low > back_to) last = std::max(last, arrives(low - 1));
  return last;
}

}  // namespace

std::optional<Verdict> prove_on_hamiltonian_cycles(const Plan& plan, std::uint64_t limit) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<StreamProgram>(plan.program);
  if (program.frame() != 1 || !topology.faults().dead_cores.empty()) return std::nullopt;
  Chains found(topology, program);
  if (!found.find()) return std::nullopt;
  const std::vector<Chain>& chains = found.chains();

  const std::uint64_t nodes = topology.live_nodes();
  const std::uint32_t k = program.packets_per_node();
  Verdict verdict;
  verdict.method = ProofMethod::kHamiltonianCycles;
  verdict.complete = true;
  std::uint64_t steps = 0;
  std::vector<std::vector<Sending>> sendings(k);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.is_live(node)) continue;
    for (auto& list : sendings) list.clear();
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
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
      const auto last = last_arrival(chain, list[0].at, chains[list[1].chain], list[1].at, node);
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
