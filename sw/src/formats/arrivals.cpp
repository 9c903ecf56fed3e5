// SPDX-License-Identifier: Apache-2.0
/// The arrival map: by node, input port and step the arriving packet, from a run of the plan on its
/// fast engine; for cut-through messages, the step of the send. It is meant for users with their
/// own network interfaces: the memory address of a packet is known before it arrives, without a
/// header.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "../emit/expected_run.hpp"
#include "../emit/network_text.hpp"
#include "../emit/sv_text.hpp"
#include "formats.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Entries of the largest map: 128 MB in memory, and about as much in each file.
constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 24U;

class ArrivalMap {
 public:
  explicit ArrivalMap(const Plan& plan)
      : topology_(plan.topology),
        steps_(planned_count(plan.expected.analytic_steps, "steps", "arrivals")) {
    const std::uint64_t ports = topology_.link_slots();
    if (steps_ > kMaxEntries / ports) {
      throw InputError(
          fmt::format("format arrivals: {} in-ports in {} steps are more than {} entries; simulate "
                      "--trace writes them one by one",
                      ports, steps_, kMaxEntries));
    }
    packets_.assign(ports * steps_, kNoPacket);
    observe_links(plan, steps_, [this](std::uint64_t step, std::size_t link, PacketId packet) {
      // A prefix precedes the first step.
      if (step == 0 || step > steps_) return;
      const NodeId to = topology_.neighbor(topology_.link_from(static_cast<LinkId>(link)),
                                           topology_.link_port(static_cast<LinkId>(link)));
      const Port in = opposite(topology_.link_port(static_cast<LinkId>(link)));
      packets_[topology_.link(to, in) * steps_ + step - 1] = packet;
      largest_ = std::max(largest_, packet);
    });
  }

  [[nodiscard]] std::string csv() const {
    std::string text = "node,in_port,step,packet\n";
    for_each_port([&](NodeId node, Port port) {
      for (std::uint64_t step = 1; step <= steps_; ++step) {
        const PacketId packet = at(node, port, step);
        if (packet == kNoPacket) continue;
        append_format(text, "{},{},{},{}\n", node, port_name(port), step, packet);
      }
    });
    return text;
  }

  [[nodiscard]] std::string json(const Plan& plan) const {
    std::string text = fmt::format("{{\n\"format\": \"gossamer-arrivals\",\n{},\n\"in_ports\": [",
                                   json_network(plan, packets_per_node(plan), steps_));
    bool first = true;
    for_each_port([&](NodeId node, Port port) {
      append_format(text, "{}\n  {{\"node\": {}, \"in_port\": \"{}\", \"packets\": [",
                    first ? "" : ",", node, port_name(port));
      first = false;
      for (std::uint64_t step = 1; step <= steps_; ++step) {
        const PacketId packet = at(node, port, step);
        text += step == 1 ? "" : ", ";
        text += packet == kNoPacket ? "null" : fmt::format("{}", packet);
      }
      text += "]}";
    });
    return text + "\n]\n}\n";
  }

  [[nodiscard]] std::string memh(const Plan& plan) const {
    const std::array<NetworkFact, 2> facts{
        {{"packets_per_node", packets_per_node(plan)}, {"steps", steps_}}};
    const auto digits = static_cast<int>((std::bit_width(largest_ + 1) + 3) / 4);
    std::string text = fmt::format(
        "// The packet that comes in, and one more; 0: none.\n// {}\n"
        "// One word a node, step and in-port, address (node * {} + step - 1) * {} + in-port.\n",
        network_line(plan, facts), steps_, topology_.ports());
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (std::uint64_t step = 1; step <= steps_; ++step) {
        for (const Port port : all_ports(topology_.ports())) {
          const PacketId packet = at(node, port, step);
          append_format(text, "{:0{}x}\n", packet == kNoPacket ? 0 : packet + 1, digits);
        }
      }
    }
    return text;
  }

 private:
  [[nodiscard]] PacketId at(NodeId node, Port in_port, std::uint64_t step) const {
    return packets_[topology_.link(node, in_port) * steps_ + step - 1];
  }
  /// The in-ports that links lead to, in ascending order.
  template <typename Visit>
  void for_each_port(Visit visit) const {
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (const Port port : all_ports(topology_.ports())) {
        if (walk.sender(port) != kNoNode) visit(walk.node(), port);
      }
    }
  }

  const Topology& topology_;
  std::uint64_t steps_;
  PacketId largest_ = 0;
  /// By in-port (node * ports + port), then step.
  std::vector<PacketId> packets_;
};

}  // namespace

std::vector<EmittedFile> emit_arrivals(const Plan& plan) {
  const ArrivalMap map(plan);
  return {{"arrivals.csv", map.csv()},
          {"arrivals.json", map.json(plan)},
          {"arrivals.memh", map.memh(plan)}};
}

}  // namespace gossamer::emit_detail
