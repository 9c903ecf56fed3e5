// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/combination_order.hpp"

#include <fmt/format.h>

namespace gossamer {

std::string different_orders(std::uint64_t word, NodeId node, NodeId other) {
  return fmt::format("word {}: node {} has another tree than node {}", word, node, other);
}

}  // namespace gossamer
