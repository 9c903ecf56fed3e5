// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/stretched_engine.hpp"
#include "gossamer/systemc/timetable/router.hpp"
#include "gossamer/tb/timetable/verilated_router.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

/// The RTL's router with its rows at the pins. Slots and adders are in the RTL; words carry their
/// packet's number.
class VerilatedTimetableModule final : public systemc::TimetableModule {
 public:
  VerilatedTimetableModule(const sc_core::sc_module_name& name, const Plan& plan,
                           const TimetableProgram& program, NodeId node)
      : TimetableModule(name, plan, program, node),
        router_(make_verilated_timetable_router(program.ports(), program.slots())),
        written_(program.slots(), false) {}

  void clear() override {
    rewind();
    router_->clear();
    std::fill(written_.begin(), written_.end(), false);
    filled_ = 0;
    conflicts_ = 0;
  }
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  /// Counted at the pins, like max_queue.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_ + ignored(); }
  [[nodiscard]] std::uint64_t max_queue() const override { return filled_; }

 private:
  static TaggedWord tagged(const systemc::CombinedWord& word) {
    return {word.packet, word.value, word.terms};
  }
  static systemc::CombinedWord untagged(const TaggedWord& word) {
    return {word.tag, word.value, word.terms};
  }

  void step(std::span<const Arrival> arrivals, std::span<const Send> sends,
            const systemc::Edge<systemc::CombinedWord>& edge) override {
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    pins.read_i.fill(0);
    pins.with_i.fill(0);
    pins.write_i.fill(0);
    pins.inject_valid_i = pins.own_valid_i = pins.in_valid_i = PortSet();
    std::vector<std::uint32_t> replaced;
    for (const Arrival& arrival : arrivals) {
      pins.in_valid_i.insert(arrival.port);
      pins.in_data_i[arrival.port] = tagged(arrival.word);
      if (arrival.row == nullptr) continue;
      const ArrivalRow& row = *arrival.row;
      if (row.with.is_slot()) pins.with_i[arrival.port] = row.with.index() + 1;
      if (arrival.own.packet != kNoPacket) {
        pins.own_valid_i.insert(arrival.port);
        pins.own_data_i[arrival.port] = tagged(arrival.own);
      }
      if (row.slot == ArrivalRow::kNoSlot) continue;
      pins.write_i[arrival.port] = row.slot + 1;
      if (!written_[row.slot]) ++filled_;
      written_[row.slot] = true;
      if (row.with == WordSource::slot(row.slot)) continue;
      if (std::find(replaced.begin(), replaced.end(), row.slot) != replaced.end()) ++conflicts_;
      replaced.push_back(row.slot);
    }
    for (const Send& send : sends) {
      if (!send.own) {
        pins.read_i[send.port] = send.slot + 1;
      } else if (send.word.packet != kNoPacket) {
        pins.inject_valid_i.insert(send.port);
        pins.inject_data_i[send.port] = tagged(send.word);
      }
    }
    router_->clock();
    for (const Arrival& arrival : arrivals) {
      if (arrival.delivers) deliver(untagged(pins.result_data_o[arrival.port]));
    }
    for (const Port port : pins.out_valid_o) drive(edge, port, untagged(pins.out_data_o[port]));
  }

  std::unique_ptr<VerilatedTimetableRouter> router_;
  /// By slot: it holds a word.
  std::vector<bool> written_;
  std::uint64_t filled_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace

namespace {

std::unique_ptr<Engine> make_timetable(const Plan& plan, const EngineOptions& options) {
  const auto& program = plan.program.as<TimetableProgram>();
  if (program.slots() > kMaxTimetableRouterSlots) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports memories of up to {} slots, the timetable needs {}",
                    kMaxTimetableRouterSlots, program.slots()));
  }
  const auto make_node = [&plan, &program](const char* name, NodeId node) {
    return std::make_unique<VerilatedTimetableModule>(name, plan, program, node);
  };
  return stretched(systemc::make_combining_fabric_engine(plan, "rtl", make_node, options),
                   program.flits);
}

const EngineMakerRegistration kRegistration({.engine = "rtl",
                                             .machine = "timetable",
                                             .make = make_timetable});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_timetable)
