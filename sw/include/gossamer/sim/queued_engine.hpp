// SPDX-License-Identifier: Apache-2.0
/// The fast engine for queued programs, and the scoreboard that judges any engine's run of one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/report/report.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer {

/// What an engine of queued routers can show besides its links.
class QueuedEngine : public Engine {
 public:
  /// What the prefix of a class told a node.
  struct PrefixResult {
    /// Packets of the class at nodes before this one in the class's order (its rank, if active).
    std::uint32_t before = 0;
    /// Packets of the class in all (in an exchange: on the node's line).
    std::uint32_t total = 0;

    bool operator==(const PrefixResult&) const = default;
  };
  /// Of the last round of prefix phases; zeros where there are none. Valid once the engine has run
  /// (run(0, nullptr) is enough, except for programs of prefix phases only).
  [[nodiscard]] virtual PrefixResult prefix(int class_index, NodeId node) const = 0;
};

/// Executes sub-step by sub-step what the routers' rules say; it knows no closed form. Statistics:
/// `steps` are those that observers see; `cycles` include the prefix; `link_conflicts` counts
/// packets lost because another one was on the link; `max_queue` the most packets that waited at an
/// out-port. Ends by itself after the last phase, an exchange when its queues are drained. Memory:
/// the packets that routers hold. The plan must outlive it and hold a QueuedProgram.
[[nodiscard]] std::unique_ptr<QueuedEngine> make_fast_queued_engine(const Plan& plan);

/// Judges a run of a queued program from its links alone, for any engine. A broadcast packet counts
/// as delivered at the node where packing left it when its class starts to broadcast, and wherever
/// a broadcast phase brings it; the hops of packing deliver nothing.
class QueuedScoreboard final : public StepObserver {
 public:
  /// Bytes that the scoreboard of a plan takes: a bit for every node and packet of a broadcast, a
  /// location for every other packet.
  [[nodiscard]] static std::uint64_t memory_bytes(const Plan& plan);
  explicit QueuedScoreboard(const Plan& plan);
  ~QueuedScoreboard() override;

  bool on_step(std::uint64_t step, std::span<const PacketId> links) override;

  /// Everything is where it should be.
  [[nodiscard]] bool complete() const;
  /// The step at whose end the last packet was delivered; 0 when there was nothing to do. Prefix,
  /// packing and routing last until their last barrier, whatever the placement.
  [[nodiscard]] std::uint64_t completion_step() const;
  /// Deliveries of what the node already had.
  [[nodiscard]] std::uint64_t duplicates() const;
  /// Packets sent by a node that did not hold them, or in no phase of theirs: never in a right run.
  [[nodiscard]] std::uint64_t violations() const;
  /// Where a packet that is not broadcast is now. Requires a goal of pack, route, exchange, gather.
  [[nodiscard]] NodeId location(PacketId packet) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// run_plan for queued programs.
[[nodiscard]] Report run_queued_plan(const Plan& plan, Engine& engine, const RunOptions& options);

}  // namespace gossamer
