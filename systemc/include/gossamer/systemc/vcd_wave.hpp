// SPDX-License-Identifier: Apache-2.0
/// The VCD file of a simulation.
#pragma once

#include <string>
#include <string_view>
#include <systemc>

namespace gossamer::systemc {

/// The comment behind the last value. SystemC does not say when a disk is full, so that a file
/// without this comment is not whole.
inline constexpr std::string_view kEndOfWaves = "end of the waves";

/// A VCD file, from now until it is destroyed, both in the same simulation context.
class VcdWave {
 public:
  /// `file` ends in ".vcd". Throws InputError for another name, and for one that cannot be written.
  explicit VcdWave(const std::string& file);
  VcdWave(const VcdWave&) = delete;
  VcdWave& operator=(const VcdWave&) = delete;
  ~VcdWave();

  /// For sc_trace.
  [[nodiscard]] sc_core::sc_trace_file* file() const { return file_; }

 private:
  sc_core::sc_trace_file* file_;
};

}  // namespace gossamer::systemc
