// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/eye.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Sends straight along one dimension by the parity rule, all sides being powers of two: the
/// coordinate is a bit field of the node id.
class StraightStep {
 public:
  StraightStep(const Topology& topology, RelayProgram& program, int dim, int level, bool side_bit)
      : program_(program),
        shift_(std::countr_zero(topology.stride(dim))),
        mask_(topology.side(dim) - 1),
        hops_(bounds::eye_distance(level)),
        odd_goes_up_((level % 2 != 0) == side_bit) {
    const auto hops = static_cast<std::uint16_t>(hops_);
    up_ = program.intern({{make_port(dim, true), hops}});
    down_ = program.intern({{make_port(dim, false), hops}});
  }

  /// Adds the send of `from` and returns its target.
  NodeId send(NodeId from) {
    const std::uint32_t at = from >> shift_ & mask_;
    const bool up = ((at & 1U) != 0) == odd_goes_up_;
    program_.add_send(from, up ? up_ : down_);
    const std::uint32_t target = (up ? at + hops_ : at - hops_) & mask_;
    return (from & ~(mask_ << shift_)) | target << shift_;
  }

 private:
  RelayProgram& program_;
  int shift_;
  std::uint32_t mask_;
  std::uint32_t hops_;
  /// + iff parity(x) xor side bit xor parity(level) is 1.
  bool odd_goes_up_;
  std::uint32_t up_ = 0;
  std::uint32_t down_ = 0;
};

/// Lets all of `holders` send and appends their targets.
void send_all(StraightStep step, std::vector<NodeId>& holders) {
  const std::size_t before = holders.size();
  for (std::size_t i = 0; i < before; ++i) holders.push_back(step.send(holders[i]));
}

void add_rule_steps(const Topology& topology, const std::vector<int>& levels,
                    RelayProgram& program) {
  std::vector<NodeId> holders{program.source()};
  holders.reserve(topology.nodes());
  for (int j = *std::max_element(levels.begin(), levels.end()); j >= 1; --j) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      if (levels[static_cast<std::size_t>(dim)] < j) continue;
      const bool side_bit = (std::uint32_t{program.rule->side_bits} >> dim & 1U) != 0;
      send_all({topology, program, dim, j, side_bit}, holders);
      program.end_step();
    }
  }
}

/// Every block of a level but the source's is served from an eye of it; in the source's block the
/// source has explicit targets.
void add_source_steps(const Topology& topology, int k, RelayProgram& program) {
  const NodeId source = program.source();
  const Coordinates at = topology.coordinates(source);
  const int d = topology.dimensions();
  std::vector<NodeId> elsewhere;  // holders in the other blocks
  elsewhere.reserve(topology.nodes());
  for (int j = k; j >= 1; --j) {
    const DimensionOrder order = bounds::eye_block(d, j, at).order;
    const std::vector<Coordinates> targets = bounds::eye_targets(d, j, at);
    program.rule->source_orders.push_back(order);
    std::vector<NodeId> beside;  // holders in the source's block, the source left out
    for (int p = 0; p < d; ++p) {
      const auto index = static_cast<std::size_t>(p);
      send_all({topology, program, order[index], j, false}, beside);
      const NodeId target = topology.node(targets[index]);
      program.add_send(source, ascending_path(topology, source, target));
      beside.push_back(target);
      send_all({topology, program, p, j, false}, elsewhere);
      program.end_step();
    }
    elsewhere.insert(elsewhere.end(), beside.begin(), beside.end());
  }
}

std::vector<int> levels_or_refuse(const Topology& topology) {
  auto levels = bounds::levels_of(topology);
  if (!levels) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      const std::uint32_t side = topology.side(dim);
      if (std::has_single_bit(side)) continue;
      throw InfeasibleError(fmt::format(
          "eye: side {} is not a power of two; nearest are {} and {}, or --algorithm min-tcd", side,
          std::bit_floor(side), std::bit_ceil(side)));
    }
  }
  return *levels;
}

bool is_mesh_eye(const Topology& topology, const std::vector<int>& levels, NodeId node) {
  const Coordinates at = topology.coordinates(node);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!bounds::is_eye(levels[i], at[i])) return false;
  }
  return true;
}

}  // namespace

NodeId nearest_eye(const Topology& topology, NodeId source) {
  const std::vector<int> levels = levels_or_refuse(topology);
  Coordinates at = topology.coordinates(source);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] == 0) continue;
    // The eyes lie one in each half, symmetric to the middle.
    at[i] =
        at[i] < (1U << (levels[i] - 1)) ? bounds::low_eye(levels[i]) : bounds::high_eye(levels[i]);
  }
  return topology.node(at);
}

Plan plan_eye(const Topology& topology, const BroadcastOptions& options) {
  const std::vector<int> levels = levels_or_refuse(topology);
  const int d = topology.dimensions();
  const int k = levels.front();
  const Coordinates source = topology.coordinates(options.source);

  RelayProgram program(options.source);
  program.clock = options.clock;
  EyeRule rule;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    rule.levels[i] = static_cast<std::uint8_t>(levels[i]);
    // h_i = parity(S_i + k_i + 1)
    if (topology.is_torus() && (source[i] + static_cast<std::uint32_t>(levels[i])) % 2 == 0) {
      rule.side_bits = static_cast<std::uint8_t>(rule.side_bits | 1U << i);
    }
  }
  program.rule = rule;

  ExpectedFigures expected;
  expected.analytic_steps = static_cast<std::uint64_t>(bounds::broadcast_steps(topology));
  if (topology.is_torus() || is_mesh_eye(topology, levels, options.source)) {
    add_rule_steps(topology, levels, program);
    expected.analytic_tcd = bounds::eye_tcd(levels);
    expected.analytic_cycles = bounds::eye_cycles(levels, options.clock);
  } else {
    if (std::any_of(levels.begin(), levels.end(), [k](int level) { return level != k; })) {
      throw InfeasibleError(
          fmt::format("eye: a mesh with unequal sides requires an eye as its source; {} is not an "
                      "eye; the nearest is "
                      "--source {}, or --algorithm min-tcd",
                      node_text(topology, options.source),
                      node_text(topology, nearest_eye(topology, options.source))));
    }
    add_source_steps(topology, k, program);
    expected.analytic_tcd = bounds::eye_source_tcd(d, k, source);
    expected.analytic_cycles = bounds::eye_source_cycles(d, k, source, options.clock);
  }
  Plan plan = make_broadcast_plan(topology, "eye", std::move(program));
  expected.lower_bound_steps = plan.expected.lower_bound_steps;
  expected.bound_steps = expected.analytic_steps;
  plan.expected = expected;
  return plan;
}

}  // namespace gossamer
