// SPDX-License-Identifier: Apache-2.0
/// The closed form of `cores`, an all-reduce of short vectors on tori with equal sides.
/// docs/spec/middle-reductions.md has the proofs.
#pragma once

#include <cstdint>
#include <vector>

namespace gossamer::bounds {

/// How a ring of one dimension is cut into blocks for `words` words. The blocks of word j begin j
/// nodes further along the ring. A block is reduced to its core: its middle node, or its two middle
/// nodes.
struct CoresForm {
  /// Nodes of the blocks, in order along the ring.
  std::vector<std::uint32_t> sizes;
  /// Blocks of even size have cores of two nodes.
  bool pairs = false;
  /// Steps from the blocks to the cores, and from the cores to all nodes of the ring.
  std::uint32_t reduce_steps = 0;
  std::uint32_t gather_steps = 0;

  /// All blocks have the same size.
  [[nodiscard]] bool is_equal() const { return sizes.front() == sizes.back(); }
  /// Steps of an all-reduce on a torus of `dimensions` equal sides.
  [[nodiscard]] std::uint64_t steps(std::uint32_t dimensions) const;
  [[nodiscard]] bool is_pair(std::uint32_t size) const { return pairs && size % 2 == 0; }
};

/// The form with the fewest steps; among equals, the one with the fewest blocks. `side` >= 3, 1 <=
/// `words` <= `side`.
[[nodiscard]] CoresForm cores_form(std::uint32_t side, std::uint32_t words);

/// Of the forms with equal blocks, the one with the fewest steps. It may take more steps than
/// cores_form(), but routers need not know their places in the ring.
[[nodiscard]] CoresForm equal_cores_form(std::uint32_t side, std::uint32_t words);

/// Exact steps of `cores` for `words` <= dimensions * side words: those of the form for ceil(words
/// / dimensions) words, plus floor(side / 2) for each dimension except the first.
[[nodiscard]] std::uint64_t cores_steps(std::uint32_t side, std::uint32_t dimensions,
                                        std::uint64_t words);

}  // namespace gossamer::bounds
