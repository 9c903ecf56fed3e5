// SPDX-License-Identifier: Apache-2.0
/// Compares the words of an engine that runs on words of the plan's type, lane by lane, with the
/// plan's sums.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/lane_words.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/sum_trees.hpp"

namespace gossamer {

/// Compares every final word of a node, bit by bit, with the result of its tree or, without trees,
/// with the combination of all words.
class ValueJudge final : public Observer {
 public:
  /// `trees` may be null. All must outlive the judge.
  ValueJudge(const Plan& plan, const SumTrees* trees, const LaneWords& words);

  bool on_links(const LinkView& view) override;
  /// The first difference found; empty: none.
  [[nodiscard]] const std::optional<std::string>& difference() const { return difference_; }
  /// Number of results compared.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  /// The results of a word of a link, by lane.
  [[nodiscard]] const std::vector<std::uint64_t>& expected(PacketId word);
  [[nodiscard]] std::uint64_t sum(PacketId word, int lane);

  const Plan& plan_;
  const SumTrees* trees_;
  const LaneWords& lanes_;
  std::uint64_t contributors_;
  /// Words of a piece, a flit each: results are numbered flit by flit.
  std::uint64_t flits_;
  /// Expected words by lane; empty: not computed yet.
  std::vector<std::vector<std::uint64_t>> expected_;
  std::vector<std::uint64_t> words_;
  std::uint64_t compared_ = 0;
  std::optional<std::string> difference_;
};

/// Whether the plan's values depend on the order of additions, and its trees are found quickly.
[[nodiscard]] bool values_show_order(const Plan& plan);
/// Whether the plan's links have several lanes, or its operation takes the larger or the smaller of
/// floats, and comparing the words takes little time.
[[nodiscard]] bool values_show_words(const Plan& plan);

/// The words that the engines of a run combine.
enum class RunWords : std::uint8_t {
  /// The plan's, by its operation, on all lanes.
  kAsPlanned,
  /// Those of the Verilated models: floats word by word, and the integers for which there are
  /// models with lanes, in parts of a link of up to 64 bits.
  kOfModels
};

/// Runs the plan again on the named engine, on test words of its type (float_words.hpp) and on all
/// lanes of its links, as often as short vectors require. Returns the first difference. `trees`:
/// those of a plan whose values show the order, otherwise null.
[[nodiscard]] std::optional<std::string> compare_values(std::string_view engine, const Plan& plan,
                                                        const SumTrees* trees,
                                                        const EngineOptions& options);
/// Runs an engine with these options and this observer, up to `limit` steps. Returns a difference
/// that it finds itself; empty: none.
using ValueRun = std::function<std::optional<std::string>(const EngineOptions& options,
                                                          std::uint64_t limit, Observer& observer)>;
[[nodiscard]] std::optional<std::string> compare_values(const Plan& plan, const SumTrees* trees,
                                                        const EngineOptions& options,
                                                        RunWords words, const ValueRun& run);

}  // namespace gossamer
