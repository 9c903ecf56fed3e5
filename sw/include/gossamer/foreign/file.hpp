// SPDX-License-Identifier: Apache-2.0
/// Files with schedules of other programs.
#pragma once

#include <string>
#include <string_view>

#include "gossamer/foreign/check.hpp"
#include "gossamer/foreign/conversion.hpp"

namespace gossamer::foreign {

/// "msccl-xml" or "te-ccl", determined by the first character; InputError, with `name` in the
/// message, for any other text.
[[nodiscard]] std::string schedule_format(std::string_view text, const std::string& name);

/// A schedule checked on a network of plans, and the plan made of it if it is correct.
struct ConvertedFile {
  CheckResult result;
  Conversion conversion;
};
/// Checks and converts a schedule, rank r on node r. Throws InputError for a malformed schedule.
[[nodiscard]] ConvertedFile convert_file(std::string_view text, const std::string& name,
                                         const Topology& topology);

}  // namespace gossamer::foreign
