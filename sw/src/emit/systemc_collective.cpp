// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/node_pins.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"
#include "network_text.hpp"
#include "sv_text.hpp"
#include "systemc.hpp"

namespace gossamer::emit_detail {

namespace {

using systemc::constant;
using systemc::list;
using systemc::NumberList;

/// Delivery pins of a network, and cycles of a round, that a testbench can watch.
constexpr std::uint64_t kMostPins = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostCycles = std::uint64_t{1} << 20U;

/// The deliveries at the pins of a network in a round.
struct PinRun {
  /// Of each cycle, and of the one after the last.
  NumberList digests;
  std::uint64_t deliveries = 0;
  std::uint64_t places = 1;
};

/// The round on the fast engine.
PinRun pin_run(const Plan& plan, NodePins& pins, std::uint64_t cycles) {
  PinRun run;
  const std::unique_ptr<Engine> engine = make_fast_engine(plan, {.arithmetic = pins.arithmetic()});
  // Valid/ready: this engine shows a sum in the cycle of its last take, and clocked ones after it.
  const bool early = plan.demand.combines() && run_facts(plan).stalls;
  if (early) run.digests.add(0);
  for (std::uint64_t cycle = 0; cycle <= cycles - (early ? 1 : 0); ++cycle) {
    if (cycle != 0) engine->clock(1);
    const auto seen = pins.look(*engine, cycle == cycles);
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      digest += delivery_digest(seen[i], pins.data(i));
      run.places = std::max<std::uint64_t>(run.places, seen[i].place + std::uint64_t{1});
    }
    run.deliveries += seen.size();
    run.digests.add(digest);
  }
  return run;
}

/// The cycles of a round, proved.
std::uint64_t round_cycles(const Plan& plan, const Verdict& verdict) {
  if (!verdict.ok()) {
    throw InputError(
        fmt::format("format systemc: the plan is wrong: {}", verdict.problems.front()));
  }
  const auto cycles = verdict.cycles ? verdict.cycles : verdict.steps;
  if (!verdict.complete || !cycles) {
    throw InputError("format systemc: the plan has no known length of a round");
  }
  // Valid/ready routers count from cycle 0.
  const std::uint64_t all = *cycles + (run_facts(plan).stalls ? 1 : 0);
  if (all > kMostCycles) {
    throw InputError(
        fmt::format("format systemc: {} cycles are more than its testbench watches", all));
  }
  return all;
}

/// The document as adjacent raw string literals: no compiler has to accept a longer one.
std::string literal_of(std::string_view document) {
  constexpr std::size_t kLongest = 8192;
  std::string text;
  while (!document.empty()) {
    std::size_t length = std::min(kLongest, document.size());
    // No part contains the end of its literal.
    const std::size_t end = document.substr(0, length).find(")gsm");
    if (end != std::string_view::npos) length = end + 1;
    append_format(text, "\n    R\"gsm({})gsm\"", document.substr(0, length));
    document.remove_prefix(length);
  }
  return text;
}

}  // namespace

std::vector<EmittedFile> systemc_collective(const Plan& plan) {
  const Verdict verdict = plan.machine().prove(plan, {});
  const std::uint64_t cycles = round_cycles(plan, verdict);
  NodePins pins(plan);
  const std::vector<std::uint64_t> own = pins.test_words();
  pins.set_own(own);
  const PinRun run = pin_run(plan, pins, cycles);
  const std::uint64_t nodes = plan.topology.nodes();
  if (run.places > kMostPins / nodes / pins.lanes()) {
    throw InputError(fmt::format("format systemc: {} words per node and cycle are too many pins",
                                 run.places * pins.lanes()));
  }
  NumberList words;
  for (const std::uint64_t word : own) words.add(word);
  std::ostringstream document;
  write_plan(plan, document, PlanEncoding::kJson);
  const std::string steps = verdict.steps ? fmt::format("steps={} ", *verdict.steps) : "";
  std::string text =
      fmt::format(
          "// SPDX-License-Identifier: Apache-2.0\n"
          "/// {} on the {} {}, algorithm {}: the plan and the sizes of gsm_network.\n"
          "#pragma once\n\n#include <cstdint>\n#include <string_view>\n\nnamespace gsm_plan {{\n\n",
          plan.collective, plan.topology.dims_text(), topology_words(plan.topology),
          comment_text(plan.algorithm)) +
      constant("Nodes.", "uint64_t", "kNodes", nodes) +
      constant("Own words of all nodes.", "uint64_t", "kOwnWords", pins.own_words()) +
      constant("Words that a node receives in a cycle, at most.", "uint64_t", "kPlaces",
               run.places) +
      constant("Words side by side on a link.", "uint64_t", "kLanes", pins.lanes()) +
      constant("Cycles of a round.", "uint64_t", "kCycles", cycles) +
      fmt::format("/// The planned run.\nconstexpr std::string_view kSummary = \"{}cycles={}\";\n",
                  steps, cycles) +
      "\n// For the testbench.\n\n" + list("Own words.", "uint64_t", "kTestWords", words) +
      constant("Words that all nodes receive in a round.", "uint64_t", "kDeliveries",
               run.deliveries) +
      list("By cycle, from 1, and in the one after the last: a digest of what all nodes receive.",
           "uint64_t", "kDigests", run.digests) +
      fmt::format("\n/// The plan.\nconstexpr std::string_view kDocument ={};\n\n",
                  literal_of(document.view())) +
      "}  // namespace gsm_plan\n";
  const auto embedded = [](std::string_view source, std::string_view name) {
    return EmittedFile{std::string(name), embedded_file(source).contents};
  };
  return {{"gsm_plan.hpp", std::move(text)},
          embedded("gsm_collective.hpp", "gsm_network.hpp"),
          embedded("gsm_collective_main.cpp", "gsm_network_main.cpp"),
          embedded("collective.mk", "Makefile")};
}

}  // namespace gossamer::emit_detail
