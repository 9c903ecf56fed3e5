// SPDX-License-Identifier: Apache-2.0
/// Observers of an engine's links, and the loop that runs an engine with them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// Receives the contents of every link once.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Called in every cycle in which something begins (LinkView::begins), in order. Returns false to
  /// end the run after the current step.
  virtual bool on_links(const LinkView& view) = 0;
};

/// Calls several observers in order. The run ends when one of them returns false, after all have
/// seen the cycle. There is one exception: if the words written at the end of the previous step
/// (LinkView::results) suffice for one of them, the current step does not belong to the run, and
/// later observers do not receive it. The observers must outlive it.
class ObserverList final : public Observer {
 public:
  void add(Observer* observer) { observers_.push_back(observer); }
  bool on_links(const LinkView& view) override;

 private:
  std::vector<Observer*> observers_;
};

/// Runs the engine until it is done, the observer returns false (for results: before the step in
/// which they are shown is executed), or `max_steps` further steps are executed to their last cycle
/// (cut-through: sends of later steps begin). With 0 steps, it runs the phases before the first
/// one.
void watch(Engine& engine, std::uint64_t max_steps, Observer& observer);
inline constexpr std::uint64_t kNoStepLimit = ~std::uint64_t{0};

/// Counts packets that cross links.
class LinkCounter final : public Observer {
 public:
  LinkCounter() = default;
  explicit LinkCounter(const Topology& topology);
  bool on_links(const LinkView& view) override;
  /// Packets times links crossed; for a broadcast by cut-through, the measured TCD.
  [[nodiscard]] std::uint64_t transfers() const { return transfers_; }
  /// The transfers of one of the plan's collectives.
  [[nodiscard]] std::uint64_t transfers(std::size_t member) const {
    return member < of_member_.size() ? of_member_[member] : 0;
  }
  /// Networks whose links differ in speed: steps of all transfers.
  [[nodiscard]] std::uint64_t busy_link_steps() const { return busy_link_steps_; }
  /// The transfers between chiplets among transfers().
  [[nodiscard]] std::uint64_t die_transfers() const { return die_transfers_; }
  /// Store-and-forward: the last step in which a packet moved.
  [[nodiscard]] std::uint64_t last_step() const { return last_step_; }
  /// Cut-through: longest send of each step, in hops; entry s - 1 for step s.
  [[nodiscard]] const std::vector<std::uint32_t>& longest_hops() const { return longest_hops_; }

 private:
  /// By link; empty where all links have the same speed.
  std::vector<std::uint32_t> periods_;
  /// The links between chiplets.
  std::vector<LinkId> between_;
  std::uint64_t transfers_ = 0;
  std::uint64_t die_transfers_ = 0;
  std::uint64_t busy_link_steps_ = 0;
  std::vector<std::uint64_t> of_member_;
  std::uint64_t last_step_ = 0;
  std::vector<std::uint32_t> longest_hops_;
};

/// A packet, or a flit of one, on a link: a row of the trace.
struct TraceRow {
  PacketId packet = 0;
  /// kTakes: the cycle in which the far end took the flit.
  std::uint64_t step = 0;
  /// The sending node, and its output port.
  NodeId from = 0;
  std::uint32_t port = 0;
  /// Cut-through: number of the link on the send's path, from 0.
  std::uint32_t hop = 0;
  /// kTerms: number of contributions in the packet; otherwise 1.
  std::uint32_t terms = 1;
  /// kTakes: the flit's number in its packet; otherwise 0.
  std::uint32_t flit = 0;
  /// Plans of several collectives: the number of the collective; else 0.
  std::uint32_t member = 0;
};

/// Receives the rows of the trace, sorted by step, hop, sender, port and packet. Rows of
/// store-and-forward arise in this order and are passed on immediately. Rows of cut-through do not,
/// and are kept until finish().
class TraceObserver : public Observer {
 public:
  explicit TraceObserver(const Topology& topology);
  bool on_links(const LinkView& view) final;
  /// Called once, after the run.
  virtual void finish();

 private:
  virtual void on_row(const TraceRow& row) = 0;

  LinkId ports_;
  std::vector<Head> heads_;
};

/// Writes the trace as CSV.
class TraceWriter final : public TraceObserver {
 public:
  /// Writes the header; with `members` its last column is `member`. `out` must outlive the writer.
  TraceWriter(const Topology& topology, std::ostream& out, TraceForm form = TraceForm::kSteps,
              bool members = false);
  /// Flushes the trace to the stream.
  void finish() override;

 private:
  void on_row(const TraceRow& row) override;
  void end_row();
  void flush();

  TraceForm form_;
  bool members_;
  std::ostream* out_;
  std::string buffer_;
};

/// Reports progress at regular intervals of steps; an empty Progress is allowed.
class ProgressObserver final : public Observer {
 public:
  ProgressObserver(Progress progress, std::uint64_t expected_steps);
  bool on_links(const LinkView& view) override;

 private:
  Progress progress_;
  std::uint64_t expected_steps_;
  std::uint64_t interval_;
};

}  // namespace gossamer
