// SPDX-License-Identifier: Apache-2.0
/// The library's gsm_fabric with ports for the data of each node instead of ports for all nodes,
/// so that no port of data grows with the number of nodes.
#pragma once

#include <cstdint>
#include <string>

namespace gossamer::emit_detail {

/// gsm_fabric.sv of a network of `nodes` nodes. Node n has the ports n<n>_own_data_i,
/// n<n>_deliver_data_o and n<n>_link_data_o; all others are those of the library's top.
[[nodiscard]] std::string split_top_text(std::string top, std::uint64_t nodes);
/// The testbench gsm_fabric_tb with an instance of that top.
[[nodiscard]] std::string split_testbench_text(std::string testbench, std::uint64_t nodes);

}  // namespace gossamer::emit_detail
