// SPDX-License-Identifier: Apache-2.0
/// What only the reports of some plans have: a part that stands in the common report, made by who
/// knows what it means.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gossamer {

struct Report;

/// The lines of a report for people: two columns.
class ReportTable {
 public:
  void text(std::string_view name, const std::string& value);
  /// Nothing where there is no value.
  void number(std::string_view name, const std::optional<std::uint64_t>& value);
  [[nodiscard]] std::string take() { return std::move(lines_); }

 private:
  std::string lines_;
};

class ReportPart {
 public:
  ReportPart() = default;
  ReportPart(const ReportPart&) = delete;
  ReportPart& operator=(const ReportPart&) = delete;
  virtual ~ReportPart() = default;

  /// Members behind the common ones.
  virtual void add_json(const Report& report, nlohmann::ordered_json& json) const = 0;
  /// Lines about what was planned, before the measured ones.
  virtual void add_planned(const Report& /*report*/, ReportTable& /*table*/) const {}
  /// Lines behind the measured ones.
  virtual void add_measured(const Report& /*report*/, ReportTable& /*table*/) const {}
  /// Text behind the table.
  [[nodiscard]] virtual std::string text_behind() const { return {}; }
  /// Adds to report.problems what does not hold.
  virtual void check(Report& /*report*/) const {}
};

}  // namespace gossamer
