// SPDX-License-Identifier: Apache-2.0
/// Reductions of one message by cut-through relays: who sends its sum to whom, in steps that all
/// nodes begin together. docs/spec/reductions.md, section 7.
#pragma once

#include "gossamer/plan/message_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct RelayReductionOptions {
  /// Flits of the message and delays; the timing is kStep.
  MessageClock clock;
  Operation operation = Operation::kSum;
};

/// A reduction to the source of `broadcast`: its sends in reverse order of steps, on reversed
/// paths. What the broadcast is, this is too: one-port, without contention, and as long. The plan
/// must be a broadcast of relays without fan-out, timed by steps (InfeasibleError otherwise).
[[nodiscard]] Plan plan_relayed_reduce(const Plan& broadcast, Operation operation);

/// The same, then the broadcast: twice the steps, the same bits at every node.
[[nodiscard]] Plan plan_relayed_all_reduce(const Plan& broadcast, Operation operation);

/// All-reduce on a mesh or torus of equal sides 2^k, k >= 1, whose nodes send and receive at once:
/// every half of a side is reduced to its eye, the 2^d eyes exchange their sums along one dimension
/// after the other, and each informs its part. d (2k - 1) steps, the same bits at every node.
[[nodiscard]] Plan plan_eye_exchange(const Topology& topology,
                                     const RelayReductionOptions& options);

/// All-reduce on a torus or mesh with sides 2^(k_i) whose nodes send and receive at once: in each
/// of log2 P steps every node sends its sum to a partner and adds what it gets. Messages share
/// links, one behind the other: where they are longer than what lies between them heads are held
/// back, which the plan's hop_cycles say. On a torus with a side of 8 or more nodes combine in
/// different orders (InfeasibleError for operations where that shows).
[[nodiscard]] Plan plan_partners(const Topology& topology, const RelayReductionOptions& options);

/// All-reduce on an n^d torus, n = 2^k, whose nodes send and receive at once, no link used twice
/// in a step: every line of dimension 0 is reduced to a leader, leaders whose lines differ in one
/// coordinate exchange, lines are informed. (d + 1) k steps. In two and more dimensions with sides
/// of 4 or more, leaders combine in different orders: (n / 2)^(d - 1) different trees of a word
/// (InfeasibleError for operations where that shows).
[[nodiscard]] Plan plan_leaders(const Topology& topology, const RelayReductionOptions& options);

}  // namespace gossamer
