// SPDX-License-Identifier: Apache-2.0
/// CSV: one line an out-port, readable and loadable by anything.
#include <fmt/format.h>

#include "formats.hpp"
#include "gossamer/plan/port_table_io.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

std::string names_of(PortSet ports, std::uint32_t frame) {
  std::string names;
  for (const Port port : ports) {
    if (!names.empty()) names += ' ';
    names += slot_name(port, frame);
  }
  return names;
}

}  // namespace

std::vector<EmittedFile> emit_csv(const Plan& plan) {
  if (std::holds_alternative<RelayProgram>(plan.program)) return emit_relay_csv(plan);
  if (std::holds_alternative<TimetableProgram>(plan.program)) return emit_schedule_csv(plan);
  const std::uint32_t frame = frame_of(plan);
  std::string text = "node,out_port,feed,early_feed,switch_step,preload\n";
  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    for (std::uint32_t p = 0; p < frame * static_cast<std::uint32_t>(plan.topology.ports()); ++p) {
      const auto port = static_cast<Port>(p);
      if (walk.neighbor(static_cast<Port>(p / frame)) == kNoNode) continue;
      const PortProgram program = hardware_program(plan, walk, port);
      append_format(text, "{},{},{},{},{},{}\n", walk.node(), slot_name(port, frame),
                    names_of(program.feed, frame), names_of(program.early_feed, frame),
                    program.switch_step, joined(program.preload, " "));
    }
  }
  return {{"tables.csv", std::move(text)}, network_csv(plan)};
}

}  // namespace gossamer::emit_detail
