// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/discipline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

template <typename Program>
bool holds_program(const Plan& plan) {
  return std::holds_alternative<Program>(plan.program);
}

bool is_unframed(const Plan& plan) {
  return holds_program<StreamProgram>(plan) && frame_of(plan) == 1;
}

bool is_combining(const Plan& plan) {
  const auto* program = std::get_if<StreamProgram>(&plan.program);
  return program != nullptr && program->combine && !program->elastic;
}

bool is_relayed_sum(const Plan& plan) {
  return holds_program<RelayProgram>(plan) && plan.demand.combines();
}

bool is_elastic(const Plan& plan) { return elastic_of(plan) != nullptr; }

/// Packets of one root.
bool is_stream_broadcast(const Plan& plan) {
  return holds_program<StreamProgram>(plan) && plan.demand.from == Origin::kRoot;
}

bool is_prefix(const Plan& plan) {
  return holds_program<QueuedProgram>(plan) && plan.demand.is_counts();
}

/// Packets that go by classes: packed, routed, broadcast line by line.
bool is_classes(const Plan& plan) {
  const auto* program = std::get_if<QueuedProgram>(&plan.program);
  return program != nullptr && !plan.demand.is_personal();
}

/// An exchange or gather that routers decide as packets come.
bool is_personal_queued(const Plan& plan) {
  const auto* program = std::get_if<QueuedProgram>(&plan.program);
  return program != nullptr && plan.demand.is_personal() &&
         std::any_of(program->phases.begin(), program->phases.end(), [](const QueuedPhase& phase) {
           return phase.kind == QueuedPhaseKind::kExchange;
         });
}

/// One broadcast phase on a line or ring, or none at all.
bool is_line(const Plan& plan) {
  const auto* program = std::get_if<QueuedProgram>(&plan.program);
  return program != nullptr && plan.topology.dimensions() == 1 && program->phases.size() <= 1 &&
         std::all_of(program->phases.begin(), program->phases.end(), [](const QueuedPhase& phase) {
           return phase.kind == QueuedPhaseKind::kBroadcast;
         });
}

/// Packets that are copied or moved, by rows that are executed once.
bool is_schedule(const Plan& plan) {
  const auto* program = std::get_if<TimetableProgram>(&plan.program);
  return program != nullptr && !program->repeats() &&
         program->delivery() != DeliveryRule::kMarked;
}

/// Queued routers are built, run and written alike, whatever they decide.
constexpr Discipline queued(std::string_view name, bool (*holds)(const Plan&),
                            std::string_view proof = "phases") {
  return {.name = name,
          .holds = holds,
          .proof = proof,
          .cost = "timetable bits and queues",
          .engines = "fast systemc rtl",
          .formats = "sv arrivals fusesoc",
          .pin_level = true,
          .folds = true};
}

constexpr auto kDisciplines = std::to_array<Discipline>({
    {.name = "stream/combining",
     .holds = is_combining,
     .proof = "one router for all, as intervals of ranks",
     .cost = "",
     .engines = "fast systemc rtl",
     .formats = "sv sv-rank arrivals fusesoc msccl-xml chakra-et",
     .pin_level = true,
     .tlm = true},
    {.name = "stream/elastic",
     .holds = is_elastic,
     .proof = "rings in closed form; else what every node takes, and a sweep over the flits",
     .cost = "counters and queue slots",
     .engines = "fast systemc rtl tlm",
     .formats = "sv fusesoc",
     .pin_level = true,
     .tlm = true},
    {.name = "stream/broadcast",
     .holds = is_stream_broadcast,
     .proof = "every link's stream, from the root",
     .cost = "table bits",
     .engines = "fast systemc rtl",
     .formats = "sv arrivals fusesoc",
     .pin_level = true},
    {.name = "stream",
     .holds = is_unframed,
     .proof = "cycles, windows, translations or walks; else replay",
     .cost = "table bits and queues",
     .engines = "fast systemc rtl",
     .formats = "sv sv-table sv-rule memh csv json arrivals dot graphml systemc fusesoc msccl-xml "
                "chakra-et",
     .pin_level = true,
     .tlm = true,
     .folds = true},
    {.name = "stream/frames",
     .holds = holds_program<StreamProgram>,
     .proof = "windows or translations; else replay",
     .cost = "table bits and queues",
     .engines = "fast systemc rtl",
     .formats = "sv memh csv json arrivals systemc fusesoc msccl-xml chakra-et",
     .pin_level = true,
     .tlm = true,
     .folds = true},
    {.name = "timetable/copies",
     .holds = is_schedule,
     .proof = "one router for all, or every router",
     .cost = "ROM bits and slots",
     .engines = "fast systemc rtl",
     .formats = "sv memh csv json arrivals systemc fusesoc msccl-xml chakra-et",
     .pin_level = true,
     .folds = true},
    {.name = "relay/combining",
     .holds = is_relayed_sum,
     .proof = "every send, with the set of contributors",
     .cost = "",
     .engines = "fast systemc rtl",
     .formats = "sv csv arrivals fusesoc"},
    {.name = "timetable",
     .holds = holds_program<TimetableProgram>,
     .proof = "one router for all, every router, or one period of every router",
     .cost = "ROM bits and slots",
     .engines = "fast systemc rtl",
     .formats = "sv arrivals fusesoc msccl-xml chakra-et",
     .pin_level = true,
     .folds = true},
    {.name = "relay",
     .holds = holds_program<RelayProgram>,
     .proof = "every send",
     .cost = "header and list bits",
     .engines = "fast systemc rtl",
     .formats = "sv csv json arrivals dot fusesoc msccl-xml chakra-et"},
    queued("queued/prefix", is_prefix),
    queued("queued/line", is_line),
    queued("queued/classes", is_classes),
    queued("queued/exchange", is_personal_queued, "phases; queues of an exchange replayed"),
    queued("queued", holds_program<QueuedProgram>),
});

std::string kind_of(const Plan& plan) {
  return fmt::format("{} {} plans ({})", plan.algorithm, plan.collective, discipline_of(plan).name);
}

}  // namespace

bool Discipline::has_engine(std::string_view engine) const { return has_word(engines, engine); }
bool Discipline::has_format(std::string_view format) const { return has_word(formats, format); }

std::span<const Discipline> disciplines() { return kDisciplines; }

const Discipline& discipline_of(const Plan& plan) {
  return *std::find_if(kDisciplines.begin(), kDisciplines.end(),
                       [&plan](const Discipline& row) { return row.holds(plan); });
}

void require_engine(const Plan& plan, std::string_view engine) {
  const Discipline& row = discipline_of(plan);
  if (row.has_engine(engine)) return;
  throw InputError(fmt::format("the {} engine does not run {}; use {}", engine, kind_of(plan),
                               joined(words_of(row.engines), " or ")));
}

void require_format(const Plan& plan, std::string_view format) {
  const Discipline& row = discipline_of(plan);
  if (row.has_format(format)) return;
  const std::string others = row.formats.empty()
                                 ? ", nor has any other"
                                 : fmt::format("; use {}", joined(words_of(row.formats), ", "));
  throw InputError(fmt::format("format {}: has no words for the routers of {}{}", format,
                               kind_of(plan), others));
}

}  // namespace gossamer
