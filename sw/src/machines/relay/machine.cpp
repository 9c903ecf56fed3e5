// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "document.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/machines/relay/cost.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/linker_name.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

/// `longest_hops` to `table_bits_all` of a report.
class RelayPart final : public ReportPart {
 public:
  explicit RelayPart(const RelayHardware& hardware) : hardware_(hardware) {}

  void add_json(const Report& report, nlohmann::ordered_json& json) const override {
    json["longest_hops"] = report.longest_hops;
    json["header_bits"] = hardware_.header_bits;
    json["table_bits"] = hardware_.most_table_bits;
    json["table_bits_all"] = hardware_.table_bits;
  }
  void add_measured(const Report& /*report*/, ReportTable& table) const override {
    table.number("header bits", hardware_.header_bits);
    table.text("table bits",
               fmt::format("at most {} per node, {} in total", grouped(hardware_.most_table_bits),
                           grouped(hardware_.table_bits)));
  }

 private:
  RelayHardware hardware_;
};

class RelayMachine final : public MachineDefaults {
 public:
  RelayMachine()
      : MachineDefaults(
            {.name = "relay",
             .summary = "nodes forward a message; routers use cut-through",
             .proof = "every send; of sums with the set of contributors",
             .formats = "sv sv-stream csv json arrivals dot systemc fusesoc msccl-xml chakra-et"}) {
  }

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    return read_relay(source);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    write_relay(told(program), out);
  }
  void upgrade_version_1(Document& document) const override { upgrade_relay(document); }
  void check(const Plan& plan, const std::string& place) const override {
    check_relay(plan.topology, plan.demand, place);
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    const MessageClock& clock = told(plan).clock;
    std::map<std::string, ParameterValue> parameters = {
        {"flits", std::int64_t{clock.flits}},
        {"hop-cycles", std::int64_t{clock.hop_cycles}},
        {"relay-cycles", std::int64_t{clock.relay_cycles}},
        {"timing", std::string(clock.timing == MessageTiming::kSelf ? "self" : "step")}};
    if (const std::uint32_t adder = told(plan).adder_cycles; adder != 0) {
      parameters["adder-cycles"] = std::int64_t{adder};
    }
    return parameters;
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const std::uint64_t flits = told(plan).clock.flits;
    return {.trace = plan.demand.combines() ? TraceForm::kTerms : TraceForm::kSteps,
            .breaks = LinkBreaks::kBeforeRun,
            .garbage = false,
            .own_flits = RunFacts::OwnFlits{flits, flits},
            .buffer_accesses = 0,
            .has_paths = true,
            .words_per_piece = plan.demand.combines() ? flits : 1};
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& options) const override {
    return make_relay_engine(plan, options.arithmetic);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& /*progress*/) const override {
    return prove_relay(plan);
  }
  [[nodiscard]] std::shared_ptr<const ReportPart> report_part(const Plan& plan) const override {
    return std::make_shared<RelayPart>(relay_hardware(plan));
  }

  [[nodiscard]] std::uint64_t additions(const Plan& plan) const override {
    // Every message is added to its receiver's own.
    std::uint64_t messages = 0;
    for (std::uint32_t step = 1; step <= told(plan).adding_steps; ++step) {
      messages += told(plan).sends(step).size();
    }
    return messages;
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    // A message on its way is in registers along the wire, then in those of the adder; a node's
    // memory has the whole one.
    const RelayHardware hardware = relay_hardware(plan);
    return {.table_bits = hardware.most_table_bits,
            .table_bits_all = hardware.table_bits,
            .header_bits = hardware.header_bits,
            .packets = 1,
            .flits = static_cast<std::uint64_t>(plan.topology.ports()) + told(plan).adder_cycles};
  }
  [[nodiscard]] std::string no_format(const Plan& plan, std::string_view format) const override {
    if (!plan.demand.combines() || has_word("sv sv-stream csv arrivals systemc fusesoc", format)) {
      return {};
    }
    return "does not support relayed sums";
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    using namespace emit_detail;
    if (format == "csv") return emit_relay_csv(plan);
    if (format == "json") return emit_relay_json(plan);
    if (format == "dot") return emit_relay_dot(plan);
    if (format == "systemc") return MachineDefaults::emit(plan, format);
    return emit_relay_sv(plan, format == "sv-stream");
  }
  [[nodiscard]] std::optional<MessageSends> message_sends(const Plan& plan) const override {
    const RelayProgram& program = told(plan);
    MessageSends sends;
    sends.one_port = program.ports == RelayPorts::kOnePort;
    for (std::uint32_t step = 1; step <= program.steps(); ++step) {
      for (const RelaySend& send : program.sends(step)) {
        const RelayPath& path = program.path(send);
        sends.sends.push_back(
            {step, send.from, path_end(plan.topology, send.from, path), path.front().port});
      }
    }
    return sends;
  }

 private:
  static const RelayProgram& told(const Program& program) {
    return dynamic_cast<const RelayProgram&>(program);
  }
  static const RelayProgram& told(const Plan& plan) { return plan.program.as<RelayProgram>(); }
};

const RelayMachine kMachine;
const MachineRegistration kRegistration(kMachine);

}  // namespace

const Machine& RelayProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_relay)
