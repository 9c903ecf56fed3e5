// SPDX-License-Identifier: Apache-2.0
/// Dictionary entries "fed by this in-port, on this lane", interned once each. Internal.
#pragma once

#include <array>
#include <cstdint>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

class LaneCodes {
 public:
  explicit LaneCodes(RingProgram& program) : program_(&program) {}

  /// The code of an out-port that `in_port` feeds.
  std::uint32_t operator()(Port in_port, std::uint8_t lane) {
    std::uint32_t& code = codes_[in_port * std::size_t{kMaxPorts} + lane];
    if (code == 0) code = intern(PortSet::of(in_port), lane);
    return code;
  }
  /// The code of an output port without a feed, at the border of a mesh.
  std::uint32_t unfed(std::uint8_t lane) { return intern({}, lane); }

 private:
  std::uint32_t intern(PortSet feed, std::uint8_t lane) {
    RingPort entry;
    entry.feed = feed;
    entry.lane = lane;
    return program_->intern(entry);
  }

  RingProgram* program_;
  std::array<std::uint32_t, std::size_t{kMaxPorts} * kMaxPorts> codes_{};
};

}  // namespace gossamer
