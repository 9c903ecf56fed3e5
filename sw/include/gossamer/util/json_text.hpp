// SPDX-License-Identifier: Apache-2.0
/// JSON to text and back, for who has use for nlohmann's values: its parser and its serializer are
/// templates that take a compiler two seconds wherever they stand, so they stand in one source.
/// Values are ordered ones everywhere, for each kind of them has its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gossamer {

/// The value's text, on one line or `indent` blanks a level. Throws nlohmann::json::type_error for
/// what is not UTF-8, or puts U+FFFD in its place, as `errors` says.
[[nodiscard]] std::string dump_json(const nlohmann::ordered_json& value, int indent = -1,
                                    nlohmann::ordered_json::error_handler_t errors =
                                        nlohmann::ordered_json::error_handler_t::strict);

/// The value of a text, members in the order of the text; throws nlohmann::json::parse_error.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text);

}  // namespace gossamer
