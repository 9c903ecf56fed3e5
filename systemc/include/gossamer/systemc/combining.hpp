// SPDX-License-Identifier: Apache-2.0
/// Fabrics whose links carry words that nodes combine, and whose nodes write results.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>

#include "gossamer/plan/step_pipeline.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

/// The content of a link: a word, and two fields for observers only, its number and its number of
/// contributions.
struct CombinedWord {
  PacketId packet = kNoPacket;
  std::uint64_t value = 0;
  std::uint32_t terms = 0;

  bool operator==(const CombinedWord&) const = default;
};
std::ostream& operator<<(std::ostream& out, const CombinedWord& word);
void sc_trace(sc_core::sc_trace_file* file, const CombinedWord& word, const std::string& name);

template <>
struct WordTraits<CombinedWord> {
  static constexpr CombinedWord kIdle{};
  [[nodiscard]] static bool is_idle(const CombinedWord& word) { return word.packet == kNoPacket; }
  static void upset(CombinedWord& word, const Upset& upset) {
    if (upset.drop) {
      word = {};
    } else {
      word.value ^= upset.flip;
    }
  }
  struct Wave {
    bool valid = false;
    CombinedWord word;
    void trace(sc_core::sc_trace_file* file, const std::string& link) const {
      sc_core::sc_trace(file, valid, link + ".valid");
      sc_core::sc_trace(file, word.packet, link + ".packet");
      sc_core::sc_trace(file, word.value, link + ".value");
    }
    void show(const CombinedWord& shown) {
      valid = !is_idle(shown);
      if (valid) word = shown;
    }
  };
};
using CombiningFabric = Fabric<CombinedWord>;
extern template class Fabric<CombinedWord>;

/// A node: router, network interface and the memory of its words.
class CombiningModule : public RouterModule<CombinedWord> {
 public:
  using RouterModule<CombinedWord>::RouterModule;
  /// The words that the interface wrote at the edge that ended `cycle`.
  [[nodiscard]] virtual std::span<const Result> results(std::uint64_t cycle) const = 0;
};

/// An engine called `name` whose nodes are the CombiningModules that `make_node` creates. Before
/// the run they have `finding_cycles` cycles to find their ranks; throws InputError if a node does
/// not find its rank. `pipeline` describes the plan's steps.
[[nodiscard]] std::unique_ptr<Engine> make_combining_fabric_engine(
    const Plan& plan, std::string name, const CombiningFabric::RouterFactory& make_node,
    const EngineOptions& options, std::uint64_t finding_cycles = 0,
    const StepPipeline& pipeline = {});

}  // namespace gossamer::systemc
