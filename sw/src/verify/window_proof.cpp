// SPDX-License-Identifier: Apache-2.0
/// The proof by windows (docs/spec/gossip.md, section 4). With fixed feeds and preload lists of one
/// length a node's knowledge after T steps is the lists on the first T places of the backward walk
/// behind each of its in-links. Such a walk runs through a few links of a tree and then round a
/// cycle of links: an arc of a circle of places. So whether a node knows everything after T steps
/// is a question about at most 2d arcs and the gaps between them, answered with prefix sums.
///
/// The completion step is the largest over all nodes. A node is first asked whether it is done at
/// the largest step found so far, and only when it is not, its own step is searched for.
#include <fmt/format.h>

#include <algorithm>

#include "stream_proofs.hpp"

namespace gossamer {

namespace {

/// More link cycles than any planner makes; wrong plans may have many, and are walked instead.
constexpr std::size_t kMaxCircles = 16;
/// The longest tree part of a walk that is looked at link by link.
constexpr std::uint64_t kMaxTreeDepth = 64;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Where a link's backward walk meets a circle.
struct Entry {
  /// kNone for a walk that ends without meeting one.
  std::uint32_t circle = kNone;
  /// Node position on the circle of the first cycle link.
  std::uint32_t position = 0;
  /// Links of the walk before that.
  std::uint32_t depth = 0;
  /// The walk goes down the positions instead of up.
  bool downward = false;
};

/// A run of places on a circle, cyclic.
struct Arc {
  std::uint64_t start;
  std::uint64_t length;
};

/// The distinct packets in circulation on one closed walk through nodes.
struct Circle {
  /// Nodes in walking order.
  std::vector<NodeId> nodes;
  /// By node: its position, kNone when it is not on the circle.
  std::vector<std::uint32_t> position;
  /// By place (position * list length + index in the list): the packet, kNoPacket for none.
  std::vector<PacketId> packets;
  /// Packets on places before this one that no other circle carries, and that another does.
  std::vector<std::uint32_t> unique_before;
  std::vector<std::uint32_t> shared_before;
};

class Windows {
 public:
  Windows(const Topology& topology, const StreamProgram& program)
      : topology_(topology),
        program_(program),
        slots_(topology.link_slots()),
        upstream_(slots_, kNoLink),
        entry_(slots_),
        circles_of_(std::size_t{topology.nodes()} * program.packets_per_node(), 0) {}

  /// Finds the circles; false when the program is not of a kind that windows can judge.
  bool prepare() {
    if (!find_list_length()) return false;
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (int p = 0; p < topology_.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const PortProgram& at = program_.at(walk.node(), port);
        if (at.feed.empty()) continue;
        const NodeId from = walk.neighbor(at.feed.front());
        if (from == kNoNode) continue;
        upstream_[topology_.link(walk.node(), port)] =
            topology_.link(from, opposite(at.feed.front()));
      }
    }
    return find_circles() && enter_trees() && count_packets();
  }

  /// True when every link in use sends in every step.
  [[nodiscard]] bool always_busy() const { return always_busy_; }
  [[nodiscard]] std::uint64_t active_links() const { return active_links_; }
  [[nodiscard]] std::uint64_t list_length() const { return list_length_; }
  /// After so many steps every walk has been all round.
  [[nodiscard]] std::uint64_t horizon() const {
    std::uint64_t longest = 0;
    for (const Circle& circle : circles_) {
      longest = std::max<std::uint64_t>(longest, circle.packets.size());
    }
    return longest + (kMaxTreeDepth + 1) * list_length_;
  }

  /// Looks at one node; the questions below are about it.
  void look_at(NodeId node) {
    walks_.clear();
    for (int p = 0; p < topology_.ports(); ++p) {
      const LinkId link = topology_.link_into(node, static_cast<Port>(p));
      if (link != kNoLink && (upstream_[link] != kNoLink || list_of(link) != nullptr)) {
        walks_.push_back(link);
      }
    }
    own_.clear();
    for (std::uint32_t c = 0; c < program_.packets_per_node(); ++c) {
      own_.push_back(PacketId{node} * program_.packets_per_node() + c);
    }
  }

  /// True when the node knows every packet at the end of step `steps`.
  bool done_after(std::uint64_t steps) {
    singles_ = own_;
    for (auto& arcs : arcs_) arcs.clear();
    for (const LinkId link : walks_) add_walk(link, steps);
    std::sort(singles_.begin(), singles_.end());
    singles_.erase(std::unique(singles_.begin(), singles_.end()), singles_.end());
    for (std::size_t circle = 0; circle < circles_.size(); ++circle) {
      if (!covers(circle)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] const std::vector<std::uint16_t>* list_of(LinkId link) const {
    const auto& list = program_.at(topology_.link_from(link), topology_.link_port(link)).preload;
    return list.empty() ? nullptr : &list;
  }
  [[nodiscard]] PacketId packet_of(LinkId link, std::uint64_t index) const {
    const auto* list = list_of(link);
    if (list == nullptr) return kNoPacket;
    return PacketId{topology_.link_from(link)} * program_.packets_per_node() + (*list)[index];
  }

  /// Fixed single feeds, and lists without repeats, all of one length; lists of one may be missing.
  bool find_list_length() {
    bool missing = false;
    for (const PortProgram& entry : program_.dictionary()) {
      if (entry.switch_step != 0 || entry.feed.size() > 1) return false;
      if (entry.feed.empty() && entry.preload.empty()) continue;
      auto sorted = entry.preload;
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
      if (entry.preload.empty()) {
        missing = true;
      } else if (list_length_ == 0 || list_length_ == entry.preload.size()) {
        list_length_ = entry.preload.size();
      } else {
        return false;
      }
    }
    always_busy_ = !missing;
    return list_length_ != 0 && (list_length_ == 1 || !missing);
  }

  bool find_circles() {
    // 0: not seen; 1: on the walk that is under way; 2: done.
    std::vector<std::uint8_t> state(slots_, 0);
    std::vector<LinkId> walk;
    for (LinkId start = 0; start < slots_; ++start) {
      walk.clear();
      LinkId link = start;
      while (link != kNoLink && state[link] == 0) {
        state[link] = 1;
        walk.push_back(link);
        link = upstream_[link];
      }
      if (link != kNoLink && state[link] == 1) {
        const auto first = std::find(walk.begin(), walk.end(), link);
        if (!add_cycle(std::vector<LinkId>(first, walk.end()))) return false;
      }
      for (const LinkId done : walk) state[done] = 2;
    }
    return true;
  }

  /// A cycle of links, each the feeder of the one before.
  bool add_cycle(const std::vector<LinkId>& links) {
    if (std::all_of(links.begin(), links.end(),
                    [this](LinkId link) { return list_of(link) == nullptr; })) {
      return true;  // carries nothing
    }
    const auto link_cycle = static_cast<std::uint32_t>(links.size());
    for (std::uint32_t g = 0; g < circles_.size(); ++g) {
      if (circles_[g].nodes.size() == link_cycle && !has_reverse_[g] && runs_back(links, g)) {
        has_reverse_[g] = true;
        for (const LinkId link : links) {
          entry_[link] = {g, circles_[g].position[topology_.link_from(link)], 0, true};
        }
        return true;
      }
    }
    if (circles_.size() == kMaxCircles) return false;
    const auto g = static_cast<std::uint32_t>(circles_.size());
    Circle& circle = circles_.emplace_back();
    has_reverse_.push_back(false);
    circle.position.assign(topology_.nodes(), kNone);
    for (std::uint32_t i = 0; i < link_cycle; ++i) {
      const NodeId node = topology_.link_from(links[i]);
      if (circle.position[node] != kNone) return false;
      circle.position[node] = i;
      circle.nodes.push_back(node);
      entry_[links[i]] = {g, i, 0, false};
      for (std::uint64_t j = 0; j < list_length_; ++j) {
        circle.packets.push_back(packet_of(links[i], j));
      }
    }
    return true;
  }

  /// True when the links carry what circle g carries, in the opposite order.
  [[nodiscard]] bool runs_back(const std::vector<LinkId>& links, std::uint32_t g) const {
    const Circle& circle = circles_[g];
    const std::uint64_t m = links.size();
    const std::uint32_t first = circle.position[topology_.link_from(links[0])];
    if (first == kNone) return false;
    for (std::uint64_t i = 0; i < m; ++i) {
      const std::uint64_t position = (first + m - i) % m;
      if (circle.nodes[position] != topology_.link_from(links[i])) return false;
      for (std::uint64_t j = 0; j < list_length_; ++j) {
        if (circle.packets[(position + 1) * list_length_ - 1 - j] != packet_of(links[i], j)) {
          return false;
        }
      }
    }
    return true;
  }

  bool enter_trees() {
    arcs_.resize(circles_.size());
    std::vector<LinkId> walk;
    for (LinkId start = 0; start < slots_; ++start) {
      if (list_of(start) != nullptr) ++active_links_;
      if (entry_[start].circle != kNone || entry_[start].depth != 0) continue;
      walk.clear();
      LinkId link = start;
      while (link != kNoLink && entry_[link].circle == kNone && entry_[link].depth == 0) {
        if (walk.size() > kMaxTreeDepth) return false;
        walk.push_back(link);
        link = upstream_[link];
      }
      Entry entry;
      if (link != kNoLink) entry = entry_[link];
      // The walk that ends in nothing counts its last link as depth 1.
      for (auto back = walk.rbegin(); back != walk.rend(); ++back) {
        ++entry.depth;
        if (entry.depth > kMaxTreeDepth) return false;
        entry_[*back] = entry;
      }
    }
    return true;
  }

  bool count_packets() {
    for (const Circle& circle : circles_) {
      for (const PacketId packet : circle.packets) {
        if (packet != kNoPacket) ++circles_of_[packet];
      }
    }
    std::uint64_t shared = 0;
    for (const std::uint8_t count : circles_of_) {
      // A packet that only tree links carry has no place on a circle to account for it.
      if (count == 0) return false;
      if (count > 1) ++shared;
    }
    // Gaps of shared packets are looked at one by one: fine while they are few.
    if (2 * shared > circles_of_.size()) return false;
    for (Circle& circle : circles_) {
      std::uint32_t unique = 0;
      std::uint32_t several = 0;
      for (const PacketId packet : circle.packets) {
        circle.unique_before.push_back(unique);
        circle.shared_before.push_back(several);
        if (packet == kNoPacket) continue;
        if (circles_of_[packet] == 1) {
          ++unique;
        } else {
          ++several;
        }
      }
      circle.unique_before.push_back(unique);
      circle.shared_before.push_back(several);
    }
    return true;
  }

  void add_walk(LinkId link, std::uint64_t steps) {
    const Entry entry = entry_[link];
    for (std::uint32_t i = 0; i < entry.depth && steps != 0; ++i) {
      const std::uint64_t seen = std::min(steps, list_length_);
      for (std::uint64_t j = 0; j < seen; ++j) {
        const PacketId packet = packet_of(link, j);
        if (packet != kNoPacket) singles_.push_back(packet);
      }
      steps -= seen;
      link = upstream_[link];
    }
    if (entry.circle == kNone || steps == 0) return;
    const std::uint64_t places = circles_[entry.circle].packets.size();
    const std::uint64_t length = std::min(steps, places);
    const std::uint64_t first = std::uint64_t{entry.position} * list_length_;
    const std::uint64_t start =
        entry.downward ? (first + list_length_ + places - length) % places : first;
    arcs_[entry.circle].push_back({start, length});
  }

  /// True when every packet of the circle is on one of its arcs, or known otherwise.
  bool covers(std::size_t g) {
    auto& arcs = arcs_[g];
    const std::uint64_t places = circles_[g].packets.size();
    if (arcs.empty()) return gap_is_known(g, 0, places);
    std::sort(arcs.begin(), arcs.end(),
              [](const Arc& a, const Arc& b) { return a.start < b.start; });
    // The furthest end so far, starting with arcs that run over the end of the circle.
    std::uint64_t covered = 0;
    for (const Arc& arc : arcs) {
      if (arc.start + arc.length > places) {
        covered = std::max(covered, arc.start + arc.length - places);
      }
    }
    for (const Arc& arc : arcs) {
      if (arc.start > covered && !gap_is_known(g, covered, arc.start)) return false;
      covered = std::max(covered, arc.start + arc.length);
    }
    return covered >= places || gap_is_known(g, covered, places);
  }

  /// True when all packets on places from..to-1 (no wrap) are known from elsewhere.
  [[nodiscard]] bool gap_is_known(std::size_t g, std::uint64_t from, std::uint64_t to) const {
    const Circle& circle = circles_[g];
    std::uint64_t unknown = circle.unique_before[to] - circle.unique_before[from];
    if (unknown > singles_.size()) return false;
    if (unknown != 0) {
      for (const PacketId packet : singles_) {
        if (circles_of_[packet] == 1 && in_range(circle, packet, from, to)) --unknown;
      }
      if (unknown != 0) return false;
    }
    if (circle.shared_before[to] == circle.shared_before[from]) return true;
    for (std::uint64_t place = from; place < to; ++place) {
      const PacketId packet = circle.packets[place];
      if (packet == kNoPacket || circles_of_[packet] == 1) continue;
      if (!std::binary_search(singles_.begin(), singles_.end(), packet) &&
          !on_other_arc(g, packet)) {
        return false;
      }
    }
    return true;
  }

  /// The place of a packet on a circle, kNone when it is not there.
  [[nodiscard]] std::uint64_t place_of(const Circle& circle, PacketId packet) const {
    const std::uint32_t position = circle.position[packet / program_.packets_per_node()];
    if (position == kNone) return kNone;
    const auto first = circle.packets.begin() +
                       static_cast<std::ptrdiff_t>(std::uint64_t{position} * list_length_);
    const auto last = first + static_cast<std::ptrdiff_t>(list_length_);
    const auto found = std::find(first, last, packet);
    return found == last ? kNone : static_cast<std::uint64_t>(found - circle.packets.begin());
  }
  [[nodiscard]] bool in_range(const Circle& circle, PacketId packet, std::uint64_t from,
                              std::uint64_t to) const {
    const std::uint64_t place = place_of(circle, packet);
    return place != kNone && place >= from && place < to;
  }
  [[nodiscard]] bool on_other_arc(std::size_t g, PacketId packet) const {
    for (std::size_t other = 0; other < circles_.size(); ++other) {
      if (other == g) continue;
      const std::uint64_t place = place_of(circles_[other], packet);
      if (place == kNone) continue;
      const std::uint64_t places = circles_[other].packets.size();
      for (const Arc& arc : arcs_[other]) {
        if ((place + places - arc.start) % places < arc.length) return true;
      }
    }
    return false;
  }

  const Topology& topology_;
  const StreamProgram& program_;
  std::size_t slots_;
  std::vector<LinkId> upstream_;
  std::vector<Entry> entry_;
  /// By packet: on how many circles it is.
  std::vector<std::uint8_t> circles_of_;
  std::vector<Circle> circles_;
  std::vector<bool> has_reverse_;
  std::uint64_t list_length_ = 0;
  std::uint64_t active_links_ = 0;
  bool always_busy_ = false;

  // About the node under the eye.
  std::vector<LinkId> walks_;
  std::vector<PacketId> own_;
  /// Packets known from tree links or from the start, sorted.
  std::vector<PacketId> singles_;
  /// By circle.
  std::vector<std::vector<Arc>> arcs_;
};

}  // namespace

std::optional<Verdict> prove_by_windows(const Topology& topology, const StreamProgram& program,
                                        const Progress& progress) {
  Windows windows(topology, program);
  if (!windows.prepare()) return std::nullopt;
  const std::uint64_t horizon = windows.horizon();
  std::uint64_t steps = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    windows.look_at(node);
    if (!windows.done_after(steps)) {
      if (!windows.done_after(horizon)) return std::nullopt;
      std::uint64_t low = steps + 1;
      std::uint64_t high = horizon;
      while (low < high) {
        const std::uint64_t middle = (low + high) / 2;
        if (windows.done_after(middle)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      steps = low;
    }
    if (progress && node % 65536 == 0) progress("verify", node, topology.nodes());
  }
  Verdict verdict;
  verdict.method = ProofMethod::kWindows;
  verdict.complete = true;
  verdict.steps = steps;
  verdict.max_queue = windows.list_length();
  if (windows.always_busy()) {
    const std::uint64_t others = topology.nodes() - std::uint64_t{1};
    verdict.link_transfers = windows.active_links() * steps;
    verdict.duplicates =
        windows.active_links() * steps - others * topology.nodes() * program.packets_per_node();
  }
  return verdict;
}

}  // namespace gossamer
