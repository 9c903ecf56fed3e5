// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/json_text.hpp"

namespace gossamer {

std::string dump_json(const nlohmann::ordered_json& value, int indent,
                      nlohmann::ordered_json::error_handler_t errors) {
  return value.dump(indent, ' ', false, errors);
}

nlohmann::ordered_json parse_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

}  // namespace gossamer
