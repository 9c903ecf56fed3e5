// SPDX-License-Identifier: Apache-2.0
/// Shared by all broadcast planners: options, the source on the command line, the frame of a plan.
#pragma once

#include <string>
#include <string_view>

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/message_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Options of every broadcast algorithm.
struct BroadcastOptions {
  /// The node that holds the message at the start.
  NodeId source = 0;
  /// Message length, delays and timing.
  MessageClock clock;
};

/// "X,Y[,Z..]" as a node, the inverse of node_text(); Throws InputError for any other text and for
/// nodes outside the topology.
[[nodiscard]] NodeId parse_source(const Topology& topology, std::string_view text);
/// "step" or "self"; InputError otherwise.
[[nodiscard]] MessageTiming parse_timing(std::string_view text);
[[nodiscard]] std::string_view timing_name(MessageTiming timing);

/// A broadcast plan around `program`, with the options and the lower bound recorded.
[[nodiscard]] Plan make_broadcast_plan(const Topology& topology, std::string_view algorithm,
                                       RelayProgram program);

/// The path that takes the dimensions in the given order and in each of them the shorter direction
/// to `to`; on a torus a tie goes to the positive direction. `from` != `to`.
[[nodiscard]] RelayPath ordered_path(const Topology& topology, NodeId from, NodeId to,
                                     const DimensionOrder& order);
/// The same with dimension 0 first, then 1, ...
[[nodiscard]] RelayPath ascending_path(const Topology& topology, NodeId from, NodeId to);

/// The node reached from `node` by adding `to`[i] - `from`[i] modulo the side in every dimension i.
/// It moves a torus plan from one source to another.
class Translation {
 public:
  Translation(const Topology& topology, NodeId from, NodeId to);
  [[nodiscard]] NodeId operator()(NodeId node) const;

 private:
  const Topology* topology_;
  Coordinates shift_{};
};

}  // namespace gossamer
