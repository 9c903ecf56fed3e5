// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/rtl_timetable_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/hardware/tree_timetable.hpp"
#include "gossamer/systemc/timetable_router.hpp"
#include "gossamer/tb/verilated_timetable_router.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::tb {

namespace {

/// The RTL's router with its rows at the pins; memory and adder are the RTL's, words carry their
/// packet's number.
class VerilatedTimetableModule final : public systemc::TimetableModule {
 public:
  VerilatedTimetableModule(const sc_core::sc_module_name& name,
                           std::shared_ptr<const std::vector<systemc::NodeTimetable>> tables,
                           NodeId node, int ports, std::uint32_t slots, bool vector)
      : TimetableModule(name, std::move(tables), node),
        vector_(vector),
        router_(make_verilated_timetable_router(ports, slots)),
        written_(slots, false) {}

  void clear() override {
    rewind();
    router_->clear();
    std::fill(written_.begin(), written_.end(), false);
    filled_ = 0;
    conflicts_ = 0;
    for (std::uint32_t slot = 0; slot < table().own.size(); ++slot) {
      const systemc::CombinedWord& word = table().own[slot];
      if (word.packet == kNoPacket) continue;
      router_->load(slot, {word.packet, word.value, word.terms});
      note_write(slot);
    }
  }
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  /// Counted from the pins, as max_queue.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_; }
  /// Of trees as their other engines count: slots are the node's vector, and no queue.
  [[nodiscard]] std::uint64_t max_queue() const override { return vector_ ? 1 : filled_; }

 private:
  void step(std::span<const Arrival> arrivals, std::span<const systemc::NodeTimetable::Send> sends,
            const systemc::Edge<systemc::CombinedWord>& edge) override {
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    pins.read_i.fill(0);
    pins.write_i.fill(0);
    unsigned valid = 0;
    unsigned adds = 0;
    unsigned hands = 0;
    std::vector<std::uint32_t> stored;
    for (const Arrival& arrival : arrivals) {
      const systemc::NodeTimetable::Take& take = *arrival.take;
      const unsigned bit = 1U << take.in_port;
      valid |= bit;
      if (take.adds) adds |= bit;
      if (take.hands_over) hands |= bit;
      pins.in_data_i[take.in_port] = {arrival.word.packet, arrival.word.value, arrival.word.terms};
      if (!take.slot) continue;
      pins.write_i[take.in_port] = *take.slot + 1;
      note_write(*take.slot);
      if (take.adds) continue;
      if (std::find(stored.begin(), stored.end(), *take.slot) != stored.end()) ++conflicts_;
      stored.push_back(*take.slot);
    }
    pins.in_valid_i = PortSet(static_cast<std::uint16_t>(valid));
    pins.add_i = PortSet(static_cast<std::uint16_t>(adds));
    pins.hand_over_i = PortSet(static_cast<std::uint16_t>(hands));
    for (const auto& send : sends) pins.read_i[send.out_port] = send.slot + 1;
    router_->clock();
    const auto word_of = [](const TaggedWord& word) -> systemc::CombinedWord {
      return {word.tag, word.value, word.terms};
    };
    for (const Port port : pins.handed_valid_o) hand_over(word_of(pins.handed_data_o[port]));
    for (const Port port : pins.out_valid_o) edge.drive(port, word_of(pins.out_data_o[port]));
  }
  void note_write(std::uint32_t slot) {
    if (!written_[slot]) ++filled_;
    written_[slot] = true;
  }

  bool vector_;
  std::unique_ptr<VerilatedTimetableRouter> router_;
  /// By slot: it holds a word.
  std::vector<bool> written_;
  std::uint64_t filled_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_rtl_timetable_engine(const Plan& plan, const std::string& wave_file) {
  const bool trees = std::holds_alternative<TreeProgram>(plan.program);
  Plan told = plan;
  if (trees) told.program = timetable_of_trees(plan);
  const std::uint32_t slots = std::get<TimetableProgram>(told.program).slots();
  if (slots > kMaxTimetableRouterSlots) {
    throw InfeasibleError(
        fmt::format("the rtl engine has memories of up to {} slots, the timetable needs {}",
                    kMaxTimetableRouterSlots, slots));
  }
  const auto make_node = [slots, trees, ports = plan.topology.ports(),
                          tables = std::make_shared<const std::vector<systemc::NodeTimetable>>(
                              systemc::node_timetables(told))](const char* name, NodeId node) {
    return std::make_unique<VerilatedTimetableModule>(name, tables, node, ports, slots, trees);
  };
  return systemc::make_combining_fabric_engine(plan, "rtl", make_node, {.wave_file = wave_file});
}

}  // namespace gossamer::tb
