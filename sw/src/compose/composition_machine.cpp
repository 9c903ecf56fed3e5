// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "emit.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/program_source.hpp"
#include "gossamer/report/report_part.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"
#include "members.hpp"
#include "shared_registers.hpp"

namespace gossamer {

namespace {

/// More than any network has axes, with room.
constexpr std::size_t kMostMembers = 64;
/// The key that contexts have in a document.
constexpr const char* kContextsKey = "contexts";

/// `rounds` and `wirings` of a report.
class ContextsPart final : public ReportPart {
 public:
  explicit ContextsPart(const Plan& plan)
      : rounds_(members_of(plan).size()), wirings_(wirings_of(plan)) {}

  void add_json(const Report& /*report*/, nlohmann::ordered_json& json) const override {
    json["contexts"] = true;
    json["rounds"] = rounds_;
    json["wirings"] = wirings_;
  }
  void add_planned(const Report& /*report*/, ReportTable& table) const override {
    table.number("rounds", rounds_);
    table.number("wirings", wirings_);
  }

 private:
  std::uint64_t rounds_;
  std::uint64_t wirings_;
};

/// Engines that are not linked have no name, and the members' machines say which they have.
std::unique_ptr<Engine> composed_on(std::string_view engine, const Plan& plan,
                                    const EngineOptions& options) {
  if (!has_contexts(plan)) return make_composition_engine(engine, plan, options);
  if (!options.wave.empty()) {
    throw InputError("--wave: plans of several collectives have no waves; simulate a member");
  }
  if (engine == "fast") return make_context_engine(plan, options);
  const ContextEngineMaker maker = find_context_engine(engine);
  if (maker != nullptr) return maker(plan, options);
  throw InfeasibleError(fmt::format(
      "--engine: the {} engine does not support contexts; nearest feasible: --engine fast",
      engine));
}

class CompositionMachine final : public MachineDefaults {
 public:
  CompositionMachine()
      : MachineDefaults({.name = "composition",
                         .summary = "routers of several plans side by side, each with output "
                                    "ports of its own, or one at a time in the same registers",
                         .proof = "the proof of each member, and that no output port has two; or "
                                  "that one register per output port is enough for each",
                         .formats = "sv",
                         .has_members = true}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    const nlohmann::ordered_json& array = source.fields.array(kMembersKey);
    if (array.empty() || array.size() > kMostMembers) {
      throw InputError(fmt::format("{}: {}: {} members are outside 1..{}", source.place(),
                                   kMembersKey, array.size(), kMostMembers));
    }
    const bool contexts = source.fields.has(kContextsKey);
    if (contexts && !source.fields.flag(kContextsKey)) {
      throw InputError(fmt::format("{}: {}: true is expected", source.place(), kContextsKey));
    }
    std::vector<PlanMember> members;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const std::string place = fmt::format("{}: member {}", source.place(), i);
      const Document own = source.document.member(i);
      members.push_back(read_member(Fields(own.root, place), !contexts, source.topology, own));
      const Plan& plan = members.back().plan;
      if (const std::string defect = member_defect(plan); !defect.empty()) {
        throw InputError(fmt::format("{}: {}", place, defect));
      }
      if (!plan.expected.analytic_steps) {
        throw InputError(fmt::format("{}: expected: analytic_steps: a number is expected", place));
      }
    }
    return CompositionProgram(std::move(members), contexts);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    const CompositionProgram& composition = told(program);
    if (composition.contexts) out.boolean(kContextsKey, true);
    out.begin_array(kMembersKey);
    for (const PlanMember& member : composition.members) {
      write_member(member, !composition.contexts, out);
    }
    out.end_array();
  }
  [[nodiscard]] std::span<const PlanMember> members(const Program& program) const override {
    return told(program).members;
  }
  void check(const Plan& plan, const std::string& place) const override {
    const bool contexts = has_contexts(plan);
    const std::string_view algorithm = contexts ? kContexts : kSimultaneous;
    if (plan.collective != kComposition || plan.algorithm != algorithm) {
      throw InputError(fmt::format("{}: collective: plans with {} are {} by {}", place,
                                   contexts ? kContextsKey : kMembersKey, kComposition, algorithm));
    }
    if (!plan.parameters.empty()) {
      throw InputError(fmt::format("{}: parameters: those of the members are expected", place));
    }
    const ExpectedFigures expected = expected_of(members_of(plan), contexts);
    if (!(plan.expected == expected)) {
      throw InputError(
          fmt::format("{}: expected: does not follow from the members: {} steps, bound {}", place,
                      *expected.analytic_steps, *expected.lower_bound_steps));
    }
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    RunFacts facts;
    facts.has_members = true;
    for (const PlanMember& member : members_of(plan)) {
      const RunFacts own = gossamer::run_facts(member.plan);
      if (own.trace == TraceForm::kTerms) facts.trace = TraceForm::kTerms;
      facts.buffer_accesses = std::max(facts.buffer_accesses, own.buffer_accesses);
      // Every member has to stand what a broken link does.
      facts.garbage = facts.garbage && own.garbage;
      facts.breaks = std::max(facts.breaks, own.breaks);
    }
    return facts;
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& options) const override {
    return composed_on("fast", plan, options);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& progress) const override;
  [[nodiscard]] std::shared_ptr<const ReportPart> report_part(const Plan& plan) const override {
    return has_contexts(plan) ? std::make_shared<ContextsPart>(plan) : nullptr;
  }

  /// Each node has the routers of all members; contexts share the places of their packets.
  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    RouterCost all;
    std::uint64_t bits = 0;
    for (const PlanMember& member : members_of(plan)) {
      const RouterCost own = member.plan.machine().cost(member.plan);
      all.table_bits += own.table_bits;
      all.header_bits = std::max(all.header_bits, own.header_bits);
      all.rom_bits += own.rom_bits;
      all.packets = has_contexts(plan) ? static_cast<std::uint64_t>(plan.topology.ports())
                                       : all.packets + own.packets;
      bits += own.table_bits_all.value_or(own.table_bits * plan.topology.nodes());
    }
    all.table_bits_all = bits;
    return all;
  }
  [[nodiscard]] std::string no_format(const Plan& plan,
                                      std::string_view /*format*/) const override {
    if (has_contexts(plan)) return "does not support contexts";
    return composition_sv_defect(plan);
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view /*format*/) const override {
    return emit_composition_sv(plan);
  }

 private:
  static const CompositionProgram& told(const Program& program) {
    return dynamic_cast<const CompositionProgram&>(program);
  }
};

/// Adds a figure that is unknown when one of its parts is.
void add_figure(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& part) {
  sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
}

Verdict CompositionMachine::prove(const Plan& plan, const Progress& progress) const {
  const std::span<const PlanMember> members = members_of(plan);
  Verdict whole;
  whole.method = has_contexts(plan) ? "contexts" : "members";
  whole.complete = true;
  whole.link_transfers = 0;
  whole.duplicates = 0;
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const PlanMember& member = members[i];
    Verdict own = member.plan.machine().prove(member.plan, progress);
    whole.complete = whole.complete && own.complete;
    if (own.steps) steps = std::max(steps, member.first_step - 1 + *own.steps);
    add_figure(whole.link_transfers, own.link_transfers);
    add_figure(whole.link_conflicts, own.link_conflicts);
    add_figure(whole.duplicates, own.duplicates);
    if (whole.max_queue && own.max_queue) {
      whole.max_queue = std::max(*whole.max_queue, *own.max_queue);
    } else {
      whole.max_queue.reset();
    }
    for (const std::string& problem : own.problems) {
      whole.problems.push_back(fmt::format("member {}: {}", i, problem));
    }
    whole.members.push_back(std::move(own));
  }
  if (whole.complete) {
    whole.steps = steps;
    whole.cycles = steps;
  }
  // Ports of a member with a wrong program prove nothing.
  if (!whole.problems.empty()) return whole;
  if (has_contexts(plan)) {
    // One register per output port, whatever queue or memory a context's own routers have.
    whole.max_queue = 1;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const RegisterPlan registers = registers_of(members[i].plan);
      if (registers.defect.empty()) continue;
      whole.problems.push_back(fmt::format("context {}: {}", i, registers.defect));
    }
    return whole;
  }
  if (const LinkOwners owners = link_owners(members); owners.shared) {
    const LinkId link = owners.shared->link;
    whole.problems.push_back(fmt::format("members {} and {} share output port {} of node {}",
                                         owners.member[link], owners.shared->other,
                                         port_name(plan.topology.link_port(link)),
                                         plan.topology.link_from(link)));
  }
  return whole;
}

const CompositionMachine kComposing;
const MachineRegistration kComposingRegistration(kComposing);

std::unique_ptr<Engine> composed_systemc(const Plan& plan, const EngineOptions& options) {
  return composed_on("systemc", plan, options);
}
std::unique_ptr<Engine> composed_rtl(const Plan& plan, const EngineOptions& options) {
  return composed_on("rtl", plan, options);
}
const EngineMakerRegistration kComposedSystemc({.engine = "systemc",
                                                .machine = "composition",
                                                .make = composed_systemc});
const EngineMakerRegistration kComposedRtl({.engine = "rtl",
                                            .machine = "composition",
                                            .make = composed_rtl});

}  // namespace

const Machine& CompositionProgram::machine() const { return kComposing; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_composition)
