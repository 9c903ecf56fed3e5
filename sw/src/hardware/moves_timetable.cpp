// SPDX-License-Identifier: Apache-2.0
#include "gossamer/hardware/moves_timetable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The slots of a node, some of them free.
class MoveSlots {
 public:
  explicit MoveSlots(std::size_t taken) : taken_(taken, true) {}
  std::uint32_t take() {
    const auto at = std::find(taken_.begin(), taken_.end(), false);
    const auto slot = static_cast<std::uint32_t>(at - taken_.begin());
    if (at == taken_.end()) taken_.push_back(false);
    taken_[slot] = true;
    return slot;
  }
  void free(std::uint32_t slot) { taken_[slot] = false; }
  [[nodiscard]] std::size_t size() const { return taken_.size(); }

 private:
  std::vector<bool> taken_;
};

/// Where a packet is.
struct MovePlace {
  NodeId node = 0;
  std::uint32_t slot = 0;
};

}  // namespace

TimetableProgram timetable_of_moves(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto* program = std::get_if<QueuedProgram>(&plan.program);
  if (program == nullptr || plan.demand.to != Destination::kEachSource || plan.demand.pieces != 1 ||
      program->phases.size() != 1 || program->phases.front().kind != QueuedPhaseKind::kMoves ||
      program->phases.front().start != 1 || program->moves.empty()) {
    throw InputError("hardware of moves: this plan is none of one phase of moves from step 1 on");
  }
  const std::vector<DemandSource>& sources = plan.demand.sources;
  std::vector<MoveSlots> slots(topology.nodes(), MoveSlots(sources.size()));
  std::map<std::pair<NodeId, NodeId>, MovePlace> at;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
      if (sources[i].node != node) at[{node, sources[i].node}] = {node, i};
    }
  }
  std::vector<TimetableRow> rows;
  const auto refuse = [](const QueuedMove& move, std::string_view why) {
    throw InputError(fmt::format("hardware of moves: step {}, node {}, port {}: {}", move.step,
                                 move.from, port_name(move.port), why));
  };
  for (auto first = program->moves.begin(); first != program->moves.end();) {
    const auto last = std::find_if(first, program->moves.end(), [&](const QueuedMove& move) {
      return move.step != first->step;
    });
    if (first->step > program->phases.front().last()) refuse(*first, "the phase is over");
    // What a step sends is free for its arrivals.
    for (auto move = first; move != last; ++move) {
      const auto place = at.find({move->origin, move->destination});
      if (place == at.end() || place->second.node != move->from) {
        refuse(*move, fmt::format("the packet from node {} to node {} is not here", move->origin,
                                  move->destination));
      }
      if (!rows.empty() && std::tie(rows.back().step, rows.back().from, rows.back().out_port) ==
                               std::tie(move->step, move->from, move->port)) {
        refuse(*move, "two packets at once");
      }
      if (topology.neighbor(move->from, move->port) == kNoNode) refuse(*move, "no link");
      slots[move->from].free(place->second.slot);
      TimetableRow row;
      row.step = move->step;
      row.from = move->from;
      row.out_port = move->port;
      row.packet = move->origin * topology.nodes() + move->destination;
      row.read = place->second.slot;
      rows.push_back(row);
      place->second.node = kNoNode;
    }
    for (std::size_t i = rows.size() - static_cast<std::size_t>(last - first); first != last;
         ++first, ++i) {
      const NodeId to = topology.neighbor(first->from, first->port);
      rows[i].hands_over = to == first->destination;
      if (rows[i].hands_over) {
        at.erase({first->origin, first->destination});
        continue;
      }
      rows[i].write = slots[to].take();
      at[{first->origin, first->destination}] = {to, *rows[i].write};
    }
  }
  std::size_t most = 1;
  for (const MoveSlots& node : slots) most = std::max(most, node.size());
  return {static_cast<std::uint32_t>(sources.size()), static_cast<std::uint32_t>(most),
          std::move(rows)};
}

}  // namespace gossamer
