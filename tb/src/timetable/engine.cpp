// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
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

using systemc::CombinedWord;

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
            const systemc::Edge<CombinedWord>& /*edge*/) override {
    arrivals.assign(came.begin(), came.end());
    sends.assign(goes.begin(), goes.end());
  }
};

/// Adders of several cycles, or packets: what all routers have in common.
struct LateTiming {
  StepPipeline pipeline;
  std::uint64_t steps;
  /// By ROM and input port.
  std::vector<std::array<std::uint32_t, kMaxPorts>> waits;
};

/// A Verilated router with rows at its pins. Slots and adders are in the RTL; words carry their
/// packet's number. Each word of a packet has slots of its own.
class RouterPins {
 public:
  RouterPins(const TimetableProgram& program, const ModelWords& words, bool late)
      : flits_(program.packet_words()),
        words_(words),
        router_(make_verilated_timetable_router(program.ports(), flits_ * program.slots(), words,
                                                late)),
        written_(program.slots(), false) {}

  void clear() {
    router_->clear();
    std::fill(written_.begin(), written_.end(), false);
    filled_ = 0;
  }
  VerilatedTimetableRouter::Pins& operator*() { return router_->pins(); }
  [[nodiscard]] bool error() const { return router_->pins().error_o; }
  /// Slots that were ever written.
  [[nodiscard]] std::uint64_t filled() const { return filled_; }

  /// No arrivals and sends.
  void idle() {
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    pins.read_i.fill(0);
    pins.with_i.fill(0);
    pins.write_i.fill(0);
    pins.inject_valid_i = pins.own_valid_i = pins.in_valid_i = pins.deliver_i = PortSet();
  }
  /// Word `flit` of a packet arrives.
  void arrive(const WordRows::Arrival& arrival, std::uint64_t flit = 0) {
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    pins.in_valid_i.insert(arrival.port);
    pins.in_data_i[arrival.port] = tagged(arrival.word);
    if (arrival.delivers) pins.deliver_i.insert(arrival.port);
    if (arrival.row == nullptr) return;
    const ArrivalRow& row = *arrival.row;
    if (row.with.is_slot()) pins.with_i[arrival.port] = field(row.with.index(), flit);
    if (arrival.own.packet != kNoPacket) {
      pins.own_valid_i.insert(arrival.port);
      pins.own_data_i[arrival.port] = tagged(arrival.own);
    }
    if (row.slot == ArrivalRow::kNoSlot) return;
    pins.write_i[arrival.port] = field(row.slot, flit);
    if (!written_[row.slot]) ++filled_;
    written_[row.slot] = true;
  }
  /// Word `flit` of a packet is sent in the coming step.
  void send(const WordRows::Send& send, std::uint64_t flit = 0) {
    VerilatedTimetableRouter::Pins& pins = router_->pins();
    if (!send.own) {
      pins.read_i[send.port] = field(send.slot, flit);
    } else if (send.word.packet != kNoPacket) {
      pins.inject_valid_i.insert(send.port);
      pins.inject_data_i[send.port] = tagged(send.word);
    }
  }
  /// One clock edge. Calls result(word) for each result, and drive(port, word) for each output.
  template <typename Result, typename Drive>
  void clock(Result result, Drive drive) {
    router_->clock();
    const VerilatedTimetableRouter::Pins& pins = router_->pins();
    for (const Port port : pins.result_valid_o) result(untagged(pins.result_data_o[port]));
    for (const Port port : pins.out_valid_o) drive(port, untagged(pins.out_data_o[port]));
  }

 private:
  [[nodiscard]] TaggedWord tagged(const CombinedWord& word) const {
    return {word.packet, words_.in(word.value), word.terms};
  }
  [[nodiscard]] CombinedWord untagged(const TaggedWord& word) const {
    return {word.tag, words_.out(word.value), word.terms};
  }
  /// 1 more than the slot of a word of the packets.
  [[nodiscard]] std::uint32_t field(std::uint32_t slot, std::uint64_t flit) const {
    return slot * flits_ + static_cast<std::uint32_t>(flit) + 1;
  }

  std::uint32_t flits_;
  ModelWords words_;
  std::unique_ptr<VerilatedTimetableRouter> router_;
  /// By slot: it holds a word.
  std::vector<bool> written_;
  std::uint64_t filled_ = 0;
};

/// The RTL's router with adders of no cycles.
class VerilatedTimetableModule final : public systemc::TimetableModule {
 public:
  VerilatedTimetableModule(const sc_core::sc_module_name& name, const Plan& plan,
                           const TimetableProgram& program, NodeId node, const ModelWords& words)
      : TimetableModule(name, plan, program, node, words.arithmetic()),
        router_(program, words, false) {}

  void clear() override {
    rewind();
    router_.clear();
    conflicts_ = 0;
  }
  [[nodiscard]] bool error() const override { return router_.error(); }
  /// Counted at the pins, like max_queue.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_ + ignored(); }
  [[nodiscard]] std::uint64_t max_queue() const override { return router_.filled(); }

 private:
  void step(std::span<const Arrival> arrivals, std::span<const Send> sends,
            const systemc::Edge<CombinedWord>& edge) override {
    router_.idle();
    std::vector<std::uint32_t> replaced;
    for (const Arrival& arrival : arrivals) {
      router_.arrive(arrival);
      const ArrivalRow* row = arrival.row;
      if (row == nullptr || row->slot == ArrivalRow::kNoSlot) continue;
      if (row->with == WordSource::slot(row->slot)) continue;
      if (std::find(replaced.begin(), replaced.end(), row->slot) != replaced.end()) ++conflicts_;
      replaced.push_back(row->slot);
    }
    for (const Send& send : sends) router_.send(send);
    router_.clock([&](const CombinedWord& word) { deliver(word); },
                  [&](Port port, const CombinedWord& word) { drive(edge, port, word); });
  }

  RouterPins router_;
  std::uint64_t conflicts_ = 0;
};

/// The RTL's router with adders of several cycles, or packets.
class VerilatedLateModule final : public systemc::CombiningModule {
 public:
  VerilatedLateModule(const sc_core::sc_module_name& name, const Plan& plan,
                      const TimetableProgram& program, NodeId node, const ModelWords& words,
                      std::shared_ptr<const LateTiming> timing)
      : CombiningModule(name),
        program_(program),
        node_(node),
        timing_(std::move(timing)),
        ports_(static_cast<std::size_t>(program.ports())),
        router_(program, words, true),
        arrivals_(ports_ + 1),
        driven_(ports_) {
    for (std::uint32_t flit = 0; flit < timing_->pipeline.flits; ++flit) {
      rows_.push_back(std::make_unique<WordRows>(fmt::format("word_{}", flit).c_str(), plan,
                                                 program, node, words.arithmetic(), flit));
    }
    for (std::size_t port = 0; port <= ports_; ++port) links_.push_back(static_cast<LinkId>(port));
    configure();
  }

  void clear() override {
    for (const auto& word : rows_) word->clear();
    router_.clear();
    configure();
    pending_.clear();
    results_.clear();
  }
  [[nodiscard]] bool error() const override { return router_.error(); }
  [[nodiscard]] std::uint64_t conflicts() const override { return 0; }
  [[nodiscard]] std::uint64_t max_queue() const override { return router_.filled(); }
  [[nodiscard]] std::span<const Result> results(std::uint64_t cycle) const override {
    return written_at_ == cycle ? std::span<const Result>(results_) : std::span<const Result>();
  }

  std::uint64_t clock(const systemc::Edge<CombinedWord>& edge) override {
    const std::uint64_t now = edge.cycle();
    const StepPipeline& pipeline = timing_->pipeline;
    router_.idle();
    if (now > 0) {
      const auto [step, flit] = pipeline.place(now - 1, timing_->steps);
      if (step <= timing_->steps && flit < pipeline.flits) {
        for (std::size_t port = 0; port < ports_; ++port) arrivals_[port] = edge.in(port);
        execute(flit, step, now + pipeline.step_cycles - 1);
      }
    }
    // Before the first step the words begin one after the other.
    if (now < pipeline.flits) execute(now, 0, now);
    std::erase_if(pending_, [&](const Pending& pending) {
      if (pending.edge != now) return false;
      router_.send(pending.send, pending.flit);
      return true;
    });
    results_.clear();
    written_at_ = now;
    router_.clock(
        [&](const CombinedWord& word) {
          const std::uint64_t flit =
              pipeline.place(now - 1 - pipeline.result_cycles, timing_->steps).flit;
          const PacketId number =
              program_.has_packets() ? word.packet * pipeline.flits + flit : word.packet;
          results_.push_back({node_, number, word.value, word.terms});
        },
        [&](Port port, const CombinedWord& word) { edge.drive(port, word); });
    return now < pipeline.cycles(timing_->steps) ? now + 1 : systemc::kUntilArrival;
  }

 private:
  /// A send, and the edge before which the word is read.
  struct Pending {
    std::uint64_t edge;
    std::uint64_t flit;
    WordRows::Send send;
  };

  /// The inputs that are constant.
  void configure() {
    (*router_).adder_cycles_i = program_.adder_cycles;
    (*router_).steps_wait_i = program_.has_packets();
    (*router_).waits_i = timing_->waits[program_.rom_of(node_)];
  }
  /// The arrivals of a word in a step, and its sends of the next one.
  void execute(std::uint64_t flit, std::uint64_t step, std::uint64_t sent) {
    WordRows& word = *rows_[flit];
    (void)word.clock(
        systemc::Edge<CombinedWord>(step, arrivals_.data(), links_.data(), driven_.data()));
    for (const WordRows::Send& send : word.sends) pending_.push_back({sent, flit, send});
    if (step == 0) return;
    for (const WordRows::Arrival& arrival : word.arrivals) router_.arrive(arrival, flit);
  }

  const TimetableProgram& program_;
  NodeId node_;
  std::shared_ptr<const LateTiming> timing_;
  std::size_t ports_;
  RouterPins router_;
  std::vector<std::unique_ptr<WordRows>> rows_;
  std::vector<Pending> pending_;
  std::uint64_t written_at_ = 0;
  std::vector<Result> results_;
  /// The ports of a word; one more than there are, which is always idle.
  std::vector<LinkId> links_;
  std::vector<CombinedWord> arrivals_;
  std::vector<CombinedWord> driven_;
};

std::unique_ptr<Engine> make_timetable(const Plan& plan, const EngineOptions& options) {
  const auto& program = plan.program.as<TimetableProgram>();
  const std::uint64_t slots = std::uint64_t{program.packet_words()} * program.slots();
  if (slots > kMaxTimetableRouterSlots) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports memories of up to {} slots, the timetable needs {}",
                    kMaxTimetableRouterSlots, slots));
  }
  if (program.is_late() && program.ports() > kMaxLateRouterPorts) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports adders of several cycles in routers of up to {} "
                    "ports, these have {}",
                    kMaxLateRouterPorts, program.ports()));
  }
  const ModelWords words(options.arithmetic);
  if (program.is_late()) {
    const auto timing = std::make_shared<const LateTiming>(LateTiming{
        program.pipeline(), program.last_arrival(plan.topology), program.waits_of_ports()});
    return systemc::make_combining_fabric_engine(
        plan, "rtl",
        [&](const char* name, NodeId node) {
          return std::make_unique<VerilatedLateModule>(name, plan, program, node, words, timing);
        },
        options, 0, timing->pipeline);
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
