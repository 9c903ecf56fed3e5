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
    command.add_option("--" + name, texts_[name], std::string(option.help))
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
    throw InputError(fmt::format("{}: --bytes: an experiment has many messages", name));
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
