// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "gossamer/plan/document_reader.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/program_source.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// In the order of their names. A function's: registrations are static objects of other files.
std::vector<const Machine*>& registered() {
  static std::vector<const Machine*> machines;
  return machines;
}

}  // namespace

std::span<const std::string_view> Machine::tables() const {
  static constexpr std::array kTables{kProgramTablePath};
  return kTables;
}

bool Machine::reads_older(std::string_view discipline, const Document& /*document*/) const {
  return discipline == name();
}

void Machine::upgrade_version_1(Document& /*document*/) const {}

void Machine::complete_older(Plan& /*plan*/) const {}

std::map<std::string, ParameterValue> Machine::parameters(const Plan& /*plan*/) const { return {}; }

EmbeddedProgram Machine::embedded(const Program& /*program*/, const Embedding& embedding) const {
  throw InfeasibleError(fmt::format("the routers of {} plans cannot be placed on the {} {}", name(),
                                    embedding.host.dims_text(), embedding.host.kind()));
}

std::span<const PlanMember> Machine::members(const Program& /*program*/) const { return {}; }

std::span<const PlanMember> members_of(const Plan& plan) {
  return plan.machine().members(*plan.program);
}

std::vector<std::uint32_t> Machine::link_latencies(const Plan& /*plan*/) const { return {}; }

std::uint64_t Machine::additions(const Plan& plan) const {
  std::uint64_t all = 0;
  for (const PlanMember& member : members(*plan.program)) {
    all += member.plan.machine().additions(member.plan);
  }
  return all;
}

std::string Machine::no_format(const Plan& /*plan*/, std::string_view /*format*/) const {
  return {};
}

RunFacts run_facts(const Plan& plan) { return plan.machine().run_facts(plan); }

std::optional<MessageSends> Machine::message_sends(const Plan& /*plan*/) const {
  return std::nullopt;
}

void require_links(const Machine& machine, const Topology& topology, const std::string& place) {
  if (topology.has_equal_links() || machine.info().unequal_links) return;
  throw InfeasibleError(fmt::format(
      "{}: {} plans do not support links of different rates; nearest feasible: --pace slowest",
      place, machine.name()));
}

std::span<const Machine* const> machines() { return registered(); }

const Machine* find_machine(std::string_view name) {
  const auto& all = registered();
  const auto found = std::find_if(
      all.begin(), all.end(), [name](const Machine* machine) { return machine->name() == name; });
  return found == all.end() ? nullptr : *found;
}

MachineRegistration::MachineRegistration(const Machine& machine) {
  if (find_machine(machine.name()) != nullptr) {
    fmt::print(stderr, "gossamer: two machines are called {}\n", machine.name());
    std::abort();
  }
  auto& all = registered();
  all.insert(std::find_if(all.begin(), all.end(),
                          [&](const Machine* known) { return known->name() > machine.name(); }),
             &machine);
}

const NumberTable& ProgramSource::table(std::string_view path) const {
  static const NumberTable kNone;
  const auto found = document.tables.find(std::string(path));
  if (found == document.tables.end()) return kNone;
  constexpr std::string_view kHere = "program/";
  if (path.starts_with(kHere)) (void)fields.any(path.substr(kHere.size()));
  return found->second;
}

}  // namespace gossamer
