// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "document.hpp"
#include "emit.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/machines/elastic/engine.hpp"
#include "gossamer/machines/elastic/standstill.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/linker_name.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

/// `flits` to `standstill` of a report.
class ElasticPart final : public ReportPart {
 public:
  explicit ElasticPart(const Elastic& elastic)
      : flits_(elastic.flits()),
        chunk_(elastic.chunk),
        rounds_(elastic.rounds),
        slots_(elastic.slots) {}

  void add_json(const Report& report, nlohmann::ordered_json& json) const override {
    json["flits"] = flits_;
    json["chunk"] = chunk_;
    json["rounds"] = rounds_;
    json["slots"] = slots_;
    json["standstill"] = or_null(report.standstill);
  }
  void add_planned(const Report& /*report*/, ReportTable& table) const override {
    table.text("flits", fmt::format("{} a packet, {} of {}, queues of {}", flits_,
                                    counted(rounds_, "round"), chunk_, slots_));
  }

 private:
  std::uint64_t flits_;
  std::uint64_t chunk_;
  std::uint64_t rounds_;
  std::uint64_t slots_;
};

class ElasticMachine final : public MachineDefaults {
 public:
  ElasticMachine()
      : MachineDefaults(
            {.name = "elastic",
             .summary = "routers use valid/ready back-pressure",
             .proof = "rings and trees in closed form; otherwise each node's takes, and a sweep "
                      "over the flits",
             .formats = "sv systemc fusesoc",
             .embeds = true,
             .moves = true}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    return read_elastic(source);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    write_elastic(told(program), out);
  }
  [[nodiscard]] std::span<const std::string_view> tables() const override {
    static constexpr std::array kTables{kProgramTablePath, kLatencyTablePath};
    return kTables;
  }
  [[nodiscard]] bool reads_older(std::string_view discipline,
                                 const Document& document) const override {
    return discipline == "stream" && document.root.at("program").contains("elastic");
  }
  void check(const Plan& plan, const std::string& place) const override {
    check_elastic(told(plan), plan.topology, plan.demand, place);
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    std::map<std::string, ParameterValue> said = {
        {"flits", static_cast<std::int64_t>(told(plan).elastic.flits())}};
    if (!plan.demand.combines()) {
      said["packets"] = static_cast<std::int64_t>(plan.demand.pieces);
    }
    return said;
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const std::uint64_t flits = told(plan).elastic.flits();
    return {.trace = TraceForm::kTakes,
            .flits_per_piece = flits,
            .breaks = LinkBreaks::kBeforeRun,
            .own_flits = RunFacts::OwnFlits{flits, 1},
            .words_per_piece = plan.demand.combines() ? flits : 1,
            .stalls = true};
  }
  [[nodiscard]] std::vector<std::uint32_t> link_latencies(const Plan& plan) const override {
    return told(plan).elastic.latency.by_link(plan.topology);
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& options) const override {
    return make_fast_elastic_engine(plan, options.stalls.value_or(StallScript()),
                                    options.arithmetic);
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& /*progress*/) const override {
    return prove_elastic(plan);
  }
  [[nodiscard]] std::unique_ptr<RunMonitor> monitor(const Plan& plan) const override {
    return std::make_unique<TakeCounter>(plan);
  }
  [[nodiscard]] std::shared_ptr<const ReportPart> report_part(const Plan& plan) const override {
    return std::make_shared<ElasticPart>(told(plan).elastic);
  }

  [[nodiscard]] std::uint64_t additions(const Plan& plan) const override {
    if (!plan.demand.combines()) return 0;
    // Both directions of a ring bring parts of a sum to one node: a tree of additions, per flit.
    return plan.demand.pieces * told(plan).elastic.flits() * (plan.topology.cores() - 1);
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    const ElasticProgram& program = told(plan);
    return {.flits = static_cast<std::uint64_t>(program.ports()) * program.elastic.slots};
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    if (format == "systemc") return MachineDefaults::emit(plan, format);
    return emit_detail::emit_elastic_sv(plan);
  }

 private:
  static const ElasticProgram& told(const Program& program) {
    return dynamic_cast<const ElasticProgram&>(program);
  }
  static const ElasticProgram& told(const Plan& plan) { return plan.program.as<ElasticProgram>(); }
};

const ElasticMachine kMachine;
const MachineRegistration kRegistration(kMachine);

}  // namespace

const Machine& ElasticProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_elastic)
