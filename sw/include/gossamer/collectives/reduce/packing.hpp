// SPDX-License-Identifier: Apache-2.0
/// As many spanning trees as a frame of p steps has room for, with the steps in which they use
/// their links: docs/spec/mesh-reductions.md, section 2.
#pragma once

#include <cstdint>

#include "gossamer/machines/timetable/trees.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Trees that p steps have room for: floor(p E / (P - 1)), E the network's links counted once, and
/// at most p for each link of a node. With every link in p trees at most this many fit, and on
/// meshes, tori and grids they do.
[[nodiscard]] std::uint64_t packed_trees(const Topology& topology, std::uint32_t frame);

/// Programs for an all-reduce of `words` words over packed_trees(topology, frame) trees.
///
/// Trees: in two dimensions half of them begin as combs of rows and half as combs of columns, their
/// spines from the middle outwards; the rest, and other dimensions, by matroid partition with
/// shortest augmenting sequences, which always succeeds. Then descent: a tree moves a node to
/// another parent, over a free link or one that the tree in the way gives up, while the sum of the
/// fourth powers of all depths falls. Steps: of all links of all trees the one with most before and
/// behind it next, each in the free step nearest to its parent's; a free step is always within a
/// frame. Begun with combs rooted in their own middle, in the network's, and without combs; what
/// ends first is kept. Deterministic.
///
/// Round faults trees are of live two-way links, which must connect the two or more live nodes; all
/// begin without combs, and where a cut has room for fewer, there are as many as there is room for.
///
/// The topology has no sides of 1 and at most kMostPackedNodes nodes; frame >= 1.
[[nodiscard]] PackedTrees packed_program(const Topology& topology, std::uint32_t frame,
                                         std::uint64_t words);

inline constexpr std::uint32_t kMostPackedNodes = 1024;
inline constexpr std::uint32_t kMostPackedFrame = 64;

}  // namespace gossamer
