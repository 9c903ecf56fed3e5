// SPDX-License-Identifier: Apache-2.0
/// Links and cut-through routers of the relay network as modules.
///
/// The counterpart of arena.hpp for RelayProgram: the flits of all links lie in one array of the
/// RelayNetwork (relay_network.hpp), which steps the routers that have something to do.
#pragma once

#include <span>
#include <systemc>
#include <vector>

#include "gossamer/hardware/relay_router_pins.hpp"
#include "gossamer/systemc/out_port.hpp"

namespace gossamer::systemc {

/// What a router sees of a link.
class RelayLinkInterface : virtual public sc_core::sc_interface {
 public:
  /// Where the link's flit is among those of all links.
  [[nodiscard]] virtual LinkId slot() const = 0;
  /// What the link carries in this cycle.
  [[nodiscard]] virtual const RelayFlit& flit() const = 0;
};

/// The out register of a router, its flit in the network's array; `gsm_link` in SystemC.
class RelayLink final : public sc_core::sc_module, public RelayLinkInterface {
 public:
  /// `flits` must outlive the link and not move.
  RelayLink(const sc_core::sc_module_name& name, const RelayFlit* flits, LinkId slot)
      : sc_core::sc_module(name), flits_(flits), slot_(slot) {}

  [[nodiscard]] LinkId slot() const override { return slot_; }
  [[nodiscard]] const RelayFlit& flit() const override { return flits_[slot_]; }

 private:
  const RelayFlit* flits_;
  LinkId slot_;
};

/// A relay router: the bindings, the pins, and what the network asks of it.
class RelayRouterModule : public sc_core::sc_module {
 public:
  /// The links that enter and leave, by port; bound in ascending order.
  sc_core::sc_port<RelayLinkInterface, 0> in{"in"};
  sc_core::sc_port<RelayLinkInterface, 0> out{"out"};

  explicit RelayRouterModule(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  [[nodiscard]] const RelayRouterPins& pins() const { return pins_; }
  [[nodiscard]] RelayRouterPins& pins() { return pins_; }
  /// One rising clock edge. Throws RelayAssertion, the RTL its own kind of it.
  virtual void clock() = 0;

 protected:
  RelayRouterPins pins_;
};

/// `gsm_relay_router` and `gsm_relay_router_table` in SystemC.
///
/// Guarantees: every output of the RTL's in every cycle. A head with links to go passes in one
/// cycle; the node sends F - 1 + o cycles after its message's head and every F + o cycles from
/// then on, or with its step. Throws RelayAssertion where the RTL's assertions fail.
class RelayRouter final : public RelayRouterModule {
 public:
  RelayRouter(const sc_core::sc_module_name& name, const RelayRouterConfig& config);

  void clock() override;

 private:
  /// A send of the rule.
  struct RuleSend {
    bool valid = false;
    std::uint32_t level = 0;
    Port port = 0;
    std::uint32_t hops = 0;
  };
  [[nodiscard]] RuleSend rule_send(std::uint32_t step, std::uint32_t tag,
                                   std::uint32_t order_level) const;
  [[nodiscard]] RelayEntry next_entry() const;
  void clear();
  void route(std::array<RelayFlit, kMaxPorts>& next);
  void put(std::array<RelayFlit, kMaxPorts>& next, Port port, const RelayFlit& flit);

  RelayRouterConfig config_;
  /// By in-port: where the message that comes in goes; kNoPort: to the node.
  std::array<Port, kMaxPorts> way_{};
  bool held_ = false;
  /// Cycles to the next own act; 0: none is due.
  std::uint32_t timer_ = 0;
  /// Flits of the current send that are still to come, and its out-port.
  std::uint32_t flits_left_ = 0;
  Port send_port_ = 0;
  std::uint32_t entry_ = 0;
  /// The rule: step of the next send; tag and level of the node's own message.
  std::uint32_t step_ = 0;
  std::uint32_t tag_ = 0;
  std::uint32_t level_ = 0;
};

/// The source's own part of a fan-out router, the same for model and RTL: which flit is injected at
/// this edge, if any, and how many are left.
struct FanOutSource {
  std::uint32_t flits_left = 0;
  /// The flit, or kNoPacket. Advances `pins.flit_o`.
  [[nodiscard]] PacketId inject(RelayRouterPins& pins, std::uint32_t flits);
};
/// The stream router's packet as a flit, and back.
[[nodiscard]] RelayFlit fan_out_flit(PacketId packet);
[[nodiscard]] PacketId fan_out_packet(const RelayFlit& flit);

/// The stream router (gsm_router in SystemC) as a node of a fan-out broadcast: what comes in by one
/// in-port is copied to a set of out-ports, flit by flit. A flit's bit 63 says that it is the head.
class FanOutRouter final : public RelayRouterModule {
 public:
  FanOutRouter(const sc_core::sc_module_name& name, const RelayRouterConfig& config);

  void clock() override;

 private:
  RelayRouterConfig config_;
  PortProgram feeding_;
  PortProgram idle_;
  std::vector<OutPort> out_ports_;
  FanOutSource source_;
};

}  // namespace gossamer::systemc
