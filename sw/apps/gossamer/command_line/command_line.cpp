// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

#include "command_tree.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"
#include "parse_message.hpp"

namespace gossamer::cli {

namespace {

/// A CLI11 check that reports an invalid value with the text `cause`, after the option's name.
CLI::Validator with_cause(const CLI::Validator& check,
                          std::function<std::string(const std::string&)> cause) {
  return {[check, cause = std::move(cause)](std::string& value) {
            return check(value).empty() ? std::string() : cause(value);
          },
          check.get_description()};
}

template <typename T>
struct ValueType {
  using Type = T;
};
template <typename T>
struct ValueType<std::optional<T>> : ValueType<T> {};
template <typename T>
struct ValueType<std::vector<T>> : ValueType<T> {};

/// Rejects texts that are not a number of type `Number`.
template <typename Number>
std::string check_number(const std::string& value) {
  Number number{};
  if (CLI::detail::lexical_cast(value, number)) return {};
  double any = 0;
  return fmt::format(
      "\"{}\" is not a {}", value,
      CLI::detail::lexical_cast(value, any) ? "whole number of this size" : "number");
}

/// CLI11's help with descriptions broken into lines of kColumns characters, and defaults and
/// conditions after the description instead of before it.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(Formatter::make_help(app, std::move(name), mode), "\n\n\n",
                                         "\n\n");
  }
  std::string make_description(const CLI::App* app) const override {
    return joined(wrapped(app->get_description(), kColumns), "\n") + "\n";
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = name_of(*option, true);
    return option->get_required() ? name : "[" + name + "]";
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, name_of(*option, is_positional), in_lines(full_help(*option)),
                             kNameColumns);
    return out.str();
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, sub->get_display_name(true), in_lines(sub->get_description()),
                             kNameColumns);
    return out.str();
  }

 private:
  static constexpr std::size_t kNameColumns = 34;

  /// "-o,--output FILE", or "FILE" for a positional argument.
  static std::string name_of(const CLI::Option& option, bool is_positional) {
    std::string name = is_positional ? "" : option.get_name(false, true);
    const std::string value = value_name(option);
    if (!name.empty() && !value.empty()) name += " ";
    // Options may be given any number of values; arguments one or two.
    const bool repeats =
        option.get_expected_max() > (is_positional ? 1 : CLI::detail::expected_max_vector_size - 1);
    return name + value + (repeats ? " ..." : "");
  }

  static std::string in_lines(const std::string& text) {
    return joined(wrapped(text, kColumns - kNameColumns), "\n");
  }
};

}  // namespace

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

template <typename T>
Option* Option::range(T least, T most) {
  CLI::Validator check =
      with_cause(CLI::Range(least, most), [least, most](const std::string& value) {
        return fmt::format("{} is not in the range {} to {}", value, least, most);
      });
  // The range belongs to the description instead of the value's name.
  option_->check(check.description(""));
  std::string help = option_->get_description();
  help.insert(std::min(help.find("; default"), help.size()),
              fmt::format(", {} to {}", least, most));
  option_->description(help);
  return this;
}
template Option* Option::range(unsigned, unsigned);
template Option* Option::range(std::uint64_t, std::uint64_t);
template Option* Option::range(int, int);

Option* Option::not_negative() {
  CLI::Validator check = with_cause(CLI::NonNegativeNumber, [](const std::string& value) {
    return fmt::format("{} is negative; a number from 0 on is expected", value);
  });
  option_->check(check.description(""));
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  option_->check(with_cause(CLI::IsMember(words), [words](const std::string& value) {
    return fmt::format("\"{}\" is unknown{}; there is {}", value,
                       did_you_mean(value, {words.begin(), words.end()}), joined(words, ", "));
  }));
  return this;
}

Option* Option::checked(std::function<void(const std::string&)> refuse) {
  option_->check([refuse = std::move(refuse)](const std::string& value) {
    refuse(value);
    return std::string();
  });
  return this;
}

Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

Option* Option::repeatable() {
  option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

Option* Option::needs(Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Command::Command(const std::string& help, const std::string& name, const std::string& version)
    : app_(std::make_shared<CLI::App>(help, name)) {
  app_->set_version_flag("--version", name + " " + version);
  app_->formatter(std::make_shared<HelpFormatter>());
}

Option* Command::added(CLI::Option* option) { return &options_.emplace_back(*option); }

template <typename T>
Option* Command::add_option(const std::string& name, T& value, const std::string& help) {
  CLI::Option* option = app_->add_option(name, value, help);
  option->check([option, app = app_.get()](const std::string& text) {
    // CLI11 also takes the next option for a value.
    const bool is_option = text.starts_with('-') && app->get_option_no_throw(text) != nullptr;
    return text.empty() || is_option ? value_required(*option) : std::string();
  });
  using Value = typename ValueType<T>::Type;
  if constexpr (std::is_arithmetic_v<Value>) option->check(&check_number<Value>);
  return added(option);
}
template Option* Command::add_option(const std::string&, std::string&, const std::string&);
template Option* Command::add_option(const std::string&, int&, const std::string&);
template Option* Command::add_option(const std::string&, unsigned&, const std::string&);
template Option* Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* Command::add_option(const std::string&, double&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<unsigned>&,
                                     const std::string&);
template Option* Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                     const std::string&);
template Option* Command::add_option(const std::string&, std::vector<std::string>&,
                                     const std::string&);
template Option* Command::add_option(const std::string&, std::vector<double>&, const std::string&);

Option* Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  CLI::Option* flag = app_->add_flag(name, value, help);
  flag->check([](const std::string& text) {
    bool set = false;
    return CLI::detail::lexical_cast(text, set) ? "" : "takes no value";
  });
  return added(flag);
}

Command* Command::add_subcommand(const std::string& name, const std::string& help) {
  // The subcommand belongs to this one, and keeps it alive.
  std::shared_ptr<CLI::App> below(app_, app_->add_subcommand(name, help));
  commands_.push_back(Command(std::move(below)));
  return &commands_.back();
}

Option* Command::get_option(const std::string& name) { return added(app_->get_option(name)); }

void Command::alias(const std::string& name) { app_->alias(name); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::special_help(std::function<std::optional<std::string>()> text) {
  const auto usual =
      std::make_shared<HelpFormatter>(dynamic_cast<const HelpFormatter&>(*app_->get_formatter()));
  app_->formatter_fn([text = std::move(text), usual](const CLI::App* app, std::string name,
                                                     CLI::AppFormatMode mode) {
    if (mode == CLI::AppFormatMode::Normal) {
      if (const std::optional<std::string> special = text()) return *special;
    }
    return usual->make_help(app, std::move(name), mode);
  });
}

void Command::callback(std::function<void()> chosen) { app_->callback(std::move(chosen)); }

void Command::require_subcommand() { app_->require_subcommand(1); }

void Command::allow_extras() { app_->allow_extras(); }

std::optional<int> Command::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      return app_->exit(error);
    }
    throw InputError(parse_message(*app_, error, argv[argc - 1]));
  }
}

}  // namespace gossamer::cli
