// SPDX-License-Identifier: Apache-2.0
/// SystemC: the plan's sizes and tables as a header, beside a network that needs nothing else.
#include <fmt/format.h>

#include <map>

#include "formats.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Numbers as the inside of a braced list, a few a line.
class NumberList {
 public:
  void add(std::uint64_t number) {
    append_format(text_, "{}{},", size_ % 16 == 0 ? "\n    " : " ", number);
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t size_ = 0;
};

std::string constant(std::string_view comment, std::string_view type, std::string_view name,
                     std::uint64_t value) {
  return fmt::format("/// {}\nconstexpr std::{} {} = {};\n", comment, type, name, value);
}

std::string list(std::string_view comment, std::string_view type, std::string_view name,
                 const NumberList& numbers) {
  return fmt::format("/// {}\nconstexpr std::{} {}[] = {{{}\n}};\n", comment, type, name,
                     numbers.text());
}

/// What gsm_stream_routers.hpp is told.
std::string stream_tables(const Plan& plan) {
  const auto& program = std::get<StreamProgram>(plan.program);
  // The distinct port programs without what no packet can reach, numbered as they come.
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
      const PortProgram at = hardware_program(plan, walk, port);
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
         "\n/// What an out-port is told for a slot: bit q * kFrame + t of feed: what comes by "
         "in-port q\n"
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

/// What gsm_schedule_routers.hpp is told.
std::string schedule_tables(const Plan& plan) {
  const auto& program = std::get<TimetableProgram>(plan.program);
  const auto ports = static_cast<std::size_t>(program.ports());
  NumberList routers;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) routers.add(program.rom_of(node));
  NumberList words;
  for (const TimetableRom& rom : program.roms()) {
    std::vector<std::uint64_t> codes(program.steps() * 2 * ports, 0);
    for (const SendRow& row : rom.sends) {
      codes[(row.step - 1) * 2 * ports + row.port] =
          std::uint64_t{row.source.index()} + 1 + (row.source.is_own() ? 0 : program.own());
    }
    for (const ArrivalRow& row : rom.arrivals) {
      codes[(row.step - 1) * 2 * ports + ports + row.port] = std::uint64_t{row.slot} + 1;
    }
    for (const std::uint64_t code : codes) words.add(code);
  }
  return constant("Slots of a packet buffer.", "uint32_t", "kSlots", program.slots()) +
         constant("Words of a ROM.", "uint64_t", "kRomSteps", program.steps()) +
         list("By node: its ROM.", "uint32_t", "kRouter", routers) +
         list(
             "ROM by ROM and step by step: by out-port 0, or 1 more than the own packet that it\n"
             "/// sends, or kPackets + 1 more than the slot; by in-port 0, or 1 more than the slot "
             "for\n/// its arrival.",
             "uint32_t", "kRom", words);
}

std::string tables_of(const Plan& plan) {
  const Topology& topology = plan.topology;
  const bool scheduled = std::holds_alternative<TimetableProgram>(plan.program);
  std::string text =
      fmt::format(
          "// SPDX-License-Identifier: Apache-2.0\n"
          "/// {} on the {} {}, algorithm {}: the sizes and tables of gsm_network.\n"
          "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace gsm_plan {{\n\n",
          plan.collective, topology.dims_text(), topology_words(topology),
          comment_text(plan.algorithm)) +
      fmt::format("constexpr std::uint32_t kNodes = {};\n", topology.nodes()) +
      constant("Ports of a router.", "uint32_t", "kPorts",
               static_cast<std::uint64_t>(topology.ports())) +
      constant("Own packets of a node.", "uint32_t", "kPackets", packets_per_node(plan)) +
      constant("Steps of a round.", "uint64_t", "kSteps", *plan.expected.analytic_steps) +
      (scheduled ? schedule_tables(plan) : stream_tables(plan)) + '\n';
  // Said a dimension where they differ.
  bool mixed = false;
  std::vector<std::string> wraps;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    wraps.emplace_back(topology.wraps(dim) ? "true" : "false");
    mixed = mixed || topology.wraps(dim) != topology.wraps(0);
  }
  const auto wrapping = [&](const std::string& round) {
    return mixed ? "(wraps ? " + round + " : -1)" : topology.wraps(0) ? round : "-1";
  };
  // In-ports behind which nothing is alive.
  std::string dead;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      if (walk.beyond(port) == kNoNode || walk.sender(port) != kNoNode) continue;
      append_format(dead, "    case {}:\n", topology.link(walk.node(), port));
    }
  }
  if (!dead.empty()) {
    dead = "  switch (node * kPorts + port) {\n" + dead +
           "      return -1;\n    default: break;\n  }\n";
  }
  std::string no_cores;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.has_core(node)) no_cores += fmt::format("    case {}:\n", node);
  }
  text +=
      "/// The node has packets and wants those of the others; a dead one has a router at most.\n";
  text += no_cores.empty()
              ? "inline bool has_core(std::size_t) { return true; }\n"
              : "inline bool has_core(std::size_t node) {\n  switch (node) {\n" + no_cores +
                    "      return false;\n    default: return true;\n  }\n}\n";
  append_format(text,
                "/// The neighbour of `node` in direction `port`; -1 beyond the border of a mesh.\n"
                "inline std::int64_t neighbor(std::size_t node, std::size_t port) {{\n"
                "  constexpr std::int64_t kSides[] = {{{}}};\n"
                "  std::int64_t stride = 1;\n"
                "  for (std::size_t dim = 0; dim < port / 2; ++dim) stride *= kSides[dim];\n"
                "  const std::int64_t side = kSides[port / 2];\n"
                "{}"
                "  const auto from = static_cast<std::int64_t>(node);\n"
                "  const std::int64_t at = from / stride % side;\n"
                "  if (port % 2 == 1) return at + 1 < side ? from + stride : {};\n"
                "  return at > 0 ? from - stride : {};\n"
                "}}\n"
                "/// The link that enters `node` by in-port `port`: node * kPorts + out-port of "
                "its sender, or -1.\n"
                "inline std::int64_t link_into(std::size_t node, std::size_t port) {{\n"
                "{}"
                "  const std::int64_t from = neighbor(node, port);\n"
                "  return from < 0 ? -1 : from * kPorts + static_cast<std::int64_t>(port ^ 1U);\n"
                "}}\n\n}}  // namespace gsm_plan\n",
                joined(topology.sides(), ", "),
                mixed ? fmt::format("  constexpr bool kWraps[] = {{{}}};\n"
                                    "  const bool wraps = kWraps[port / 2];\n",
                                    joined(wraps, ", "))
                      : "",
                wrapping("from - at * stride"), wrapping("from + (side - 1) * stride"), dead);
  return text;
}

}  // namespace

std::vector<EmittedFile> emit_systemc(const Plan& plan) {
  if (std::holds_alternative<StreamProgram>(plan.program)) check_rtl_limits(plan, "systemc");
  if (plan.demand.is_personal()) {
    throw InputError("format systemc: personal packets are not supported; use sv, csv, json, memh");
  }
  const auto embedded = [](std::string_view source, std::string_view name) {
    return EmittedFile{std::string(name), embedded_file(source).contents};
  };
  const bool scheduled = std::holds_alternative<TimetableProgram>(plan.program);
  return {{"gsm_plan.hpp", tables_of(plan)},
          embedded_file("gsm_network.hpp"),
          embedded(scheduled ? "gsm_schedule_routers.hpp" : "gsm_stream_routers.hpp",
                   "gsm_routers.hpp"),
          embedded_file("gsm_network_main.cpp"),
          embedded("systemc.mk", "Makefile")};
}

}  // namespace gossamer::emit_detail
