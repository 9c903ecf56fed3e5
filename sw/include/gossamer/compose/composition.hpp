// SPDX-License-Identifier: Apache-2.0
/// Compositions: several collectives on one network, at the same time or one at a time.
///
/// At the same time, each member is a plan of its own and has its own output ports: no two members
/// ever send by the same port of a node (docs/compositions.md). The routers are those of the
/// members side by side.
///
/// One at a time, the members are *contexts* of routers with one register per output port
/// (docs/contexts.md). A *round* is one run of a context. Step 1 of a round follows the last step
/// of the previous round immediately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The collective and the algorithm of compositions, in documents and reports.
inline constexpr std::string_view kComposition = "composition";
inline constexpr std::string_view kSimultaneous = "simultaneous";
inline constexpr std::string_view kContexts = "contexts";

class CompositionProgram final : public ProgramOf<CompositionProgram> {
 public:
  /// Contexts begin in the order of `plans`; the constructor sets their first steps.
  explicit CompositionProgram(std::vector<PlanMember> plans, bool as_contexts = false);

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  bool operator==(const CompositionProgram&) const = default;

  std::vector<PlanMember> members;
  /// The members are rounds: each begins in the step after the last step of the previous one.
  bool contexts;
};

/// The plan of all members at the same time. Each of them is proved and has expected steps (see
/// proved()). `names` has a name for each member, for messages. Throws InputError for members of
/// different networks or links, and InfeasibleError for members whose routers wait or send over
/// several links in one step, and for two that share an output port.
[[nodiscard]] Plan compose(std::vector<PlanMember> members, const std::vector<std::string>& names);

/// The same for matrix products (plan/block_pairs.hpp).
inline constexpr std::string_view kMatrixProduct = "gemm";
inline constexpr std::string_view kCannon = "cannon";

/// The composition as the plan of a matrix product. Its members are all-gathers of one packet per
/// node, in rows and in columns, on a network without pairs_defect().
[[nodiscard]] Plan matrix_product(Plan composition);

/// Why a plan cannot be a context: its routers need more than one register per output port, and
/// its packets do not wait in memories at known steps; empty if it can.
[[nodiscard]] std::string context_defect(const Plan& plan);

/// The plan of contexts: one round of each of them. The plans are proved and have expected steps.
/// A plan of contexts stands for all of its contexts. Throws like compose(), and InfeasibleError
/// for a plan with a context_defect().
[[nodiscard]] Plan compose_contexts(std::vector<Plan> contexts,
                                    const std::vector<std::string>& names);

/// Whether it is a plan of contexts.
[[nodiscard]] bool has_contexts(const Plan& plan);

/// One run of a context.
struct Round {
  std::size_t context = 0;
  /// The context's plan for another root; empty: the context's own root.
  std::optional<Plan> plan{};
};
/// The plan of a sequence of rounds; `plan` has contexts. Throws InfeasibleError for a round whose
/// plan does not fit the wiring of its context.
[[nodiscard]] Plan plan_of_rounds(const Plan& plan, std::vector<Round> rounds);

/// The number of packets for which the nodes of a plan of contexts have memory, beside the register
/// of each output port; 0 where no context has packets that wait.
[[nodiscard]] std::uint64_t memory_of(const Plan& plan);

/// The number of different wirings of a plan of contexts. An output port of the routers selects
/// among as many input ports at most.
[[nodiscard]] std::size_t wirings_of(const Plan& plan);

/// The engine of a plan of contexts: shared registers, on the wiring of the current round. Without
/// `first_mask`, registers without an own operand in step 1 of a round take an arrival of the
/// previous round; only tests use this. The plan must outlive the engine.
[[nodiscard]] std::unique_ptr<Engine> make_context_engine(const Plan& plan,
                                                          const EngineOptions& options,
                                                          bool first_mask = true);

}  // namespace gossamer
