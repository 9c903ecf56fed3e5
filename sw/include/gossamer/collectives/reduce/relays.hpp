// SPDX-License-Identifier: Apache-2.0
/// Reductions of one message by cut-through relays: the sender and receiver of every partial sum,
/// in steps that all nodes begin together. docs/spec/reductions.md, section 7.
#pragma once

#include "gossamer/plan/message_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct RelayReductionOptions {
  /// Flits of the message and delays; the timing is kStep.
  MessageClock clock;
  Combining operation = Operation::kSum;
};

/// A reduction to the source of `broadcast`: its sends in reverse order of steps, on reversed
/// paths. Like the broadcast it is one-port and contention-free, and it takes as long. The plan
/// must be a broadcast of relays without fan-out, timed by steps (InfeasibleError otherwise).
[[nodiscard]] Plan plan_relayed_reduce(const Plan& broadcast, const Combining& operation);

/// The same, then the broadcast: twice the steps, with the same bits at every node.
[[nodiscard]] Plan plan_relayed_all_reduce(const Plan& broadcast, const Combining& operation);

/// All-reduce on a mesh or torus of equal sides 2^k, k >= 1, whose nodes send and receive at once.
/// Every half of a side is reduced to its eye. The 2^d eyes exchange their sums along one dimension
/// after the other, and each sends the result to its part. d (2k - 1) steps, with the same bits at
/// every node.
[[nodiscard]] Plan plan_eye_exchange(const Topology& topology,
                                     const RelayReductionOptions& options);

/// All-reduce on a torus or mesh with sides 2^(k_i) whose nodes send and receive at once. In each
/// of log2 P steps every node sends its sum to a partner and adds the sum that it receives.
/// Messages share links, one after the other. Where a message is longer than the distance to the
/// next, heads are held back; the plan's hop_cycles state the delay. On a torus with a side of 8 or
/// more, nodes combine in different orders (InfeasibleError for operations whose result depends on
/// the order).
[[nodiscard]] Plan plan_partners(const Topology& topology, const RelayReductionOptions& options);

/// All-reduce on an n^d torus, n = 2^k, whose nodes send and receive at once, with no link used
/// twice in a step. Every line of dimension 0 is reduced to a leader, leaders whose lines differ in
/// one coordinate exchange sums, and leaders send the result along their lines. (d + 1) k steps. In
/// two and more dimensions with sides of 4 or more, leaders combine in different orders:
/// (n / 2)^(d - 1) different trees per word. Throws InfeasibleError for operations that are not
/// associative there.
[[nodiscard]] Plan plan_leaders(const Topology& topology, const RelayReductionOptions& options);

/// A reduction of relays whose adders take `adder_cycles`, up to kMaxAdderCycles. With F flits, o
/// relay cycles, T steps and A of them that add, it takes min(A, T - 1) max(0, adder_cycles + 1 - F
/// - o) more cycles, and adder_cycles more if all steps add. Sends and their order stay.
[[nodiscard]] Plan with_adder_cycles(Plan plan, std::uint32_t adder_cycles);

}  // namespace gossamer
