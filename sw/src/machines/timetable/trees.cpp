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
      done = std::max<std::uint64_t>(done, place.down);
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

/// The rows of one router, stream by stream.
class TreeRouter {
 public:
  TreeRouter(const Topology& topology, const PackedTrees& trees, NodeId node)
      : topology_(topology), trees_(trees), node_(node) {}

  void add(std::uint32_t stream, std::uint32_t times) {
    const TreePlace& place = trees_.at(node_, stream);
    if (place.up == 0 || times == 0) return;
    const bool root = place.parent == kTreeRoot;
    const std::vector<Child> children = children_of(stream);
    // A leaf sends its own word as it is.
    WordSource sum = WordSource::own(stream);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const bool last = i + 1 == children.size();
      ArrivalRow row{children[i].up, times, sum, 0, children[i].port, root && last};
      // The root keeps the total apart: the next word's sum begins before the total is sent.
      if (i == 0 || row.delivers)
        row.slot = slots_++;
      else
        row.slot = sum.index();
      sum = WordSource::slot(row.slot);
      rom_.arrivals.push_back(row);
    }
    if (!root) {
      rom_.sends.push_back({place.up, times, sum, place.parent});
      if (place.down == 0) return;
      ArrivalRow total{place.down, times, {}, ArrivalRow::kNoSlot, place.parent, true};
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
  struct Child {
    std::uint32_t up;
    Port port;
    std::uint32_t down;
  };

  /// In the order in which their words are combined.
  [[nodiscard]] std::vector<Child> children_of(std::uint32_t stream) const {
    std::vector<Child> children;
    for (const Port port : all_ports(topology_.ports())) {
      const NodeId child = topology_.sender(node_, port);
      if (child == kNoNode) continue;
      const TreePlace& place = trees_.at(child, stream);
      if (place.up == 0 || place.parent != opposite(port)) continue;
      children.push_back({place.up, port, place.down});
    }
    std::sort(children.begin(), children.end(), [](const Child& a, const Child& b) {
      return std::tie(a.up, a.port) < std::tie(b.up, b.port);
    });
    return children;
  }

  const Topology& topology_;
  const PackedTrees& trees_;
  NodeId node_;
  std::uint32_t slots_ = 0;
  TimetableRom rom_;
};

}  // namespace

TimetableProgram timetable_of_trees(const Topology& topology, const PackedTrees& trees) {
  const TreeWords words(trees);
  Repetition repetition{trees.frame(), {}};
  for (std::uint32_t stream = 0; stream < trees.streams(); ++stream) {
    repetition.first_done.push_back(static_cast<std::uint32_t>(words.first_done(stream)));
  }
  TimetableProgram program(topology.nodes(), topology.ports(), trees.streams(),
                           DeliveryRule::kMarked, std::move(repetition));
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    TreeRouter router(topology, trees, node);
    for (std::uint32_t stream = 0; stream < trees.streams(); ++stream) {
      router.add(stream, static_cast<std::uint32_t>(words.count(stream)));
    }
    program.assign(node, program.intern(router.take()));
  }
  return program;
}

}  // namespace gossamer
