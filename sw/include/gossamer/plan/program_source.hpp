// SPDX-License-Identifier: Apache-2.0
/// The source from which a machine reads a program.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/document_reader.hpp"
#include "gossamer/topology/topology.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

/// The key and the path of the table in the programs of most machines.
inline constexpr std::string_view kProgramTable = "table";
inline constexpr std::string_view kProgramTablePath = "program/table";

struct ProgramSource {
  /// The members of `program`; members that were not read are rejected after the reading.
  Fields& fields;
  const Topology& topology;
  const Demand& demand;
  const Document& document;
  /// `program.discipline` of documents of versions 1 and 2; otherwise empty.
  std::string discipline;

  /// The table of numbers at a path of Machine::tables(); empty if the document has no such table.
  [[nodiscard]] const NumberTable& table(std::string_view path) const;
  /// The place of the program, for messages.
  [[nodiscard]] const std::string& place() const { return fields.place(); }
};

/// The enumerator named at `key`; `names` are those of all, in their order.
template <typename Enum>
Enum read_name(Fields& fields, std::string_view key, std::span<const std::string_view> names) {
  const std::string text = fields.string(key);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  throw InputError(fmt::format("{}: {}: {} is unknown", fields.place(), key, shown(text)));
}

}  // namespace gossamer
