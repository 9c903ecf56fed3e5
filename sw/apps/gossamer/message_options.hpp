// SPDX-License-Identifier: Apache-2.0
/// --bytes and related options, for the commands that take a plan.
#pragma once

#include <map>
#include <string>

#include "command_line/command_line.hpp"
#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::cli {

/// The options of a node's message, as typed; they take precedence over the plan's.
class MessageArguments {
 public:
  void add_to(Command& command);
  [[nodiscard]] bool given() const;
  /// Records the typed options in the plan. Throws InputError with `name` as the place; an
  /// experiment takes none of them.
  void apply(PlanOrExperiment& document, const std::string& name) const;

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace gossamer::cli
