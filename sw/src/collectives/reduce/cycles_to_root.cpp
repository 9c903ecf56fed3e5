// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The moves of one cycle's words, in the order of their steps.
class WordsToRoot {
 public:
  /// The cycle begins at the root.
  WordsToRoot(const Topology& topology, const StreamLine& cycle, std::uint64_t words)
      : topology_(topology), cycle_(cycle), words_(words) {}

  /// Word c of the vector is word 0 of the cycle, and every d-th one is the next.
  void add(std::uint64_t c, std::uint64_t d, TimetableBuilder& builder) const {
    const auto nodes = static_cast<std::int64_t>(cycle_.nodes.size());
    std::uint64_t count = 0;
    for (std::uint64_t word = c; word < words_; word += d) ++count;
    const auto q = static_cast<std::int64_t>(count);
    const auto steps = static_cast<std::int64_t>(
        bounds::cycle_message_steps(topology_.nodes(), std::max<std::uint64_t>(count, 1)));
    for (std::int64_t j = 0; j < q; ++j) {
      // The nodes up to so many links behind the root send the word forward, the others backward.
      const std::int64_t behind = std::clamp<std::int64_t>(steps - j, 0, nodes - 1);
      const std::int64_t ahead = nodes - 1 - behind;
      std::vector<TimetableMove> moves;
      const auto send = [&](std::int64_t step, std::int64_t at, Port out_port) {
        const std::uint64_t word = c + static_cast<std::uint64_t>(j) * d;
        const NodeId from = cycle_.nodes[static_cast<std::size_t>(at)];
        TimetableMove move = TimetableMove::across(topology_, from, out_port);
        move.step = static_cast<std::uint32_t>(step);
        move.from = from * words_ + word;
        move.to = move.to_rom * words_ + word;
        move.combines = true;
        moves.push_back(move);
      };
      for (std::int64_t a = behind; a > 0; --a) {
        send(steps + 1 - a - j, nodes - a, cycle_.out[static_cast<std::size_t>(nodes - a)]);
      }
      for (std::int64_t b = ahead; b > 0; --b) {
        send(j - q + steps + 2 - b, b, opposite(cycle_.out[static_cast<std::size_t>(b - 1)]));
      }
      // In-ports of a step are handled in ascending order; the last one completes the sum.
      const auto last = std::max_element(moves.begin(), moves.end(),
                                         [](const TimetableMove& one, const TimetableMove& other) {
                                           return std::pair(one.step, opposite(one.out_port)) <
                                                  std::pair(other.step, opposite(other.out_port));
                                         });
      last->delivers = true;
      for (const TimetableMove& move : moves) builder.add(move);
    }
  }

 private:
  const Topology& topology_;
  const StreamLine& cycle_;
  std::uint64_t words_;
};

}  // namespace

Plan plan_cycle_reduce(const Topology& topology, const CycleReduceOptions& options) {
  const std::uint64_t nodes = topology.nodes();
  const std::vector<StreamLine> cycles = hamiltonian_cycles(topology, options.root);
  const std::uint64_t most =
      std::min<std::uint64_t>(kMaxTimetableSlots, kMostTimetableMoves / (nodes - 1));
  if (options.words > most) {
    throw InfeasibleError(
        fmt::format("hamiltonian: a reduce of {} words at {} nodes exceeds {} words; nearest "
                    "feasible: --words {}, or --algorithm disjoint-trees",
                    options.words, nodes, most, most));
  }
  const auto words = static_cast<std::uint32_t>(options.words);
  TimetableBuilder builder(topology.nodes(), nodes * words);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t word = 0; word < words; ++word) {
      builder.start_with(std::uint64_t{node} * words + word, word);
    }
  }
  for (std::size_t c = 0; c < cycles.size(); ++c) {
    WordsToRoot(topology, cycles[c], words).add(c, cycles.size(), builder);
  }
  TimetableProgram program = builder.program(topology, words, DeliveryRule::kMarked);
  const std::uint32_t slots = program.slots();
  const Demand demand =
      Demand::combined(Destination::kRoot, options.operation, words, options.root);
  Plan plan{topology,
            "reduce",
            "hamiltonian",
            {{"words", std::int64_t{words}}, {"source", node_text(topology, options.root)}},
            demand,
            std::move(program),
            {}};
  plan.expected.analytic_steps = bounds::hamiltonian_message_steps(topology, words);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::lower_bound(topology, demand);
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
