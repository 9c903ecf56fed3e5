// SPDX-License-Identifier: Apache-2.0
/// The elastic part of stream programs in the plan document.
#include <algorithm>
#include <string>

#include "program_io.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

std::vector<std::uint32_t> read_latencies(const json& values, const std::string& place,
                                          int dimensions) {
  if (values.size() != static_cast<std::size_t>(dimensions)) {
    throw InputError(
        fmt::format("{}: {} entries for {} dimensions", place, values.size(), dimensions));
  }
  std::vector<std::uint32_t> latencies;
  for (const json& value : values) {
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
    (void)fields.any(kLatencyTable);
    latency.table = read_latency_table(table, fields.place(), topology);
  }
  fields.done();
  return latency;
}

}  // namespace

void write_elastic(const Elastic& elastic, int ports, DocumentWriter& out) {
  out.begin_object();
  out.number("chunk", elastic.chunk);
  out.number("rounds", elastic.rounds);
  out.number("slots", elastic.slots);
  out.begin_object("link_latency");
  const LinkLatency& latency = elastic.latency;
  if (!latency.table.empty()) {
    out.begin_array(kLatencyTable);
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

Elastic read_elastic(Fields fields, const Topology& topology, const NumberTable& latencies) {
  Elastic elastic;
  elastic.chunk = fields.number<std::uint32_t>("chunk", 1, kMaxChunk);
  elastic.rounds = fields.number<std::uint32_t>("rounds", 1, kMaxElasticFlits / elastic.chunk);
  elastic.slots = fields.number<std::uint32_t>("slots", 1, kMaxElasticSlots);
  elastic.latency = read_link_latency(fields.object("link_latency"), topology, latencies);
  fields.done();
  return elastic;
}

}  // namespace gossamer
