// SPDX-License-Identifier: Apache-2.0
/// Plans and experiments, JSON and CBOR. Every accepted document survives a round trip in both
/// encodings. The proof of a small plan agrees with every engine that runs it.
#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <variant>

#include "fuzz.hpp"
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/verify/proof.hpp"

namespace gossamer::fuzz {
namespace {

/// Larger plans are read and written only: a run each of so many takes no moment.
constexpr std::uint32_t kMaxNodes = 64;
constexpr std::uint64_t kMaxPieces = 4096;
/// Steps beyond which nothing is run.
constexpr std::uint64_t kMaxSteps = 20000;

std::string written(const PlanOrExperiment& document, PlanEncoding encoding) {
  std::ostringstream out;
  if (const auto* plan = std::get_if<Plan>(&document)) {
    write_plan(*plan, out, encoding);
  } else {
    write_experiment(std::get<Experiment>(document), out, encoding);
  }
  return out.str();
}

PlanOrExperiment read(const std::string& text) {
  std::istringstream in(text);
  return read_plan_or_experiment(in, "input");
}

void check_round_trips(const PlanOrExperiment& document) {
  const std::string json = written(document, PlanEncoding::kJson);
  for (const PlanEncoding encoding : {PlanEncoding::kJson, PlanEncoding::kCbor}) {
    try {
      const std::string again = written(read(written(document, encoding)), PlanEncoding::kJson);
      require(again == json, "another document after a round trip:\n" + json + "\n" + again);
    } catch (const InputError& error) {
      fail(fmt::format("what we write we do not read: {}\n{}", error.what(), json));
    }
  }
}

/// The figures of a run that the proof knows are the proof's, of right plans and of wrong ones.
void check_run(const Report& proof, const Report& run) {
  const auto same = [&](const char* what, const auto& proved, const auto& ran) {
    if (!proved || !ran || *proved == *ran) return;
    fail(fmt::format("{}: {} by {}, {} on {}", what, *proved, *proof.proved_by, *ran, run.engine));
  };
  same("complete", proof.complete, run.complete);
  same("steps", proof.steps, run.steps);
  same("cycles", proof.complete.value_or(false) ? proof.cycles : std::nullopt, run.cycles);
  same("transfers", proof.link_transfers, run.link_transfers);
  same("duplicates", proof.duplicates, run.duplicates);
  same("conflicts", proof.link_conflicts, run.link_conflicts);
  same("queue", proof.max_queue, run.max_queue);
  if (proof.problems.empty() && !run.problems.empty()) {
    fail(fmt::format("{} proves it, {} says: {}", *proof.proved_by, run.engine,
                     run.problems.front()));
  }
}

void check_plan(const Plan& plan) {
  const std::uint64_t pieces = std::uint64_t{plan.topology.nodes()} * packets_per_node(plan);
  if (plan.topology.nodes() > kMaxNodes || pieces > kMaxPieces) return;
  const std::uint64_t limit = step_limit(plan);
  if (limit != kNoStepLimit && limit > kMaxSteps) return;
  const Report proof = prove(plan, {});
  if (proof.cycles.value_or(0) > kMaxSteps) return;
  for (const std::string_view engine : engines_of(plan.machine())) {
    std::optional<Report> run;
    // An engine may be too small for a plan, in one line.
    if (!accepted([&] { run = run_on_engine(engine, plan, {}, {}); })) continue;
    check_run(proof, *run);
    if (run->cycles.value_or(0) > kMaxSteps) return;
  }
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gossamer;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::optional<PlanOrExperiment> document;
  if (!fuzz::accepted([&] { document = fuzz::read(text); })) return 0;
  fuzz::check_round_trips(*document);
  if (const auto* plan = std::get_if<Plan>(&*document)) {
    fuzz::check_plan(*plan);
  } else {
    fuzz::accepted([&] { check_experiment(std::get<Experiment>(*document)); });
  }
  return 0;
}
