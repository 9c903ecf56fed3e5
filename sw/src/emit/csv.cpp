// SPDX-License-Identifier: Apache-2.0
/// CSV: one line an out-port, readable and loadable by anything.
#include <fmt/format.h>

#include <iterator>

#include "formats.hpp"

namespace gossamer::emit_detail {

namespace {

std::string names_of(PortSet ports) {
  std::string names;
  for (const Port port : ports) {
    if (!names.empty()) names += ' ';
    names += port_name(port);
  }
  return names;
}

}  // namespace

std::vector<EmittedFile> emit_csv(const Plan& plan) {
  if (std::holds_alternative<RelayProgram>(plan.program)) return emit_relay_csv(plan);
  std::string text = "node,out_port,feed,early_feed,switch_step,preload\n";
  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    for (int p = 0; p < plan.topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      if (walk.neighbor(port) == kNoNode) continue;
      const PortProgram program = hardware_program(plan, walk, port);
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", walk.node(), port_name(port),
                     names_of(program.feed), names_of(program.early_feed), program.switch_step,
                     fmt::join(program.preload, " "));
    }
  }
  return {{"tables.csv", std::move(text)}};
}

}  // namespace gossamer::emit_detail
