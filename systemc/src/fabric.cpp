// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/fabric.hpp"

#include <fmt/format.h>

namespace gossamer::systemc {

std::string link_wave_name(const Topology& topology, LinkId link) {
  return fmt::format("node_{}.{}", topology.link_from(link), port_name(topology.link_port(link)));
}

template class Fabric<PacketId>;

}  // namespace gossamer::systemc
