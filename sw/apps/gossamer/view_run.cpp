// SPDX-License-Identifier: Apache-2.0
#include "view_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gossamer/plan/block_pairs.hpp"
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
    // The blocks of an operand have the numbers of all nodes.
    const PacketId packet = row.packet + std::uint64_t{row.member} * topology_.nodes();
    for (const std::uint64_t number : {row.step, std::uint64_t{row.hop}, std::uint64_t{row.from},
                                       std::uint64_t{row.port}, packet}) {
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
        layout_(plan.topology, plan.demand.groups),
        contributors_(plan.demand.sources_in(plan.topology).size() / layout_.groups()),
        words_(plan.demand.combines()
                   ? plan.demand.pieces * layout_.groups()
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
    // The root is a rank; words of groups that have owners are numbered by node.
    const NodeId node = demand_.to == Destination::kRoot ? layout_.rank(result.node) : result.node;
    return demand_.wants_word(node, result.packet, words_, nodes_);
  }

  const Demand& demand_;
  std::uint64_t nodes_;
  GroupLayout layout_;
  std::uint64_t contributors_;
  /// Of a vector, an elastic one's flits.
  std::uint64_t words_;
  /// By node and word.
  std::unordered_set<std::uint64_t> known_;
  Numbers learned_;
};

/// Keeps when members of groups get the packets that they are to have: nodes between two members
/// pass packets that they do not need.
class GroupArrivals final : public Observer {
 public:
  explicit GroupArrivals(const Plan& plan)
      : topology_(plan.topology),
        demand_(plan.demand),
        layout_(plan.topology, plan.demand.groups) {}

  bool on_links(const LinkView& view) override {
    for (std::size_t slot = 0; slot < view.packets.size(); ++slot) {
      const PacketId packet = view.packets[slot];
      if (packet >= kGarbage) continue;
      const auto link = static_cast<LinkId>(slot);
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      if (!is_wanted(to, packet) || !known_[packet].insert(to).second) continue;
      learned_.add(view.step);
      learned_.add(to);
    }
    return true;
  }

  [[nodiscard]] std::string member() const { return learned_.member("learned"); }

 private:
  [[nodiscard]] bool is_wanted(NodeId node, PacketId packet) const {
    const std::uint64_t owner = packet / demand_.pieces;
    const std::uint64_t nodes = topology_.nodes();
    if (demand_.is_personal()) return owner % nodes == node;
    if (demand_.from != Origin::kRoot) {
      return owner != node && layout_.group(static_cast<NodeId>(owner)) == layout_.group(node);
    }
    return owner == layout_.group(node) && layout_.rank(node) != demand_.root;
  }

  const Topology& topology_;
  const Demand& demand_;
  GroupLayout layout_;
  std::unordered_map<PacketId, std::unordered_set<NodeId>> known_;
  Numbers learned_;
};

/// The pairs of blocks that a node has met, of a matrix product: step, node and k of each.
class PairRows final : public Observer {
 public:
  explicit PairRows(const Topology& topology)
      : topology_(topology),
        pairs_(topology),
        arrived_(std::size_t{topology.nodes()} * pairs_.side()) {
    for (NodeId node = 0; node < topology.nodes(); ++node) add(0, node, 0);
  }

  bool on_links(const LinkView& view) override {
    for (std::size_t slot = 0; slot < view.packets.size(); ++slot) {
      if (view.packets[slot] >= topology_.nodes()) continue;
      const auto link = static_cast<LinkId>(slot);
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      const auto from = static_cast<NodeId>(view.packets[slot]);
      const auto offset = pairs_.due(to, view.members[slot], from, view.step);
      if (!offset) continue;
      std::uint8_t& members = arrived_[std::size_t{to} * pairs_.side() + *offset];
      const auto both = static_cast<std::uint8_t>(members | 1U << view.members[slot]);
      constexpr std::uint8_t kBoth = 3;
      if (both == kBoth && members != kBoth) add(view.step, to, *offset);
      members = both;
    }
    return true;
  }

  [[nodiscard]] std::string member() const { return rows_.member("pairs"); }

 private:
  void add(std::uint64_t step, NodeId node, std::uint32_t offset) {
    for (const std::uint64_t number :
         {step, std::uint64_t{node}, std::uint64_t{pairs_.index(node, offset)}}) {
      rows_.add(number);
    }
  }

  const Topology& topology_;
  BlockPairs pairs_;
  /// By node and offset: the members whose block has arrived when it was due, as bits.
  std::vector<std::uint8_t> arrived_;
  Numbers rows_;
};

}  // namespace

std::string plan_run_text(const std::string& name, const Plan& plan,
                          const std::optional<StallScript>& stalls) {
  const bool combines = plan.demand.combines();
  const RunFacts facts = run_facts(plan);
  // Nodes receive handed-over results: packets on links do not show them.
  const bool has_arrivals = plan.demand.groups && !combines;
  const bool results_count = combines || (facts.hands_over && !has_arrivals);
  std::optional<GroupArrivals> arrivals;
  if (has_arrivals) arrivals.emplace(plan);
  RunRows rows(plan);
  RunResults results(plan);
  std::optional<PairRows> pairs;
  if (plan.demand.to == Destination::kPairs) pairs.emplace(plan.topology);
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
    ObserverList observers;
    observers.add(&rows);
    if (pairs) observers.add(&*pairs);
    if (arrivals) observers.add(&*arrivals);
    options.observer = &observers;
    options.progress = progress_bar();
    static_cast<void>(run_on_engine("fast", plan, engine_options, options));
  }
  rows.finish();
  if (rows.rows() > kMaxTraceRows) {
    throw InputError(fmt::format("{}: the run has {} sends over links; the page holds up to {}",
                                 name, rows.rows(), kMaxTraceRows));
  }
  return rows.members(combines) + (results_count ? results.member() : "") +
         (arrivals ? arrivals->member() : "") + (pairs ? pairs->member() : "");
}

}  // namespace gossamer::cli
