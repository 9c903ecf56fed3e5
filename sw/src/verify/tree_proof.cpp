// SPDX-License-Identifier: Apache-2.0
#include "tree_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace gossamer {

namespace {

constexpr std::size_t kMostTreeProblems = 20;

class TreeProof {
 public:
  explicit TreeProof(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        program_(std::get<PackedTrees>(plan.program)),
        goes_down_(plan.demand.to == Destination::kEveryNode),
        used_(topology_.link_slots() * program_.frame(), false) {
    verdict_.method = ProofMethod::kPackedTrees;
    verdict_.max_queue = 1;
  }

  Verdict run() {
    std::vector<std::uint64_t> done(program_.streams(), 0);
    for (std::uint32_t stream = 0; stream < program_.streams(); ++stream) {
      done[stream] = check_tree(stream);
    }
    if (problems_ == 0) {
      verdict_.complete = true;
      verdict_.steps = last_step(std::move(done));
      verdict_.link_transfers =
          (goes_down_ ? 2 : 1) * program_.words() * (std::uint64_t{topology_.cores()} - 1);
      verdict_.duplicates = 0;
    } else {
      verdict_.link_conflicts.reset();
      verdict_.max_queue.reset();
    }
    if (problems_ > kMostTreeProblems) {
      verdict_.problems.push_back(fmt::format("... and {} more", problems_ - kMostTreeProblems));
    }
    return std::move(verdict_);
  }

 private:
  void report(std::uint32_t stream, NodeId node, std::string_view what) {
    if (++problems_ > kMostTreeProblems) return;
    verdict_.problems.push_back(fmt::format("stream {}: node {}: {}", stream, node, what));
  }

  /// The step at whose end all words are done: one of each stream every frame, from `done` on.
  [[nodiscard]] std::uint64_t last_step(std::vector<std::uint64_t> done) const {
    std::sort(done.begin(), done.end());
    const std::uint64_t frame = program_.frame();
    std::uint64_t left = program_.words();
    std::uint64_t step = done.front();
    // While no further stream has begun, all frames are alike.
    for (std::size_t begun = 1;; ++begun) {
      const std::uint64_t end =
          begun < done.size() ? done[begun] : std::numeric_limits<std::uint64_t>::max();
      const std::uint64_t frames = std::min((end - step) / frame, (left - 1) / begun);
      step += frames * frame;
      left -= frames * begun;
      for (; step < end; ++step) {
        for (std::size_t stream = 0; stream < begun; ++stream) {
          if ((step - done[stream]) % frame == 0 && --left == 0) return step;
        }
      }
    }
  }

  /// The step at whose end the stream's first word is where it should be.
  std::uint64_t check_tree(std::uint32_t stream) {
    std::uint64_t done = 0;
    NodeId roots = 0;
    const std::uint64_t frame = program_.frame();
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      const TreePlace& place = program_.at(node, stream);
      // Who has nothing to add need not be there.
      if (place.up == 0 && !topology_.has_core(node)) continue;
      if (place.parent == kTreeRoot) {
        if (++roots > 1) report(stream, node, "is a second root");
        if (!goes_down_ && node != plan_.demand.root) {
          report(stream, node, "is the root, but the demand has another one");
        }
        if (place.down != 0) report(stream, node, "is the root, but gets totals");
        done = std::max<std::uint64_t>(done, place.up);
        continue;
      }
      const NodeId parent = topology_.neighbor(node, place.parent);
      const TreePlace& above = program_.at(parent, stream);
      const bool to_root = above.parent == kTreeRoot;
      // Steps that grow towards the root leave no cycle: all ways end at it.
      const std::uint64_t up = place.up;
      const bool in_time = to_root ? up <= above.up : up < above.up;
      if (!in_time) report(stream, node, "sends when its parent has sent already");
      if (to_root ? up + frame <= above.up : up + frame < above.up) {
        report(stream, node, "sends more than a frame before its parent");
      }
      use(stream, node, topology_.link(node, place.parent), place.up);
      if (!goes_down_) {
        if (place.down != 0) report(stream, node, "gets totals that nobody wants");
        continue;
      }
      if (place.down == 0) {
        report(stream, node, "never gets the totals");
        continue;
      }
      const std::uint64_t known = to_root ? above.up : above.down;
      if (place.down <= known) report(stream, node, "is sent totals before its parent has them");
      if (place.down > known + frame) {
        report(stream, node, "is sent totals when its parent has the next one");
      }
      use(stream, node, topology_.link(parent, opposite(place.parent)), place.down);
      done = std::max<std::uint64_t>(done, place.down);
    }
    if (roots == 0) report(stream, 0, "no node is the root");
    return done;
  }

  void use(std::uint32_t stream, NodeId node, LinkId link, std::uint64_t step) {
    const std::size_t at = std::size_t{link} * program_.frame() + (step - 1) % program_.frame();
    if (used_[at]) {
      report(stream, node,
             fmt::format("its link from node {} by {} is in use in this step of the frame",
                         topology_.link_from(link), port_name(topology_.link_port(link))));
    }
    used_[at] = true;
  }

  const Plan& plan_;
  const Topology& topology_;
  const PackedTrees& program_;
  bool goes_down_;
  /// By link, then step of the frame.
  std::vector<bool> used_;
  std::size_t problems_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_packed_trees(const Plan& plan) { return TreeProof(plan).run(); }

}  // namespace gossamer
