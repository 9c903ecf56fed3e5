// SPDX-License-Identifier: Apache-2.0
/// What a plan must bring about, said without saying how: which pieces exist, who starts with them,
/// who must end with them, and whether they are copied or combined on the way.
///
/// A *piece* is what the trace calls a packet; every piece has a number:
///  - copied from every node or from listed ones: origin * pieces + c;
///  - copied from the root: c, 0 .. pieces - 1;
///  - personal (each piece is for one node): (origin * nodes + destination) * pieces + c;
///  - combined: c, 0 .. pieces - 1, the words of a vector of which every contributor has one;
///  - counts: node * pieces + order, a message of a node in one of the orders of the nodes.
/// With groups the demand holds inside each of them, and pieces are numbered through the network:
///  - copied from every node, and personal: the same, origins and destinations being node ids;
///  - copied from the roots, and combined: group * pieces + c;
///  - combined, where each member owns a share of k pieces (Groups::ids_by_node, and kOwner):
///    owner * k + c, k = pieces / members.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/plan/groups.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A packet's number: that of a piece of the plan's demand.
using PacketId = std::uint64_t;
/// "No packet": an idle link.
inline constexpr PacketId kNoPacket = ~PacketId{0};
/// A valid word that is no packet: what a broken link delivers, and who passes it on shows.
inline constexpr PacketId kGarbage = kNoPacket - 1;

/// Who starts with pieces, or contributes to them.
enum class Origin : std::uint8_t {
  kEveryNode,
  /// Demand::root alone.
  kRoot,
  /// The nodes of Demand::sources.
  kSources,
};

/// Who must end with a piece.
enum class Destination : std::uint8_t {
  kEveryNode,
  /// Demand::root alone.
  kRoot,
  /// Combined pieces: node v has those numbered v * k .. v * k + k - 1, k = pieces / nodes.
  kOwner,
  /// The i-th source's piece ends at node i.
  kRankedNode,
  /// The i-th source's piece ends at Demand::targets[i].
  kTarget,
  /// Personal: every origin has pieces of its own for each other node.
  kEachNode,
  /// Personal: every node has pieces of its own for each other node of Demand::sources.
  kEachSource,
  /// No pieces travel: every node learns how many sources there are, each source its rank.
  kCounts,
};

/// What happens when pieces meet. All but kCopy combine word by word, modulo the word's width.
enum class Operation : std::uint8_t {
  kCopy,
  kSum,
  kSaturatingSum,
  kSignedSaturatingSum,
  kMax,
  kMin,
  kAnd,
  kOr,
  kXor,
};

/// "every", "root", ... as in plan documents, in the order of the enumerators.
[[nodiscard]] std::string_view origin_name(Origin origin);
[[nodiscard]] std::string_view destination_name(Destination destination);
/// "copy", "sum", "saturating-sum", ...
[[nodiscard]] std::string_view operation_name(Operation operation);
/// Those of the operations that combine.
[[nodiscard]] std::span<const std::string_view> operation_names();
/// Whether the result is the same in every order of combination. All operations commute.
[[nodiscard]] constexpr bool is_associative(Operation operation) {
  return operation != Operation::kSignedSaturatingSum;
}
inline constexpr int kOrigins = 3;
inline constexpr int kDestinations = 8;
inline constexpr int kOperations = 9;

/// A node that starts with pieces, numbered from 0. Counts: with one, itself.
struct DemandSource {
  NodeId node = 0;
  /// 1 .. Demand::pieces.
  std::uint32_t pieces = 1;

  bool operator==(const DemandSource&) const = default;
};

struct Demand {
  Origin from = Origin::kEveryNode;
  Destination to = Destination::kEveryNode;
  Operation operation = Operation::kCopy;
  /// The most pieces that an origin has: for everybody, or personal ones for each destination.
  /// Combined: words of the vector. Counts: orders in which nodes are counted.
  std::uint64_t pieces = 1;
  /// Where a kRoot stands; else 0. With groups its rank in each of them.
  NodeId root = 0;
  /// The listed nodes in ascending order; for kEachSource those that gather.
  std::vector<DemandSource> sources;
  /// kTarget only: as many nodes as there are sources, ascending.
  std::vector<NodeId> targets;
  /// Empty: one group of all nodes.
  std::optional<Groups> groups{};

  /// Every node's k packets go to everybody: all-gather, or gossip.
  [[nodiscard]] static Demand all_gather(std::uint64_t packets_per_node);
  /// The root's message, in `packets` packets, goes to everybody.
  [[nodiscard]] static Demand broadcast(NodeId root, std::uint64_t packets = 1);
  /// A vector of `words` words, of which every node has one: a reduction. `root` for kRoot only.
  [[nodiscard]] static Demand combined(Destination to, Operation operation, std::uint64_t words,
                                       NodeId root = 0);
  /// A piece of every node for each other one: total exchange.
  [[nodiscard]] static Demand all_to_all();
  /// Listed nodes with `each` pieces each.
  [[nodiscard]] static Demand from_nodes(const std::vector<NodeId>& nodes, Destination to,
                                         std::uint32_t each = 1);

  [[nodiscard]] bool combines() const { return operation != Operation::kCopy; }
  /// True when several nodes end with the same word, and agree about it only if all combine in one
  /// order.
  [[nodiscard]] bool needs_one_order() const {
    return combines() && !is_associative(operation) && to == Destination::kEveryNode;
  }
  /// True when every piece is for one node.
  [[nodiscard]] bool is_personal() const {
    return to == Destination::kEachNode || to == Destination::kEachSource;
  }
  /// True when no pieces travel, only counts.
  [[nodiscard]] bool is_counts() const { return to == Destination::kCounts; }
  /// True when a piece ends at one node that its source's rank decides: packing and routing.
  [[nodiscard]] bool is_ranked() const {
    return to == Destination::kRankedNode || to == Destination::kTarget;
  }

  /// Nodes of each group; without groups all.
  [[nodiscard]] std::uint64_t members(std::uint64_t nodes) const {
    return groups ? groups->members() : nodes;
  }
  /// Combined pieces are numbered by the node that owns them.
  [[nodiscard]] bool numbers_by_owner() const {
    return to == Destination::kOwner || (groups && groups->ids_by_node);
  }

  /// Numbers of pieces that each node has: a piece is node * ids_per_node + rest. Empty where
  /// pieces belong to no node (the root's, and combined words that do not divide evenly).
  [[nodiscard]] std::optional<std::uint64_t> ids_per_node(std::uint64_t nodes) const;
  /// Different pieces that there are; counts: messages.
  [[nodiscard]] std::uint64_t pieces_in_all(std::uint64_t nodes) const;
  /// Combined: of `words` words in a vector, the node ends with this one: everybody, its owner, or
  /// the root. Whether the node is alive is not asked.
  [[nodiscard]] bool wants_word(NodeId node, PacketId word, std::uint64_t words,
                                std::uint64_t nodes) const;
  /// The nodes that start with pieces, ascending, or in the order of their groups; for kEachSource
  /// those that gather.
  [[nodiscard]] std::vector<DemandSource> sources_in(const Topology& topology) const;
  /// What sources_in says of a node; 0 when it is none of them.
  [[nodiscard]] std::uint32_t source_pieces(NodeId node) const;

  bool operator==(const Demand&) const = default;
};

}  // namespace gossamer
