// SPDX-License-Identifier: Apache-2.0
/// Summation trees as a document, `gossamer-sums` (docs/sums.schema.json), and as text.
#pragma once

#include <string>

#include "gossamer/sim/sum_trees.hpp"

namespace gossamer {

/// The document. Trees that are rotations of one another along a cycle, or displacements on a
/// torus, share a shape and an order of nodes. The trees have no problem().
[[nodiscard]] std::string sums_document(const Plan& plan, const SumTrees& trees);

/// A summary, the digest of all words, and a line for each word.
[[nodiscard]] std::string sums_listing(const Plan& plan, const SumTrees& trees);
/// The tree of one word and its digest.
[[nodiscard]] std::string sum_listing(const SumTrees& trees, std::uint64_t word);

}  // namespace gossamer
