// SPDX-License-Identifier: Apache-2.0
/// Progress of long work, as an interface: libraries report, the command line draws.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace gossamer {

/// Called at intervals with a phase's name, the work done and the total work (same unit). An empty
/// function disables progress reports.
using Progress =
    std::function<void(std::string_view phase, std::uint64_t done, std::uint64_t total)>;

}  // namespace gossamer
