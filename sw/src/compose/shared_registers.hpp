// SPDX-License-Identifier: Apache-2.0
/// A plan as operations of registers, one per output port: what a context consists of.
///
/// At the edge into a step, the register of an output port takes nothing, an own operand, or the
/// arrival of the input port that feeds it, alone or combined with an own operand, with the
/// register of its partner, or with the partner's arrival and an own operand. The partner is the
/// output port with the number of the feed: the other direction of the same cycle or line
/// (docs/contexts.md). The operations follow from the link contents of the plan's own run, so every
/// machine can have contexts whose routers do no more than that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gossamer/compose/composition.hpp"
#include "gossamer/compose/context_schedule.hpp"
#include "gossamer/sim/engines.hpp"

namespace gossamer {

/// A packet and its number of contributions; 0: no packet.
struct Carried {
  PacketId packet = kNoPacket;
  std::uint32_t terms = 0;

  bool operator==(const Carried&) const = default;
};

/// The combination of two words. A missing word is not an operand.
[[nodiscard]] RegisterWord combined(const Arithmetic& arithmetic, const RegisterWord& one,
                                    const RegisterWord& other);

/// The words that nodes contribute to a reduction, and their combination.
class OwnWords {
 public:
  /// The plan must outlive it.
  OwnWords(const Plan& plan, const Arithmetic& arithmetic);

  /// The word of a node; `packet` is one of its group.
  [[nodiscard]] RegisterWord of(NodeId node, PacketId packet) const;
  [[nodiscard]] RegisterWord combined(const RegisterWord& one, const RegisterWord& other) const {
    return gossamer::combined(arithmetic_, one, other);
  }
  [[nodiscard]] NodeId rank(NodeId node) const { return layout_.rank(node); }

 private:
  const Demand* demand_;
  GroupLayout layout_;
  Arithmetic arithmetic_;
  /// Words of all groups.
  std::uint64_t words_;
};

/// Planned link contents, two steps at a time.
class PlannedRun {
 public:
  /// Before step 1. The plan must outlive it.
  PlannedRun(const Plan& plan, const EngineOptions& options);

  /// Advances to the next step. The one after the last has no packets, but results.
  void next();
  /// 0 before the first step.
  [[nodiscard]] std::uint64_t step() const { return step_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// By link slot, in the present step and in the one before.
  [[nodiscard]] std::span<const Carried> now() const { return now_; }
  [[nodiscard]] std::span<const Carried> before() const { return before_; }
  /// By link slot; empty for packets without words.
  [[nodiscard]] std::span<const std::uint64_t> values() const { return values_; }
  [[nodiscard]] std::span<const std::uint64_t> values_before() const { return values_before_; }
  /// Words that were written at the end of the step before.
  [[nodiscard]] const std::vector<Result>& results() const { return results_; }

  /// The node starts with the packet, or contributes to it alone.
  [[nodiscard]] bool is_own(NodeId node, const Carried& carried) const;
  /// The output port leads out of the node's group, or out of the network: no plan sends there.
  [[nodiscard]] bool leads_out(NodeId node, Port port) const;
  /// The register of `link` with the input port `feed`, if it takes that for `wanted` after
  /// before(). At the end of an open line, no arrival comes by one input port of the pair.
  [[nodiscard]] RegisterSource source(LinkId link, Port feed, const Carried& wanted) const;

 private:
  void load();

  const Plan* plan_;
  GroupLayout layout_;
  std::unique_ptr<Engine> engine_;
  std::uint64_t steps_;
  std::uint64_t step_ = 0;
  std::vector<Carried> now_;
  std::vector<Carried> before_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> values_before_;
  std::vector<Result> results_;
};

/// Whether the memories of roots add what arrives to their own words: a reduce.
[[nodiscard]] bool collects_at_roots(const Demand& demand);

/// The wiring that a plan requires.
struct RegisterPlan {
  /// By link slot, the input ports that can feed the output port: all where it needs no feed.
  std::vector<PortSet> feeds;
  /// By link slot, whether the plan sends there.
  std::vector<bool> used;
  /// Packets wait in the memories of nodes, which keep all arrivals of a round. Registers take own
  /// words and kept ones, by no feed.
  bool memory = false;
  /// Why registers, one per output port, cannot execute the plan; empty if they can.
  std::string defect;
};
/// With memory only if the plan's machine has it, and registers alone are not enough or each node
/// has words of its own for each other one. The plan has expected steps and no defect as a member
/// (member_defect).
[[nodiscard]] RegisterPlan registers_of(const Plan& plan);

/// Different wirings of contexts.
class Wirings {
 public:
  /// The number of the first wiring that suits the plan, or of a new one.
  std::size_t add(const RegisterPlan& plan);
  /// Restricts a wiring to those that suit the plan as well. False, and no change, without any.
  bool narrow(std::size_t number, const RegisterPlan& plan);
  [[nodiscard]] std::size_t size() const { return feeds_.size(); }
  /// The input port that feeds the output port of `link`: of several that suit the one straight on.
  [[nodiscard]] Port feed(std::size_t number, LinkId link, Port out_port) const;

 private:
  /// By wiring and link slot.
  std::vector<std::vector<PortSet>> feeds_;
};

}  // namespace gossamer
