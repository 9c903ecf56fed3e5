// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/active_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// M and SEED of random:M:SEED, M at most `most`.
std::pair<std::uint64_t, std::uint64_t> random_arguments(std::string_view text, std::uint64_t most,
                                                         std::string_view option) {
  const std::string_view rest = text.substr(7);
  const auto colon = rest.find(':');
  const auto count = whole_number(rest.substr(0, colon));
  const auto seed =
      colon == std::string_view::npos ? std::nullopt : whole_number(rest.substr(colon + 1));
  if (!count || !seed || *count > most) {
    throw InputError(fmt::format("{}: \"{}\" is not random:M:SEED with M from 0 to {}", option,
                                 text.substr(0, 40), most));
  }
  return {*count, *seed};
}

NodeId parse_node(const Topology& topology, std::string_view text, const std::string& place) {
  Coordinates coordinates{};
  std::string_view rest = text;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const auto comma = rest.find(',');
    const bool last = dim + 1 == topology.dimensions();
    const auto value = whole_number(trimmed(rest.substr(0, comma)));
    if (!value || *value >= topology.side(dim) || (comma == std::string_view::npos) != last) {
      throw InputError(fmt::format("{}: \"{}\" is not a node of {} ({} coordinates, 0 .. side - 1)",
                                   place, text.substr(0, 40), topology.dims_text(),
                                   topology.dimensions()));
    }
    coordinates[static_cast<std::size_t>(dim)] = static_cast<std::uint32_t>(*value);
    rest = last ? std::string_view() : rest.substr(comma + 1);
  }
  return topology.node(coordinates);
}

std::vector<NodeId> in_order(const Topology& topology, std::vector<NodeId> nodes,
                             std::string_view option) {
  std::sort(nodes.begin(), nodes.end());
  const auto twice = std::adjacent_find(nodes.begin(), nodes.end());
  if (twice != nodes.end()) {
    const Coordinates at = topology.coordinates(*twice);
    std::string text;
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      text += fmt::format("{}{}", dim == 0 ? "" : ",", at[static_cast<std::size_t>(dim)]);
    }
    throw InputError(fmt::format("{}: node {} occurs twice", option, text));
  }
  return nodes;
}

}  // namespace

std::vector<NodeId> random_nodes(std::uint32_t nodes, std::uint32_t count, std::uint64_t seed) {
  // R. Floyd's sampling: one draw per chosen node, regardless of the number of nodes.
  SplitMix64 random(seed);
  std::set<NodeId> chosen;
  for (std::uint32_t last = nodes - count; last < nodes; ++last) {
    const auto node = static_cast<NodeId>(random.below(std::uint64_t{last} + 1));
    if (!chosen.insert(node).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::uint32_t> parse_counts(const Topology& topology, std::string_view text) {
  constexpr std::uint64_t kMaxPackets = 1000000;
  std::vector<std::uint32_t> counts;
  if (text.substr(0, 7) == "random:") {
    const auto [packets, seed] = random_arguments(text, kMaxPackets, "counts");
    counts.assign(topology.nodes(), 0);
    SplitMix64 random(seed);
    for (std::uint64_t i = 0; i < packets; ++i) ++counts[random.below(topology.nodes())];
    return counts;
  }
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const auto value = whole_number(trimmed(rest.substr(0, comma)));
    if (!value || *value > kMaxPackets || counts.size() == topology.nodes()) {
      throw InputError(fmt::format("counts: {} whole numbers up to {} are expected, one per node",
                                   topology.nodes(), kMaxPackets));
    }
    counts.push_back(static_cast<std::uint32_t>(*value));
    if (comma == std::string_view::npos) return counts;
    rest = rest.substr(comma + 1);
  }
}

std::vector<NodeId> parse_active(const Topology& topology, std::string_view text,
                                 std::string_view option) {
  const std::string place(option);
  if (text.substr(0, 7) == "random:") {
    const auto [count, seed] = random_arguments(text, topology.nodes(), option);
    return random_nodes(topology.nodes(), static_cast<std::uint32_t>(count), seed);
  }
  std::vector<NodeId> nodes;
  if (!text.empty() && text.find_first_not_of("0123456789,; ") == std::string_view::npos) {
    for (;;) {
      const auto end = text.find(';');
      nodes.push_back(parse_node(topology, trimmed(text.substr(0, end)), place));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return in_order(topology, std::move(nodes), option);
  }
  const std::string name(text);
  InputFile file(name, fmt::format("{}: file \"{}\" cannot be opened", option, name));
  std::string line;
  for (std::size_t number = 1; std::getline(file.stream(), line); ++number) {
    const std::string_view node = trimmed(line);
    if (node.empty() || node.front() == '#') continue;
    nodes.push_back(parse_node(topology, node, fmt::format("{}: {}:{}", option, name, number)));
  }
  if (file.stream().bad())
    throw InputError(fmt::format("{}: file \"{}\" cannot be read", option, name));
  return in_order(topology, std::move(nodes), option);
}

}  // namespace gossamer
