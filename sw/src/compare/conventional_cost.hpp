// SPDX-License-Identifier: Apache-2.0
/// The conventional network's cost of collectives, also of long messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/compare/workload.hpp"

namespace gossamer::compare {

/// One collective in the same groups, for messages of any length.
class ConventionalCollective {
 public:
  /// `collective` has orders (wormhole::orders_of). `options` has the network, the quantities
  /// without bytes, the source and the groups.
  ConventionalCollective(const Topology& topology, std::string collective,
                         PhysicalComparisonOptions options);

  /// The order with the fewest cycles; naive is left out where there is staggered. Up to a length
  /// of the message all orders are simulated. Above that, cycles and energy continue linearly those
  /// of messages of that length and half of it, of the orders that are among the fastest at half
  /// the length.
  [[nodiscard]] ConventionalCost of_bytes(std::uint64_t bytes);

 private:
  struct Simulated {
    wormhole::Order order;
    std::uint64_t cycles;
    double femtojoules;
  };
  struct Line {
    Simulated half;
    Simulated full;
  };

  /// Empty if the order does not apply.
  [[nodiscard]] std::optional<Simulated> simulate(wormhole::Order order, std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t bytes_of_flits(std::uint64_t flits) const;
  void find_lines();
  [[nodiscard]] ConventionalCost beyond(const Line& line, std::uint64_t flits) const;

  Topology topology_;
  std::string collective_;
  PhysicalComparisonOptions options_;
  std::vector<wormhole::Order> orders_;
  std::uint64_t longest_ = 0;
  std::vector<Line> lines_;
};

}  // namespace gossamer::compare
