// SPDX-License-Identifier: Apache-2.0
/// gossamer view in a build without Node.js, which bundles its page.
#include "commands.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::cli {

void add_view_command(Command& app, Action& action) {
  Command* command =
      app.add_subcommand("view",
                         "Write a page that plays a plan, or two side by side, in any browser (not "
                         "in this build)");
  command->allow_extras();
  command->callback([&action] {
    action = []() -> int {
      throw InputError(
          "view: this build was configured without Node.js and npm; install them and build again");
    };
  });
}

}  // namespace gossamer::cli
