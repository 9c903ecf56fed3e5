// SPDX-License-Identifier: Apache-2.0
/// $readmemh images of the router tables, one word an out-port; the layout stands in each file.
#include <fmt/format.h>

#include "formats.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

std::vector<EmittedFile> emit_memh(const Plan& plan) {
  if (std::holds_alternative<TimetableProgram>(plan.program)) return emit_schedule_memh(plan);
  const auto& program = std::get<StreamProgram>(plan.program);
  // In frames, a table's ports are port * frame + slot.
  const int ports = program.ports();
  const std::size_t entries = longest_preload(program);
  const int digits = (ports + 3) / 4;

  const auto header = [&](std::string_view what) {
    return fmt::format(
        "// {}\n// {}{}\n// One word an out-port, address node * {} + out-port.\n", what,
        network_line(plan),
        program.frame() == 1
            ? ""
            : fmt::format(" In- and out-ports: port * {0} + slot, in slot (step - 1) mod {0}.",
                          program.frame()),
        ports);
  };
  std::string feed = header("Bit q: in-port q feeds the out-port, in steps >= its switch step.");
  std::string early = header("Bit q: in-port q feeds the out-port, in steps < its switch step.");
  std::string step = header("First step of the feed; 0: no switch.");
  std::string length = header("Number of own packets that the out-port sends.");
  std::string preload = header(fmt::format(
      "Bits 16*i +: 16: index of the i-th own packet that the out-port sends, i < {}.", entries));

  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    for (int p = 0; p < ports; ++p) {
      const PortProgram at = hardware_program(plan, walk, static_cast<Port>(p));
      append_format(feed, "{:0{}x}\n", at.feed.bits(), digits);
      append_format(early, "{:0{}x}\n", at.early_feed.bits(), digits);
      append_format(step, "{:08x}\n", at.switch_step);
      append_format(length, "{:04x}\n", at.preload.size());
      for (std::size_t i = entries; i-- > 0;) {
        append_format(preload, "{:04x}", i < at.preload.size() ? at.preload[i] : 0);
      }
      preload += '\n';
    }
  }
  return {{"feed.memh", std::move(feed)},
          {"early_feed.memh", std::move(early)},
          {"switch_step.memh", std::move(step)},
          {"preload_length.memh", std::move(length)},
          {"preload.memh", std::move(preload)}};
}

}  // namespace gossamer::emit_detail
