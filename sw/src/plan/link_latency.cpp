// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/link_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

std::vector<std::uint32_t> LinkLatency::by_link(const Topology& topology) const {
  if (!table.empty()) return table;
  std::vector<std::uint32_t> latencies;
  latencies.reserve(topology.link_slots());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const auto dim = static_cast<std::size_t>(dimension_of(port));
      const std::uint32_t border = is_positive(port) ? topology.side(dimension_of(port)) - 1 : 0;
      if (walk.neighbor(port) == kNoNode) {
        latencies.push_back(0);
      } else if (dimension.empty()) {
        latencies.push_back(uniform);
      } else {
        latencies.push_back((walk.coordinates()[dim] == border ? wrap : dimension)[dim]);
      }
    }
  }
  return latencies;
}

namespace {

std::string without_blanks(std::string_view text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), [](char c) { return c != ' '; });
  return kept;
}

/// A number of cycles; empty for other texts.
std::optional<std::uint32_t> cycles_in(std::string_view text, std::uint32_t least) {
  const auto value = whole_number(text, kMaxLinkLatency);
  if (!value || *value < least) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

LinkLatency latency_by_dimension(const std::string& text, const Topology& topology) {
  const auto refuse = [](std::string_view part, std::string_view cause) {
    throw InputError(
        fmt::format("--link-latency: \"{}\": {}; the forms are 2, x=1,y=2, x=1,wrap-x=3, "
                    "folded-layout or a file",
                    part, cause));
  };
  const auto dimensions = static_cast<std::size_t>(topology.dimensions());
  std::vector<std::optional<std::uint32_t>> inside(dimensions);
  std::vector<std::optional<std::uint32_t>> wrap(dimensions);
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    constexpr std::string_view kWrap = "wrap-";
    const bool wraps = part.starts_with(kWrap);
    const std::size_t equals = part.find('=');
    const std::size_t begin = wraps ? kWrap.size() : 0;
    if (equals == std::string::npos || equals < begin) refuse(part, "is not a latency");
    const std::string name = part.substr(begin, equals - begin);
    const auto port = port_from_name(name + "+", topology.dimensions());
    if (!port) refuse(part, fmt::format("there is no dimension {}", name));
    const auto dim = static_cast<std::size_t>(dimension_of(*port));
    if (wraps && !topology.wraps(dimension_of(*port))) {
      refuse(part, fmt::format("dimension {} has no wrap links", name));
    }
    const auto cycles = cycles_in(std::string_view(part).substr(equals + 1), 1);
    if (!cycles) refuse(part, fmt::format("1 to {} cycles are expected", kMaxLinkLatency));
    auto& entry = (wraps ? wrap : inside)[dim];
    if (entry) refuse(part, "is given twice");
    entry = cycles;
  }
  LinkLatency latency;
  for (std::size_t dim = 0; dim < dimensions; ++dim) {
    latency.dimension.push_back(inside[dim].value_or(1));
    latency.wrap.push_back(wrap[dim].value_or(latency.dimension.back()));
  }
  return latency;
}

LinkLatency latency_of_file(const std::string& name, const Topology& topology) {
  InputFile in(name, fmt::format("--link-latency: \"{}\" is neither a latency nor a file that can "
                                 "be read",
                                 name));
  const auto refuse = [&name](std::uint64_t line, const std::string& cause) {
    throw InputError(fmt::format("{}: line {}: {}", name, line, cause));
  };
  LinkLatency latency;
  NodeWalk walk(topology);
  std::uint64_t number = 0;
  for (std::string line; std::getline(in.stream(), line);) {
    ++number;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == '\t' || c == '\r'; }, ' ');
    std::istringstream words(line);
    int p = 0;
    for (std::string word; words >> word; ++p) {
      if (walk.done()) refuse(number, fmt::format("the topology has {} nodes", topology.nodes()));
      if (p == topology.ports()) refuse(number, fmt::format("a node has {} ports", p));
      const bool exists = walk.neighbor(static_cast<Port>(p)) != kNoNode;
      const auto cycles = cycles_in(word, exists ? 1 : 0);
      if (!cycles) {
        refuse(number, fmt::format("{}: 1 to {} cycles are expected",
                                   port_name(static_cast<Port>(p)), kMaxLinkLatency));
      }
      latency.table.push_back(exists ? *cycles : 0);
    }
    if (p == 0) continue;
    if (p < topology.ports())
      refuse(number, fmt::format("the row has {} numbers for {} ports", p, topology.ports()));
    walk.next();
  }
  if (!walk.done()) {
    refuse(number,
           fmt::format("the file has rows for {} of {} nodes", walk.node(), topology.nodes()));
  }
  return latency;
}

/// One number where all links take as many cycles.
LinkLatency simplest(LinkLatency latency, const Topology& topology) {
  std::uint32_t all = 0;
  for (const std::uint32_t cycles : latency.by_link(topology)) {
    if (cycles == 0) continue;
    if (all != 0 && cycles != all) return latency;
    all = cycles;
  }
  LinkLatency uniform;
  uniform.uniform = std::max<std::uint32_t>(all, 1);
  return uniform;
}

}  // namespace

LinkLatency parse_link_latency(const std::string& text, const Topology& topology) {
  const std::string spec = without_blanks(text);
  LinkLatency latency;
  if (spec == "folded-layout") {
    latency.uniform = 2;
    return latency;
  }
  if (const auto cycles = cycles_in(spec, 1)) {
    latency.uniform = *cycles;
    return latency;
  }
  const bool by_dimension = spec.find('=') != std::string::npos;
  return simplest(
      by_dimension ? latency_by_dimension(spec, topology) : latency_of_file(text, topology),
      topology);
}

}  // namespace gossamer
