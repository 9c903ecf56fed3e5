// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <utility>

#include "../emit/expected_run.hpp"
#include "../emit/sv_text.hpp"
#include "gossamer/compose/groups.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "guest.hpp"
#include "members.hpp"

namespace gossamer {

namespace {

using namespace emit_detail;

/// The plan of a member's routers: of one group, or of all nodes.
Plan plan_in_routers(const Plan& member) {
  return member.demand.groups ? guest_plan(member) : member;
}

/// The words of the text that depend on a plan, with the member's number.
std::string of_member(const std::string& text, std::size_t number) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    if (word == "gsm_tile" || word == "gsm_plan_pkg") {
      result += fmt::format("gsm_member{}_{}", number, word.substr(4));
    } else {
      result += word;
    }
  }
  return result;
}

/// A member's network as its machine emits it.
class MemberNetwork {
 public:
  MemberNetwork(const PlanMember& member, std::size_t number)
      : member_(&member),
        number_(number),
        guest_(plan_in_routers(member.plan)),
        layout_(member.plan.topology, member.plan.demand.groups),
        files_(guest_.machine().emit(guest_, "sv")) {
    if (member.plan.demand.groups) {
      axes_ = member.plan.demand.groups->axes();
    } else {
      for (int dim = 0; dim < guest_.topology.dimensions(); ++dim) axes_.push_back(dim);
    }
    package_ = contents("gsm_plan_pkg.sv");
    read_classes();
    if (constant("TableBits") != 1 || constant("LoadWords") != 0 || constant("LearnCycles") != 0 ||
        package_.find("link_latency = 1;") == std::string::npos) {
      throw InputError(fmt::format(
          "format sv: member {} has words that are loaded one by one, or slow links", number));
    }
  }

  [[nodiscard]] const PlanMember& member() const { return *member_; }
  [[nodiscard]] const GroupLayout& layout() const { return layout_; }
  [[nodiscard]] std::size_t ports() const { return 2 * axes_.size(); }
  /// The port of the whole network's tile.
  [[nodiscard]] std::size_t port(std::size_t own) const {
    return 2 * static_cast<std::size_t>(axes_[own / 2]) + own % 2;
  }
  /// Sides of a group, by its axes.
  [[nodiscard]] std::uint32_t side(std::size_t axis) const {
    return guest_.topology.side(static_cast<int>(axis));
  }
  [[nodiscard]] int axis(std::size_t number) const { return axes_[number]; }
  [[nodiscard]] std::size_t tile_class(NodeId node) const { return classes_[layout_.rank(node)]; }
  /// An integer of the package.
  [[nodiscard]] std::uint64_t constant(std::string_view name) const {
    const std::string mark = fmt::format("localparam int {} = ", name);
    const std::size_t at = package_.find(mark);
    std::uint64_t value = 0;
    if (at == std::string::npos) throw InputError("format sv: member without " + mark);
    const char* const first = package_.data() + at + mark.size();
    std::from_chars(first, package_.data() + package_.size(), value);
    return value;
  }
  [[nodiscard]] const std::vector<EmittedFile>& files() const { return files_; }
  /// Empty where there is no such file.
  [[nodiscard]] std::string contents(std::string_view name) const {
    const auto found = std::find_if(files_.begin(), files_.end(),
                                    [name](const EmittedFile& file) { return file.name == name; });
    return found == files_.end() ? std::string() : found->contents;
  }

 private:
  /// By rank, the class of its tile: from the package's function, 16 bits each in chunks of 64.
  void read_classes() {
    constexpr std::size_t kDigits = 4;
    const std::string mark = ": chunk = 1024'h";
    std::vector<std::string> chunks;
    for (std::size_t at = package_.find(mark); at != std::string::npos;
         at = package_.find(mark, at + 1)) {
      const std::size_t first = at + mark.size();
      chunks.push_back(package_.substr(first, package_.find(';', first) - first));
    }
    for (NodeId rank = 0; rank < guest_.topology.nodes(); ++rank) {
      const std::string& chunk = chunks.at(rank / 64);
      const std::size_t behind = chunk.size() - kDigits * (rank % 64);
      classes_.push_back(std::stoul(chunk.substr(behind - kDigits, kDigits), nullptr, 16));
    }
  }

  const PlanMember* member_;
  std::size_t number_;
  Plan guest_;
  GroupLayout layout_;
  std::vector<EmittedFile> files_;
  std::vector<int> axes_;
  std::string package_;
  std::vector<std::size_t> classes_;
};

/// Where a member's words are among the whole tile's.
struct Offsets {
  std::uint64_t own = 0;
  std::uint64_t delivers = 0;
};

/// The tile: the members' tiles, each with its own ports.
std::string composition_tile(const std::vector<MemberNetwork>& networks,
                             const std::vector<Offsets>& offsets, std::uint64_t steps) {
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

/// A member's expected run, put into that of the whole. False where the member has no such run.
bool add_expected(const MemberNetwork& network, std::uint32_t number, const Offsets& offset,
                  const FabricShape& shape, bool terms, std::vector<std::string>& own,
                  ExpectedRun& run) {
  std::istringstream in(network.contents("gsm_fabric_expected.txt"));
  std::string line;
  // A comment, the constants, and the summary.
  for (int i = 0; i < 3; ++i) {
    if (!std::getline(in, line)) return false;
  }
  std::uint64_t cycles = 0;
  std::size_t count = 0;
  std::string vary;
  int has_terms = 0;
  in >> cycles >> count >> vary >> has_terms;
  const PlanMember& member = network.member();
  const Plan& plan = member.plan;
  const GroupLayout& layout = network.layout();
  if (cycles != plan.expected.analytic_steps) {
    throw InputError(
        fmt::format("format sv: member {} has steps of several cycles; one is supported", number));
  }
  std::vector<std::string> words(network.constant("OwnTotal"));
  for (std::string& word : words) in >> word;
  const std::uint64_t own_words = network.constant("OwnWords");
  const std::uint64_t own_stride = network.constant("OwnStride");
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (std::uint64_t w = 0; w < own_words; ++w) {
      own.at(node * shape.own_stride + offset.own + w) =
          words.at(layout.rank(node) * own_stride + w);
    }
  }
  std::optional<PieceNumbers> numbers;
  if (plan.demand.groups) numbers.emplace(plan, layout);
  // By group and word of the member's run.
  std::vector<std::uint32_t> added(layout.groups() * (count + 1), 0);
  for (std::size_t word = 1; word <= count; ++word) {
    ExpectedWord read;
    in >> read.data >> read.mask >> read.step >> read.hop >> read.packet;
    if (has_terms != 0) in >> read.terms;
    if (terms) read.terms = std::max(read.terms, 1U);
    read.member = number;
    for (NodeId group = 0; group < layout.groups(); ++group) {
      ExpectedWord shown = read;
      if (numbers) shown.packet = numbers->of(group, read.packet);
      added[group * (count + 1) + word] = run.add(std::move(shown));
    }
  }
  const std::size_t links = layout.members() * network.ports();
  const std::uint64_t delivers = network.constant("Delivers");
  for (std::uint64_t cycle = 1; cycle <= cycles + 1; ++cycle) {
    const std::uint64_t at = member.first_step - 1 + cycle;
    for (std::size_t cell = 0; cell < links + layout.members() * delivers; ++cell) {
      std::size_t word = 0;
      if (!(in >> word) || word > count) throw InputError("format sv: a member's run ends early");
      if (word == 0) continue;
      const bool is_link = cell < links;
      const std::size_t place = is_link ? cell : cell - links;
      const std::size_t each = is_link ? network.ports() : delivers;
      for (NodeId group = 0; group < layout.groups(); ++group) {
        const NodeId node = layout.node(group, static_cast<NodeId>(place / each));
        const std::uint32_t shown = added[group * (count + 1) + word];
        if (is_link) {
          run.on_link(at, plan.topology.link(node, static_cast<Port>(network.port(place % each))),
                      shown);
        } else {
          run.deliver(at, node * shape.delivers + offset.delivers + place % each, shown);
        }
      }
    }
  }
  return true;
}

}  // namespace

std::string composition_sv_defect(const Plan& plan) {
  for (const PlanMember& member : members_of(plan)) {
    const Plan& own = member.plan;
    if (plan.demand.to == Destination::kPairs &&
        member.last_step() < plan.expected.analytic_steps) {
      return "the members' routers stop before the last blocks meet";
    }
    if (own.demand.groups && own.demand.groups->longest_stride() > 1) {
      return "does not support groups with strides above 1";
    }
    const Plan guest = plan_in_routers(own);
    if (!has_word(guest.machine().info().formats, "sv")) {
      return fmt::format("does not support {} routers", guest.machine().name());
    }
    if (const std::string defect = guest.machine().no_format(guest, "sv"); !defect.empty()) {
      return defect;
    }
  }
  return {};
}

std::vector<EmittedFile> emit_composition_sv(const Plan& plan) {
  check_nodes(plan, "sv");
  const std::span<const PlanMember> members = members_of(plan);
  const Topology& topology = plan.topology;
  const LinkOwners owners = link_owners(members);
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", "sv");
  std::vector<MemberNetwork> networks;
  networks.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) networks.emplace_back(members[i], i);

  FabricShape shape;
  shape.own_words = 0;
  shape.delivers = 0;
  shape.width = networks.front().constant("Width");
  std::vector<Offsets> offsets;
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
        file.name = of_member(file.name, i);
        file.contents = of_member(file.contents, i);
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
      complete = complete && add_expected(networks[i], static_cast<std::uint32_t>(i), offsets[i],
                                          shape, terms, own, *run);
    }
    if (complete) files.expected = run->text(pass_summary(plan, steps, steps), own, "0");
  }
  return network_files(files);
}

}  // namespace gossamer
