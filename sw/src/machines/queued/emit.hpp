// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

/// `streams`: tiles with streams in any case, and not only where flat ports would be too wide.
[[nodiscard]] std::vector<EmittedFile> emit_queued_sv(const Plan& plan, bool streams);

}  // namespace gossamer::emit_detail
