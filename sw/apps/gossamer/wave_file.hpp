// SPDX-License-Identifier: Apache-2.0
/// Wave files of a simulation, as VCD or FST by the name's ending, whole or not at all.
#pragma once

#include <filesystem>
#include <string>

#include "gossamer/util/output_file.hpp"

namespace gossamer::cli {

/// SystemC writes VCD; an FST file is made from it at the end.
class WaveFile {
 public:
  /// Throws InputError when the name ends neither in .vcd nor in .fst, or the file cannot be
  /// written.
  explicit WaveFile(const std::filesystem::path& target);

  /// Where the engine has to write its VCD.
  [[nodiscard]] std::string vcd_name() const { return vcd_.path().string(); }
  /// Puts the waves in place, once the engine has closed its file.
  void commit();

 private:
  std::filesystem::path target_;
  TemporaryName vcd_;
};

/// Copies the waves of a VCD file with wires and vectors of bits into an FST file (the format of
/// GTKWave, some ten times smaller). Throws InputError when one of the files fails.
void convert_vcd_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst);

}  // namespace gossamer::cli
