// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <algorithm>

#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/plan/combination_io.hpp"
#include "gossamer/plan/port_table_io.hpp"

namespace gossamer {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::uint32_t> read_latencies(const Json& values, const std::string& place,
                                          int dimensions) {
  if (values.size() != static_cast<std::size_t>(dimensions)) {
    throw InputError(
        fmt::format("{}: {} entries for {} dimensions", place, values.size(), dimensions));
  }
  std::vector<std::uint32_t> latencies;
  for (const Json& value : values) {
    latencies.push_back(
        static_cast<std::uint32_t>(checked_number(value, place, 1, kMaxLinkLatency)));
  }
  return latencies;
}

std::vector<std::uint32_t> read_latency_table(const NumberTable& table, const std::string& place,
                                              const Topology& topology) {
  const auto ports = static_cast<std::size_t>(topology.ports());
  if (table.rows != topology.nodes() || table.row_length != ports) {
    throw InputError(fmt::format("{}: table: {} rows of {} entries for {} nodes of {} ports", place,
                                 table.rows, table.row_length, topology.nodes(), ports));
  }
  std::vector<std::uint32_t> latencies;
  latencies.reserve(table.values.size());
  auto value = table.values.begin();
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::size_t p = 0; p < ports; ++p, ++value) {
      const auto port = static_cast<Port>(p);
      const bool exists = walk.neighbor(port) != kNoNode;
      if (*value < (exists ? 1 : 0) || *value > static_cast<std::int32_t>(kMaxLinkLatency)) {
        throw InputError(fmt::format("{}: table: node {}, port {}: {} is outside {}..{}", place,
                                     walk.node(), port_name(port), *value, exists ? 1 : 0,
                                     kMaxLinkLatency));
      }
      latencies.push_back(exists ? static_cast<std::uint32_t>(*value) : 0);
    }
  }
  return latencies;
}

LinkLatency read_link_latency(Fields fields, const Topology& topology, const NumberTable& table) {
  LinkLatency latency;
  if (fields.has("uniform")) {
    latency.uniform = fields.number<std::uint32_t>("uniform", 1, kMaxLinkLatency);
  } else if (fields.has("dimension")) {
    const auto list = [&](const char* key) {
      return read_latencies(fields.array(key), fmt::format("{}: {}", fields.place(), key),
                            topology.dimensions());
    };
    latency.dimension = list("dimension");
    latency.wrap = list("wrap");
  } else {
    (void)fields.any("table");
    latency.table = read_latency_table(table, fields.place(), topology);
  }
  fields.done();
  return latency;
}

/// More than a link carries in a round on any network.
constexpr std::int64_t kMaxCarried = std::int64_t{1} << 30;

void write_network(const Elastic& elastic, int ports, DocumentWriter& out) {
  out.begin_object();
  out.number("chunk", elastic.chunk);
  out.number("rounds", elastic.rounds);
  out.number("slots", elastic.slots);
  out.begin_object("link_latency");
  const LinkLatency& latency = elastic.latency;
  if (!latency.table.empty()) {
    out.begin_array("table");
    const std::vector<std::int32_t> values(latency.table.begin(), latency.table.end());
    const auto columns = static_cast<std::size_t>(ports);
    for (std::size_t at = 0; at < values.size(); at += columns) {
      out.row(std::span(values).subspan(at, columns));
    }
    out.end_array();
  } else if (!latency.dimension.empty()) {
    out.list("dimension", latency.dimension);
    out.list("wrap", latency.wrap);
  } else {
    out.number("uniform", latency.uniform);
  }
  out.end_object();
  out.end_object();
}

Elastic read_network(Fields fields, const Topology& topology, const NumberTable& latencies) {
  Elastic elastic;
  elastic.chunk = fields.number<std::uint32_t>("chunk", 1, kMaxChunk);
  elastic.rounds = fields.number<std::uint32_t>("rounds", 1, kMaxElasticFlits / elastic.chunk);
  elastic.slots = fields.number<std::uint32_t>("slots", 1, kMaxElasticSlots);
  elastic.latency = read_link_latency(fields.object("link_latency"), topology, latencies);
  fields.done();
  return elastic;
}

ElasticPort read_port(Fields& fields, const PortTableShape& shape, std::size_t lanes) {
  ElasticPort entry;
  entry.feed = read_port_set(fields, "feed", shape);
  entry.preload = read_preload(fields, shape);
  if (fields.has("lane")) {
    entry.lane = fields.number<std::uint8_t>("lane", 0, kMaxPorts - 1);
    if (*entry.lane >= lanes) {
      throw InputError(fmt::format("{}: there is no lane {}", fields.place(), *entry.lane));
    }
  }
  if (lanes > 0 && !entry.preload.empty()) {
    throw InputError(fmt::format(
        "{}: a program that combines has one feed per output port and no preload", fields.place()));
  }
  if (fields.has("switch_step") || fields.has("early_feed") || entry.feed.has_several() ||
      entry.preload.size() > 1) {
    throw InputError(
        fmt::format("{}: an output port has at most one feed and one own packet, the "
                    "same in every step",
                    fields.place()));
  }
  if (fields.has("carries")) {
    entry.carries = fields.number<std::uint32_t>("carries", 1, kMaxCarried);
  }
  const std::uint64_t own = entry.carries == 0 && entry.lane ? 0 : own_chunks(entry);
  if (entry.carries < own || (entry.feed.empty() && entry.carries > own)) {
    throw InputError(fmt::format("{}: carries: {} does not fit {} own packets and {} feeds",
                                 fields.place(), entry.carries, own, entry.feed.size()));
  }
  return entry;
}

/// Checks the sums of elastic routers (words.hpp).
void check_sums(const ElasticProgram& program, const std::string& place) {
  const Combination& combine = *program.combine;
  const auto refuse = [&place](const std::string& cause) {
    throw InputError(fmt::format("{}: combine: {}", place, cause));
  };
  if (combine.blocks != program.nodes()) {
    refuse(fmt::format("{} blocks for elastic rings of {} nodes", combine.blocks, program.nodes()));
  }
  if (combine.legs.size() > 2 || !adds_up(combine.legs.front()) ||
      adds_up(combine.legs.back()) != (combine.legs.size() == 1)) {
    refuse("the first leg of an elastic program must end with join, and a second leg must not");
  }
  for (const ElasticPort& entry : program.dictionary()) {
    if (entry.carries == 0) continue;
    if (!entry.lane) refuse("an output port of an elastic program has no lane but carries chunks");
    for (const CombineLeg& leg : combine.legs) {
      const auto& lane = leg.lanes[*entry.lane];
      if (!lane || lane->steps != entry.carries ||
          lane->part != combine.legs.front().lanes[*entry.lane]->part) {
        refuse(
            fmt::format("lane {} must have {} chunks per round and one part in all "
                        "legs",
                        *entry.lane, entry.carries));
      }
    }
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    std::vector<bool> seen(2 * combine.cycles(), false);
    for (const Port port : all_ports(program.ports())) {
      const ElasticPort& at = program.at(node, port);
      if (at.carries == 0) continue;
      if (seen[*at.lane]) refuse(fmt::format("node {} has lane {} twice", node, *at.lane));
      seen[*at.lane] = true;
    }
  }
}

/// Checks a broadcast: the root alone has packets, and a round of every link is one flit.
void check_trees(const ElasticProgram& program, const Topology& topology, const Demand& demand,
                 const std::string& place) {
  if (demand != Demand::broadcast(demand.root, program.packets_per_node())) {
    throw InputError(
        fmt::format("{}: its packets, {} of the root, go to every node, unlike the demand", place,
                    program.packets_per_node()));
  }
  if (program.elastic.chunk != 1) {
    throw InputError(fmt::format("{}: elastic: chunks of a broadcast have one flit, not {}", place,
                                 program.elastic.chunk));
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const Port port : all_ports(program.ports())) {
      const ElasticPort& at = program.at(node, port);
      if (at.carries == 0) continue;
      if (at.carries != 1 || at.preload.empty() == (node == demand.root)) {
        throw InputError(fmt::format(
            "{}: elastic: node {}, {}: an output port of a broadcast sends one flit per round, an "
            "own one at the root {} and an arrival elsewhere",
            place, node_text(topology, node), port_name(port), node_text(topology, demand.root)));
      }
    }
  }
}

}  // namespace

ElasticProgram read_elastic(ProgramSource& source) {
  const PortTableShape shape = read_shape(source, false);
  ElasticProgram program(source.topology.nodes(), shape.columns(), shape.packets_per_node);
  if (source.fields.has("combine")) {
    program.combine =
        read_combination(source.fields.object("combine"), source.topology, shape.packets_per_node);
  }
  program.elastic = read_network(source.fields.object("elastic"), source.topology,
                                 source.table(kLatencyTablePath));
  const std::size_t cycles = program.combine ? program.combine->cycles() : 0;
  read_port_table(
      source, shape, program,
      [cycles](Fields& fields, const PortTableShape& of) {
        return read_port(fields, of, 2 * cycles);
      },
      cycles,
      program.combine ? ranks_into(*program.combine, source.place())
                      : std::function<void(NodeId, std::size_t, std::int32_t)>());
  if (program.combine) check_sums(program, source.place());
  return program;
}

void write_elastic(const ElasticProgram& program, DocumentWriter& out) {
  write_shape({.packets_per_node = program.packets_per_node()}, out);
  write_port_entries(
      program,
      [](const ElasticPort& entry, DocumentWriter& to) {
        write_port_set("feed", entry.feed, 1, to);
        to.list("preload", entry.preload);
        if (entry.lane) to.number("lane", *entry.lane);
        if (entry.carries != 0) to.number("carries", entry.carries);
      },
      out);
  if (program.combine) {
    out.key("combine");
    write_combination(*program.combine, out);
  }
  out.key("elastic");
  write_network(program.elastic, program.ports(), out);
  write_port_numbers(program, out,
                     program.combine ? program.combine->ranks : std::vector<std::uint32_t>{},
                     program.combine ? program.combine->cycles() : 0);
}

void check_elastic(const ElasticProgram& program, const Topology& topology, const Demand& demand,
                   const std::string& place) {
  if (program.combine) {
    check_combination(*program.combine, topology, demand, place);
  } else if (demand.from == Origin::kRoot) {
    check_trees(program, topology, demand, place);
  } else if (demand != Demand::all_gather(program.packets_per_node())) {
    throw InputError(
        fmt::format("{}: the program sends {} packets per node from every node to every node, "
                    "unlike the demand",
                    place, program.packets_per_node()));
  }
  // On an elastic ring every node has something of its own to begin with.
  const bool all_live = topology.live_nodes() == topology.nodes();
  if (!topology.faults().dead_cores.empty() || (!all_live && program.combine)) {
    throw InputError(
        fmt::format("{}: elastic: dead cores are not supported, nor dead nodes in sums", place));
  }
  if (topology.is_healthy()) return;
  // A link takes its ready from the one back: flits go where both are alive.
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const Port port : all_ports(program.ports())) {
      if (program.at(node, port).carries == 0 || topology.sender(node, port) != kNoNode) continue;
      throw InputError(
          fmt::format("{}: elastic: node {} sends by {}, but the arc back, with the ready wire, is "
                      "dead",
                      place, node, port_name(port)));
    }
  }
}

}  // namespace gossamer
