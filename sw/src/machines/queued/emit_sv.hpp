// SPDX-License-Identifier: Apache-2.0
/// What the tiles of queued plans have in common: classes of nodes, and the prefix before the
/// packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "gossamer/machines/queued/program.hpp"

namespace gossamer::emit_detail {

/// Nodes that are told the same share a class.
class NodeClasses {
 public:
  void add(std::vector<std::string> told) {
    const auto [at, added] = index_.try_emplace(std::move(told), told_.size());
    if (added) told_.push_back(&at->first);
    of_node_.push_back(at->second);
  }
  /// The function node_class.
  [[nodiscard]] std::string of_node() const { return node_class_function(of_node_); }
  /// What the classes are told as their `item`-th.
  [[nodiscard]] std::vector<std::string> told(std::size_t item) const {
    std::vector<std::string> result;
    for (const auto* at : told_) result.push_back(at->at(item));
    return result;
  }

 private:
  std::map<std::vector<std::string>, std::size_t> index_;
  std::vector<const std::vector<std::string>*> told_;
  std::vector<std::size_t> of_node_;
};

/// The cycles of a plan's steps: flits of its packets and of the messages of its prefix.
[[nodiscard]] StepClock clock_of(const QueuedProgram& program, const Demand& demand);

/// What gsm_prefix_round is told of a plan's prefix.
struct PrefixTables {
  /// Units: the plan's classes, and before them the round that deals packets to them, if any.
  std::size_t classes = 0;
  bool deals = false;
  /// Phases of a unit.
  std::size_t phases = 0;
  /// Constants of the package, PrefixClasses to PrefixLevel, and the values of the parameter Place
  /// by node.
  std::string constants;
  std::vector<std::string> place;
};
/// Throws InputError when the classes' phases differ.
[[nodiscard]] PrefixTables prefix_tables(const Plan& plan);

/// What the testbench has to see of the prefix in a plan of packets, from cycle 1 on: a message on
/// each link in its step, whatever it says.
void add_prefix(const Plan& plan, ExpectedRun& run);

/// The network of a plan whose packets go by classes.
[[nodiscard]] std::vector<EmittedFile> emit_classes(const Plan& plan);
/// The same of an exchange or gather.
[[nodiscard]] std::vector<EmittedFile> emit_exchange(const Plan& plan);

}  // namespace gossamer::emit_detail
