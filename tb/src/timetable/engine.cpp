// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
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
                           const TimetableProgram& program, NodeId node, const ModelWords& words)
      : TimetableModule(name, plan, program, node, words.arithmetic()),
        words_(words),
        router_(make_verilated_timetable_router(program.ports(), program.slots(), words)),
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
  [[nodiscard]] TaggedWord tagged(const systemc::CombinedWord& word) const {
    return {word.packet, words_.in(word.value), word.terms};
  }
  [[nodiscard]] systemc::CombinedWord untagged(const TaggedWord& word) const {
    return {word.tag, words_.out(word.value), word.terms};
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

  ModelWords words_;
  std::unique_ptr<VerilatedTimetableRouter> router_;
  /// By slot: it holds a word.
  std::vector<bool> written_;
  std::uint64_t filled_ = 0;
  std::uint64_t conflicts_ = 0;
};

/// The rows of one word of the packets, step by step.
class WordRows final : public systemc::TimetableModule {
 public:
  WordRows(const sc_core::sc_module_name& name, const Plan& plan, const TimetableProgram& program,
           NodeId node, const Arithmetic& arithmetic, std::uint32_t flit)
      : TimetableModule(name, plan, program, node, arithmetic, flit) {}

  void clear() override { rewind(); }
  [[nodiscard]] std::uint64_t max_queue() const override { return 0; }

  using TimetableModule::Arrival;
  using TimetableModule::Send;
  std::vector<Arrival> arrivals;
  std::vector<Send> sends;

 private:
  void step(std::span<const Arrival> came, std::span<const Send> goes,
            const systemc::Edge<systemc::CombinedWord>& /*edge*/) override {
    arrivals.assign(came.begin(), came.end());
    sends.assign(goes.begin(), goes.end());
  }
};

/// The RTL's router with adders of several cycles. Each word of a packet has slots of its own.
class VerilatedLateModule final : public systemc::CombiningModule {
 public:
  VerilatedLateModule(const sc_core::sc_module_name& name, const Plan& plan,
                      const TimetableProgram& program, NodeId node, const ModelWords& words,
                      std::uint64_t steps)
      : CombiningModule(name),
        program_(program),
        node_(node),
        pipeline_(program.pipeline()),
        steps_(steps),
        ports_(static_cast<std::size_t>(program.ports())),
        words_(words),
        router_(make_verilated_timetable_router(program.ports(), pipeline_.flits * program.slots(),
                                                words, true)),
        written_(program.slots(), false),
        arrivals_(ports_ + 1),
        driven_(ports_) {
    for (std::uint32_t flit = 0; flit < pipeline_.flits; ++flit) {
      rows_.push_back(std::make_unique<WordRows>(fmt::format("word_{}", flit).c_str(), plan,
                                                 program, node, words.arithmetic(), flit));
    }
    for (std::size_t port = 0; port <= ports_; ++port) links_.push_back(static_cast<LinkId>(port));
    const auto additions = program.additions_of_ports(program.rom_of(node));
    const std::uint32_t most = program.additions_in_series();
    for (std::size_t port = 0; port < ports_; ++port) {
      const auto own = static_cast<std::uint32_t>(std::bit_width(additions[port]));
      waits_[port] = program.has_packets() ? most : std::max(own, 1U) - 1;
    }
  }

  void clear() override {
    for (const auto& word : rows_) word->clear();
    router_->clear();
    pending_.clear();
    results_.clear();
    std::fill(written_.begin(), written_.end(), false);
    filled_ = 0;
  }
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  [[nodiscard]] std::uint64_t conflicts() const override { return 0; }
  [[nodiscard]] std::uint64_t max_queue() const override { return filled_; }
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

  std::uint64_t clock(const systemc::Edge<systemc::CombinedWord>& edge) override {
    const std::uint64_t now = edge.cycle();
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    pins.read_i.fill(0);
    pins.with_i.fill(0);
    pins.write_i.fill(0);
    pins.inject_valid_i = pins.own_valid_i = pins.in_valid_i = pins.deliver_i = PortSet();
    pins.adder_cycles_i = program_.adder_cycles;
    pins.steps_wait_i = program_.has_packets();
    pins.waits_i = waits_;
    if (now > 0) {
      const auto [step, flit] = pipeline_.place(now - 1, steps_);
      if (step <= steps_ && flit < pipeline_.flits) {
        for (std::size_t port = 0; port < ports_; ++port) arrivals_[port] = edge.in(port);
        execute(flit, step, now + pipeline_.step_cycles - 1);
      }
    }
    // Before the first step the words begin one after the other.
    if (now < pipeline_.flits) execute(now, 0, now);
    send(now);
    router_->clock();
    results_.clear();
    written_at_ = now;
    for (const Port port : pins.result_valid_o) {
      const systemc::CombinedWord word = untagged(pins.result_data_o[port]);
      const std::uint64_t flit = pipeline_.place(now - 1 - pipeline_.result_cycles, steps_).flit;
      const PacketId number =
          program_.has_packets() ? word.packet * pipeline_.flits + flit : word.packet;
      results_.push_back({node_, number, word.value, word.terms});
    }
    for (const Port port : pins.out_valid_o) edge.drive(port, untagged(pins.out_data_o[port]));
    return now < pipeline_.cycles(steps_) ? now + 1 : systemc::kUntilArrival;
  }

 private:
  /// A send, and the edge before which the word is read.
  struct Pending {
    std::uint64_t edge;
    std::uint64_t flit;
    WordRows::Send send;
  };

  [[nodiscard]] TaggedWord tagged(const systemc::CombinedWord& word) const {
    return {word.packet, words_.in(word.value), word.terms};
  }
  [[nodiscard]] systemc::CombinedWord untagged(const TaggedWord& word) const {
    return {word.tag, words_.out(word.value), word.terms};
  }
  /// 1 more than the slot of a word of the packets.
  [[nodiscard]] std::uint32_t field(std::uint32_t slot, std::uint64_t flit) const {
    return slot * pipeline_.flits + static_cast<std::uint32_t>(flit) + 1;
  }

  /// The arrivals of a word in a step, and its sends of the next one.
  void execute(std::uint64_t flit, std::uint64_t step, std::uint64_t sent) {
    WordRows& word = *rows_[flit];
    (void)word.clock(systemc::Edge<systemc::CombinedWord>(step, arrivals_.data(), links_.data(),
                                                          driven_.data()));
    for (const WordRows::Send& send : word.sends) pending_.push_back({sent, flit, send});
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    if (step == 0) return;
    for (const WordRows::Arrival& arrival : word.arrivals) {
      pins.in_valid_i.insert(arrival.port);
      pins.in_data_i[arrival.port] = tagged(arrival.word);
      if (arrival.delivers) pins.deliver_i.insert(arrival.port);
      if (arrival.row == nullptr) continue;
      const ArrivalRow& row = *arrival.row;
      if (row.with.is_slot()) pins.with_i[arrival.port] = field(row.with.index(), flit);
      if (arrival.own.packet != kNoPacket) {
        pins.own_valid_i.insert(arrival.port);
        pins.own_data_i[arrival.port] = tagged(arrival.own);
      }
      if (row.slot == ArrivalRow::kNoSlot) continue;
      pins.write_i[arrival.port] = field(row.slot, flit);
      if (flit == 0 && !written_[row.slot]) ++filled_;
      if (flit == 0) written_[row.slot] = true;
    }
  }
  void send(std::uint64_t now) {
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    std::erase_if(pending_, [&](const Pending& pending) {
      if (pending.edge != now) return false;
      const WordRows::Send& send = pending.send;
      if (!send.own) {
        pins.read_i[send.port] = field(send.slot, pending.flit);
      } else if (send.word.packet != kNoPacket) {
        pins.inject_valid_i.insert(send.port);
        pins.inject_data_i[send.port] = tagged(send.word);
      }
      return true;
    });
  }

  const TimetableProgram& program_;
  NodeId node_;
  StepPipeline pipeline_;
  std::uint64_t steps_;
  std::size_t ports_;
  ModelWords words_;
  std::unique_ptr<VerilatedTimetableRouter> router_;
  std::vector<std::unique_ptr<WordRows>> rows_;
  std::array<std::uint32_t, kMaxPorts> waits_{};
  std::vector<Pending> pending_;
  /// By slot: it holds a word.
  std::vector<bool> written_;
  std::uint64_t filled_ = 0;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
  /// The ports of a word; one more than there are, which is always idle.
  std::vector<LinkId> links_;
  std::vector<systemc::CombinedWord> arrivals_;
  std::vector<systemc::CombinedWord> driven_;
};

}  // namespace

namespace {

std::unique_ptr<Engine> make_timetable(const Plan& plan, const EngineOptions& options) {
  const auto& program = plan.program.as<TimetableProgram>();
  const std::uint64_t banks = program.has_packets() ? program.flits : 1;
  if (banks * program.slots() > kMaxTimetableRouterSlots) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports memories of up to {} slots, the timetable needs {}",
                    kMaxTimetableRouterSlots, banks * program.slots()));
  }
  const ModelWords words(options.arithmetic);
  if (program.adder_cycles != 0 || program.has_packets()) {
    const StepPipeline pipeline = program.pipeline();
    const std::uint64_t steps = program.last_arrival(plan.topology);
    return systemc::make_combining_fabric_engine(
        plan, "rtl",
        [&](const char* name, NodeId node) {
          return std::make_unique<VerilatedLateModule>(name, plan, program, node, words, steps);
        },
        options, 0, pipeline);
  }
  const auto make_node = [&plan, &program, words](const char* name, NodeId node) {
    return std::make_unique<VerilatedTimetableModule>(name, plan, program, node, words);
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
