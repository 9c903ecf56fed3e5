// SPDX-License-Identifier: Apache-2.0
/// Rings in the formats of `gossamer emit`.
#pragma once

#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

[[nodiscard]] std::vector<EmittedFile> emit_ring_sv(const Plan& plan);
/// With tiles that learn their ranks.
[[nodiscard]] std::vector<EmittedFile> emit_sv_rank(const Plan& plan);

}  // namespace gossamer::emit_detail
