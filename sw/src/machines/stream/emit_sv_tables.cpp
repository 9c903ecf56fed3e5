// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog networks whose tables are not constants: sv-table loads them, sv-rule computes
/// them from the coordinates.
#include <fmt/format.h>

#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/topology/hamiltonian_pair.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer::emit_detail {

namespace {

/// The loadable tables' image, by the layout of gsm_stream_node.
std::string table_image(const Plan& plan) {
  const auto& program = plan.program.as<StreamProgram>();
  const auto ports = static_cast<std::size_t>(plan.topology.ports());
  const std::size_t entries = longest_preload(program);
  const std::size_t bits = 2 * ports + 48 + 16 * entries;
  std::string text = fmt::format(
      "// {} {}: {} nodes, {} ports. Word node*{} + out-port, from bit 0: feed [{}], early feed "
      "[{}], switch step [32], length [16] and entries [16 each] of the list of own packets. Then "
      "the steps, then a word a node of the in-ports that are enabled.\n",
      plan.topology.dims_text(), plan.topology.kind(), program.nodes(), ports, ports, ports, ports);
  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    for (std::size_t p = 0; p < ports; ++p) {
      const StreamPort at = reachable(program, walk, static_cast<Port>(p));
      Literal word(bits);
      word.set(0, at.feed.bits());
      word.set(ports, at.early_feed.bits());
      word.set(2 * ports, at.switch_step);
      word.set(2 * ports + 32, at.preload.size());
      for (std::size_t i = 0; i < at.preload.size(); ++i) {
        word.set(2 * ports + 48 + 16 * i, at.preload[i]);
      }
      text += word.digits() + '\n';
    }
  }
  Literal steps(bits);
  steps.set(0, *plan.expected.analytic_steps);
  text += steps.digits() + '\n';
  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    Literal enabled(bits);
    for (std::size_t q = 0; q < ports; ++q) {
      // In-ports at the border of a mesh are tied off as they are.
      const auto port = static_cast<Port>(q);
      if (walk.sender(port) != kNoNode || walk.beyond(port) == kNoNode) enabled.set(q, 1);
    }
    text += enabled.digits() + '\n';
  }
  return text;
}

/// Throws InputError unless gsm_pairing computes the plan's tables.
void check_rule(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto refuse = [](std::string_view cause) {
    throw InputError(fmt::format(
        "format sv-rule: {}; the rule is for the hamiltonian all-gather of 2-D tori with two "
        "packets per node",
        cause));
  };
  if (!topology.is_torus() || topology.dimensions() != 2) {
    refuse(fmt::format("this is {} {}", with_article(topology.dims_text()), topology.kind()));
  }
  if (packets_per_node(plan) != 2) {
    refuse(fmt::format("{} packets per node", packets_per_node(plan)));
  }
  // Sides without a pair of cycles cannot have the rule's tables.
  if ((topology.side(0) == 2 && topology.side(1) % 2 != 0) ||
      (topology.side(1) == 2 && topology.side(0) % 2 != 0)) {
    refuse(fmt::format("{} has no two Hamiltonian cycles", topology.dims_text()));
  }
  const HamiltonianPair pair(topology.side(0), topology.side(1));
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const auto cycles = pair.cycles(walk.coordinates()[0], walk.coordinates()[1]);
    for (std::size_t p = 0; p < cycles.size(); ++p) {
      StreamPort rule;
      for (std::size_t q = 0; q < cycles.size(); ++q) {
        if (p != q && cycles[p] == cycles[q]) rule.feed.insert(static_cast<Port>(q));
      }
      rule.preload = {cycles[p]};
      if (reachable(plan.program.as<StreamProgram>(), walk, static_cast<Port>(p)) != rule) {
        refuse(fmt::format("output port {} of node {} has a different entry",
                           port_name(static_cast<Port>(p)), walk.node()));
      }
    }
  }
}

}  // namespace

std::vector<EmittedFile> emit_sv_table(const Plan& plan) {
  check_rtl_limits(plan, "sv-table");
  auto files = stream_network(plan, "loadable");
  files.push_back({"tables.memh", table_image(plan)});
  return files;
}

std::vector<EmittedFile> emit_sv_rule(const Plan& plan) {
  check_rtl_limits(plan, "sv-rule");
  check_rule(plan);
  return stream_network(plan, "computed");
}

}  // namespace gossamer::emit_detail
