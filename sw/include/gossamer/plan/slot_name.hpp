// SPDX-License-Identifier: Apache-2.0
/// How documents call the ports of a stream program's tables.
#pragma once

#include <cstdint>
#include <string>

#include "gossamer/topology/port.hpp"

namespace gossamer {

/// The name of a column of the tables, `port` = port of the router * frame + slot: "x-", and in a
/// frame of several slots "x-/0", "x-/1", ...
[[nodiscard]] std::string slot_name(Port port, std::uint32_t frame);

}  // namespace gossamer
