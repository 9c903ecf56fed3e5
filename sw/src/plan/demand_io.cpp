// SPDX-License-Identifier: Apache-2.0
/// Demands in the plan document.
#include <algorithm>
#include <array>

#include "document_parts.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

/// What numbers the words of groups (Groups::ids_by_node); they are numbered by group without it.
constexpr std::string_view kIdsByNode = "node";
constexpr std::int64_t kMaxPieces = std::int64_t{1} << 40;

bool has_root(const Demand& demand) {
  return demand.from == Origin::kRoot || demand.to == Destination::kRoot;
}
bool has_sources(const Demand& demand) {
  return demand.from == Origin::kSources || demand.to == Destination::kEachSource;
}

/// Rejects combinations without a meaning.
void check_kind(const Demand& demand, std::uint64_t nodes, const std::string& place) {
  const auto refuse = [&](std::string_view cause) {
    throw InputError(fmt::format("{}: to: {} {}", place, destination_name(demand.to), cause));
  };
  if (demand.is_ranked() || demand.is_counts()) {
    if (demand.from != Origin::kSources) refuse("requires pieces from sources");
  }
  if (demand.to == Destination::kEachSource && demand.from != Origin::kEveryNode) {
    refuse("requires pieces from every node");
  }
  if (demand.to == Destination::kOwner && demand.pieces % nodes != 0) {
    refuse(fmt::format("requires an equal number of pieces for each of {} nodes", nodes));
  }
  if (demand.combines() && demand.to > Destination::kOwner) refuse("requires the operation copy");
  if (!demand.groups) return;
  if (demand.from == Origin::kSources || demand.to == Destination::kEachSource) {
    refuse("does not support groups");
  }
  const bool shares = demand.combines() && demand.to == Destination::kEveryNode;
  if (demand.groups->ids_by_node && (!shares || demand.pieces % nodes != 0)) {
    refuse(fmt::format("with ids by {} requires an equal number of words for each of {} members",
                       kIdsByNode, nodes));
  }
}

void read_sources(const NumberTable& table, const Topology& topology, const std::string& place,
                  Demand& demand) {
  const std::size_t columns = demand.to == Destination::kTarget ? 3 : 2;
  if (table.rows != 0 && table.row_length != columns) {
    throw InputError(
        fmt::format("{}: rows have {} entries; {} are expected", place, table.row_length, columns));
  }
  const std::int64_t most_pieces =
      demand.is_ranked() || demand.is_counts() || demand.is_personal()
          ? 1
          : static_cast<std::int64_t>(std::min<std::uint64_t>(demand.pieces, 0x7fffffff));
  std::int64_t last_node = -1;
  std::int64_t last_target = -1;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::int32_t* entry = table.values.data() + row * columns;
    const auto check = [&](std::int64_t value, std::int64_t min, std::int64_t max) {
      if (value >= min && value <= max) return;
      throw InputError(
          fmt::format("{}: row {}: {} is outside {}..{}", place, row, value, min, max));
    };
    check(entry[0], last_node + 1, std::int64_t{topology.nodes()} - 1);
    check(entry[1], 1, most_pieces);
    last_node = entry[0];
    demand.sources.push_back({static_cast<NodeId>(entry[0]), static_cast<std::uint32_t>(entry[1])});
    if (columns == 2) continue;
    check(entry[2], last_target + 1, std::int64_t{topology.nodes()} - 1);
    last_target = entry[2];
    demand.targets.push_back(static_cast<NodeId>(entry[2]));
  }
}

}  // namespace

void write_demand(const Demand& demand, DocumentWriter& out) {
  out.begin_object();
  out.string("from", origin_name(demand.from));
  out.string("to", destination_name(demand.to));
  out.string("operation", operation_name(demand.operation));
  out.number("pieces", demand.pieces);
  if (demand.type != WordType::kUint) out.string("type", word_type_name(demand.type));
  if (demand.accumulate != demand.type) {
    out.string("accumulate", word_type_name(demand.accumulate));
  }
  if (has_root(demand)) out.number("root", demand.root);
  if (has_sources(demand)) {
    out.begin_array(kSourcesTable);
    const std::size_t columns = demand.to == Destination::kTarget ? 3 : 2;
    for (std::size_t i = 0; i < demand.sources.size(); ++i) {
      std::array<std::int32_t, 3> row = {static_cast<std::int32_t>(demand.sources[i].node),
                                         static_cast<std::int32_t>(demand.sources[i].pieces), 0};
      if (columns == 3) row[2] = static_cast<std::int32_t>(demand.targets[i]);
      out.row(std::span<const std::int32_t>(row).first(columns));
    }
    out.end_array();
  }
  out.end_object();
}

void write_groups(const Demand& demand, DocumentWriter& out) {
  out.begin_object();
  out.list("shape", demand.groups->shape);
  out.list("stride", demand.groups->stride);
  if (demand.groups->ids_by_node) out.string("ids", kIdsByNode);
  out.end_object();
}

Groups read_groups(Fields fields, const Topology& topology) {
  const auto numbers = [&](std::string_view key) {
    std::vector<std::uint32_t> values;
    for (const auto& value : fields.array(key)) {
      values.push_back(static_cast<std::uint32_t>(
          checked_number(value, fmt::format("{}: {}", fields.place(), key), 1, kMaxSide)));
    }
    return values;
  };
  Groups groups;
  groups.shape = numbers("shape");
  groups.stride = numbers("stride");
  if (fields.has("ids")) {
    if (fields.string("ids") != kIdsByNode) {
      throw InputError(fmt::format("{}: ids: \"{}\" is expected", fields.place(), kIdsByNode));
    }
    groups.ids_by_node = true;
  }
  fields.done();
  if (const std::string defect = group_defect(topology, groups); !defect.empty()) {
    throw InputError(fmt::format("{}: {}", fields.place(), defect));
  }
  return groups;
}

Demand read_demand(Fields fields, const Topology& topology, const Document& document,
                   std::optional<Groups> groups) {
  Demand demand;
  demand.groups = std::move(groups);
  const auto members = demand.members(topology.nodes());
  demand.from = read_name<Origin>(fields, "from", kOriginNames);
  // Members are no demand of a document's own.
  constexpr auto kSingle = static_cast<std::size_t>(Destination::kMembers);
  demand.to = read_name<Destination>(fields, "to", std::span(kDestinationNames).first(kSingle));
  demand.operation = read_name<Operation>(fields, "operation", kOperationNames);
  if (fields.has("type")) demand.type = read_name<WordType>(fields, "type", kWordTypeNames);
  demand.accumulate = demand.type;
  if (fields.has("accumulate")) {
    demand.accumulate = read_name<WordType>(fields, "accumulate", kWordTypeNames);
  }
  if (const std::string defect = combining_defect(demand.combining()); !defect.empty()) {
    throw InputError(fmt::format("{}: {}", fields.place(), defect));
  }
  demand.pieces = fields.number<std::uint64_t>("pieces", 1, kMaxPieces);
  check_kind(demand, members, fields.place());
  if (has_root(demand)) {
    demand.root = fields.number<NodeId>("root", 0, static_cast<std::int64_t>(members) - 1);
  }
  if (has_sources(demand)) {
    (void)fields.any(kSourcesTable);
    const auto table = document.tables.find(std::string(kSourcesTablePath));
    const std::string place = fmt::format("{}: {}", fields.place(), kSourcesTable);
    if (table == document.tables.end()) {
      throw InputError(fmt::format("{}: an array of rows is expected", place));
    }
    read_sources(table->second, topology, place, demand);
  }
  fields.done();
  return demand;
}

}  // namespace gossamer
