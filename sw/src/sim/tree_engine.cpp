// SPDX-License-Identifier: Apache-2.0
/// The fast engine of packed trees (plan/tree_program.hpp): the arcs of each step of a frame in a
/// list, a partial sum and a total for each node and stream.
#include <optional>
#include <vector>

#include "fast_engines.hpp"
#include "gossamer/sim/contribution.hpp"
#include "gossamer/sim/shown_words.hpp"

namespace gossamer {

namespace {

class TreeEngine final : public Engine {
 public:
  TreeEngine(const Topology& topology, const PackedTrees& program)
      : program_(program),
        dealt_(program),
        arcs_(program.frame()),
        sums_(std::size_t{topology.nodes()} * program.streams()),
        totals_(sums_.size()),
        shown_(topology.link_slots()) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
        const TreePlace& place = program.at(node, stream);
        if (place.up == 0) continue;
        if (place.parent == kTreeRoot) {
          roots_.push_back({node, stream});
          continue;
        }
        const NodeId parent = topology.neighbor(node, place.parent);
        add({node, parent, topology.link(node, place.parent), stream, place.up, false});
        if (place.down == 0) continue;
        const LinkId back = topology.link(parent, opposite(place.parent));
        add({parent, node, back, stream, place.down, true});
      }
    }
    send();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] LinkView links() override { return shown_.in(step_); }
  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      arrive();
      ++step_;
      send();
    }
  }
  [[nodiscard]] bool done() const override { return step_ > dealt_.steps(); }
  void force(LinkId link, PacketId packet) override {
    std::erase_if(sent_, [link](const Sent& sent) { return sent.arc->link == link; });
    shown_.packets[link] = kNoPacket;
    if (packet == kNoPacket) return;
    shown_.put(link, packet, kGarbageValue, 1);
    // Who expects a word takes what comes.
    for (const Arc& arc : arcs_[(step_ - 1) % program_.frame()]) {
      if (arc.link != link) continue;
      if (const auto at = word(arc.stream, arc.first)) {
        sent_.push_back({&arc, *at, {kGarbageValue, 1}});
      }
    }
  }
  [[nodiscard]] EngineStatistics statistics() const override {
    return {
        .steps = step_ - 1, .cycles = step_ - 1, .max_queue = 1, .link_conflicts = link_conflicts_};
  }

 private:
  struct Sum {
    std::uint64_t value = 0;
    std::uint32_t terms = 0;
  };
  /// A link as a stream uses it.
  struct Arc {
    NodeId from;
    NodeId to;
    LinkId link;
    std::uint32_t stream;
    /// Step of the first send.
    std::uint64_t first;
    bool down;
  };
  /// What an arc carries in the present step.
  struct Sent {
    const Arc* arc;
    PacketId word;
    Sum sum;
  };
  struct Root {
    NodeId node;
    std::uint32_t stream;
  };

  void add(const Arc& arc) { arcs_[(arc.first - 1) % program_.frame()].push_back(arc); }
  [[nodiscard]] Sum& of(std::vector<Sum>& sums, NodeId node, std::uint32_t stream) const {
    return sums[std::size_t{node} * program_.streams() + stream];
  }
  /// The word that the stream is at in this step, when its first one is in step `first`.
  [[nodiscard]] std::optional<PacketId> word(std::uint32_t stream, std::uint64_t first) const {
    if (step_ < first || (step_ - first) % program_.frame() != 0) return {};
    const std::uint64_t index = (step_ - first) / program_.frame();
    if (index >= dealt_.count(stream)) return {};
    return dealt_.word(stream, index);
  }
  /// What the children have sent, and the node's own word; afterwards they have sent nothing.
  Sum take(NodeId node, std::uint32_t stream, PacketId word) {
    Sum& sum = of(sums_, node, stream);
    const Sum taken{sum.value + contribution(node, word, program_.words()), sum.terms + 1};
    sum = {};
    return taken;
  }

  /// Puts on the links what the present step sends.
  void send() {
    for (const Sent& old : sent_) shown_.packets[old.arc->link] = kNoPacket;
    sent_.clear();
    for (const Arc& arc : arcs_[(step_ - 1) % program_.frame()]) {
      const auto at = word(arc.stream, arc.first);
      if (!at) continue;
      const Sum sum =
          arc.down ? of(totals_, arc.from, arc.stream) : take(arc.from, arc.stream, *at);
      if (shown_.packets[arc.link] != kNoPacket) {
        ++link_conflicts_;
        continue;
      }
      sent_.push_back({&arc, *at, sum});
      shown_.put(arc.link, *at, sum.value, sum.terms);
    }
  }

  /// The end of the present step.
  void arrive() {
    shown_.results.clear();
    for (const Sent& sent : sent_) {
      const Arc& arc = *sent.arc;
      if (arc.down) {
        conclude(arc.to, arc.stream, sent.word, sent.sum);
      } else {
        Sum& sum = of(sums_, arc.to, arc.stream);
        sum = {sum.value + sent.sum.value, sum.terms + sent.sum.terms};
      }
    }
    for (const Root& root : roots_) {
      const auto at = word(root.stream, program_.at(root.node, root.stream).up);
      if (at) conclude(root.node, root.stream, *at, take(root.node, root.stream, *at));
    }
  }

  void conclude(NodeId node, std::uint32_t stream, PacketId word, const Sum& sum) {
    of(totals_, node, stream) = sum;
    shown_.results.push_back({node, word, sum.value, sum.terms});
  }

  const PackedTrees& program_;
  TreeWords dealt_;
  /// By step of the frame.
  std::vector<std::vector<Arc>> arcs_;
  std::vector<Root> roots_;
  /// By node, then stream: what the children have sent; the last total.
  std::vector<Sum> sums_;
  std::vector<Sum> totals_;
  std::uint64_t step_ = 1;
  std::uint64_t link_conflicts_ = 0;
  std::vector<Sent> sent_;
  ShownWords shown_;
};

}  // namespace

std::unique_ptr<Engine> make_fast_tree_engine(const Plan& plan) {
  return std::make_unique<TreeEngine>(plan.topology, std::get<PackedTrees>(plan.program));
}

}  // namespace gossamer
