// SPDX-License-Identifier: Apache-2.0
/// The results that a reduction must give for vectors, by its summation trees.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gossamer/sim/sum_trees.hpp"
#include "gossamer/util/npy.hpp"

namespace gossamer {

/// The sums by word; `vectors` has a row per node and a column per word. Floats have the plan's
/// type, bfloat16 is `u2` or `V2`; integers have any width and are taken modulo the width of the
/// plan's words. Throws InputError, beginning with `name`, for another array.
[[nodiscard]] std::vector<std::uint64_t> sums_of_vectors(const Plan& plan, const SumTrees& trees,
                                                         const NpyArray& vectors,
                                                         std::string_view name);

}  // namespace gossamer
