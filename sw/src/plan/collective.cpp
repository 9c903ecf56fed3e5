// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr auto kCollectives = std::to_array<Collective>({
    {"gossip", "all-gather", "every node's packets go to all nodes", Origin::kEveryNode,
     Destination::kEveryNode},
    {"broadcast", "", "one node's message goes to all nodes", Origin::kRoot,
     Destination::kEveryNode},
    {"reduce-scatter", "", "each node adds to a vector and ends with a share of it",
     Origin::kEveryNode, Destination::kOwner, true},
    {"all-reduce", "", "each node adds to a vector and ends with all of it", Origin::kEveryNode,
     Destination::kEveryNode, true},
    {"reduce", "", "each node adds to a vector, and one node ends with it", Origin::kEveryNode,
     Destination::kRoot, true},
    {"barrier", "", "an all-reduce of one bit: all nodes wait until all have arrived",
     Origin::kEveryNode, Destination::kEveryNode, true},
    {"all-to-all", "", "every node has a packet for each other node", Origin::kEveryNode,
     Destination::kEachNode},
    {"gemm", "", "a matrix product: blocks of both operands meet at every node in pairs",
     Origin::kEveryNode, Destination::kPairs},
    {"partial-broadcast", "", "the active nodes' packets go to all nodes", Origin::kSources,
     Destination::kEveryNode},
    {"partial-exchange", "", "every active node has a packet for each other node", Origin::kSources,
     Destination::kEachNode},
    {"partial-gather", "", "every node has a packet for each other active node", Origin::kEveryNode,
     Destination::kEachSource},
    {"prefix", "", "active nodes learn their ranks, and all nodes the number", Origin::kSources,
     Destination::kCounts},
    {"packing", "", "the packet of rank i goes to node i", Origin::kSources,
     Destination::kRankedNode},
    {"monotone-routing", "", "the packet of rank i goes to the i-th target", Origin::kSources,
     Destination::kTarget},
    {"line-broadcast", "", "all nodes of a line or ring get all packets of all", Origin::kSources,
     Destination::kEveryNode},
});

std::string kind_text(Origin from, Destination to, bool combines) {
  return fmt::format("from {} to {}{}", origin_name(from), destination_name(to),
                     combines ? ", combined" : "");
}

}  // namespace

std::span<const Collective> collectives() { return kCollectives; }

std::string_view field_name(std::string_view name) {
  for (const Collective& known : kCollectives) {
    if (known.name == name && !known.field_name.empty()) return known.field_name;
  }
  return name;
}

std::string_view collective_name(std::string_view name) {
  for (const Collective& collective : kCollectives) {
    if (!name.empty() && collective.field_name == name) return collective.name;
  }
  return name;
}

void check_collective(std::string_view name, const Demand& demand, const std::string& place) {
  const auto* const found =
      std::find_if(kCollectives.begin(), kCollectives.end(),
                   [name](const Collective& collective) { return collective.name == name; });
  if (found == kCollectives.end()) {
    throw InputError(fmt::format("{}: collective: \"{}\" is unknown", place, name));
  }
  if (demand.from == found->from && demand.to == found->to &&
      demand.combines() == found->combines) {
    return;
  }
  throw InputError(fmt::format("{}: collective: {} goes {}, but this document goes {}", place, name,
                               kind_text(found->from, found->to, found->combines),
                               kind_text(demand.from, demand.to, demand.combines())));
}

}  // namespace gossamer
