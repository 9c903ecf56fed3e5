// SPDX-License-Identifier: Apache-2.0
/// As many spanning trees as fit in a frame of p steps, with the steps in which they use their
/// links: docs/spec/mesh-reductions.md, section 2.
#pragma once

#include <cstdint>

#include "gossamer/machines/timetable/trees.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Number of trees that fit in p steps: floor(p E / (P - 1)), E the network's links counted once,
/// and at most p for each link of a node. With every link in p trees at most this many fit. Meshes,
/// tori and grids reach this number.
[[nodiscard]] std::uint64_t packed_trees(const Topology& topology, std::uint32_t frame);

/// Programs for an all-reduce of `words` words over packed_trees(topology, frame) trees.
///
/// Trees: in two dimensions half of them begin as combs of rows and half as combs of columns, with
/// spines from the middle outwards. The rest, and other dimensions, come from matroid partition
/// with shortest augmenting sequences, which always succeeds. A descent follows: a tree moves a
/// node to another parent, over a free link or one that the conflicting tree can release, while the
/// sum of the fourth powers of all depths falls. Steps: the next link is always the one, of all
/// links of all trees, with the most links before and after it. It gets the free step nearest to
/// its parent's; a free step is always within a frame. Three starts are tried: combs rooted in
/// their own middle, combs rooted in the network's middle, and no combs. The result that ends first
/// is kept. Deterministic.
///
/// Around faults, trees consist of live two-way links, which must connect the two or more live
/// nodes. All trees begin without combs. A cut with room for fewer trees limits their number.
///
/// The topology has no sides of 1 and at most kMostPackedNodes nodes; frame >= 1.
[[nodiscard]] PackedTrees packed_program(const Topology& topology, std::uint32_t frame,
                                         std::uint64_t words);

inline constexpr std::uint32_t kMostPackedNodes = 1024;
inline constexpr std::uint32_t kMostPackedFrame = 64;

}  // namespace gossamer
