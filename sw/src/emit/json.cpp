// SPDX-License-Identifier: Apache-2.0
/// JSON: the tables written out router by router, without the plan's dictionary, for scripts that
/// want to look up one router. docs/tables.schema.json describes the document.
#include <fmt/format.h>

#include "formats.hpp"
#include "gossamer/plan/port_table_io.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/text.hpp"
#include "link_classes.hpp"

namespace gossamer::emit_detail {

namespace {

std::string json_names_of(PortSet ports, std::uint32_t frame) {
  std::string text;
  for (const Port port : ports) {
    append_format(text, "{}\"{}\"", text.empty() ? "" : ", ", slot_name(port, frame));
  }
  return text;
}

}  // namespace

std::string json_text(const std::string& text) {
  return dump_json(nlohmann::ordered_json(text), -1,
                   nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_number(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string("null");
}

std::vector<EmittedFile> emit_json(const Plan& plan) {
  if (std::holds_alternative<RelayProgram>(plan.program)) return emit_relay_json(plan);
  if (std::holds_alternative<TimetableProgram>(plan.program)) return emit_schedule_json(plan);
  const Topology& topology = plan.topology;
  const std::vector<std::uint32_t> streams = closed_streams(plan);
  const std::uint32_t frame = frame_of(plan);
  std::string text = fmt::format(
      "{{\n\"format\": \"gossamer-tables\",\n{},\n\"queue_depth\": {},\n{}\"routers\": [",
      json_network(plan, packets_per_node(plan), plan.expected.analytic_steps),
      plan.expected.queue_depth, frame == 1 ? "" : fmt::format("\"frame\": {},\n", frame));
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    append_format(
        text, "{}\n  {{\"node\": {}, \"at\": [{}], \"out\": [", walk.node() == 0 ? "" : ",",
        walk.node(),
        joined(walk.coordinates(), ", ", static_cast<std::size_t>(topology.dimensions())));
    bool first_port = true;
    for (std::uint32_t p = 0; p < frame * static_cast<std::uint32_t>(topology.ports()); ++p) {
      const auto port = static_cast<Port>(p);
      const auto out_port = static_cast<Port>(p / frame);
      const auto in_port = static_cast<Port>(opposite(out_port) * frame + p % frame);
      const NodeId to = walk.neighbor(out_port);
      if (to == kNoNode) continue;
      const PortProgram program = hardware_program(plan, walk, port);
      append_format(text,
                    "{}\n    {{\"port\": \"{}\", \"to\": {}, \"in_port\": \"{}\", \"cycle\": {}, "
                    "\"feed\": [{}], \"early_feed\": [{}], \"switch_step\": {}, "
                    "\"preload\": [{}]}}",
                    first_port ? "" : ",", slot_name(port, frame), to, slot_name(in_port, frame),
                    streams[topology.link(walk.node(), out_port) * frame + p % frame],
                    json_names_of(program.feed, frame), json_names_of(program.early_feed, frame),
                    program.switch_step, joined(program.preload, ", "));
      first_port = false;
    }
    text += "\n  ]}";
  }
  text += "\n]\n}\n";
  return {{"tables.json", std::move(text)}};
}

}  // namespace gossamer::emit_detail
