// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "any_order.hpp"
#include "gossamer/bounds/cores.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"
#include "ring_stages.hpp"

namespace gossamer {

namespace {

/// Writes the moves of all words.
///
/// If all blocks are equal, a router's moves depend on its position in the blocks, and on even
/// sides on the parities of its coordinates. Own words are then numbered from the position
/// (TimetableProgram::rotation), and one ROM per class of parities serves the network. Otherwise
/// every node has a ROM.
class CoresPlanner {
 public:
  CoresPlanner(const Topology& topology, std::uint32_t words, const bounds::CoresForm& form)
      : topology_(topology),
        words_(words),
        d_(static_cast<std::uint32_t>(topology.dimensions())),
        n_(topology.side(0)),
        form_(form),
        is_shared_(form.is_equal()),
        has_parities_(is_shared_ && n_ % 2 == 0),
        period_(is_shared_ ? form.sizes.front() : n_),
        own_(is_shared_ ? d_ * period_ : words),
        routers_(!is_shared_     ? topology.nodes()
                 : has_parities_ ? std::uint32_t{1} << d_
                                 : 1),
        ring_(form_),
        to_cores_(ring_.to_cores()) {}

  /// Moves, about.
  [[nodiscard]] std::uint64_t moves() const {
    if (is_shared_) {
      const std::uint64_t in_ring = to_cores_.hops.size() / form_.sizes.size();
      const std::uint64_t in_lines = (d_ - 1) * ring_.core_nodes() / form_.sizes.size() * n_;
      return std::uint64_t{routers_} * d_ * (in_ring + 2 * std::uint64_t{n_} + in_lines);
    }
    const std::uint64_t rings = topology_.nodes() / n_;
    const std::uint64_t along_lines = n_ % 2 == 0 ? n_ / 2 : n_;
    const std::uint64_t from_cores = std::uint64_t{n_} * form_.sizes.size() - ring_.core_nodes();
    std::uint64_t per_word = rings * (to_cores_.hops.size() + from_cores);
    if (d_ > 1) {
      per_word += (d_ - 1) * (rings / n_) * ring_.core_nodes() * 2 * along_lines * (n_ / 2);
    }
    return per_word * words_;
  }

  TimetableProgram program() {
    builder_.emplace(routers_, std::uint64_t{routers_} * own_ * kHeldPerWord);
    const auto reduces = by_position(to_cores_);
    const auto gathers = by_position(is_shared_ ? ring_.from_cores_of_first() : ring_.from_cores());
    for (std::uint32_t router = 0; router < routers_; ++router) {
      for (std::uint32_t own = 0; own < own_; ++own) {
        if (!is_present(router, own)) continue;
        const std::uint32_t position = position_of(router, own);
        builder_->start_with(held(router, own, Held::kSum), own);
        add_ring(router, own, 0, reduces[position], d_ == 1);
        std::uint32_t before = form_.reduce_steps;
        for (std::uint32_t i = 1; i < d_; ++i) {
          const bool completes = i + 1 == d_ && ring_.is_one_block();
          add_line(router, own, (own + i) % d_, ring_.at(position), before, completes);
          before += n_ / 2;
        }
        add_ring(router, own, before, gathers[position], true);
      }
    }
    TimetableProgram program(topology_.nodes(), topology_.ports(), own_, DeliveryRule::kMarked);
    std::vector<std::uint32_t> numbers;
    for (TimetableRom& rom : builder_->build()) numbers.push_back(program.intern(std::move(rom)));
    if (is_shared_) {
      program.rotation = period_;
      if (has_parities_) program.assign_by_parity(topology_, std::move(numbers));
    } else {
      for (NodeId node = 0; node < topology_.nodes(); ++node) program.assign(node, numbers[node]);
    }
    return program;
  }

 private:
  [[nodiscard]] std::uint64_t held(std::uint32_t router, std::uint32_t own, Held place) const {
    if (place == Held::kNothing) return TimetableMove::kNowhere;
    return (std::uint64_t{router} * own_ + own) * kHeldPerWord + static_cast<std::uint64_t>(place);
  }
  /// A router's coordinate, modulo 2 where it represents all nodes of a class.
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t router, std::uint32_t dim) const {
    if (is_shared_) return (router >> dim) % 2;
    return router / topology_.stride(static_cast<int>(dim)) % n_;
  }
  /// The router's place in the blocks of an own word, modulo period_.
  [[nodiscard]] std::uint32_t position_of(std::uint32_t router, std::uint32_t own) const {
    const std::uint32_t at = is_shared_ ? 0 : coordinate(router, own % d_);
    return (at + period_ - own / d_ % period_) % period_;
  }
  /// Some node of the router's class has the word.
  [[nodiscard]] bool is_present(std::uint32_t router, std::uint32_t own) const {
    if (own_ == words_) return true;
    const std::uint32_t dim = own % d_;
    for (std::uint32_t word = dim; word < words_; word += d_) {
      // The coordinate, which may also be a period more.
      const std::uint32_t at = (word / d_ + period_ - own / d_) % period_;
      if (!has_parities_ || period_ % 2 != 0 || at % 2 == coordinate(router, dim)) return true;
    }
    return false;
  }

  /// By position, the hops that leave it.
  [[nodiscard]] std::vector<std::vector<RingHop>> by_position(const RingStage& stage) const {
    std::vector<std::vector<RingHop>> hops(period_);
    for (const RingHop& hop : stage.hops) {
      if (hop.from < period_) hops[hop.from].push_back(hop);
    }
    return hops;
  }

  struct Way {
    TimetableMove move;
    /// The number of the word at the receiver.
    std::uint32_t to_own = 0;
  };
  [[nodiscard]] Way across(std::uint32_t router, std::uint32_t own, std::uint32_t dim,
                           bool plus) const {
    const Port port = make_port(static_cast<int>(dim), plus);
    if (!is_shared_) return {TimetableMove::across(topology_, router, port), own};
    Way way;
    way.move.out_port = port;
    way.move.from_rom = router;
    way.move.to_rom = has_parities_ ? router ^ (std::uint32_t{1} << dim) : router;
    way.to_own = own;
    if (own % d_ == dim) {
      const std::uint32_t i = own / d_ + (plus ? period_ - 1 : 1);
      way.to_own = dim + d_ * (i % period_);
    }
    if (own_ != words_) {
      way.move.from_word = own;
      way.move.to_word = way.to_own;
    }
    return way;
  }

  /// The first and the last stage.
  void add_ring(std::uint32_t router, std::uint32_t own, std::uint32_t before,
                const std::vector<RingHop>& hops, bool completes) {
    for (const RingHop& hop : hops) {
      auto [move, to_own] = across(router, own, own % d_, hop.plus);
      move.step = before + hop.step;
      move.from = held(router, own, hop.sent);
      move.to = held(move.to_rom, to_own, hop.to);
      move.combines = hop.with == hop.to;
      if (!move.combines) move.with = held(move.to_rom, to_own, hop.with);
      move.delivers = completes && hop.completes;
      builder_->add(move);
    }
  }

  /// A line of core nodes. Messages grow from node to node; towards + they begin at all nodes of an
  /// odd line, and on an even one at every other node, where the messages towards - of the line's
  /// other half begin.
  void add_line(std::uint32_t router, std::uint32_t own, std::uint32_t dim, CoreNode core,
                std::uint32_t before, bool completes) {
    if (core == CoreNode::kNone) return;
    const std::uint32_t reach = n_ / 2;
    const bool odd = n_ % 2 != 0;
    const std::uint32_t first = core == CoreNode::kRight ? 1 : 0;
    const std::uint32_t x = coordinate(router, dim);
    for (std::uint32_t step = 1; step <= reach; ++step) {
      for (const bool plus : {true, false}) {
        // The node where this message began.
        const std::uint32_t began = plus ? x + 2 * n_ - (step - 1) : x + step - 1;
        const std::uint32_t begins = plus ? first : first + 1;
        if (!odd && (began + begins) % 2 != 0) continue;
        // The receiver's last arrival of this direction.
        const bool is_last = odd ? step == reach : step + 2 > reach;
        auto [move, to_own] = across(router, own, dim, plus);
        move.step = before + step;
        const bool grown = step > 1 && (odd || step < reach);
        move.from = held(router, own, grown ? held_towards(plus) : Held::kSum);
        move.to = held(move.to_rom, to_own, is_last ? Held::kSum : held_towards(plus));
        move.combines = is_last;
        if (!is_last) move.with = held(move.to_rom, to_own, Held::kSum);
        move.delivers = completes && step == reach;
        builder_->add(move);
      }
    }
  }

  const Topology& topology_;
  std::uint32_t words_;
  std::uint32_t d_;
  std::uint32_t n_;
  bounds::CoresForm form_;
  bool is_shared_;
  bool has_parities_;
  /// Nodes after which positions recur.
  std::uint32_t period_;
  std::uint32_t own_;
  /// Routers with ROMs of their own: nodes or classes of them.
  std::uint32_t routers_;
  RingBlocks ring_;
  RingStage to_cores_;
  std::optional<TimetableBuilder> builder_;
};

void check_cores(const Topology& topology, const CoresOptions& options) {
  const auto& sides = topology.sides();
  const std::uint32_t n = sides.front();
  if (!topology.is_torus() || !topology.is_healthy() || n < 3 ||
      std::any_of(sides.begin(), sides.end(), [n](std::uint32_t side) { return side != n; })) {
    throw InfeasibleError(
        fmt::format("cores: requires a torus with equal sides of 3 or more; nearest feasible: {}",
                    topology.is_torus() ? "equal sides, or --algorithm scheduled"
                                        : "--topology torus, or --algorithm tree"));
  }
  require_any_order("cores", options.operation, "rings");
  const std::uint64_t most = sides.size() * std::uint64_t{n};
  if (options.words > most) {
    throw InfeasibleError(
        fmt::format("cores: {} words exceed the {} of these sides; nearest feasible: --words {}, "
                    "or --algorithm scheduled",
                    options.words, most, most));
  }
}

}  // namespace

Plan plan_cores(const Topology& topology, const CoresOptions& options) {
  check_cores(topology, options);
  const auto words = static_cast<std::uint32_t>(options.words);
  const std::uint32_t n = topology.side(0);
  const auto d = static_cast<std::uint32_t>(topology.dimensions());
  const auto per_dimension = static_cast<std::uint32_t>(bounds::ceil_div(words, d));
  // With blocks of several sizes every node has a ROM, so they are only for fewer steps, and not
  // for large networks.
  bounds::CoresForm form = bounds::cores_form(n, per_dimension);
  const bounds::CoresForm equal = bounds::equal_cores_form(n, per_dimension);
  const bool is_late = equal.steps(d) > form.steps(d);
  if (!is_late || CoresPlanner(topology, words, form).moves() > kMostTimetableMoves) form = equal;
  TimetableProgram program = CoresPlanner(topology, words, form).program();
  const std::uint32_t slots = program.slots();
  Plan plan{topology,
            "all-reduce",
            "cores",
            {{"words", std::int64_t{words}}},
            Demand::combined(Destination::kEveryNode, options.operation, words),
            std::move(program),
            {}};
  plan.expected.analytic_steps = form.steps(d);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::lower_bound(topology, plan.demand);
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
