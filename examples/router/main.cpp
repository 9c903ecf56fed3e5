// SPDX-License-Identifier: Apache-2.0
/// Your own SystemC router in the network: the fabric wires and clocks it; judge and report are the
/// same as for every other engine.
#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <systemc>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/systemc/fabric_engine.hpp"

namespace {

using gossamer::NodeId;
using gossamer::PacketId;
using gossamer::Port;

/// A router that is only wires: each output port has one source and one register, that of the link.
/// It counts its own work, like a model with a power estimate.
class WiredRouter final : public gossamer::systemc::PacketRouter {
 public:
  WiredRouter(const sc_core::sc_module_name& name, const gossamer::Plan& plan, NodeId node,
              std::uint64_t& transfers)
      : RouterModule(name), transfers_(transfers) {
    const auto& program = plan.program.as<gossamer::StreamProgram>();
    for (Port port = 0; port < plan.topology.ports(); ++port) {
      const gossamer::StreamPort& told = program.at(node, port);
      Output output;
      // The input port after the last one is always idle.
      output.source =
          told.feed.empty() ? static_cast<Port>(plan.topology.ports()) : told.feed.front();
      if (!told.preload.empty()) output.own = gossamer::own_piece(plan, node, told.preload.front());
      outputs_.push_back(output);
    }
  }

  void clear() override {}

  /// A rising clock edge; cycle 0 is the start.
  std::uint64_t clock(const gossamer::systemc::PacketEdge& edge) override {
    for (std::size_t port = 0; port < outputs_.size(); ++port) {
      const PacketId packet =
          edge.cycle() == 0 ? outputs_[port].own : edge.in(outputs_[port].source);
      if (packet == gossamer::kNoPacket) continue;
      edge.drive(port, packet);
      ++transfers_;
    }
    return gossamer::systemc::kUntilArrival;
  }

 private:
  struct Output {
    std::size_t source = 0;
    PacketId own = gossamer::kNoPacket;
  };
  std::vector<Output> outputs_;
  std::uint64_t& transfers_;
};

}  // namespace

int main() {
  const auto torus = gossamer::Topology::torus(std::array{6U, 4U});
  const gossamer::Plan plan = gossamer::make_plan({torus, "all-gather", "hamiltonian", {}, {}});
  // The whole router is wires: the plan needs no queues, switches or frames.
  if (!plan.program.as<gossamer::StreamProgram>().is_plain()) return 1;

  std::uint64_t transfers = 0;
  const auto mine = gossamer::systemc::make_fabric_engine(plan, "wired",
                                                          [&](const char* name, NodeId node) {
                                                            return std::make_unique<WiredRouter>(
                                                                name, plan, node, transfers);
                                                          },
                                                          {});
  std::ostringstream my_trace;
  const gossamer::Report report = gossamer::run_plan(plan, *mine, {.trace = &my_trace});
  for (const std::string& problem : report.problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!report.problems.empty()) return 1;

  const auto fast = gossamer::make_fast_engine(plan);
  std::ostringstream trace;
  static_cast<void>(gossamer::run_plan(plan, *fast, {.trace = &trace}));
  if (my_trace.str() != trace.str()) return 1;
  std::printf("%llu steps, complete; %llu words driven; the trace is the fast engine's\n",
              static_cast<unsigned long long>(*report.steps),
              static_cast<unsigned long long>(transfers));
  return 0;
}
