// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/combination_io.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/plan/program_source.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

CombineLane read_lane(Fields fields, const Combination& combine, std::uint32_t leg_steps) {
  const std::int64_t blocks = combine.blocks;
  CombineLane lane;
  lane.part = fields.number<std::uint32_t>("part", 0, std::int64_t{combine.parts} - 1);
  lane.offset = fields.number<std::int32_t>("offset", -blocks, blocks);
  lane.slope = fields.number<std::int32_t>("slope", -1, 1);
  lane.steps = fields.number<std::uint32_t>("steps", 0, leg_steps);
  lane.writes = fields.flag("writes");
  fields.done();
  return lane;
}

CombineLeg read_leg(Fields fields, const Combination& combine, std::size_t cycles,
                    std::uint32_t nodes) {
  CombineLeg leg;
  leg.steps = fields.number<std::uint32_t>(
      "steps", 1, std::min<std::int64_t>(kMaxLegSteps, 2 * std::int64_t{nodes}));
  const std::int64_t entries = std::int64_t{leg.steps} + 1;
  leg.turn = fields.number<std::uint32_t>("turn", 0, entries);
  std::int64_t listed = 0;
  for (const json& item : fields.array("operations")) {
    Fields run(item, fmt::format("{}: operations[{}]", fields.place(), leg.operations.size()));
    CombineRun& added = leg.operations.emplace_back();
    added.step = read_name<CombineStep>(run, "step", kCombineStepNames);
    added.count = run.number<std::uint32_t>("count", 1, entries - listed);
    listed += added.count;
    run.done();
  }
  const json& lanes = fields.array("lanes");
  if (lanes.size() != 2 * cycles) {
    throw InputError(fmt::format("{}: lanes: {} entries, {} expected", fields.place(), lanes.size(),
                                 2 * cycles));
  }
  for (const json& item : lanes) {
    auto& lane = leg.lanes.emplace_back();
    if (item.is_null()) continue;
    lane =
        read_lane(Fields(item, fmt::format("{}: lanes[{}]", fields.place(), leg.lanes.size() - 1)),
                  combine, leg.steps);
  }
  fields.done();
  return leg;
}

}  // namespace

void write_combination(const Combination& combine, DocumentWriter& out) {
  out.begin_object();
  out.number("blocks", combine.blocks);
  out.number("cycles", combine.cycles());
  out.begin_array("legs");
  for (const CombineLeg& leg : combine.legs) {
    out.begin_object();
    out.number("steps", leg.steps);
    out.number("turn", leg.turn);
    out.begin_array("operations");
    for (const CombineRun& run : leg.operations) {
      out.begin_object();
      out.string("step", combine_step_name(run.step));
      out.number("count", run.count);
      out.end_object();
    }
    out.end_array();
    out.begin_array("lanes");
    for (const auto& lane : leg.lanes) {
      if (!lane) {
        out.null();
        continue;
      }
      out.begin_object();
      out.number("part", lane->part);
      out.number("offset", lane->offset);
      out.number("slope", lane->slope);
      out.number("steps", lane->steps);
      out.boolean("writes", lane->writes);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

std::string_view deal_name(Deal deal) { return kDealNames.at(static_cast<std::size_t>(deal)); }

Deal read_deal(Fields& fields, const Combination& combine) {
  if (!fields.has("deal")) return Deal::kBlocks;
  const Deal deal = read_name<Deal>(fields, "deal", kDealNames);
  if (deal == Deal::kRounds && combine.parts % combine.cycles() != 0) {
    throw InputError(
        fmt::format("{0}: deal: rounds of {1} cycles require a multiple of {1} words, not {2}",
                    fields.place(), combine.cycles(), combine.parts));
  }
  return deal;
}

Combination read_combination(Fields fields, const Topology& topology, std::uint32_t parts) {
  Combination combine;
  combine.parts = parts;
  combine.blocks = fields.number<std::uint32_t>("blocks", 1, topology.nodes());
  const auto cycles = fields.number<std::size_t>("cycles", 1, topology.dimensions());
  const json& legs = fields.array("legs");
  if (legs.empty() || legs.size() > kMaxLegs) {
    throw InputError(fmt::format("{}: legs: {} are given, 1 to {} are supported", fields.place(),
                                 legs.size(), kMaxLegs));
  }
  for (const json& item : legs) {
    combine.legs.push_back(
        read_leg(Fields(item, fmt::format("{}: legs[{}]", fields.place(), combine.legs.size())),
                 combine, cycles, topology.nodes()));
  }
  fields.done();
  return combine;
}

std::function<void(NodeId, std::size_t, std::int32_t)> ranks_into(Combination& combine,
                                                                  const std::string& place) {
  return [&combine, &place](NodeId node, std::size_t cycle, std::int32_t rank) {
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= combine.blocks) {
      throw InputError(fmt::format("{}: table: node {}, rank {}: {} is outside 0..{}", place, node,
                                   cycle, rank, combine.blocks - 1));
    }
    combine.ranks.push_back(static_cast<std::uint32_t>(rank));
  };
}

void check_combination(const Combination& combine, const Topology& topology, const Demand& demand,
                       const std::string& place) {
  const bool all_live = topology.live_nodes() == topology.nodes();
  if (!topology.faults().dead_cores.empty() ||
      (!all_live && demand.to != Destination::kEveryNode)) {
    throw InputError(
        fmt::format("{}: combine: sums support dead links, all-reduces also dead nodes; dead cores "
                    "are not supported",
                    place));
  }
  if (!demand.combines() || demand.from != Origin::kEveryNode) {
    throw InputError(fmt::format(
        "{}: the program combines the words of all nodes, but the demand does not", place));
  }
  if (demand.pieces != combine.words()) {
    throw InputError(fmt::format("{}: combine: {} words, but the demand has {} pieces", place,
                                 combine.words(), demand.pieces));
  }
}

}  // namespace gossamer
