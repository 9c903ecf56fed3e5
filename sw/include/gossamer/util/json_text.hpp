// SPDX-License-Identifier: Apache-2.0
/// Conversion of nlohmann's JSON values to text and back. Its parser and serializer are templates
/// that cost two seconds of compile time per source, so they are instantiated in one source. Values
/// are ordered everywhere, since each kind of value has its own instances.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gossamer {

/// The value's text, on one line or with `indent` blanks per level. For invalid UTF-8 it throws
/// nlohmann::json::type_error or substitutes U+FFFD, depending on `errors`.
[[nodiscard]] std::string dump_json(const nlohmann::ordered_json& value, int indent = -1,
                                    nlohmann::ordered_json::error_handler_t errors =
                                        nlohmann::ordered_json::error_handler_t::strict);

/// The value of a text, members in the order of the text; throws nlohmann::json::parse_error.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text);

}  // namespace gossamer
