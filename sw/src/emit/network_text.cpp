// SPDX-License-Identifier: Apache-2.0
#include "network_text.hpp"

#include <fmt/format.h>

#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

EmittedFile network_csv(const Plan& plan, std::span<const NetworkFact> facts) {
  std::string text =
      fmt::format("name,value\ntopology,{}\ndims,{}\nnodes,{}\nports,{}\n", plan.topology.kind(),
                  plan.topology.dims_text(), plan.topology.nodes(), plan.topology.ports());
  if (plan.topology.kind() == "grid") {
    text += fmt::format("wrap,{}\n", joined(plan.topology.wrap_names(), " "));
  }
  for (const auto& [name, value] : facts) text += fmt::format("{},{}\n", name, value);
  return {"network.csv", std::move(text)};
}

std::string network_line(const Plan& plan, std::span<const NetworkFact> facts) {
  std::string text =
      fmt::format("{} {}: {} nodes, {} ports", plan.topology.dims_text(),
                  topology_words(plan.topology), plan.topology.nodes(), plan.topology.ports());
  for (const auto& [name, value] : facts) text += fmt::format(", {} {}", name, value);
  return text + '.';
}

std::string json_topology(const Topology& topology) {
  std::string text = fmt::format("\"topology\": \"{}\",\n\"dims\": [{}]", topology.kind(),
                                 joined(topology.sides(), ", "));
  if (topology.kind() == "grid") {
    text += fmt::format(",\n\"wrap\": [\"{}\"]", joined(topology.wrap_names(), "\", \""));
  }
  return text;
}

std::string json_network(const Plan& plan, std::uint64_t packets,
                         const std::optional<std::uint64_t>& steps, int version) {
  return fmt::format(
      "\"version\": {},\n\"collective\": {},\n\"algorithm\": {},\n{},\n"
      "\"packets_per_node\": {},\n\"steps\": {}",
      version, json_text(plan.collective), json_text(plan.algorithm), json_topology(plan.topology),
      packets, json_number(steps));
}

std::string json_text(const std::string& text) {
  return dump_json(nlohmann::ordered_json(text), -1,
                   nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_number(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string("null");
}

std::string dot_nodes(const Plan& plan) {
  const Topology& topology = plan.topology;
  std::string text = fmt::format(
      "digraph gossamer {{\n  label=\"{} on {} {}, {}\";\n  layout=neato;\n  node [shape=circle, "
      "fixedsize=true, width=0.4, fontsize=9];\n",
      comment_text(plan.collective), topology.dims_text(), topology_words(topology),
      comment_text(plan.algorithm));
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    // Dimension 0 to the right, dimension 1 down, slices of the others side by side.
    const std::uint32_t plane =
        topology.dimensions() > 1 ? topology.stride(1) * topology.side(1) : topology.side(0);
    const std::uint64_t x =
        walk.coordinates()[0] + std::uint64_t{walk.node() / plane} * (topology.side(0) + 1);
    append_format(text, "  n{} [label=\"{}\", pos=\"{},-{}!\"];\n", walk.node(), walk.node(), x,
                  walk.coordinates()[1]);
  }
  return text;
}

std::string comment_text(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    // A backslash at the end of a line would continue the comment, a quote end a label.
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace gossamer::emit_detail
