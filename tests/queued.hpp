// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests of queued programs: one full run on the fast engine, judged.
#pragma once

#include <catch2/catch.hpp>
#include <initializer_list>
#include <sstream>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer::testing {

inline Topology make_topology(bool torus, std::vector<std::uint32_t> sides) {
  return torus ? Topology::torus(sides) : Topology::mesh(sides);
}

inline Topology equal_sided(bool torus, int d, std::uint32_t p) {
  return make_topology(torus, std::vector<std::uint32_t>(static_cast<std::size_t>(d), p));
}

inline Report run_queued(const Plan& plan, std::ostream* trace = nullptr) {
  const auto engine = make_fast_engine(plan);
  RunOptions options;
  options.judged = true;
  options.trace = trace;
  return run_plan(plan, *engine, options);
}

/// Runs a plan with an exact number of steps, and checks all its promised figures.
inline Report require_exact(const Plan& plan) {
  const Report report = run_queued(plan);
  CAPTURE(plan.topology.kind(), plan.topology.dims_text(), plan.collective,
          plan.demand.sources.size());
  for (const std::string& problem : report.problems) INFO(problem);
  REQUIRE(report.problems.empty());
  REQUIRE(report.complete == true);
  REQUIRE(report.steps == plan.expected.analytic_steps);
  REQUIRE(report.cycles == plan.expected.analytic_cycles);
  REQUIRE(report.duplicates == 0);
  REQUIRE(report.link_conflicts == 0);
  REQUIRE(*report.max_queue <= plan.expected.queue_depth);
  return report;
}

/// The nodes of the bits set in `placement`.
inline std::vector<NodeId> nodes_of(std::uint64_t placement) {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; placement >> node != 0; ++node) {
    if ((placement >> node & 1U) != 0) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace gossamer::testing
