// SPDX-License-Identifier: Apache-2.0
/// JSON: the tables written out router by router, without the plan's dictionary, for scripts that
/// want to look up one router. docs/tables.schema.json describes the document.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "formats.hpp"
#include "link_classes.hpp"

namespace gossamer::emit_detail {

namespace {

std::string names_of(PortSet ports) {
  std::string text;
  for (const Port port : ports) {
    fmt::format_to(std::back_inserter(text), "{}\"{}\"", text.empty() ? "" : ", ", port_name(port));
  }
  return text;
}

}  // namespace

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string("null");
}

std::vector<EmittedFile> emit_json(const Plan& plan) {
  if (std::holds_alternative<RelayProgram>(plan.program)) return emit_relay_json(plan);
  const Topology& topology = plan.topology;
  const std::vector<std::uint32_t> streams = closed_streams(plan);
  std::string text = fmt::format(
      "{{\n\"format\": \"gossamer-tables\",\n\"version\": 1,\n\"collective\": {},\n"
      "\"algorithm\": {},\n\"topology\": \"{}\",\n\"dims\": [{}],\n\"packets_per_node\": {},\n"
      "\"steps\": {},\n\"queue_depth\": {},\n\"routers\": [",
      json_text(plan.collective), json_text(plan.algorithm), topology.kind(),
      fmt::join(topology.sides(), ", "), packets_per_node(plan),
      json_number(plan.expected.analytic_steps), plan.expected.queue_depth);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const auto first = walk.coordinates().begin();
    fmt::format_to(std::back_inserter(text), "{}\n  {{\"node\": {}, \"at\": [{}], \"out\": [",
                   walk.node() == 0 ? "" : ",", walk.node(),
                   fmt::join(first, first + topology.dimensions(), ", "));
    bool first_port = true;
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const PortProgram program = hardware_program(plan, walk, port);
      fmt::format_to(std::back_inserter(text),
                     "{}\n    {{\"port\": \"{}\", \"to\": {}, \"in_port\": \"{}\", \"cycle\": {}, "
                     "\"feed\": [{}], \"early_feed\": [{}], \"switch_step\": {}, "
                     "\"preload\": [{}]}}",
                     first_port ? "" : ",", port_name(port), to, port_name(opposite(port)),
                     streams[topology.link(walk.node(), port)], names_of(program.feed),
                     names_of(program.early_feed), program.switch_step,
                     fmt::join(program.preload, ", "));
      first_port = false;
    }
    text += "\n  ]}";
  }
  text += "\n]\n}\n";
  return {{"tables.json", std::move(text)}};
}

}  // namespace gossamer::emit_detail
