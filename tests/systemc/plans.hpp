// SPDX-License-Identifier: Apache-2.0
/// Hand-built and random plans for the SystemC and co-simulation tests.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::test {

/// A repeatable source of small numbers (SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// 0 .. bound - 1.
  std::uint32_t below(std::uint32_t bound);
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// A stream plan with the given program and queue depth.
Plan stream_plan(const Topology& topology, StreamProgram program, std::uint32_t queue_depth);

/// All-gather with two packets per node on two Hamiltonian cycles of a torus with even sides
/// (docs/spec/gossip.md, section 2.1): complete in exactly nodes / 2 steps, every link busy in all
/// of them.
Plan even_torus_gossip(std::uint32_t columns, std::uint32_t rows);

/// A single packet that runs round row 0 of a torus for ever.
Plan lone_packet(std::uint32_t columns, std::uint32_t rows);

struct RandomTraits {
  /// In-ports a feed may have; 1: none has more.
  std::uint32_t max_feed = 3;
  /// Longest preload list.
  std::uint32_t max_preload = 3;
  /// Latest switch step; 0: no switches.
  std::uint32_t max_switch_step = 12;
  /// One out-port in so many is fed by nothing, so that packets die out.
  std::uint32_t dead_end_one_in = 4;
};

/// Whether an engine runs the plan's machine.
bool runs_on(const Plan& plan, std::string_view engine);

/// Any tables and preload lists, deterministic in `seed`.
Plan random_plan(const Topology& topology, std::uint32_t queue_depth, std::uint64_t seed,
                 const RandomTraits& traits = {});

}  // namespace gossamer::test
