// SPDX-License-Identifier: Apache-2.0
#include "emit_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "gossamer/util/text.hpp"
#include "member_network.hpp"

namespace gossamer {

namespace {

using namespace emit_detail;

/// The part of module and package names that tells the tile of one group from that of the network.
constexpr const char* kName = "member";
constexpr const char* kClassFunction = "group_class";

/// The frame's counter and the gated clock, with the coordinates and ports of the group's tile.
constexpr const char* kFrame =
    R"(  localparam int LinkBits = gsm_plan_pkg::LinkWords * Width + gsm_plan_pkg::LinkExtra;

  // Steps of the network in a step of the group.
  localparam int Frame = {frame};
  localparam int SlotBits = $clog2(Frame);
  logic [SlotBits-1:0] slot;
  logic group_busy;
  logic group_last;
  logic group_done;
  logic group_error;
  logic frame_last;
  assign frame_last = group_busy && slot == SlotBits'(Frame - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) slot <= '0;
    else if (clear_i || !group_busy || frame_last) slot <= '0;
    else slot <= slot + 1'b1;
  end

  // The group's tile has one edge per frame.
  logic group_clk;
  gsm_clock_gate u_gate (
      .clk_i   (clk_i),
      .enable_i(clear_i || start_i || frame_last || group_done || table_write != '0),
      .clk_o   (group_clk)
  );

  logic [gsm_member_plan_pkg::Ports/2*16-1:0] coordinates;
  logic [gsm_member_plan_pkg::Ports-1:0] in_valid;
  logic [gsm_member_plan_pkg::Ports*LinkBits-1:0] in_data;
  logic [gsm_member_plan_pkg::Ports-1:0] out_valid;
  logic [gsm_member_plan_pkg::Ports*LinkBits-1:0] out_data;
  logic [gsm_member_plan_pkg::Ports-1:0] in_ready;
  logic [gsm_plan_pkg::Delivers-1:0] deliver_valid;
  // Words of the tables, by the group's ports; an edge for each.
  logic [gsm_member_plan_pkg::Ports+1:0] table_write;
)";

constexpr const char* kTile = R"(
  gsm_member_tile #(
      .Width(Width),
      .Class(gsm_plan_pkg::group_class(Class))
  ) u_group (
      .clk_i          (group_clk),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .start_i        (start_i),
      .coordinates_i  (coordinates),
      .table_write_i  (table_write),
      .table_data_i   (table_data_i),
      .own_data_i     (own_data_i),
      .own_valid_i    ('0),
      .own_ready_o    (own_ready_o),
      .own_last_i     ('0),
      .in_valid_i     (in_valid),
      .in_ready_o     (in_ready),
      .in_data_i      (in_data),
      .out_valid_o    (out_valid),
      .out_ready_i    ({gsm_member_plan_pkg::Ports{1'b1}}),
      .out_data_o     (out_data),
      .deliver_valid_o(deliver_valid),
      .deliver_ready_i({gsm_plan_pkg::Delivers{1'b1}}),
      .deliver_data_o (deliver_data_o),
      .busy_o         (group_busy),
      .last_o         (group_last),
      .done_o         (group_done),
      .error_o        (group_error),
      .flags_o        (flags_o)
  );
  // Within a frame the arrivals of the group's step are missing.
  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(group_error && (frame_last || !group_busy)),
      .error_o(error_o)
  );
  assign deliver_valid_o = deliver_valid & {gsm_plan_pkg::Delivers{frame_last || group_done}};
  assign busy_o          = group_busy;
  assign last_o          = group_last && frame_last;
  assign done_o          = group_done;
  assign in_ready_o      = '0;
  logic unused;
  assign unused = ^{own_valid_i, own_last_i, out_ready_i, deliver_ready_i, coordinates_i, in_ready,
                    table_write_i, in_valid_i, in_data_i};
)";

std::string frames_tile(const MemberNetwork& network) {
  const Topology& topology = network.member().plan.topology;
  const Groups& groups = *network.groups();
  const std::uint64_t frame = network.frame();
  std::string text = kFrame;
  constexpr std::string_view kMark = "{frame}";
  text.replace(text.find(kMark), kMark.size(), fmt::format("{}", frame));
  for (std::size_t axis = 0; axis < network.ports() / 2; ++axis) {
    const std::size_t dim = network.port(2 * axis) / 2;
    append_format(text,
                  "  assign coordinates[{}*16+:16] = coordinates_i[{}*16+:16] / 16'd{} % 16'd{};\n",
                  axis, dim, groups.stride[dim], network.side(axis));
  }
  std::string writes = "table_write_i[gsm_plan_pkg::Ports+:2]";
  for (std::size_t own = network.ports(); own-- > 0;) {
    append_format(writes, ", table_write_i[{}]", network.port(own));
  }
  append_format(text, "  assign table_write = {{{}}};\n", writes);
  std::vector<bool> used(static_cast<std::size_t>(topology.ports()), false);
  for (std::size_t own = 0; own < network.ports(); ++own) {
    const std::size_t port = network.port(own);
    const std::uint64_t links = network.links(own);
    used[port] = true;
    append_format(text,
                  "\n  // Port {0} of the group is port {1}: {2} of the frame's last steps.\n"
                  "  assign in_valid[{0}] = in_valid_i[{1}] && frame_last;\n"
                  "  assign in_data[{0}*LinkBits+:LinkBits] = in_data_i[{1}*LinkBits+:LinkBits];\n",
                  own, port, links);
    if (links == 1) {
      append_format(text,
                    "  assign out_valid_o[{1}] = out_valid[{0}] && frame_last;\n"
                    "  assign out_data_o[{1}*LinkBits+:LinkBits] = out_data[{0}*LinkBits+:"
                    "LinkBits];\n",
                    own, port);
      continue;
    }
    append_format(text,
                  "  logic pass_valid_{1};\n  logic [LinkBits-1:0] pass_data_{1};\n"
                  "  gsm_link #(\n      .Width(LinkBits)\n  ) u_pass_{1} (\n"
                  "      .clk_i  (clk_i),\n      .rst_ni (rst_ni),\n"
                  "      .clear_i(clear_i || !group_busy || frame_last),\n"
                  "      .valid_i(in_valid_i[{2}]),\n"
                  "      .data_i (in_data_i[{2}*LinkBits+:LinkBits]),\n"
                  "      .valid_o(pass_valid_{1}),\n      .data_o (pass_data_{1})\n  );\n"
                  "  assign out_valid_o[{1}] = slot == SlotBits'({3}) ? out_valid[{0}] : "
                  "pass_valid_{1};\n"
                  "  assign out_data_o[{1}*LinkBits+:LinkBits] = slot == SlotBits'({3}) ?\n"
                  "      out_data[{0}*LinkBits+:LinkBits] : pass_data_{1};\n",
                  own, port, port ^ 1U, frame - links);
  }
  for (std::size_t port = 0; port < used.size(); ++port) {
    if (used[port]) continue;
    append_format(text,
                  "\n  assign out_valid_o[{0}] = 1'b0;\n"
                  "  assign out_data_o[{0}*LinkBits+:LinkBits] = '0;\n",
                  port);
  }
  text += kTile;
  return tile_text("the tile of a group's network, and the packets that pass it", text);
}

/// The image of loadable tables: each node has the words of its member. `group` is that of a group.
std::string network_image(const MemberNetwork& network, const std::string& group) {
  std::istringstream in(group);
  std::string comment;
  std::getline(in, comment);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word);) words.push_back(word);
  const Topology& topology = network.member().plan.topology;
  const GroupLayout& layout = network.layout();
  const auto ports = static_cast<std::size_t>(topology.ports());
  const std::size_t steps_at = layout.members() * network.ports();
  std::string text = fmt::format(
      "// Word node*{} + out-port; in the words ports and steps are those of a group's network, "
      "{}\n",
      ports, comment.substr(comment.find("from bit 0")));
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    std::vector<std::string> of_ports(ports, std::string(words.front().size(), '0'));
    for (std::size_t own = 0; own < network.ports(); ++own) {
      of_ports[network.port(own)] = words.at(layout.rank(node) * network.ports() + own);
    }
    for (const std::string& word : of_ports) text += word + '\n';
  }
  text += words.at(steps_at) + '\n';
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    text += words.at(steps_at + 1 + layout.rank(node)) + '\n';
  }
  return text;
}

}  // namespace

std::vector<EmittedFile> emit_frames(const Plan& plan, std::string_view format) {
  check_nodes(plan, format);
  const PlanMember member{plan, 1};
  const MemberNetwork network(member, "a group", format);
  const Topology& topology = plan.topology;
  FabricShape shape;
  shape.width = network.constant("Width");
  shape.own_words = network.constant("OwnWords");
  shape.delivers = network.constant("Delivers");
  shape.link_words = network.constant("LinkWords");
  shape.link_extra = network.constant("LinkExtra");
  shape.deliver_words = network.constant("DeliverWords");
  shape.deliver_extra = network.constant("DeliverExtra");
  shape.table_bits = network.constant("TableBits");
  shape.learn_cycles = network.constant("LearnCycles") * network.frame();
  shape.own_stride = shape.own_words;
  shape.own_total = topology.nodes() * shape.own_words;

  NetworkBuilder builder(plan, "gsm_tile");
  builder.of_nodes("The class of the group's tile.", "", kClassFunction,
                   [&network](NodeId node) { return network.tile_class(node); });
  NetworkFiles files = builder.finish(shape, "", {});
  files.tile_text = frames_tile(network);
  std::vector<std::string> known{"gsm_fabric.sv", "gsm_assert.svh"};
  const auto add = [&](EmittedFile file) {
    if (std::find(known.begin(), known.end(), file.name) != known.end()) return;
    known.push_back(file.name);
    files.parts.push_back(std::move(file));
  };
  add(embedded_file("gsm_clock_gate.sv"));
  add(embedded_file("gsm_link.sv"));
  add(embedded_file("gsm_error.sv"));
  for (EmittedFile file : network.files()) {
    if (!file.name.ends_with(".sv") || file.name.ends_with("_tb.sv")) continue;
    if (file.name == "gsm_tile.sv" || file.name == "gsm_plan_pkg.sv") {
      file.name = with_member_name(file.name, kName);
      file.contents = with_member_name(file.contents, kName);
    }
    add(std::move(file));
  }
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", format);
  auto run = ExpectedRun::make(steps, topology.link_slots(), topology.nodes() * shape.delivers);
  std::vector<std::string> own(shape.own_total);
  if (run && add_member_run(network, std::nullopt, {}, shape, plan.demand.combines(), own, *run)) {
    files.expected = run->text(pass_summary(plan, steps, steps), own, "0");
  }
  std::vector<EmittedFile> all = network_files(files);
  constexpr const char* kImage = "tables.memh";
  if (const std::string image = network.contents(kImage); !image.empty()) {
    all.push_back({kImage, network_image(network, image)});
  }
  return all;
}

}  // namespace gossamer
