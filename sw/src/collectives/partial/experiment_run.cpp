// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/experiment_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "gossamer/collectives/partial/active_nodes.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"

namespace gossamer {

namespace {

nlohmann::ordered_json point_json(const DynamicPoint& point) {
  nlohmann::ordered_json json;
  json["load"] = point.load;
  json["mean_delay"] = or_null(point.mean_delay);
  json["delay_ci95"] = or_null(point.delay_ci95);
  json["delay_bound"] = or_null(point.delay_bound);
  json["stable"] = point.stable;
  return json;
}

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.5g}", *value) : "-";
}

/// Additional members in the report of a dynamic broadcast: `load` to `stable`, `load_limit`,
/// `points`.
class DynamicPart final : public ReportPart {
 public:
  DynamicPart(std::vector<DynamicPoint> points, double load_limit)
      : points_(std::move(points)), load_limit_(load_limit) {}

  [[nodiscard]] std::span<const DynamicPoint> points() const { return points_; }

  /// A single load's figures are at the top level. With several loads they are null there, and
  /// `points` has all.
  void add_json(const Report& /*report*/, nlohmann::ordered_json& json) const override {
    const bool single = points_.size() == 1;
    const nlohmann::ordered_json first = point_json(points_.front());
    for (const auto& [key, value] : first.items()) {
      json[key] = single ? value : nlohmann::ordered_json(nullptr);
    }
    json["load_limit"] = load_limit_;
    json["points"] = nlohmann::ordered_json::array();
    for (const DynamicPoint& point : points_) {
      nlohmann::ordered_json item = point_json(point);
      item["rate"] = point.rate;
      item["broadcasts"] = point.broadcasts;
      item["intervals"] = point.intervals;
      json["points"].push_back(std::move(item));
    }
  }

  void add_measured(const Report& /*report*/, ReportTable& table) const override {
    table.text("stable below", fmt::format("load {:.6g}", load_limit_));
  }

  [[nodiscard]] std::string text_behind() const override {
    std::string text = fmt::format("\n  {:>9} {:>11} {:>11} {:>10} {:>10} {:>8} {:>12}\n", "load",
                                   "rate", "mean delay", "95 % +-", "bound", "stable", "intervals");
    for (const DynamicPoint& point : points_) {
      text += fmt::format("  {:>9.6g} {:>11.5g} {:>11} {:>10} {:>10} {:>8} {:>12}\n", point.load,
                          point.rate, shown(point.mean_delay), shown(point.delay_ci95),
                          shown(point.delay_bound), point.stable ? "yes" : "NO",
                          point.intervals == 0 ? "-" : grouped(point.intervals));
    }
    return text;
  }

  void check(Report& report) const override {
    const auto broken = [&report](std::string text) { report.problems.push_back(std::move(text)); };
    for (const DynamicPoint& point : points_) {
      if (point.mismatches != 0) {
        broken(fmt::format("load {:g}: {} intervals do not end in the step of the formula",
                           point.load, point.mismatches));
      }
      // A measured delay is known only up to its confidence interval.
      if (point.mean_delay && point.delay_bound &&
          *point.mean_delay - *point.delay_ci95 > *point.delay_bound) {
        broken(fmt::format("load {:g}: a mean delay of {:.6g} exceeds the bound of {:.6g}",
                           point.load, *point.mean_delay, *point.delay_bound));
      }
    }
  }

 private:
  /// In the experiment's order.
  std::vector<DynamicPoint> points_;
  /// dynamic_load_limit.
  double load_limit_;
};

Report report_for(const Experiment& experiment, std::string engine,
                  std::vector<DynamicPoint> points) {
  Report report;
  report.collective = Experiment::kCollective;
  report.algorithm = Experiment::kAlgorithm;
  report.topology = experiment.topology.kind();
  report.dims = experiment.topology.sides();
  report.nodes = experiment.topology.nodes();
  report.engine = std::move(engine);
  report.part = std::make_shared<DynamicPart>(std::move(points), dynamic_load_limit(experiment));
  return report;
}

}  // namespace

Report report_for(const Experiment& experiment, std::string engine) {
  return report_for(experiment, std::move(engine), dynamic_outlook(experiment));
}

std::span<const DynamicPoint> points_of(const Report& report) {
  return dynamic_cast<const DynamicPart&>(*report.part).points();
}

std::function<std::optional<std::uint64_t>(const Plan&)> intervals_on(
    std::function<std::unique_ptr<Engine>(const Plan&)> engine) {
  return [engine = std::move(engine)](const Plan& plan) -> std::optional<std::uint64_t> {
    const Report report = run_plan(plan, *engine(plan));
    if (!report.problems.empty()) return std::nullopt;
    return report.cycles;
  };
}

Report run_experiment(const Experiment& experiment, std::string engine,
                      const DynamicRunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<DynamicPoint> points = run_dynamic(experiment, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  Report report = report_for(experiment, std::move(engine), std::move(points));
  report.wall_seconds = wall.count();
  check_figures(report);
  return report;
}

Report run_experiment_on(std::string_view engine, const Experiment& experiment,
                         const EngineOptions& engine_options, const DynamicEngineOptions& options) {
  check_engine(engine, engine_options);
  if (!engine_options.wave.empty()) {
    throw InputError(
        "--wave: not supported for dynamic-broadcast, which runs thousands of broadcasts");
  }
  const bool fast = engine == "fast";
  DynamicRunOptions run;
  run.progress = options.progress;
  run.threads = fast ? options.threads : 1;
  if (options.execute || !fast) {
    run.execute = intervals_on(
        [&](const Plan& interval) { return make_engine(engine, interval, engine_options); });
  }
  return run_experiment(experiment, std::string(engine), run);
}

namespace {
/// In units; a cycle is at least 2^-20 of one.
constexpr double kRounding = 1e-7;
}  // namespace

Verdict verify_experiment(const Experiment& experiment, const Progress& progress) {
  Verdict verdict;
  verdict.method = "intervals";
  verdict.complete = true;
  const DynamicProgram& program = experiment.program;
  const std::uint32_t nodes = experiment.topology.nodes();
  for (std::uint64_t active = 0; active <= nodes; ++active) {
    const DynamicInterval interval = dynamic_interval(experiment, active);
    const double needed =
        static_cast<double>(interval.broadcast_cycles) / static_cast<double>(program.clock.flits);
    // Less than a cycle is rounding: the bound's lengths are no whole numbers.
    if (needed - interval.units < kRounding) continue;
    verdict.problems.push_back(fmt::format(
        "an interval of {:.6g} units is too short for the broadcast of {} packets, {:.6g} units",
        interval.units, active, needed));
    break;
  }
  std::uint64_t proved = 0;
  for (const std::uint32_t active : {1U, nodes / 2, nodes}) {
    if (progress) progress("verify", proved++, 3);
    const Verdict broadcast = verify(
        dynamic_interval_plan(experiment, random_nodes(nodes, active, program.seed + active)), {});
    verdict.complete = verdict.complete && broadcast.complete;
    if (broadcast.max_queue) verdict.max_queue = std::max(verdict.max_queue, broadcast.max_queue);
    for (const std::string& problem : broadcast.problems) {
      verdict.problems.push_back(fmt::format("interval of {} packets: {}", active, problem));
    }
  }
  return verdict;
}

Report prove(const Experiment& experiment, const Progress& progress) {
  Report report = report_for(experiment, "proof");
  add_verdict(report, [&] { return verify_experiment(experiment, progress); });
  return report;
}

}  // namespace gossamer
