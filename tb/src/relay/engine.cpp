// SPDX-License-Identifier: Apache-2.0

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/relay/router.hpp"
#include "gossamer/tb/relay/verilated_router.hpp"
#include "gossamer/tb/verilated_router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

class VerilatedRelayTile final : public systemc::RelayTile {
 public:
  VerilatedRelayTile(const sc_core::sc_module_name& name,
                     std::shared_ptr<systemc::RelayTiles> tiles, NodeId node)
      : RelayTile(name, std::move(tiles), node),
        words_(arithmetic()),
        router_(make_verilated_relay_router(config_, words_)) {}

 private:
  void clock_router() override {
    if (!words_.is_special()) {
      router_->clock(pins_);
      return;
    }
    RelayRouterPins pins = pins_;
    for (PinFlit& flit : pins.in_i) become(flit.data, &ModelWords::in);
    become(pins.own_data_i, &ModelWords::in);
    become(pins.stored_i, &ModelWords::in);
    router_->clock(pins);
    for (PinFlit& flit : pins.out_o) become(flit.data, &ModelWords::out);
    become(pins.deliver_o.data, &ModelWords::out);
    pins.in_i = pins_.in_i;
    pins.own_data_i = pins_.own_data_i;
    pins.stored_i = pins_.stored_i;
    pins_ = pins;
  }
  /// The value in a flit as the model has it, or back.
  void become(RelayData& data, std::uint64_t (ModelWords::*form)(std::uint64_t) const) const {
    RelaySum sum = RelaySum::of(data);
    sum.value = (words_.*form)(sum.value);
    sum.put(data);
  }

  ModelWords words_;
  std::unique_ptr<VerilatedRelayRouter> router_;
};

/// A node of a fan-out broadcast on the stream router's RTL.
class VerilatedFanOutTile final : public systemc::RelayTile {
 public:
  VerilatedFanOutTile(const sc_core::sc_module_name& name,
                      std::shared_ptr<systemc::RelayTiles> tiles, NodeId node)
      : RelayTile(name, std::move(tiles), node), router_(make_verilated_router(config_.ports, 1)) {
    if (config_.fan_in == RelayRouterConfig::kNoPort) return;
    for (const Port port : config_.fan_out) {
      router_->set_table(port, PortSet::of(config_.fan_in), PortSet(), 0);
    }
  }

 private:
  void clock_router() override {
    RouterPins& pins = router_->pins();
    pins.clear_i = pins_.clear_i;
    if (pins_.clear_i) source_ = {};
    const PacketId own = pins_.clear_i ? kNoPacket : source_.inject(pins_, config_.clock.flits);
    pins.inject_valid_i = own == kNoPacket ? PortSet() : config_.fan_out;
    pins.inject_data_i.fill(own);
    pins.in_valid_i = PortSet();
    for (int p = 0; p < config_.ports; ++p) {
      const auto port = static_cast<Port>(p);
      if (!pins_.in_i[port].valid) continue;
      pins.in_valid_i.insert(port);
      pins.in_data_i[port] = systemc::fan_out_packet(pins_.in_i[port]);
    }
    // The stream router's deliveries are its in-ports.
    pins_.deliver_o = config_.fan_in == RelayRouterConfig::kNoPort || pins_.clear_i
                          ? PinFlit{}
                          : pins_.in_i[config_.fan_in];
    router_->clock();
    for (int p = 0; p < config_.ports; ++p) {
      const auto port = static_cast<Port>(p);
      pins_.out_o[port] = pins.out_valid_o.contains(port)
                              ? systemc::fan_out_flit(pins.out_data_o[port])
                              : PinFlit{};
    }
    pins_.busy_o = source_.flits_left != 0;
    pins_.error_o = pins.error_o;
  }

  std::unique_ptr<VerilatedRouter> router_;
  systemc::FanOutSource source_;
};

std::unique_ptr<systemc::RelayTile> make_verilated_relay_tile(
    const char* name, const std::shared_ptr<systemc::RelayTiles>& tiles, NodeId node) {
  if (tiles->configs.kind() == RelayRouterKind::kTree) {
    return std::make_unique<VerilatedFanOutTile>(name, tiles, node);
  }
  return std::make_unique<VerilatedRelayTile>(name, tiles, node);
}

}  // namespace

namespace {

std::unique_ptr<Engine> make_relay(const Plan& plan, const EngineOptions& options) {
  EngineOptions as_built = options;
  as_built.arithmetic = ModelWords(options.arithmetic).arithmetic();
  return systemc::make_relay_fabric_engine(plan, "rtl", make_verilated_relay_tile, as_built);
}

const EngineMakerRegistration kRegistration({.engine = "rtl",
                                             .machine = "relay",
                                             .make = make_relay});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_relay)
