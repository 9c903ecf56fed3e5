// SPDX-License-Identifier: Apache-2.0
/// The observers that every engine's run can be given.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// Who knows what: one bit a node and packet. Ends the run when all nodes know all packets.
class Scoreboard final : public StepObserver {
 public:
  /// Bytes that a scoreboard of the topology takes: nodes^2 * packets_per_node / 8.
  [[nodiscard]] static std::uint64_t memory_bytes(const Topology& topology,
                                                  std::uint32_t packets_per_node);
  /// Every node knows its own packets from the start.
  Scoreboard(const Topology& topology, std::uint32_t packets_per_node);

  bool on_step(std::uint64_t step, std::span<const PacketId> links) override;

  [[nodiscard]] bool complete() const { return incomplete_nodes_ == 0; }
  /// The step at whose end the last node had its last packet; only when complete().
  [[nodiscard]] std::uint64_t completion_step() const { return completion_step_; }
  /// Deliveries of packets that the node already had.
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  /// Packets that `node` still lacks.
  [[nodiscard]] std::uint64_t missing(NodeId node) const { return missing_[node]; }
  /// Packets of all nodes together.
  [[nodiscard]] std::uint64_t packets() const { return packets_; }

 private:
  /// The node at the receiving end of each link slot.
  std::vector<NodeId> receiver_;
  std::uint64_t packets_;
  std::uint64_t words_per_node_;
  std::vector<std::uint64_t> known_;
  std::vector<std::uint64_t> missing_;
  std::uint64_t incomplete_nodes_;
  std::uint64_t completion_step_ = 0;
  std::uint64_t duplicates_ = 0;
};

/// Counts what crosses the links.
class TransferCounter final : public StepObserver {
 public:
  bool on_step(std::uint64_t step, std::span<const PacketId> links) override;
  /// Packets times links crossed.
  [[nodiscard]] std::uint64_t transfers() const { return transfers_; }

 private:
  std::uint64_t transfers_ = 0;
};

/// Writes the contract's trace: `step,hop,from,port,packet`, sorted by all columns.
class TraceWriter final : public StepObserver {
 public:
  /// Writes the header. `out` must outlive the writer.
  TraceWriter(const Topology& topology, std::ostream& out);
  ~TraceWriter() override;
  bool on_step(std::uint64_t step, std::span<const PacketId> links) override;
  /// Hands everything to the stream.
  void flush();

 private:
  int ports_;
  std::ostream* out_;
  std::string buffer_;
};

/// Reports progress every so many steps; an empty Progress is fine.
class ProgressObserver final : public StepObserver {
 public:
  ProgressObserver(Progress progress, std::uint64_t expected_steps);
  bool on_step(std::uint64_t step, std::span<const PacketId> links) override;

 private:
  Progress progress_;
  std::uint64_t expected_steps_;
  std::uint64_t interval_;
};

}  // namespace gossamer
