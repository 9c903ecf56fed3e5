// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/plan_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <streambuf>

#include "document_parts.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/suggest.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view kFormatName = "gossamer-plan";
constexpr std::uint64_t kMaxFigure = std::uint64_t{1} << 53;
constexpr std::int64_t kMaxQueueDepth = 0xffffffff;
/// The latest first step of a member.
constexpr std::int64_t kMaxFirstStep = std::int64_t{1} << 32;

void write_parameter(DocumentWriter& out, const ParameterValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) out.boolean(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&value)) out.number(*number);
  if (const auto* text = std::get_if<std::string>(&value)) out.string(*text);
}

void write_names(std::string_view collective, std::string_view algorithm,
                 const std::map<std::string, ParameterValue>& parameters, DocumentWriter& out) {
  out.string("collective", collective);
  out.string("algorithm", algorithm);
  out.begin_object("parameters");
  for (const auto& [name, value] : parameters) {
    out.key(name);
    write_parameter(out, value);
  }
  out.end_object();
}

/// What plans and experiments begin with.
template <typename Document>
void write_header(const Document& document, std::string_view format, std::string_view collective,
                  std::string_view algorithm, DocumentWriter& out) {
  out.string("format", format);
  out.number("version", kPlanVersion);
  out.key("topology");
  write_topology(document.topology, out);
  write_names(collective, algorithm, document.parameters, out);
}

void write_expected(const Plan& plan, DocumentWriter& out) {
  out.begin_object("expected");
  out.optional_number("analytic_steps", plan.expected.analytic_steps);
  out.optional_number("lower_bound_steps", plan.expected.lower_bound_steps);
  out.optional_number("bound_steps", plan.expected.bound_steps);
  out.optional_number("analytic_cycles", plan.expected.analytic_cycles);
  out.optional_number("analytic_tcd", plan.expected.analytic_tcd);
  out.number("queue_depth", plan.expected.queue_depth);
  if (plan.expected.length_invariant) {
    out.boolean("length_invariant", *plan.expected.length_invariant);
    out.optional_number("sum_period", plan.expected.sum_period);
  }
  out.end_object();
}

/// Demand and program.
void write_rest(const Plan& plan, DocumentWriter& out) {
  if (plan.demand.groups) {
    out.key("groups");
    write_groups(plan.demand, out);
  }
  out.key("demand");
  write_demand(plan.demand, out);
  out.begin_object("program");
  out.string("machine", plan.machine().name());
  plan.machine().write(*plan.program, out);
  out.end_object();
}

void write_document(const Plan& plan, DocumentWriter& out) {
  out.begin_object();
  write_header(plan, kFormatName, plan.collective, plan.algorithm, out);
  write_expected(plan, out);
  if (plan.machine().info().has_members) {
    plan.machine().write(*plan.program, out);
  } else {
    write_rest(plan, out);
  }
  out.end_object();
  out.finish();
}

void write_document(const Experiment& experiment, DocumentWriter& out) {
  out.begin_object();
  write_header(experiment, kExperimentFormat, Experiment::kCollective, Experiment::kAlgorithm, out);
  out.number("queue_depth", experiment.queue_depth);
  out.begin_object("program");
  write_dynamic_fields(experiment.program, out);
  out.end_object();
  out.end_object();
  out.finish();
}

template <typename Document>
void write_encoded(const Document& document, std::ostream& out, PlanEncoding encoding) {
  write_document(document,
                 encoding == PlanEncoding::kCbor ? *make_cbor_writer(out) : *make_json_writer(out));
}

/// Text for people, possibly shown on a terminal: no control characters.
void check_text(std::string_view text, const std::string& place) {
  const bool printable = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  // U+0080 to U+009F are also control characters.
  bool control = !printable;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    control = control || (text[i] == '\xc2' && static_cast<unsigned char>(text[i + 1]) < 0xa0);
  }
  if (control) throw InputError(fmt::format("{}: control characters in {}", place, shown(text)));
}

std::map<std::string, ParameterValue> read_parameters(const json& value, const std::string& place) {
  if (!value.is_object()) throw InputError(fmt::format("{}: an object is expected", place));
  std::map<std::string, ParameterValue> parameters;
  for (const auto& [name, item] : value.items()) {
    check_name(name, place);
    if (item.is_boolean()) {
      parameters[name] = item.get<bool>();
    } else if (item.is_number_integer()) {
      parameters[name] = item.get<std::int64_t>();
    } else {
      const std::string at = fmt::format("{}: {}", place, name);
      const std::string text = checked_string(item, at);
      check_text(text, at);
      parameters[name] = text;
    }
  }
  return parameters;
}

/// Rejects parameters that contradict demand or program.
void check_parameters(const Plan& plan, const std::string& place) {
  std::map<std::string, ParameterValue> said = plan.machine().parameters(plan);
  if (plan.demand.from == Origin::kRoot) {
    said["source"] = plan.demand.groups ? member_text(*plan.demand.groups, plan.demand.root)
                                        : node_text(plan.topology, plan.demand.root);
  }
  for (const auto& [name, value] : said) {
    const auto found = plan.parameters.find(name);
    if (found == plan.parameters.end() || found->second == value) continue;
    throw InputError(fmt::format("{}: parameters: {}: contradicts demand or program", place, name));
  }
}

/// The machine of a document's program, and its name in older documents.
struct Executor {
  const Machine* machine;
  std::string discipline;
};

[[noreturn]] void unknown_machine(const std::string& place, std::string_view key,
                                  const std::string& name) {
  std::vector<std::string_view> known;
  for (const Machine* machine : machines()) known.push_back(machine->name());
  throw InputError(
      fmt::format("{}: {}: {} is unknown{}", place, key, shown(name), did_you_mean(name, known)));
}

Executor read_machine(Fields& program, const Document& document) {
  if (program.has("machine")) {
    const std::string name = program.string("machine");
    const Machine* machine = find_machine(name);
    if (machine == nullptr) unknown_machine(program.place(), "machine", name);
    return {machine, {}};
  }
  const std::string discipline = program.string("discipline");
  for (const Machine* machine : machines()) {
    if (machine->reads_older(discipline, document)) return {machine, discipline};
  }
  unknown_machine(program.place(), "discipline", discipline);
}

/// Converts a version 1 document to the equivalent version 2 document; unknown contents are left
/// for the reader to reject.
void upgrade_version_1(Document& document) {
  upgrade_experiment(document);
  const auto program = document.root.find("program");
  if (program == document.root.end() || !program->is_object()) return;
  const auto discipline = program->find("discipline");
  if (discipline == program->end() || !discipline->is_string()) return;
  for (const Machine* machine : machines()) {
    if (!machine->reads_older(discipline->get<std::string>(), document)) continue;
    machine->upgrade_version_1(document);
    return;
  }
}

std::set<std::string> table_paths() {
  std::set<std::string> paths{std::string(kSourcesTablePath)};
  for (const Machine* machine : machines()) {
    paths.insert(machine->tables().begin(), machine->tables().end());
  }
  return paths;
}

ExpectedFigures read_expected(Fields fields) {
  ExpectedFigures expected;
  expected.analytic_steps = fields.optional_number("analytic_steps", kMaxFigure);
  expected.lower_bound_steps = fields.optional_number("lower_bound_steps", kMaxFigure);
  expected.bound_steps = fields.optional_number("bound_steps", kMaxFigure);
  expected.analytic_cycles = fields.optional_number("analytic_cycles", kMaxFigure);
  expected.analytic_tcd = fields.optional_number("analytic_tcd", kMaxFigure);
  expected.queue_depth = fields.number<std::uint32_t>("queue_depth", 1, kMaxQueueDepth);
  if (fields.has("length_invariant")) {
    expected.length_invariant = fields.flag("length_invariant");
    expected.sum_period = fields.optional_number("sum_period", kMaxFigure);
    if (expected.sum_period == 0) {
      throw InputError(fmt::format(
          "{}: sum_period: 0 is not a period; a number from 1 on is expected", fields.place()));
    }
  }
  fields.done();
  return expected;
}

/// The first part of a plan's document.
struct PlanNames {
  std::string collective;
  std::string algorithm;
  std::map<std::string, ParameterValue> parameters;
};

PlanNames read_names(Fields& fields) {
  const std::string& place = fields.place();
  PlanNames names;
  names.collective = fields.string("collective");
  check_name(names.collective, fmt::format("{}: collective", place));
  names.algorithm = fields.string("algorithm");
  check_name(names.algorithm, fmt::format("{}: algorithm", place));
  names.parameters =
      read_parameters(fields.any("parameters"), fmt::format("{}: parameters", place));
  return names;
}

/// The rest of the plan of a single collective.
Plan read_rest(Fields& fields, const Topology& topology, PlanNames names, const Document& document,
               std::int64_t version) {
  const std::string& name = fields.place();
  const ExpectedFigures expected = read_expected(fields.object("expected"));
  std::optional<Groups> groups;
  if (fields.has("groups")) groups = read_groups(fields.object("groups"), topology);
  Demand demand = read_demand(fields.object("demand"), topology, document, std::move(groups));
  if (version == 1 && names.collective == "gossip" && demand.from == Origin::kSources) {
    // A queued gossip listed its sources: all nodes.
    const Demand all = Demand::all_gather(demand.pieces);
    if (demand.to == all.to && demand.sources == all.sources_in(topology)) demand = all;
  }
  check_collective(names.collective, demand, name);
  Fields told = fields.object("program");
  const auto [machine, discipline] = read_machine(told, document);
  if (machine->info().has_members) {
    throw InputError(fmt::format("{}: machine: {} plans have \"{}\" and no program", told.place(),
                                 machine->name(), kMembersKey));
  }
  if (demand.groups.has_value() != machine->info().has_groups) {
    throw InputError(fmt::format("{}: machine: {} plans are for {}", told.place(), machine->name(),
                                 demand.groups ? "one group of all nodes" : "groups"));
  }
  ProgramSource source{told, topology, demand, document, discipline};
  SharedProgram program = machine->read(source);
  told.done();
  fields.done();
  Plan plan{topology,
            std::move(names.collective),
            std::move(names.algorithm),
            std::move(names.parameters),
            std::move(demand),
            std::move(program),
            expected};
  if (!discipline.empty()) machine->complete_older(plan);
  require_links(*machine, topology, name);
  machine->check(plan, told.place());
  check_parameters(plan, name);
  return plan;
}

/// The rest of a plan of several collectives.
Plan read_whole(Fields& fields, Topology topology, PlanNames names, const Document& document) {
  const auto machine = std::find_if(machines().begin(), machines().end(),
                                    [](const Machine* each) { return each->info().has_members; });
  if (machine == machines().end()) {
    throw InputError(
        fmt::format("{}: {}: this program has no machine for plans of several collectives",
                    fields.place(), kMembersKey));
  }
  require_links(**machine, topology, fields.place());
  const ExpectedFigures expected = read_expected(fields.object("expected"));
  Demand demand = Demand::of_members(0);
  for (const Collective& known : collectives()) {
    if (known.name == names.collective && known.to == Destination::kPairs) demand.to = known.to;
  }
  ProgramSource source{fields, topology, demand, document, {}};
  SharedProgram program = (*machine)->read(source);
  fields.done();
  for (const PlanMember& member : (*machine)->members(*program)) {
    demand.pieces += member.plan.demand.pieces_in_all(topology.cores());
  }
  Plan plan{std::move(topology),
            std::move(names.collective),
            std::move(names.algorithm),
            std::move(names.parameters),
            std::move(demand),
            std::move(program),
            expected};
  (*machine)->check(plan, fields.place());
  return plan;
}

/// A stream buffer that keeps nothing but the FNV-1a hash of what is written to it.
class HashBuffer final : public std::streambuf {
 public:
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 protected:
  int_type overflow(int_type c) override {
    if (c != traits_type::eof()) hash_ = mixed(hash_, traits_type::to_char_type(c));
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    std::uint64_t hash = hash_;
    for (std::streamsize i = 0; i < count; ++i) hash = mixed(hash, text[i]);
    hash_ = hash;
    return count;
  }

 private:
  static std::uint64_t mixed(std::uint64_t hash, char c) {
    return (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace

PlanEncoding encoding_for(const std::filesystem::path& path) {
  return path.extension() == ".cbor" ? PlanEncoding::kCbor : PlanEncoding::kJson;
}

void write_plan(const Plan& plan, std::ostream& out, PlanEncoding encoding) {
  write_encoded(plan, out, encoding);
}

void write_experiment(const Experiment& experiment, std::ostream& out, PlanEncoding encoding) {
  write_encoded(experiment, out, encoding);
}

PlanOrExperiment read_plan_or_experiment(std::istream& in, std::string_view name) {
  Document document = read_document(in, name, table_paths());
  Fields before(document.root, std::string(name));
  const std::string format = before.string("format");
  if (format != kFormatName && format != kExperimentFormat) {
    throw InputError(fmt::format("{}: format: \"{}\" is expected", name, kFormatName));
  }
  const std::int64_t version = before.number("version", 0, kMaxFigure);
  if (version < 1 || version > kPlanVersion) {
    throw InputError(
        fmt::format("{}: version: {} is not supported; this program reads versions 1 to {}", name,
                    version, kPlanVersion));
  }
  if (version == 1) upgrade_version_1(document);
  Fields fields(document.root, std::string(name));
  const bool experiment = fields.string("format") == kExperimentFormat;
  (void)fields.any("version");
  Topology topology = read_topology(fields.object("topology"));
  PlanNames names = read_names(fields);
  if (experiment) {
    if (names.collective != Experiment::kCollective || names.algorithm != Experiment::kAlgorithm) {
      throw InputError(
          fmt::format("{}: collective: the only experiment is {} with the algorithm {}", name,
                      Experiment::kCollective, Experiment::kAlgorithm));
    }
    const auto depth = fields.number<std::uint32_t>("queue_depth", 1, kMaxQueueDepth);
    Fields program = fields.object("program");
    DynamicProgram dynamic = read_dynamic_fields(program);
    program.done();
    fields.done();
    return Experiment{std::move(topology), std::move(names.parameters), std::move(dynamic), depth};
  }
  if (fields.has(kMembersKey)) {
    return read_whole(fields, std::move(topology), std::move(names), document);
  }
  return read_rest(fields, topology, std::move(names), document, version);
}

void write_member(const PlanMember& member, bool has_first_step, DocumentWriter& out) {
  const Plan& plan = member.plan;
  out.begin_object();
  write_names(plan.collective, plan.algorithm, plan.parameters, out);
  if (has_first_step) out.number("first_step", member.first_step);
  write_expected(plan, out);
  write_rest(plan, out);
  out.end_object();
}

PlanMember read_member(Fields fields, bool has_first_step, const Topology& topology,
                       const Document& document) {
  PlanNames names = read_names(fields);
  const std::uint64_t first_step =
      has_first_step ? fields.number<std::uint64_t>("first_step", 1, kMaxFirstStep) : 1;
  return {read_rest(fields, topology, std::move(names), document, kPlanVersion), first_step};
}
PlanOrExperiment read_plan_or_experiment_file(const std::filesystem::path& path) {
  InputFile in(path.string());
  return read_plan_or_experiment(in.stream(), in.name());
}

namespace {

Plan only_plan(PlanOrExperiment document, std::string_view name) {
  if (auto* plan = std::get_if<Plan>(&document)) return std::move(*plan);
  throw InputError(fmt::format("{}: is an experiment ({}), not a plan; gossamer simulate runs it",
                               name, Experiment::kCollective));
}

template <typename Document>
std::uint64_t hash_of(const Document& document) {
  HashBuffer buffer;
  std::ostream out(&buffer);
  write_encoded(document, out, PlanEncoding::kCbor);
  return buffer.hash();
}

}  // namespace

Plan read_plan(std::istream& in, std::string_view name) {
  return only_plan(read_plan_or_experiment(in, name), name);
}

Plan read_plan_file(const std::filesystem::path& path) {
  return only_plan(read_plan_or_experiment_file(path),
                   path == "-" ? "standard input" : path.string());
}

std::uint64_t plan_hash(const Plan& plan) { return hash_of(plan); }

std::uint64_t plan_hash(const Experiment& experiment) { return hash_of(experiment); }

}  // namespace gossamer
