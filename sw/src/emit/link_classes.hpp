// SPDX-License-Identifier: Apache-2.0
/// Which links of a stream plan belong together.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::emit_detail {

/// By link slot, and in frames by link slot * frame + slot, the number of the closed stream that
/// the link is part of: a link goes with the links that feed it and, without frames, with its
/// reverse, so the two directions of one Hamiltonian cycle are one. Numbers count from 0 in the
/// order of the first link; slots beyond the border of a mesh have 0.
[[nodiscard]] std::vector<std::uint32_t> closed_streams(const Plan& plan);

/// No stream passes the link.
inline constexpr std::uint32_t kNoStream = std::numeric_limits<std::uint32_t>::max();

/// The directed streams of a plan whose out-ports have one feed each: every link that carries
/// something is in one.
struct DirectedStreams {
  /// By link slot: the number of its stream, or kNoStream.
  std::vector<std::uint32_t> of_link;
  std::uint32_t count = 0;
};

/// The directed streams of `plan`, numbered from 0 in the order of their first link.
/// Throws InputError, naming `format`, when they are no fixed routes of a mesh: the topology is a
/// torus or has more than two dimensions, an out-port is fed by several in-ports or in several
/// ways, a stream passes a node twice, or there are more than `limit` streams.
[[nodiscard]] DirectedStreams mesh_streams(const Plan& plan, std::string_view format,
                                           std::uint32_t limit);

}  // namespace gossamer::emit_detail
