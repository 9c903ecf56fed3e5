// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::cli {

void add_absent_command(Command& app, Action& action, const std::string& name,
                        const std::string& help, const std::string& missing) {
  Command* command = app.add_subcommand(name, help + " (not in this build)");
  command->allow_extras();
  command->callback([name, missing, &action] {
    action = [name, missing]() -> int {
      throw InputError(fmt::format(
          "{}: this build was configured without {}; install it and build again", name, missing));
    };
  });
}

}  // namespace gossamer::cli
