// SPDX-License-Identifier: Apache-2.0
/// Groups with strides above 1 as SystemVerilog.
#pragma once

#include <string_view>
#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer {

/// The whole network of a plan of groups that work in frames. Its tile holds the tile of one
/// group's network, whose clock has one edge per frame, and passes the packets of the groups in
/// between straight on, with one more register per output port along axes of strides above 1.
/// `format` is that of the group's tile: sv, or sv-rule. Throws InputError for tiles that have
/// tables or streams.
[[nodiscard]] std::vector<EmittedFile> emit_frames(const Plan& plan, std::string_view format);

}  // namespace gossamer
