// SPDX-License-Identifier: Apache-2.0
#include "sweep_spec.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "foreign_file.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/tb/engines.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/printable.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "request_words.hpp"

namespace gossamer::cli {

namespace {

using Values = std::vector<ParameterValue>;

/// A job's network, as its key says it.
struct Network {
  std::string topology;
  std::vector<std::uint32_t> dims;
};

/// One entry of `runs`, multiplied out.
class Reader {
 public:
  Reader(std::string name, std::size_t max_jobs) : name_(std::move(name)), max_jobs_(max_jobs) {}

  void read(const YAML::Node& root) {
    check_keys(root, {"runs"});
    const YAML::Node runs = root["runs"];
    if (!runs || !runs.IsSequence()) refuse(root, "a list `runs` is expected");
    if (runs.size() == 0) refuse(runs, "the list `runs` is empty: there is nothing to measure");
    for (const YAML::Node& run : runs) read_run(run);
  }

  [[nodiscard]] std::vector<SweepJob> take() { return std::move(jobs_); }

 private:
  [[noreturn]] void refuse(const YAML::Node& at, const std::string& cause) const {
    // An empty document has no place.
    const int line = std::max(at.Mark().line, 0) + 1;
    throw InputError(fmt::format("{}: line {}: {}", name_, line, printable(cause)));
  }

  [[noreturn]] void too_many(const YAML::Node& at) const {
    refuse(at, fmt::format("more than {} jobs", max_jobs_));
  }

  void check_keys(const YAML::Node& map, const std::vector<std::string>& known) const {
    if (!map.IsMap()) refuse(map, "keys with values are expected");
    for (const auto& entry : map) {
      const std::string key = text(entry.first);
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        refuse(entry.first,
               fmt::format("unknown key \"{}\"{}; there is {}", key,
                           did_you_mean(key, {known.begin(), known.end()}), joined(known, ", ")));
      }
    }
  }

  [[nodiscard]] std::string text(const YAML::Node& node) const {
    if (!node.IsScalar()) refuse(node, "a single value is expected");
    // The keys of jobs are JSON, whose writer takes nothing else; yaml-cpp does.
    try {
      static_cast<void>(dump_json(nlohmann::ordered_json(node.Scalar())));
    } catch (const nlohmann::ordered_json::type_error&) {
      refuse(node, "a value that is not UTF-8");
    }
    return node.Scalar();
  }

  /// The node's items, or the node itself when it is no list.
  [[nodiscard]] std::vector<YAML::Node> items(const YAML::Node& node) const {
    if (!node.IsSequence()) return {node};
    if (node.size() == 0) refuse(node, "the list is empty");
    return {node.begin(), node.end()};
  }

  [[nodiscard]] std::vector<std::string> texts(const YAML::Node& run, const std::string& key,
                                               const std::string& otherwise) const {
    const YAML::Node node = run[key];
    if (!node) {
      if (otherwise.empty()) refuse(run, fmt::format("`{}` is missing", key));
      return {otherwise};
    }
    std::vector<std::string> all;
    for (const YAML::Node& item : items(node)) all.push_back(text(item));
    return all;
  }

  /// The same for a key that may be left out; "none" is as empty.
  [[nodiscard]] std::vector<std::string> texts_or_none(const YAML::Node& run,
                                                       const std::string& key) const {
    auto all = texts(run, key, "none");
    for (std::string& one : all) {
      if (one == "none") one.clear();
    }
    return all;
  }

  /// Schedules of other programs on networks, in place of requests.
  void read_files(const YAML::Node& run) {
    check_keys(run, {"files", "topology", "dims", "topology-file", "engine"});
    const auto engines = texts(run, "engine", "proof");
    for (const std::string& engine : engines) check_engine(run["engine"], engine);
    const auto networks = read_networks(run);
    const auto files = items(run["files"]);
    count_jobs(run, {files.size(), networks.size(), engines.size()});
    for (const YAML::Node& item : files) {
      SweepJob job;
      job.file = text(item);
      job.algorithm = "imported";
      try {
        const std::string contents = read_schedule_text(job.file);
        static_cast<void>(schedule_format(contents, job.file));
        job.file_hash = content_hash(contents);
      } catch (const InputError& error) {
        refuse(item, error.what());
      }
      for (const Network& network : networks) {
        for (const std::string& engine : engines) {
          job.topology = network.topology;
          job.dims = network.dims;
          job.engine = engine;
          const std::map<std::string, Values> none;
          add_with_options(run, job, none, none.begin());
        }
      }
    }
  }

  void read_run(const YAML::Node& run) {
    if (run.IsMap() && run["files"]) {
      read_files(run);
      return;
    }
    check_keys(run, {"collective", "topology", "dims", "topology-file", "algorithm", "engine",
                     "options", "stall", "faults", "files"});
    const auto collectives = texts(run, "collective", "");
    const auto chosen = texts(run, "algorithm", "default");
    const auto engines = texts(run, "engine", "proof");
    for (const std::string& engine : engines) check_engine(run["engine"], engine);
    const auto networks = read_networks(run);
    const auto options = read_options(run);
    const auto stalls = texts_or_none(run, "stall");
    const auto damages = texts_or_none(run, "faults");
    std::vector<std::size_t> choices{collectives.size(), chosen.size(), networks.size(),
                                     engines.size(),     stalls.size(), damages.size()};
    for (const auto& [option, values] : options) choices.push_back(values.size());
    count_jobs(run, choices);
    for (const std::string& asked : collectives) {
      const std::string collective(collective_name(asked));
      for (const std::string& algorithm : chosen) {
        check_algorithm(run, collective, algorithm, options);
        for (const Network& network : networks) {
          for (const std::string& engine : engines) {
            for (const std::string& stall : stalls) {
              for (const std::string& faults : damages) {
                add_with_options(run,
                                 {collective,
                                  network.topology,
                                  network.dims,
                                  algorithm == "default" ? "" : algorithm,
                                  {},
                                  engine,
                                  stall,
                                  faults},
                                 options, options.begin());
              }
            }
          }
        }
      }
    }
  }

  /// Every `topology` with all `dims`, or the networks that descriptors name.
  [[nodiscard]] std::vector<Network> read_networks(const YAML::Node& run) const {
    std::vector<Network> networks;
    if (const YAML::Node files = run["topology-file"]) {
      if (run["dims"] || run["topology"]) {
        refuse(files, "`topology-file` says what `dims` and `topology` would say again");
      }
      for (const YAML::Node& item : items(files)) {
        try {
          const Topology network = read_mesh_graph(text(item));
          networks.push_back({topology_name(network), network.sides()});
        } catch (const InputError& error) {
          refuse(item, error.what());
        }
      }
      return networks;
    }
    const auto sizes = read_sizes(run);
    for (const std::string& topology : texts(run, "topology", "torus")) {
      for (const auto& dims : sizes) {
        check_network(run["topology"], topology, dims);
        networks.push_back({topology, dims});
      }
    }
    return networks;
  }

  /// Sides that no network has are results like others; words that name none are not.
  void check_network(const YAML::Node& at, const std::string& topology,
                     const std::vector<std::uint32_t>& dims) const {
    try {
      static_cast<void>(topology_named(topology, std::vector<std::uint32_t>(dims.size(), 3)));
    } catch (const InputError& error) {
      refuse(at, error.what());
    }
  }

  void check_engine(const YAML::Node& at, const std::string& name) const {
    std::vector<std::string_view> known{"proof"};
    for (const tb::EngineInfo& engine : tb::engines()) known.push_back(engine.name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      refuse(at, fmt::format("engine \"{}\" is unknown{}; there is {}", name,
                             did_you_mean(name, known), joined(known, ", ")));
    }
  }

  /// The algorithm exists, and takes the options.
  void check_algorithm(const YAML::Node& run, const std::string& collective,
                       const std::string& name,
                       const std::map<std::string, Values>& options) const {
    bool any = false;
    std::set<std::string> taken;
    std::vector<std::string_view> names;
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective != collective) continue;
      names.push_back(algorithm.name);
      // The default is whichever takes the options.
      if (name != "default" && algorithm.name != name) continue;
      any = true;
      for (const std::string_view option : words_of(algorithm.options)) taken.emplace(option);
    }
    if (names.empty()) {
      try {
        (void)takes_option(collective, name, {});
      } catch (const InputError& error) {
        refuse(run["collective"], error.what());
      }
    }
    if (!any) {
      refuse(run,
             fmt::format("there is no {} algorithm \"{}\"{}; gossamer list shows what there is",
                         collective, name, did_you_mean(name, names)));
    }
    for (const auto& [option, values] : options) {
      if (!taken.contains(option) && !is_message_option(option)) {
        refuse(run["options"],
               fmt::format("{} algorithm \"{}\" takes no option {}{}", collective, name, option,
                           did_you_mean(option, {taken.begin(), taken.end()})));
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> read_sizes(const YAML::Node& run) const {
    if (!run["dims"]) refuse(run, "`dims` is missing, or `topology-file` in its place");
    std::vector<std::vector<std::uint32_t>> sizes;
    const std::vector<YAML::Node> given = items(run["dims"]);
    const auto is_number = [](const YAML::Node& item) {
      return item.IsScalar() && item.Scalar().find('x') == std::string::npos;
    };
    if (given.size() > 1 && std::all_of(given.begin(), given.end(), is_number)) {
      std::vector<std::string> numbers;
      for (const YAML::Node& item : given) numbers.push_back(text(item));
      refuse(run["dims"],
             fmt::format("the sides of one network, or rings? The sides are {}, the rings [[{}]]",
                         joined(numbers, "x"), joined(numbers, "], [")));
    }
    for (const YAML::Node& item : given) {
      if (item.IsMap()) {
        read_range(item, sizes);
        continue;
      }
      std::vector<std::string> sides;
      for (const YAML::Node& side : items(item)) sides.push_back(text(side));
      try {
        sizes.push_back(parse_dims(joined(sides, "x")));
      } catch (const InputError& error) {
        refuse(item, error.what());
      }
    }
    return sizes;
  }

  /// {dimensions: 2, from: 4, to: 32, by: 4}: 4x4, 8x8, ...
  void read_range(const YAML::Node& range, std::vector<std::vector<std::uint32_t>>& sizes) const {
    check_keys(range, {"dimensions", "from", "to", "by"});
    const auto number = [this, &range](const char* key) {
      const YAML::Node node = range[key];
      std::uint32_t value = 0;
      if (!node || !YAML::convert<std::uint32_t>::decode(node, value) || value == 0 ||
          value > 65535) {
        refuse(node ? node : range, fmt::format("`{}`: a number in 1..65535 is expected", key));
      }
      return value;
    };
    const std::uint32_t dimensions = number("dimensions");
    const std::uint32_t to = number("to");
    const std::uint32_t by = range["by"] ? number("by") : 1;
    if (dimensions > 8) refuse(range, "`dimensions`: at most 8");
    const std::uint32_t from = number("from");
    if (from > to) {
      refuse(range, fmt::format("the range is empty: `from` {} is above `to` {}", from, to));
    }
    for (std::uint32_t side = from; side <= to; side += by) {
      if (sizes.size() == max_jobs_) too_many(range);
      sizes.emplace_back(dimensions, side);
    }
  }

  [[nodiscard]] std::map<std::string, Values> read_options(const YAML::Node& run) const {
    std::map<std::string, Values> options;
    if (!run["options"]) return options;
    if (!run["options"].IsMap()) refuse(run["options"], "option names with values are expected");
    for (const auto& entry : run["options"]) {
      const std::string name = text(entry.first);
      for (const YAML::Node& item : items(entry.second)) {
        options[name].push_back(read_option(entry.first, name, item));
      }
    }
    return options;
  }

  [[nodiscard]] ParameterValue read_option(const YAML::Node& at, const std::string& name,
                                           const YAML::Node& item) const {
    for (const OptionSpec& option : plan_options()) {
      if (option.name != name) continue;
      const std::string value = text(item);
      if (option.kind == OptionKind::kFlag) {
        if (value != "true" && value != "false") {
          refuse(item, fmt::format("option {}: true or false is expected", name));
        }
        return value == "true";
      }
      try {
        return parse_value(option, value);
      } catch (const InputError& error) {
        refuse(item, error.what());
      }
    }
    std::vector<std::string_view> known;
    for (const OptionSpec& option : plan_options()) known.push_back(option.name);
    refuse(at, fmt::format("option \"{}\" is unknown{}", name, did_you_mean(name, known)));
  }

  /// Counts what the choices multiply to before any of it is laid out: a short file stands for a
  /// great many jobs.
  void count_jobs(const YAML::Node& run, const std::vector<std::size_t>& choices) {
    std::size_t combinations = 1;
    for (const std::size_t choice : choices) {
      // Neither factor is above 2^32: the one is below the limit, the other as long as a list.
      combinations *= choice;
      if (combinations > max_jobs_ - combinations_) too_many(run);
    }
    combinations_ += combinations;
  }

  /// Adds the job for every choice of values of the options from `next` on.
  void add_with_options(const YAML::Node& run, SweepJob job,
                        const std::map<std::string, Values>& options,
                        std::map<std::string, Values>::const_iterator next) {
    if (next == options.end()) {
      if (keys_.insert(job.key()).second) jobs_.push_back(std::move(job));
      return;
    }
    for (const ParameterValue& value : next->second) {
      SweepJob with = job;
      // A flag that is not set is an option that was not given.
      if (value != ParameterValue(false)) with.parameters[next->first] = value;
      add_with_options(run, std::move(with), options, std::next(next));
    }
  }

  std::string name_;
  std::size_t max_jobs_;
  /// Jobs that stand twice counted twice: a short file has a great many of them.
  std::size_t combinations_ = 0;
  std::vector<SweepJob> jobs_;
  std::set<std::string> keys_;
};

}  // namespace

std::vector<SweepJob> read_sweep_spec(const std::filesystem::path& path, std::size_t max_jobs) {
  Reader reader(path.string(), max_jobs);
  try {
    reader.read(YAML::LoadFile(path.string()));
  } catch (const YAML::BadFile&) {
    throw InputError(fmt::format("{}: cannot be read", path.string()));
  } catch (const YAML::Exception& error) {
    throw InputError(
        fmt::format("{}: line {}: {}", path.string(), error.mark.line + 1, printable(error.msg)));
  }
  return reader.take();
}

}  // namespace gossamer::cli
