// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "document.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/machines/queued/rules.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/linker_name.hpp"
#include "gossamer/util/words.hpp"
#include "proof.hpp"
#include "report.hpp"

namespace gossamer {

namespace {

class QueuedMachine final : public MachineDefaults {
 public:
  QueuedMachine()
      : MachineDefaults({.name = "queued",
                         .summary = "routers decide by rule, and queue waiting packets",
                         .proof = "phases; queues of an exchange replayed",
                         .formats = "sv sv-stream arrivals systemc fusesoc"}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    return read_queued(source);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    write_queued(told(program), out);
  }
  [[nodiscard]] bool reads_older(std::string_view discipline,
                                 const Document& document) const override {
    const auto moves = document.tables.find("program/moves");
    return discipline == "queued" && (moves == document.tables.end() || moves->second.rows == 0);
  }
  void upgrade_version_1(Document& document) const override { upgrade_queued(document); }
  void check(const Plan& plan, const std::string& place) const override {
    check_queued(plan.topology, place);
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    const QueuedProgram& program = told(plan);
    return {{"flits", std::int64_t{program.clock.flits}},
            {"prefix-flits", std::int64_t{program.clock.prefix_flits}},
            {"rule", std::string(program.rule == ExchangeRule::kPaper ? "paper" : "balanced")}};
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const QueuedProgram& program = told(plan);
    return {.breaks = LinkBreaks::kForGood,
            .garbage = false,
            .folds = true,
            .unit_cycles = program.clock.flits,
            .own_flits = RunFacts::OwnFlits{program.clock.flits, program.substep_flits()},
            .whole_messages = true};
  }
  [[nodiscard]] ArrivalRule arrivals(const Plan& plan) const override;
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& /*options*/) const override {
    return make_queued_engine(plan);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& progress) const override {
    Verdict verdict = prove_queued(plan, progress);
    if (verdict.steps) verdict.cycles = told(plan).cycles(*verdict.steps, plan.demand);
    return verdict;
  }
  [[nodiscard]] std::shared_ptr<const ReportPart> report_part(const Plan& plan) const override {
    return queued_report_part(plan);
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override;
  [[nodiscard]] std::string no_format(const Plan& plan, std::string_view format) const override {
    return has_word("sv-stream systemc", format) && plan.demand.is_counts()
               ? "does not support counts"
               : "";
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    if (format == "systemc") return MachineDefaults::emit(plan, format);
    return emit_detail::emit_queued_sv(plan, format == "sv-stream");
  }

 private:
  static const QueuedProgram& told(const Program& program) {
    return dynamic_cast<const QueuedProgram&>(program);
  }
  static const QueuedProgram& told(const Plan& plan) { return plan.program.as<QueuedProgram>(); }
};

ArrivalRule QueuedMachine::arrivals(const Plan& plan) const {
  const QueuedProgram& program = told(plan);
  ArrivalRule rule;
  const std::uint64_t each = plan.demand.pieces;
  for (const DemandSource& source : plan.demand.sources_in(plan.topology)) {
    const std::size_t rank = rule.class_of_piece.size() / each;
    for (std::uint64_t c = 0; c < each; ++c) {
      rule.class_of_piece.push_back(static_cast<std::uint8_t>(
          program.class_rule == QueuedClassRule::kSplit
              ? c / program.halves % program.classes
              // Sources are in ascending order: their index is the rank.
              : static_cast<std::uint64_t>(class_of_source(plan.topology, program, source.node,
                                                           static_cast<std::uint32_t>(rank)))));
    }
  }
  rule.first_step.assign(program.classes, kNoStepLimit);
  for (const QueuedPhase& phase : program.phases) {
    if (phase.kind != QueuedPhaseKind::kBroadcast) continue;
    std::uint64_t& first = rule.first_step[phase.class_index];
    first = std::min(first, phase.start);
  }
  return rule;
}

/// A router stores the start, dimension and rule of each phase.
RouterCost QueuedMachine::cost(const Plan& plan) const {
  const QueuedProgram& program = told(plan);
  const auto bits_for = [](std::uint64_t values) {
    return static_cast<std::uint64_t>(std::bit_width(values - 1));
  };
  std::uint64_t dimensions = 1;
  for (const QueuedPhase& phase : program.phases) {
    dimensions = std::max<std::uint64_t>(dimensions, std::uint64_t{phase.dimension} + 1);
  }
  constexpr std::uint64_t kinds = static_cast<std::uint64_t>(QueuedPhaseKind::kExchange) + 1;
  return {.table_bits = program.phases.size() * (bits_for(program.last_step(plan.demand) + 1) +
                                                 bits_for(dimensions) + bits_for(kinds)),
          .packets = static_cast<std::uint64_t>(plan.topology.ports()) * plan.expected.queue_depth};
}

const QueuedMachine kMachine;
const MachineRegistration kRegistration(kMachine);

}  // namespace

const Machine& QueuedProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_queued)
