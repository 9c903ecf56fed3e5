// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "../../emit/systemc.hpp"
#include "emit.hpp"

namespace gossamer::emit_detail {

namespace {

using systemc::constant;
using systemc::list;
using systemc::NumberList;

/// The tables of gsm_stream_routers.hpp.
std::string stream_tables(const Plan& plan) {
  const auto& program = plan.program.as<StreamProgram>();
  // The distinct port programs without unreachable parts, numbered in order of appearance.
  struct Key {
    std::uint16_t feed;
    std::uint16_t early_feed;
    std::uint32_t switch_step;
    std::vector<std::uint16_t> preload;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::uint64_t> numbers;
  NumberList codes;
  NumberList preload;
  std::string ports;
  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(program.ports())) {
      const StreamPort at = reachable(program, walk, port);
      const auto [entry, added] = numbers.try_emplace(
          {at.feed.bits(), at.early_feed.bits(), at.switch_step, at.preload}, numbers.size());
      codes.add(entry->second);
      if (!added) continue;
      append_format(ports, "\n    {{0x{:x}, 0x{:x}, {}, {}, {}}},", at.feed.bits(),
                    at.early_feed.bits(), at.switch_step, preload.size(), at.preload.size());
      for (const std::uint16_t packet : at.preload) preload.add(packet);
    }
  }
  // An array has at least one element.
  if (preload.size() == 0) preload.add(0);
  return constant("Packets that an out-port can hold.", "uint32_t", "kDepth",
                  plan.expected.queue_depth) +
         constant("Slots of a frame: step s is slot (s - 1) mod kFrame.", "uint32_t", "kFrame",
                  program.frame()) +
         "\n/// Entry of an output port for a slot. Bit q * kFrame + t of feed: arrivals of "
         "input port q\n"
         "/// in slot t feeds it, in steps from switch_step on, early_feed before; its own packets "
         "are\n/// the preload_length ones from preload_begin.\n"
         "struct Port {\n  std::uint32_t feed;\n  std::uint32_t early_feed;\n"
         "  std::uint32_t switch_step;\n  std::uint32_t preload_begin;\n"
         "  std::uint32_t preload_length;\n};\n" +
         fmt::format("constexpr Port kTable[] = {{{}\n}};\n", ports) +
         list("By (node * kPorts + out-port) * kFrame + slot: the entry of kTable.", "uint32_t",
              "kCode", codes) +
         list("Numbers of own packets.", "uint16_t", "kPreload", preload);
}

}  // namespace

std::vector<EmittedFile> emit_stream_systemc(const Plan& plan) {
  if (plan.demand.from == Origin::kRoot) return systemc_collective(plan);
  check_rtl_limits(plan, "systemc");
  return systemc_network(plan, stream_tables(plan), "gsm_stream_routers.hpp");
}

}  // namespace gossamer::emit_detail
