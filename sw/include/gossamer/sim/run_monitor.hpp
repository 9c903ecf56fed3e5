// SPDX-License-Identifier: Apache-2.0
/// An observer that a machine adds to the runs of its plans.
#pragma once

#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

struct Report;

/// Observes data that the judge does not check, and adds it to the report.
class RunMonitor : public Observer {
 public:
  /// Called once, after the run. `stalls` is null when no node stalled.
  virtual void finish(const Engine& engine, const StallScript* stalls, Report& report) = 0;
};

}  // namespace gossamer
