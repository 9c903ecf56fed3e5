// SPDX-License-Identifier: Apache-2.0
/// gossamer view in a build without Node.js, which bundles its page.
#include "commands.hpp"

namespace gossamer::cli {

void add_view_command(Command& app, Action& action) {
  add_absent_command(app, action, "view",
                     "Write a page that plays a plan, or two side by side, in any browser",
                     "Node.js and npm");
}

}  // namespace gossamer::cli
