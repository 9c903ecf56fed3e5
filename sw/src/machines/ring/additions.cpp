// SPDX-License-Identifier: Apache-2.0
#include "additions.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "gossamer/plan/combination.hpp"

namespace gossamer {

namespace {

constexpr NodeId kNowhere = ~NodeId{0};

CombineStep operation(const CombineLeg& leg, std::uint64_t step) {
  for (const CombineRun& run : leg.operations) {
    if (step <= run.count) return run.step;
    step -= run.count;
  }
  return CombineStep::kPass;
}

/// Which registers of one line hold a word, step by step: those of a pair of lanes, in opposite
/// directions. Registers of a cycle are all full or all empty, so a cycle has one place.
class LineFill {
 public:
  LineFill(const Combination& combine, std::size_t pair, std::size_t places, bool is_cycle)
      : combine_(combine), first_(2 * pair), places_(places), is_cycle_(is_cycle) {
    for (auto* fill : {&registers_, &arrivals_}) fill->fill(std::vector<bool>(places, false));
  }

  [[nodiscard]] std::uint64_t additions() {
    for (const CombineLeg& leg : combine_.legs) {
      take(leg, 1);
      for (std::uint64_t step = 1; step <= leg.steps; ++step) {
        bring(leg, step);
        take(leg, step + 1);
        if (leg.turn == 0) add_arrivals(leg);
      }
    }
    return additions_;
  }

 private:
  /// By lane of the pair and place.
  using Fill = std::array<std::vector<bool>, 2>;

  [[nodiscard]] const std::optional<CombineLane>& lane_of(const CombineLeg& leg,
                                                          std::size_t lane) const {
    return leg.lanes[first_ + lane];
  }

  void bring(const CombineLeg& leg, std::uint64_t step) {
    for (std::size_t lane = 0; lane < 2; ++lane) {
      const bool sends = lane_of(leg, lane) && step <= lane_of(leg, lane)->steps;
      for (std::size_t at = 0; at < places_; ++at) {
        // The first place of lane 0 and the last one of lane 1 receive nothing.
        const bool is_end = !is_cycle_ && at == (lane == 0 ? 0 : places_ - 1);
        const std::size_t from = is_cycle_ ? at : lane == 0 ? at - 1 : at + 1;
        arrivals_[lane][at] = sends && !is_end && registers_[lane][from];
      }
    }
  }

  void take(const CombineLeg& leg, std::uint64_t entered) {
    const CombineStep step = operation(leg, entered);
    const auto add = [this](bool one, bool two) {
      additions_ += one && two ? 1U : 0U;
      return one || two;
    };
    Fill next = registers_;
    for (std::size_t lane = 0; lane < 2; ++lane) {
      for (std::size_t at = 0; at < places_; ++at) {
        const bool arrival = arrivals_[lane][at];
        if (!lane_of(leg, lane)) {
          next[lane][at] = false;
          continue;
        }
        switch (step) {
          case CombineStep::kLoad:
            next[lane][at] = true;
            break;
          case CombineStep::kAdd:
            next[lane][at] = add(arrival, true);
            break;
          case CombineStep::kPass:
            next[lane][at] = arrival;
            break;
          case CombineStep::kCross:
            next[lane][at] = add(arrival, registers_[1 - lane][at]);
            break;
          case CombineStep::kJoin:
            next[lane][at] = add(add(arrival, arrivals_[1 - lane][at]), true);
            break;
        }
      }
    }
    registers_.swap(next);
  }

  /// The arrivals of both directions are added to the node's own word.
  void add_arrivals(const CombineLeg& leg) {
    const std::size_t writer = lane_of(leg, 0) ? 0 : 1;
    if (!lane_of(leg, writer) || !lane_of(leg, writer)->writes) return;
    for (std::size_t at = 0; at < places_; ++at) {
      additions_ += (arrivals_[0][at] ? 1U : 0U) + (arrivals_[1][at] ? 1U : 0U);
    }
  }

  const Combination& combine_;
  std::size_t first_;
  std::size_t places_;
  bool is_cycle_;
  Fill registers_;
  Fill arrivals_;
  std::uint64_t additions_ = 0;
};

/// The registers of a lane.
struct LaneRegisters {
  /// By node, the sender of its arrivals.
  std::vector<NodeId> sender;
  std::uint64_t count = 0;
  /// Every register has a feed.
  bool is_cycle = true;
};

/// How many lines of each length a lane has.
std::map<std::size_t, std::uint64_t> lines_of(const std::vector<NodeId>& sender) {
  std::vector<NodeId> receiver(sender.size(), kNowhere);
  for (std::size_t node = 0; node < sender.size(); ++node) {
    if (sender[node] != kNowhere) receiver[sender[node]] = static_cast<NodeId>(node);
  }
  std::map<std::size_t, std::uint64_t> lines;
  for (std::size_t start = 0; start < sender.size(); ++start) {
    if (sender[start] != kNowhere) continue;
    std::size_t length = 1;
    for (NodeId node = receiver[start]; node != kNowhere; node = receiver[node]) ++length;
    ++lines[length];
  }
  return lines;
}

std::vector<LaneRegisters> registers_of(const Topology& topology, const RingProgram& program) {
  std::vector<LaneRegisters> lanes(program.combine.legs.front().lanes.size());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (int column = 0; column < program.ports(); ++column) {
      const RingPort& at = program.at(node, static_cast<Port>(column));
      const auto port = static_cast<Port>(static_cast<std::uint32_t>(column) / program.frame());
      if (!at.lane || topology.neighbor(node, port) == kNoNode) continue;
      LaneRegisters& lane = lanes[*at.lane];
      if (lane.sender.empty()) lane.sender.assign(topology.nodes(), kNowhere);
      lane.sender[topology.neighbor(node, port)] = node;
      lane.is_cycle = lane.is_cycle && !at.feed.empty();
      ++lane.count;
    }
  }
  return lanes;
}

}  // namespace

std::uint64_t ring_additions(const Topology& topology, const RingProgram& program) {
  const std::vector<LaneRegisters> lanes = registers_of(topology, program);
  std::uint64_t additions = 0;
  for (std::size_t pair = 0; pair < lanes.size() / 2; ++pair) {
    // The other lane has as many registers, on the same lines in the opposite direction.
    const LaneRegisters& lane = lanes[2 * pair + (lanes[2 * pair].count == 0 ? 1 : 0)];
    if (lane.is_cycle) {
      additions += lane.count * LineFill(program.combine, pair, 1, true).additions();
      continue;
    }
    for (const auto& [length, lines] : lines_of(lane.sender)) {
      additions += lines * LineFill(program.combine, pair, length, false).additions();
    }
  }
  return additions;
}

}  // namespace gossamer
