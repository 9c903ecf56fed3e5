// SPDX-License-Identifier: Apache-2.0
/// The network of a member or of one group as its machine emits it, as a part of a larger network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../emit/expected_run.hpp"
#include "../emit/sv_text.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/machine.hpp"

namespace gossamer {

/// The plan of a member's routers: of one group, or of all nodes.
[[nodiscard]] Plan plan_in_routers(const Plan& member);

/// Why these routers have no SystemVerilog; empty if they have.
[[nodiscard]] std::string routers_sv_defect(const Plan& in_routers);

/// The text with `name` in the words gsm_tile and gsm_plan_pkg: gsm_member0_tile.
[[nodiscard]] std::string with_member_name(const std::string& text, std::string_view name);

class MemberNetwork {
 public:
  /// `who` names it in messages, `format` is one that writes a tile: sv-table and sv-rank have
  /// loadable tables and a round that finds ranks, and no other part of a network may have them.
  /// The member must outlive it. Throws InputError for a network that cannot be a part of another
  /// one.
  MemberNetwork(const PlanMember& member, const std::string& who, std::string_view format = "sv");

  [[nodiscard]] const PlanMember& member() const { return *member_; }
  /// Groups with a network each; none where one network serves all nodes.
  [[nodiscard]] const std::optional<Groups>& groups() const { return groups_; }
  [[nodiscard]] const GroupLayout& layout() const { return layout_; }
  [[nodiscard]] std::size_t ports() const { return 2 * axes_.size(); }
  /// The port of the whole network's tile.
  [[nodiscard]] std::size_t port(std::size_t own) const {
    return 2 * static_cast<std::size_t>(axes_[own / 2]) + own % 2;
  }
  /// Sides of a group, by its axes.
  [[nodiscard]] std::uint32_t side(std::size_t axis) const {
    return guest_.topology.side(static_cast<int>(axis));
  }
  /// Links of the whole network for a link of an own port, and steps for an own step.
  [[nodiscard]] std::uint64_t links(std::size_t own) const;
  [[nodiscard]] std::uint64_t frame() const { return frame_; }
  [[nodiscard]] std::size_t tile_class(NodeId node) const { return classes_[layout_.rank(node)]; }
  /// An integer of the package.
  [[nodiscard]] std::uint64_t constant(std::string_view name) const;
  [[nodiscard]] const std::vector<EmittedFile>& files() const { return files_; }
  /// Empty where there is no such file.
  [[nodiscard]] std::string contents(std::string_view name) const;

 private:
  /// By rank, the class of its tile: from the package's function, 16 bits each in chunks of 64.
  void read_classes();

  const PlanMember* member_;
  Plan guest_;
  std::optional<Groups> groups_;
  GroupLayout layout_;
  std::uint64_t frame_;
  std::vector<EmittedFile> files_;
  std::vector<int> axes_;
  std::string package_;
  std::vector<std::size_t> classes_;
};

/// Where a member's words are among the whole tile's.
struct WordOffsets {
  std::uint64_t own = 0;
  std::uint64_t delivers = 0;
};

/// Adds a member's expected run to that of the whole, and its own words to `own`. `number`: of a
/// plan of several collectives. `terms`: every row counts contributions. False where the member has
/// no expected run.
[[nodiscard]] bool add_member_run(const MemberNetwork& network, std::optional<std::uint32_t> number,
                                  const WordOffsets& offset, const emit_detail::FabricShape& shape,
                                  bool terms, std::vector<std::string>& own,
                                  emit_detail::ExpectedRun& run);

}  // namespace gossamer
