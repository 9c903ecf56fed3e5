// SPDX-License-Identifier: Apache-2.0
/// The top of a network whose tiles take own words from streams: wired tile by tile, with ports per
/// node, so that no port grows with the message or with the number of nodes.
#pragma once

#include "sv_text.hpp"

namespace gossamer::emit_detail {

/// Fills the network's gsm_tile.sv, the library's module `network.tile.node` with the element side
/// of streams, its gsm_fabric.sv, and the instance in gsm_fabric_tb. `shape` is that of the
/// package. `body`: that of gsm_tile; empty: the node alone.
void use_streams(const Topology& topology, const FabricShape& shape, NetworkFiles& network,
                 std::string_view body = {});

}  // namespace gossamer::emit_detail
