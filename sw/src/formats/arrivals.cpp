// SPDX-License-Identifier: Apache-2.0
/// The format `arrivals`: the arrival contract as CSV, JSON, a $readmemh image and a SystemVerilog
/// package.
#include "gossamer/emit/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "../emit/network_text.hpp"
#include "../emit/sv_text.hpp"
#include "formats.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// Entries of the largest map: 128 MB in memory, and about as much in each file.
constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 24U;

/// Notes the arrivals of a run.
class ArrivalObserver final : public Observer {
 public:
  ArrivalObserver(const Topology& topology, const Engine& engine, ArrivalContract& contract)
      : topology_(topology), engine_(engine), contract_(contract) {}

  bool on_links(const LinkView& view) override {
    // A prefix precedes the first step.
    if (view.step != 0 && view.step <= contract_.steps) {
      const std::uint64_t last_cycle = view.cycle + 1 + engine_.quiet();
      for (std::size_t link = 0; link < view.packets.size(); ++link) {
        if (view.packets[link] == kNoPacket) continue;
        note({view.packets[link], last_cycle, static_cast<std::uint32_t>(view.step), 0, 0,
              view.members.empty() ? 0 : view.members[link]},
             static_cast<LinkId>(link));
      }
    }
    for (const Head& head : view.heads) {
      if (head.step == 0 || head.step > contract_.steps) continue;
      note({head.packet, view.cycle + 1, head.step}, head.link);
    }
    return true;
  }

 private:
  void note(Arrival arrival, LinkId link) {
    const Port port = topology_.link_port(link);
    arrival.node = topology_.neighbor(topology_.link_from(link), port);
    arrival.port = opposite(port);
    contract_.arrivals[arrival.node].push_back(arrival);
  }

  const Topology& topology_;
  const Engine& engine_;
  ArrivalContract& contract_;
};

}  // namespace

std::vector<FirstArrival> ArrivalContract::first_arrivals(NodeId node) const {
  std::vector<FirstArrival> firsts;
  for (const Arrival& arrival : arrivals[node]) {
    firsts.push_back({arrival.packet, arrival.member, arrival.cycle});
  }
  std::sort(firsts.begin(), firsts.end(), [](const FirstArrival& a, const FirstArrival& b) {
    return std::tie(a.member, a.packet, a.cycle) < std::tie(b.member, b.packet, b.cycle);
  });
  const auto same = [](const FirstArrival& a, const FirstArrival& b) {
    return a.member == b.member && a.packet == b.packet;
  };
  firsts.erase(std::unique(firsts.begin(), firsts.end(), same), firsts.end());
  return firsts;
}

ArrivalContract arrival_contract(const Plan& plan) {
  ArrivalContract contract;
  contract.steps = emit_detail::planned_count(plan.expected.analytic_steps, "steps", "arrivals");
  const std::uint64_t ports = plan.topology.link_slots();
  if (contract.steps > kMaxEntries / ports) {
    throw InputError(
        fmt::format("format arrivals: {} in-ports in {} steps are more than {} entries; simulate "
                    "--trace writes them one by one",
                    ports, contract.steps, kMaxEntries));
  }
  contract.arrivals.resize(plan.topology.nodes());
  const auto engine = make_fast_engine(plan);
  ArrivalObserver observer(plan.topology, *engine, contract);
  watch(*engine, contract.steps, observer);
  contract.cycles = plan.expected.analytic_cycles.value_or(contract.steps);
  if (const auto given = quantities_of(plan)) {
    const PhysicalFigures figures = physical_figures(plan, *given);
    contract.cycles = figures.in_cycles(contract.cycles);
    for (std::vector<Arrival>& arrivals : contract.arrivals) {
      for (Arrival& arrival : arrivals) arrival.cycle = figures.in_cycles(arrival.cycle);
    }
  }
  for (std::vector<Arrival>& arrivals : contract.arrivals) {
    std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
      return std::tie(a.cycle, a.port, a.packet) < std::tie(b.cycle, b.port, b.packet);
    });
  }
  return contract;
}

namespace emit_detail {

namespace {

class ArrivalTexts {
 public:
  explicit ArrivalTexts(const Plan& plan)
      : plan_(plan),
        contract_(arrival_contract(plan)),
        members_(plan.machine().info().has_members) {
    for (const auto& arrivals : contract_.arrivals) {
      for (const Arrival& arrival : arrivals) largest_ = std::max(largest_, arrival.packet);
    }
  }

  [[nodiscard]] std::string csv() const {
    std::string text =
        members_ ? "node,in_port,step,packet,member\n" : "node,in_port,step,packet\n";
    for (NodeId node = 0; node < contract_.arrivals.size(); ++node) {
      for (const Arrival& arrival : by_port(node)) {
        append_format(text, "{},{},{},{}", node, port_name(arrival.port), arrival.step,
                      arrival.packet);
        if (members_) append_format(text, ",{}", arrival.member);
        text += '\n';
      }
    }
    return text;
  }

  [[nodiscard]] std::string json() const {
    const std::string_view member = members_ ? ", \"member\"" : "";
    std::string text = fmt::format(
        "{{\n\"format\": \"gossamer-arrivals\",\n{},\n\"cycles\": {},\n"
        "\"arrival_columns\": [\"cycle\", \"port\", \"packet\"{}],\n"
        "\"first_cycle_columns\": [\"packet\", \"cycle\"{}],\n\"nodes\": [",
        json_network(plan_, packets_per_node(plan_), contract_.steps, 2), contract_.cycles, member,
        member);
    for (NodeId node = 0; node < contract_.arrivals.size(); ++node) {
      append_format(text, "{}\n  {{\"node\": {},\n   \"arrivals\": [", node == 0 ? "" : ",", node);
      std::string_view separator;
      for (const Arrival& arrival : contract_.arrivals[node]) {
        append_format(text, "{}[{}, \"{}\", {}", separator, arrival.cycle, port_name(arrival.port),
                      arrival.packet);
        text += members_ ? fmt::format(", {}]", arrival.member) : "]";
        separator = ", ";
      }
      text += "],\n   \"first_cycles\": [";
      separator = {};
      for (const FirstArrival& first : contract_.first_arrivals(node)) {
        append_format(text, "{}[{}, {}", separator, first.packet, first.cycle);
        text += members_ ? fmt::format(", {}]", first.member) : "]";
        separator = ", ";
      }
      text += "]}";
    }
    return text + "\n]\n}\n";
  }

  [[nodiscard]] std::string memh() const {
    const std::array<NetworkFact, 2> facts{
        {{"packets_per_node", packets_per_node(plan_)}, {"steps", contract_.steps}}};
    const auto digits = static_cast<int>((std::bit_width(largest_ + 1) + 3) / 4);
    const auto ports = static_cast<std::size_t>(plan_.topology.ports());
    std::string text = fmt::format(
        "// The packet that comes in, and one more; 0: none.\n// {}\n"
        "// One word a node, step and in-port, address (node * {} + step - 1) * {} + in-port.\n",
        network_line(plan_, facts), contract_.steps, ports);
    std::vector<PacketId> words;
    for (const auto& arrivals : contract_.arrivals) {
      words.assign(contract_.steps * ports, 0);
      for (const Arrival& arrival : arrivals) {
        words[(arrival.step - 1) * ports + arrival.port] = arrival.packet + 1;
      }
      for (const PacketId word : words) append_format(text, "{:0{}x}\n", word, digits);
    }
    return text;
  }

  /// Its functions count in ints.
  [[nodiscard]] bool has_package() const {
    constexpr std::uint64_t kMostInt = 0x7fffffff;
    return contract_.cycles < kMostInt / static_cast<std::uint64_t>(plan_.topology.ports()) - 1;
  }
  /// Functions of nested cases, which have no limit of a constant's bits and become a small ROM
  /// where the node is constant.
  [[nodiscard]] std::string package() const {
    const int bits = field_bits(largest_);
    const auto digits = static_cast<int>((bits + 3) / 4);
    std::string text = fmt::format(
        "// SPDX-License-Identifier: Apache-2.0\n// The arrival contract of a plan: {} by {}, {} "
        "{}.\n`default_nettype none\npackage gsm_arrivals_pkg;\n"
        "  localparam int Nodes = {};\n  localparam int Ports = {};\n"
        "  localparam int Cycles = {};\n  localparam int PacketBits = {};\n",
        comment_text(plan_.collective), comment_text(plan_.algorithm), plan_.topology.dims_text(),
        plan_.topology.kind(), plan_.topology.nodes(), plan_.topology.ports(), contract_.cycles,
        bits);
    text +=
        "\n  // The packet that comes in by `port` of `node` in `cycle`, from 1; bit PacketBits: "
        "there is one.\n"
        "  function automatic logic [PacketBits:0] arrival(input int node, input int cycle,\n"
        "                                                 input int port);\n"
        "    arrival = '0;\n    case (node)\n";
    for_each_node(text, "cycle * Ports + port", [&](NodeId node) {
      for (const Arrival& arrival : contract_.arrivals[node]) {
        append_format(
            text, "        {}: arrival = {{1'b1, {}'h{:0{}x}}};\n",
            arrival.cycle * static_cast<std::uint64_t>(plan_.topology.ports()) + arrival.port, bits,
            arrival.packet, digits);
      }
    });
    text +=
        "  endfunction\n\n"
        "  // The first cycle in which a packet comes in at `node`; 0: it does not.\n";
    if (!members_) {
      text +=
          "  function automatic int first_cycle(input int node,\n"
          "                                     input logic [PacketBits-1:0] packet);\n"
          "    first_cycle = 0;\n    case (node)\n";
      for_each_node(text, "packet", [&](NodeId node) {
        for (const FirstArrival& first : contract_.first_arrivals(node)) {
          append_format(text, "        {}'h{:0{}x}: first_cycle = {};\n", bits, first.packet,
                        digits, first.cycle);
        }
      });
    } else {
      // 64 members at most.
      constexpr int kMemberBits = 6;
      text +=
          "  function automatic int first_cycle(input int node, input logic [5:0] member,\n"
          "                                     input logic [PacketBits-1:0] packet);\n"
          "    first_cycle = 0;\n    case (node)\n";
      for_each_node(text, "{member, packet}", [&](NodeId node) {
        for (const FirstArrival& first : contract_.first_arrivals(node)) {
          append_format(text, "        {{{}'d{}, {}'h{:0{}x}}}: first_cycle = {};\n", kMemberBits,
                        first.member, bits, first.packet, digits, first.cycle);
        }
      });
    }
    return text + "  endfunction\nendpackage\n`default_nettype wire\n";
  }

 private:
  /// The node's arrivals, by port and step.
  [[nodiscard]] std::vector<Arrival> by_port(NodeId node) const {
    std::vector<Arrival> arrivals = contract_.arrivals[node];
    std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
      return std::tie(a.port, a.step) < std::tie(b.port, b.step);
    });
    return arrivals;
  }

  /// The cases of a function, of each node with arrivals.
  template <typename Cases>
  void for_each_node(std::string& text, std::string_view selector, Cases cases) const {
    for (NodeId node = 0; node < contract_.arrivals.size(); ++node) {
      if (contract_.arrivals[node].empty()) continue;
      append_format(text, "      {}: case ({})\n", node, selector);
      cases(node);
      text += "        default: ;\n      endcase\n";
    }
    text += "      default: ;\n    endcase\n";
  }

  const Plan& plan_;
  ArrivalContract contract_;
  bool members_;
  PacketId largest_ = 0;
};

}  // namespace

std::string arrivals_json(const Plan& plan) { return ArrivalTexts(plan).json(); }

std::vector<EmittedFile> emit_arrivals(const Plan& plan) {
  const ArrivalTexts texts(plan);
  std::vector<EmittedFile> files{{"arrivals.csv", texts.csv()},
                                 {"arrivals.json", texts.json()},
                                 {"arrivals.memh", texts.memh()}};
  if (texts.has_package()) files.push_back({"gsm_arrivals_pkg.sv", texts.package()});
  return files;
}

}  // namespace emit_detail

}  // namespace gossamer
