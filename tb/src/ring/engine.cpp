// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/ring/router.hpp"
#include "gossamer/tb/ring/verilated_node.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

/// The node with its vector. The pins do not show the number of a word, which follows from the
/// addresses that the interface uses.
class VerilatedCombiningModule final : public systemc::CombiningModule {
 public:
  VerilatedCombiningModule(const sc_core::sc_module_name& name,
                           std::shared_ptr<const systemc::CombiningPlan> plan, NodeId node)
      : CombiningModule(name),
        plan_(std::move(plan)),
        node_(node),
        words_(plan_->arithmetic),
        frame_(plan_->program.frame()),
        pipeline_(plan_->program.pipeline()),
        wiring_(combining_wiring(plan_->topology, plan_->program, node)),
        rtl_(make_verilated_combining_node(plan_->combine, plan_->topology.ports(), frame_, wiring_,
                                           node, plan_->discovery.has_value(), words_,
                                           {pipeline_, plan_->program.adder_cycles})),
        about_(pipeline_.step_cycles),
        relayed_(wiring_.relays.size(), kNoPacket) {}

  void reset() override {
    rtl_->reset();
    clear();
  }
  void clear() override {
    rtl_->clear();
    vector_.clear();
    results_.clear();
    written_at_ = 0;
    error_ = false;
  }

  std::uint64_t clock(const systemc::Edge<systemc::CombinedWord>& edge) override {
    const std::uint64_t cycle = edge.cycle();
    if (cycle == 0 && plan_->keeps_vector) fill_vector();
    CombiningPins& pins = rtl_->pins();
    // A dead node begins no round.
    pins.start_i = cycle == 0 && plan_->topology.is_live(node_);
    unsigned valid = 0;
    for (int p = 0; p < plan_->topology.ports(); ++p) {
      const auto port = static_cast<std::size_t>(p);
      const systemc::CombinedWord& word = edge.in(port);
      pins.in_data_i[port] = {words_.in(word.value), word.terms};
      if (word.packet != kNoPacket) valid |= 1U << port;
    }
    pins.in_valid_i = PortSet(static_cast<std::uint16_t>(valid));
    // Addresses come from registers; written words depend on read words, and the first words of a
    // leg on written words.
    rtl_->settle();
    for (std::size_t l = 0; l < lanes(); ++l) {
      pins.operand_data_i[l] = own(l, pins.operand_address_o[l]);
    }
    rtl_->settle();
    error_ = error_ || pins.fault_o;
    write(cycle);
    if (pins.first_o) {
      for (std::size_t l = 0; l < lanes(); ++l) {
        pins.first_data_i[l] = own(l, pins.first_address_o[l]);
      }
      rtl_->settle();
    }
    // The word that an arrival becomes is on its link a step later, a leg's first word at once.
    if (pins.first_o || (cycle != 0 && cycle % frame_ == 0)) {
      about_.pop_front();
      about_.push_back(pieces(pins.operand_address_o));
      if (pins.first_o) about_.front() = pieces(pins.first_address_o);
    }
    pass_numbers(edge);
    rtl_->clock();
    drive(edge);
    return pins.busy_o ? cycle + 1 : systemc::kUntilArrival;
  }

  [[nodiscard]] std::uint64_t max_queue() const override {
    // An arrival waits for the end of its frame while a register waits for its slot.
    for (std::size_t l = 0; l < lanes(); ++l) {
      if (wiring_.in[l] && wiring_.out[l] && *wiring_.in[l] % frame_ < *wiring_.out[l] % frame_) {
        return 2;
      }
    }
    return 1;
  }
  [[nodiscard]] bool error() const override { return error_; }
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

 private:
  [[nodiscard]] std::size_t lanes() const { return wiring_.in.size(); }
  /// Words of the node's vector.
  [[nodiscard]] std::uint64_t words() const {
    return plan_->combine.words() * plan_->program.flits;
  }
  /// The packet of a word of the vector.
  [[nodiscard]] PacketId piece(std::size_t lane, std::uint32_t address) const {
    const std::uint32_t blocks = plan_->combine.blocks;
    const std::uint32_t packet = address / plan_->program.flits;
    return plan_->piece(lane, packet / blocks, packet % blocks);
  }
  /// The number of the word at an address.
  [[nodiscard]] PacketId number(std::size_t lane, std::uint32_t address) const {
    return piece(lane, address) * plan_->program.flits + address % plan_->program.flits;
  }
  using LanePackets = std::array<PacketId, kMaxPorts>;
  [[nodiscard]] LanePackets pieces(const std::array<std::uint32_t, kMaxPorts>& addresses) const {
    LanePackets packets{};
    for (std::size_t l = 0; l < lanes(); ++l) {
      packets[l] = addresses[l] < words() ? piece(l, addresses[l]) : kNoPacket;
    }
    return packets;
  }

  void fill_vector() {
    vector_.clear();
    for (PacketId at = 0; at < words(); ++at) vector_.push_back(contributed(at));
  }
  /// Empty at an address outside the vector, which belongs to an idle lane.
  [[nodiscard]] CountedWord own(std::size_t lane, std::uint32_t address) const {
    if (address >= words()) return {};
    const PacketId at = number(lane, address);
    return vector_.empty() ? contributed(at) : vector_[at];
  }
  [[nodiscard]] CountedWord contributed(PacketId at) const {
    const std::uint64_t value =
        words_.arithmetic().word(node_, at, words(), plan_->topology.nodes());
    return {words_.in(value), 1};
  }

  void write(std::uint64_t cycle) {
    const CombiningPins& pins = rtl_->pins();
    results_.clear();
    written_at_ = cycle;
    for (const Port lane : pins.write_valid_o) {
      if (pins.write_address_o[lane] >= words()) continue;
      const PacketId at = number(lane, pins.write_address_o[lane]);
      const CountedWord& word = pins.write_data_o[lane];
      if (!vector_.empty()) vector_[at] = word;
      results_.push_back({node_, at, words_.out(word.value), word.terms});
    }
  }

  /// Updates the numbers of the relays' contents after the coming edge.
  void pass_numbers(const systemc::Edge<systemc::CombinedWord>& edge) {
    const std::uint64_t slot = edge.cycle() == 0 ? 0 : (edge.cycle() - 1) % frame_;
    for (std::size_t i = 0; edge.cycle() != 0 && i < relayed_.size(); ++i) {
      const std::uint32_t in = wiring_.relays[i].second;
      if (in % frame_ == slot) relayed_[i] = edge.in(in / frame_).packet;
    }
  }

  void drive(const systemc::Edge<systemc::CombinedWord>& edge) {
    const CombiningPins& pins = rtl_->pins();
    const std::uint64_t slot = edge.cycle() % frame_;
    const auto send = [&](std::uint32_t column, PacketId number) {
      const std::size_t port = column / frame_;
      if (column % frame_ != slot || !pins.out_valid_o.contains(static_cast<Port>(port))) return;
      const CountedWord& word = pins.out_data_o[port];
      edge.drive(port, {number, words_.out(word.value), word.terms});
    };
    for (std::size_t l = 0; l < lanes(); ++l) {
      if (wiring_.out[l]) send(*wiring_.out[l], about_.front()[l]);
    }
    for (std::size_t i = 0; i < relayed_.size(); ++i) send(wiring_.relays[i].first, relayed_[i]);
  }

  std::shared_ptr<const systemc::CombiningPlan> plan_;
  NodeId node_;
  ModelWords words_;
  std::uint32_t frame_;
  StepPipeline pipeline_;
  CombiningWiring wiring_;
  std::unique_ptr<VerilatedCombiningNode> rtl_;
  /// The packets of the words between arrival and link, lane by lane, the ones on the links first;
  /// and of the one in each relay.
  std::deque<LanePackets> about_;
  std::vector<PacketId> relayed_;
  /// By number: the vector, if it is stored.
  std::vector<CountedWord> vector_;
  std::uint64_t written_at_ = 0;
  bool error_ = false;
  std::vector<Result> results_;
};

}  // namespace

namespace {

std::unique_ptr<Engine> make_ring(const Plan& plan, const EngineOptions& options) {
  if (const std::uint32_t frame = plan.program.as<RingProgram>().frame();
      frame > kMaxCombiningFrame) {
    throw InfeasibleError(fmt::format(
        "the rtl engine supports reductions in frames of up to {} slots, the plan has {}",
        kMaxCombiningFrame, frame));
  }
  const auto shared = std::make_shared<const systemc::CombiningPlan>(
      plan, ModelWords(options.arithmetic).arithmetic(), options.find_ranks);
  const StepPipeline pipeline = plan.program.as<RingProgram>().pipeline();
  if (pipeline.step_cycles > kMostModelStepCycles) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports steps of up to {} cycles, the plan's have {}",
                    kMostModelStepCycles, pipeline.step_cycles));
  }
  const auto make_node = [shared](const char* name, NodeId node) {
    return std::make_unique<VerilatedCombiningModule>(name, shared, node);
  };
  return systemc::make_combining_fabric_engine(plan, "rtl", make_node, options,
                                               shared->finding_cycles(), pipeline);
}

const EngineMakerRegistration kRegistration({.engine = "rtl",
                                             .machine = "ring",
                                             .make = make_ring});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_ring)
