// SPDX-License-Identifier: Apache-2.0
/// The plan to build for each collective of a network, compared with the conventional network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/compare/physical.hpp"

namespace gossamer {

/// One collective and its message.
struct CollectiveSize {
  /// The name in plans: gossip, broadcast, reduce-scatter, all-reduce, reduce or all-to-all.
  std::string collective;
  /// Bytes per node, as compare_physical() takes them.
  std::uint64_t bytes = 0;
};

/// "all-gather=64KiB,all-to-all=4KiB". Throws InputError, naming `what`, for an empty word, an
/// unknown collective and an invalid size.
[[nodiscard]] std::vector<CollectiveSize> parse_collectives(std::string_view what,
                                                            std::string_view text);

/// The result for one collective.
struct Recommendation {
  CollectiveSize request;
  /// The plan with the fewest cycles; empty if no algorithm supports the network and the message.
  std::optional<PhysicalComparisonRow> plan{};
  /// The fastest plan that `emit --format sv` can build, if `plan` is not buildable and there is
  /// one.
  std::optional<PhysicalComparisonRow> buildable{};
  /// The fastest order of the conventional network; empty without it.
  std::optional<PhysicalComparisonRow> conventional{};
  /// Generic cells of the largest tile of to_build(); empty if they are not measured, or if that
  /// plan is not buildable.
  std::optional<std::uint64_t> cells{};

  /// The recommended plan: `buildable`, if any, otherwise `plan`.
  [[nodiscard]] const std::optional<PhysicalComparisonRow>& to_build() const {
    return buildable ? buildable : plan;
  }
};

struct Recommendations {
  Topology topology;
  /// Without bytes.
  PhysicalQuantities quantities;
  std::vector<Recommendation> collectives;
  /// Whether `cells` are measured.
  bool has_cells = false;
};

/// Compares the plans of each collective; `options.quantities.bytes` and the orders are replaced.
/// The conventional network sends in all orders except `naive`, whose simulation of large messages
/// takes minutes and which sends through one node at a time.
[[nodiscard]] Recommendations recommend(const Topology& topology,
                                        const std::vector<CollectiveSize>& collectives,
                                        PhysicalComparisonOptions options);

/// The request that makes the row's plan.
[[nodiscard]] PlanRequest plan_request(const Recommendations& all, const Recommendation& one,
                                       const PhysicalComparisonRow& row);

/// The same as a command of `gossamer plan`.
[[nodiscard]] std::string plan_command(const Recommendations& all, const Recommendation& one,
                                       const PhysicalComparisonRow& row);

/// Human-readable: an aligned table with a row per collective.
[[nodiscard]] std::string recommendation_table(const Recommendations& all,
                                               const TableStyle& style = {});
/// One JSON object with the same content.
[[nodiscard]] std::string recommendation_json(const Recommendations& all);

}  // namespace gossamer
