// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/ring/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Why the hardware cannot add a turnless leg's arrivals to the vector; empty: it can.
std::string_view line_problem(const CombineLeg& leg) {
  for (const CombineRun& run : leg.operations) {
    const bool first = &run == &leg.operations.front();
    if (first ? run.step != CombineStep::kLoad || run.count != 1 : run.step != CombineStep::kPass) {
      return "a leg without a turn loads once and then passes on";
    }
  }
  for (std::size_t c = 0; c < leg.lanes.size(); c += 2) {
    const auto& forward = leg.lanes[c];
    const auto& backward = leg.lanes[c + 1];
    if (forward && backward &&
        (forward->part != backward->part || forward->offset != backward->offset ||
         forward->slope != backward->slope || !forward->writes || !backward->writes)) {
      return "the two directions of a leg without a turn are about one word and write it";
    }
  }
  return {};
}

}  // namespace

CombiningWiring combining_wiring(const Topology& topology, const RingProgram& program,
                                 NodeId node) {
  const std::uint32_t frame = program.frame();
  CombiningWiring wiring;
  wiring.in.resize(program.combine.legs.front().lanes.size());
  wiring.out.resize(wiring.in.size());
  for (int c = 0; c < program.ports(); ++c) {
    const auto column = static_cast<std::uint32_t>(c);
    const RingPort& entry = program.at(node, static_cast<Port>(c));
    std::optional<std::uint32_t> in;
    if (!entry.feed.empty()) in = entry.feed.front();
    if (entry.lane) {
      wiring.out[*entry.lane] = column;
      wiring.in[*entry.lane] = in;
    } else if (in) {
      wiring.relays.emplace_back(column, *in);
    }
  }
  for (int p = 0; frame == 1 && p < topology.ports(); ++p) {
    const auto in = static_cast<Port>(p);
    const NodeId from = topology.neighbor(node, in);
    if (from == kNoNode) continue;
    const auto lane = program.at(from, opposite(in)).lane;
    if (lane && !wiring.out[*lane]) wiring.in[*lane] = in;
  }
  return wiring;
}

CombiningFeatures combining_features(const Combination& combination) {
  CombiningFeatures features;
  features.apart = combination.legs.size() > 1;
  std::vector<const CombineLeg*> leg_of(combination.parts, nullptr);
  for (const CombineLeg& leg : combination.legs) {
    for (const CombineRun& run : leg.operations) {
      features.cross = features.cross || run.step == CombineStep::kCross;
      features.join = features.join || run.step == CombineStep::kJoin;
    }
    if (leg.turn == 0) features.join = features.apart = features.keep = true;
    for (const auto& lane : leg.lanes) {
      if (!lane) continue;
      const CombineLeg*& known = leg_of[lane->part];
      features.keep = features.keep || (known != nullptr && known != &leg);
      known = &leg;
    }
  }
  return features;
}

LegFormat LegFormat::of(const Combination& combination, std::uint32_t flits) {
  LegFormat format;
  format.lanes = static_cast<std::uint32_t>(combination.legs.front().lanes.size());
  std::uint32_t steps = 1;
  for (const CombineLeg& leg : combination.legs) {
    if (leg.turn == 0) {
      if (const std::string_view problem = line_problem(leg); !problem.empty()) {
        throw InputError(fmt::format("program: in hardware {}", problem));
      }
    } else if (leg.operations.empty() || leg.operations.front().step != CombineStep::kLoad) {
      throw InputError("program: in hardware a leg begins with load");
    }
    // Steps are counted up to the one after the leg.
    steps = std::max({steps, leg.steps + 1, leg.turn});
    format.runs = std::max(format.runs, static_cast<std::uint32_t>(leg.operations.size()));
  }
  if (format.runs > kMaxRuns) {
    throw InputError(fmt::format(
        "program: a leg has {} runs of equal operations; the hardware supports at most {}",
        format.runs, kMaxRuns));
  }
  const std::uint64_t words = combination.words() * flits;
  if (words > std::uint64_t{1} << 31U) {
    throw InputError(
        fmt::format("program: a vector of {} words; the hardware supports at most 2^31", words));
  }
  format.step_bits = std::max(2U, static_cast<std::uint32_t>(std::bit_width(steps)));
  format.block_bits = static_cast<std::uint32_t>(std::bit_width(combination.blocks));
  format.address_bits =
      std::max(format.block_bits, static_cast<std::uint32_t>(std::bit_width(words - 1)));
  return format;
}

std::size_t LegFormat::bits() const {
  return std::size_t{2} * step_bits + std::size_t{runs} * (step_bits + 3) +
         std::size_t{lanes} * (4 + step_bits + block_bits + address_bits);
}

void put_leg(const Combination& combination, const CombineLeg& leg, const LegFormat& format,
             std::size_t lsb, const PutBits& put) {
  std::size_t at = lsb;
  const auto field = [&](std::size_t width, std::uint32_t value) {
    put(at, width, value);
    at += width;
  };
  field(format.step_bits, leg.steps);
  field(format.step_bits, leg.turn);
  std::uint32_t last = 0;
  for (std::uint32_t r = 0; r < format.runs; ++r) {
    const bool listed = r < leg.operations.size();
    // Operations listed after a leg's end are never executed.
    if (listed) last += std::min(leg.operations[r].count, leg.steps + 1 - last);
    field(format.step_bits, listed ? last : 0);
    field(3, listed ? static_cast<std::uint32_t>(leg.operations[r].step) : 0);
  }
  for (std::uint32_t l = 0; l < format.lanes; ++l) {
    const bool listed = l < leg.lanes.size();
    std::optional<CombineLane> lane = listed ? leg.lanes[l] : std::optional<CombineLane>();
    // Where arrivals are added to the vector, the own word enters by the cycle's second lane, also
    // on a ring of two nodes, which sends nothing in that direction.
    if (leg.turn == 0 && listed && !lane && l % 2 == 1 && leg.lanes[l - 1]) {
      lane = leg.lanes[l - 1];
      lane->steps = 0;
      lane->writes = false;
    }
    field(1, lane ? 1 : 0);
    field(1, lane && lane->writes ? 1 : 0);
    field(1, lane && lane->slope > 0 ? 1 : 0);
    field(1, lane && lane->slope < 0 ? 1 : 0);
    field(format.step_bits, lane ? std::min(lane->steps, leg.steps) : 0);
    field(format.block_bits, lane ? combination.block(*lane, 0, 1) : 0);
    field(format.address_bits, lane ? lane->part * combination.blocks : 0);
  }
}

}  // namespace gossamer
