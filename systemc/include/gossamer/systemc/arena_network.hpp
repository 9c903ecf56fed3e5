// SPDX-License-Identifier: Apache-2.0
/// The arena-backed network: routers and links as modules, one clocked process that steps them all.
///
/// Guarantees: carries the same packet on every link in every cycle as the pin-level Network. Does
/// no work when nothing moves: the process sleeps until the next start. When few links are busy
/// only those are stepped. Timing as the pin-level Network: the cycle after the start edge is
/// step 1. It has no network interfaces: own packets are the plan's packet numbers, and whoever
/// wants arrivals reads the links.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/systemc/arena.hpp"

namespace gossamer::systemc {

/// Makes the router of `node`. The name is for its constructor.
using RouterFactory =
    std::function<std::unique_ptr<ArenaRouter>(const char* name, const Plan& plan, NodeId node)>;

class ArenaNetwork final : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low: all links idle, all queues empty.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: the same at the next edge.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begin a round, whatever was going on. The cycle after is step 1.
  sc_core::sc_in<bool> start_i{"start_i"};

  /// The network of `plan`, which must outlive it: streams, in frames or not, or a schedule. With
  /// `make_router` the routers are that function's, and every one of them is clocked through
  /// ArenaRouter::clock; without, they are ModelRouters or ScheduleRouters. Throws InputError for a
  /// schedule on a mesh.
  ArenaNetwork(const sc_core::sc_module_name& name, const Plan& plan,
               const RouterFactory& make_router = {});
  ~ArenaNetwork() override;

  /// What every link carries in this cycle, by link slot.
  [[nodiscard]] std::span<const PacketId> links() const { return arena_.links(); }
  /// The channel of a link, for a module that wants to read it; nullptr where a mesh ends.
  [[nodiscard]] LinkInterface* link(LinkId link) { return links_[link].get(); }
  /// Damages a link's register between two cycles; false when the link is idle.
  bool upset(LinkId link, const Upset& upset);
  /// The router of `node` has lost a packet since the start.
  [[nodiscard]] bool error(NodeId node) const { return !plain_ && routers_[node]->error(); }
  /// Packets lost since the start.
  [[nodiscard]] std::uint64_t conflicts() const;
  /// Longest queue at the start of an executed step, register and own packets to come included.
  /// Schedules: the most buffer slots of a router that have been written.
  [[nodiscard]] std::uint64_t max_queue() const;
  /// How often the clocked process has run: the measure of work while nothing moves.
  [[nodiscard]] std::uint64_t activations() const { return activations_; }
  /// Adds the step, and valid and packet of every link, to a wave file. Before the simulation
  /// starts. Costs a copy of all links a cycle; the step rests while the network sleeps.
  void trace(sc_core::sc_trace_file* file);

 private:
  void end_of_elaboration() override;
  void clock();
  void start();
  void empty();
  /// The own packet that out-port `port` of `node` injects at the edge that ends `step`, kNoPacket
  /// for none.
  [[nodiscard]] PacketId own_packet(NodeId node, std::size_t port, std::uint64_t step) const;
  [[nodiscard]] std::unique_ptr<ArenaRouter> make_model_router(const char* name, NodeId node) const;

  /// One edge of all routers that are fixed wirings (StreamProgram::is_plain).
  void step_dense();
  void step_sparse();
  /// One edge of all active routers, whatever their table.
  void step_routers();
  void activate(NodeId node);
  [[nodiscard]] bool idle() const;

  const Plan* plan_;
  /// Exactly one of the two is not null.
  const StreamProgram* program_;
  const ScheduleProgram* schedule_;
  /// Slots of a frame.
  std::uint32_t frame_;
  std::uint32_t depth_;
  /// The routers are ModelRouters and the program is plain: they are stepped as fixed wirings.
  bool plain_;
  std::size_t ports_;
  LinkArena arena_;
  /// By link slot; empty where a mesh ends.
  std::vector<std::unique_ptr<ArenaLink>> links_;
  /// By port: what the routers at the border of a mesh are bound to.
  std::vector<std::unique_ptr<ArenaLink>> border_;
  /// By node.
  std::vector<std::unique_ptr<ArenaRouter>> routers_;

  /// The step of this cycle; 0 before the first start.
  std::uint64_t step_ = 0;
  std::uint64_t activations_ = 0;
  bool asleep_ = false;

  // Plain programs.
  /// By link slot: the slot that feeds it.
  std::vector<LinkId> source_;
  /// By link slot: the slots that it feeds are fed_[fed_begin_[slot] .. fed_begin_[slot + 1]).
  std::vector<std::uint32_t> fed_begin_;
  std::vector<LinkId> fed_;
  /// Number of busy links.
  std::size_t busy_ = 0;
  /// Only the links in busy_links_ can be busy, and the arena's next buffer is all idle.
  bool sparse_ = false;
  std::vector<LinkId> busy_links_;
  std::vector<LinkId> next_busy_links_;

  // Other programs. The arena's next buffer is all idle between two edges.
  /// By node and port: the slot of the link, or the idle slot where a mesh ends.
  std::vector<LinkId> in_slot_;
  std::vector<LinkId> out_slot_;
  /// By link slot: the node that the link enters.
  std::vector<NodeId> receiver_;
  /// Longest preload list.
  std::size_t longest_preload_ = 0;
  /// Nothing is injected at the edge that ends this step, and behind it.
  std::uint64_t injections_end_ = 0;
  /// Routers to step at the next edge, and by node whether they are in next_active_.
  std::vector<NodeId> active_;
  std::vector<NodeId> next_active_;
  std::vector<std::uint8_t> is_next_active_;

  /// Copy of the links at a fixed address, for the wave file.
  struct WaveLink {
    LinkId slot;
    bool valid;
    PacketId packet;
  };
  std::vector<WaveLink> wave_;
  void update_wave();
};

}  // namespace gossamer::systemc
