// SPDX-License-Identifier: Apache-2.0
#include "gossamer/emit/machine_defaults.hpp"

#include <stdexcept>

#include "systemc.hpp"

namespace gossamer {

ArrivalRule MachineDefaults::arrivals(const Plan& /*plan*/) const { return {}; }

std::unique_ptr<RunMonitor> MachineDefaults::monitor(const Plan& /*plan*/) const { return nullptr; }

std::shared_ptr<const ReportPart> MachineDefaults::report_part(const Plan& /*plan*/) const {
  return nullptr;
}

std::vector<EmittedFile> MachineDefaults::emit(const Plan& plan, std::string_view format) const {
  if (format == "systemc") return emit_detail::systemc_collective(plan);
  throw std::logic_error("the machine has no format of its own");
}

}  // namespace gossamer
