// SPDX-License-Identifier: Apache-2.0
/// What compositions know about their members.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/compose/composition.hpp"
#include "gossamer/sim/engines.hpp"

namespace gossamer {

/// More than any network has axes, with room.
inline constexpr std::size_t kMostMembers = 64;

/// Why the plan cannot be a member; empty when it can.
[[nodiscard]] std::string member_defect(const Plan& plan);

/// Whether all members are plans of groups, and no two of them along the same axis.
[[nodiscard]] bool on_own_axes(std::span<const PlanMember> members);

inline constexpr std::uint32_t kNoMember = ~std::uint32_t{0};

/// By link slot, the member that ever sends there; kNoMember for none.
struct LinkOwners {
  std::vector<std::uint32_t> member;
  /// The first output port of two members, and the second of them.
  struct Shared {
    LinkId link = 0;
    std::uint32_t other = 0;
  };
  std::optional<Shared> shared{};
};
[[nodiscard]] LinkOwners link_owners(std::span<const PlanMember> members);

/// The figures that follow from the members', as contexts or at the same time.
[[nodiscard]] ExpectedFigures expected_of(std::span<const PlanMember> members, bool contexts);

/// The same for a matrix product: its last pairs may meet after the members' last steps.
[[nodiscard]] ExpectedFigures product_figures(const Plan& plan);

/// All members' engines of that name, on the same links. The plan must outlive it.
[[nodiscard]] std::unique_ptr<Engine> make_composition_engine(std::string_view engine,
                                                              const Plan& plan,
                                                              const EngineOptions& options);

}  // namespace gossamer
