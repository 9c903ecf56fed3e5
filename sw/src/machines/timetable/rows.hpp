// SPDX-License-Identifier: Apache-2.0
/// The rows of a timetable by the step in which they are executed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"

namespace gossamer {

/// The rows of one kind of a ROM by ROM word. The ROM must outlive it.
template <typename Row>
class RowsByWord {
 public:
  RowsByWord(const std::vector<Row>& rows, std::uint64_t words, bool repeats)
      : rows_(rows), words_(words) {
    // An index of few rows in very many steps would be as large as the number in a small document.
    if (words <= kMostWordsPerRow * (rows.size() + 1)) {
      begin_.assign(words + 1, 0);
      for (const Row& row : rows) ++begin_[word_of(row.step) + 1];
      std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    }
    if (!repeats) return;
    sorted_ = rows;
    std::stable_sort(sorted_.begin(), sorted_.end(), [this](const Row& a, const Row& b) {
      return word_of(a.step) != word_of(b.step) ? word_of(a.step) < word_of(b.step)
                                                : a.port < b.port;
    });
    rows_ = sorted_;
  }
  RowsByWord(RowsByWord&&) = default;
  RowsByWord& operator=(RowsByWord&&) = default;

  /// The rows of the word that is executed in `step`, in ascending order of ports.
  [[nodiscard]] std::span<const Row> in_step(std::uint64_t step) const {
    const std::uint64_t word = word_of(step);
    if (begin_.empty()) return in_word(word);
    return rows_.subspan(begin_[word], begin_[word + 1] - begin_[word]);
  }

 private:
  static constexpr std::uint64_t kMostWordsPerRow = 1024;

  [[nodiscard]] std::uint64_t word_of(std::uint64_t step) const { return (step - 1) % words_; }
  [[nodiscard]] std::span<const Row> in_word(std::uint64_t word) const {
    const auto begin = std::lower_bound(
        rows_.begin(), rows_.end(), word,
        [this](const Row& row, std::uint64_t at) { return word_of(row.step) < at; });
    auto end = begin;
    while (end != rows_.end() && word_of(end->step) == word) ++end;
    return {begin, end};
  }

  std::span<const Row> rows_;
  std::uint64_t words_;
  /// Where the rows of each word begin; empty where they are searched.
  std::vector<std::uint32_t> begin_;
  /// Where rows repeat, which puts them in another order.
  std::vector<Row> sorted_;
};

/// All rows of a program. The program must outlive it.
class ProgramRows {
 public:
  explicit ProgramRows(const TimetableProgram& program) : program_(program) {
    const std::uint64_t words = std::max<std::uint64_t>(program.format().words, 1);
    for (const TimetableRom& rom : program.roms()) {
      sends_.emplace_back(rom.sends, words, program.repeats());
      arrivals_.emplace_back(rom.arrivals, words, program.repeats());
    }
  }

  /// Calls visit(row, n) for each send row, or arrival row, that a ROM executes in `step`, from 1,
  /// for the n-th time from 0, in ascending order of ports.
  template <typename Visit>
  void for_each_send(std::uint32_t rom, std::uint64_t step, Visit visit) const {
    visit_active(sends_[rom].in_step(step), step, visit);
  }
  template <typename Visit>
  void for_each_arrival(std::uint32_t rom, std::uint64_t step, Visit visit) const {
    visit_active(arrivals_[rom].in_step(step), step, visit);
  }

 private:
  template <typename Row, typename Visit>
  void visit_active(std::span<const Row> rows, std::uint64_t step, Visit& visit) const {
    for (const Row& row : rows) {
      // After the last word of rows that do not repeat, the first one comes again.
      if (step < row.step || (!program_.repeats() && step != row.step)) continue;
      const std::uint64_t n = program_.repeats() ? (step - row.step) / program_.period() : 0;
      if (n < row.times) visit(row, n);
    }
  }

  const TimetableProgram& program_;
  std::vector<RowsByWord<SendRow>> sends_;
  std::vector<RowsByWord<ArrivalRow>> arrivals_;
};

}  // namespace gossamer
