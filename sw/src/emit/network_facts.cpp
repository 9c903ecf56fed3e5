// SPDX-License-Identifier: Apache-2.0
/// What goes for the whole network, as every format of tables says it beside them.
#include <fmt/format.h>

#include "formats.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

std::vector<NetworkFact> network_facts(const Plan& plan) {
  const auto* schedule = std::get_if<TimetableProgram>(&plan.program);
  // In a total exchange a node has none for itself.
  std::vector<NetworkFact> facts = {{"packets_per_node", schedule != nullptr
                                                             ? schedule->own()
                                                             : packets_per_node(plan)}};
  if (plan.expected.analytic_steps) facts.emplace_back("steps", *plan.expected.analytic_steps);
  if (schedule != nullptr) {
    facts.emplace_back("slots", schedule->slots());
  } else {
    facts.emplace_back("queue_depth", plan.expected.queue_depth);
    facts.emplace_back("frame", frame_of(plan));
  }
  return facts;
}

EmittedFile network_csv(const Plan& plan) {
  std::string text =
      fmt::format("name,value\ntopology,{}\ndims,{}\nnodes,{}\nports,{}\n", plan.topology.kind(),
                  plan.topology.dims_text(), plan.topology.nodes(), plan.topology.ports());
  if (plan.topology.kind() == "grid") {
    text += fmt::format("wrap,{}\n", joined(plan.topology.wrap_names(), " "));
  }
  for (const auto& [name, value] : network_facts(plan)) text += fmt::format("{},{}\n", name, value);
  return {"network.csv", std::move(text)};
}

std::string network_line(const Plan& plan) {
  std::string text =
      fmt::format("{} {}: {} nodes, {} ports", plan.topology.dims_text(),
                  topology_words(plan.topology), plan.topology.nodes(), plan.topology.ports());
  for (const auto& [name, value] : network_facts(plan)) text += fmt::format(", {} {}", name, value);
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
                         const std::optional<std::uint64_t>& steps) {
  return fmt::format(
      "\"version\": 1,\n\"collective\": {},\n\"algorithm\": {},\n{},\n"
      "\"packets_per_node\": {},\n\"steps\": {}",
      json_text(plan.collective), json_text(plan.algorithm), json_topology(plan.topology), packets,
      json_number(steps));
}

}  // namespace gossamer::emit_detail
