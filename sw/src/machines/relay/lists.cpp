// SPDX-License-Identifier: Apache-2.0
/// Broadcast plans as lists of sends, node by node: CSV, JSON and GraphViz.
#include <fmt/format.h>

#include "../../emit/network_text.hpp"
#include "emit.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/message_clock.hpp"

namespace gossamer::emit_detail {

namespace {

/// Calls visit(node, step, to, path) for every send, in the order of node and step.
template <typename Visit>
void for_each_send(const Plan& plan, Visit visit) {
  const auto& program = plan.program.as<RelayProgram>();
  const SendsByNode lists = sends_by_node(plan.topology, program);
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (const SendsByNode::Entry& entry : lists.of(node)) {
      const RelayPath& path = program.paths()[entry.path];
      visit(node, entry.step, path_end(plan.topology, node, path), path);
    }
  }
}

}  // namespace

std::vector<EmittedFile> emit_relay_csv(const Plan& plan) {
  std::string text = "node,step,to,hops,path\n";
  for_each_send(plan, [&](NodeId node, std::uint32_t step, NodeId to, const RelayPath& path) {
    append_format(text, "{},{},{},{},", node, step, to, path_hops(path));
    for (std::size_t i = 0; i < path.size(); ++i) {
      append_format(text, "{}{}{}", i == 0 ? "" : " ", port_name(path[i].port), path[i].hops);
    }
    text += '\n';
  });
  return {{"sends.csv", std::move(text)}};
}

std::vector<EmittedFile> emit_relay_json(const Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  std::string text = fmt::format(
      "{{\n\"format\": \"gossamer-sends\",\n\"version\": 1,\n\"collective\": {},\n"
      "\"algorithm\": {},\n{},\n\"source\": {},\n"
      "\"copies_on_the_way\": {},\n\"timing\": \"{}\",\n\"flits\": {},\n\"hop_cycles\": {},\n"
      "\"relay_cycles\": {},\n\"steps\": {},\n\"cycles\": {},\n\"sends\": [",
      json_text(plan.collective), json_text(plan.algorithm), json_topology(plan.topology),
      program.source(), program.ports == RelayPorts::kFanOut,
      program.clock.timing == MessageTiming::kStep ? "step" : "self", program.clock.flits,
      program.clock.hop_cycles, program.clock.relay_cycles, program.steps(),
      json_number(plan.expected.analytic_cycles));
  bool first = true;
  for_each_send(plan, [&](NodeId node, std::uint32_t step, NodeId to, const RelayPath& path) {
    append_format(text, "{}\n  {{\"node\": {}, \"step\": {}, \"to\": {}, \"hops\": {}, \"path\": [",
                  first ? "" : ",", node, step, to, path_hops(path));
    for (std::size_t i = 0; i < path.size(); ++i) {
      append_format(text, R"({}{{"port": "{}", "hops": {}}})", i == 0 ? "" : ", ",
                    port_name(path[i].port), path[i].hops);
    }
    text += "]}";
    first = false;
  });
  text += "\n]\n}\n";
  return {{"sends.json", std::move(text)}};
}

std::vector<EmittedFile> emit_relay_dot(const Plan& plan) {
  std::string text = dot_nodes(plan);
  for_each_send(plan, [&](NodeId node, std::uint32_t step, NodeId to, const RelayPath&) {
    append_format(text, "  n{} -> n{} [color=\"{}\", label=\"{}\", fontsize=6];\n", node, to,
                  kLinkColours[(step - 1) % kLinkColours.size()], step);
  });
  text += "}\n";
  return {{"network.dot", std::move(text)}};
}

}  // namespace gossamer::emit_detail
