// SPDX-License-Identifier: Apache-2.0
/// The cut-through network: routers and links as modules, one clocked process that steps those that
/// have something to do.
///
/// Guarantees: one flit a link and cycle; a flit that is in an out register in cycle c is at the
/// neighbour's in-port in cycle c + r - 1 (r - 1 registers along the wire). A router without an
/// arrival, a timer or a step to start costs nothing, and when nothing moves the process sleeps
/// until the next start. The network is also the nodes' memory, and in step mode the counter that
/// says when a step starts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/systemc/relay_router.hpp"

namespace gossamer::systemc {

/// Makes a node's router; the name is for its constructor.
using RelayRouterFactory = std::function<std::unique_ptr<RelayRouterModule>(
    const char* name, const RelayRouterConfig& config)>;

class RelayNetwork final : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low: all links idle, no node has the message.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: the same at the next edge.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: the source has the message, whatever was going on. The cycle after is
  /// cycle 0.
  sc_core::sc_in<bool> start_i{"start_i"};

  /// The network of `plan`, a relay program; the plan must outlive it. Routers are `make_router`'s;
  /// without one, RelayRouters and FanOutRouters. Throws as RelayRouterConfigs.
  RelayNetwork(const sc_core::sc_module_name& name, const Plan& plan,
               const RelayRouterFactory& make_router = {});
  ~RelayNetwork() override;

  /// What every link carries in this cycle, by link slot.
  [[nodiscard]] std::span<const RelayFlit> links() const { return flits_; }
  /// The heads that enter a link in this cycle, by link slot.
  [[nodiscard]] std::vector<Head> heads() const;
  /// Messages whose last flit the last edge has brought to its node.
  [[nodiscard]] std::span<const Delivery> deliveries() const { return deliveries_; }
  /// Nothing moves and nothing is going to.
  [[nodiscard]] bool finished() const;
  /// What an assertion of a router said; empty: none has failed. The network stops with it.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] bool error(NodeId node) const { return routers_[node]->pins().error_o; }
  /// Damages a link's register between two cycles; false when the link is idle.
  bool upset(LinkId link, const Upset& upset);
  /// How often the clocked process has run, and how many router edges it has executed: the measure
  /// of work while nothing moves.
  [[nodiscard]] std::uint64_t activations() const { return activations_; }
  [[nodiscard]] std::uint64_t router_edges() const { return router_edges_; }
  /// Adds valid, head and low data word of every link to a wave file. Before the simulation starts.
  void trace(sc_core::sc_trace_file* file);

 private:
  /// Which send a head belongs to; known to the observers only.
  struct Travel {
    std::uint32_t step = 0;
    std::uint32_t hop = 0;
  };
  struct OnWire {
    LinkId link = 0;
    RelayFlit flit;
    Travel travel;
  };
  /// What arrives at a router at this edge.
  struct Arrival {
    NodeId node = 0;
    Port port = 0;
    RelayFlit flit;
    Travel travel;
  };

  void end_of_elaboration() override;
  void clock();
  void empty();
  void edge();
  void start_steps();
  void step_router(NodeId node, std::span<const Arrival> arrivals);
  void deliver(NodeId node, std::span<const Arrival> arrivals);
  [[nodiscard]] Travel travel_of(const RelayFlit& head, Port out_port,
                                 std::span<const Arrival> arrivals) const;
  void touch(NodeId node);

  const Plan* plan_;
  const RelayProgram* program_;
  RelayRouterConfigs configs_;
  RelayFormat format_;
  std::size_t ports_;
  /// By link slot: the out registers, and the travel of a head in them. The last one is the slot of
  /// what is missing at the border of a mesh.
  std::vector<RelayFlit> all_flits_;
  std::span<const RelayFlit> flits_;
  std::vector<Travel> travels_;
  std::vector<LinkId> busy_links_;
  std::vector<LinkId> next_busy_links_;
  /// The wires, by the edge modulo r at which their flits are at the in-ports.
  std::vector<std::vector<OnWire>> wires_;
  std::size_t on_wires_ = 0;
  std::vector<std::unique_ptr<RelayLink>> links_;
  std::vector<std::unique_ptr<RelayLink>> border_;
  std::vector<std::unique_ptr<RelayRouterModule>> routers_;
  /// From the bindings: by node and port the slot of the out link; by link slot the end of it.
  std::vector<LinkId> out_slot_;
  std::vector<NodeId> receiver_;
  std::vector<Port> in_port_;
  /// By node: the flits of the message that it has.
  std::vector<std::vector<RelayData>> memory_;
  std::vector<std::uint32_t> received_;
  std::vector<std::uint32_t> receiving_step_;
  std::vector<NodeId> informed_;
  std::vector<Delivery> deliveries_;
  /// Routers that act without an arrival; nodes that are stepped at this edge.
  std::vector<NodeId> busy_routers_;
  std::vector<NodeId> touched_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<Arrival> arrivals_;
  /// Edges executed since the start; 0: before it.
  std::uint64_t edges_ = 0;
  bool started_ = false;
  /// Step mode: the step that starts next, from 0, and the edge at which it does.
  bool by_steps_ = false;
  std::size_t next_step_ = 0;
  std::uint64_t next_step_edge_ = 0;
  bool step_starts_ = false;
  std::uint32_t starting_step_ = 0;
  bool asleep_ = false;
  std::string failure_;
  std::uint64_t activations_ = 0;
  std::uint64_t router_edges_ = 0;

  struct WaveLink {
    LinkId slot = 0;
    bool valid = false;
    bool head = false;
    std::uint64_t data = 0;
  };
  std::vector<WaveLink> wave_;
  void update_wave();
};

}  // namespace gossamer::systemc
