// SPDX-License-Identifier: Apache-2.0
/// The fast engine of combining streams (plan/combination.hpp): registers lane by lane in flat
/// arrays.
#include <fmt/format.h>

#include <algorithm>

#include "engine.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/combination.hpp"
#include "gossamer/sim/interleaved_engine.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Most bytes that the nodes' vectors may take together.
constexpr std::uint64_t kMostVectorBytes = std::uint64_t{1} << 32;

/// A word with its number of contributions; 0: no word.
struct Term {
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

class CombiningEngine final : public Engine {
 public:
  /// Starts in step 1. The program must combine and outlive it. Throws InputError for a vector that
  /// must be kept and does not fit into memory.
  /// `flit`: the word of each packet that it runs.
  CombiningEngine(const Topology& topology, const RingProgram& program,
                  const Arithmetic& arithmetic, std::uint32_t flit = 0);

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] LinkView links() override { return shown_.in(step_); }
  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) next();
  }
  void force(LinkId link, PacketId packet) override;
  /// After the last leg nothing is sent, and the last results have been shown.
  [[nodiscard]] bool done() const override { return leg_ == combine_.legs.size(); }
  [[nodiscard]] EngineStatistics statistics() const override {
    return {.steps = step_ - 1, .cycles = step_ - 1, .max_queue = depth_, .link_conflicts = 0};
  }

 private:
  /// Advances to the next step.
  void next();
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  struct Register {
    /// Its link: link * frame + slot; kNowhere: no link.
    std::size_t sent = kNowhere;
    /// Source of its arrivals: link * frame + slot; kNowhere: no source.
    std::size_t fed = kNowhere;
  };
  /// An output port and slot that forwards.
  struct Relay {
    std::size_t sent;
    std::size_t fed;
  };

  [[nodiscard]] std::size_t cycles() const { return lanes_ / 2; }
  [[nodiscard]] std::uint32_t rank(NodeId node, std::size_t lane) const {
    return combine_.ranks[node * cycles() + lane / 2];
  }
  [[nodiscard]] PacketId piece(const CombineLane& lane, std::size_t index,
                               std::uint32_t block) const;
  [[nodiscard]] Term own(NodeId node, PacketId piece) const;
  [[nodiscard]] Term contributed(NodeId node, PacketId piece) const {
    return {arithmetic_.word(node, piece * flits_ + flit_, combine_.words() * flits_,
                             topology_.nodes()),
            1};
  }
  [[nodiscard]] Term combined(const Term& a, const Term& b) const {
    // A missing word is not an operand.
    if (a.terms == 0) return b;
    if (b.terms == 0) return a;
    return {arithmetic_.combine(a.value, b.value), a.terms + b.terms};
  }
  /// Operation into `step` of a leg.
  [[nodiscard]] static CombineStep operation(const CombineLeg& leg, std::uint64_t step);
  /// Puts the registers on the frame's links and lets the relays pass.
  void fill_frame();
  /// Shows the present step's slot of it.
  void show();
  /// The edge at the end of a frame.
  void edge();
  void write_results(const CombineLeg& leg, std::uint64_t entered);
  void write(NodeId node, PacketId piece, const Term& term);
  void take(const CombineLeg& leg, std::uint64_t entered);
  void keep_vector_if_needed();

  const Topology& topology_;
  const Combination& combine_;
  Arithmetic arithmetic_;
  std::uint64_t flits_;
  std::uint64_t flit_;
  std::size_t lanes_;
  std::size_t frame_;
  /// Words that an out-port holds at once.
  std::uint64_t depth_ = 1;
  /// Registers lane by lane, node by node.
  std::vector<Register> wiring_;
  std::vector<Relay> relays_;
  std::vector<Term> registers_;
  std::vector<Term> next_registers_;
  std::vector<Term> arrivals_;
  /// By cycle, then rank: the node (blocks = nodes).
  std::vector<NodeId> node_of_rank_;
  /// By node, then piece: the vector, kept if the program reads words that it has written.
  std::vector<Term> vector_;
  /// By link * frame + slot: the packet in the present frame.
  std::vector<PacketId> frame_packets_;
  std::vector<Term> frame_terms_;

  std::size_t leg_ = 0;
  /// Step (in frames) of the leg.
  std::uint64_t leg_step_ = 1;
  std::uint64_t step_ = 1;
  ShownWords shown_;
};

CombiningEngine::CombiningEngine(const Topology& topology, const RingProgram& program,
                                 const Arithmetic& arithmetic, std::uint32_t flit)
    : topology_(topology),
      combine_(program.combine),
      arithmetic_(arithmetic),
      flits_(program.flits),
      flit_(flit),
      lanes_(combine_.legs.front().lanes.size()),
      frame_(program.frame()),
      wiring_(lanes_ * topology.nodes()),
      registers_(wiring_.size()),
      next_registers_(wiring_.size()),
      arrivals_(wiring_.size()),
      frame_packets_(topology.link_slots() * frame_, kNoPacket),
      frame_terms_(topology.link_slots() * frame_),
      shown_(topology.link_slots()) {
  const NodeId nodes = topology.nodes();
  // Slot by slot, since a relay forwards arrivals of an earlier slot of the frame.
  for (std::size_t slot = 0; slot < frame_; ++slot) {
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      for (int p = 0; p < topology.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const auto column = static_cast<Port>(port * frame_ + slot);
        const RingPort& at = program.at(walk.node(), column);
        if (walk.neighbor(port) == kNoNode) continue;
        const std::size_t sent = topology.link(walk.node(), port) * frame_ + slot;
        std::size_t fed = kNowhere;
        if (!at.feed.empty()) {
          const auto in = static_cast<Port>(at.feed.front() / frame_);
          const LinkId link = topology.link_into(walk.node(), in);
          if (link != kNoLink) fed = link * frame_ + at.feed.front() % frame_;
        }
        if (at.lane) {
          // It waits for its slot while its next arrival is there already.
          if (fed != kNowhere && fed % frame_ < slot) depth_ = 2;
          wiring_[*at.lane * std::size_t{nodes} + walk.node()] = {sent, fed};
        } else if (fed != kNowhere) {
          relays_.push_back({sent, fed});
        }
      }
    }
  }
  // The last router of a mesh's line has no output port, but it receives the lane.
  for (NodeWalk walk(topology); frame_ == 1 && !walk.done(); walk.next()) {
    for (int p = 0; p < topology.ports(); ++p) {
      const auto in = static_cast<Port>(p);
      const NodeId from = walk.neighbor(in);
      if (from == kNoNode) continue;
      const auto lane = program.at(from, opposite(in)).lane;
      if (!lane) continue;
      Register& here = wiring_[*lane * std::size_t{nodes} + walk.node()];
      if (here.sent == kNowhere) here.fed = topology.link(from, opposite(in));
    }
  }
  if (combine_.blocks == nodes) {
    node_of_rank_.resize(nodes * cycles());
    for (NodeId node = 0; node < nodes; ++node) {
      for (std::size_t c = 0; c < cycles(); ++c) {
        node_of_rank_[c * nodes + combine_.ranks[node * cycles() + c]] = node;
      }
    }
  }
  keep_vector_if_needed();
  take(combine_.legs.front(), 1);
  fill_frame();
  show();
}

void CombiningEngine::keep_vector_if_needed() {
  // Own words are made up on the fly unless some part is reduced in several legs or written to
  // more than once a leg.
  std::vector<bool> seen(combine_.parts, false);
  bool needed = false;
  for (const CombineLeg& leg : combine_.legs) {
    std::vector<bool> here(combine_.parts, false);
    for (const auto& lane : leg.lanes) {
      if (!lane) continue;
      needed = needed || seen[lane->part] || leg.turn == 0;
      here[lane->part] = true;
    }
    for (std::size_t part = 0; part < seen.size(); ++part) seen[part] = seen[part] || here[part];
  }
  if (!needed) return;
  const std::uint64_t words = std::uint64_t{topology_.nodes()} * combine_.words();
  if (words > kMostVectorBytes / sizeof(Term)) {
    throw InputError(fmt::format("program: vectors of {} words at {} nodes take more than {} GiB",
                                 combine_.words(), topology_.nodes(), kMostVectorBytes >> 30U));
  }
  vector_.resize(words);
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    for (PacketId piece = 0; piece < combine_.words(); ++piece) {
      vector_[node * combine_.words() + piece] = contributed(node, piece);
    }
  }
}

PacketId CombiningEngine::piece(const CombineLane& lane, std::size_t index,
                                std::uint32_t block) const {
  const std::uint64_t named =
      node_of_rank_.empty() ? block : node_of_rank_[index / 2 * topology_.nodes() + block];
  return named * combine_.parts + lane.part;
}

Term CombiningEngine::own(NodeId node, PacketId piece) const {
  if (!vector_.empty()) return vector_[node * combine_.words() + piece];
  return contributed(node, piece);
}

CombineStep CombiningEngine::operation(const CombineLeg& leg, std::uint64_t step) {
  for (const CombineRun& run : leg.operations) {
    if (step <= run.count) return run.step;
    step -= run.count;
  }
  // After the list there are no operations: arrivals are forwarded.
  return CombineStep::kPass;
}

void CombiningEngine::fill_frame() {
  std::fill(frame_terms_.begin(), frame_terms_.end(), Term{});
  if (leg_ == combine_.legs.size()) {
    std::fill(frame_packets_.begin(), frame_packets_.end(), kNoPacket);
    return;
  }
  const CombineLeg& leg = combine_.legs[leg_];
  const NodeId nodes = topology_.nodes();
  std::fill(frame_packets_.begin(), frame_packets_.end(), kNoPacket);
  for (std::size_t index = 0; index < lanes_; ++index) {
    const auto& lane = leg.lanes[index];
    if (!lane || leg_step_ > lane->steps) continue;
    for (NodeId node = 0; node < nodes; ++node) {
      const std::size_t at = index * nodes + node;
      if (wiring_[at].sent == kNowhere || registers_[at].terms == 0) continue;
      frame_packets_[wiring_[at].sent] =
          piece(*lane, index, combine_.block(*lane, rank(node, index), leg_step_));
      frame_terms_[wiring_[at].sent] = registers_[at];
    }
  }
  for (const Relay& relay : relays_) {
    frame_packets_[relay.sent] = frame_packets_[relay.fed];
    frame_terms_[relay.sent] = frame_terms_[relay.fed];
  }
}

void CombiningEngine::show() {
  const std::size_t slot = (step_ - 1) % frame_;
  for (LinkId link = 0; link < shown_.packets.size(); ++link) {
    const std::size_t at = std::size_t{link} * frame_ + slot;
    shown_.put(link, frame_packets_[at], frame_terms_[at].value, frame_terms_[at].terms);
  }
}

void CombiningEngine::force(LinkId link, PacketId packet) {
  const std::size_t slot = (step_ - 1) % frame_;
  const std::size_t at = std::size_t{link} * frame_ + slot;
  frame_packets_[at] = packet;
  frame_terms_[at] = packet == kNoPacket ? Term{} : Term{kGarbageValue, 1};
  // Relays that forward it in a later slot of the frame.
  for (const Relay& relay : relays_) {
    if (relay.sent % frame_ <= slot) continue;
    frame_packets_[relay.sent] = frame_packets_[relay.fed];
    frame_terms_[relay.sent] = frame_terms_[relay.fed];
  }
}

void CombiningEngine::next() {
  const bool frame_ends = step_ % frame_ == 0;
  shown_.results.clear();
  if (frame_ends) edge();
  ++step_;
  if (frame_ends) fill_frame();
  show();
}

void CombiningEngine::edge() {
  if (leg_ == combine_.legs.size()) return;
  for (std::size_t at = 0; at < wiring_.size(); ++at) {
    arrivals_[at] = wiring_[at].fed == kNowhere ? Term{} : frame_terms_[wiring_[at].fed];
  }
  const CombineLeg& leg = combine_.legs[leg_];
  const std::uint64_t entered = leg_step_ + 1;
  take(leg, entered);
  write_results(leg, entered);
  if (leg_step_ < leg.steps) {
    ++leg_step_;
    return;
  }
  ++leg_;
  leg_step_ = 1;
  if (leg_ < combine_.legs.size()) take(combine_.legs[leg_], 1);
}

void CombiningEngine::take(const CombineLeg& leg, std::uint64_t entered) {
  const CombineStep step = operation(leg, entered);
  const NodeId nodes = topology_.nodes();
  for (std::size_t index = 0; index < lanes_; ++index) {
    const auto& lane = leg.lanes[index];
    for (NodeId node = 0; node < nodes; ++node) {
      const std::size_t at = index * nodes + node;
      Term& next = next_registers_[at];
      if (!lane) {
        next = {};
        continue;
      }
      const std::size_t other = (index ^ 1U) * nodes + node;
      const auto operand = [&] {
        return own(node, piece(*lane, index, combine_.block(*lane, rank(node, index), entered)));
      };
      switch (step) {
        case CombineStep::kLoad:
          next = operand();
          break;
        case CombineStep::kAdd:
          next = combined(arrivals_[at], operand());
          break;
        case CombineStep::kPass:
          next = arrivals_[at];
          break;
        case CombineStep::kCross:
          // The forward sum first, so that both registers take the same tree.
          next = index % 2 == 0 ? combined(arrivals_[at], registers_[other])
                                : combined(registers_[other], arrivals_[at]);
          break;
        case CombineStep::kJoin: {
          const std::size_t forward = (index & ~std::size_t{1}) * nodes + node;
          const std::size_t backward = (index | 1U) * nodes + node;
          next = combined(combined(arrivals_[forward], arrivals_[backward]), operand());
          break;
        }
      }
    }
  }
  registers_.swap(next_registers_);
}

void CombiningEngine::write_results(const CombineLeg& leg, std::uint64_t entered) {
  if (leg.turn != 0 && entered < leg.turn) return;
  const NodeId nodes = topology_.nodes();
  for (std::size_t index = 0; index < lanes_; ++index) {
    const auto& lane = leg.lanes[index];
    if (!lane || !lane->writes) continue;
    // Where arrivals are added, both of a cycle are added in one step, first to each other.
    const bool second = index % 2 != 0 && leg.lanes[index - 1].has_value();
    if (leg.turn == 0 && second) continue;
    for (NodeId node = 0; node < nodes; ++node) {
      const std::size_t at = index * nodes + node;
      // An arrival belongs to the word that its register would have if it forwarded it.
      const PacketId word = piece(*lane, index, combine_.block(*lane, rank(node, index), entered));
      if (leg.turn != 0) {
        write(node, word, registers_[at]);
        continue;
      }
      Term arrived = arrivals_[at];
      if (index % 2 == 0) arrived = combined(arrived, arrivals_[at + nodes]);
      if (arrived.terms != 0) write(node, word, combined(own(node, word), arrived));
    }
  }
}

void CombiningEngine::write(NodeId node, PacketId piece, const Term& term) {
  // A dead node has no interface, and a link may have lost the word to be written.
  if (!topology_.is_live(node) || term.terms == 0) return;
  if (!vector_.empty()) vector_[node * combine_.words() + piece] = term;
  shown_.results.push_back({node, piece, term.value, term.terms});
}

}  // namespace

std::unique_ptr<Engine> make_ring_engine(const Topology& topology, const RingProgram& program,
                                         const Arithmetic& arithmetic) {
  if (!program.has_packets()) {
    return std::make_unique<CombiningEngine>(topology, program, arithmetic);
  }
  std::vector<std::unique_ptr<Engine>> words;
  for (std::uint32_t flit = 0; flit < program.flits; ++flit) {
    words.push_back(std::make_unique<CombiningEngine>(topology, program, arithmetic, flit));
  }
  return interleaved(std::move(words), program.pipeline(), program.combine.steps());
}

}  // namespace gossamer
