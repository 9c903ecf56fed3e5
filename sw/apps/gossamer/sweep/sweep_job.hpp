// SPDX-License-Identifier: Apache-2.0
/// One measurement of a sweep: a request, an engine, and what came out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::cli {

struct SweepJob {
  std::string collective;
  std::string topology;
  std::vector<std::uint32_t> dims;
  /// Empty: the default for the collective and the topology.
  std::string algorithm;
  std::map<std::string, ParameterValue> parameters;
  /// An engine's name, or "proof" for the static proof.
  std::string engine;
  /// How elastic plans stall, as `simulate --stall`; empty: nobody does.
  std::string stall{};
  /// What is dead, as with_named_faults reads it; empty: nothing.
  std::string faults{};
  /// A schedule of another program in place of collective and algorithm, and a hash of its
  /// contents.
  std::string file{};
  std::string file_hash{};

  /// The job's identity: what was asked of which version of the program, as JSON with fixed order.
  [[nodiscard]] std::string key() const;
  /// The job of a key that this version of the program wrote; throws InputError for another's.
  [[nodiscard]] static SweepJob from_key(const std::string& key);
  /// The parameters as a JSON object, with `stall` and `faults` where there are some.
  [[nodiscard]] std::string options_json() const;
  /// "16x8".
  [[nodiscard]] std::string dims_text() const;
};

/// Tells a file's contents from others.
[[nodiscard]] std::string content_hash(std::string_view text);

enum class SweepStatus {
  /// Measured, every check held.
  kHeld,
  /// Measured, some check failed.
  kFailed,
  /// No plan can serve the request.
  kNoPlan,
  /// The request is wrong in itself.
  kRefused
};

/// "done", "failed", "infeasible", "refused".
[[nodiscard]] std::string_view status_name(SweepStatus status);

struct SweepResult {
  SweepStatus status = SweepStatus::kHeld;
  /// Why it is not done; one line.
  std::string message;
  /// The plan's hash in hexadecimal; empty without a plan.
  std::string plan_hash;
  /// The report as JSON; empty without a run.
  std::string report;
  /// The machine that measured: its name, and what it is.
  std::string host;
  std::string machine;
};

/// Plans, and runs the plan on the job's engine or proves it.
[[nodiscard]] SweepResult run_job(const SweepJob& job);

/// The result on its way between processes.
[[nodiscard]] std::string to_text(const SweepResult& result);
/// Empty when the text is not whole.
[[nodiscard]] std::optional<SweepResult> from_text(const std::string& text);

}  // namespace gossamer::cli
