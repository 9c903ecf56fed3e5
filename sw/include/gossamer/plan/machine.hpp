// SPDX-License-Identifier: Apache-2.0
/// The interface to a kind of router: one descriptor per machine.
///
/// A *machine* is a kind of router together with the programs that it executes. Code that depends
/// on the kind of router is in the machine's own folders and is reached through this interface. All
/// other code gets the machine from the plan and calls its descriptor. A machine registers itself,
/// so adding one changes no file outside its folders (docs/extending.md). MachineDefaults
/// (emit/machine_defaults.hpp) implements the parts that most machines do not need.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

// Types of higher layers that a machine creates.
class Engine;
class ReportPart;
class RunMonitor;
struct Verdict;
struct RunFacts;
struct ArrivalRule;
struct EmittedFile;
// Types that it receives.
class DocumentWriter;
struct Document;
struct Embedding;
struct EmbeddedProgram;
struct EngineOptions;
struct ProgramSource;

/// Name and description of a machine.
struct MachineInfo {
  /// The name in plan documents, and of its folders.
  std::string_view name;
  /// The function of its routers, in one sentence.
  std::string_view summary;
  /// How `gossamer verify` judges its plans.
  std::string_view proof;
  /// Formats of `gossamer emit` that support at least some of its plans, blank-separated.
  std::string_view formats;
  /// Its programs can be placed on a larger network that contains their own (Machine::embedded).
  bool embeds = false;
  /// An embedding may renumber its nodes.
  bool moves = false;
  /// Its plans have groups (Demand::groups), and no other machine's plans do.
  bool has_groups = false;
  /// Its plans consist of other plans, the `members` of their documents, and no other machine's
  /// plans do.
  bool has_members = false;
  /// Its routers support links that differ in speed (topology/link_periods.hpp).
  bool unequal_links = false;
};

/// One of the plans that a plan consists of.
struct PlanMember {
  /// A plan of its own for the same network.
  Plan plan;
  /// The step of the whole plan that is its step 1.
  std::uint64_t first_step = 1;

  /// The step of the whole plan that is its last planned step.
  [[nodiscard]] std::uint64_t last_step() const {
    return first_step - 1 + plan.expected.analytic_steps.value_or(0);
  }
  bool operator==(const PlanMember&) const = default;
};

/// Storage of a router: bits, packets and flits.
struct RouterCost {
  /// Bits that configure the router, as wiring, constants or tables; the maximum over all nodes.
  std::uint64_t table_bits = 0;
  /// Total over all nodes; empty: every node has the same number.
  std::optional<std::uint64_t> table_bits_all{};
  /// Bits of a message's header, without its id.
  std::uint64_t header_bits = 0;
  /// The part of the table bits that is a separate memory.
  std::uint64_t rom_bits = 0;
  /// Packet capacity.
  std::uint64_t packets = 0;
  /// Flit capacity, if packets pass in pieces; `packets` is then not used.
  std::optional<std::uint64_t> flits{};
};

/// A message that travels from node to node as a whole.
struct MessageSend {
  /// From 1.
  std::uint64_t step = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// The output port of its first link.
  Port out_port = 0;
};
struct MessageSends {
  std::vector<MessageSend> sends;
  /// A node's sends follow one another.
  bool one_port = false;
};

class Machine {
 public:
  explicit constexpr Machine(const MachineInfo& info) : info_(info) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  [[nodiscard]] const MachineInfo& info() const { return info_; }
  [[nodiscard]] std::string_view name() const { return info_.name; }

  // The plan document.

  /// Reads the program of a document. It need not match the document's demand; check() verifies
  /// that. Throws InputError.
  [[nodiscard]] virtual SharedProgram read(ProgramSource& source) const = 0;
  /// Writes the members of the document's `program` after `machine`. With info().has_members,
  /// read() and write() handle the members of the whole document: it has neither demand nor
  /// program.
  virtual void write(const Program& program, DocumentWriter& out) const = 0;
  /// The plans that the plan consists of; empty for all machines without info().has_members.
  [[nodiscard]] virtual std::span<const PlanMember> members(const Program& program) const;
  /// Paths of number tables in its documents: "object/key".
  [[nodiscard]] virtual std::span<const std::string_view> tables() const;
  /// Whether a program of an older document belongs to this machine. Documents of versions 1 and 2
  /// had `program.discipline`, which is less specific than a machine's name.
  [[nodiscard]] virtual bool reads_older(std::string_view discipline,
                                         const Document& document) const;
  /// Converts a document of version 1, which had no demand: adds the demand of the program, and
  /// converts the program to version 2. Unknown contents are left for the reader to reject.
  virtual void upgrade_version_1(Document& document) const;
  /// Adds data that a document of version 1 or 2 did not contain.
  virtual void complete_older(Plan& plan) const;
  /// Throws InputError, beginning with `place`, for a plan whose program its routers cannot execute
  /// on its network, or that does not match its demand.
  virtual void check(const Plan& plan, const std::string& place) const = 0;
  /// Parameters of a plan that its program also states; the two must agree.
  [[nodiscard]] virtual std::map<std::string, ParameterValue> parameters(const Plan& plan) const;

  /// The program on a larger network that contains its own. Throws InfeasibleError if its routers
  /// cannot share a frame, or cannot represent several routers.
  [[nodiscard]] virtual EmbeddedProgram embedded(const Program& program,
                                                 const Embedding& embedding) const;

  // Running and proving.

  /// How a run of the plan is observed, judged and displayed.
  [[nodiscard]] virtual RunFacts run_facts(const Plan& plan) const = 0;
  /// The first step in which the judge counts each arrival; empty: the first step of the run.
  [[nodiscard]] virtual ArrivalRule arrivals(const Plan& plan) const = 0;
  /// By link slot, the cycles that each link takes; empty where all take one.
  [[nodiscard]] virtual std::vector<std::uint32_t> link_latencies(const Plan& plan) const;
  /// The plain C++ engine; the plan must outlive it. Throws InputError for a program that cannot be
  /// executed, or not within the memory allowed.
  [[nodiscard]] virtual std::unique_ptr<Engine> fast(const Plan& plan,
                                                     const EngineOptions& options) const = 0;
  /// The result of the plan, derived from its tables.
  [[nodiscard]] virtual Verdict prove(const Plan& plan, const Progress& progress) const = 0;
  /// An additional observer of a run; may be null. The plan must outlive it.
  [[nodiscard]] virtual std::unique_ptr<RunMonitor> monitor(const Plan& plan) const = 0;
  /// The part of a report that is specific to its plans; may be null.
  [[nodiscard]] virtual std::shared_ptr<const ReportPart> report_part(const Plan& plan) const = 0;

  /// Reductions: additions of two pieces by all routers in a whole run, results at the nodes
  /// included. Other plans: 0. Of plans with members, the sum over them.
  [[nodiscard]] virtual std::uint64_t additions(const Plan& plan) const;

  // Hardware.

  [[nodiscard]] virtual RouterCost cost(const Plan& plan) const = 0;
  /// Why the plan cannot be written in a format of info().formats; empty if it can.
  [[nodiscard]] virtual std::string no_format(const Plan& plan, std::string_view format) const;
  /// The plan's files in a machine-specific format, i.e. one that emit_files() does not derive from
  /// sends or from other formats' files. Throws InputError if the format cannot express the plan.
  [[nodiscard]] virtual std::vector<EmittedFile> emit(const Plan& plan,
                                                      std::string_view format) const = 0;
  /// Messages that travel as a whole over several links, for formats without smaller units; empty
  /// where link contents per step describe the whole run.
  [[nodiscard]] virtual std::optional<MessageSends> message_sends(const Plan& plan) const;

 private:
  MachineInfo info_;
};

/// Throws InfeasibleError, beginning with `place`, for links that differ in speed on a machine
/// whose routers require equal links.
void require_links(const Machine& machine, const Topology& topology, const std::string& place);

/// The plans that `plan` consists of; empty where it is a single collective.
[[nodiscard]] std::span<const PlanMember> members_of(const Plan& plan);

/// All machines of this program, in the order of their names.
[[nodiscard]] std::span<const Machine* const> machines();
/// The machine of that name; null for an unknown name.
[[nodiscard]] const Machine* find_machine(std::string_view name);

/// Adds a machine to machines(); used as a static object in the machine's own file. Two machines of
/// the same name end the program.
class MachineRegistration {
 public:
  explicit MachineRegistration(const Machine& machine);
};

}  // namespace gossamer
