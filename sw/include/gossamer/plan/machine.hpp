// SPDX-License-Identifier: Apache-2.0
/// What the product knows about a kind of router: one descriptor for each, and nothing else.
///
/// A *machine* is a kind of router together with the programs that it executes. Everything that
/// depends on the kind of router is in the machine's own folders and is reached through this
/// interface; all other code asks a plan for its machine and the machine for what it needs. A
/// machine registers itself, so that adding one changes no file outside its folders
/// (docs/extending.md). MachineDefaults (emit/machine_defaults.hpp) has what most machines do not
/// need.
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

// Of what stands above plans, a machine makes these.
class Engine;
class ReportPart;
class RunMonitor;
struct Verdict;
struct RunFacts;
struct ArrivalRule;
struct EmittedFile;
// It is given these.
class DocumentWriter;
struct Document;
struct Embedding;
struct EmbeddedProgram;
struct EngineOptions;
struct ProgramSource;

/// Who is the machine, in words.
struct MachineInfo {
  /// As in plan documents and in the names of its folders.
  std::string_view name;
  /// What its routers do, in one sentence.
  std::string_view summary;
  /// How `gossamer verify` judges its plans.
  std::string_view proof;
  /// Formats of `gossamer emit` that it has for some of its plans at least, blank-separated.
  std::string_view formats;
  /// Its programs can be laid on a network in which their own lies (Machine::embedded).
  bool embeds = false;
  /// There its nodes may have other numbers.
  bool moves = false;
  /// Its plans have groups (Demand::groups), and no other machine's plans do.
  bool has_groups = false;
  /// Its plans consist of other plans, the `members` of their documents, and no other machine's
  /// plans do.
  bool has_members = false;
};

/// One of the plans that a plan consists of.
struct PlanMember {
  /// A plan of its own for the same network.
  Plan plan;
  /// The step of the whole in which its step 1 is.
  std::uint64_t first_step = 1;

  /// The step of the whole in which its last planned step is.
  [[nodiscard]] std::uint64_t last_step() const {
    return first_step - 1 + plan.expected.analytic_steps.value_or(0);
  }
  bool operator==(const PlanMember&) const = default;
};

/// What a router stores, in bits and places.
struct RouterCost {
  /// Bits that tell the router what to do, as wiring, constants or tables; of the node that has the
  /// most.
  std::uint64_t table_bits = 0;
  /// Those of all nodes together; empty: as many at each.
  std::optional<std::uint64_t> table_bits_all{};
  /// Bits of a message's header, its id not counted.
  std::uint64_t header_bits = 0;
  /// The part of them that is a memory of its own.
  std::uint64_t rom_bits = 0;
  /// Packets that it has room for.
  std::uint64_t packets = 0;
  /// Flits that it has room for, where packets pass in pieces; then `packets` does not count.
  std::optional<std::uint64_t> flits{};
};

/// A message that goes from node to node as a whole.
struct MessageSend {
  /// From 1.
  std::uint64_t step = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// The way that it begins.
  Port out_port = 0;
};
struct MessageSends {
  std::vector<MessageSend> sends;
  /// A node sends one after the other.
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

  /// The program that stands in a document. It need not be one for the document's demand; check()
  /// says so. Throws InputError.
  [[nodiscard]] virtual SharedProgram read(ProgramSource& source) const = 0;
  /// The members of the document's `program` behind `machine`. With info().has_members, read() and
  /// write() are given the whole document's members: it has neither demand nor program.
  virtual void write(const Program& program, DocumentWriter& out) const = 0;
  /// What the plan consists of; empty for all machines without info().has_members.
  [[nodiscard]] virtual std::span<const PlanMember> members(const Program& program) const;
  /// Where its documents have tables of numbers: "object/key".
  [[nodiscard]] virtual std::span<const std::string_view> tables() const;
  /// Documents of versions 1 and 2 had `program.discipline`, which says less than a machine's name.
  /// Whether such a program is this machine's.
  [[nodiscard]] virtual bool reads_older(std::string_view discipline,
                                         const Document& document) const;
  /// Documents of version 1 had no demand: puts in the one that the program was for, and makes the
  /// program what version 2 has. What it does not know it leaves for the reader to refuse.
  virtual void upgrade_version_1(Document& document) const;
  /// Puts in what a document of version 1 or 2 did not say.
  virtual void complete_older(Plan& plan) const;
  /// Throws InputError, beginning with `place`, for a plan whose program its routers cannot execute
  /// on its network, or that is not for its demand.
  virtual void check(const Plan& plan, const std::string& place) const = 0;
  /// Parameters of a plan that its program says, too: they may not say anything else.
  [[nodiscard]] virtual std::map<std::string, ParameterValue> parameters(const Plan& plan) const;

  /// The program on a network in which its own lies. Throws InfeasibleError where its routers
  /// cannot take turns, or stand for several.
  [[nodiscard]] virtual EmbeddedProgram embedded(const Program& program,
                                                 const Embedding& embedding) const;

  // Running and proving.

  /// How a run of the plan is watched, judged and shown.
  [[nodiscard]] virtual RunFacts run_facts(const Plan& plan) const = 0;
  /// From which step on the judge counts arrivals; empty: from the first.
  [[nodiscard]] virtual ArrivalRule arrivals(const Plan& plan) const = 0;
  /// By link slot, the cycles that each link takes; empty where all take one.
  [[nodiscard]] virtual std::vector<std::uint32_t> link_latencies(const Plan& plan) const;
  /// The plain C++ engine; the plan must outlive it. Throws InputError for a program that cannot be
  /// executed, or not within the memory allowed.
  [[nodiscard]] virtual std::unique_ptr<Engine> fast(const Plan& plan,
                                                     const EngineOptions& options) const = 0;
  /// What the plan does, concluded from its tables.
  [[nodiscard]] virtual Verdict prove(const Plan& plan, const Progress& progress) const = 0;
  /// The observer of a run besides the judge; null for none. The plan must outlive it.
  [[nodiscard]] virtual std::unique_ptr<RunMonitor> monitor(const Plan& plan) const = 0;
  /// The part of a report that only its plans have; null for none.
  [[nodiscard]] virtual std::shared_ptr<const ReportPart> report_part(const Plan& plan) const = 0;

  // Hardware.

  [[nodiscard]] virtual RouterCost cost(const Plan& plan) const = 0;
  /// Why the plan cannot be written in a format of info().formats; empty where it can.
  [[nodiscard]] virtual std::string no_format(const Plan& plan, std::string_view format) const;
  /// The plan's files in a format of its own, that is, one that emit_files() does not make of sends
  /// or of other formats' files. Throws InputError for what the format cannot express.
  [[nodiscard]] virtual std::vector<EmittedFile> emit(const Plan& plan,
                                                      std::string_view format) const = 0;
  /// Messages that go as a whole over several links, for formats that know nothing smaller; empty
  /// where what the links carry in each step says all.
  [[nodiscard]] virtual std::optional<MessageSends> message_sends(const Plan& plan) const;

 private:
  MachineInfo info_;
};

/// The plans that `plan` consists of; empty where it is a single collective.
[[nodiscard]] std::span<const PlanMember> members_of(const Plan& plan);

/// All machines of this program, in the order of their names.
[[nodiscard]] std::span<const Machine* const> machines();
/// The machine of that name, null when there is none.
[[nodiscard]] const Machine* find_machine(std::string_view name);

/// Adds a machine to machines(); a static object of the machine's own file. Two of one name end the
/// program.
class MachineRegistration {
 public:
  explicit MachineRegistration(const Machine& machine);
};

}  // namespace gossamer
