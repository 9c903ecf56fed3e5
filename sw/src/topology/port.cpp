// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/port.hpp"

#include <fmt/format.h>

namespace gossamer {

std::string port_name(Port port) {
  const int dim = dimension_of(port);
  const char sign = is_positive(port) ? '+' : '-';
  constexpr std::string_view kLetters = "xyzw";
  if (dim < static_cast<int>(kLetters.size())) {
    return fmt::format("{}{}", kLetters[static_cast<std::size_t>(dim)], sign);
  }
  return fmt::format("d{}{}", dim, sign);
}

std::optional<Port> port_from_name(std::string_view name, int dimensions) {
  for (int port = 0; port < 2 * dimensions; ++port) {
    if (port_name(static_cast<Port>(port)) == name) return static_cast<Port>(port);
  }
  return std::nullopt;
}

}  // namespace gossamer
