// SPDX-License-Identifier: Apache-2.0
/// Our plans in the forms that GPU runtimes and ASTRA-sim read (docs/spec/foreign-schedules.md,
/// section 6).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "gossamer/foreign/msccl.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::foreign {

/// One packet over one link (of a broadcast: over one path), the first that brings it there.
struct Move {
  std::uint64_t step = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// The sender's out-port.
  Port out_port = 0;
  PacketId packet = 0;
};

/// The moves of a plan that copies: an all-gather or all-to-all as the fast engine runs it, a
/// broadcast send by send. InputError for other plans.
[[nodiscard]] std::vector<Move> moves_of(const Plan& plan);

/// Thread blocks for the moves of `plan`, an all-gather, all-to-all or broadcast, in order of
/// steps: one block for each connection and end. Rank = node. Same plan, same schedule.
[[nodiscard]] MscclSchedule export_schedule(const Plan& plan, std::span<const Move> moves);

/// Writes MSCCL XML.
void write_msccl(const MscclSchedule& schedule, std::ostream& out);

/// A file of an export.
struct ExportedFile {
  std::string name;
  std::string contents;
};

/// What ASTRA-sim runs: a Chakra trace a rank (`gossamer.RANK.et`) with its workload, system,
/// memory and, for tori, network configuration. Chunks have `chunk_bytes` bytes.
[[nodiscard]] std::vector<ExportedFile> chakra_files(const MscclSchedule& schedule,
                                                     const Topology& topology,
                                                     std::uint64_t chunk_bytes);

}  // namespace gossamer::foreign
