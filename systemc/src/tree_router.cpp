// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/tree_router.hpp"

#include <utility>

#include "gossamer/sim/contribution.hpp"

namespace gossamer::systemc {

TreePlan::TreePlan(const Plan& plan)
    : topology(plan.topology), program(std::get<TreeProgram>(plan.program)), dealt(program) {}

TreeRouter::TreeRouter(const sc_core::sc_module_name& name, std::shared_ptr<const TreePlan> plan,
                       NodeId node)
    : CombiningModule(name),
      plan_(std::move(plan)),
      node_(node),
      sums_(plan_->program.streams()),
      totals_(plan_->program.streams()) {
  const Topology& topology = plan_->topology;
  const TreeProgram& program = plan_->program;
  for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
    const TreePlace& own = program.at(node, stream);
    if (own.parent != kTreeRoot) {
      sent_.push_back({stream, own.parent, own.up, false});
      if (own.down != 0) heard_.push_back({stream, own.parent, own.down, true});
    }
    for (const Port port : all_ports(topology.ports())) {
      const NodeId child = topology.sender(node, port);
      // On a ring of two both ports lead to one neighbour, and one of them is its parent port.
      if (child == kNoNode || program.at(child, stream).parent != opposite(port)) continue;
      const TreePlace& below = program.at(child, stream);
      heard_.push_back({stream, port, below.up, false});
      if (below.down != 0) sent_.push_back({stream, port, below.down, true});
    }
  }
}

void TreeRouter::clear() {
  for (CombinedWord& sum : sums_) sum = {};
  for (CombinedWord& total : totals_) total = {};
  results_.clear();
  written_at_ = 0;
}

PacketId TreeRouter::due(std::uint32_t stream, std::uint32_t first, std::uint64_t step) const {
  const std::uint64_t frame = plan_->program.frame();
  if (step < first || (step - first) % frame != 0) return kNoPacket;
  const std::uint64_t index = (step - first) / frame;
  return index < plan_->dealt.count(stream) ? plan_->dealt.word(stream, index) : kNoPacket;
}

/// What the children have sent, and the node's own word; afterwards they have sent nothing.
CombinedWord TreeRouter::take_sum(std::uint32_t stream, PacketId packet) {
  CombinedWord& sum = sums_[stream];
  const CombinedWord taken{packet, sum.value + contribution(node_, packet, plan_->program.words()),
                           sum.terms + 1};
  sum = {};
  return taken;
}

void TreeRouter::conclude(std::uint32_t stream, const CombinedWord& total) {
  totals_[stream] = total;
  results_.push_back({node_, total.packet, total.value, total.terms});
}

std::uint64_t TreeRouter::clock(const Edge<CombinedWord>& edge) {
  const std::uint64_t cycle = edge.cycle();
  results_.clear();
  written_at_ = cycle;
  for (const Use& use : heard_) {
    const PacketId packet = due(use.stream, use.first, cycle);
    const CombinedWord& word = edge.in(use.port);
    if (packet == kNoPacket || WordTraits<CombinedWord>::is_idle(word)) continue;
    if (use.down) {
      conclude(use.stream, {packet, word.value, word.terms});
    } else {
      CombinedWord& sum = sums_[use.stream];
      sum.value += word.value;
      sum.terms += word.terms;
    }
  }
  for (std::uint32_t stream = 0; stream < plan_->program.streams(); ++stream) {
    const TreePlace& own = plan_->program.at(node_, stream);
    if (own.parent != kTreeRoot || own.up == 0) continue;
    const PacketId packet = due(stream, own.up, cycle);
    if (packet != kNoPacket) conclude(stream, take_sum(stream, packet));
  }
  for (const Use& use : sent_) {
    const PacketId packet = due(use.stream, use.first, cycle + 1);
    if (packet == kNoPacket) continue;
    CombinedWord word = use.down ? totals_[use.stream] : take_sum(use.stream, packet);
    word.packet = packet;
    edge.drive(use.port, word);
  }
  return cycle <= plan_->dealt.steps() ? cycle + 1 : kUntilArrival;
}

std::unique_ptr<Engine> make_systemc_tree_engine(const Plan& plan, const SystemcOptions& options) {
  const auto make_node = [shared = std::make_shared<const TreePlan>(plan)](const char* name,
                                                                           NodeId node) {
    return std::make_unique<TreeRouter>(name, shared, node);
  };
  return make_combining_fabric_engine(plan, "systemc", make_node, options);
}

}  // namespace gossamer::systemc
