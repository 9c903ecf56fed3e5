// SPDX-License-Identifier: Apache-2.0
#include "best_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "gossamer/collectives/all_gather/elastic.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// The possible algorithms of the request, in the order of their lists: those that support the
/// shape and the options. Algorithms that take long for this number of nodes come last.
std::vector<const Algorithm*> candidates(const PlanRequest& request) {
  require_collective(request.collective);
  std::vector<const Algorithm*> able;
  std::string_view unknown_option;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != request.collective) continue;
    if (!serves(algorithm.shapes, request.topology)) continue;
    const auto stranger =
        std::find_if(request.parameters.begin(), request.parameters.end(), [&](const auto& option) {
          return !has_word(algorithm.options, option.first) && !is_message_option(option.first) &&
                 !is_standard_option(request, option.first);
        });
    if (stranger == request.parameters.end()) {
      able.push_back(&algorithm);
    } else if (unknown_option.empty()) {
      unknown_option = stranger->first;
    }
  }
  if (!able.empty()) {
    std::stable_partition(able.begin(), able.end(), [&request](const Algorithm* algorithm) {
      return request.topology.nodes() <= algorithm->most_nodes;
    });
    return able;
  }
  if (!unknown_option.empty()) {
    throw InputError(
        fmt::format("--{}: no {} algorithm for a {} supports it with the other options",
                    unknown_option, field_name(request.collective), named_shape(request.topology)));
  }
  throw InfeasibleError(
      fmt::format("collective: there is no {} algorithm for a {}; nearest feasible: {}",
                  field_name(request.collective), named_shape(request.topology),
                  nearest_feasible(request, "")));
}

/// Cycles of equal messages: of the message of --bytes, or of a broadcast's message, since one
/// tree's flits are another's packets. Empty where plans are compared by their steps.
std::optional<std::uint64_t> cost(const Plan& plan) {
  if (!plan.expected.analytic_cycles) return std::nullopt;
  if (const auto given = quantities_of(plan)) {
    return physical_figures(plan, *given).in_cycles(*plan.expected.analytic_cycles);
  }
  if (plan.collective != "broadcast") return std::nullopt;
  return plan.expected.analytic_cycles;
}

bool is_faster(const Plan& one, const Plan& other) {
  const auto ours = cost(one);
  const auto theirs = cost(other);
  if (ours && theirs) return *ours < *theirs;
  const auto& our_steps = one.expected.analytic_steps;
  const auto& their_steps = other.expected.analytic_steps;
  return serves_alike(one, other) && our_steps && their_steps && *our_steps < *their_steps;
}

/// Whether its plan takes the fewest possible steps, or no better plan is known.
bool is_best_known(const Plan& plan) {
  const auto& expected = plan.expected;
  return !expected.analytic_steps || !expected.lower_bound_steps || expected.meets_bound();
}

/// A request's algorithms, tried one after the other.
class Trial {
 public:
  explicit Trial(const PlanRequest& request)
      : request_(request),
        weighs_(request.collective == "broadcast" &&
                (request.parameters.contains("bytes") || request.parameters.contains("packets"))) {}

  PlanOrExperiment best() {
    for (const Algorithm* algorithm : candidates(request_)) {
      if (algorithm->name == "auto") automatic_ = algorithm;
      if (best_ && !compares()) continue;
      try {
        PlanOrExperiment made = plan_by(*algorithm, request_for(*algorithm));
        auto* const plan = std::get_if<Plan>(&made);
        if (plan == nullptr) return made;
        offer(*algorithm, std::move(*plan));
      } catch (const InfeasibleError& error) {
        auto_refused_ = auto_refused_ || algorithm == automatic_;
        if (refusal_.empty()) refusal_ = error.what();
      }
    }
    if (!best_) throw InfeasibleError(refusal_);
    if (auto_may_improve()) try_as_well(*automatic_, request_for(*automatic_));
    if (may_deal_to_more()) {
      PlanRequest request = request_;
      request.parameters["packets"] = packets_for_every_port(request.topology);
      try_as_well(*maker_, request);
    }
    return *std::move(best_);
  }

 private:
  /// Where `auto` has refused, and where few steps or many packets are better as the message is
  /// long, the first that can is not the best.
  [[nodiscard]] bool compares() const {
    if (request_.topology.nodes() > kMostTried) return false;
    return weighs_ || (auto_refused_ && !is_best_known(*best_));
  }

  /// All-gathers around faults have already compared fixed wirings, and elastic routers require
  /// streams.
  [[nodiscard]] bool auto_may_improve() const {
    return automatic_ != nullptr && !auto_refused_ && maker_ != automatic_ &&
           !is_best_known(*best_) && !run_facts(*best_).stalls &&
           (request_.topology.is_healthy() || request_.collective != "gossip");
  }

  /// A long message may be faster in packets for every port.
  [[nodiscard]] bool may_deal_to_more() const {
    return request_.collective == "gossip" && cost(*best_) && !run_facts(*best_).stalls &&
           !request_.parameters.contains("packets") && has_word(maker_->options, "packets");
  }

  void try_as_well(const Algorithm& algorithm, const PlanRequest& request) {
    try {
      offer(algorithm, std::get<Plan>(plan_by(algorithm, request)));
    } catch (const InfeasibleError&) {
      // The present best plan remains.
    }
  }

  /// Equal messages: `auto` gets as many packets as the plan that it has to beat. If there is no
  /// such plan, or it was rejected, all get one packet per dimension, the default of the first
  /// algorithms.
  [[nodiscard]] PlanRequest request_for(const Algorithm& algorithm) const {
    PlanRequest request = request_;
    const bool counts = auto_refused_ && has_word(algorithm.options, "packets");
    if (request.collective == "gossip" && (&algorithm == automatic_ || counts)) {
      const auto packets = best_ && !auto_refused_ ? static_cast<std::int64_t>(best_->demand.pieces)
                                                   : std::int64_t{request.topology.dimensions()};
      request.parameters.try_emplace("packets", packets);
    }
    return request;
  }

  /// Takes the plan if it is the first or faster; among equals that of `auto`, which states the
  /// reason.
  void offer(const Algorithm& maker, Plan plan) {
    const bool equal_wins = weighs_ && &maker == automatic_;
    if (best_ && !(equal_wins ? !is_faster(*best_, plan) : is_faster(plan, *best_))) return;
    best_ = std::move(plan);
    maker_ = &maker;
  }

  const PlanRequest& request_;
  /// Few steps or many packets: a broadcast's message decides.
  const bool weighs_;
  const Algorithm* automatic_ = nullptr;
  bool auto_refused_ = false;
  std::optional<Plan> best_;
  const Algorithm* maker_ = nullptr;
  /// Why the first that cannot cannot.
  std::string refusal_;
};

}  // namespace

bool serves_alike(const Plan& one, const Plan& other) {
  if (one.demand == other.demand) return true;
  const auto words = one.parameters.find("words");
  const auto their_words = other.parameters.find("words");
  if (words == one.parameters.end() || their_words == other.parameters.end()) return false;
  Demand same_pieces = other.demand;
  same_pieces.pieces = one.demand.pieces;
  return one.demand == same_pieces && words->second == their_words->second;
}

PlanOrExperiment best_plan(const PlanRequest& request) { return Trial(request).best(); }

}  // namespace gossamer
