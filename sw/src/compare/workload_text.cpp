// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "gossamer/compare/workload.hpp"
#include "gossamer/compose/composition.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/version.hpp"
#include "text_table.hpp"
#include "wide.hpp"
#include "workload_parts.hpp"

namespace gossamer {

namespace compare {

std::string row_name(const WorkloadResult& result, std::size_t row) {
  return fmt::format("{}-{}", row, field_name(result.rows[row].request.collective));
}

std::string groups_text(const Plan& plan) {
  const auto& groups = plan.demand.groups;
  if (!groups) return "all";
  std::string text = joined(groups->shape, "x");
  if (groups->longest_stride() > 1) text += fmt::format(" stride {}", joined(groups->stride, "x"));
  return text;
}

}  // namespace compare

namespace {

using compare::aligned;
using compare::cell;
using compare::groups_text;
using compare::note;
using compare::TextRow;

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr double kFemtojoulesPerJoule = 1e15;

std::string time_text(std::uint64_t cycles, std::uint64_t hertz) {
  return with_prefix(static_cast<double>(cycles) / static_cast<double>(hertz), "s");
}

std::string energy_text(const std::optional<double>& femtojoules) {
  return femtojoules ? with_prefix(*femtojoules / kFemtojoulesPerJoule, "J") : "-";
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

TextRow network_cells(const std::string& name, const WorkloadResult& result,
                      const WorkloadTimes& times) {
  const std::uint64_t hertz = result.quantities.hertz;
  return {name,
          time_text(times.total, hertz),
          time_text(result.compute, hertz),
          time_text(times.communication, hertz),
          time_text(times.exposed, hertz),
          percent_text(times.exposed, times.total),
          energy_text(times.femtojoules)};
}

std::string networks_table(const WorkloadResult& result, const TableStyle& style) {
  std::vector<TextRow> rows{
      {"network", "total", "compute", "collectives", "exposed", "exposed %", "energy"}};
  rows.push_back(network_cells("gossamer", result, result.times));
  if (result.conventional) {
    rows.push_back(network_cells("conventional", result, *result.conventional));
  }
  return aligned(rows, style);
}

std::string plans_table(const WorkloadResult& result, const TableStyle& style) {
  const std::uint64_t hertz = result.quantities.hertz;
  std::vector<TextRow> rows{{"collective", "bytes", "groups", "runs", "plan", "steps", "cycles",
                             "time", "share %", "energy"}};
  if (result.conventional) {
    for (const char* const name : {"order", "conv. time", "factor"}) rows.front().push_back(name);
  }
  for (const WorkloadRow& row : result.rows) {
    rows.push_back({std::string(field_name(row.request.collective)), bytes_text(row.request.bytes),
                    groups_text(row.plan), std::to_string(row.runs), row.plan.algorithm,
                    cell(row.report.steps), grouped(row.cycles), time_text(row.cycles, hertz),
                    percent_text(row.cycles * row.runs, result.times.communication),
                    energy_text(row.femtojoules)});
    if (!row.conventional) continue;
    const ConventionalCost& cost = *row.conventional;
    rows.back().push_back(cost.order);
    rows.back().push_back((cost.extrapolated ? "~" : "") + time_text(cost.cycles, hertz));
    rows.back().push_back(
        fmt::format("{:.2f}", static_cast<double>(cost.cycles) / static_cast<double>(row.cycles)));
  }
  return aligned(rows, style);
}

/// Whole nanoseconds as a whole number.
nlohmann::ordered_json nanoseconds(std::uint64_t cycles, std::uint64_t hertz) {
  if (const auto whole = compare::exact_quotient(cycles, kNanosecondsPerSecond, hertz)) {
    return *whole;
  }
  return static_cast<double>(cycles) *
         (static_cast<double>(kNanosecondsPerSecond) / static_cast<double>(hertz));
}

nlohmann::ordered_json picojoules(const std::optional<double>& femtojoules) {
  return femtojoules ? nlohmann::ordered_json(*femtojoules / 1000) : nullptr;
}

void add_times(nlohmann::ordered_json& json, const WorkloadResult& result,
               const WorkloadTimes& times) {
  const std::uint64_t hertz = result.quantities.hertz;
  json["total_ns"] = nanoseconds(times.total, hertz);
  json["exposed_ns"] = nanoseconds(times.exposed, hertz);
  json["compute_ns"] = nanoseconds(result.compute, hertz);
  json["communication_ns"] = nanoseconds(times.communication, hertz);
  json["energy_pj"] = picojoules(times.femtojoules);
}

nlohmann::ordered_json timeline_json(const WorkloadResult& result, const WorkloadTimes& times) {
  const std::uint64_t hertz = result.quantities.hertz;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TimedRun& run : times.timeline) {
    const auto row = result.row_of[run.step];
    list.push_back({{"step", result.workload.steps[run.step].name},
                    {"run", run.run + 1},
                    {"collective", row ? nlohmann::ordered_json(*row) : nullptr},
                    {"start_ns", nanoseconds(run.begin, hertz)},
                    {"end_ns", nanoseconds(run.end, hertz)}});
  }
  return list;
}

nlohmann::ordered_json row_json(const WorkloadResult& result, const WorkloadRow& row) {
  const std::uint64_t hertz = result.quantities.hertz;
  nlohmann::ordered_json json;
  json["name"] = field_name(row.request.collective);
  json["bytes"] = row.request.bytes;
  json["groups"] = text_or_null(row.request.groups);
  json["group_stride"] = text_or_null(row.request.group_stride);
  json["source"] = text_or_null(row.request.source);
  json["runs"] = row.runs;
  json["plan"] = row.plan.algorithm;
  json["proved_by"] = or_null(row.report.proved_by);
  json["steps"] = or_null(row.report.steps);
  json["cycles"] = row.cycles;
  json["ns"] = nanoseconds(row.cycles, hertz);
  json["energy_pj"] = picojoules(row.femtojoules);
  json["share"] = result.times.communication == 0
                      ? nlohmann::ordered_json(nullptr)
                      : nlohmann::ordered_json(static_cast<double>(row.cycles * row.runs) /
                                               static_cast<double>(result.times.communication));
  json["conventional"] = nullptr;
  if (const auto& cost = row.conventional) {
    json["conventional"] = {{"order", cost->order},
                            {"cycles", cost->cycles},
                            {"ns", nanoseconds(cost->cycles, hertz)},
                            {"energy_pj", cost->femtojoules / 1000},
                            {"extrapolated", cost->extrapolated}};
  }
  return json;
}

constexpr const char* kContextsFile = "contexts.json";

std::string plan_file(const WorkloadResult& result, std::size_t row) {
  return compare::row_name(result, row) + ".json";
}

/// The file, and the contexts in the order of their runs if all collectives are contexts.
nlohmann::ordered_json contexts_json(const WorkloadResult& result,
                                     const WorkloadContexts& contexts) {
  if (!contexts.plan) return nullptr;
  nlohmann::ordered_json rounds = nlohmann::ordered_json::array();
  for (const TimedRun& run : result.times.timeline) {
    const auto row = result.row_of[run.step];
    if (!row) continue;
    const auto context = contexts.context_of[*row];
    if (!context) {
      rounds = nullptr;
      break;
    }
    rounds.push_back(*context);
  }
  return {{"file", kContextsFile}, {"wirings", wirings_of(*contexts.plan)}, {"rounds", rounds}};
}

bool is_extrapolated(const WorkloadResult& result) {
  return std::any_of(result.rows.begin(), result.rows.end(), [](const WorkloadRow& row) {
    return row.conventional && row.conventional->extrapolated;
  });
}

}  // namespace

std::string workload_table(const WorkloadResult& result, const TableStyle& style) {
  const PhysicalQuantities& given = result.quantities;
  std::string text = fmt::format(
      "{}: {} on the {} {}, links of {} bits, {}\n", result.workload.name,
      counted(result.workload.steps.size(), "step"), result.topology.dims_text(),
      result.topology.kind(), given.link_bits, with_prefix(static_cast<double>(given.hertz), "Hz"));
  text += networks_table(result, style);
  if (result.conventional) {
    append_format(
        text, "speed-up: {:.2f}\n",
        static_cast<double>(result.conventional->total) / static_cast<double>(result.times.total));
  }
  if (!result.rows.empty()) text += "\n" + plans_table(result, style);
  text += note(
      "exposed: computations wait for collectives; time and energy of a collective: one run in all "
      "groups; share: of the collectives' time",
      style);
  if (is_extrapolated(result)) {
    text += note("~: a long message, in line with two shorter ones that were simulated", style);
  }
  return text;
}

std::string contexts_text(const WorkloadResult& result, const WorkloadContexts& contexts) {
  std::string text;
  if (contexts.plan) {
    append_format(text, "{}: {}, {}\n", kContextsFile,
                  counted(members_of(*contexts.plan).size(), "context"),
                  counted(wirings_of(*contexts.plan), "wiring"));
  }
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    if (contexts.defects[row].empty()) continue;
    append_format(text, "not a context: {}: {}\n", plan_file(result, row), contexts.defects[row]);
  }
  return text;
}

std::vector<EmittedFile> workload_files(const WorkloadResult& result,
                                        const WorkloadContexts& contexts) {
  std::vector<EmittedFile> files;
  const auto add_plan = [&files](std::string name, const Plan& plan) {
    std::ostringstream text;
    write_plan(plan, text, PlanEncoding::kJson);
    files.push_back({std::move(name), std::move(text).str()});
  };
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    add_plan(plan_file(result, row), result.rows[row].plan);
  }
  if (contexts.plan) add_plan(kContextsFile, *contexts.plan);
  files.push_back({"workload.json", workload_json(result, &contexts)});
  return files;
}

std::string workload_json(const WorkloadResult& result, const WorkloadContexts* contexts) {
  nlohmann::ordered_json json;
  json["gossamer"] = kVersion;
  json["workload"] = result.workload.name;
  add_network(json, result.topology);
  json["link_bits"] = result.quantities.link_bits;
  json["clock_hertz"] = result.quantities.hertz;
  add_times(json, result, result.times);
  json["collectives"] = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    json["collectives"].push_back(row_json(result, result.rows[row]));
    if (contexts == nullptr) continue;
    json["collectives"].back()["file"] = plan_file(result, row);
    json["collectives"].back()["context"] = or_null(contexts->context_of[row]);
  }
  json["conventional"] = nullptr;
  if (result.conventional) {
    nlohmann::ordered_json conventional;
    add_times(conventional, result, *result.conventional);
    conventional["timeline"] = timeline_json(result, *result.conventional);
    json["conventional"] = std::move(conventional);
  }
  json["timeline"] = timeline_json(result, result.times);
  if (contexts != nullptr) json["contexts"] = contexts_json(result, *contexts);
  // The file's name and steps' names may be anything.
  return dump_json(json, 2, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gossamer
