// SPDX-License-Identifier: Apache-2.0
/// Base class with defaults for the optional parts of a machine.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/report/report_part.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/run_monitor.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

/// Defaults: arrivals count from the first step; there is no monitor and no report part; all
/// formats are derived from a run. emit() writes `systemc`, a module with pins around the machine's
/// SystemC engine, which is Restartable (sim/restartable.hpp).
class MachineDefaults : public Machine {
 public:
  using Machine::Machine;

  [[nodiscard]] ArrivalRule arrivals(const Plan& plan) const override;
  [[nodiscard]] std::unique_ptr<RunMonitor> monitor(const Plan& plan) const override;
  [[nodiscard]] std::shared_ptr<const ReportPart> report_part(const Plan& plan) const override;
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override;
};

}  // namespace gossamer
