// SPDX-License-Identifier: Apache-2.0
/// What every engine is and what watches it.
///
/// An engine executes a plan and nothing else: it neither plans nor judges. Whoever wants to know
/// something about a run (trace, completeness, progress) is an observer, the same for all engines,
/// so that engines can only differ in what they simulate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Sees what every link carries in every step.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  /// Called once a step, at its end. `links[link]` is the packet that crossed the link in this
  /// step, kNoPacket on an idle one; one entry per link slot of the topology.
  /// Returns false to end the run after this step.
  virtual bool on_step(std::uint64_t step, std::span<const PacketId> links) = 0;
};

/// What the engine itself counts.
struct EngineStatistics {
  /// Steps executed.
  std::uint64_t steps = 0;
  /// Clock cycles executed.
  std::uint64_t cycles = 0;
  /// Streams: longest FIFO seen at a start of a step, in packets, the head included. Schedules: the
  /// most buffer slots of a router that ever hold a packet. A slot keeps its packet until another
  /// one overwrites it, so this is the number of slots that the program writes.
  std::uint64_t max_queue = 0;
  /// Packets that arrived at a FIFO already full to the plan's queue depth. The packet is lost, as
  /// it is in the hardware. Schedules: arrivals written to one slot in one step, but for one.
  std::uint64_t link_conflicts = 0;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// "fast", "systemc", "rtl".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Executes up to `max_steps` further steps; ends early when the observer says so. Without an
  /// observer the engine runs at full speed.
  virtual void run(std::uint64_t max_steps, StepObserver* observer) = 0;
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;
};

/// The plain C++ engine over flat arrays, for store-and-forward plans (std::bad_variant_access).
/// The plan must outlive it.
[[nodiscard]] std::unique_ptr<Engine> make_fast_engine(const Plan& plan);

/// Calls several observers in order; the run ends when one of them says so, after all have seen
/// the step. The observers must outlive it.
class ObserverList final : public StepObserver {
 public:
  void add(StepObserver* observer) { observers_.push_back(observer); }
  bool on_step(std::uint64_t step, std::span<const PacketId> links) override {
    bool go_on = true;
    for (StepObserver* observer : observers_) go_on = observer->on_step(step, links) && go_on;
    return go_on;
  }

 private:
  std::vector<StepObserver*> observers_;
};

}  // namespace gossamer
