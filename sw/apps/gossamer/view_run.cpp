// SPDX-License-Identifier: Apache-2.0
#include "view_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "terminal.hpp"
#include "view_dynamic.hpp"

namespace gossamer::cli {

namespace {

/// The inside of a JSON array of numbers.
class Numbers {
 public:
  void add(std::uint64_t number) { append_format(text_, "{}{}", text_.empty() ? "" : ",", number); }
  /// "name":[...], after other members.
  [[nodiscard]] std::string member(std::string_view name) const {
    return fmt::format(",\"{}\":[{}]", name, text_);
  }

 private:
  std::string text_;
};

/// Keeps the trace's rows.
class RunRows final : public TraceObserver {
 public:
  explicit RunRows(const Plan& plan)
      : TraceObserver(plan.topology),
        topology_(plan.topology),
        facts_(run_facts(plan)),
        latency_(plan.machine().link_latencies(plan)) {
    free_.assign(latency_.size(), 0);
  }

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::string members(bool combines) const {
    std::string text = trace_.member("trace").substr(1);
    if (combines) text += terms_.member("terms");
    if (!latency_.empty()) text += flits_.member("flits") + since_.member("since");
    return text;
  }

 private:
  void on_row(const TraceRow& row) override {
    if (++rows_ > kMaxTraceRows) return;
    for (const std::uint64_t number : {row.step, std::uint64_t{row.hop}, std::uint64_t{row.from},
                                       std::uint64_t{row.port}, row.packet}) {
      trace_.add(number);
    }
    terms_.add(row.terms);
    if (latency_.empty()) return;
    flits_.add(row.flit);
    since_.add(possible_since(row));
  }

  /// Called once for each row, in order.
  std::uint64_t possible_since(const TraceRow& row) {
    const std::size_t link = row.from * static_cast<std::size_t>(topology_.ports()) + row.port;
    // A packet that never arrived at the sender is its own, and was there in cycle 0.
    const auto came = arrivals_.find(place_of(row, row.from));
    const std::uint64_t at = came == arrivals_.end() ? 0 : came->second;
    const std::uint64_t since = std::max(at + latency_[link], free_[link]);
    free_[link] = row.step + 1;
    arrivals_[place_of(row, topology_.neighbor(row.from, static_cast<Port>(row.port)))] = row.step;
    return since;
  }

  /// A flit at a node.
  [[nodiscard]] std::uint64_t place_of(const TraceRow& row, NodeId node) const {
    return (row.packet * facts_.flits_per_piece + row.flit) * topology_.nodes() + node;
  }

  const Topology& topology_;
  RunFacts facts_;
  std::uint64_t rows_ = 0;
  Numbers trace_;
  Numbers terms_;
  Numbers flits_;
  Numbers since_;
  /// Elastic streams, by link: its latency, and the first cycle after the last take.
  std::vector<std::uint32_t> latency_;
  std::vector<std::uint64_t> free_;
  /// By place, the cycle in which the flit came there last.
  std::unordered_map<std::uint64_t, std::uint64_t> arrivals_;
};

/// Keeps when nodes get the results that they are to have.
class RunResults final : public Observer {
 public:
  explicit RunResults(const Plan& plan)
      : demand_(plan.demand),
        nodes_(plan.topology.nodes()),
        contributors_(plan.demand.sources_in(plan.topology).size()),
        words_(plan.demand.combines()
                   ? plan.demand.pieces
                   : plan.demand.pieces_in_all(plan.topology.nodes()) * plan.topology.nodes()) {
    words_ *= run_facts(plan).flits_per_piece;
  }

  bool on_links(const LinkView& view) override {
    for (std::size_t i = 0; i < view.results.size(); ++i) {
      const Result& result = view.results[i];
      if (demand_.combines() && (result.terms != contributors_ || !is_wanted(result))) continue;
      // Some are written again.
      if (!known_.insert(result.node * words_ + result.packet).second) continue;
      // Interfaces write at the end of the step before; by cut-through with the delivery.
      learned_.add(view.step != 0               ? view.step - 1
                   : i < view.deliveries.size() ? view.deliveries[i].step
                                                : view.cycle);
      learned_.add(result.node);
    }
    return true;
  }

  [[nodiscard]] std::string member() const { return learned_.member("learned"); }

 private:
  [[nodiscard]] bool is_wanted(const Result& result) const {
    return demand_.wants_word(result.node, result.packet, words_, nodes_);
  }

  const Demand& demand_;
  std::uint64_t nodes_;
  std::uint64_t contributors_;
  /// Of a vector, an elastic one's flits.
  std::uint64_t words_;
  /// By node and word.
  std::unordered_set<std::uint64_t> known_;
  Numbers learned_;
};

}  // namespace

std::string plan_run_text(const std::string& name, const Plan& plan,
                          const std::optional<StallScript>& stalls) {
  const bool combines = plan.demand.combines();
  const RunFacts facts = run_facts(plan);
  // Nodes receive handed-over results: packets on links do not show them.
  const bool results_count = combines || facts.hands_over;
  RunRows rows(plan);
  RunResults results(plan);
  EngineOptions engine_options;
  engine_options.stalls = stalls;
  if (results_count || facts.stalls) {
    // To its end, where the last results are shown.
    ObserverList observers;
    if (results_count) observers.add(&results);
    observers.add(&rows);
    watch(*make_engine("fast", plan, engine_options), facts.settled_after.value_or(kNoStepLimit),
          observers);
  } else {
    RunOptions options;
    options.observer = &rows;
    options.progress = progress_bar();
    static_cast<void>(run_on_engine("fast", plan, engine_options, options));
  }
  rows.finish();
  if (rows.rows() > kMaxTraceRows) {
    throw InputError(fmt::format("{}: the run has {} sends over links; the page takes up to {}",
                                 name, rows.rows(), kMaxTraceRows));
  }
  return rows.members(combines) + (results_count ? results.member() : "");
}

}  // namespace gossamer::cli
