// SPDX-License-Identifier: Apache-2.0
#include "gossamer/hardware/tree_timetable.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

namespace {

/// Rows of the longest timetable, some 128 MB.
constexpr std::uint64_t kMostTreeRows = std::uint64_t{1} << 22U;

/// By stream, the child whose words complete the root's, in equal steps that on the highest
/// in-port.
std::vector<NodeId> last_children(const Topology& topology, const PackedTrees& program) {
  std::vector<NodeId> last(program.streams(), kNoNode);
  for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
    NodeId root = kNoNode;
    const auto key = [&](NodeId child) {
      const TreePlace& place = program.at(child, stream);
      return std::pair(place.up, opposite(place.parent));
    };
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const TreePlace& place = program.at(node, stream);
      if (place.parent == kTreeRoot) continue;
      const NodeId parent = topology.neighbor(node, place.parent);
      if (program.at(parent, stream).parent != kTreeRoot) continue;
      root = parent;
      if (last[stream] == kNoNode || key(node) > key(last[stream])) last[stream] = node;
    }
    if (root == kNoNode || program.at(last[stream], stream).up == program.at(root, stream).up) {
      continue;
    }
    throw InputError(fmt::format(
        "hardware of trees: stream {}: the root, node {}, has its first total in step "
        "{}, its last child's words in step {}",
        stream, root, program.at(root, stream).up, program.at(last[stream], stream).up));
  }
  return last;
}

}  // namespace

TimetableProgram timetable_of_trees(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<PackedTrees>(plan.program);
  if (const Verdict verdict = verify(plan); !verdict.ok()) {
    throw InputError(fmt::format("hardware of trees: {}", verdict.problems.front()));
  }
  if (program.words() > kMaxTimetableSlots ||
      2 * program.words() * topology.nodes() > kMostTreeRows) {
    throw InfeasibleError(
        fmt::format("hardware of trees: a vector of {} words at {} nodes; nodes have {} slots, and "
                    "all together at most {} sends",
                    program.words(), topology.nodes(), kMaxTimetableSlots, kMostTreeRows));
  }
  const std::vector<NodeId> completes = last_children(topology, program);
  const TreeWords dealt(program);
  std::vector<TimetableRow> rows;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
      const TreePlace& place = program.at(node, stream);
      if (place.parent == kTreeRoot) continue;
      const NodeId parent = topology.neighbor(node, place.parent);
      for (std::uint64_t i = 0; i < dealt.count(stream); ++i) {
        const auto word = static_cast<std::uint32_t>(dealt.word(stream, i));
        const auto later = static_cast<std::uint32_t>(i * program.frame());
        TimetableRow row;
        row.packet = row.read = word;
        row.write = word;
        row.step = place.up + later;
        row.from = node;
        row.out_port = place.parent;
        row.adds = true;
        row.hands_over = completes[stream] == node;
        rows.push_back(row);
        if (place.down == 0) continue;
        row.step = place.down + later;
        row.from = parent;
        row.out_port = opposite(place.parent);
        row.adds = false;
        row.hands_over = true;
        rows.push_back(row);
      }
    }
  }
  put_in_order(rows);
  const auto words = static_cast<std::uint32_t>(program.words());
  return {words, words, std::move(rows)};
}

}  // namespace gossamer
