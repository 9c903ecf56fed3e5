// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/timetable_router.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gossamer/sim/contribution.hpp"

namespace gossamer::systemc {

std::vector<NodeTimetable> node_timetables(const Plan& plan) {
  const auto& program = std::get<TimetableProgram>(plan.program);
  const Topology& topology = plan.topology;
  std::vector<NodeTimetable> tables(topology.nodes());
  for (const TimetableRow& row : program.rows()) {
    const NodeId to = topology.neighbor(row.from, row.out_port);
    if (to == kNoNode) continue;
    tables[row.from].sends.push_back({row.step, row.out_port, row.read});
    tables[to].takes.push_back(
        {row.step, opposite(row.out_port), row.write, row.adds, row.hands_over});
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    std::vector<NodeTimetable::Take>& takes = tables[node].takes;
    std::sort(takes.begin(), takes.end(), [](const auto& a, const auto& b) {
      return std::tie(a.step, a.in_port) < std::tie(b.step, b.in_port);
    });
    if (!topology.has_core(node)) continue;
    for (std::uint32_t c = 0; c < program.packets_per_node(); ++c) {
      const PacketId piece = piece_at_start(program, topology, plan.demand, node, c);
      CombinedWord word;
      if (piece != kNoPacket) word = {piece, contribution(node, piece, plan.demand.pieces), 1};
      tables[node].own.push_back(word);
    }
  }
  return tables;
}

TimetableModule::TimetableModule(const sc_core::sc_module_name& name,
                                 std::shared_ptr<const std::vector<NodeTimetable>> tables,
                                 NodeId node)
    : CombiningModule(name), tables_(std::move(tables)), node_(node) {}

void TimetableModule::rewind() {
  send_ = 0;
  take_ = 0;
  written_at_ = 0;
  results_.clear();
}

std::uint64_t TimetableModule::clock(const Edge<CombinedWord>& edge) {
  const std::uint64_t cycle = edge.cycle();
  const auto& takes = table().takes;
  const auto& sends = table().sends;
  results_.clear();
  written_at_ = cycle;
  arrivals_.clear();
  while (take_ < takes.size() && takes[take_].step <= cycle) {
    const NodeTimetable::Take& take = takes[take_++];
    const CombinedWord& word = edge.in(take.in_port);
    if (take.step == cycle && word.packet != kNoPacket) arrivals_.push_back({&take, word});
  }
  while (send_ < sends.size() && sends[send_].step <= cycle) ++send_;
  std::size_t end = send_;
  while (end < sends.size() && sends[end].step == cycle + 1) ++end;
  step(arrivals_, std::span(sends).subspan(send_, end - send_), edge);
  send_ = end;
  return send_ < sends.size() ? sends[send_].step - std::uint64_t{1} : kUntilArrival;
}

TimetableRouter::TimetableRouter(const sc_core::sc_module_name& name,
                                 std::shared_ptr<const std::vector<NodeTimetable>> tables,
                                 NodeId node, std::uint32_t slots)
    : TimetableModule(name, std::move(tables), node), memory_(slots) {
  TimetableRouter::clear();
}

void TimetableRouter::clear() {
  rewind();
  std::fill(memory_.begin(), memory_.end(), CombinedWord{});
  filled_ = 0;
  conflicts_ = 0;
  for (std::uint32_t c = 0; c < table().own.size(); ++c) {
    if (table().own[c].packet != kNoPacket) put(c, table().own[c]);
  }
}

void TimetableRouter::put(std::uint32_t slot, const CombinedWord& word) {
  if (memory_[slot].packet == kNoPacket) ++filled_;
  memory_[slot] = word;
}

void TimetableRouter::step(std::span<const Arrival> arrivals,
                           std::span<const NodeTimetable::Send> sends,
                           const Edge<CombinedWord>& edge) {
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const NodeTimetable::Take& take = *arrivals[i].take;
    if (!take.slot || take.adds) continue;
    conflicts_ += std::any_of(arrivals.begin(), arrivals.begin() + static_cast<std::ptrdiff_t>(i),
                              [&take](const Arrival& low) {
                                return !low.take->adds && low.take->slot == take.slot;
                              })
                      ? 1U
                      : 0U;
    put(*take.slot, arrivals[i].word);
  }
  for (const Arrival& arrival : arrivals) {
    if (!arrival.take->adds) continue;
    const CombinedWord& held = memory_[*arrival.take->slot];
    if (held.packet == kNoPacket) {
      put(*arrival.take->slot, arrival.word);
    } else {
      put(*arrival.take->slot,
          {held.packet, held.value + arrival.word.value, held.terms + arrival.word.terms});
    }
  }
  for (const Arrival& arrival : arrivals) {
    if (!arrival.take->hands_over) continue;
    hand_over(arrival.take->slot ? memory_[*arrival.take->slot] : arrival.word);
  }
  for (const NodeTimetable::Send& send : sends) {
    if (memory_[send.slot].packet != kNoPacket) edge.drive(send.out_port, memory_[send.slot]);
  }
}

std::unique_ptr<Engine> make_systemc_timetable_engine(const Plan& plan,
                                                      const SystemcOptions& options) {
  const std::uint32_t slots = std::get<TimetableProgram>(plan.program).slots();
  const auto make_node = [slots, tables = std::make_shared<const std::vector<NodeTimetable>>(
                                     node_timetables(plan))](const char* name, NodeId node) {
    return std::make_unique<TimetableRouter>(name, tables, node, slots);
  };
  return make_combining_fabric_engine(plan, "systemc", make_node, options);
}

}  // namespace gossamer::systemc
