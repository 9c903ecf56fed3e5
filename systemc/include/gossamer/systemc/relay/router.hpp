// SPDX-License-Identifier: Apache-2.0
/// Cut-through tiles: a router of relay programs with the node's memory, as a node of a fabric of
/// flits.
///
/// Guarantees: one flit per link and cycle. A tile without an arrival, a timer or an own send costs
/// no simulation time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "gossamer/machines/relay/router_pins.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/out_port.hpp"

namespace gossamer::systemc {

/// The content of a link.
struct RelayWord {
  PinFlit flit;
  /// The send that a head belongs to, as in Head: for observers, not a wire.
  std::uint32_t step = 0;
  std::uint32_t hop = 0;

  bool operator==(const RelayWord&) const = default;
};
std::ostream& operator<<(std::ostream& out, const RelayWord& word);
void sc_trace(sc_core::sc_trace_file* file, const RelayWord& word, const std::string& name);

template <>
struct WordTraits<RelayWord> {
  static constexpr RelayWord kIdle{};
  [[nodiscard]] static bool is_idle(const RelayWord& word) { return !word.flit.valid; }
  static void upset(RelayWord& word, const Upset& upset) {
    if (upset.drop) {
      word = {};
    } else {
      word.flit.data[0] ^= upset.flip;
    }
  }
  struct Wave {
    PinFlit flit;
    void trace(sc_core::sc_trace_file* file, const std::string& link) const {
      sc_core::sc_trace(file, flit.valid, link + ".valid");
      sc_core::sc_trace(file, flit.head, link + ".head");
      sc_core::sc_trace(file, flit.data[0], link + ".data");
    }
    void show(const RelayWord& word) {
      const std::uint64_t data = word.flit.valid ? word.flit.data[0] : flit.data[0];
      flit = word.flit;
      flit.data[0] = data;
    }
  };
};
using RelayFabric = Fabric<RelayWord>;
extern template class Fabric<RelayWord>;

/// State shared by the tiles of a relay program.
struct RelayTiles {
  /// `plan` must hold a RelayProgram and outlive this object. Throws like RelayRouterConfigs.
  explicit RelayTiles(const Plan& plan);

  const Topology& topology;
  const RelayProgram& program;
  RelayRouterConfigs configs;
  RelayFormat format;
  /// Routers that wait for the step of a send: by step, from 0, the cycle at whose end it starts, 0
  /// for the start edge. Empty in other programs.
  std::vector<std::uint64_t> step_starts;
  /// Nodes that have received the last flit of a message, and in a reduction their result. Tiles
  /// append to these lists; the reader empties them.
  std::vector<Delivery> deliveries;
  std::vector<Result> results;
  /// Reductions: the nodes' words, and their sums in models.
  Arithmetic arithmetic;
  /// Every flit has its own word instead of the message's word and a number.
  [[nodiscard]] bool has_own_words() const {
    return is_float(arithmetic.type) || arithmetic.maker != nullptr;
  }
  [[nodiscard]] bool combines() const { return program.adding_steps != 0; }
};

/// A node of a relay program: the interface that feeds a router's pins from the node's memory and
/// its list of sends, and stores the router's deliveries in the memory. A derived class adds the
/// router.
class RelayTile : public RouterModule<RelayWord> {
 public:
  RelayTile(const sc_core::sc_module_name& name, std::shared_ptr<RelayTiles> tiles, NodeId node);

  void clear() final;
  /// Throws the exceptions of clock_router(), and ModelAssertion for a flit that leaves a mesh.
  std::uint64_t clock(const Edge<RelayWord>& edge) final;
  [[nodiscard]] bool error() const final { return pins_.error_o; }

 protected:
  /// One rising clock edge: from the inputs of `pins_` to its outputs. Throws ModelAssertion; the
  /// RTL throws its own exception.
  virtual void clock_router() = 0;

  [[nodiscard]] const Arithmetic& arithmetic() const { return tiles_->arithmetic; }

  RelayRouterConfig config_;
  RelayRouterPins pins_;

 private:
  [[nodiscard]] std::uint64_t own_word(std::uint32_t flit) const;
  void tell_step(std::uint64_t cycle);
  void deliver(const Edge<RelayWord>& edge, std::uint32_t store);
  [[nodiscard]] Result sum() const;
  [[nodiscard]] RelayWord sent(const Edge<RelayWord>& edge, Port out_port) const;
  [[nodiscard]] std::uint64_t next_act(std::uint64_t cycle) const;

  std::shared_ptr<RelayTiles> tiles_;
  NodeId node_;
  /// Out-ports with a neighbour.
  PortSet open_;
  /// Flits of the message that the node has; flits of the arriving message, and its step.
  std::vector<RelayData> memory_;
  std::uint32_t received_ = 0;
  std::uint32_t receiving_step_ = 0;
};

/// Creates a node's tile; its constructor needs the name.
using RelayTileFactory = std::function<std::unique_ptr<RelayTile>(
    const char* name, const std::shared_ptr<RelayTiles>& tiles, NodeId node)>;
/// Creates a RelayRouter or, for fan-out, a FanOutRouter.
[[nodiscard]] std::unique_ptr<RelayTile> make_model_relay_tile(
    const char* name, const std::shared_ptr<RelayTiles>& tiles, NodeId node);

/// An engine called `name` whose tiles `make_tile` creates.
[[nodiscard]] std::unique_ptr<Engine> make_relay_fabric_engine(const Plan& plan, std::string name,
                                                               const RelayTileFactory& make_tile,
                                                               const EngineOptions& options);

/// `gsm_relay_router` in SystemC, except its tree.
///
/// Guarantees: in every cycle its outputs equal those of the RTL. A head with links left passes in
/// one cycle. The node sends F - 1 + o cycles after its message's head and then every F + o cycles,
/// or with its step. Throws ModelAssertion where the RTL's assertions fail.
class RelayRouter final : public RelayTile {
 public:
  using RelayTile::RelayTile;

 private:
  /// A send by the parity rule.
  struct RuleSend {
    bool valid = false;
    std::uint32_t level = 0;
    Port port = 0;
    std::uint32_t hops = 0;
  };
  [[nodiscard]] RuleSend rule_send(std::uint32_t step, std::uint32_t tag,
                                   std::uint32_t order_level) const;
  [[nodiscard]] RelayEntry next_entry() const;
  void clock_router() override;
  void start_over();
  void route(std::array<PinFlit, kMaxPorts>& next);
  void add_up();
  void through_adder();
  void put(std::array<PinFlit, kMaxPorts>& next, Port port, const PinFlit& flit);

  /// By in-port: destination of the arriving message; kNoPort: this node.
  std::array<Port, kMaxPorts> way_{};
  bool held_ = false;
  /// Cycles to the next own action; 0: none is due.
  std::uint32_t timer_ = 0;
  /// Sums: the message that is being received is added.
  bool adds_ = false;
  /// Sums in the adder, oldest first; words that were not added are not valid.
  std::deque<PinFlit> adder_;
  /// Cycles for which the adder still has sums.
  std::uint32_t adding_ = 0;
  /// Flits of the current send that are left, and its out-port.
  std::uint32_t flits_left_ = 0;
  Port send_port_ = 0;
  std::uint32_t entry_ = 0;
  /// The rule: step of the next send; tag and level of the node's own message.
  std::uint32_t step_ = 0;
  std::uint32_t tag_ = 0;
  std::uint32_t level_ = 0;
};

/// The source's own part of a fan-out router, the same for model and RTL: the flit that is injected
/// at this edge, if any, and the number of flits left.
struct FanOutSource {
  std::uint32_t flits_left = 0;
  /// The flit, or kNoPacket. Advances `pins.flit_o`.
  [[nodiscard]] PacketId inject(RelayRouterPins& pins, std::uint32_t flits);
};
/// The stream router's packet as a flit, and back.
[[nodiscard]] PinFlit fan_out_flit(PacketId packet);
[[nodiscard]] PacketId fan_out_packet(const PinFlit& flit);

/// The stream router (gsm_router in SystemC) as a node of a fan-out broadcast: arrivals at one
/// in-port are copied to a set of out-ports, flit by flit. Bit 63 of a flit marks the head.
class FanOutRouter final : public RelayTile {
 public:
  FanOutRouter(const sc_core::sc_module_name& name, std::shared_ptr<RelayTiles> tiles, NodeId node);

 private:
  void clock_router() override;

  std::vector<OutPort> out_ports_;
  FanOutSource source_;
};

}  // namespace gossamer::systemc
