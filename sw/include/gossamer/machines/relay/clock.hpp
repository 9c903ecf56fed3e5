// SPDX-License-Identifier: Apache-2.0
/// When the sends of a relay program happen, by its clock (docs/spec/broadcast.md, section 8).
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The cycle in which each send's first flit enters its first link, in the order of
/// program.sends(). One-port and self-timed: a receiver's first send starts o cycles after it has
/// the last flit, a sender's next one F + o cycles after the start of its last one. Step by step:
/// all of a step together. Fan-out: as soon as the head is there. Every sender holds the message.
[[nodiscard]] std::vector<std::uint64_t> relay_starts(const Topology& topology,
                                                      const RelayProgram& program);
/// The recursion's end: the cycle in which the last node has the last flit.
[[nodiscard]] std::uint64_t relay_cycles(const Topology& topology, const RelayProgram& program);

/// A message that enters a link which another one still holds.
struct RelayMeeting {
  LinkId link = 0;
  std::uint64_t cycle = 0;
  /// Whose send comes second, and its step.
  NodeId sender = 0;
  std::uint32_t step = 0;
};
/// All of them, link by link: the check of a plan by its clock, with no argument behind it. Every
/// path stays in the topology, and every sender holds the message.
[[nodiscard]] std::vector<RelayMeeting> relay_meetings(const Topology& topology,
                                                       const RelayProgram& program);

}  // namespace gossamer
