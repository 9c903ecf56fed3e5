// SPDX-License-Identifier: Apache-2.0
#include "systemc.hpp"

#include <fmt/format.h>

#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/text.hpp"
#include "network_text.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace systemc {

std::string constant(std::string_view comment, std::string_view type, std::string_view name,
                     std::uint64_t value) {
  return fmt::format("/// {}\nconstexpr std::{} {} = {};\n", comment, type, name, value);
}

std::string list(std::string_view comment, std::string_view type, std::string_view name,
                 const NumberList& numbers) {
  return fmt::format("/// {}\nconstexpr std::{} {}[] = {{{}\n}};\n", comment, type, name,
                     numbers.text());
}

}  // namespace systemc

namespace {

using systemc::constant;

std::string tables_of(const Plan& plan, const std::string& tables) {
  const Topology& topology = plan.topology;
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
      constant("Steps of a round.", "uint64_t", "kSteps", *plan.expected.analytic_steps) + tables +
      '\n';
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
  // Input ports without a live sender.
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

std::vector<EmittedFile> systemc_network(const Plan& plan, const std::string& tables,
                                         std::string_view routers) {
  const auto embedded = [](std::string_view source, std::string_view name) {
    return EmittedFile{std::string(name), embedded_file(source).contents};
  };
  return {{"gsm_plan.hpp", tables_of(plan, tables)},
          embedded_file("gsm_network.hpp"),
          embedded(routers, "gsm_routers.hpp"),
          embedded_file("gsm_network_main.cpp"),
          embedded("systemc.mk", "Makefile")};
}

}  // namespace gossamer::emit_detail
