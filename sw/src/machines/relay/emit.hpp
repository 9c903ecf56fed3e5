// SPDX-License-Identifier: Apache-2.0
/// Relays in the formats of `gossamer emit`.
#pragma once

#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

[[nodiscard]] std::vector<EmittedFile> emit_relay_sv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_dot(const Plan& plan);

}  // namespace gossamer::emit_detail
