// SPDX-License-Identifier: Apache-2.0
/// The router of timetables as a module of the fabric (machines/timetable/program.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/systemc/combining.hpp"

namespace gossamer::systemc {

/// The node of a timetable without its hardware. It reads the rows of its ROM and passes them, step
/// by step, to the hardware, which is a model or RTL.
class TimetableModule : public CombiningModule {
 public:
  /// Plan and program must outlive the module. `flit`: the word of each packet that it handles.
  TimetableModule(const sc_core::sc_module_name& name, const Plan& plan,
                  const TimetableProgram& program, NodeId node, const Arithmetic& arithmetic = {},
                  std::uint32_t flit = 0);

  std::uint64_t clock(const Edge<CombinedWord>& edge) final;
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const final {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

 protected:
  /// A send of the coming step: an own word, or the content of a slot.
  struct Send {
    Port port = 0;
    bool own = false;
    std::uint32_t slot = 0;
    CombinedWord word;
  };
  /// An arrival of this step and its row; without a row it is not stored.
  struct Arrival {
    Port port = 0;
    CombinedWord word;
    const ArrivalRow* row = nullptr;
    /// The own word that it is combined with, if any.
    CombinedWord own;
    bool delivers = false;
  };

  /// One clock edge: handles the arrivals, in ascending order of in-ports, delivers by deliver(),
  /// and drives the words of the sends, which are read after the arrivals are written.
  virtual void step(std::span<const Arrival> arrivals, std::span<const Send> sends,
                    const Edge<CombinedWord>& edge) = 0;
  void deliver(const CombinedWord& word) {
    results_.push_back({node_, word.packet, word.value, word.terms});
  }
  /// Sends a word in the coming step. A link of several steps that still carries one ignores it.
  void drive(const Edge<CombinedWord>& edge, Port port, const CombinedWord& word);
  /// True if results of earlier arrivals are still in the adders.
  [[nodiscard]] virtual bool is_adding() const { return false; }
  /// Number of words that a busy link has ignored.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }
  /// Back to the first step.
  void rewind();
  [[nodiscard]] const TimetableProgram& program() const { return program_; }
  [[nodiscard]] const Arithmetic& arithmetic() const { return arithmetic_; }

 private:
  /// The step, or in programs that repeat, its number in the period, from 1.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t step) const;
  [[nodiscard]] CombinedWord own_word(std::uint32_t own, std::uint64_t n) const;
  /// The repetition, from 0, in which a row is executed in `step`; empty if it is not executed.
  template <typename Row>
  [[nodiscard]] std::optional<std::uint64_t> repetition(const Row& row, std::uint64_t step) const;
  /// The word that arrives at an in-port in this step; idle if none does.
  [[nodiscard]] CombinedWord arriving(const Edge<CombinedWord>& edge, Port port);
  void find_arrivals(const Edge<CombinedWord>& edge);
  void find_sends(std::uint64_t step);

  const Plan& plan_;
  const TimetableProgram& program_;
  NodeId node_;
  Arithmetic arithmetic_;
  std::uint64_t flit_;
  /// Rows of the ROM; in programs that repeat, sorted by step in the period; the next row.
  std::vector<SendRow> sends_;
  std::vector<ArrivalRow> arrivals_;
  std::size_t next_send_ = 0;
  std::size_t next_arrival_ = 0;
  std::vector<Arrival> came_;
  std::vector<Send> goes_;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
  /// By port, on networks whose links differ in speed: the period of its links, the last step in
  /// which the outgoing one is busy, and the word on the incoming one with its last step.
  struct SlowLink {
    std::uint32_t period = 1;
    std::uint64_t busy_until = 0;
    CombinedWord coming;
    std::uint64_t arrives = 0;
  };
  std::vector<SlowLink> slow_links_;
  std::uint64_t ignored_ = 0;
};

/// `gsm_timetable_router` in SystemC: slots, and an adder at every in-port.
class TimetableRouter final : public TimetableModule {
 public:
  TimetableRouter(const sc_core::sc_module_name& name, const Plan& plan,
                  const TimetableProgram& program, NodeId node, const Arithmetic& arithmetic,
                  std::uint32_t flit = 0);

  void clear() override;
  [[nodiscard]] bool error() const override { return conflicts() != 0; }
  /// Arrivals that replaced the slot of a lower in-port's arrival in the same step, and words that
  /// busy links ignored.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_ + ignored(); }
  /// Slots that hold a word.
  [[nodiscard]] std::uint64_t max_queue() const override { return filled_; }

 private:
  void step(std::span<const Arrival> arrivals, std::span<const Send> sends,
            const Edge<CombinedWord>& edge) override;
  [[nodiscard]] CombinedWord combined(const Arrival& arrival) const;
  [[nodiscard]] CombinedWord sum_of(const CombinedWord& with, const CombinedWord& came) const;
  void put(std::uint32_t slot, const CombinedWord& word);
  /// A result in an adder, and the step at whose end it leaves.
  struct Pending {
    std::uint64_t step;
    std::optional<std::uint32_t> slot;
    bool delivers;
    CombinedWord word;
  };
  /// Additions of several steps begin, and the results that are due take their slots.
  void add_late(std::span<const Arrival> arrivals, std::uint64_t step);
  [[nodiscard]] bool is_adding() const override { return !pending_.empty(); }

  std::vector<CombinedWord> memory_;
  std::vector<Pending> pending_;
  std::uint64_t filled_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace gossamer::systemc
