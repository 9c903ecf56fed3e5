// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace gossamer {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args arguments) {
  fmt::vformat_to(std::back_inserter(text), format, arguments);
}

}  // namespace gossamer
