// SPDX-License-Identifier: Apache-2.0
#include "embedded.hpp"

#include <utility>

#include "gossamer/util/error.hpp"

namespace gossamer {

EmbeddedProgram embedded_timetable(const TimetableProgram& guest, const Embedding& embedding) {
  // All nodes map a port of the guest in the same way.
  std::vector<Port> ports(static_cast<std::size_t>(guest.ports()));
  for (NodeWalk walk(embedding.guest); !walk.done(); walk.next()) {
    for (const Port port : all_ports(guest.ports())) {
      if (walk.neighbor(port) != kNoNode) ports[port] = embedding.link(walk.node(), port).port;
    }
  }
  if (embedding.frame != 1) throw InfeasibleError("timetables cannot be embedded in frames");
  // Arrivals of one step are handled in the order of their ports, and with some demands own words
  // are numbered by position.
  for (NodeId node = 0; node < embedding.guest.nodes(); ++node) {
    if (embedding.nodes[node] != node)
      throw InfeasibleError("timetables cannot be moved to other nodes");
  }
  TimetableProgram host(embedding.host.nodes(), embedding.host.ports(), guest.own(),
                        guest.delivery(), guest.repetition());
  host.relative = guest.relative;
  host.rotation = guest.rotation;
  host.flits = guest.flits;
  host.adder_cycles = guest.adder_cycles;
  host.step_cycles = guest.step_cycles;
  for (TimetableRom rom : guest.roms()) {
    for (SendRow& row : rom.sends) row.port = ports[row.port];
    for (ArrivalRow& row : rom.arrivals) row.port = ports[row.port];
    host.intern(std::move(rom));
  }
  if (const auto classes = guest.parity_roms(); !classes.empty()) {
    host.assign_by_parity(embedding.host, {classes.begin(), classes.end()});
    return {std::move(host), 0};
  }
  for (NodeId node = 0; !guest.one_rom() && node < embedding.guest.nodes(); ++node) {
    host.assign(embedding.nodes[node], guest.rom_of(node));
  }
  return {std::move(host), 0};
}

}  // namespace gossamer
