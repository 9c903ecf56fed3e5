// SPDX-License-Identifier: Apache-2.0
/// The RTL of a combining node (router and network interface) as a plain C++ object:
/// gsm_combining_node, Verilated, with gsm_rank_discovery if it must find its ranks. No SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gossamer/machines/ring/tables.hpp"
#include "gossamer/plan/step_pipeline.hpp"
#include "gossamer/tb/model_words.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer::tb {

/// A word on a link or in the vector: its sum as the model has it, and the number of its
/// contributions, which the RTL adds up as extra bits of a wider word.
struct CountedWord {
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

/// The largest number of slots of a frame among the models.
inline constexpr std::uint32_t kMaxCombiningFrame = 2;

/// The pins of a node, by the names of docs/tile.md, by port or lane. Words whose
/// valid bit is 0 are meaningless.
struct CombiningPins {
  // Inputs.
  bool start_i = false;
  PortSet in_valid_i;
  std::array<CountedWord, kMaxPorts> in_data_i{};
  std::array<CountedWord, kMaxPorts> operand_data_i{};
  std::array<CountedWord, kMaxPorts> first_data_i{};
  // Outputs.
  bool first_o = false;
  bool busy_o = false;
  bool fault_o = false;
  std::array<std::uint32_t, kMaxPorts> operand_address_o{};
  std::array<std::uint32_t, kMaxPorts> first_address_o{};
  PortSet write_valid_o;
  std::array<std::uint32_t, kMaxPorts> write_address_o{};
  std::array<CountedWord, kMaxPorts> write_data_o{};
  PortSet out_valid_o;
  std::array<CountedWord, kMaxPorts> out_data_o{};
};

/// The words of a packet, and the cycles of an adder; by default, single words and adders without
/// delay.
struct PacketCycles {
  StepPipeline pipeline;
  std::uint32_t adder_cycles = 0;

  [[nodiscard]] bool any() const { return adder_cycles != 0 || !pipeline.plain(); }
};
/// The most cycles of a step in the models with packets.
inline constexpr std::uint32_t kMostModelStepCycles = 1024;

class VerilatedCombiningNode {
 public:
  VerilatedCombiningNode() = default;
  VerilatedCombiningNode(const VerilatedCombiningNode&) = delete;
  VerilatedCombiningNode& operator=(const VerilatedCombiningNode&) = delete;
  virtual ~VerilatedCombiningNode() = default;

  [[nodiscard]] CombiningPins& pins() { return pins_; }
  /// The asynchronous reset: found ranks are unknown again.
  virtual void reset() = 0;
  /// Empties node and counters.
  virtual void clear() = 0;
  /// Applies the inputs; the outputs follow within the cycle. Throws RtlAssertion.
  virtual void settle() = 0;
  /// One rising edge of the clock; then the outputs are those of the next cycle. Throws
  /// RtlAssertion.
  virtual void clock() = 0;

 protected:
  CombiningPins pins_;
};

/// The node `node` of a combining plan after reset. `combination` must outlive it. `find_ranks`:
/// the first round after reset finds the ranks and writes nothing, as in gsm_vector_node. Throws
/// InputError like LegFormat::of, and std::invalid_argument for frames of more than
/// kMaxCombiningFrame slots.
[[nodiscard]] std::unique_ptr<VerilatedCombiningNode> make_verilated_combining_node(
    const Combination& combination, int ports, std::uint32_t frame, const CombiningWiring& wiring,
    NodeId node, bool find_ranks = false, const ModelWords& words = {},
    const PacketCycles& packets = {});

/// The function that a model exports to create one.
/// `writer` is put_leg, which models do not link.
using CombiningNodeMaker = std::unique_ptr<VerilatedCombiningNode>(
    const Combination& combination, int ports, const CombiningWiring& wiring, NodeId node,
    bool find_ranks, decltype(put_leg)& writer, const PacketCycles& packets);

}  // namespace gossamer::tb
