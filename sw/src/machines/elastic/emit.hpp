// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

[[nodiscard]] std::vector<EmittedFile> emit_elastic_sv(const Plan& plan);

}  // namespace gossamer::emit_detail
