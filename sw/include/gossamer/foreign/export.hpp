// SPDX-License-Identifier: Apache-2.0
/// Our plans in the forms that GPU runtimes and ASTRA-sim read (docs/spec/foreign-schedules.md,
/// section 6).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gossamer/foreign/flow.hpp"
#include "gossamer/foreign/msccl.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/report/physical.hpp"

namespace gossamer::foreign {

/// One packet over one link (of a broadcast: over one path). A packet's place at a node is where it
/// has to be there in the end; scratch chunks are numbered node by node.
struct Move {
  std::uint64_t step = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// The sender's out-port.
  Port out_port = 0;
  PacketId packet = 0;
  /// The scratch chunk that is sent; empty: what is in the packet's place.
  std::optional<std::uint32_t> from_scratch{};
  /// The scratch chunk where it goes to; empty: the packet's place.
  std::optional<std::uint32_t> to_scratch{};
  /// It is added to what is there.
  bool adds = false;
  /// From its scratch chunk it is added to the packet's place as well.
  bool adds_from_scratch = false;
  /// With it the scratch chunk is finished, and copied to the packet's place.
  bool finishes_scratch = false;
};

/// The moves of a plan: an all-gather or all-to-all as the fast engine runs it, of several that
/// bring a packet the first; a broadcast send by send; a timetable row by row; of combining streams
/// what the program does with each arrival that some output is made of. InputError for other plans.
[[nodiscard]] std::vector<Move> moves_of(const Plan& plan);

/// What becomes of values in a timetable or in combining streams, rank = node; InputError for other
/// plans.
[[nodiscard]] Flow flow_of(const Plan& plan);

/// Thread blocks for the moves of `plan`, in order of steps: one block for each connection and end.
/// Rank = node. Same plan, same schedule.
[[nodiscard]] MscclSchedule export_schedule(const Plan& plan, std::span<const Move> moves);

/// What runtimes refuse that read MSCCL XML: more steps a thread block, or thread blocks a rank,
/// than they have room for; one line a limit that is exceeded.
[[nodiscard]] std::vector<std::string> runtime_limits(const MscclSchedule& schedule);

/// Writes MSCCL XML.
void write_msccl(const MscclSchedule& schedule, std::ostream& out);

/// Writes the moves of an all-gather as TE-CCL prints flows.
void write_teccl(std::span<const Move> moves, std::uint64_t packets_per_node, std::ostream& out);

/// A file of an export.
struct ExportedFile {
  std::string name;
  std::string contents;
  /// What differs from the plan, one line each.
  std::vector<std::string> warnings;
};

/// What ASTRA-sim runs: a Chakra trace per rank (`gossamer.RANK.et`) with its workload, system,
/// memory and network configuration. Chunks have `chunk_bytes` bytes; links are those of
/// `physical`, or of ASTRA-sim's examples where the plan says nothing of them. Throws InputError
/// when 64 bits do not hold a size.
[[nodiscard]] std::vector<ExportedFile> chakra_files(
    const MscclSchedule& schedule, const Topology& topology, std::uint64_t chunk_bytes,
    const std::optional<PhysicalQuantities>& physical);

}  // namespace gossamer::foreign
