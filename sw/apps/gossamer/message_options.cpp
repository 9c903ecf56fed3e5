// SPDX-License-Identifier: Apache-2.0
#include "message_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/planner/planner.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::cli {

void MessageArguments::add_to(Command& command) {
  for (const OptionSpec& option : plan_options()) {
    if (!is_message_option(option.name)) continue;
    const std::string name(option.name);
    // The plan's message is the default here; the standard value remains as an example.
    std::string help(option.help.substr(0, option.help.find("; default")));
    constexpr std::string_view kStandard = ", default ";
    if (const std::size_t at = help.find(kStandard); at != std::string::npos) {
      help.replace(at, kStandard.size(), ", e.g. ");
    }
    command.add_option("--" + name, texts_[name], help + "; default: the plan's")
        ->type_name(option.kind == OptionKind::kNumber ? "N" : "TEXT")
        ->group("Message");
  }
}

bool MessageArguments::given() const {
  return std::any_of(texts_.begin(), texts_.end(),
                     [](const auto& option) { return !option.second.empty(); });
}

void MessageArguments::apply(PlanOrExperiment& document, const std::string& name) const {
  if (!given()) return;
  auto* plan = std::get_if<Plan>(&document);
  if (plan == nullptr) {
    throw InputError(fmt::format(
        "{}: --bytes: an experiment has no single message; leave out the options of messages",
        name));
  }
  MessageOptions options;
  for (const auto& [option, text] : texts_) {
    if (!text.empty()) options[option] = text;
  }
  try {
    set_message(*plan, options);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace gossamer::cli
