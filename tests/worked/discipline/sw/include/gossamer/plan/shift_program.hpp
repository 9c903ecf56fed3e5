// SPDX-License-Identifier: Apache-2.0
/// The program of a shifting router: one register, and one word for all routers.
#pragma once

#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Every router of a torus holds one packet, its own at first. In step s all of them send what they
/// hold by the same out-port, ports[s - 1], and keep what arrives instead. After the last step
/// nothing moves.
struct ShiftProgram {
  std::vector<Port> ports;

  bool operator==(const ShiftProgram&) const = default;
};

}  // namespace gossamer
