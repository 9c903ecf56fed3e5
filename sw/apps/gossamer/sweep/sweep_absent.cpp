// SPDX-License-Identifier: Apache-2.0
/// gossamer sweep in a build without yaml-cpp or SQLite.
#include "commands.hpp"

namespace gossamer::cli {

void add_sweep_command(Command& app, Action& action) {
  add_absent_command(app, action, "sweep",
                     "Measure many requests on every core; goes on where it was stopped",
                     "yaml-cpp and SQLite 3");
}

}  // namespace gossamer::cli
