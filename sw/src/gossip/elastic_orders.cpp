// SPDX-License-Identifier: Apache-2.0
#include "elastic_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Arrivals of a round that a plan may list.
constexpr std::uint64_t kMostArrivals = std::uint64_t{1} << 22U;
/// Distinct port programs that a plan may have.
constexpr std::uint64_t kMostPortPrograms = 65535;

/// An out-port of the rigid run: how many packets it has been given and has sent, and who gave
/// those behind its own ones.
struct CountedPort {
  std::uint64_t given = 0;
  std::uint64_t sent = 0;
  std::vector<std::uint32_t> order;
};

/// Only how many packets are where: which ones does not matter to who is sent next.
std::vector<CountedPort> counted_run(const Topology& topology, const StreamProgram& program,
                                     std::uint64_t steps) {
  const auto ports = static_cast<std::size_t>(topology.ports());
  std::vector<CountedPort> outs(topology.link_slots());
  for (LinkId link = 0; link < outs.size(); ++link) {
    outs[link].given =
        program.at(topology.link_from(link), topology.link_port(link)).preload.size();
  }
  std::vector<bool> sends(outs.size());
  for (std::uint64_t step = 1; step <= steps; ++step) {
    for (LinkId link = 0; link < outs.size(); ++link) {
      sends[link] = outs[link].sent < outs[link].given;
      if (sends[link]) ++outs[link].sent;
    }
    for (LinkId link = 0; link < outs.size(); ++link) {
      const NodeId node = topology.link_from(link);
      for (const Port feed : program.at(node, topology.link_port(link)).feed_at(step)) {
        const LinkId into = topology.link_into(node, feed);
        if (into == kNoLink || !sends[into]) continue;
        outs[link].order.push_back(
            static_cast<std::uint32_t>((outs[into].sent - 1) * ports + feed));
        ++outs[link].given;
      }
    }
  }
  return outs;
}

}  // namespace

bool merges(const StreamProgram& program) {
  return std::any_of(program.dictionary().begin(), program.dictionary().end(),
                     [](const PortProgram& at) { return at.has_fan_in() || at.switch_step != 0; });
}

StreamProgram with_orders(const Topology& topology, const StreamProgram& program,
                          std::uint64_t steps) {
  if (topology.link_slots() > kMostPortPrograms || steps > kMostArrivals / topology.link_slots()) {
    throw InfeasibleError(
        fmt::format("elastic: streams merge in {} steps at {} out-ports, in orders too long for a "
                    "plan; nearest feasible: --algorithm hamiltonian",
                    steps, topology.link_slots()));
  }
  const auto ports = static_cast<std::uint32_t>(topology.ports());
  StreamProgram ordered(topology.nodes(), topology.ports(), program.packets_per_node());
  std::vector<CountedPort> outs = counted_run(topology, program, steps);
  for (LinkId link = 0; link < outs.size(); ++link) {
    CountedPort& out = outs[link];
    if (out.sent == 0) continue;
    const NodeId node = topology.link_from(link);
    const Port port = topology.link_port(link);
    PortProgram told;
    told.preload = program.at(node, port).preload;
    told.carries = static_cast<std::uint32_t>(out.sent);
    if (out.sent < told.preload.size()) {
      throw std::logic_error("a plan's steps are over before its own packets are out");
    }
    out.order.resize(out.sent - told.preload.size());
    bool plain = true;
    for (std::size_t i = 0; i < out.order.size(); ++i) {
      told.feed.insert(static_cast<Port>(out.order[i] % ports));
      plain = plain && out.order[i] == i * ports + told.feed.front();
    }
    if (!plain) told.order = std::move(out.order);
    ordered.set(node, port, told);
  }
  return ordered;
}

}  // namespace gossamer
