// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/combination_order.hpp"

#include <fmt/format.h>

namespace gossamer {

std::string different_orders(std::uint64_t word, NodeId node, NodeId other) {
  return fmt::format(
      "word {}: node {} combines in another order than node {}, and the operation depends on it",
      word, node, other);
}

}  // namespace gossamer
