// SPDX-License-Identifier: Apache-2.0
#include "sweep_job.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "foreign_file.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/tb/engines.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/verify/proof.hpp"
#include "gossamer/version.hpp"

namespace gossamer::cli {

namespace {

nlohmann::ordered_json parameters_json(const SweepJob& job) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : job.parameters) {
    std::visit([&json, &name = name](const auto& plain) { json[name] = plain; }, value);
  }
  return json;
}

Topology network_of(const SweepJob& job) {
  return with_named_faults(topology_named(job.topology, job.dims), job.faults);
}

/// What another program's schedule becomes; a result that says why where it becomes nothing.
std::variant<Plan, SweepResult> plan_of_file(const SweepJob& job) {
  const std::string text = read_schedule_text(job.file);
  if (content_hash(text) != job.file_hash) {
    throw InputError(
        fmt::format("{}: is not the file that the description was read with", job.file));
  }
  ConvertedFile file = convert_file(text, job.file, network_of(job));
  SweepResult result;
  if (const auto& defect = file.result.defect) {
    result.status = SweepStatus::kFailed;
    result.message =
        fmt::format("{}:{}: {}: {}", job.file, defect->line, defect->kind, defect->text);
    return result;
  }
  if (!file.conversion.plan) {
    result.status = SweepStatus::kNoPlan;
    result.message = fmt::format("{}: no plan: {}", job.file, file.conversion.reason);
    return result;
  }
  return *std::move(file.conversion.plan);
}

SweepResult measure(const SweepJob& job) {
  SweepResult result;
  std::optional<PlanOrExperiment> planned;
  if (job.file.empty()) {
    planned = make_plan_or_experiment(
        {network_of(job), job.collective, job.algorithm, job.parameters, {}});
  } else {
    auto converted = plan_of_file(job);
    if (auto* const why = std::get_if<SweepResult>(&converted)) return std::move(*why);
    planned = std::get<Plan>(std::move(converted));
  }
  const PlanOrExperiment& made = *planned;
  const auto* plan = std::get_if<Plan>(&made);
  tb::EngineOptions engine_options;
  if (!job.stall.empty()) {
    if (plan == nullptr || elastic_of(*plan) == nullptr || job.engine == "proof") {
      throw InputError("stall: only elastic plans stall, and only on an engine");
    }
    engine_options.stalls = StallScript::parse(job.stall, plan->topology);
  }
  const auto run = [&](const auto& document) {
    result.plan_hash = fmt::format("{:016x}", plan_hash(document));
    if (job.engine == "proof") return prove(document, {});
    return tb::run_on_engine(job.engine, document, engine_options, {});
  };
  const Report report = std::visit(run, made);
  result.status = report.problems.empty() ? SweepStatus::kHeld : SweepStatus::kFailed;
  result.message = joined(report.problems, "; ");
  result.report = report_json(report);
  return result;
}

SweepResult measure_or_say_why(const SweepJob& job) {
  try {
    return measure(job);
  } catch (const InfeasibleError& error) {
    return {SweepStatus::kNoPlan, error.what(), {}, {}, {}, {}};
  } catch (const InputError& error) {
    return {SweepStatus::kRefused, error.what(), {}, {}, {}, {}};
  }
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string SweepJob::key() const {
  nlohmann::ordered_json json;
  json["gossamer"] = kVersion;
  json["collective"] = collective;
  json["topology"] = topology;
  json["dims"] = dims;
  json["algorithm"] = algorithm;
  json["options"] = parameters_json(*this);
  json["engine"] = engine;
  if (!stall.empty()) json["stall"] = stall;
  if (!faults.empty()) json["faults"] = faults;
  if (!file.empty()) {
    json["file"] = file;
    json["file_hash"] = file_hash;
  }
  return dump_json(json);
}

SweepJob SweepJob::from_key(const std::string& key) {
  const auto json = parse_json(key);
  SweepJob job{json.at("collective"),
               json.at("topology"),
               json.at("dims"),
               json.at("algorithm"),
               {},
               json.at("engine"),
               json.value("stall", ""),
               json.value("faults", ""),
               json.value("file", ""),
               json.value("file_hash", "")};
  for (const auto& [name, value] : json.at("options").items()) {
    if (value.is_boolean()) {
      job.parameters[name] = value.get<bool>();
    } else if (value.is_number_integer()) {
      job.parameters[name] = value.get<std::int64_t>();
    } else {
      job.parameters[name] = value.get<std::string>();
    }
  }
  if (job.key() != key) {
    throw InputError(fmt::format("sweep: a job of gossamer {}, but this is {}",
                                 json.at("gossamer").get<std::string>(), kVersion));
  }
  return job;
}

std::string SweepJob::options_json() const {
  auto json = parameters_json(*this);
  if (!stall.empty()) json["stall"] = stall;
  if (!faults.empty()) json["faults"] = faults;
  if (!file.empty()) json["file"] = file;
  return dump_json(json);
}

std::string content_hash(std::string_view text) {
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

std::string SweepJob::dims_text() const { return joined(dims, "x"); }

std::string_view status_name(SweepStatus status) {
  switch (status) {
    case SweepStatus::kHeld:
      return "done";
    case SweepStatus::kFailed:
      return "failed";
    case SweepStatus::kNoPlan:
      return "infeasible";
    case SweepStatus::kRefused:
      return "refused";
  }
  throw std::logic_error("status_name: unknown status");
}

SweepResult run_job(const SweepJob& job) {
  SweepResult result = measure_or_say_why(job);
  utsname names{};
  uname(&names);
  result.host = names.nodename;
  result.machine = fmt::format("{} {}, {}, {} cores", names.sysname, names.machine, processor(),
                               std::thread::hardware_concurrency());
  return result;
}

std::string to_text(const SweepResult& result) {
  const nlohmann::ordered_json json = {static_cast<int>(result.status),
                                       result.message,
                                       result.plan_hash,
                                       result.report,
                                       result.host,
                                       result.machine};
  return dump_json(json, -1, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<SweepResult> from_text(const std::string& text) {
  nlohmann::ordered_json json;
  try {
    json = parse_json(text);
  } catch (const nlohmann::ordered_json::parse_error&) {
    return std::nullopt;
  }
  return SweepResult{static_cast<SweepStatus>(json.at(0).get<int>()),
                     json.at(1),
                     json.at(2),
                     json.at(3),
                     json.at(4),
                     json.at(5)};
}

}  // namespace gossamer::cli
