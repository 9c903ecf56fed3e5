// SPDX-License-Identifier: Apache-2.0
/// Figures drawn by matplotlib.
#pragma once

#include <iosfwd>
#include <string>

namespace gossamer::cli {

/// Draws `results` as `kind` of gossamer plot into the file `output`; `collective` may be empty.
/// Returns false after a line on standard error when the results are empty or matplotlib is
/// missing.
[[nodiscard]] bool draw_plot(const std::string& results, const std::string& kind,
                             const std::string& output, const std::string& collective);
/// Draws a JSON document as an SVG; otherwise the same.
[[nodiscard]] bool draw_json(const std::string& document, const std::string& kind,
                             std::ostream& svg);

}  // namespace gossamer::cli
