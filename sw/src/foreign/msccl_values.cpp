// SPDX-License-Identifier: Apache-2.0
/// Checks 5 and 6 of an MSCCL schedule: values that are read, and values that are output.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "msccl_checker.hpp"

namespace gossamer::foreign {

namespace {

/// A multiset of contributions in ascending order, multiplicities saturating.
using Terms = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

/// The contents of a location.
struct HeldValue {
  enum class Kind : std::uint8_t {
    kNothing,
    /// Depends on an empty location, which was already reported.
    kUndefined,
    kTerms,
  };
  Kind kind = Kind::kNothing;
  std::shared_ptr<const Terms> terms;
};

HeldValue sum_of(const HeldValue& a, const HeldValue& b) {
  if (a.kind != HeldValue::Kind::kTerms || b.kind != HeldValue::Kind::kTerms) {
    return {HeldValue::Kind::kUndefined, nullptr};
  }
  auto sum = std::make_shared<Terms>();
  sum->reserve(a.terms->size() + b.terms->size());
  auto x = a.terms->begin();
  auto y = b.terms->begin();
  const auto added = [](std::uint32_t m, std::uint32_t n) {
    return m > ~n ? ~std::uint32_t{0} : m + n;
  };
  while (x != a.terms->end() || y != b.terms->end()) {
    if (y == b.terms->end() || (x != a.terms->end() && x->first < y->first)) {
      sum->push_back(*x++);
    } else if (x == a.terms->end() || y->first < x->first) {
      sum->push_back(*y++);
    } else {
      sum->emplace_back(x->first, added(x->second, y->second));
      ++x;
      ++y;
    }
  }
  return {HeldValue::Kind::kTerms, std::move(sum)};
}

class ValueCheck {
 public:
  ValueCheck(const MscclOrder& order, const MscclMemory& memory)
      : schedule_(order.schedule()), order_(order), memory_(memory) {}

  [[nodiscard]] std::optional<Defect> check() {
    values_.assign(memory_.locations().size(), {});
    for (const auto& [key, at] : memory_.locations()) values_[at] = initial(key);
    writer_.assign(memory_.locations().size(), kNoIndex);
    sent_.assign(order_.steps(), {});
    for (std::uint32_t r = 0; r < schedule_.ranks.size(); ++r) {
      for (const MscclCopy& copy : schedule_.ranks[r].copies) {
        values_[memory_.location(r, Buffer::kOutput, copy.output)] =
            initial(memory_.cell(r, Buffer::kInput, copy.input));
      }
    }
    FirstDefect first;
    read_from_.assign(order_.steps(), {});
    for (const std::uint32_t step : order_.order()) run(step, first);
    if (first.found()) return first.found();
    return check_outputs();
  }

 private:
  /// The initial contents of a memory cell.
  [[nodiscard]] HeldValue initial(std::uint64_t key) const {
    const auto own = memory_.initial(key);
    if (!own) return {};
    return {HeldValue::Kind::kTerms, std::make_shared<Terms>(Terms{{*own, 1}})};
  }

  void run(std::uint32_t index, FirstDefect& first) {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    const std::uint32_t r = order_.rank(index);
    std::vector<HeldValue> result(step.count);
    std::vector<std::uint32_t>& from = read_from_[index];
    const auto read = [&](Buffer buffer, std::int32_t offset) {
      const std::uint32_t at = memory_.location(r, buffer, static_cast<std::uint32_t>(offset));
      from.push_back(writer_[at]);
      if (values_[at].kind != HeldValue::Kind::kNothing) return values_[at];
      first.offer("undefined", step.line, [&] {
        return fmt::format("rank {} reads {} chunk {}, which is empty", r, buffer_name(buffer),
                           offset);
      });
      return HeldValue{HeldValue::Kind::kUndefined, nullptr};
    };
    for (std::uint32_t j = 0; j < step.count; ++j) {
      const auto chunk = static_cast<std::int32_t>(j);
      HeldValue value;
      bool any = false;
      const auto combine = [&](const HeldValue& other) {
        value = any ? sum_of(value, other) : other;
        any = true;
      };
      if (use.receives) combine(sent_[order_.message(index)][j]);
      if (use.reads_destination) combine(read(step.destination_buffer, step.destination + chunk));
      if (use.reads_source) combine(read(step.source_buffer, step.source + chunk));
      result[j] = std::move(value);
    }
    if (use.writes_destination) {
      for (std::uint32_t j = 0; j < step.count; ++j) {
        const std::uint32_t at = memory_.location(r, step.destination_buffer,
                                                  static_cast<std::uint32_t>(step.destination) + j);
        values_[at] = result[j];
        writer_[at] = index;
      }
    }
    if (use.receives) sent_[order_.message(index)] = {};
    if (use.sends) sent_[index] = std::move(result);
  }

  /// The required value of output `q` of `rank`.
  [[nodiscard]] Terms wanted(std::uint32_t rank, std::uint32_t q) const {
    const auto ranks = static_cast<std::uint32_t>(schedule_.ranks.size());
    const std::uint32_t k = std::max(1U, schedule_.chunks / ranks);
    Terms terms;
    const auto all = [&](std::uint32_t chunk) {
      for (std::uint32_t u = 0; u < ranks; ++u) terms.emplace_back(contribution(u, chunk), 1);
    };
    switch (schedule_.collective) {
      case Collective::kAllGather:
        terms = {{contribution(q / k, q % k), 1}};
        break;
      case Collective::kAllReduce:
      case Collective::kReduce:
        all(q);
        break;
      case Collective::kReduceScatter:
        all(rank * k + q);
        break;
      case Collective::kAllToAll:
        terms = {{contribution(q / k, rank * k + q % k), 1}};
        break;
      case Collective::kBroadcast:
        terms = {{contribution(memory_.root(), q), 1}};
        break;
    }
    return terms;
  }

  [[nodiscard]] std::optional<Defect> check_outputs() const {
    for (std::uint32_t r = 0; r < schedule_.ranks.size(); ++r) {
      if (!memory_.wants_outputs(r)) continue;
      for (std::uint32_t q = 0; q < schedule_.output_chunks(); ++q) {
        const Terms terms = wanted(r, q);
        const std::uint32_t at = memory_.location(r, Buffer::kOutput, q);
        const HeldValue value =
            at == kNoIndex ? initial(memory_.cell(r, Buffer::kOutput, q)) : values_[at];
        const std::uint32_t writer = at == kNoIndex ? kNoIndex : writer_[at];
        if (value.kind == HeldValue::Kind::kTerms && *value.terms == terms) continue;
        return wrong_output(r, q, value, writer, terms);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Defect wrong_output(std::uint32_t r, std::uint32_t q, const HeldValue& value,
                                    std::uint32_t writer, const Terms& terms) const {
    const std::uint32_t at = writer == kNoIndex ? schedule_.ranks[r].line : order_.line(writer);
    if (value.kind != HeldValue::Kind::kTerms) {
      return {"unwritten", at, fmt::format("rank {}'s output {} is never written", r, q)};
    }
    const auto expected = [&](std::uint64_t term) {
      return std::binary_search(terms.begin(), terms.end(), std::pair{term, 1U},
                                [](const auto& a, const auto& b) { return a.first < b.first; });
    };
    for (const auto& [term, times] : *value.terms) {
      if (expected(term) && times == 1) continue;
      const std::string what = expected(term) ? fmt::format("{} times instead of once", times)
                                              : "which is not part of it";
      return {"extra", at,
              fmt::format("rank {}'s output {} holds input {} of rank {}, {}{}", r, q,
                          term & 0xffffffffU, term >> 32U, what, origin(writer))};
    }
    for (const auto& [term, times] : terms) {
      const auto found =
          std::lower_bound(value.terms->begin(), value.terms->end(), std::pair{term, 0U});
      if (found != value.terms->end() && found->first == term) continue;
      return {"missing", at,
              fmt::format("rank {}'s output {} lacks input {} of rank {}{}", r, q,
                          term & 0xffffffffU, term >> 32U, origin(writer))};
    }
    return {"missing", at, fmt::format("rank {}'s output {} is incomplete", r, q)};
  }

  /// ": it was last written in line 118, with data that rank 2 sent in line 97, ..."
  [[nodiscard]] std::string origin(std::uint32_t writer) const {
    if (writer == kNoIndex) return ": no step writes it";
    constexpr int kMostLinks = 5;
    std::string text = fmt::format(": it was last written in line {}", order_.line(writer));
    for (int i = 0; i < kMostLinks; ++i) {
      if (order_.message(writer) != kNoIndex) {
        writer = order_.message(writer);
        text += fmt::format(", with data that rank {} sent in line {}", order_.rank(writer),
                            order_.line(writer));
        if (order_.message(writer) != kNoIndex) continue;
      }
      const auto& from = read_from_[writer];
      if (from.empty() || from.front() == kNoIndex || from.front() == writer) break;
      writer = from.front();
      text += fmt::format(", which read data written in line {}", order_.line(writer));
    }
    return text;
  }

  const MscclSchedule& schedule_;
  const MscclOrder& order_;
  const MscclMemory& memory_;
  /// By location: its contents, and the step that wrote it last.
  std::vector<HeldValue> values_;
  std::vector<std::uint32_t> writer_;
  /// By send: its chunks, until they are received.
  std::vector<std::vector<HeldValue>> sent_;
  /// By step: the writers of the values that it read.
  std::vector<std::vector<std::uint32_t>> read_from_;
};

}  // namespace

std::optional<Defect> check_values(const MscclOrder& order, const MscclMemory& memory) {
  return ValueCheck(order, memory).check();
}

}  // namespace gossamer::foreign
