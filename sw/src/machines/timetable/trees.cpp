// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/timetable/trees.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace gossamer {

PackedTrees::PackedTrees(std::uint32_t nodes, std::uint32_t frame, std::uint32_t streams,
                         std::uint64_t words)
    : frame_(frame),
      streams_(streams),
      words_(words),
      places_(std::size_t{nodes} * streams, TreePlace{kTreeRoot, 0, 0}) {}

TreeWords::TreeWords(const PackedTrees& program)
    : frame_(program.frame()), first_done_(program.streams(), 0), count_(program.streams(), 0) {
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
      const TreePlace& place = program.at(node, stream);
      std::uint64_t& done = first_done_[stream];
      if (place.parent == kTreeRoot) done = std::max<std::uint64_t>(done, place.up);
      done = std::max<std::uint64_t>(done, place.down_end());
    }
  }
  // The first step at whose end all words are done.
  std::uint64_t low = 0;
  std::uint64_t high =
      *std::max_element(first_done_.begin(), first_done_.end()) + program.words() * frame_;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (before(middle + 1, 0) >= program.words()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  steps_ = low;
  for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
    if (first_done_[stream] > steps_) continue;
    count_[stream] = (steps_ - first_done_[stream]) / frame_ + 1;
    // In the last step there may be more streams than words left.
    if ((steps_ - first_done_[stream]) % frame_ == 0 && before(steps_, stream) >= program.words()) {
      --count_[stream];
    }
  }
}

std::uint64_t TreeWords::before(std::uint64_t step, std::uint32_t stream) const {
  std::uint64_t words = 0;
  for (std::uint32_t other = 0; other < first_done_.size(); ++other) {
    const std::uint64_t end = other < stream ? step + 1 : step;
    if (end > first_done_[other]) words += (end - first_done_[other] - 1) / frame_ + 1;
  }
  return words;
}

namespace {

struct Child {
  NodeId node;
  /// The last step of its first send.
  std::uint32_t arrives;
  Port port;
  std::uint32_t down;
};

/// The children of a node in the order in which their words are combined.
std::vector<Child> children_in(const Topology& topology, const PackedTrees& trees, NodeId node,
                               std::uint32_t stream) {
  std::vector<Child> children;
  for (const Port port : all_ports(topology.ports())) {
    const NodeId child = topology.sender(node, port);
    if (child == kNoNode) continue;
    const TreePlace& place = trees.at(child, stream);
    if (place.up == 0 || place.parent != opposite(port)) continue;
    children.push_back({child, place.up_end(), port, place.down});
  }
  std::sort(children.begin(), children.end(), [](const Child& a, const Child& b) {
    return std::tie(a.arrives, a.port) < std::tie(b.arrives, b.port);
  });
  return children;
}

/// The rows of one router, stream by stream.
class TreeRouter {
 public:
  TreeRouter(const Topology& topology, const PackedTrees& trees, NodeId node,
             std::uint32_t adder_cycles)
      : topology_(topology), trees_(trees), node_(node), adder_cycles_(adder_cycles) {}

  void add(std::uint32_t stream, std::uint32_t times) {
    const TreePlace& place = trees_.at(node_, stream);
    if (place.up == 0 || times == 0) return;
    const bool root = place.parent == kTreeRoot;
    const std::vector<Child> children = children_of(stream);
    // A leaf sends its own word as it is.
    WordSource sum = WordSource::own(stream);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const bool last = i + 1 == children.size();
      ArrivalRow row{children[i].arrives, times, sum, 0, children[i].port, root && last};
      // The root keeps the total apart: the next word's sum begins before the total is sent. With
      // adders of several cycles sums follow each other in every slot.
      const bool apart = adder_cycles_ == 0
                             ? row.delivers
                             : i > 0 && children[i].arrives != children[i - 1].arrives;
      row.slot = i == 0 || apart ? slots_++ : sum.index();
      sum = WordSource::slot(row.slot);
      rom_.arrivals.push_back(row);
    }
    if (!root) {
      rom_.sends.push_back({place.up, times, sum, place.parent});
      if (place.down == 0) return;
      ArrivalRow total{place.down_end(), times, {}, ArrivalRow::kNoSlot, place.parent, true};
      if (!children.empty()) total.slot = slots_++;
      sum = WordSource::slot(total.slot);
      rom_.arrivals.push_back(total);
    }
    for (const Child& child : children) {
      if (child.down != 0) rom_.sends.push_back({child.down, times, sum, child.port});
    }
  }

  TimetableRom take() {
    const auto order = [](const auto& a, const auto& b) {
      return std::tie(a.step, a.port) < std::tie(b.step, b.port);
    };
    std::sort(rom_.sends.begin(), rom_.sends.end(), order);
    std::sort(rom_.arrivals.begin(), rom_.arrivals.end(), order);
    return std::move(rom_);
  }

 private:
  [[nodiscard]] std::vector<Child> children_of(std::uint32_t stream) const {
    return children_in(topology_, trees_, node_, stream);
  }

  const Topology& topology_;
  const PackedTrees& trees_;
  NodeId node_;
  std::uint32_t adder_cycles_;
  std::uint32_t slots_ = 0;
  TimetableRom rom_;
};

}  // namespace

PackedTrees planned_for_adders(const Topology& topology, const PackedTrees& trees,
                               std::uint32_t adder_cycles) {
  PackedTrees late = trees;
  // From the leaves on: a child sends before its parent.
  std::vector<NodeId> order;
  for (NodeId node = 0; node < trees.nodes(); ++node) {
    if (trees.at(node, 0).up != 0) order.push_back(node);
  }
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
    const auto key = [&](NodeId node) {
      const TreePlace& place = trees.at(node, 0);
      return std::pair(place.up, place.parent == kTreeRoot);
    };
    return key(a) < key(b);
  });
  // Steps at whose ends the sums of the first children are there, at the earliest, and the first
  // child of the last step in which words arrive.
  struct Sum {
    std::uint32_t ready = 0;
    std::size_t first = 0;
  };
  std::vector<std::uint32_t> ready(trees.nodes(), 0);
  std::vector<std::vector<Sum>> sums(trees.nodes());
  for (const NodeId node : order) {
    const std::vector<Child> children = children_in(topology, trees, node, 0);
    std::vector<Sum>& here = sums[node];
    here.resize(children.size() + 1);
    for (std::size_t end = 1; end <= children.size(); ++end) {
      std::uint32_t arrive = 0;
      std::optional<Sum> best;
      for (std::size_t first = end; first-- > 0;) {
        arrive = std::max(arrive, ready[children[first].node] + 1);
        const std::uint32_t begin = first == 0 ? arrive : std::max(arrive, here[first].ready + 1);
        const auto additions = static_cast<std::uint32_t>(end - first);
        const std::uint32_t sum = begin + additions * adder_cycles;
        if (!best || sum < best->ready) best = Sum{sum, first};
      }
      here[end] = *best;
    }
    ready[node] = here.back().ready;
  }
  // From the root on, as late as possible.
  const std::uint32_t total = order.empty() ? 0 : ready[order.back()];
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    TreePlace& place = late.at(*node, 0);
    const bool is_root = place.parent == kTreeRoot;
    if (is_root) place.up = std::max(1U, total);
    std::uint32_t done = is_root ? total : place.up - 1;
    const std::vector<Child> children = children_in(topology, trees, *node, 0);
    for (std::size_t end = children.size(); end > 0;) {
      const std::size_t first = sums[*node][end].first;
      const std::uint32_t arrive = done - static_cast<std::uint32_t>(end - first) * adder_cycles;
      for (std::size_t i = first; i < end; ++i) {
        TreePlace& child = late.at(children[i].node, 0);
        child.up = arrive;
        if (child.down != 0) child.down = (is_root ? total : place.down) + 1;
      }
      done = arrive - 1;
      end = first;
    }
  }
  return late;
}

TimetableProgram timetable_of_trees(const Topology& topology, const PackedTrees& trees,
                                    std::uint32_t adder_cycles) {
  const TreeWords words(trees);
  Repetition repetition{trees.frame(), {}};
  for (std::uint32_t stream = 0; stream < trees.streams(); ++stream) {
    repetition.first_done.push_back(static_cast<std::uint32_t>(words.first_done(stream)));
  }
  TimetableProgram program(topology.nodes(), topology.ports(), trees.streams(),
                           DeliveryRule::kMarked, std::move(repetition));
  program.adder_cycles = adder_cycles;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    TreeRouter router(topology, trees, node, adder_cycles);
    for (std::uint32_t stream = 0; stream < trees.streams(); ++stream) {
      router.add(stream, static_cast<std::uint32_t>(words.count(stream)));
    }
    program.assign(node, program.intern(router.take()));
  }
  return program;
}

}  // namespace gossamer
