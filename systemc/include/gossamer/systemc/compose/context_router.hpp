// SPDX-License-Identifier: Apache-2.0
/// Nodes whose router has one register per output port, shared by all contexts.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/compose/context_schedule.hpp"
#include "gossamer/systemc/combining.hpp"

namespace gossamer::systemc {

/// A node of contexts: its memory, the deliveries, and a router from elsewhere. The
/// schedule is at the edge that the fabric executes next.
class ContextNode : public CombiningModule {
 public:
  ContextNode(const sc_core::sc_module_name& name, std::shared_ptr<const ContextSchedule> schedule,
              const Topology& topology, NodeId node);

  void clear() override;
  std::uint64_t clock(const Edge<CombinedWord>& edge) final;
  [[nodiscard]] std::uint64_t max_queue() const override { return 1; }
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

 protected:
  /// Empties the registers.
  virtual void clear_registers() = 0;
  /// The edge of the router: each register takes the word of its control, by output port. Fills
  /// `beside`, which has one place per control of `besides`, with the words that these ports'
  /// registers would have taken by these controls. Words from the memory are own words here.
  virtual void clock_registers(const Edge<CombinedWord>& edge,
                               std::span<const RegisterControl> controls,
                               std::span<const std::pair<Port, RegisterControl>> besides,
                               std::span<RegisterWord> beside) = 0;
  /// The contents of a register after the edge.
  [[nodiscard]] virtual RegisterWord register_word(Port port) const = 0;

  [[nodiscard]] const ContextSchedule& schedule() const { return *schedule_; }
  [[nodiscard]] std::size_t ports() const { return ports_; }

 private:
  /// The control that takes the word of a control from the memory.
  [[nodiscard]] RegisterControl from_memory(const RegisterControl& control) const;

  std::shared_ptr<const ContextSchedule> schedule_;
  std::size_t ports_;
  NodeId node_;
  /// The link slot of output port 0.
  LinkId first_link_;
  /// Words of a root, and kept packets.
  std::map<PacketId, RegisterWord> memory_;
  std::vector<RegisterControl> controls_;
  std::vector<std::pair<Port, RegisterControl>> besides_;
  std::vector<RegisterWord> beside_;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
};

/// The arrival at an input port.
[[nodiscard]] RegisterWord arrival_at(const Edge<CombinedWord>& edge, Port port);

/// Creates a node. The topology outlives it.
using ContextNodeMaker = std::unique_ptr<ContextNode> (*)(
    const char* name, std::shared_ptr<const ContextSchedule> schedule, const Topology& topology,
    NodeId node);

/// An engine called `name` for a plan of contexts, with nodes from `make_node`. The plan must
/// outlive it.
[[nodiscard]] std::unique_ptr<Engine> make_context_fabric_engine(const Plan& plan, std::string name,
                                                                 ContextNodeMaker make_node,
                                                                 const EngineOptions& options);

}  // namespace gossamer::systemc
