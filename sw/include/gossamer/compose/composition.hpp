// SPDX-License-Identifier: Apache-2.0
/// Compositions: several collectives at the same time on one network.
///
/// Each member is a plan of its own and has its own output ports: at no node do two members send by
/// the same port, in whatever step (docs/groups.md, "Several collectives at the same time").
/// The routers are those of the members side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The collective and the algorithm of compositions, in documents and reports.
inline constexpr std::string_view kComposition = "composition";
inline constexpr std::string_view kSimultaneous = "simultaneous";

class CompositionProgram final : public ProgramOf<CompositionProgram> {
 public:
  explicit CompositionProgram(std::vector<PlanMember> plans) : members(std::move(plans)) {}

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  bool operator==(const CompositionProgram&) const = default;

  std::vector<PlanMember> members;
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

}  // namespace gossamer
