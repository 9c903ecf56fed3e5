// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/sums_of_vectors.hpp"

#include <fmt/format.h>

#include "gossamer/plan/link_words.hpp"
#include "gossamer/sim/float_words.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Whether an array's elements are words of the type.
bool has_words(WordType type, const NpyArray& array) {
  switch (type) {
    case WordType::kUint:
      return array.type[0] == 'u';
    case WordType::kInt:
      return array.type[0] == 'i';
    case WordType::kBfloat16:
      return array.type == "u2" || array.type == "V2";
    default:
      return array.type == fmt::format("f{}", float_format(type)->bits() / 8);
  }
}

std::string_view numpy_type(WordType type) {
  if (type == WordType::kUint) return "unsigned integers";
  if (type == WordType::kInt) return "signed integers";
  return type == WordType::kBfloat16 ? "uint16" : word_type_name(type);
}

}  // namespace

std::vector<std::uint64_t> sums_of_vectors(const Plan& plan, const SumTrees& trees,
                                           const NpyArray& vectors, std::string_view name) {
  const WordType type = plan.demand.type;
  if (!has_words(type, vectors)) {
    throw InputError(
        fmt::format("{}: dtype is {}; {} is expected", name, vectors.type, numpy_type(type)));
  }
  if (vectors.rows != trees.nodes()) {
    throw InputError(
        fmt::format("{}: {} rows are given for {} nodes", name, vectors.rows, trees.nodes()));
  }
  const auto lanes = static_cast<std::uint64_t>(link_words(plan).lanes());
  const std::uint64_t words = lanes * trees.elements();
  if (vectors.columns != words) {
    throw InputError(
        fmt::format("{}: {} columns are given for {} words", name, vectors.columns, words));
  }
  const Arithmetic arithmetic = hardware_arithmetic(plan);
  const auto element_bits = static_cast<int>(8 * vectors.bytes());
  std::vector<std::uint64_t> sums;
  sums.reserve(words);
  std::vector<std::uint64_t> column(trees.nodes());
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint32_t node = 0; node < trees.nodes(); ++node) {
      const std::uint64_t own = vectors.words[node * vectors.columns + word];
      column[node] = arithmetic.widened(own);
    }
    std::uint64_t sum =
        arithmetic.result(trees.evaluate(trees.tree_of(word / lanes), column, arithmetic));
    // An element with a sign is wider than the word.
    const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(arithmetic.bits - 1);
    if (type == WordType::kInt && element_bits > arithmetic.bits && (sum & sign) != 0) {
      sum |= ~arithmetic.mask();
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace gossamer
