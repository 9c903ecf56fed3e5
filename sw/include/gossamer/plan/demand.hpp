// SPDX-License-Identifier: Apache-2.0
/// The required result of a plan, independent of the method: the pieces, the nodes that start with
/// them, the nodes that must end with them, and whether pieces are copied or combined.
///
/// A *piece* is a packet of the trace; every piece has a number:
///  - copied from every node or from listed nodes: origin * pieces + c;
///  - copied from the root: c, 0 .. pieces - 1;
///  - personal (each piece is for one node): (origin * nodes + destination) * pieces + c;
///  - combined: c, 0 .. pieces - 1, the words of a vector of which every contributor has one;
///  - counts: node * pieces + order, a message of a node in one of the orders of the nodes.
/// With groups the demand holds within each group, and pieces are numbered across the network:
///  - copied from every node, and personal: the same, with node ids as origins and destinations;
///  - copied from the roots, and combined: group * pieces + c;
///  - combined, where each member owns a share of k pieces (Groups::ids_by_node, and kOwner):
///    owner * k + c, k = pieces / members.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/groups.hpp"
#include "gossamer/plan/word_type.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A packet's number: that of a piece of the plan's demand.
using PacketId = std::uint64_t;
/// "No packet": an idle link.
inline constexpr PacketId kNoPacket = ~PacketId{0};
/// A valid word that is not a packet: it comes from a broken link, and forwarded copies show it.
inline constexpr PacketId kGarbage = kNoPacket - 1;

/// The nodes that start with pieces, or contribute to them.
enum class Origin : std::uint8_t {
  kEveryNode,
  /// Demand::root alone.
  kRoot,
  /// The nodes of Demand::sources.
  kSources,
};

/// The nodes that must end with a piece.
enum class Destination : std::uint8_t {
  kEveryNode,
  /// Demand::root alone.
  kRoot,
  /// Combined pieces: node v has pieces v * k .. v * k + k - 1, k = pieces / nodes.
  kOwner,
  /// The i-th source's piece ends at node i.
  kRankedNode,
  /// The i-th source's piece ends at Demand::targets[i].
  kTarget,
  /// Personal: every origin has separate pieces for each other node.
  kEachNode,
  /// Personal: every node has separate pieces for each other node of Demand::sources.
  kEachSource,
  /// No pieces travel: every node learns how many sources there are, each source its rank.
  kCounts,
  /// A plan of several collectives: its members define the nodes that need each piece
  /// (Machine::members).
  kMembers,
  /// The same for two members, the operands of a matrix product: in addition, matching blocks of
  /// both have to arrive together (plan/block_pairs.hpp).
  kPairs,
};

/// The operation on pieces that meet. All except kCopy combine word by word, modulo the word's
/// width.
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

/// Names as in plan documents, in the order of the enumerators.
inline constexpr auto kOriginNames = std::to_array<std::string_view>({"every", "root", "sources"});
inline constexpr auto kDestinationNames =
    std::to_array<std::string_view>({"every", "root", "owner", "ranked-node", "target", "each-node",
                                     "each-source", "counts", "members", "pairs"});
inline constexpr auto kOperationNames = std::to_array<std::string_view>(
    {"copy", "sum", "saturating-sum", "signed-saturating-sum", "max", "min", "and", "or", "xor"});
[[nodiscard]] std::string_view origin_name(Origin origin);
[[nodiscard]] std::string_view destination_name(Destination destination);
[[nodiscard]] std::string_view operation_name(Operation operation);
/// The operations that combine.
[[nodiscard]] std::span<const std::string_view> operation_names();

/// An operation on words of a type.
struct Combining {
  /// On words of the type `uint`.
  constexpr Combining(Operation of = Operation::kSum)
      : operation(of) {}  // NOLINT: an operation is one
  constexpr Combining(Operation of, WordType words, WordType sums)
      : operation(of), type(words), accumulate(sums) {}

  Operation operation;
  /// The words that nodes contribute, and their results.
  WordType type = WordType::kUint;
  /// The words on links: `type`, or for 16-bit floats also float32.
  WordType accumulate = WordType::kUint;

  bool operator==(const Combining&) const = default;
};
/// Whether the result is the same in every order of combination. All operations commute.
[[nodiscard]] constexpr bool is_associative(const Combining& combining) {
  return combining.operation != Operation::kSignedSaturatingSum &&
         (combining.operation != Operation::kSum || !is_float(combining.type));
}
/// Why an operation is not defined for words of these types; empty if it is defined. The text
/// begins with the invalid member of a demand, which is also the name of the option.
[[nodiscard]] std::string combining_defect(const Combining& combining);
/// "signed-saturating-sum", "sum of float32".
[[nodiscard]] std::string combining_text(const Combining& combining);
/// An operation on words of the same type whose result is the same in every order: "sum" or "max".
[[nodiscard]] constexpr std::string_view any_order(const Combining& combining) {
  return is_float(combining.type) ? "max" : "sum";
}

/// A node that starts with pieces, numbered from 0. Counts: the node itself is its only piece.
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
  /// Combined: as in Combining.
  WordType type = WordType::kUint;
  WordType accumulate = WordType::kUint;
  /// The largest number of pieces of an origin: for all nodes, or personal pieces per destination.
  /// Combined: words of the vector. Counts: orders in which nodes are counted.
  std::uint64_t pieces = 1;
  /// The node of kRoot; otherwise 0. With groups, its rank in each of them.
  NodeId root = 0;
  /// The listed nodes in ascending order; for kEachSource the gathering nodes.
  std::vector<DemandSource> sources;
  /// kTarget only: as many nodes as there are sources, ascending.
  std::vector<NodeId> targets;
  /// Empty: one group of all nodes.
  std::optional<Groups> groups{};

  /// Every node's k packets are for all nodes: all-gather.
  [[nodiscard]] static Demand all_gather(std::uint64_t packets_per_node);
  /// The root's message, in `packets` packets, is for all nodes.
  [[nodiscard]] static Demand broadcast(NodeId root, std::uint64_t packets = 1);
  /// A reduction of a vector of `words` words, one vector per node. `root` for kRoot only.
  [[nodiscard]] static Demand combined(Destination to, const Combining& combining,
                                       std::uint64_t words, NodeId root = 0);
  /// One piece from every node to each other node: total exchange.
  [[nodiscard]] static Demand all_to_all();
  /// Listed nodes, each with `each` pieces.
  [[nodiscard]] static Demand from_nodes(const std::vector<NodeId>& nodes, Destination to,
                                         std::uint32_t each = 1);
  /// The demands of several collectives, with `pieces` pieces in total.
  [[nodiscard]] static Demand of_members(std::uint64_t pieces,
                                         Destination to = Destination::kMembers);

  [[nodiscard]] bool combines() const { return operation != Operation::kCopy; }
  [[nodiscard]] Combining combining() const { return {operation, type, accumulate}; }
  /// True when several nodes end with the same word, and their values are equal only if all combine
  /// in one order.
  [[nodiscard]] bool needs_one_order() const {
    return combines() && !is_associative(combining()) && to == Destination::kEveryNode;
  }
  /// True when every piece is for one node.
  [[nodiscard]] bool is_personal() const {
    return to == Destination::kEachNode || to == Destination::kEachSource;
  }
  /// True when the members of a plan of several collectives define the nodes that need each piece.
  [[nodiscard]] bool is_of_members() const {
    return to == Destination::kMembers || to == Destination::kPairs;
  }
  /// True when no pieces travel, only counts.
  [[nodiscard]] bool is_counts() const { return to == Destination::kCounts; }
  /// True when a piece ends at one node that depends on its source's rank: packing and routing.
  [[nodiscard]] bool is_ranked() const {
    return to == Destination::kRankedNode || to == Destination::kTarget;
  }

  /// Nodes per group; without groups all nodes.
  [[nodiscard]] std::uint64_t members(std::uint64_t nodes) const {
    return groups ? groups->members() : nodes;
  }
  /// Combined pieces are numbered by the node that owns them.
  [[nodiscard]] bool numbers_by_owner() const {
    return to == Destination::kOwner || (groups && groups->ids_by_node);
  }

  /// The place of a combined piece in the vectors of its contributors.
  [[nodiscard]] PacketId place_in_vector(PacketId piece, const GroupLayout& layout) const;

  /// Number of piece ids per node: a piece is node * ids_per_node + rest. Empty where pieces belong
  /// to no node (the root's pieces, and combined words that do not divide evenly).
  [[nodiscard]] std::optional<std::uint64_t> ids_per_node(std::uint64_t nodes) const;
  /// Total number of different pieces; counts: messages.
  [[nodiscard]] std::uint64_t pieces_in_all(std::uint64_t nodes) const;
  /// Combined: whether the node ends with word `word` of a vector of `words` words: every node, its
  /// owner, or the root. Faults are not considered.
  [[nodiscard]] bool wants_word(NodeId node, PacketId word, std::uint64_t words,
                                std::uint64_t nodes) const;
  /// The nodes that start with pieces, ascending, or in the order of their groups; for kEachSource
  /// the gathering nodes.
  [[nodiscard]] std::vector<DemandSource> sources_in(const Topology& topology) const;
  /// The pieces of a node in sources_in; 0 for other nodes.
  [[nodiscard]] std::uint32_t source_pieces(NodeId node) const;

  bool operator==(const Demand&) const = default;
};

}  // namespace gossamer
