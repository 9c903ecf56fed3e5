// SPDX-License-Identifier: Apache-2.0
#include "sweep_spec.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "foreign_file.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/tb/engines.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/printable.hpp"
#include "request_words.hpp"

namespace gossamer::cli {

namespace {

using Values = std::vector<ParameterValue>;

/// One entry of `runs`, multiplied out.
class Reader {
 public:
  Reader(std::string name, std::size_t max_jobs) : name_(std::move(name)), max_jobs_(max_jobs) {}

  void read(const YAML::Node& root) {
    check_keys(root, {"runs"});
    const YAML::Node runs = root["runs"];
    if (!runs || !runs.IsSequence()) refuse(root, "a list `runs` is expected");
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
        refuse(entry.first, fmt::format("unknown key \"{}\"", key));
      }
    }
  }

  [[nodiscard]] std::string text(const YAML::Node& node) const {
    if (!node.IsScalar()) refuse(node, "a single value is expected");
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

  /// Schedules of other programs on networks, in place of requests.
  void read_files(const YAML::Node& run) {
    check_keys(run, {"files", "topology", "dims", "engine"});
    const auto topologies = texts(run, "topology", "torus");
    const auto engines = texts(run, "engine", "proof");
    check_topologies(run, topologies);
    for (const std::string& engine : engines) check_engine(run["engine"], engine);
    const auto sizes = read_sizes(run);
    for (const YAML::Node& item : items(run["files"])) {
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
      for (const std::string& topology : topologies) {
        for (const auto& dims : sizes) {
          for (const std::string& engine : engines) {
            job.topology = topology;
            job.dims = dims;
            job.engine = engine;
            const std::map<std::string, Values> none;
            add_with_options(run, job, none, none.begin());
          }
        }
      }
    }
  }

  void check_topologies(const YAML::Node& run, const std::vector<std::string>& topologies) const {
    for (const std::string& topology : topologies) {
      if (topology != "torus" && topology != "mesh") {
        refuse(run["topology"], fmt::format("\"{}\" is neither torus nor mesh", topology));
      }
    }
  }

  void read_run(const YAML::Node& run) {
    if (run.IsMap() && run["files"]) {
      read_files(run);
      return;
    }
    check_keys(run, {"collective", "topology", "dims", "algorithm", "engine", "options", "stall",
                     "files"});
    const auto collectives = texts(run, "collective", "");
    const auto topologies = texts(run, "topology", "torus");
    const auto chosen = texts(run, "algorithm", "default");
    const auto engines = texts(run, "engine", "proof");
    check_topologies(run, topologies);
    for (const std::string& engine : engines) check_engine(run["engine"], engine);
    const auto sizes = read_sizes(run);
    const auto options = read_options(run);
    const auto stalls =
        run["stall"] ? texts(run, "stall", "") : std::vector<std::string>{std::string()};
    for (const std::string& asked : collectives) {
      const std::string collective(collective_name(asked));
      for (const std::string& algorithm : chosen) {
        check_algorithm(run, collective, algorithm, options);
        for (const std::string& topology : topologies) {
          for (const auto& dims : sizes) {
            for (const std::string& engine : engines) {
              for (const std::string& stall : stalls) {
                add_with_options(run,
                                 {collective,
                                  topology,
                                  dims,
                                  algorithm == "default" ? "" : algorithm,
                                  {},
                                  engine,
                                  stall == "none" ? "" : stall},
                                 options, options.begin());
              }
            }
          }
        }
      }
    }
  }

  void check_engine(const YAML::Node& at, const std::string& name) const {
    std::string known = "proof";
    for (const tb::EngineInfo& engine : tb::engines()) {
      if (engine.name == name) return;
      known += fmt::format(", {}", engine.name);
    }
    if (name != "proof") {
      refuse(at, fmt::format("engine \"{}\" is unknown; there is {}", name, known));
    }
  }

  /// The algorithm exists, and takes the options.
  void check_algorithm(const YAML::Node& run, const std::string& collective,
                       const std::string& name,
                       const std::map<std::string, Values>& options) const {
    bool any = false;
    std::set<std::string> taken;
    // A collective's defaults are the first for a torus and the first for a mesh.
    const std::vector<std::uint32_t> sides = {4};
    const Topology torus = Topology::torus(sides);
    const Topology mesh = Topology::mesh(sides);
    bool torus_served = false;
    bool mesh_served = false;
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective != collective) continue;
      if (name == "default") {
        const bool first_for_torus = !torus_served && serves(algorithm.shapes, torus);
        const bool first_for_mesh = !mesh_served && serves(algorithm.shapes, mesh);
        if (!first_for_torus && !first_for_mesh) continue;
        torus_served = torus_served || first_for_torus;
        mesh_served = mesh_served || first_for_mesh;
      } else if (algorithm.name != name) {
        continue;
      }
      any = true;
      const std::string all(algorithm.options);
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find(' ', at), all.size());
        taken.insert(all.substr(at, end - at));
        at = end + 1;
      }
    }
    if (!any) {
      refuse(run, fmt::format("there is no {} algorithm \"{}\"; gossamer list shows what there is",
                              collective, name));
    }
    for (const auto& [option, values] : options) {
      if (!taken.contains(option)) {
        refuse(run["options"],
               fmt::format("{} algorithm \"{}\" takes no option {}", collective, name, option));
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> read_sizes(const YAML::Node& run) const {
    if (!run["dims"]) refuse(run, "`dims` is missing");
    std::vector<std::vector<std::uint32_t>> sizes;
    for (const YAML::Node& item : items(run["dims"])) {
      if (item.IsMap()) {
        read_range(item, sizes);
        continue;
      }
      try {
        sizes.push_back(parse_dims(text(item)));
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
    for (std::uint32_t side = number("from"); side <= to; side += by) {
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
    refuse(at, fmt::format("option \"{}\" is unknown", name));
  }

  /// Adds the job for every choice of values of the options from `next` on.
  void add_with_options(const YAML::Node& run, SweepJob job,
                        const std::map<std::string, Values>& options,
                        std::map<std::string, Values>::const_iterator next) {
    if (next == options.end()) {
      if (++combinations_ > max_jobs_) too_many(run);
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
