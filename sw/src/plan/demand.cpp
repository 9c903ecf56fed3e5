// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/demand.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gossamer {

std::string_view origin_name(Origin origin) {
  return kOriginNames[static_cast<std::size_t>(origin)];
}
std::string_view destination_name(Destination destination) {
  return kDestinationNames[static_cast<std::size_t>(destination)];
}
std::string_view operation_name(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}
std::span<const std::string_view> operation_names() {
  return std::span(kOperationNames).subspan(1);
}
std::string combining_defect(const Combining& combining) {
  const auto [operation, type, accumulate] = combining;
  const std::string name(word_type_name(type));
  const auto format = float_format(type);
  if (operation == Operation::kCopy && (type != WordType::kUint || accumulate != type)) {
    return "type: words that are copied have no type";
  }
  if (format && operation != Operation::kCopy && operation != Operation::kSum &&
      operation != Operation::kMax && operation != Operation::kMin) {
    return fmt::format("operation: {} is no operation of {}; there is sum, max, min",
                       operation_name(operation), name);
  }
  if (accumulate == type) return {};
  const auto wider = float_format(accumulate);
  if (format && wider && wider->bits() < format->bits()) {
    return fmt::format("accumulate: {} is narrower than {}", word_type_name(accumulate), name);
  }
  const bool has_choice = format && format->bits() == 16;
  if (has_choice && accumulate == WordType::kFloat32) return {};
  return fmt::format("accumulate: {} words are accumulated as {}{}", name, name,
                     has_choice ? " or float32" : "");
}

std::string combining_text(const Combining& combining) {
  const std::string name(operation_name(combining.operation));
  return is_float(combining.type) ? name + " of " + std::string(word_type_name(combining.type))
                                  : name;
}

Demand Demand::all_gather(std::uint64_t packets_per_node) {
  Demand demand;
  demand.pieces = packets_per_node;
  return demand;
}

Demand Demand::broadcast(NodeId root, std::uint64_t packets) {
  Demand demand;
  demand.from = Origin::kRoot;
  demand.root = root;
  demand.pieces = packets;
  return demand;
}

Demand Demand::combined(Destination to, const Combining& combining, std::uint64_t words,
                        NodeId root) {
  Demand demand;
  demand.to = to;
  demand.operation = combining.operation;
  demand.type = combining.type;
  demand.accumulate = combining.accumulate;
  demand.pieces = words;
  demand.root = root;
  return demand;
}

Demand Demand::all_to_all() {
  Demand demand;
  demand.to = Destination::kEachNode;
  return demand;
}

Demand Demand::from_nodes(const std::vector<NodeId>& nodes, Destination to, std::uint32_t each) {
  Demand demand;
  demand.from = Origin::kSources;
  demand.to = to;
  demand.pieces = each;
  demand.sources.reserve(nodes.size());
  for (const NodeId node : nodes) demand.sources.push_back({node, each});
  return demand;
}

Demand Demand::of_members(std::uint64_t pieces, Destination to) {
  Demand demand;
  demand.to = to;
  demand.pieces = pieces;
  return demand;
}

PacketId Demand::place_in_vector(PacketId piece, const GroupLayout& layout) const {
  if (!numbers_by_owner()) return piece % pieces;
  const std::uint64_t share = std::max<std::uint64_t>(pieces / layout.members(), 1);
  return layout.rank(static_cast<NodeId>(piece / share)) * share + piece % share;
}

std::optional<std::uint64_t> Demand::ids_per_node(std::uint64_t nodes) const {
  if (is_of_members()) return std::nullopt;
  if (is_personal()) return nodes * pieces;
  if (combines()) {
    if (groups && !numbers_by_owner()) return std::nullopt;
    if (pieces % members(nodes) != 0) return std::nullopt;
    return pieces / members(nodes);
  }
  if (from == Origin::kRoot) return std::nullopt;
  return pieces;
}

std::uint64_t Demand::pieces_in_all(std::uint64_t nodes) const {
  if (is_of_members()) return pieces;
  const bool listed = from == Origin::kSources || to == Destination::kEachSource;
  const std::uint64_t each = members(nodes);
  const std::uint64_t roots = nodes / each;
  const std::uint64_t holders = listed ? sources.size() : from == Origin::kRoot ? roots : nodes;
  if (is_personal()) return holders * (each - 1) * pieces;
  if (is_counts()) return nodes * pieces;
  if (combines()) return roots * pieces;
  if (!listed) return holders * pieces;
  std::uint64_t all = 0;
  for (const DemandSource& source : sources) all += source.pieces;
  return all;
}

bool Demand::wants_word(NodeId node, PacketId word, std::uint64_t words,
                        std::uint64_t nodes) const {
  if (to == Destination::kRoot) return node == root;
  return to != Destination::kOwner || word / (words / nodes) == node;
}

std::vector<DemandSource> Demand::sources_in(const Topology& topology) const {
  if (from == Origin::kSources || to == Destination::kEachSource) return sources;
  const auto each = static_cast<std::uint32_t>(pieces);
  std::vector<DemandSource> all;
  if (from == Origin::kRoot) {
    const GroupLayout layout(topology, groups);
    for (NodeId group = 0; group < layout.groups(); ++group) {
      all.push_back({layout.node(group, root), each});
    }
    return all;
  }
  all.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (topology.has_core(node)) all.push_back({node, each});
  }
  return all;
}

std::uint32_t Demand::source_pieces(NodeId node) const {
  if (from == Origin::kSources || to == Destination::kEachSource) {
    const auto found = std::lower_bound(
        sources.begin(), sources.end(), node,
        [](const DemandSource& source, NodeId wanted) { return source.node < wanted; });
    return found != sources.end() && found->node == node ? found->pieces : 0;
  }
  if (from == Origin::kRoot && node != root) return 0;
  return static_cast<std::uint32_t>(pieces);
}

}  // namespace gossamer
