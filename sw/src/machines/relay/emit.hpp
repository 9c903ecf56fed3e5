// SPDX-License-Identifier: Apache-2.0
/// Relays in the formats of `gossamer emit`.
#pragma once

#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

/// `streams`: own words and results by streams, also where every tool takes flat ports.
[[nodiscard]] std::vector<EmittedFile> emit_relay_sv(const Plan& plan, bool streams);
[[nodiscard]] std::vector<EmittedFile> emit_relay_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_dot(const Plan& plan);

}  // namespace gossamer::emit_detail
