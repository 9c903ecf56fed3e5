// SPDX-License-Identifier: Apache-2.0
/// The VCD file of a simulation.
#pragma once

#include <string>
#include <string_view>
#include <systemc>

namespace gossamer::systemc {

/// The comment after the last value. SystemC does not report a full disk, so a file without this
/// comment is incomplete.
inline constexpr std::string_view kEndOfWaves = "end of the waves";

/// A VCD file, open until this object is destroyed. Create and destroy it in the same simulation
/// context.
class VcdWave {
 public:
  /// `file` ends in ".vcd". Throws InputError for another name, and if the file cannot be written.
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
