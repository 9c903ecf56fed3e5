// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/word_type.hpp"

namespace gossamer {

std::string_view word_type_name(WordType type) {
  return kWordTypeNames.at(static_cast<std::size_t>(type));
}

}  // namespace gossamer
