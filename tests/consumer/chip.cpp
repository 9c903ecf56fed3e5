// SPDX-License-Identifier: Apache-2.0
#include "chip.hpp"

#include <algorithm>
#include <array>

#include "gossamer/planner/planner.hpp"
#include "gossamer/systemc/stream/router.hpp"

namespace {

class PlannedChip final : public Chip {
 public:
  PlannedChip(sc_core::sc_clock& clk, sc_core::sc_signal<bool>& rst_n,
              sc_core::sc_signal<bool>& clear, sc_core::sc_signal<bool>& start)
      : plan_(gossamer::make_plan(
            {gossamer::Topology::torus(std::array{4U, 4U}), "all-gather", {}, {}, {}})),
        fabric_("fabric", plan_.topology, [this](const char* name, gossamer::NodeId node) {
          return std::make_unique<gossamer::systemc::StreamRouter>(
              name, gossamer::systemc::router_table(plan_, node));
        }) {
    fabric_.clk_i(clk);
    fabric_.rst_ni(rst_n);
    fabric_.clear_i(clear);
    fabric_.start_i(start);
  }
  std::uint64_t busy_links() override {
    const auto links = fabric_.links();
    return links.size() -
           static_cast<std::uint64_t>(std::count(links.begin(), links.end(), gossamer::kNoPacket));
  }

 private:
  gossamer::Plan plan_;
  gossamer::systemc::PacketFabric fabric_;
};

}  // namespace

std::unique_ptr<Chip> make_chip(sc_core::sc_clock& clk, sc_core::sc_signal<bool>& rst_n,
                                sc_core::sc_signal<bool>& clear, sc_core::sc_signal<bool>& start) {
  return std::make_unique<PlannedChip>(clk, rst_n, clear, start);
}
