// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/cores.hpp"

#include <algorithm>
#include <optional>

#include "gossamer/bounds/gossip.hpp"

namespace gossamer::bounds {

namespace {

/// `total` as `parts` numbers that are as equal as possible, larger ones first.
std::vector<std::uint32_t> equal_parts(std::uint32_t total, std::uint32_t parts) {
  std::vector<std::uint32_t> sizes(parts, total / parts);
  std::fill_n(sizes.begin(), total % parts, total / parts + 1);
  return sizes;
}

/// Completes a form; empty when two words would share a core's node. Words of different blocks may
/// not have the same left node of a core, nor the same right node: their messages would meet.
std::optional<CoresForm> form_of(std::uint32_t side, std::uint32_t words,
                                 std::vector<std::uint32_t> sizes, bool pairs) {
  CoresForm form{std::move(sizes), pairs};
  std::vector<bool> is_left(side, false);
  std::vector<bool> is_right(side, false);
  std::uint32_t start = 0;
  std::uint32_t smallest = 2;
  for (const std::uint32_t size : form.sizes) {
    const std::uint32_t right = start + size / 2;
    const std::uint32_t left = form.is_pair(size) ? right - 1 : right;
    if (!form.is_pair(size)) smallest = 1;
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint32_t l = (left + word) % side;
      const std::uint32_t r = (right + word) % side;
      if (is_left[l] || is_right[r]) return std::nullopt;
      is_left[l] = true;
      is_right[r] = true;
    }
    form.reduce_steps = std::max(form.reduce_steps, size / 2);
    start += size;
  }
  form.gather_steps = (side - smallest + 1) / 2;
  return form;
}

/// The best of the page's forms, or of those with equal blocks.
CoresForm best_form(std::uint32_t side, std::uint32_t words, bool equal) {
  CoresForm best;
  const auto consider = [&](std::vector<std::uint32_t> sizes, bool pairs) {
    auto form = form_of(side, words, std::move(sizes), pairs);
    if (!form) return;
    const bool better = best.sizes.empty() || form->reduce_steps + form->gather_steps <
                                                  best.reduce_steps + best.gather_steps;
    if (better) best = *std::move(form);
  };
  const bool even = side % 2 == 0;
  for (std::uint32_t blocks = 1; blocks <= side / words; ++blocks) {
    if (equal && side % blocks != 0) continue;
    consider(equal_parts(side, blocks), false);
    if (!even) continue;
    consider(equal_parts(side, blocks), true);
    if (equal || blocks > side / 2) continue;
    std::vector<std::uint32_t> sizes = equal_parts(side / 2, blocks);
    for (std::uint32_t& size : sizes) size *= 2;
    consider(std::move(sizes), true);
  }
  return best;
}

}  // namespace

CoresForm cores_form(std::uint32_t side, std::uint32_t words) {
  return best_form(side, words, false);
}

CoresForm equal_cores_form(std::uint32_t side, std::uint32_t words) {
  return best_form(side, words, true);
}

std::uint64_t CoresForm::steps(std::uint32_t dimensions) const {
  std::uint64_t side = 0;
  for (const std::uint32_t size : sizes) side += size;
  return reduce_steps + (dimensions - 1) * (side / 2) + gather_steps;
}

std::uint64_t cores_steps(std::uint32_t side, std::uint32_t dimensions, std::uint64_t words) {
  return cores_form(side, static_cast<std::uint32_t>(ceil_div(words, dimensions)))
      .steps(dimensions);
}

}  // namespace gossamer::bounds
