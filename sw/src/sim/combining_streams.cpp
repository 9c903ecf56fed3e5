// SPDX-License-Identifier: Apache-2.0
#include "combining_streams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/sim/contribution.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Most bytes that the nodes' vectors may take together.
constexpr std::uint64_t kMostVectorBytes = std::uint64_t{1} << 32;

Term combined(const Term& a, const Term& b) { return {a.value + b.value, a.terms + b.terms}; }

}  // namespace

CombiningStreams::CombiningStreams(const Topology& topology, const StreamProgram& program)
    : topology_(topology),
      program_(program),
      combine_(*program.combine),
      lanes_(combine_.rounds.front().lanes.size()),
      frame_(program.frame()),
      wiring_(lanes_ * topology.nodes()),
      registers_(wiring_.size()),
      next_registers_(wiring_.size()),
      arrivals_(wiring_.size()),
      frame_packets_(topology.link_slots() * frame_, kNoPacket),
      frame_terms_(topology.link_slots() * frame_),
      packets_(topology.link_slots(), kNoPacket),
      values_(topology.link_slots(), 0),
      terms_(topology.link_slots(), 0) {
  const NodeId nodes = topology.nodes();
  // Slot by slot, for a relay passes on what an earlier slot of the frame has brought.
  for (std::size_t slot = 0; slot < frame_; ++slot) {
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      for (int p = 0; p < topology.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const auto column = static_cast<Port>(port * frame_ + slot);
        const PortProgram& at = program.at(walk.node(), column);
        if (walk.neighbor(port) == kNoNode) continue;
        const std::size_t sent = topology.link(walk.node(), port) * frame_ + slot;
        std::size_t fed = kNowhere;
        if (!at.feed.empty()) {
          const auto in = static_cast<Port>(at.feed.front() / frame_);
          const LinkId link = topology.link_into(walk.node(), in);
          if (link != kNoLink) fed = link * frame_ + at.feed.front() % frame_;
        }
        if (at.lane) {
          wiring_[*at.lane * std::size_t{nodes} + walk.node()] = {sent, fed};
        } else if (fed != kNowhere) {
          relays_.push_back({sent, fed});
        }
      }
    }
  }
  // The last router of a mesh's line has no out-port to send by, but it hears the lane.
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
  take(combine_.rounds.front(), 1);
  fill_frame();
  show();
}

void CombiningStreams::keep_vector_if_needed() {
  // Own words are made up on the fly unless some part is reduced in several rounds or written to
  // more than once a round.
  std::vector<bool> seen(combine_.parts, false);
  bool needed = false;
  for (const CombineRound& round : combine_.rounds) {
    std::vector<bool> here(combine_.parts, false);
    for (const auto& lane : round.lanes) {
      if (!lane) continue;
      needed = needed || seen[lane->part] || round.turn == 0;
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
      vector_[node * combine_.words() + piece] = {contribution(node, piece, combine_.words()), 1};
    }
  }
}

PacketId CombiningStreams::piece(const CombineLane& lane, std::size_t index,
                                 std::uint32_t block) const {
  const std::uint64_t named =
      node_of_rank_.empty() ? block : node_of_rank_[index / 2 * topology_.nodes() + block];
  return named * combine_.parts + lane.part;
}

Term CombiningStreams::own(NodeId node, PacketId piece) const {
  if (!vector_.empty()) return vector_[node * combine_.words() + piece];
  return {contribution(node, piece, combine_.words()), 1};
}

CombineStep CombiningStreams::operation(const CombineRound& round, std::uint64_t step) {
  for (const CombineRun& run : round.operations) {
    if (step <= run.count) return run.step;
    step -= run.count;
  }
  // Behind the list nothing is asked for: what comes goes on.
  return CombineStep::kPass;
}

void CombiningStreams::fill_frame() {
  std::fill(frame_terms_.begin(), frame_terms_.end(), Term{});
  if (round_ == combine_.rounds.size()) {
    std::fill(frame_packets_.begin(), frame_packets_.end(), kNoPacket);
    return;
  }
  const CombineRound& round = combine_.rounds[round_];
  const NodeId nodes = topology_.nodes();
  std::fill(frame_packets_.begin(), frame_packets_.end(), kNoPacket);
  for (std::size_t index = 0; index < lanes_; ++index) {
    const auto& lane = round.lanes[index];
    if (!lane || round_step_ > lane->steps) continue;
    for (NodeId node = 0; node < nodes; ++node) {
      const std::size_t at = index * nodes + node;
      if (wiring_[at].sent == kNowhere || registers_[at].terms == 0) continue;
      frame_packets_[wiring_[at].sent] =
          piece(*lane, index, combine_.block(*lane, rank(node, index), round_step_));
      frame_terms_[wiring_[at].sent] = registers_[at];
    }
  }
  for (const Relay& relay : relays_) {
    frame_packets_[relay.sent] = frame_packets_[relay.fed];
    frame_terms_[relay.sent] = frame_terms_[relay.fed];
  }
}

void CombiningStreams::show() {
  const std::size_t slot = (step_ - 1) % frame_;
  for (std::size_t link = 0; link < packets_.size(); ++link) {
    const std::size_t at = link * frame_ + slot;
    packets_[link] = frame_packets_[at];
    values_[link] = frame_terms_[at].value;
    terms_[link] = frame_terms_[at].terms;
  }
}

void CombiningStreams::next() {
  const bool frame_ends = step_ % frame_ == 0;
  results_.clear();
  if (frame_ends) edge();
  ++step_;
  if (frame_ends) fill_frame();
  show();
}

void CombiningStreams::edge() {
  if (round_ == combine_.rounds.size()) return;
  for (std::size_t at = 0; at < wiring_.size(); ++at) {
    arrivals_[at] = wiring_[at].fed == kNowhere ? Term{} : frame_terms_[wiring_[at].fed];
  }
  const CombineRound& round = combine_.rounds[round_];
  const std::uint64_t entered = round_step_ + 1;
  take(round, entered);
  write_results(round, entered);
  if (round_step_ < round.steps) {
    ++round_step_;
    return;
  }
  ++round_;
  round_step_ = 1;
  if (round_ < combine_.rounds.size()) take(combine_.rounds[round_], 1);
}

void CombiningStreams::take(const CombineRound& round, std::uint64_t entered) {
  const CombineStep step = operation(round, entered);
  const NodeId nodes = topology_.nodes();
  for (std::size_t index = 0; index < lanes_; ++index) {
    const auto& lane = round.lanes[index];
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
          next = combined(arrivals_[at], registers_[other]);
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

void CombiningStreams::write_results(const CombineRound& round, std::uint64_t entered) {
  if (round.turn != 0 && entered < round.turn) return;
  const NodeId nodes = topology_.nodes();
  for (std::size_t index = 0; index < lanes_; ++index) {
    const auto& lane = round.lanes[index];
    if (!lane || !lane->writes) continue;
    for (NodeId node = 0; node < nodes; ++node) {
      const std::size_t at = index * nodes + node;
      // An arrival is about what its register would be about if it passed on.
      const PacketId word = piece(*lane, index, combine_.block(*lane, rank(node, index), entered));
      if (round.turn != 0) {
        write(node, word, registers_[at]);
      } else if (arrivals_[at].terms != 0) {
        write(node, word, combined(own(node, word), arrivals_[at]));
      }
    }
  }
}

void CombiningStreams::write(NodeId node, PacketId piece, const Term& term) {
  if (!vector_.empty()) vector_[node * combine_.words() + piece] = term;
  results_.push_back({node, piece, term.value, term.terms});
}

}  // namespace gossamer
