// SPDX-License-Identifier: Apache-2.0
/// Which links of a stream plan belong together.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/stream/program.hpp"

namespace gossamer::emit_detail {

/// By link slot, and in frames by link slot * frame + slot, the number of the closed stream that
/// the link is part of: a link goes with the links that feed it and, without frames, with its
/// reverse, so the two directions of one Hamiltonian cycle are one. Numbers count from 0 in the
/// order of the first link; slots beyond the border of a mesh have 0.
[[nodiscard]] std::vector<std::uint32_t> closed_streams(const Topology& topology,
                                                        const StreamProgram& program);

}  // namespace gossamer::emit_detail
