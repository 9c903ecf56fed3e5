// SPDX-License-Identifier: Apache-2.0
/// The topology and its faults in documents.
#include "gossamer/plan/topology_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "document_parts.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view kFaultsFormat = "gossamer-faults";

void write_arcs(const Topology& topology, DocumentWriter& out, std::string_view key,
                const std::vector<LinkId>& arcs) {
  if (arcs.empty()) return;
  out.begin_array(key);
  for (const LinkId arc : arcs) {
    out.list(std::array{topology.link_from(arc), NodeId{topology.link_port(arc)}});
  }
  out.end_array();
}

std::vector<NodeId> read_nodes(Fields& fields, const Topology& topology, std::string_view key) {
  std::vector<NodeId> nodes;
  if (!fields.has(key)) return nodes;
  for (const json& item : fields.array(key)) {
    nodes.push_back(static_cast<NodeId>(
        checked_number(item, fmt::format("{}: {}", fields.place(), key), 0, topology.nodes() - 1)));
  }
  return nodes;
}

void read_arcs(Fields& fields, const Topology& topology, std::string_view key, Faults& faults) {
  if (!fields.has(key)) return;
  const std::string place = fmt::format("{}: {}", fields.place(), key);
  for (const json& item : fields.array(key)) {
    if (!item.is_array() || item.size() != 2) {
      throw InputError(fmt::format("{}: [node, port] is expected", place));
    }
    const auto node = static_cast<NodeId>(checked_number(item[0], place, 0, topology.nodes() - 1));
    const auto port = static_cast<Port>(checked_number(item[1], place, 0, topology.ports() - 1));
    const LinkId arc = topology.link(node, port);
    if (topology.beyond(node, port) == kNoNode) {
      throw InputError(fmt::format("{}: there is no link {}", place, arc_text(topology, arc)));
    }
    faults.dead_arcs.push_back(arc);
    if (key == "dead_links") faults.dead_arcs.push_back(reverse_arc(topology, arc));
  }
}

std::vector<std::uint32_t> read_dims(Fields& fields) {
  std::vector<std::uint32_t> sides;
  for (const json& side : fields.array("dims")) {
    if (sides.size() > static_cast<std::size_t>(kMaxDimensions)) break;
    sides.push_back(static_cast<std::uint32_t>(
        checked_number(side, fields.place() + ": dims", kMinSide, kMaxSide)));
  }
  return sides;
}

std::uint32_t read_wrap(Fields& fields, std::size_t dimensions) {
  std::uint32_t wrap = 0;
  for (const json& item : fields.array("wrap")) {
    const std::string place = fields.place() + ": wrap";
    const std::string name = checked_string(item, place);
    const auto port = port_from_name(name + "+", static_cast<int>(dimensions));
    if (!port) throw InputError(fmt::format("{}: there is no dimension {}", place, shown(name)));
    wrap |= 1U << static_cast<unsigned>(dimension_of(*port));
  }
  return wrap;
}

std::vector<std::uint32_t> read_numbers(Fields& fields, std::string_view key, std::int64_t most) {
  std::vector<std::uint32_t> numbers;
  const std::string place = fmt::format("{}: {}", fields.place(), key);
  for (const json& item : fields.array(key)) {
    if (numbers.size() > static_cast<std::size_t>(kMaxDimensions)) break;
    numbers.push_back(static_cast<std::uint32_t>(checked_number(item, place, 1, most)));
  }
  return numbers;
}

/// Chiplets and periods; `chiplets` and `between` are null where there are no chiplets.
LinkPeriods read_links(Fields fields) {
  LinkPeriods periods;
  periods.inside = read_numbers(fields, "inside", kMaxLinkPeriod);
  if (!fields.any("chiplets").is_null())
    periods.chiplets = read_numbers(fields, "chiplets", kMaxSide);
  if (!fields.any("between").is_null())
    periods.between = read_numbers(fields, "between", kMaxLinkPeriod);
  fields.done();
  return periods;
}

void write_links(const LinkPeriods& periods, DocumentWriter& out) {
  const auto list_or_null = [&out](std::string_view key, const std::vector<std::uint32_t>& list) {
    if (list.empty()) {
      out.key(key);
      out.null();
    } else {
      out.list(key, list);
    }
  };
  out.begin_object("links");
  list_or_null("chiplets", periods.chiplets);
  out.list("inside", periods.inside);
  list_or_null("between", periods.between);
  out.end_object();
}

std::string coordinates_of(const json& value, const std::string& place) {
  if (!value.is_array()) throw InputError(fmt::format("{}: coordinates are expected", place));
  std::string text;
  for (const json& item : value) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", checked_number(item, place, 0, kMaxSide));
  }
  return text;
}

}  // namespace

void write_topology(const Topology& topology, DocumentWriter& out) {
  out.begin_object();
  out.string("kind", topology.kind());
  out.list("dims", topology.sides());
  if (!topology.is_torus() && !topology.is_mesh()) {
    out.begin_array("wrap");
    for (const std::string& name : topology.wrap_names()) out.string(name);
    out.end_array();
  }
  const Faults& faults = topology.faults();
  if (!faults.dead_nodes.empty()) out.list("dead_nodes", faults.dead_nodes);
  if (!faults.dead_cores.empty()) out.list("dead_cores", faults.dead_cores);
  const DeadLinks dead = dead_links(topology);
  write_arcs(topology, out, "dead_links", dead.links);
  write_arcs(topology, out, "dead_arcs", dead.arcs);
  if (!topology.has_equal_links()) write_links(topology.link_periods(), out);
  out.end_object();
}

Topology read_topology(Fields fields) {
  const std::string kind = fields.string("kind");
  check_name(kind, fields.place() + ": kind");
  const std::vector<std::uint32_t> sides = read_dims(fields);
  try {
    Topology topology = kind == "grid" ? Topology::grid(sides, read_wrap(fields, sides.size()))
                                       : Topology::make(kind, sides);
    if (kind == "grid" && topology.kind() != "grid") {
      throw InputError("wrap: a grid has dimensions that wrap and dimensions that do not");
    }
    Faults faults;
    faults.dead_nodes = read_nodes(fields, topology, "dead_nodes");
    faults.dead_cores = read_nodes(fields, topology, "dead_cores");
    read_arcs(fields, topology, "dead_links", faults);
    read_arcs(fields, topology, "dead_arcs", faults);
    if (fields.has("links")) {
      topology = topology.with_link_periods(read_links(fields.object("links")));
    }
    fields.done();
    return topology.with_faults(std::move(faults));
  } catch (const InputError& error) {
    const std::string_view what = error.what();
    if (what.starts_with(fields.place())) throw;
    throw InputError(fmt::format("{}: {}", fields.place(), what));
  }
}

Faults read_faults_file(const std::filesystem::path& path, const Topology& topology) {
  InputFile file(path.string());
  const std::string& name = file.name();
  const Document document = read_document(file.stream(), name, {});
  Fields fields(document.root, name);
  if (fields.string("format") != kFaultsFormat) {
    throw InputError(fmt::format("{}: format: \"{}\" is expected", name, kFaultsFormat));
  }
  (void)fields.number("version", 1, 1);
  const std::string kind = fields.string("topology");
  const std::vector<std::uint32_t> dims = read_dims(fields);
  if (kind != topology.kind() || dims != topology.sides()) {
    throw InputError(fmt::format("{}: the faults are not of the {} {}, but of another network",
                                 name, topology.dims_text(), topology.kind()));
  }
  if (fields.has("wrap") && read_wrap(fields, dims.size()) != topology.wrap()) {
    throw InputError(
        fmt::format("{}: wrap: the dimensions differ from those of the network", name));
  }
  Faults faults;
  for (const char* key : {"dead_nodes", "dead_cores"}) {
    if (!fields.has(key)) continue;
    const std::string place = fmt::format("{}: {}", name, key);
    for (const json& item : fields.array(key)) {
      const NodeId node = parse_node(topology, coordinates_of(item, place), place);
      (key == std::string_view("dead_nodes") ? faults.dead_nodes : faults.dead_cores)
          .push_back(node);
    }
  }
  for (const char* key : {"dead_links", "dead_arcs"}) {
    if (!fields.has(key)) continue;
    const std::string place = fmt::format("{}: {}", name, key);
    for (const json& item : fields.array(key)) {
      if (!item.is_array() || item.size() != 2) {
        throw InputError(fmt::format("{}: [coordinates, port] is expected", place));
      }
      const LinkId arc = parse_arc(
          topology, coordinates_of(item[0], place) + ':' + checked_string(item[1], place), place);
      faults.dead_arcs.push_back(arc);
      if (key == std::string_view("dead_links")) {
        faults.dead_arcs.push_back(reverse_arc(topology, arc));
      }
    }
  }
  fields.done();
  return faults;
}

std::string faults_json(const Topology& topology) {
  nlohmann::ordered_json json;
  json["format"] = kFaultsFormat;
  json["version"] = 1;
  json["topology"] = topology.kind();
  json["dims"] = topology.sides();
  if (topology.kind() == "grid") json["wrap"] = topology.wrap_names();
  const auto at = [&topology](NodeId node) {
    const Coordinates all = topology.coordinates(node);
    return std::vector<std::uint32_t>(all.begin(), all.begin() + topology.dimensions());
  };
  const auto nodes = [&](const std::vector<NodeId>& list) {
    auto array = nlohmann::ordered_json::array();
    for (const NodeId node : list) array.push_back(at(node));
    return array;
  };
  const auto arcs = [&](const std::vector<LinkId>& list) {
    auto array = nlohmann::ordered_json::array();
    for (const LinkId arc : list) {
      array.push_back({at(topology.link_from(arc)), port_name(topology.link_port(arc))});
    }
    return array;
  };
  const DeadLinks dead = dead_links(topology);
  json["dead_nodes"] = nodes(topology.faults().dead_nodes);
  json["dead_cores"] = nodes(topology.faults().dead_cores);
  json["dead_links"] = arcs(dead.links);
  json["dead_arcs"] = arcs(dead.arcs);
  return dump_json(json, 2) + "\n";
}

Topology topology_named(std::string_view name, std::span<const std::uint32_t> sides) {
  constexpr std::string_view kWrap = "wrap-";
  if (!name.starts_with(kWrap)) return Topology::make(name, sides);
  std::uint32_t wrap = 0;
  const std::string_view names = name.substr(kWrap.size());
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string dimension(names.substr(begin, end - begin));
    const auto port = port_from_name(
        dimension + "+",
        static_cast<int>(std::min<std::size_t>(sides.size(), std::size_t{kMaxDimensions})));
    if (!port) {
      throw InputError(fmt::format("wrap: \"{}\" is not a dimension of {}; an example is x,z",
                                   dimension, joined(sides, "x")));
    }
    wrap |= 1U << static_cast<unsigned>(dimension_of(*port));
    begin = end + 1;
  }
  return Topology::grid(sides, wrap);
}

std::string topology_name(const Topology& topology) {
  if (topology.kind() != "grid") return std::string(topology.kind());
  return fmt::format("wrap-{}", joined(topology.wrap_names(), ","));
}

std::string topology_words(const Topology& topology) {
  if (topology.kind() != "grid") return std::string(topology.kind());
  return fmt::format("grid wrapping in {}", joined(topology.wrap_names(), ","));
}

}  // namespace gossamer
