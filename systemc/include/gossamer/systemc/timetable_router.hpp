// SPDX-License-Identifier: Apache-2.0
/// The router of timetables with its memory as a module of the fabric
/// (plan/timetable_program.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gossamer/systemc/combining_router.hpp"

namespace gossamer::systemc {

/// A node's own part of a timetable.
struct NodeTimetable {
  /// In `step` the out-port sends the slot.
  struct Send {
    std::uint32_t step = 1;
    Port out_port = 0;
    std::uint32_t slot = 0;
  };
  /// In `step` the in-port's arrival goes to the slot, if any.
  struct Take {
    std::uint32_t step = 1;
    Port in_port = 0;
    std::optional<std::uint32_t> slot;
    bool adds = false;
    bool hands_over = false;
  };

  /// In order of steps, then ports.
  std::vector<Send> sends;
  std::vector<Take> takes;
  /// What the slots from 0 on hold at the start; no packet: nothing.
  std::vector<CombinedWord> own;
};

/// The timetables of all nodes. The plan must hold a TimetableProgram.
[[nodiscard]] std::vector<NodeTimetable> node_timetables(const Plan& plan);

/// A node of a timetable, up to where its hardware begins: it walks through its rows and asks the
/// hardware, model or RTL, for one step after the other.
class TimetableModule : public CombiningModule {
 public:
  /// The module of `node`; `tables` are those of all nodes.
  TimetableModule(const sc_core::sc_module_name& name,
                  std::shared_ptr<const std::vector<NodeTimetable>> tables, NodeId node);

  std::uint64_t clock(const Edge<CombinedWord>& edge) final;
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const final {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

 protected:
  [[nodiscard]] const NodeTimetable& table() const { return (*tables_)[node_]; }
  /// An arrival that the timetable has something to do with.
  struct Arrival {
    const NodeTimetable::Take* take = nullptr;
    CombinedWord word;
  };
  /// One clock edge: takes the arrivals, in ascending order of in-ports, hands over to results()
  /// by hand_over, and drives what the sends name, read behind the writes.
  virtual void step(std::span<const Arrival> arrivals, std::span<const NodeTimetable::Send> sends,
                    const Edge<CombinedWord>& edge) = 0;
  void hand_over(const CombinedWord& word) {
    results_.push_back({node_, word.packet, word.value, word.terms});
  }

  /// Puts the walk back to the start.
  void rewind();

 private:
  std::shared_ptr<const std::vector<NodeTimetable>> tables_;
  NodeId node_;
  /// The next of the sends and takes.
  std::size_t send_ = 0;
  std::size_t take_ = 0;
  std::vector<Arrival> arrivals_;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
};

/// `gsm_timetable_router_table` in SystemC: a memory of words, and an adder before it.
class TimetableRouter final : public TimetableModule {
 public:
  TimetableRouter(const sc_core::sc_module_name& name,
                  std::shared_ptr<const std::vector<NodeTimetable>> tables, NodeId node,
                  std::uint32_t slots);

  void clear() override;
  [[nodiscard]] bool error() const override { return conflicts_ != 0; }
  /// Arrivals that were for the slot of a lower in-port's in the same step.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_; }
  /// Slots that hold a word.
  [[nodiscard]] std::uint64_t max_queue() const override { return filled_; }

 private:
  void step(std::span<const Arrival> arrivals, std::span<const NodeTimetable::Send> sends,
            const Edge<CombinedWord>& edge) override;
  void put(std::uint32_t slot, const CombinedWord& word);

  std::vector<CombinedWord> memory_;
  std::uint64_t filled_ = 0;
  std::uint64_t conflicts_ = 0;
};

/// The engine of timetables: a TimetableRouter at every node.
[[nodiscard]] std::unique_ptr<Engine> make_systemc_timetable_engine(const Plan& plan,
                                                                    const SystemcOptions& options);

}  // namespace gossamer::systemc
