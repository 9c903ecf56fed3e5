// SPDX-License-Identifier: Apache-2.0
/// The viewer's pages, built from viewer/ and held in the program.
#pragma once

#include <span>
#include <string_view>

namespace gossamer::cli {

/// The page in pieces; it holds @PLANS@ once, where a JSON array of documents belongs.
[[nodiscard]] std::span<const std::string_view> viewer_template_parts();
/// The same for the page of a workload, in whose place the JSON of gossamer workload belongs.
[[nodiscard]] std::span<const std::string_view> workload_template_parts();

}  // namespace gossamer::cli
