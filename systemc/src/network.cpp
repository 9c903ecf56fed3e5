// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gossamer::systemc {

namespace {

/// What each out-port of `node` is told. A port beyond the border of a mesh is told nothing, and a
/// feed from beyond it never brings anything.
std::vector<PortProgram> table_of(const Topology& topology, const StreamProgram& program,
                                  NodeId node) {
  std::vector<PortProgram> table(static_cast<std::size_t>(topology.ports()));
  for (std::size_t p = 0; p < table.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (topology.neighbor(node, port) != kNoNode) table[p] = program.at(node, port);
  }
  return table;
}

std::size_t slots(const Topology& topology) {
  return static_cast<std::size_t>(topology.link_slots());
}

}  // namespace

std::string link_wave_name(const Topology& topology, LinkId link) {
  return fmt::format("node_{}.{}", topology.link_from(link), port_name(topology.link_port(link)));
}

Network::Network(const sc_core::sc_module_name& name, const Plan& plan, std::uint64_t steps)
    : sc_core::sc_module(name),
      own_data_i("own_data_i", std::size_t{plan.topology.nodes()} *
                                   std::get<StreamProgram>(plan.program).packets_per_node()),
      deliver_valid_o("deliver_valid_o", slots(plan.topology)),
      deliver_data_o("deliver_data_o", slots(plan.topology)),
      busy_o("busy_o", plan.topology.nodes()),
      done_o("done_o", plan.topology.nodes()),
      error_o("error_o", plan.topology.nodes()),
      topology_(plan.topology),
      routers_("router"),
      interfaces_("interface"),
      link_valid_("link_valid", slots(topology_)),
      link_data_("link_data", slots(topology_)),
      inject_valid_("inject_valid", slots(topology_)),
      inject_data_("inject_data", slots(topology_)) {
  const auto& program = std::get<StreamProgram>(plan.program);
  const std::uint32_t depth = plan.expected.queue_depth;
  routers_.init(topology_.nodes(), [&](const char* router_name, std::size_t node) {
    return new Router(router_name, table_of(topology_, program, static_cast<NodeId>(node)), depth);
  });
  interfaces_.init(topology_.nodes(), [&](const char* interface_name, std::size_t node) {
    std::vector<std::vector<std::uint16_t>> preload;
    for (const PortProgram& port : table_of(topology_, program, static_cast<NodeId>(node))) {
      // What the queue has no room for is lost at once, as in the plan's machine model.
      const std::size_t kept = std::min<std::size_t>(depth, port.preload.size());
      preload.emplace_back(port.preload.begin(),
                           port.preload.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    return new NetworkInterface(interface_name, std::move(preload), program.packets_per_node(),
                                steps);
  });

  const std::size_t packets = program.packets_per_node();
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    Router& router = routers_[node];
    NetworkInterface& interface = interfaces_[node];
    router.clk_i(clk_i);
    router.rst_ni(rst_ni);
    router.clear_i(clear_i);
    router.error_o(error_o[node]);
    interface.clk_i(clk_i);
    interface.rst_ni(rst_ni);
    interface.clear_i(clear_i);
    interface.start_i(start_i);
    interface.busy_o(busy_o[node]);
    interface.done_o(done_o[node]);
    for (std::size_t i = 0; i < packets; ++i) {
      interface.own_data_i[i](own_data_i[node * packets + i]);
    }
    for (int p = 0; p < topology_.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const LinkId out = topology_.link(node, port);
      router.inject_valid_i[port](inject_valid_[out]);
      router.inject_data_i[port](inject_data_[out]);
      router.out_valid_o[port](link_valid_[out]);
      router.out_data_o[port](link_data_[out]);
      interface.inject_valid_o[port](inject_valid_[out]);
      interface.inject_data_o[port](inject_data_[out]);
      interface.deliver_valid_o[port](deliver_valid_o[out]);
      interface.deliver_data_o[port](deliver_data_o[out]);
      const LinkId in = topology_.link_into(node, port);
      const bool exists = in != kNoLink;
      router.in_valid_i[port](exists ? link_valid_[in] : idle_valid_);
      router.in_data_i[port](exists ? link_data_[in] : idle_data_);
      interface.in_valid_i[port](exists ? link_valid_[in] : idle_valid_);
      interface.in_data_i[port](exists ? link_data_[in] : idle_data_);
    }
  }
}

void Network::trace(sc_core::sc_trace_file* file) const {
  for (LinkId link = 0; link < slots(topology_); ++link) {
    if (topology_.neighbor(topology_.link_from(link), topology_.link_port(link)) == kNoNode) {
      continue;
    }
    const std::string name = link_wave_name(topology_, link);
    sc_core::sc_trace(file, link_valid_[link], name + ".valid");
    sc_core::sc_trace(file, link_data_[link], name + ".packet");
  }
}

}  // namespace gossamer::systemc
