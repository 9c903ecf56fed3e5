// SPDX-License-Identifier: Apache-2.0
/// Shared by the fully time-independent planners: a table of feeds, one input port for every output
/// port, converted to a stream program.
#pragma once

#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The input port that one output port repeats, and whether its own packets are sent in reverse
/// order (on links of a stream running backward on its cycle; relevant from two packets on).
struct Feed {
  Port in_port = 0;
  bool reversed = false;
};

/// Builds a program out of feeds, k own packets preloaded on every out-port, with one dictionary
/// entry per (in-port, order).
class FeedTable {
 public:
  FeedTable(const Topology& topology, std::uint32_t packets_per_node);
  void set(NodeId node, Port out_port, Feed feed) {
    program_.set_code(node, out_port, codes_[2U * feed.in_port + (feed.reversed ? 1U : 0U)]);
  }
  [[nodiscard]] StreamProgram take() { return std::move(program_); }

 private:
  StreamProgram program_;
  /// Dictionary entries: in-port * 2 + reversed.
  std::vector<std::uint32_t> codes_;
};

/// An all-gather plan with `steps` as its exact figure, queue k and the trivial lower bound.
[[nodiscard]] Plan feed_plan(const Topology& topology, std::string algorithm, FeedTable table,
                             std::uint32_t packets_per_node, std::uint64_t steps);

}  // namespace gossamer
