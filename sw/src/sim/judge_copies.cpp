// SPDX-License-Identifier: Apache-2.0
/// Copied pieces: the pieces that each node has.
#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/topology/rotated.hpp"
#include "judge_cases.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kWordBits = 64;
constexpr std::uint32_t kNoPiece = ~std::uint32_t{0};

/// Words of a piece's bits. An odd number, so that the pieces do not all fall on one set of a
/// cache.
std::uint64_t words_of_piece(const Topology& topology) {
  return ((topology.nodes() + kWordBits - 1) / kWordBits) | 1U;
}

/// Pieces that origins could have, whether they have them or not.
std::uint64_t piece_slots(const Judged& judged) {
  const Demand& demand = judged.demand;
  switch (demand.from) {
    case Origin::kSources:
      return demand.sources.size() * demand.pieces;
    case Origin::kRoot:
      return judged.topology.nodes() / demand.members(judged.topology.nodes()) * demand.pieces;
    default:
      return judged.topology.nodes() * demand.pieces;
  }
}

class CopiesCase final : public Judge::Case {
 public:
  CopiesCase(const Judged& judged, ArrivalRule rule)
      : topology_(judged.topology),
        demand_(judged.demand),
        flits_(judged.flits),
        listed_(demand_.from == Origin::kSources ||
                (demand_.from == Origin::kEveryNode && topology_.cores() != topology_.nodes())),
        rule_(std::move(rule)),
        layout_(topology_, demand_.groups),
        slots_(piece_slots(judged)),
        all_cores_(topology_.cores() == topology_.nodes()),
        words_per_piece_(words_of_piece(topology_)),
        has_(slots_ * words_per_piece_, 0) {
    const std::vector<DemandSource> sources = demand_.sources_in(topology_);
    if (demand_.groups) {
      for (const DemandSource& source : sources) group_of_.push_back(layout_.group(source.node));
    }
    index_of_.assign(topology_.nodes(), kNoPiece);
    const bool moved = !rule_.first_step.empty();
    if (moved) {
      at_.assign(slots_, kNoNode);
      for (std::size_t c = 0; c < rule_.first_step.size(); ++c) {
        for (NodeId node = 0; node < topology_.nodes(); ++node) {
          places_.push_back(
              rotated_id(topology_, node, static_cast<int>(c + 1) % topology_.dimensions()));
        }
      }
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      index_of_[sources[i].node] = static_cast<std::uint32_t>(i * demand_.pieces);
      missing_ += sources[i].pieces * demand_.members(topology_.cores());
      for (std::uint64_t c = 0; c < sources[i].pieces; ++c) {
        const std::size_t piece = i * demand_.pieces + c;
        if (moved) {
          at_[piece] = sources[i].node;
        } else {
          deliver(piece, sources[i].node);
        }
        wanted_.push_back(static_cast<std::uint32_t>(piece));
      }
    }
    begun_.assign(rule_.first_step.size(), false);
  }

  bool on_links(const LinkView& view) override {
    if (!view.packets.empty()) on_step(view);
    if (!view.takes.empty()) on_takes(view);
    for (const Delivery& delivery : view.deliveries) {
      const std::size_t piece = piece_of(delivery.packet);
      if (piece == kNoPiece) {
        ++misplaced_;
      } else if (deliver(piece, delivery.node)) {
        completion_step_ = std::max<std::uint64_t>(completion_step_, delivery.step);
        completion_cycle_ = view.cycle;
      }
    }
    // By cut-through all planned sends are executed.
    return view.packets.empty() || missing_ != 0;
  }

  [[nodiscard]] std::uint64_t missing(NodeId node) const override {
    return static_cast<std::uint64_t>(std::count_if(
        wanted_.begin(), wanted_.end(),
        [&](std::uint32_t piece) { return is_for(piece, node) && !has(piece, node); }));
  }

 private:
  /// A node can forward a taken flit only in a later cycle.
  void on_takes(const LinkView& view) {
    for (const Take& take : view.takes) {
      if (take.packet == kGarbage) continue;
      const std::size_t piece = flit_of(take);
      const NodeId from = topology_.link_from(take.link);
      if (piece == kNoPiece || !has(piece, from)) ++misplaced_;
    }
    for (const Take& take : view.takes) {
      const std::size_t piece = flit_of(take);
      const NodeId to =
          topology_.neighbor(topology_.link_from(take.link), topology_.link_port(take.link));
      if (piece != kNoPiece && deliver(piece, to)) completion_cycle_ = view.cycle;
    }
  }
  [[nodiscard]] std::size_t flit_of(const Take& take) const {
    if (take.packet == kGarbage) return kNoPiece;
    return take.flit < flits_ ? piece_of(take.packet * flits_ + take.flit) : kNoPiece;
  }

  /// Additional data for steps of store-and-forward.
  void prepare_links() {
    // No link: it never carries anything.
    const auto none = static_cast<LinkId>(topology_.link_slots());
    carried_.assign(none + 1, kNoPiece);
    carried_before_ = carried_;
    fed_by_.assign(none, none);
    receiver_.assign(none, kNoNode);
    if (!topology_.has_equal_links()) {
      periods_ = periods_by_link(topology_);
      flights_.resize(none);
    }
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (int p = 0; p < topology_.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        receiver_[topology_.link(walk.node(), port)] = walk.neighbor(port);
      }
    }
  }

  void on_step(const LinkView& view) {
    if (receiver_.empty()) prepare_links();
    begin_classes(view.step);
    // All sends of a step go out before any of its arrivals counts.
    for (std::size_t link = 0; link < receiver_.size(); ++link) {
      carried_[link] = kNoPiece;
      if (view.packets[link] == kNoPacket || view.packets[link] == kGarbage) continue;
      const std::size_t piece = piece_of(view.packets[link]);
      if (piece == kNoPiece || receiver_[link] == kNoNode || !can_send(piece, link) ||
          is_busy(link, view.step)) {
        ++misplaced_;
      } else if (!periods_.empty() && periods_[link] != 1) {
        flights_[link] = {static_cast<std::uint32_t>(piece), view.step + periods_[link] - 1};
      } else {
        carried_[link] = static_cast<std::uint32_t>(piece);
      }
    }
    for (std::size_t link = 0; link < flights_.size(); ++link) {
      if (flights_[link].end == view.step) carried_[link] = flights_[link].piece;
    }
    const std::uint64_t before = missing_;
    for (std::size_t link = 0; link < receiver_.size(); ++link) {
      const std::uint32_t piece = carried_[link];
      if (piece == kNoPiece) continue;
      if (counts(piece)) {
        deliver(piece, receiver_[link]);
      } else {
        at_[piece] = receiver_[link];
      }
    }
    if (missing_ < before) completion_step_ = view.step;
    carried_before_.swap(carried_);
  }

  /// A link of several steps carries the packet that it accepted last.
  [[nodiscard]] bool is_busy(std::size_t link, std::uint64_t step) const {
    return !flights_.empty() && flights_[link].end >= step;
  }

  void begin_classes(std::uint64_t step) {
    for (std::size_t c = 0; c < begun_.size(); ++c) {
      if (begun_[c] || step < rule_.first_step[c]) continue;
      begun_[c] = true;
      for (std::size_t piece = 0; piece < at_.size(); ++piece) {
        if (at_[piece] != kNoNode && rule_.class_of_piece[piece] == c) deliver(piece, at_[piece]);
      }
    }
  }

  /// Index of a piece; kNoPiece if no piece has this number.
  [[nodiscard]] std::size_t piece_of(PacketId packet) const {
    if (!listed_) return packet < slots_ ? packet : kNoPiece;
    const PacketId origin = packet / demand_.pieces;
    if (origin >= index_of_.size() || index_of_[origin] == kNoPiece) return kNoPiece;
    return index_of_[origin] + (packet - origin * demand_.pieces);
  }

  /// Its arrivals are deliveries.
  [[nodiscard]] bool counts(std::size_t piece) const {
    return begun_.empty() || begun_[rule_.class_of_piece[piece]];
  }
  /// Most packets come from the same link as the previous packet, so the bits need not be checked.
  bool can_send(std::size_t piece, std::size_t link) {
    if (carried_before_[fed_by_[link]] == piece) return true;
    const NodeId from = topology_.link_from(static_cast<LinkId>(link));
    for (int port = 0; port < topology_.ports(); ++port) {
      const LinkId in = topology_.link_into(from, static_cast<Port>(port));
      if (in != kNoLink && carried_before_[in] == piece) fed_by_[link] = in;
    }
    return counts(piece) ? has(piece, from) : at_[piece] == from;
  }

  /// The node's bit among those of a piece.
  [[nodiscard]] NodeId place_of(std::size_t piece, NodeId node) const {
    if (places_.empty()) return node;
    return places_[std::size_t{rule_.class_of_piece[piece]} * topology_.nodes() + node];
  }
  [[nodiscard]] bool has(std::size_t piece, NodeId node) const {
    const NodeId place = place_of(piece, node);
    return (has_[piece * words_per_piece_ + place / kWordBits] >> (place % kWordBits) & 1U) != 0;
  }
  /// The node is in the group of the piece. Nodes of other groups may forward it.
  [[nodiscard]] bool is_for(std::size_t piece, NodeId node) const {
    return group_of_.empty() || group_of_[piece / demand_.pieces] == layout_.group(node);
  }
  /// True when the node is to have it, and did not.
  bool deliver(std::size_t piece, NodeId node) {
    const NodeId place = place_of(piece, node);
    std::uint64_t& word = has_[piece * words_per_piece_ + place / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << (place % kWordBits);
    if (!is_for(piece, node)) {
      word |= bit;
      return false;
    }
    if ((word & bit) != 0) {
      ++duplicates_;
      return false;
    }
    word |= bit;
    // A router without a core forwards, and requires nothing.
    if (all_cores_ || topology_.has_core(node)) --missing_;
    return true;
  }

  Topology topology_;
  Demand demand_;
  std::uint64_t flits_;
  /// Pieces have indices of their own; else their numbers are the indices.
  bool listed_;
  ArrivalRule rule_;
  GroupLayout layout_;
  /// With groups: by source, its group.
  std::vector<NodeId> group_of_;
  std::uint64_t slots_;
  /// By node: index of its first piece.
  std::vector<std::uint32_t> index_of_;
  /// No core is dead.
  bool all_cores_;
  /// Indices of the pieces that exist.
  std::vector<std::uint32_t> wanted_;
  /// A bit for every piece and node. In the last and longest phase of class c all nodes of one
  /// coordinate c get the same piece at once: places_ puts their bits side by side, by class.
  std::uint64_t words_per_piece_;
  std::vector<std::uint64_t> has_;
  std::vector<NodeId> places_;
  /// With an arrival rule: where each piece is until its class begins to broadcast; by class,
  /// whether it has begun.
  std::vector<NodeId> at_;
  std::vector<bool> begun_;
  /// By link: its receiver; the pieces that it carries in this step and did in the one before; the
  /// link that fed it last.
  std::vector<NodeId> receiver_;
  std::vector<std::uint32_t> carried_;
  std::vector<std::uint32_t> carried_before_;
  std::vector<LinkId> fed_by_;
  /// Networks whose links are not equally fast: by link, the steps of a transfer, and the packet
  /// that a link of several steps accepted last, with the step at whose end it arrives.
  struct Flight {
    std::uint32_t piece = kNoPiece;
    std::uint64_t end = 0;
  };
  std::vector<std::uint32_t> periods_;
  std::vector<Flight> flights_;
};

}  // namespace

std::unique_ptr<Judge::Case> judge_copies(const Judged& judged, ArrivalRule rule) {
  return std::make_unique<CopiesCase>(judged, std::move(rule));
}

std::uint64_t copies_memory_bytes(const Judged& judged) {
  return piece_slots(judged) * words_of_piece(judged.topology) * sizeof(std::uint64_t);
}

}  // namespace gossamer
