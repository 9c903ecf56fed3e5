// SPDX-License-Identifier: Apache-2.0
/// The RTL engine of contexts: Verilated routers in the SystemC fabric. Their pins show values and
/// contributions; the numbers of packets follow from the operations.
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "gossamer/compose/composition.hpp"
#include "gossamer/systemc/compose/context_router.hpp"
#include "gossamer/tb/compose/verilated_router.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

using systemc::CombinedWord;
using systemc::Edge;

std::vector<Port> feeds_of(const ContextSchedule& schedule, const Topology& topology, NodeId node) {
  std::vector<Port> feeds;
  for (std::size_t wiring = 0; wiring < schedule.wirings(); ++wiring) {
    for (const Port port : all_ports(topology.ports())) {
      feeds.push_back(schedule.feed(wiring, topology.link(node, port)));
    }
  }
  return feeds;
}

class VerilatedContextNode final : public systemc::ContextNode {
 public:
  VerilatedContextNode(const sc_core::sc_module_name& name,
                       std::shared_ptr<const ContextSchedule> shared, const Topology& topology,
                       NodeId node)
      : ContextNode(name, std::move(shared), topology, node),
        words_(schedule().arithmetic()),
        rtl_(make_verilated_context_router(topology.ports(), feeds_of(schedule(), topology, node),
                                           words_)) {}

 protected:
  void clear_registers() override { rtl_->clear(); }

  void clock_registers(const Edge<CombinedWord>& edge, std::span<const RegisterControl> controls,
                       std::span<const std::pair<Port, RegisterControl>> besides,
                       std::span<RegisterWord> beside) override {
    VerilatedContextRouter::Pins& pins = rtl_->pins();
    pins = {};
    pins.wiring_i = static_cast<std::uint8_t>(schedule().wiring());
    // The adders form results beside the registers, which then take first words only.
    pins.first_i = schedule().is_first() || !besides.empty();
    for (std::size_t p = 0; p < ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const CombinedWord& word = edge.in(p);
      pins.in_data_i[p] = {words_.in(word.value), word.terms};
      if (word.packet != kNoPacket) pins.in_valid_i.insert(port);
      const RegisterControl& control = controls[p];
      if (!pins.first_i) {
        drive(port, control);
      } else if (control.source == RegisterSource::kOwn) {
        pins.first_valid_i.insert(port);
        pins.first_data_i[p] = {words_.in(control.own.value), control.own.terms};
      } else if (control.source != RegisterSource::kNothing) {
        throw ModelAssertion(
            fmt::format("output port {} takes an arrival at the edge at which its node forms a "
                        "result beside it",
                        port_name(port)));
      }
      numbers_[p] = number(edge, control);
    }
    for (const auto& [port, control] : besides) drive(port, control);
    rtl_->clock();
    for (std::size_t i = 0; i < besides.size(); ++i) {
      const auto& [port, control] = besides[i];
      if (!pins.taken_valid_o.contains(port)) continue;
      beside[i] = {number(edge, control), words_.out(pins.taken_data_o[port].value),
                   pins.taken_data_o[port].terms};
    }
  }

  [[nodiscard]] RegisterWord register_word(Port port) const override {
    const VerilatedContextRouter::Pins& pins = rtl_->pins();
    if (!pins.out_valid_o.contains(port)) return {};
    return {numbers_[port], words_.out(pins.out_data_o[port].value), pins.out_data_o[port].terms};
  }

 private:
  /// Sets the adder of a port.
  void drive(Port port, const RegisterControl& control) {
    VerilatedContextRouter::Pins& pins = rtl_->pins();
    const RegisterSource source = control.source;
    if (source == RegisterSource::kNothing) return;
    if (source != RegisterSource::kOwn) pins.take_i.insert(port);
    if (source == RegisterSource::kArrivalAndPartner) pins.cross_i.insert(port);
    if (source == RegisterSource::kArrivalsAndOwn) pins.join_i.insert(port);
    if (control.own.terms == 0) return;
    pins.inject_valid_i.insert(port);
    pins.inject_data_i[port] = {words_.in(control.own.value), control.own.terms};
  }
  /// The number of the packet that the control gives; only of use with a valid word.
  [[nodiscard]] static PacketId number(const Edge<CombinedWord>& edge,
                                       const RegisterControl& control) {
    const PacketId arriving = edge.in(control.feed).packet;
    return control.source == RegisterSource::kOwn || arriving == kNoPacket ? control.own.packet
                                                                           : arriving;
  }

  ModelWords words_;
  std::unique_ptr<VerilatedContextRouter> rtl_;
  /// By output port, the number of the packet in its register.
  std::array<PacketId, kMaxPorts> numbers_{};
};

std::unique_ptr<systemc::ContextNode> make_verilated_node(
    const char* name, std::shared_ptr<const ContextSchedule> schedule, const Topology& topology,
    NodeId node) {
  return std::make_unique<VerilatedContextNode>(name, std::move(schedule), topology, node);
}

std::unique_ptr<Engine> make_contexts_rtl(const Plan& plan, const EngineOptions& options) {
  if (const std::size_t wirings = wirings_of(plan); wirings > kMaxContextWirings) {
    throw InfeasibleError(fmt::format(
        "the rtl engine supports contexts of up to {} wirings, the plan has {}; nearest feasible: "
        "--engine systemc",
        kMaxContextWirings, wirings));
  }
  EngineOptions as_built = options;
  as_built.arithmetic = ModelWords(options.arithmetic).arithmetic();
  return systemc::make_context_fabric_engine(plan, "rtl", make_verilated_node, as_built);
}

const ContextEngineRegistration kContextRegistration("rtl", make_contexts_rtl);

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_compose)
