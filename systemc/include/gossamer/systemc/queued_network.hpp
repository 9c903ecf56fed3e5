// SPDX-License-Identifier: Apache-2.0
/// The network of queued routers: routers and arena links as modules, one clocked process that
/// steps those that have something to do.
///
/// Guarantees: a cycle is a flit's time; a prefix step lasts clock.prefix_flits cycles, a sub-step
/// substep_flits() of them, and what is in an out-register at the start of a step is at the
/// neighbour at its end (store-and-forward). Only routers that a packet reaches, that have one to
/// send, or that a barrier gives something to do are executed; when the program is over the process
/// sleeps until the next start. The network is also the counter of the barriers.
#pragma once

#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "gossamer/systemc/queued_router.hpp"

namespace gossamer::systemc {

class QueuedNetwork final : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low: all links idle, all queues empty.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: the same at the next edge.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begins, whatever was going on. The cycle after is the first of step 1.
  sc_core::sc_in<bool> start_i{"start_i"};

  /// The network of `plan`, which holds a QueuedProgram and must outlive it.
  QueuedNetwork(const sc_core::sc_module_name& name, const Plan& plan);
  ~QueuedNetwork() override;

  /// What every link carries in this cycle, by link slot.
  [[nodiscard]] std::span<const PacketId> links() const { return arena_.links(); }
  /// The step that the links carry, on the clock of sub-steps, or in a program of prefix phases
  /// only, on its only one. 0 in the prefix before it.
  [[nodiscard]] std::uint64_t observed_step() const { return started_ && observed_ ? step_ : 0; }
  /// This cycle is the step's first one.
  [[nodiscard]] bool step_begins() const { return cycle_of_step_ == 0; }
  /// Cycles until the current step ends.
  [[nodiscard]] std::uint32_t cycles_left() const { return step_cycles_ - cycle_of_step_; }
  /// The last phase is over and, in an exchange, all queues and links are empty.
  [[nodiscard]] bool finished() const { return finished_; }
  /// Cycles since the start.
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  /// Packets lost since the start because another one was on the link in the current step or
  /// before.
  [[nodiscard]] std::uint64_t conflicts() const { return outputs_.conflicts(); }
  /// The most packets that have waited at an out-port, on the clock that runs now.
  [[nodiscard]] std::uint64_t max_queue() const { return max_queue_; }
  [[nodiscard]] const QueuedRouter& router(NodeId node) const { return *routers_[node]; }
  /// How often routers have been executed: the measure of work.
  [[nodiscard]] std::uint64_t router_edges() const { return router_edges_; }
  /// How often the clocked process has run.
  [[nodiscard]] std::uint64_t activations() const { return activations_; }
  /// Adds every link's valid and packet to a wave file. Before the simulation starts.
  void trace(sc_core::sc_trace_file* file);

 private:
  void end_of_elaboration() override;
  void clock();
  void empty();
  void begin();
  void end_step();
  void receive_all();
  void load();
  /// Puts on the links what goes in step `step_`.
  void send_all();
  void touch(NodeId node);
  void find_fixed_ranks();
  void update_wave();

  const Plan* plan_;
  const QueuedProgram* program_;
  std::size_t ports_;
  LinkArena arena_;
  /// By link slot: the headers of what is on the links.
  std::vector<QueuedHeader> headers_;
  std::vector<LinkId> busy_links_;
  std::vector<std::unique_ptr<ArenaLink>> links_;
  std::vector<std::unique_ptr<ArenaLink>> border_;
  std::vector<std::unique_ptr<QueuedRouter>> routers_;
  /// From the bindings: by node and port, the slots of the links in and out; by link slot, its end.
  std::vector<LinkId> in_slot_;
  std::vector<LinkId> out_slot_;
  std::vector<NodeId> receiver_;
  /// By class without a prefix, by node: the class rank of its first packet.
  std::vector<std::vector<std::uint32_t>> ranks_;
  /// Nodes that are executed at this edge.
  std::vector<NodeId> touched_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<NodeId> busy_routers_;
  QueuedOutputs outputs_;
  std::vector<std::size_t> active_;
  std::size_t next_move_ = 0;
  bool started_ = false;
  bool observed_ = false;
  bool finished_ = false;
  bool asleep_ = false;
  std::uint64_t prefix_steps_;
  std::uint64_t last_step_;
  bool is_exchange_ = false;
  /// The step that the links carry, on the clock that runs, from 1.
  std::uint64_t step_ = 0;
  std::uint32_t step_cycles_ = 1;
  std::uint32_t cycle_of_step_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t max_queue_ = 0;
  std::uint64_t router_edges_ = 0;
  std::uint64_t activations_ = 0;

  struct WaveLink {
    LinkId slot = 0;
    bool valid = false;
    PacketId packet = 0;
  };
  std::vector<WaveLink> wave_;
};

}  // namespace gossamer::systemc
