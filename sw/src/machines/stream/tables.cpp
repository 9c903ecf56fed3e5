// SPDX-License-Identifier: Apache-2.0
/// Streams as tables: one line, object or word for each out-port.
#include <fmt/format.h>

#include "../../emit/network_text.hpp"
#include "emit.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/port_table_io.hpp"
#include "gossamer/util/text.hpp"
#include "link_classes.hpp"

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

std::string json_names_of(PortSet ports, std::uint32_t frame) {
  std::string text;
  for (const Port port : ports) {
    append_format(text, "{}\"{}\"", text.empty() ? "" : ", ", slot_name(port, frame));
  }
  return text;
}

}  // namespace

std::vector<NetworkFact> facts_of(const Plan& plan) {
  std::vector<NetworkFact> facts = {{"packets_per_node", packets_per_node(plan)}};
  if (plan.expected.analytic_steps) facts.emplace_back("steps", *plan.expected.analytic_steps);
  facts.emplace_back("queue_depth", plan.expected.queue_depth);
  facts.emplace_back("frame", plan.program.as<StreamProgram>().frame());
  return facts;
}

std::vector<EmittedFile> emit_csv(const Plan& plan) {
  const auto& streams = plan.program.as<StreamProgram>();
  const std::uint32_t frame = streams.frame();
  std::string text = "node,out_port,feed,early_feed,switch_step,preload\n";
  for (NodeWalk walk(plan.topology); !walk.done(); walk.next()) {
    for (std::uint32_t p = 0; p < frame * static_cast<std::uint32_t>(plan.topology.ports()); ++p) {
      const auto port = static_cast<Port>(p);
      if (walk.neighbor(static_cast<Port>(p / frame)) == kNoNode) continue;
      const StreamPort program = reachable(streams, walk, port);
      append_format(text, "{},{},{},{},{},{}\n", walk.node(), slot_name(port, frame),
                    names_of(program.feed, frame), names_of(program.early_feed, frame),
                    program.switch_step, joined(program.preload, " "));
    }
  }
  return {{"tables.csv", std::move(text)}, network_csv(plan, facts_of(plan))};
}

/// The tables written out router by router, without the plan's dictionary, for scripts that look up
/// one router. docs/tables.schema.json describes the document.
std::vector<EmittedFile> emit_json(const Plan& plan) {
  const auto& program = plan.program.as<StreamProgram>();
  const Topology& topology = plan.topology;
  const std::vector<std::uint32_t> streams = closed_streams(topology, program);
  const std::uint32_t frame = program.frame();
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
      const StreamPort at = reachable(program, walk, port);
      append_format(text,
                    "{}\n    {{\"port\": \"{}\", \"to\": {}, \"in_port\": \"{}\", \"cycle\": {}, "
                    "\"feed\": [{}], \"early_feed\": [{}], \"switch_step\": {}, "
                    "\"preload\": [{}]}}",
                    first_port ? "" : ",", slot_name(port, frame), to, slot_name(in_port, frame),
                    streams[topology.link(walk.node(), out_port) * frame + p % frame],
                    json_names_of(at.feed, frame), json_names_of(at.early_feed, frame),
                    at.switch_step, joined(at.preload, ", "));
      first_port = false;
    }
    text += "\n  ]}";
  }
  text += "\n]\n}\n";
  return {{"tables.json", std::move(text)}};
}

/// The network with its links coloured by the closed stream they belong to.
std::vector<EmittedFile> emit_dot(const Plan& plan) {
  const Topology& topology = plan.topology;
  const std::vector<std::uint32_t> streams =
      closed_streams(topology, plan.program.as<StreamProgram>());
  std::string text = dot_nodes(plan);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const NodeId to = walk.neighbor(port);
      if (to == kNoNode) continue;
      const std::uint32_t colour = streams[topology.link(walk.node(), port)];
      append_format(text, "  n{} -> n{} [color=\"{}\", taillabel=\"{}\", labelfontsize=6];\n",
                    walk.node(), to, kLinkColours[colour % kLinkColours.size()], port_name(port));
    }
  }
  text += "}\n";
  return {{"network.dot", std::move(text)}};
}

/// $readmemh images of the router tables, one word per output port; each file states its layout.
std::vector<EmittedFile> emit_memh(const Plan& plan) {
  const auto& program = plan.program.as<StreamProgram>();
  // In frames, a table's ports are port * frame + slot.
  const int ports = program.ports();
  const std::size_t entries = longest_preload(program);
  const int digits = (ports + 3) / 4;

  const auto header = [&](std::string_view what) {
    return fmt::format(
        "// {}\n// {}{}\n// One word an out-port, address node * {} + out-port.\n", what,
        network_line(plan, facts_of(plan)),
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
      const StreamPort at = reachable(program, walk, static_cast<Port>(p));
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
