// SPDX-License-Identifier: Apache-2.0
/// How Verilated models are made, by family: the types of the functions that cross the border
/// between a model's shared object and the program that loads it.
#pragma once

#include <cstdint>
#include <memory>

#include "gossamer/tb/ring/verilated_node.hpp"
#include "gossamer/tb/elastic/verilated_router.hpp"
#include "gossamer/tb/queued/verilated_units.hpp"
#include "gossamer/tb/relay/verilated_router.hpp"
#include "gossamer/tb/verilated_router.hpp"
#include "gossamer/tb/timetable/verilated_router.hpp"

namespace gossamer::tb {

using RouterMaker = std::unique_ptr<VerilatedRouter>(int ports, std::uint32_t depth,
                                                     std::uint32_t frame);
using TimetableRouterMaker = std::unique_ptr<VerilatedTimetableRouter>(int ports);
using RelayRouterMaker = std::unique_ptr<VerilatedRelayRouter>(const RelayRouterConfig& config);
using ElasticRouterMaker = std::unique_ptr<VerilatedElasticRouter>(const ElasticRouterTable& table);
/// `writer` is put_leg: models are linked with Verilator's runtime and nothing of ours.
using CombiningNodeMaker = std::unique_ptr<VerilatedCombiningNode>(const Combination& combination,
                                                                   int ports,
                                                                   const CombiningWiring& wiring,
                                                                   NodeId node, bool find_ranks,
                                                                   decltype(put_leg)& writer);
template <typename Pins>
using UnitMaker = std::unique_ptr<VerilatedUnit<Pins>>();

}  // namespace gossamer::tb
