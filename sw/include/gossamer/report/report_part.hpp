// SPDX-License-Identifier: Apache-2.0
/// The part of a report that is specific to some plans; the code that knows its meaning makes it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gossamer {

struct Report;

/// The lines of a human-readable report, in two columns.
class ReportTable {
 public:
  void text(std::string_view name, const std::string& value);
  /// Adds a line if there is a value.
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

  /// Adds members after the common ones.
  virtual void add_json(const Report& report, nlohmann::ordered_json& json) const = 0;
  /// Adds lines about planned figures, before the measured ones.
  virtual void add_planned(const Report& /*report*/, ReportTable& /*table*/) const {}
  /// Adds lines after the measured ones.
  virtual void add_measured(const Report& /*report*/, ReportTable& /*table*/) const {}
  /// Text after the table.
  [[nodiscard]] virtual std::string text_behind() const { return {}; }
  /// Adds broken promises to report.problems.
  virtual void check(Report& /*report*/) const {}
};

}  // namespace gossamer
