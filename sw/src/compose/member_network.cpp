// SPDX-License-Identifier: Apache-2.0
#include "member_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "gossamer/compose/groups.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"
#include "guest.hpp"

namespace gossamer {

using namespace emit_detail;

Plan plan_in_routers(const Plan& member) {
  return member.demand.groups ? guest_plan(member) : member;
}

std::string routers_sv_defect(const Plan& in_routers) {
  const Machine& machine = in_routers.machine();
  if (!has_word(machine.info().formats, "sv")) {
    return fmt::format("does not support {} routers", machine.name());
  }
  return machine.no_format(in_routers, "sv");
}

std::string with_member_name(const std::string& text, std::string_view name) {
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
      result += fmt::format("gsm_{}_{}", name, word.substr(4));
    } else {
      result += word;
    }
  }
  return result;
}

MemberNetwork::MemberNetwork(const PlanMember& member, const std::string& who,
                             std::string_view format)
    : member_(&member),
      guest_(plan_in_routers(member.plan)),
      groups_(guest_.demand.groups ? std::nullopt : member.plan.demand.groups),
      layout_(member.plan.topology, groups_),
      frame_(groups_ ? frame_of(member.plan) : 1),
      files_(guest_.machine().emit(guest_, format)) {
  if (groups_) {
    axes_ = groups_->axes();
  } else {
    for (int dim = 0; dim < guest_.topology.dimensions(); ++dim) axes_.push_back(dim);
  }
  package_ = contents("gsm_plan_pkg.sv");
  read_classes();
  if (constant("Streams") != 0) {
    throw InputError(fmt::format(
        "format sv: {} has words that only streams carry; emit fewer words per node", who));
  }
  if ((constant("TableBits") != 1 && format != "sv-table") || constant("LoadWords") != 0 ||
      (constant("LearnCycles") != 0 && format != "sv-rank") ||
      package_.find("link_latency = 1;") == std::string::npos) {
    throw InputError(
        fmt::format("format sv: {} has words that are loaded one by one, or slow links", who));
  }
}

std::uint64_t MemberNetwork::links(std::size_t own) const {
  if (frame_ == 1) return 1;
  return groups_->stride[static_cast<std::size_t>(axes_[own / 2])];
}

std::uint64_t MemberNetwork::constant(std::string_view name) const {
  const std::string mark = fmt::format("localparam int {} = ", name);
  const std::size_t at = package_.find(mark);
  std::uint64_t value = 0;
  if (at == std::string::npos) throw InputError("format sv: member without " + mark);
  const char* const first = package_.data() + at + mark.size();
  std::from_chars(first, package_.data() + package_.size(), value);
  return value;
}

std::string MemberNetwork::contents(std::string_view name) const {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [name](const EmittedFile& file) { return file.name == name; });
  return found == files_.end() ? std::string() : found->contents;
}

void MemberNetwork::read_classes() {
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

bool add_member_run(const MemberNetwork& network, std::optional<std::uint32_t> number,
                    const WordOffsets& offset, const FabricShape& shape, bool terms,
                    std::vector<std::string>& own, ExpectedRun& run) {
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
  const std::uint64_t frame = network.frame();
  if (cycles * frame != plan.expected.analytic_steps) {
    throw InputError(fmt::format("format sv: {} has steps of several cycles; one is supported",
                                 number ? fmt::format("member {}", *number) : "a group"));
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
  if (network.groups()) numbers.emplace(plan, layout);
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
  const auto show = [&](std::uint64_t cycle, std::size_t cell, std::size_t word, NodeId group) {
    const std::uint32_t shown = added[group * (count + 1) + word];
    const std::uint64_t before = member.first_step - 1 + (cycle - 1) * frame;
    if (cell >= links) {
      const std::size_t place = cell - links;
      const NodeId node = layout.node(group, static_cast<NodeId>(place / delivers));
      // In the last cycle of a frame, or in that of done.
      return run.deliver(before + (cycle <= cycles ? frame : 1),
                         node * shape.delivers + offset.delivers + place % delivers, shown);
    }
    const std::size_t own_port = cell % network.ports();
    const auto port = static_cast<Port>(network.port(own_port));
    NodeId node = layout.node(group, static_cast<NodeId>(cell / network.ports()));
    const std::uint64_t hops = network.links(own_port);
    for (std::uint64_t hop = 0; hop < hops; ++hop) {
      run.on_link(before + frame - hops + hop + 1, plan.topology.link(node, port), shown);
      node = plan.topology.beyond(node, port);
    }
  };
  for (std::uint64_t cycle = 1; cycle <= cycles + 1; ++cycle) {
    for (std::size_t cell = 0; cell < links + layout.members() * delivers; ++cell) {
      std::size_t word = 0;
      if (!(in >> word) || word > count) throw InputError("format sv: a member's run ends early");
      if (word == 0) continue;
      for (NodeId group = 0; group < layout.groups(); ++group) show(cycle, cell, word, group);
    }
  }
  return true;
}

}  // namespace gossamer
