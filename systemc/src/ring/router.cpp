// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/ring/router.hpp"

#include <algorithm>

#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

CombiningPlan::CombiningPlan(const Plan& plan, const Arithmetic& arithmetic_of_words,
                             bool find_ranks, std::uint32_t flit_of_packets)
    : topology(plan.topology),
      program(plan.program.as<RingProgram>()),
      combine(program.combine),
      arithmetic(arithmetic_of_words),
      flit(flit_of_packets) {
  const std::size_t cycles = combine.cycles();
  const NodeId nodes = topology.nodes();
  if (combine.blocks == nodes) {
    node_of_rank.resize(cycles * nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      for (std::size_t c = 0; c < cycles; ++c) {
        node_of_rank[c * nodes + combine.ranks[node * cycles + c]] = node;
      }
    }
  }
  std::vector<const CombineLeg*> leg_of(combine.parts, nullptr);
  for (const CombineLeg& leg : combine.legs) {
    for (const auto& lane : leg.lanes) {
      if (!lane) continue;
      const CombineLeg*& known = leg_of[lane->part];
      keeps_vector = keeps_vector || leg.turn == 0 || (known != nullptr && known != &leg);
      known = &leg;
    }
  }
  if (!find_ranks) return;
  if (program.has_packets()) {
    throw InputError(
        "program: nodes that find their ranks have packets of 1 word and adders of 0 cycles");
  }
  if (combine.blocks == 1) {
    throw InputError("program: nodes of this plan have no ranks that could be found");
  }
  discovery.emplace();
  discovery->steps = combine.blocks - 1;
  discovery->turn = 1;
  discovery->operations = {{CombineStep::kLoad, 1}};
  discovery->lanes.resize(2 * cycles);
  for (std::size_t lane = 0; lane < discovery->lanes.size(); lane += 2) {
    discovery->lanes[lane] = CombineLane{.steps = discovery->steps};
  }
}

CombiningRouter::CombiningRouter(const sc_core::sc_module_name& name,
                                 std::shared_ptr<const CombiningPlan> plan, NodeId node)
    : CombiningModule(name),
      plan_(std::move(plan)),
      node_(node),
      frame_(plan_->program.frame()),
      lanes_(2 * plan_->combine.cycles()),
      knows_ranks_(!plan_->discovery) {
  wire();
}

void CombiningRouter::wire() {
  const Topology& topology = plan_->topology;
  const RingProgram& program = plan_->program;
  const auto place = [this](std::size_t column) {
    return Place{static_cast<std::uint8_t>(column / frame_),
                 static_cast<std::uint8_t>(column % frame_)};
  };
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const std::uint32_t rank = plan_->combine.ranks[node_ * plan_->combine.cycles() + lane / 2];
    lanes_[lane].head = rank == 0;
    if (knows_ranks_) lanes_[lane].rank = rank;
  }
  for (int column = 0; column < program.ports(); ++column) {
    const RingPort& entry = program.at(node_, static_cast<Port>(column));
    const Place out = place(static_cast<std::size_t>(column));
    Place in;
    if (!entry.feed.empty()) in = place(entry.feed.front());
    if (entry.lane) {
      lanes_[*entry.lane].out = out;
      lanes_[*entry.lane].in = in;
      if (in.port != kNoPort && in.slot < out.slot) depth_ = 2;
    } else if (in.port != kNoPort) {
      relays_.push_back({out, in, {}});
    }
  }
  // At a mesh's border a lane may arrive although it has no next node.
  for (int p = 0; frame_ == 1 && p < topology.ports(); ++p) {
    const auto in = static_cast<Port>(p);
    const NodeId from = topology.neighbor(node_, in);
    if (from == kNoNode) continue;
    const auto lane = program.at(from, opposite(in)).lane;
    if (lane && lanes_[*lane].out.port == kNoPort) lanes_[*lane].in = place(in);
  }
}

void CombiningRouter::clear() {
  for (Lane& lane : lanes_) lane.content = lane.arrival = {};
  for (Relay& relay : relays_) relay.content = {};
  vector_.clear();
  results_.clear();
  written_at_ = 0;
  leg_ = 0;
  error_ = false;
  // An aborted discovery round has not found them.
  for (Lane& lane : lanes_) lane.rank = knows_ranks_ ? lane.rank : 0;
}

void CombiningRouter::reset() {
  knows_ranks_ = !plan_->discovery;
  clear();
}

std::uint64_t CombiningRouter::clock(const Edge<CombinedWord>& edge) {
  const std::uint64_t cycle = edge.cycle();
  if (cycle == 0) {
    const Combination& combine = plan_->combine;
    for (PacketId piece = 0; plan_->keeps_vector && piece < combine.words(); ++piece) {
      vector_.push_back(contributed(piece));
    }
    begin_leg();
  } else {
    const auto ended = (cycle - 1) % frame_;
    for (Lane& lane : lanes_) {
      if (lane.in.port != kNoPort && lane.in.slot == ended) lane.arrival = edge.in(lane.in.port);
    }
    for (Relay& relay : relays_) {
      if (relay.in.slot == ended) relay.content = edge.in(relay.in.port);
    }
    if (ended == frame_ - 1) end_frame(cycle);
  }
  const auto slot = cycle % frame_;
  const CombineLeg* now = leg();
  for (std::size_t index = 0; now != nullptr && index < lanes_.size(); ++index) {
    const auto& task = now->lanes[index];
    const Lane& lane = lanes_[index];
    if (!task || leg_step_ > task->steps || lane.out.port == kNoPort) continue;
    if (lane.out.slot == slot && lane.content.terms != 0) edge.drive(lane.out.port, lane.content);
  }
  for (Relay& relay : relays_) {
    if (relay.out.slot != slot || relay.content.terms == 0) continue;
    edge.drive(relay.out.port, relay.content);
    relay.content = {};
  }
  return leg() == nullptr ? kUntilArrival : cycle + 1;
}

void CombiningRouter::begin_leg() {
  leg_step_ = 1;
  run_ = 0;
  done_ = 0;
  const CombineLeg* now = leg();
  if (now == nullptr) return;
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    const auto& task = now->lanes[index];
    if (task) lanes_[index].counter = plan_->combine.block(*task, lanes_[index].rank, 1);
  }
  take(next_operation());
}

CombineStep CombiningRouter::next_operation() {
  const auto& runs = leg()->operations;
  if (run_ < runs.size() && done_ == runs[run_].count) {
    ++run_;
    done_ = 0;
  }
  ++done_;
  return run_ < runs.size() ? runs[run_].step : CombineStep::kPass;
}

void CombiningRouter::end_frame(std::uint64_t cycle) {
  results_.clear();
  written_at_ = cycle;
  const CombineLeg* now = leg();
  if (now == nullptr) return;
  const std::uint32_t blocks = plan_->combine.blocks;
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    const auto& task = now->lanes[index];
    if (!task) continue;
    // All registers of a lane of a cycle send in the same steps; none sends to a dead node.
    const bool due = now->turn != 0 && leg_step_ <= task->steps && lanes_[index].in.port != kNoPort;
    error_ = error_ || (due && knows_ranks_ && lanes_[index].arrival.terms == 0);
    std::uint32_t& counter = lanes_[index].counter;
    if (task->slope > 0) counter = counter + 1 == blocks ? 0 : counter + 1;
    if (task->slope < 0) counter = (counter == 0 ? blocks : counter) - 1;
  }
  take(next_operation());
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    const auto& task = now->lanes[index];
    if (!task || !task->writes) continue;
    if (now->turn != 0) {
      if (leg_step_ + 1 >= now->turn) write(index, *task, lanes_[index].content);
      continue;
    }
    // Where arrivals are added, both of a cycle are added in one step, first to each other.
    if (index % 2 != 0 && now->lanes[index - 1]) continue;
    CombinedWord arrived = lanes_[index].arrival;
    if (index % 2 == 0) arrived = combined(arrived, lanes_[index + 1].arrival);
    if (arrived.terms != 0) write(index, *task, combined(own(piece(index, *task)), arrived));
  }
  if (leg_step_ < now->steps) {
    ++leg_step_;
  } else {
    end_leg();
  }
  for (Lane& lane : lanes_) lane.arrival = {};
}

void CombiningRouter::end_leg() {
  ++leg_;
  if (knows_ranks_) {
    begin_leg();
    return;
  }
  for (std::size_t lane = 0; lane < lanes_.size(); lane += 2) {
    const bool missing = !lanes_[lane].head && lanes_[lane].rank == 0;
    error_ = error_ || (missing && lanes_[lane].in.port != kNoPort);
  }
  knows_ranks_ = true;
  leg_ = legs().size();
}

void CombiningRouter::take(CombineStep step) {
  std::vector<CombinedWord> taken(lanes_.size());
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    const auto& task = leg()->lanes[index];
    if (!task) continue;
    const Lane& lane = lanes_[index];
    const PacketId number = piece(index, *task);
    CombinedWord& next = taken[index];
    switch (step) {
      case CombineStep::kLoad:
        if (knows_ranks_ || lane.head) next = own(number);
        break;
      case CombineStep::kAdd:
        next = combined(lane.arrival, own(number));
        break;
      case CombineStep::kPass:
        next = lane.arrival;
        break;
      case CombineStep::kCross:
        next = combined(lane.arrival, lanes_[index ^ 1U].content);
        break;
      case CombineStep::kJoin:
        next =
            combined(combined(lanes_[index & ~std::size_t{1}].arrival, lanes_[index | 1U].arrival),
                     own(number));
        break;
    }
    next.packet = number;
  }
  for (std::size_t index = 0; index < lanes_.size(); ++index) lanes_[index].content = taken[index];
}

void CombiningRouter::write(std::size_t index, const CombineLane& lane, CombinedWord word) {
  const PacketId number = piece(index, lane);
  // A link has lost the word to be written.
  if (word.terms == 0) return;
  if (!knows_ranks_) {
    error_ = error_ || lanes_[index].head;
    lanes_[index].rank = lanes_[index + 1].rank = static_cast<std::uint32_t>(leg_step_);
    return;
  }
  word.packet = number;
  if (!vector_.empty()) vector_[number] = word;
  results_.push_back({node_, number, word.value, word.terms});
}

PacketId CombiningRouter::piece(std::size_t index, const CombineLane& lane) const {
  return plan_->piece(index, lane.part, lanes_[index].counter);
}

CombinedWord CombiningRouter::own(PacketId piece) const {
  if (!vector_.empty()) return vector_[piece];
  return contributed(piece);
}

CombinedWord CombiningRouter::contributed(PacketId piece) const {
  return {piece, plan_->contribution(node_, piece, plan_->flit), 1};
}

CombinedWord CombiningRouter::combined(const CombinedWord& a, const CombinedWord& b) const {
  // An empty word is not an operand.
  if (a.terms == 0) return b;
  if (b.terms == 0) return a;
  return {a.packet, plan_->arithmetic.combine(a.value, b.value), a.terms + b.terms};
}

}  // namespace gossamer::systemc
