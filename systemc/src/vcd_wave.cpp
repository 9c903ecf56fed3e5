// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/vcd_wave.hpp"

#include <fmt/format.h>

#include <fstream>

#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

namespace {

/// SystemC's name for a VCD file. SystemC appends ".vcd", and ends the process if the file is not
/// writable.
std::string checked_name(const std::string& file) {
  constexpr std::string_view kSuffix = ".vcd";
  if (!file.ends_with(kSuffix) || file.size() == kSuffix.size()) {
    throw InputError(
        fmt::format("{}: waves of the SystemC network are VCD; the name must end in .vcd", file));
  }
  if (!std::ofstream(file)) throw InputError(fmt::format("{}: cannot be written", file));
  return file.substr(0, file.size() - kSuffix.size());
}

}  // namespace

VcdWave::VcdWave(const std::string& file) {
  const std::string name = checked_name(file);
  // It reports the time unit on standard output, which may be reserved for data.
  sc_core::sc_report_handler::set_actions("tracing timescale unit set", sc_core::SC_DO_NOTHING);
  file_ = sc_core::sc_create_vcd_trace_file(name.c_str());
  file_->set_time_unit(1, sc_core::SC_PS);
}

VcdWave::~VcdWave() {
  file_->write_comment(std::string(kEndOfWaves));
  sc_core::sc_close_vcd_trace_file(file_);
}

}  // namespace gossamer::systemc
