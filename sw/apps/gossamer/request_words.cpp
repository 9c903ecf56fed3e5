// SPDX-License-Identifier: Apache-2.0
#include "request_words.hpp"

#include <fmt/format.h>

#include <charconv>

#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::cli {

std::vector<std::uint32_t> parse_dims(std::string_view text) {
  auto sides = whole_numbers(text, 'x');
  if (!sides) throw InputError(fmt::format("--dims: \"{}\" is not of the form 16x8", text));
  return *std::move(sides);
}

ParameterValue parse_value(const OptionSpec& option, const std::string& text) {
  if (option.kind == OptionKind::kText) return text;
  if (!option.word.empty() && text == option.word) return text;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) {
    throw InputError(fmt::format("--{}: \"{}\" is not a whole number", option.name, text));
  }
  return value;
}

}  // namespace gossamer::cli
