// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/ring/verilated_node.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../models/library.hpp"

namespace gossamer::tb {

namespace {

/// The models of rtl/CMakeLists.txt, smallest first. Those of floats are not as many.
struct NodeEntry {
  int ports;
  std::uint32_t frame;
  const char* name;
  /// Also for other words than 64-bit integers.
  bool has_others;
  bool has_packets = false;
};
constexpr NodeEntry kNodes[] = {
    {4, 1, "gsm_combining_node_p4_f1", true},
    {8, 1, "gsm_combining_node_p8_f1", false},
    {16, 1, "gsm_combining_node_p16_f1", true},
    {8, 2, "gsm_combining_node_p8_f2", true},
    {4, 1, "gsm_combining_node_p4_packets", true, true},
    {16, 1, "gsm_combining_node_p16_packets", true, true},
};

}  // namespace

std::unique_ptr<VerilatedCombiningNode> make_verilated_combining_node(
    const Combination& combination, int ports, std::uint32_t frame, const CombiningWiring& wiring,
    NodeId node, bool find_ranks, const ModelWords& words, const PacketCycles& packets) {
  static_cast<void>(LegFormat::of(combination));
  for (const NodeEntry& model : kNodes) {
    // A lane belongs to an out-column, so there are at most as many lanes as columns.
    if (words.is_special() && !model.has_others) continue;
    if (packets.any() != model.has_packets) continue;
    const bool fits = model.ports >= ports && model.ports >= static_cast<int>(wiring.in.size());
    if (fits && model.frame == frame) {
      return model_maker<CombiningNodeMaker>(words.model(model.name))(
          combination, ports, wiring, node, find_ranks, put_leg, packets);
    }
  }
  throw std::invalid_argument(fmt::format(
      "a Verilated combining node has frames of 1 or {} slots; not {}", kMaxCombiningFrame, frame));
}

}  // namespace gossamer::tb
