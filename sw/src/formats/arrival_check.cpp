// SPDX-License-Identifier: Apache-2.0
/// Compares the document of an arrival contract with its plan.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../emit/network_text.hpp"
#include "formats.hpp"
#include "gossamer/emit/arrivals.hpp"
#include "gossamer/plan/document_reader.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/json_text.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

/// Bytes of the largest document that is parsed.
constexpr std::size_t kMostBytes = std::size_t{1} << 28U;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 62U;

json parsed(const std::string& text, const std::string& name) {
  try {
    return parse_json(text);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: not a JSON document: {}", name, error.what()));
  }
}

/// A row is numbers, and a port's name where `port` is its place.
void check_row(const json& row, std::size_t length, std::size_t port, int dimensions,
               const std::string& place) {
  if (!row.is_array() || row.size() != length) {
    throw InputError(fmt::format("{}: a row of {} values is expected", place, length));
  }
  for (std::size_t i = 0; i < length; ++i) {
    if (i != port) {
      (void)checked_number(row[i], place, 0, kMostNumber);
    } else if (const std::string name = checked_string(row[i], place);
               !port_from_name(name, dimensions)) {
      throw InputError(fmt::format("{}: {} is not a port", place, shown(name)));
    }
  }
}

/// Throws InputError where the two documents of contracts differ in form.
void check_form(const json& given, const json& planned, int dimensions, const std::string& name) {
  constexpr std::size_t kNoPort = ~std::size_t{0};
  Fields fields(given, name);
  for (const auto& [key, value] : planned.items()) (void)fields.any(key);
  fields.done();
  for (const char* key : {"format", "version"}) {
    if (given.at(key) != planned.at(key)) {
      throw InputError(
          fmt::format("{}: {}: {} is expected", name, key, dump_json(planned.at(key))));
    }
  }
  if (!given.at("nodes").is_array()) {
    throw InputError(fmt::format("{}: nodes: an array is expected", name));
  }
  const std::size_t members = planned.at("first_cycle_columns").size() - 2;
  std::size_t element = 0;
  for (const json& node : given.at("nodes")) {
    const std::string place = fmt::format("{}: nodes: {}", name, element++);
    Fields own(node, place);
    (void)own.number("node", 0, kMostNumber);
    for (const json& row : own.array("arrivals")) {
      check_row(row, 3 + members, 1, dimensions, place + ": arrivals");
    }
    for (const json& row : own.array("first_cycles")) {
      check_row(row, 2 + members, kNoPort, dimensions, place + ": first_cycles");
    }
    own.done();
  }
}

/// The first difference of two lists of rows.
std::string row_difference(const json& given, const json& planned) {
  const std::size_t common = std::min(given.size(), planned.size());
  std::size_t i = 0;
  while (i < common && given[i] == planned[i]) ++i;
  if (i == common && given.size() == planned.size()) return {};
  const auto row = [i](const json& rows) {
    return i < rows.size() ? dump_json(rows[i]) : std::string("no entry");
  };
  return fmt::format("entry {} is {}, and the plan has {}", i, row(given), row(planned));
}

}  // namespace

std::optional<std::string> broken_arrival(const Plan& plan, const std::string& path) {
  InputFile file(path);
  const std::string text = file.text(kMostBytes);
  const std::string promised = emit_detail::arrivals_json(plan);
  if (text == promised) return std::nullopt;
  const json given = parsed(text, file.name());
  const json planned = parse_json(promised);
  check_form(given, planned, plan.topology.dimensions(), file.name());
  for (const auto& [key, value] : planned.items()) {
    if (key == "nodes" || given.at(key) == value) continue;
    return fmt::format("{}: {} is {}, and the plan has {}", file.name(), key,
                       dump_json(given.at(key)), dump_json(value));
  }
  const json& nodes = given.at("nodes");
  const json& planned_nodes = planned.at("nodes");
  for (std::size_t node = 0; node < planned_nodes.size(); ++node) {
    if (node >= nodes.size() || nodes[node].at("node") != planned_nodes[node].at("node")) {
      return fmt::format("{}: node {}: is not in its place", file.name(), node);
    }
    for (const char* key : {"arrivals", "first_cycles"}) {
      const std::string difference =
          row_difference(nodes[node].at(key), planned_nodes[node].at(key));
      if (difference.empty()) continue;
      return fmt::format("{}: node {}: {}: {}", file.name(), node, key, difference);
    }
  }
  if (nodes.size() > planned_nodes.size()) {
    return fmt::format("{}: {} nodes, and the plan has {}", file.name(), nodes.size(),
                       planned_nodes.size());
  }
  return std::nullopt;
}

}  // namespace gossamer
