// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "emit_frames.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"
#include "gossamer/plan/spans_groups.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "guest.hpp"

namespace gossamer {

namespace {

/// SystemVerilog of the whole network of groups that work in frames.
constexpr std::string_view kFrameNetworks = "sv sv-table sv-rule sv-rank fusesoc";
/// Tables of its routers.
constexpr std::string_view kFrameTables = "csv json memh";

/// The key of the guest's machine and program inside the program.
constexpr std::string_view kGuest = "program";
/// The key and its value for a program of the whole network.
constexpr std::string_view kScope = "scope";
constexpr std::string_view kNetwork = "network";

/// `groups` and `group_nodes` of a report.
class GroupsPart final : public ReportPart {
 public:
  GroupsPart(const Plan& plan, std::shared_ptr<const ReportPart> guest)
      : shape_(*plan.demand.groups),
        groups_(plan.topology.nodes() / shape_.members()),
        guest_(std::move(guest)) {}

  void add_json(const Report& report, nlohmann::ordered_json& json) const override {
    json["groups"] = groups_;
    json["group_nodes"] = shape_.members();
    if (guest_) guest_->add_json(report, json);
  }
  void add_planned(const Report& report, ReportTable& table) const override {
    const std::string stride =
        shape_.longest_stride() == 1 ? "" : fmt::format(", stride {}", joined(shape_.stride, "x"));
    table.text("groups", fmt::format("{} of {} nodes ({}{})", grouped(groups_),
                                     grouped(shape_.members()), joined(shape_.shape, "x"), stride));
    if (guest_) guest_->add_planned(report, table);
  }
  void add_measured(const Report& report, ReportTable& table) const override {
    if (guest_) guest_->add_measured(report, table);
  }
  [[nodiscard]] std::string text_behind() const override {
    return guest_ ? guest_->text_behind() : "";
  }
  void check(Report& report) const override {
    if (guest_) guest_->check(report);
  }

 private:
  Groups shape_;
  std::uint64_t groups_;
  std::shared_ptr<const ReportPart> guest_;
};

class GroupsMachine final : public MachineDefaults {
 public:
  GroupsMachine()
      : MachineDefaults(
            {.name = "groups",
             .summary = "each group of nodes executes the same program of another machine",
             .proof = "the proof of one group's network, for all groups",
             .formats = "sv sv-table sv-rule sv-rank sv-stream memh csv json arrivals dot graphml "
                        "systemc fusesoc msccl-xml chakra-et",
             .has_groups = true}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    Fields fields = source.fields.object(kGuest);
    const std::string name = fields.string("machine");
    const Machine* const machine = find_machine(name);
    if (machine == nullptr || !machine->info().embeds) {
      throw InputError(fmt::format("{}: machine: {} does not execute programs of groups",
                                   fields.place(), shown(name)));
    }
    const bool spans = source.fields.has(kScope);
    if (spans && source.fields.string(kScope) != kNetwork) {
      throw InputError(
          fmt::format("{}: {}: \"{}\" is expected", source.fields.place(), kScope, kNetwork));
    }
    if (spans && dynamic_cast<const SpansGroups*>(machine) == nullptr) {
      throw InputError(fmt::format("{}: machine: {} does not execute one program for all groups",
                                   fields.place(), shown(name)));
    }
    const Topology topology =
        spans ? source.topology : group_network(source.topology, *source.demand.groups);
    const Demand demand = spans ? source.demand : guest_demand(source.demand);
    ProgramSource guest{fields, topology, demand, source.document, {}};
    SharedProgram program = machine->read(guest);
    fields.done();
    return GroupsProgram(std::move(program), spans);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    const auto& told = dynamic_cast<const GroupsProgram&>(program);
    const SharedProgram& guest = told.guest;
    if (told.spans_network) out.string(kScope, kNetwork);
    out.begin_object(kGuest);
    out.string("machine", guest.machine().name());
    guest.machine().write(*guest, out);
    out.end_object();
  }
  void check(const Plan& plan, const std::string& place) const override {
    const std::uint64_t frame = frame_of(plan);
    for (const auto& figure :
         {plan.expected.analytic_steps, plan.expected.analytic_cycles, plan.expected.bound_steps}) {
      if (figure.value_or(0) % frame == 0) continue;
      throw InputError(fmt::format("{}: {} steps are not a multiple of {}, the longest stride",
                                   place, *figure, frame));
    }
    const Plan guest = guest_plan(plan);
    guest.machine().check(guest, fmt::format("{}: {}", place, kGuest));
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    const Plan guest = guest_plan(plan);
    return guest.machine().parameters(guest);
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const Plan guest = guest_plan(plan);
    RunFacts facts = guest.machine().run_facts(guest);
    if (facts.settled_after) *facts.settled_after *= frame_of(plan);
    facts.folds = false;
    facts.by_distance = facts.by_distance && plan.demand.groups->longest_stride() == 1;
    return facts;
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& options) const override {
    return make_group_engine("fast", plan, options);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& progress) const override;
  [[nodiscard]] std::shared_ptr<const ReportPart> report_part(const Plan& plan) const override {
    const Plan guest = guest_plan(plan);
    return std::make_shared<GroupsPart>(plan, guest.machine().report_part(guest));
  }

  [[nodiscard]] std::uint64_t additions(const Plan& plan) const override {
    const Plan guest = guest_plan(plan);
    return guest.machine().additions(guest) * (plan.topology.nodes() / guest.topology.nodes());
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    const Plan guest = guest_plan(plan);
    RouterCost cost = guest.machine().cost(guest);
    if (cost.table_bits_all) *cost.table_bits_all *= plan.topology.nodes() / guest.topology.nodes();
    return cost;
  }
  [[nodiscard]] std::string no_format(const Plan& plan, std::string_view format) const override {
    const Plan guest = guest_plan(plan);
    if (format == "arrivals") return {};
    if (frame_of(plan) > 1 && format == "sv-stream") {
      return "does not support groups that work in frames";
    }
    if (guest.demand.groups && plan.demand.is_personal() &&
        has_word("msccl-xml chakra-et", format)) {
      return "writes the schedule of one group, and packets of this program turn at nodes of "
             "others";
    }
    if (!has_word(guest.machine().info().formats, format)) {
      return fmt::format("does not support {} routers", guest.machine().name());
    }
    const std::string defect = guest.machine().no_format(guest, format);
    if (!defect.empty() || frame_of(plan) == 1 || !has_word(kFrameTables, format)) return defect;
    try {
      static_cast<void>(network_plan(plan));
      return {};
    } catch (const InfeasibleError& error) {
      return fmt::format(
          "has no tables of this network ({}); those of one group are the tables of a plan for "
          "--dims {}",
          error.what(), guest.topology.dims_text());
    }
  }
  /// The network of one group, or the whole one where other groups lie between its members.
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    const bool whole = frame_of(plan) > 1 || plan.program.as<GroupsProgram>().spans_network;
    // The module contains the plan, of any network with a SystemC engine.
    if (whole && format == "systemc") return MachineDefaults::emit(plan, format);
    if (frame_of(plan) > 1 && has_word(kFrameNetworks, format)) return emit_frames(plan, format);
    const Plan guest = guest_plan(plan);
    if (frame_of(plan) > 1 && has_word(kFrameTables, format)) {
      return guest.machine().emit(network_plan(plan), format);
    }
    return guest.machine().emit(guest, format);
  }
};

Verdict GroupsMachine::prove(const Plan& plan, const Progress& progress) const {
  const Plan guest = guest_plan(plan);
  Verdict verdict = guest.machine().prove(guest, progress);
  const Groups& groups = *plan.demand.groups;
  const bool spans = plan.program.as<GroupsProgram>().spans_network;
  const std::uint64_t frame = frame_of(plan);
  const std::uint64_t copies = plan.topology.nodes() / guest.topology.nodes();
  const auto scale = [](std::optional<std::uint64_t>& figure, std::uint64_t factor) {
    if (figure) *figure *= factor;
  };
  const std::vector<int> axes = groups.axes();
  const bool equal = spans || std::all_of(axes.begin(), axes.end(), [&](int dim) {
                       return groups.stride[static_cast<std::size_t>(dim)] == frame;
                     });
  if (equal) {
    scale(verdict.link_transfers, frame * copies);
  } else if (verdict.steps) {
    verdict.link_transfers = crossed_links(plan, *verdict.steps);
  } else {
    verdict.link_transfers.reset();
  }
  scale(verdict.steps, frame);
  scale(verdict.cycles, frame);
  scale(verdict.link_conflicts, copies);
  scale(verdict.duplicates, copies);
  if (spans) return verdict;
  for (std::string& problem : verdict.problems) problem = "in each group: " + problem;
  if (verdict.problems.empty()) compare_with_promises(plan, verdict);
  return verdict;
}

const GroupsMachine kMachine;
const MachineRegistration kRegistration(kMachine);

// Engines that are not linked have no name; the guest's machine determines which exist.
std::unique_ptr<Engine> systemc(const Plan& plan, const EngineOptions& options) {
  return make_group_engine("systemc", plan, options);
}
std::unique_ptr<Engine> rtl(const Plan& plan, const EngineOptions& options) {
  return make_group_engine("rtl", plan, options);
}
const EngineMakerRegistration kSystemc({.engine = "systemc", .machine = "groups", .make = systemc});
const EngineMakerRegistration kRtl({.engine = "rtl", .machine = "groups", .make = rtl});

}  // namespace

const Machine& GroupsProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_groups)
