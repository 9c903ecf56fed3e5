// SPDX-License-Identifier: Apache-2.0
/// Exports plans to the formats of GPU runtimes and ASTRA-sim (docs/spec/foreign-schedules.md,
/// section 6).
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gossamer/foreign/flow.hpp"
#include "gossamer/foreign/msccl.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/sim/engines.hpp"

namespace gossamer::foreign {

/// The transfer of a packet over one link (in a broadcast, over one path). A packet's place at a
/// node is its final position in the output; scratch chunks are numbered node by node.
struct Move {
  std::uint64_t step = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// The sender's output port.
  Port out_port = 0;
  PacketId packet = 0;
  /// The scratch chunk that is sent; empty: the packet's place is sent.
  std::optional<std::uint32_t> from_scratch{};
  /// The destination scratch chunk; empty: the packet's place.
  std::optional<std::uint32_t> to_scratch{};
  /// The chunk is added to the destination's value.
  bool adds = false;
  /// The chunk is also added from its scratch chunk to the packet's place.
  bool adds_from_scratch = false;
  /// The move completes the scratch chunk, which is then copied to the packet's place.
  bool finishes_scratch = false;
};

/// Makes the engine of a run.
using RunMaker = std::function<std::unique_ptr<Engine>(const EngineOptions&)>;

/// The moves of a plan, from a run of its fast engine, or of `make`'s. An all-gather or all-to-all:
/// as the fast engine runs it; if a packet arrives more than once, the first arrival. A broadcast:
/// send by send. A timetable: row by row. Combining streams: the program's action on each arrival
/// that contributes to an output. InputError for other plans.
[[nodiscard]] std::vector<Move> moves_of(const Plan& plan, const RunMaker& make = {});

/// The flow of values in a timetable or in combining streams, rank = node; InputError for other
/// plans.
[[nodiscard]] Flow flow_of(const Plan& plan, const RunMaker& make = {});

/// Thread blocks for the moves of `plan`, in order of steps: one block for each connection and end.
/// Rank = node. The same plan gives the same schedule.
[[nodiscard]] MscclSchedule export_schedule(const Plan& plan, std::span<const Move> moves);

/// The limits of MSCCL XML runtimes (steps per thread block, thread blocks per rank) that the
/// schedule exceeds, one line each.
[[nodiscard]] std::vector<std::string> runtime_limits(const MscclSchedule& schedule);

/// Writes MSCCL XML.
void write_msccl(const MscclSchedule& schedule, std::ostream& out);

/// Writes the moves of an all-gather in TE-CCL's flow format.
void write_teccl(std::span<const Move> moves, std::uint64_t packets_per_node, std::ostream& out);

/// A file of an export.
struct ExportedFile {
  std::string name;
  std::string contents;
  /// Differences from the plan, one line each.
  std::vector<std::string> warnings;
};

/// The name and number of a collective in ASTRA-sim's configuration and traces. A broadcast is an
/// all-gather there, and a reduce an all-reduce.
struct AstraCollective {
  std::string_view key;
  std::uint64_t type = 0;
};
[[nodiscard]] AstraCollective astra_collective(Collective collective);

/// A schedule as a custom collective of ASTRA-sim, a Chakra trace `NAME.RANK.et` per rank. Chunks
/// have `chunk_bytes` bytes.
[[nodiscard]] std::vector<ExportedFile> collective_traces(const MscclSchedule& schedule,
                                                          std::string_view name,
                                                          std::uint64_t chunk_bytes);

/// A node of a workload's Chakra trace.
struct TraceNode {
  std::uint64_t id = 0;
  std::string name;
  /// The nodes that end before this one begins, by id.
  std::vector<std::uint64_t> after{};
  /// Duration of a computation.
  std::uint64_t micros = 0;
  /// Empty: a computation.
  std::optional<AstraCollective> collective{};
  std::uint64_t bytes = 0;
  /// Number of the collective's communicator group; 0: all ranks.
  std::uint64_t group = 0;
};
/// The trace of one rank.
[[nodiscard]] std::string workload_trace(std::span<const TraceNode> nodes);

/// A custom collective for all nodes of a type: the key of the type, and the traces' name.
struct CustomCollective {
  std::string_view key;
  std::string name;
};
/// ASTRA-sim's system.json. `per_node` names the file with the custom collectives of single nodes;
/// empty: none.
[[nodiscard]] ExportedFile astra_system(std::span<const CustomCollective> collectives,
                                        std::string_view per_node);
/// ASTRA-sim's memory.json.
[[nodiscard]] ExportedFile astra_memory();
/// network.yml of ASTRA-sim's analytical back ends. A healthy torus has a Ring per dimension. In
/// every other network each pair of ranks has a link of its own, and schedules use only the links
/// that exist in the network. `one_dimension` treats a torus of several dimensions in the same way,
/// since the back end with congestion supports only one dimension. Links are those of
/// chakra_files().
[[nodiscard]] ExportedFile astra_network(const Topology& topology,
                                         const std::optional<PhysicalQuantities>& physical,
                                         bool one_dimension);

/// Input for ASTRA-sim: a Chakra trace per rank (`gossamer.RANK.et`) with its workload, system,
/// memory and network configuration. Chunks have `chunk_bytes` bytes. Links are those of
/// `physical`, or of ASTRA-sim's examples if the plan has no physical quantities. Throws InputError
/// when a size exceeds 64 bits.
[[nodiscard]] std::vector<ExportedFile> chakra_files(
    const MscclSchedule& schedule, const Topology& topology, std::uint64_t chunk_bytes,
    const std::optional<PhysicalQuantities>& physical);

}  // namespace gossamer::foreign
