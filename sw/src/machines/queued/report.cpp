// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/bounds/partial.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// A stretch of a queued program from one barrier to the next, the same for all classes.
struct PhaseLength {
  /// phase_kind_name, with `deal-` before it in the round that deals packets to classes.
  std::string phase;
  /// Number among those of its name, from 1.
  int subphase = 1;
  /// On the clock of prefix steps, else on that of sub-steps.
  bool prefix = false;
  /// First step; steps until the barrier. Empty: until the queues are drained, that is the report's
  /// `steps`.
  std::uint64_t start = 1;
  std::optional<std::uint64_t> steps;
};

/// The program's part of its report.
struct QueuedFigures {
  std::vector<PhaseLength> phases;
  std::uint64_t prefix_steps = 0;
  /// Cycles of a prefix step, of a sub-step and of a unit (a whole packet).
  std::uint64_t prefix_flits = 1;
  std::uint64_t substep_flits = 1;
  std::uint64_t flits = 1;
  /// Packets that routers are built to queue at an out-port.
  std::uint64_t queue_depth = 1;
  /// Exchanges by the paper's rule: bounds::exchange_proved_bound.
  std::optional<std::uint64_t> proved_bound_steps;
};

QueuedFigures queued_figures(const Plan& plan, const QueuedProgram& program) {
  const Demand& demand = plan.demand;
  QueuedFigures figures;
  figures.prefix_steps = program.prefix_steps();
  figures.prefix_flits = program.clock.prefix_flits;
  figures.substep_flits = program.substep_flits();
  figures.flits = program.clock.flits;
  if (demand.is_counts()) {
    // Its steps are the prefix's; no steps precede them.
    figures.prefix_steps = 0;
    figures.substep_flits = program.clock.prefix_flits;
  }
  figures.queue_depth = plan.expected.queue_depth;
  std::map<std::string, int> seen;
  for (const QueuedPhase& phase : program.phases) {
    // All classes keep the same times: class 0 speaks for them.
    if (phase.class_index != 0) continue;
    PhaseLength length;
    length.phase = phase.class_round ? "deal-" : "";
    length.phase += phase_kind_name(phase.kind);
    length.subphase = ++seen[length.phase];
    length.prefix = phase.is_prefix();
    length.start = phase.start;
    if (phase.kind != QueuedPhaseKind::kExchange) length.steps = phase.length;
    figures.phases.push_back(std::move(length));
  }
  if (plan.expected.bound_steps && plan.algorithm != "online" && demand.is_personal()) {
    figures.proved_bound_steps =
        bounds::exchange_proved_bound(plan.topology.side(0), demand.sources.size());
  }
  return figures;
}

/// Time units of this number of sub-steps after the prefix.
std::optional<double> units_of(const QueuedFigures& figures,
                               const std::optional<std::uint64_t>& steps,
                               std::uint64_t prefix_steps) {
  if (!steps) return std::nullopt;
  const std::uint64_t cycles = prefix_steps * figures.prefix_flits + *steps * figures.substep_flits;
  return static_cast<double>(cycles) / static_cast<double>(figures.flits);
}

class QueuedPart final : public ReportPart {
 public:
  explicit QueuedPart(QueuedFigures figures) : figures_(std::move(figures)) {}

  void add_json(const Report& report, nlohmann::ordered_json& json) const override {
    json["bound_time_units"] = or_null(bound_units(report));
    json["lower_bound_time_units"] = or_null(lower_bound_units(report));
    json["bound_ratio"] = or_null(bound_ratio(report));
    json["proved_bound_steps"] = or_null(figures_.proved_bound_steps);
    json["queue_depth"] = figures_.queue_depth;
    json["phases"] = nlohmann::ordered_json::array();
    for (const PhaseLength& phase : figures_.phases) {
      const auto steps = phase.steps ? phase.steps : report.steps;
      const std::uint64_t flits = phase.prefix ? figures_.prefix_flits : figures_.substep_flits;
      nlohmann::ordered_json item;
      item["phase"] = phase.phase;
      item["subphase"] = phase.subphase;
      item["start"] = phase.start;
      item["steps"] = or_null(steps);
      item["cycles"] = steps ? nlohmann::ordered_json(*steps * flits) : nullptr;
      item["time_units"] = steps ? nlohmann::ordered_json(static_cast<double>(*steps * flits) /
                                                          static_cast<double>(figures_.flits))
                                 : nullptr;
      json["phases"].push_back(std::move(item));
    }
  }

  /// "28 prefix steps = 7 + 7 + 7 + 7" for each run of phases of one name.
  void add_planned(const Report& report, ReportTable& table) const override {
    const std::vector<PhaseLength>& phases = figures_.phases;
    if (!phases.empty()) table.text("phases", "from barrier to barrier");
    for (std::size_t i = 0; i < phases.size();) {
      const PhaseLength& first = phases[i];
      std::string parts;
      std::uint64_t sum = 0;
      std::size_t count = 0;
      bool known = true;
      for (; i < phases.size() && phases[i].phase == first.phase; ++i, ++count) {
        const auto steps = phases[i].steps ? phases[i].steps : report.steps;
        known = known && steps;
        sum += steps.value_or(0);
        parts += fmt::format("{}{}", count == 0 ? "" : " + ", steps.value_or(0));
      }
      table.text("  " + first.phase,
                 !known ? "until the queues are drained"
                        : fmt::format("{} {}steps{}", grouped(sum), first.prefix ? "prefix " : "",
                                      count > 1 ? " = " + parts : ""));
    }
  }

  void add_measured(const Report& report, ReportTable& table) const override {
    table.number("queues built for", figures_.queue_depth);
    table.number("proved bound", figures_.proved_bound_steps);
    const auto lower = lower_bound_units(report);
    const auto bound = bound_units(report);
    const auto ratio = bound_ratio(report);
    if (!report.time_units) table.text("time units", "-");
    if (lower) table.text("  lower bound", fmt::format("{:g}", *lower));
    if (bound) table.text("  paper's bound", fmt::format("{:g}, prefix included", *bound));
    if (ratio) table.text("  to lower bound", fmt::format("{:.3f}, prefix included", *ratio));
  }

  void check(Report& report) const override {
    if (figures_.proved_bound_steps && report.steps &&
        *report.steps > *figures_.proved_bound_steps) {
      report.problems.push_back(fmt::format("steps: {} exceed the proved bound of {}",
                                            *report.steps, *figures_.proved_bound_steps));
    }
    if (report.max_queue && *report.max_queue > figures_.queue_depth) {
      report.problems.push_back(fmt::format("longest queue: {} packets, the plan states {}",
                                            *report.max_queue, figures_.queue_depth));
    }
  }

 private:
  /// The paper's bound, including the prefix, and the lower bound.
  [[nodiscard]] std::optional<double> bound_units(const Report& report) const {
    return units_of(figures_, report.bound_steps, figures_.prefix_steps);
  }
  [[nodiscard]] std::optional<double> lower_bound_units(const Report& report) const {
    return units_of(figures_, report.lower_bound_steps, 0);
  }
  [[nodiscard]] std::optional<double> bound_ratio(const Report& report) const {
    const auto lower = lower_bound_units(report);
    if (!lower || *lower == 0 || !report.time_units) return std::nullopt;
    return *report.time_units / *lower;
  }

  QueuedFigures figures_;
};

}  // namespace

std::shared_ptr<const ReportPart> queued_report_part(const Plan& plan) {
  return std::make_shared<QueuedPart>(queued_figures(plan, plan.program.as<QueuedProgram>()));
}

}  // namespace gossamer
