// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emit.hpp"
#include "gossamer/compose/groups.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/plan/block_pairs.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/plan/program_source.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/report/report_part.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"
#include "guest.hpp"
#include "members.hpp"
#include "shared_registers.hpp"

namespace gossamer {

namespace {

/// The key that contexts have in a document.
constexpr const char* kContextsKey = "contexts";

/// `rounds`, `wirings` and `memory` of a report.
class ContextsPart final : public ReportPart {
 public:
  explicit ContextsPart(const Plan& plan)
      : rounds_(members_of(plan).size()), wirings_(wirings_of(plan)), memory_(memory_of(plan)) {}

  void add_json(const Report& /*report*/, nlohmann::ordered_json& json) const override {
    json["contexts"] = true;
    json["rounds"] = rounds_;
    json["wirings"] = wirings_;
    if (memory_ != 0) json["memory"] = memory_;
  }
  void add_planned(const Report& /*report*/, ReportTable& table) const override {
    table.number("rounds", rounds_);
    table.number("wirings", wirings_);
    if (memory_ != 0) table.number("packets in memory", memory_);
  }

 private:
  std::uint64_t rounds_;
  std::uint64_t wirings_;
  /// Packets per node.
  std::uint64_t memory_;
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

/// Why the plan is no matrix product; empty if it is.
std::string product_defect(const Plan& plan) {
  if (std::string defect = pairs_defect(plan.topology); !defect.empty()) return defect;
  const std::span<const PlanMember> members = members_of(plan);
  const std::uint32_t side = plan.topology.side(0);
  const std::array<Groups, 2> axes{
      {{.shape = {side, 1}, .stride = {1, 1}}, {.shape = {1, side}, .stride = {1, 1}}}};
  const bool operands = members.size() == axes.size() &&
                        std::equal(members.begin(), members.end(), axes.begin(),
                                   [](const PlanMember& member, const Groups& axis) {
                                     Demand demand = Demand::all_gather(1);
                                     demand.groups = axis;
                                     return member.first_step == 1 && member.plan.demand == demand;
                                   });
  if (operands) return {};
  return "members: all-gathers of one packet along x and along y, from step 1, are expected";
}

/// The length of a product's blocks is a parameter of the whole.
void check_no_messages(const Plan& plan, const std::string& place) {
  const std::span<const PlanMember> members = members_of(plan);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].plan.parameters.contains("bytes")) continue;
    throw InputError(
        fmt::format("{}: member {}: parameters: bytes: is not allowed; the whole plan states the "
                    "length of blocks",
                    place, i));
  }
}

class CompositionMachine final : public MachineDefaults {
 public:
  CompositionMachine()
      : MachineDefaults({.name = "composition",
                         .summary = "routers of several plans side by side, each with output "
                                    "ports of its own, or one at a time in the same registers",
                         .proof = "the proof of each member, and that no output port has two; "
                                  "products: when blocks meet; contexts: that one register per "
                                  "output port is enough for each",
                         .formats = "sv arrivals",
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
    const bool product = plan.demand.to == Destination::kPairs;
    const bool contexts = has_contexts(plan);
    const std::string_view collective = product ? kMatrixProduct : kComposition;
    const std::string_view algorithm = product ? kCannon : contexts ? kContexts : kSimultaneous;
    if (plan.collective != collective || plan.algorithm != algorithm || (product && contexts)) {
      throw InputError(fmt::format(
          "{}: collective: plans with {} must be {} by {}{}", place,
          contexts ? kContextsKey : kMembersKey, kComposition, contexts ? kContexts : kSimultaneous,
          contexts ? "" : fmt::format(", or {} by {}", kMatrixProduct, kCannon)));
    }
    if (const std::string defect = product ? product_defect(plan) : ""; !defect.empty()) {
      throw InputError(fmt::format("{}: {}", place, defect));
    }
    const bool foreign = std::any_of(
        plan.parameters.begin(), plan.parameters.end(),
        [product](const auto& entry) { return !product || !is_message_option(entry.first); });
    if (foreign) {
      throw InputError(
          fmt::format("{}: parameters: only members may have these parameters", place));
    }
    if (product) check_no_messages(plan, place);
    const ExpectedFigures expected =
        product ? product_figures(plan) : expected_of(members_of(plan), contexts);
    if (!(plan.expected == expected)) {
      throw InputError(
          fmt::format("{}: expected: differs from the members' figures, {} steps and a bound of {}",
                      place, *expected.analytic_steps, *expected.lower_bound_steps));
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
    if (has_contexts(plan)) all.packets += memory_of(plan);
    all.table_bits_all = bits;
    return all;
  }
  [[nodiscard]] std::string no_format(const Plan& plan, std::string_view format) const override {
    if (format != "sv") return has_contexts(plan) ? "does not support contexts" : std::string();
    return has_contexts(plan) ? contexts_sv_defect(plan) : composition_sv_defect(plan);
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view /*format*/) const override {
    return has_contexts(plan) ? emit_contexts_sv(plan) : emit_composition_sv(plan);
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

/// The blocks of one line that arrive when they are due, by node and offset.
class DueBlocks final : public Observer {
 public:
  DueBlocks(const Topology& line, const BlockPairs& pairs)
      : line_(line), pairs_(pairs), met_(std::size_t{pairs.side()} * pairs.side()) {}

  /// Transfers in steps after this one.
  [[nodiscard]] std::uint64_t transfers_after(std::uint64_t step) const {
    std::uint64_t count = 0;
    for (std::size_t i = step; i < transfers_.size(); ++i) count += transfers_[i];
    return count;
  }

  bool on_links(const LinkView& view) override {
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      const PacketId packet = view.packets[link];
      if (packet == kNoPacket) continue;
      transfers_.resize(std::max<std::size_t>(transfers_.size(), view.step));
      ++transfers_[view.step - 1];
      if (packet >= pairs_.side()) continue;
      const auto id = static_cast<LinkId>(link);
      const NodeId to = line_.neighbor(line_.link_from(id), line_.link_port(id));
      const std::uint32_t offset = pairs_.offset(to, static_cast<std::uint32_t>(packet));
      if (pairs_.is_due(offset, view.step)) met_[std::size_t{to} * pairs_.side() + offset] = true;
    }
    return true;
  }

  [[nodiscard]] std::string problem() const {
    for (std::uint32_t at = 0; at < pairs_.side(); ++at) {
      for (std::uint32_t from = 0; from < pairs_.side(); ++from) {
        const std::uint32_t offset = pairs_.offset(at, from);
        if (offset == 0 || met_[std::size_t{at} * pairs_.side() + offset]) continue;
        return fmt::format("node {} of a line does not receive the block of node {} in step {}", at,
                           from, pairs_.frame() * std::min(offset, pairs_.side() - offset));
      }
    }
    return {};
  }

 private:
  const Topology& line_;
  const BlockPairs& pairs_;
  std::vector<bool> met_;
  /// By step, from 1.
  std::vector<std::uint64_t> transfers_;
};

/// Proves that matching blocks meet. All rows are copies of one line, and all columns of another,
/// so it suffices that each line delivers every block in the frame of its offset.
void prove_pairs(const Plan& plan, Verdict& verdict) {
  const BlockPairs pairs(plan.topology);
  bool replayed = false;
  const std::span<const PlanMember> members = members_of(plan);
  for (std::size_t i = 0; i < members.size(); ++i) {
    // A frame is a step then, and blocks t links away arrive in step t from both sides.
    if (pairs.frame() == 1 && gossamer::run_facts(members[i].plan).by_distance) continue;
    replayed = true;
    const Plan line = guest_plan(members[i].plan);
    DueBlocks due(line.topology, pairs);
    watch(*make_fast_engine(line), pairs.steps(), due);
    if (const std::string problem = due.problem(); !problem.empty()) {
      verdict.problems.push_back(fmt::format("member {}: {}", i, problem));
      verdict.complete = false;
    }
    // On folded lines the last pairs meet after both all-gathers are complete.
    const std::uint64_t after = due.transfers_after(verdict.members[i].steps.value_or(0)) *
                                (plan.topology.nodes() / line.topology.nodes());
    for (Verdict* one : {&verdict, &verdict.members[i]}) {
      add_figure(one->link_transfers, after);
      add_figure(one->duplicates, after);
    }
  }
  verdict.steps = verdict.complete ? std::optional(pairs.steps()) : std::nullopt;
  verdict.cycles = verdict.steps;
  verdict.method = replayed ? "members, pairs by replay of a line" : "members, pairs by distance";
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
    // One register per output port; the report has the places of memories.
    whole.max_queue = 1;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const RegisterPlan registers = registers_of(members[i].plan);
      if (registers.defect.empty()) continue;
      whole.problems.push_back(fmt::format("context {}: {}", i, registers.defect));
    }
    return whole;
  }
  if (on_own_axes(members)) {
    // Groups use the links of their axes only.
  } else if (const LinkOwners owners = link_owners(members); owners.shared) {
    const LinkId link = owners.shared->link;
    whole.problems.push_back(fmt::format("members {} and {} share output port {} of node {}",
                                         owners.member[link], owners.shared->other,
                                         port_name(plan.topology.link_port(link)),
                                         plan.topology.link_from(link)));
  }
  if (plan.demand.to == Destination::kPairs) prove_pairs(plan, whole);
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
