// SPDX-License-Identifier: Apache-2.0
/// Real words of a plan's type on an engine, compared with the plan's summation trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/sum_trees.hpp"

namespace gossamer {

/// Compares, bit by bit, every word that a node ends with and the result of its tree.
class ValueJudge final : public Observer {
 public:
  /// All must outlive the judge.
  ValueJudge(const Plan& plan, const SumTrees& trees, const Arithmetic& arithmetic);

  bool on_links(const LinkView& view) override;
  /// The first difference that was seen; empty: none.
  [[nodiscard]] const std::optional<std::string>& difference() const { return difference_; }
  /// Results that were compared.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  [[nodiscard]] std::uint64_t expected(PacketId word);

  const Plan& plan_;
  const SumTrees& trees_;
  const Arithmetic& arithmetic_;
  std::uint64_t contributors_;
  /// Results are numbered flit by flit.
  std::uint64_t flits_;
  std::vector<std::optional<std::uint64_t>> expected_;
  std::vector<std::uint64_t> words_;
  std::uint64_t compared_ = 0;
  std::optional<std::string> difference_;
};

/// Runs the plan again on the named engine, on test words of its type (float_words.hpp), as often
/// as short vectors require. Returns the first difference. An engine whose words are combined by
/// hardware without the type is not run.
[[nodiscard]] std::optional<std::string> compare_values(std::string_view engine, const Plan& plan,
                                                        const SumTrees& trees,
                                                        const EngineOptions& options);

}  // namespace gossamer
