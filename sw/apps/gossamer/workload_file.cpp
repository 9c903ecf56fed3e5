// SPDX-License-Identifier: Apache-2.0
#include "workload_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <sstream>

#include "chakra/read_traces.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"

namespace gossamer::cli {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
constexpr std::size_t kMostNameBytes = 200;
constexpr std::size_t kShownCharacters = 40;

using StepFields = std::map<std::string, YAML::Node, std::less<>>;

/// Finds the line of each document's beginning.
class DocumentLines final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { line_ = mark.line; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  /// Of the last document.
  [[nodiscard]] int line() const { return line_; }

 private:
  int line_ = 0;
};

class WorkloadReader {
 public:
  explicit WorkloadReader(const std::string& path)
      : input_(path, path + ": cannot be read"), file_(input_.name()) {}

  Workload read() {
    const YAML::Node document = parse();
    const StepFields fields = fields_of(document, {"steps"});
    if (!fields.contains("steps")) refuse(document, "the key \"steps\" is missing");
    const YAML::Node& steps = fields.at("steps");
    if (!steps.IsSequence() || steps.size() == 0) refuse(steps, "steps: a list is expected");
    workload_.name = std::filesystem::path(file_).filename();
    for (const YAML::Node& step : steps) read_step(step);
    for (std::size_t i = 0; i < workload_.steps.size(); ++i) resolve(i);
    return std::move(workload_);
  }

 private:
  YAML::Node parse() {
    const std::string text = input_.text(kMostBytes);
    try {
      // YAML::LoadAll makes empty documents without end of text like ",steps:".
      std::istringstream stream(text);
      YAML::Parser parser(stream);
      DocumentLines documents;
      if (!parser.HandleNextDocument(documents)) {
        throw InputError(fmt::format("{}: the file is empty", file_));
      }
      if (parser.HandleNextDocument(documents)) {
        refuse(documents.line(), "a second YAML document begins here; one document is expected");
      }
      return YAML::Load(text);
    } catch (const YAML::DeepRecursion& error) {
      refuse(error.mark.line, "the file is nested too deeply");
    } catch (const YAML::Exception& error) {
      refuse(error.mark.line, error.msg);
    }
  }

  [[noreturn]] void refuse(int line, const std::string& cause) const {
    throw InputError(fmt::format("{}: line {}: {}", file_, line + 1, cause));
  }
  [[noreturn]] void refuse(const YAML::Node& at, const std::string& cause) const {
    refuse(at.Mark().line, cause);
  }

  /// "file: line 3: step "name"", for messages about a step.
  [[nodiscard]] std::string place_of(const YAML::Node& step, const std::string& name) const {
    return fmt::format("{}: line {}: step \"{}\"", file_, step.Mark().line + 1, name);
  }

  [[nodiscard]] std::string text_of(const YAML::Node& node) const {
    if (!node.IsScalar()) refuse(node, "a single value is expected");
    return node.Scalar();
  }

  /// The values of a mapping whose keys are all `known`.
  [[nodiscard]] StepFields fields_of(const YAML::Node& node,
                                     const std::vector<std::string_view>& known) const {
    if (!node.IsMap()) refuse(node, "a mapping of keys to values is expected");
    StepFields fields;
    for (const auto& entry : node) {
      const YAML::Node& key = entry.first;
      const std::string name = text_of(key);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        refuse(key,
               fmt::format("unknown key \"{}\"{}; there is {}", name.substr(0, kShownCharacters),
                           did_you_mean(name, known), joined(known, ", ")));
      }
      if (entry.second.IsNull()) refuse(key, fmt::format("the key \"{}\" has no value", name));
      if (!fields.emplace(name, entry.second).second) {
        refuse(key, fmt::format("the key \"{}\" is given twice", name));
      }
    }
    return fields;
  }

  /// Calls `parse(text)` and gives its InputError the line.
  template <typename Parse>
  auto parsed(const YAML::Node& node, const Parse& parse) const {
    const std::string text = text_of(node);
    try {
      return parse(text);
    } catch (const InputError& error) {
      refuse(node, error.what());
    }
  }

  void read_step(const YAML::Node& node) {
    const StepFields fields =
        fields_of(node, {"name", "compute", "collective", "bytes", "groups", "group-stride",
                         "source", "algorithm", "repeat", "after"});
    WorkloadStep step;
    if (!fields.contains("name")) refuse(node, "name is missing: every step requires one");
    step.name = text_of(fields.at("name"));
    if (step.name.empty() || step.name.size() > kMostNameBytes) {
      refuse(fields.at("name"), fmt::format("a name has 1 to {} bytes", kMostNameBytes));
    }
    step.place = place_of(node, step.name);
    if (!index_.emplace(step.name, workload_.steps.size()).second) {
      refuse(fields.at("name"), fmt::format("the name \"{}\" is given twice", step.name));
    }
    const bool computes = fields.contains("compute");
    if (computes == fields.contains("collective")) {
      refuse(node, fmt::format("step \"{}\": either compute or collective is expected", step.name));
    }
    if (computes) {
      for (const char* const key : {"bytes", "groups", "group-stride", "source", "algorithm"}) {
        if (const auto found = fields.find(key); found != fields.end()) {
          refuse(found->second,
                 fmt::format("{}: a step without collective does not support it", key));
        }
      }
      step.picoseconds = parsed(fields.at("compute"), [](const std::string& text) {
        return parse_picoseconds("compute", text);
      });
    } else {
      step.collective = read_collective(node, fields);
    }
    if (const auto repeat = fields.find("repeat"); repeat != fields.end()) {
      const auto number = whole_number(text_of(repeat->second), kMostWorkloadRuns);
      if (number.value_or(0) == 0) {
        refuse(repeat->second,
               fmt::format("repeat: a whole number from 1 to {} is expected", kMostWorkloadRuns));
      }
      step.repeat = *number;
    }
    const auto after = fields.find("after");
    after_.push_back(after == fields.end() ? YAML::Node(YAML::NodeType::Undefined) : after->second);
    workload_.steps.push_back(std::move(step));
  }

  [[nodiscard]] std::uint64_t read_bytes(const YAML::Node& node, const StepFields& fields,
                                         std::string_view collective) const {
    const auto found = fields.find("bytes");
    if (collective == "barrier") {
      if (found != fields.end()) refuse(found->second, "bytes: a barrier carries none");
      return 1;
    }
    if (found == fields.end()) {
      refuse(node, "bytes is missing: a collective requires a size, e.g. bytes: 64KiB");
    }
    return parsed(found->second, [](const std::string& bytes) {
      const std::uint64_t number = parse_bytes("bytes", bytes);
      if (number > kMaxMessageBytes) {
        throw InputError(
            fmt::format("bytes: \"{}\" is above {}", bytes, bytes_text(kMaxMessageBytes)));
      }
      return number;
    });
  }

  [[nodiscard]] WorkloadCollective read_collective(const YAML::Node& node,
                                                   const StepFields& fields) const {
    WorkloadCollective collective;
    const auto text = [&](const char* key) {
      const auto found = fields.find(key);
      return found == fields.end() ? std::string() : text_of(found->second);
    };
    collective.collective = collective_name(text("collective"));
    collective.bytes = read_bytes(node, fields, collective.collective);
    collective.groups = text("groups");
    collective.group_stride = text("group-stride");
    collective.source = text("source");
    collective.algorithm = text("algorithm");
    return collective;
  }

  /// The names of `after` as steps. Without the key it is the step before; the first has none.
  void resolve(std::size_t step) {
    std::vector<std::size_t>& after = workload_.steps[step].after;
    const YAML::Node& node = after_[step];
    if (!node.IsDefined()) {
      if (step > 0) after.push_back(step - 1);
      return;
    }
    const auto add = [&](const YAML::Node& name) {
      const std::string text = text_of(name);
      const auto found = index_.find(text);
      if (found == index_.end()) {
        std::vector<std::string_view> known;
        for (const auto& [other, index] : index_) known.push_back(other);
        refuse(name, fmt::format("after: there is no step \"{}\"{}",
                                 text.substr(0, kShownCharacters), did_you_mean(text, known)));
      }
      if (std::find(after.begin(), after.end(), found->second) == after.end()) {
        after.push_back(found->second);
      }
    };
    if (node.IsSequence()) {
      for (const YAML::Node& name : node) add(name);
    } else {
      add(node);
    }
  }

  InputFile input_;
  std::string file_;
  Workload workload_;
  /// By step; undefined where the key is missing.
  std::vector<YAML::Node> after_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace

Workload read_workload(const std::string& file, const Topology& topology) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return read_traces(file, topology);
  return WorkloadReader(file).read();
}

void LinkArguments::add_to(Command& command, const std::string& group) {
  const auto add = [&](const char* name, std::string& text, const char* help, const char* type) {
    Option* option = command.add_option(name, text, help)->type_name(type);
    if (!text.empty()) option->capture_default_str();
    if (!group.empty()) option->group(group);
  };
  add("--link-bits", link_bits, "Bits per flit, 1 to 65536", "W");
  add("--clock", clock, "The clock's frequency", "F");
  add("--link-latency", link_latency,
      "Cycles of links, as of gossamer plan; the longest counts, also for the conventional "
      "network. Default 1",
      "SPEC");
}

PhysicalQuantities LinkArguments::quantities(const Topology& topology) const {
  // Any size: each collective has its own.
  MessageOptions message{{"bytes", "1"}, {"link-bits", link_bits}, {"clock", clock}};
  if (!energy.empty()) message["energy"] = energy;
  if (!link_latency.empty()) message["link-latency"] = link_latency;
  PhysicalQuantities quantities = *parse_message(message, topology);
  quantities.bytes = 0;
  return quantities;
}

}  // namespace gossamer::cli
