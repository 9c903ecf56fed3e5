// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "document.hpp"
#include "embedded.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/plan/spans_groups.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/linker_name.hpp"
#include "gossamer/util/words.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

class TimetableMachine final : public MachineDefaults, public SpansGroups {
 public:
  TimetableMachine()
      : MachineDefaults(
            {.name = "timetable",
             .summary = "routers execute a ROM, one row per step, on memory slots",
             .proof =
                 "one router for all or per class, every router, or one period of every router",
             .formats = "sv sv-stream memh csv json arrivals systemc fusesoc msccl-xml chakra-et",
             .embeds = true,
             .unequal_links = true}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    return source.discipline.empty() ? read_timetable(source) : read_older_timetable(source);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    write_timetable(told(program), out);
  }
  [[nodiscard]] std::span<const std::string_view> tables() const override {
    static constexpr std::array kTables{kProgramTablePath, kClassesTablePath, kMovesTablePath};
    return kTables;
  }
  [[nodiscard]] bool reads_older(std::string_view discipline,
                                 const Document& document) const override {
    return is_older_timetable(discipline, document);
  }
  void upgrade_version_1(Document& document) const override { upgrade_timetable(document); }
  void complete_older(Plan& plan) const override {
    // Trees and lists of moves did not count the words in memory.
    plan.expected.queue_depth = std::max(plan.expected.queue_depth, told(plan).slots());
  }
  void check(const Plan& plan, const std::string& place) const override {
    check_timetable(told(plan), plan.topology, plan.demand, place);
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    const TimetableProgram& program = told(plan);
    if (program.is_late()) {
      return {{"flits", std::int64_t{program.flits}},
              {"adder-cycles", std::int64_t{program.adder_cycles}}};
    }
    if (plan.demand != Demand::all_gather(plan.demand.pieces)) return {};
    return {{"packets", static_cast<std::int64_t>(plan.demand.pieces)}};
  }
  [[nodiscard]] EmbeddedProgram embedded(const Program& program,
                                         const Embedding& embedding) const override {
    return embedded_timetable(told(program), embedding);
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const TimetableProgram& program = told(plan);
    RunFacts facts;
    // The results of the last step are shown in the one after it.
    facts.settled_after = program.last_arrival(plan.topology) + 1;
    if (plan.demand.combines()) facts.trace = TraceForm::kTerms;
    facts.hands_over = program.delivery() != DeliveryRule::kAll;
    facts.folds = true;
    facts.waits_in_memory = true;
    if (plan.demand.to == Destination::kEachSource) {
      facts.unit_cycles = program.flits;
      facts.own_flits = RunFacts::OwnFlits{program.flits, program.flits};
    }
    if (program.has_packets()) {
      facts.pipeline = program.pipeline();
      facts.flits_per_piece = facts.words_per_piece = program.flits;
      facts.own_flits = RunFacts::OwnFlits{program.flits, program.flits};
      facts.folds = false;
      const auto& first = program.repetition().first_done;
      const bool equal = std::all_of(first.begin(), first.end(),
                                     [&](std::uint32_t step) { return step == first.front(); });
      // Each sequence has every n-th element, as it has with packets of one word.
      if (program.repeats() && equal && plan.demand.to != Destination::kOwner) {
        facts.rounds = {static_cast<std::uint32_t>(plan.demand.pieces), program.own()};
      }
    }
    return facts;
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& options) const override {
    return make_timetable_engine(plan, told(plan), options.arithmetic);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& /*progress*/) const override {
    Verdict verdict = prove_timetable(plan, told(plan), step_limit(plan));
    const TimetableProgram& program = told(plan);
    if (verdict.steps) {
      verdict.cycles = program.has_packets() ? program.pipeline().cycles(*verdict.steps)
                                             : *verdict.steps * program.flits;
    }
    compare_with_promises(plan, verdict);
    return verdict;
  }

  [[nodiscard]] std::uint64_t additions(const Plan& plan) const override {
    return gossamer::additions(told(plan), plan.topology, plan.demand);
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    const TimetableProgram& program = told(plan);
    using namespace emit_detail;
    const std::uint64_t bits = rom_format(plan, element_side(plan)).rom_bits(program.ports());
    return {.table_bits = bits, .rom_bits = bits, .packets = program.slots()};
  }
  [[nodiscard]] std::string no_format(const Plan& plan, std::string_view format) const override {
    if (!plan.topology.has_equal_links() && !has_word("sv sv-stream systemc fusesoc", format)) {
      return "does not support links that are not equally fast";
    }
    const TimetableProgram& program = told(plan);
    if (program.is_late() && has_word("memh csv json systemc", format)) {
      return "does not support packets of several words or adders of several cycles";
    }
    if (format == "sv-stream" && !emit_detail::has_streams(plan)) {
      return "does not support sums or links of different rates with packets of several flits";
    }
    const bool recurs = program.repeats() || program.rotation != 0;
    if (!recurs || !has_word("memh csv json", format)) return {};
    return "does not support repeating rows or numbers of words by position";
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    using namespace emit_detail;
    if (format == "memh") return emit_schedule_memh(plan);
    if (format == "csv") return emit_schedule_csv(plan);
    if (format == "json") return emit_schedule_json(plan);
    if (format == "systemc") return emit_timetable_systemc(plan);
    return emit_timetable_sv(plan,
                             format == "sv-stream" ? ElementSide::kStreams : element_side(plan));
  }

 private:
  static const TimetableProgram& told(const Program& program) {
    return dynamic_cast<const TimetableProgram&>(program);
  }
  static const TimetableProgram& told(const Plan& plan) {
    return plan.program.as<TimetableProgram>();
  }
};

const TimetableMachine kMachine;
const MachineRegistration kRegistration(kMachine);

}  // namespace

const Machine& TimetableProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_timetable)
