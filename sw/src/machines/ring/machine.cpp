// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "additions.hpp"
#include "document.hpp"
#include "embedded.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/plan/combination_io.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

class RingMachine final : public MachineDefaults {
 public:
  RingMachine()
      : MachineDefaults({.name = "ring",
                         .summary = "registers combine words along rings and lines",
                         .proof = "one router for all, as intervals of ranks",
                         .formats = "sv sv-rank arrivals systemc fusesoc msccl-xml chakra-et",
                         .embeds = true,
                         .moves = true}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    return read_ring(source);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    write_ring(told(program), out);
  }
  [[nodiscard]] bool reads_older(std::string_view discipline,
                                 const Document& document) const override {
    const auto& program = document.root.at("program");
    return discipline == "stream" && program.contains("combine") && !program.contains("elastic");
  }
  void check(const Plan& plan, const std::string& place) const override {
    check_combination(told(plan).combine, plan.topology, plan.demand, place);
    const std::string defect = told(plan).packet_defect();
    if (!defect.empty()) throw InputError(fmt::format("{}: {}", place, defect));
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    const RingProgram& program = told(plan);
    if (!program.has_packets()) return {};
    return {{"flits", std::int64_t{program.flits}},
            {"adder-cycles", std::int64_t{program.adder_cycles}}};
  }
  [[nodiscard]] EmbeddedProgram embedded(const Program& program,
                                         const Embedding& embedding) const override {
    return embedded_ring(told(program), embedding);
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const RingProgram& program = told(plan);
    RunFacts facts{.settled_after = program.combine.steps() * program.frame() + 1,
                   .trace = TraceForm::kTerms,
                   .buffer_accesses = plan.expected.queue_depth > 1 ? 2U : 0U};
    if (program.has_packets()) {
      facts.pipeline = program.pipeline();
      facts.flits_per_piece = facts.words_per_piece = program.flits;
      facts.own_flits = RunFacts::OwnFlits{program.flits, program.flits};
    }
    if (program.combine.deal == Deal::kRounds) {
      facts.rounds = {program.combine.parts, static_cast<std::uint32_t>(program.combine.cycles())};
    }
    return facts;
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& options) const override {
    return make_ring_engine(plan.topology, told(plan), options.arithmetic);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& /*progress*/) const override {
    Verdict verdict = prove_ring(plan, told(plan));
    if (verdict.steps) verdict.cycles = told(plan).pipeline().cycles(*verdict.steps);
    compare_with_promises(plan, verdict);
    return verdict;
  }

  [[nodiscard]] std::uint64_t additions(const Plan& plan) const override {
    return ring_additions(plan.topology, told(plan));
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    const RingProgram& program = told(plan);
    // With packets, the words between arrival and link, in adders and after them.
    const std::uint64_t ports = static_cast<std::uint64_t>(program.ports());
    RouterCost cost{.packets = ports * plan.expected.queue_depth};
    if (program.has_packets()) cost.flits = ports * program.pipeline().step_cycles;
    return cost;
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    if (format == "systemc") return MachineDefaults::emit(plan, format);
    return format == "sv-rank" ? emit_detail::emit_sv_rank(plan) : emit_detail::emit_ring_sv(plan);
  }

 private:
  static const RingProgram& told(const Program& program) {
    return dynamic_cast<const RingProgram&>(program);
  }
  static const RingProgram& told(const Plan& plan) { return plan.program.as<RingProgram>(); }
};

const RingMachine kMachine;
const MachineRegistration kRegistration(kMachine);

}  // namespace

const Machine& RingProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_ring)
