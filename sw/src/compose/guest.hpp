// SPDX-License-Identifier: Apache-2.0
/// Where the guest of a plan of groups lies.
#pragma once

#include <memory>
#include <string_view>

#include "gossamer/compose/groups.hpp"
#include "gossamer/sim/engines.hpp"

namespace gossamer {

/// A demand inside each group as the demand of one of them.
[[nodiscard]] Demand guest_demand(const Demand& demand);

/// Steps of the network for each step of guest_plan(plan).
[[nodiscard]] std::uint64_t frame_of(const Plan& plan);

/// The plan of all routers of the network, for groups that work in frames. Throws InfeasibleError
/// where the guest's machine has no program for it.
[[nodiscard]] Plan network_plan(const Plan& plan);

/// Piece numbers of a group as the whole network's.
class PieceNumbers {
 public:
  /// The plan must outlive it.
  PieceNumbers(const Plan& plan, const GroupLayout& layout);
  [[nodiscard]] PacketId of(NodeId group, PacketId guest) const;

 private:
  const Demand* demand_;
  const GroupLayout* layout_;
  std::uint64_t nodes_;
};

/// Runs the guest on the named engine, and shows the links of all groups.
[[nodiscard]] std::unique_ptr<Engine> make_group_engine(std::string_view engine, const Plan& plan,
                                                        const EngineOptions& options);

/// Links that the packets of a run of `steps` guest steps cross in the whole network.
[[nodiscard]] std::uint64_t crossed_links(const Plan& plan, std::uint64_t steps);

}  // namespace gossamer
