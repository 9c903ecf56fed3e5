// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "guest.hpp"
#include "member_network.hpp"
#include "members.hpp"

namespace gossamer {

namespace {

using namespace emit_detail;

/// The tile: the members' tiles, each with its own ports.
std::string composition_tile(const std::vector<MemberNetwork>& networks,
                             const std::vector<WordOffsets>& offsets, std::uint64_t steps) {
  std::string text = fmt::format(
      "  localparam int Ports = gsm_plan_pkg::Ports;\n"
      "  localparam int LinkBits = gsm_plan_pkg::LinkWords * Width + gsm_plan_pkg::LinkExtra;\n"
      "  localparam int DeliverBits = gsm_plan_pkg::DeliverWords * Width + "
      "gsm_plan_pkg::DeliverExtra;\n\n"
      "  // The whole takes as long as its last member.\n"
      "  logic [31:0] step;\n"
      "  gsm_round u_round (\n      .clk_i(clk_i),\n      .rst_ni(rst_ni),\n"
      "      .clear_i(clear_i),\n      .start_i(start_i),\n      .steps_i(32'd{}),\n"
      "      .step_o(step),\n      .busy_o(busy_o),\n      .last_o(last_o),\n"
      "      .done_o(done_o)\n  );\n",
      steps);
  std::string unused =
      "own_valid_i, own_last_i, out_ready_i, deliver_ready_i, coordinates_i, table_write_i,\n"
      "                    table_data_i, in_valid_i, in_data_i, step";
  std::string errors;
  // By port of the whole tile.
  std::map<std::size_t, std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const MemberNetwork& network = networks[i];
    const std::string name = fmt::format("member{}", i);
    const std::string package = fmt::format("gsm_{}_plan_pkg", name);
    const std::uint64_t first = network.member().first_step;
    append_format(text,
                  "\n  // Member {0}: its links, and the ports of this tile that are its own.\n"
                  "  localparam int {2}Bits = {1}::LinkWords * Width + {1}::LinkExtra;\n"
                  "  localparam int {2}Result = {1}::DeliverWords * Width + {1}::DeliverExtra;\n"
                  "  localparam logic [Ports-1:0] {2}In = gsm_plan_pkg::{3}_in(Class);\n"
                  "  localparam logic [Ports-1:0] {2}Out = gsm_plan_pkg::{3}_out(Class);\n"
                  "  logic [{1}::Ports/2*16-1:0] {3}_coordinates;\n"
                  "  logic [{1}::Ports-1:0] {3}_in_valid;\n"
                  "  logic [{1}::Ports*{2}Bits-1:0] {3}_in_data;\n"
                  "  logic [{1}::Ports-1:0] {3}_out_valid;\n"
                  "  logic [{1}::Ports*{2}Bits-1:0] {3}_out_data;\n"
                  "  logic [{1}::Delivers-1:0] {3}_deliver_valid;\n"
                  "  logic [{1}::Delivers*{2}Result-1:0] {3}_deliver_data;\n"
                  "  logic {3}_start;\n  logic {3}_busy;\n  logic {3}_last;\n  logic {3}_done;\n"
                  "  logic {3}_error;\n"
                  "  logic [{1}::OwnStreams-1:0] {3}_own_ready;\n"
                  "  logic [{1}::Ports-1:0] {3}_in_ready;\n"
                  "  logic [{1}::Flags-1:0] {3}_flags;\n",
                  i, package, fmt::format("Member{}", i), name);
    append_format(text, "  assign {}_start = {};\n", name,
                  first == 1 ? "start_i" : fmt::format("step == 32'd{}", first - 1));
    for (std::size_t q = 0; q < network.ports(); ++q) {
      const std::size_t port = network.port(q);
      if (q % 2 == 0) {
        append_format(text,
                      "  assign {0}_coordinates[{1}*16+:16] = coordinates_i[{2}*16+:16] % "
                      "16'd{3};\n",
                      name, q / 2, port / 2, network.side(q / 2));
      }
      append_format(text,
                    "  assign {0}_in_valid[{1}] = in_valid_i[{2}] && Member{3}In[{2}];\n"
                    "  assign {0}_in_data[{1}*Member{3}Bits+:Member{3}Bits] = "
                    "in_data_i[{2}*LinkBits+:Member{3}Bits];\n",
                    name, q, port, i);
      auto& [valid, data] = out[port];
      append_format(valid, "{}({}_out_valid[{}] && Member{}Out[{}])", valid.empty() ? "" : " || ",
                    name, q, i, port);
      append_format(data,
                    "{0}(Member{1}Out[{2}] ? LinkBits'({3}_out_data[{4}*Member{1}Bits+:"
                    "Member{1}Bits]) : '0)",
                    data.empty() ? "" : " | ", i, port, name, q);
    }
    append_format(text,
                  "  gsm_{0}_tile #(\n      .Width(Width),\n"
                  "      .Class(gsm_plan_pkg::{0}_class(Class))\n  ) u_{0} (\n"
                  "      .clk_i(clk_i),\n      .rst_ni(rst_ni),\n      .clear_i(clear_i),\n"
                  "      .start_i({0}_start),\n      .coordinates_i({0}_coordinates),\n"
                  "      .table_write_i('0),\n      .table_data_i('0),\n"
                  "      .own_data_i(own_data_i[{2}*Width+:{1}::OwnWords*Width]),\n"
                  "      .own_valid_i('0),\n      .own_ready_o({0}_own_ready),\n"
                  "      .own_last_i('0),\n      .in_valid_i({0}_in_valid),\n"
                  "      .in_ready_o({0}_in_ready),\n      .in_data_i({0}_in_data),\n"
                  "      .out_valid_o({0}_out_valid),\n      .out_ready_i('1),\n"
                  "      .out_data_o({0}_out_data),\n      .deliver_valid_o({0}_deliver_valid),\n"
                  "      .deliver_ready_i('1),\n      .deliver_data_o({0}_deliver_data),\n"
                  "      .busy_o({0}_busy),\n      .last_o({0}_last),\n      .done_o({0}_done),\n"
                  "      .error_o({0}_error),\n      .flags_o({0}_flags)\n  );\n"
                  "  assign deliver_valid_o[{3}+:{1}::Delivers] = {0}_deliver_valid;\n"
                  "  for (genvar i = 0; i < {1}::Delivers; i++) begin : gen_{0}_deliver\n"
                  "    assign deliver_data_o[({3}+i)*DeliverBits+:DeliverBits] =\n"
                  "        DeliverBits'({0}_deliver_data[i*Member{4}Result+:Member{4}Result]);\n"
                  "  end\n",
                  name, package, offsets[i].own, offsets[i].delivers, i);
    append_format(unused,
                  ",\n                    {0}_busy, {0}_last, {0}_done, {0}_own_ready, "
                  "{0}_in_ready, {0}_flags",
                  name);
    append_format(errors, "{}{}_error", errors.empty() ? "" : " || ", name);
  }
  text += "\n";
  const std::size_t ports =
      static_cast<std::size_t>(networks.front().member().plan.topology.ports());
  for (std::size_t port = 0; port < ports; ++port) {
    const auto found = out.find(port);
    append_format(text,
                  "  assign out_valid_o[{0}] = {1};\n"
                  "  assign out_data_o[{0}*LinkBits+:LinkBits] = {2};\n",
                  port, found == out.end() ? "1'b0" : found->second.first,
                  found == out.end() ? "'0" : found->second.second);
  }
  append_format(text,
                "  assign error_o = {};\n  assign own_ready_o = '0;\n  assign in_ready_o = '0;\n"
                "  assign flags_o = '0;\n  logic unused;\n  assign unused = ^{{{}}};\n",
                errors, unused);
  return tile_text("the tiles of all members side by side", text);
}

}  // namespace

std::string composition_sv_defect(const Plan& plan) {
  for (const PlanMember& member : members_of(plan)) {
    const Plan& own = member.plan;
    if (own.demand.groups && frame_of(own) > 1) {
      return "does not support members that work in frames: groups with strides above 1";
    }
    if (std::string defect = routers_sv_defect(plan_in_routers(own)); !defect.empty()) {
      return defect;
    }
  }
  return {};
}

namespace {

/// The members, which go on until the last blocks of a product meet.
std::vector<PlanMember> members_in_routers(const Plan& plan) {
  const std::span<const PlanMember> members = members_of(plan);
  std::vector<PlanMember> all(members.begin(), members.end());
  if (plan.demand.to != Destination::kPairs) return all;
  for (PlanMember& member : all) {
    member.plan.expected.analytic_steps = plan.expected.analytic_steps;
    member.plan.expected.analytic_cycles = plan.expected.analytic_steps;
  }
  return all;
}

}  // namespace

std::vector<EmittedFile> emit_composition_sv(const Plan& plan) {
  check_nodes(plan, "sv");
  const std::vector<PlanMember> members = members_in_routers(plan);
  const Topology& topology = plan.topology;
  const LinkOwners owners = link_owners(members);
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", "sv");
  std::vector<MemberNetwork> networks;
  networks.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    networks.emplace_back(members[i], fmt::format("member {}", i));
  }

  FabricShape shape;
  shape.own_words = 0;
  shape.delivers = 0;
  shape.width = networks.front().constant("Width");
  std::vector<WordOffsets> offsets;
  for (const MemberNetwork& network : networks) {
    offsets.push_back({shape.own_words, shape.delivers});
    if (network.constant("Width") != shape.width) {
      throw InputError("format sv: the members' words have different widths");
    }
    shape.own_words += network.constant("OwnWords");
    shape.delivers += network.constant("Delivers");
    shape.link_words = std::max(shape.link_words, network.constant("LinkWords"));
    shape.link_extra = std::max(shape.link_extra, network.constant("LinkExtra"));
    shape.deliver_words = std::max(shape.deliver_words, network.constant("DeliverWords"));
    shape.deliver_extra = std::max(shape.deliver_extra, network.constant("DeliverExtra"));
  }
  shape.own_stride = shape.own_words;
  shape.own_total = topology.nodes() * shape.own_words;

  NetworkBuilder builder(plan, "gsm_tile");
  const auto ports = static_cast<std::size_t>(topology.ports());
  // By member: names that the package's text keeps.
  std::vector<std::array<std::string, 3>> names;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    names.push_back({fmt::format("member{}_class", i), fmt::format("member{}_in", i),
                     fmt::format("member{}_out", i)});
  }
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const auto mask = [&, i](NodeId node, bool in) {
      Literal bits(ports);
      for (std::size_t p = 0; p < ports; ++p) {
        const auto port = static_cast<Port>(p);
        const NodeId from = in ? topology.neighbor(node, port) : node;
        if (from == kNoNode) continue;
        const LinkId link = topology.link(from, in ? opposite(port) : port);
        if (owners.member[link] == i) bits.set(p, 1);
      }
      return bits;
    };
    builder.of_nodes("The class of a member's tile.", "", names[i][0],
                     [&networks, i](NodeId node) { return networks[i].tile_class(node); });
    builder.of_nodes("Bit p: what comes in by port p is the member's.", "", names[i][1], "Ports",
                     [&](NodeId node) { return mask(node, true); });
    builder.of_nodes("Bit p: the member sends by out-port p.", "", names[i][2], "Ports",
                     [&](NodeId node) { return mask(node, false); });
  }
  NetworkFiles files = builder.finish(shape, "", {});
  files.tile_text = composition_tile(networks, offsets, steps);

  // Files that members have in common are written once.
  std::vector<std::string> known{"gsm_fabric.sv", "gsm_assert.svh"};
  const auto add = [&](EmittedFile file) {
    if (std::find(known.begin(), known.end(), file.name) != known.end()) return;
    known.push_back(file.name);
    files.parts.push_back(std::move(file));
  };
  for (std::size_t i = 0; i < networks.size(); ++i) {
    for (EmittedFile file : networks[i].files()) {
      if (!file.name.ends_with(".sv") || file.name.ends_with("_tb.sv")) continue;
      if (file.name == "gsm_tile.sv" || file.name == "gsm_plan_pkg.sv") {
        const std::string name = fmt::format("member{}", i);
        file.name = with_member_name(file.name, name);
        file.contents = with_member_name(file.contents, name);
      }
      add(std::move(file));
    }
  }
  add(embedded_file("gsm_round.sv"));

  bool terms = false;
  for (const PlanMember& member : members) terms = terms || member.plan.demand.combines();
  if (auto run =
          ExpectedRun::make(steps, topology.link_slots(), topology.nodes() * shape.delivers)) {
    std::vector<std::string> own(shape.own_total);
    bool complete = true;
    for (std::size_t i = 0; i < networks.size(); ++i) {
      complete = complete && add_member_run(networks[i], static_cast<std::uint32_t>(i), offsets[i],
                                            shape, terms, own, *run);
    }
    if (complete) files.expected = run->text(pass_summary(plan, steps, steps), own, "0");
  }
  return network_files(files);
}

}  // namespace gossamer
