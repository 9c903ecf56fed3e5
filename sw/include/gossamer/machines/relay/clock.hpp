// SPDX-License-Identifier: Apache-2.0
/// The times of the sends of a relay program by its clock, in cycles (docs/spec/broadcast.md,
/// section 8).
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/relay/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The cycle in which each send's first flit enters its first link, in the order of
/// program.sends(). One-port and self-timed: a receiver's first send starts o cycles after its last
/// flit arrives; a sender's next send starts F + o cycles after its previous one. In lock step: all
/// sends of a step start together. Fan-out: a send starts as soon as the head arrives. Every sender
/// holds the message.
[[nodiscard]] std::vector<std::uint64_t> relay_starts(const Topology& topology,
                                                      const RelayProgram& program);
/// The end of the recursion: the cycle in which the last node has the last flit.
[[nodiscard]] std::uint64_t relay_cycles(const Topology& topology, const RelayProgram& program);

/// A message that enters a link while another one still holds it.
struct RelayMeeting {
  LinkId link = 0;
  std::uint64_t cycle = 0;
  /// Sender and step of the second message.
  NodeId sender = 0;
  std::uint32_t step = 0;
};
/// All meetings, link by link: a check of a plan by its clock alone, without a closed-form
/// argument. Every path stays in the topology, and every sender holds the message.
[[nodiscard]] std::vector<RelayMeeting> relay_meetings(const Topology& topology,
                                                       const RelayProgram& program);

}  // namespace gossamer
