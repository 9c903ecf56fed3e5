// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "document.hpp"
#include "embedded.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/emit/machine_defaults.hpp"
#include "gossamer/machines/stream/cost.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/linker_name.hpp"
#include "gossamer/util/words.hpp"
#include "stream_proofs.hpp"

namespace gossamer {

namespace {

/// Own packets start in both directions and go straight on. By induction, an input port receives in
/// step t what its neighbour received there in step t - 1: the packet of the node t links away.
bool is_by_distance(const Plan& plan, const StreamProgram& program) {
  const Topology& ring = plan.topology;
  if (ring.dimensions() != 1 || !ring.is_torus() || !ring.is_healthy() || ring.side(0) < 2 ||
      program.frame() != 1 || plan.demand != Demand::all_gather(1)) {
    return false;
  }
  for (NodeId node = 0; node < ring.nodes(); ++node) {
    for (const Port port : all_ports(ring.ports())) {
      const StreamPort straight{PortSet::of(opposite(port)), {}, 0, {0}};
      if (!(program.at(node, port) == straight)) return false;
    }
  }
  return true;
}

class StreamMachine final : public MachineDefaults {
 public:
  StreamMachine()
      : MachineDefaults(
            {.name = "stream",
             .summary = "output ports repeat input ports, each through a queue",
             .proof = "cycles, windows, translations, walks, or every link's stream from the "
                      "root; else replay",
             .formats = "sv sv-table sv-rule memh csv json arrivals dot graphml systemc fusesoc "
                        "msccl-xml chakra-et",
             .embeds = true,
             .moves = true}) {}

  [[nodiscard]] SharedProgram read(ProgramSource& source) const override {
    return read_stream(source);
  }
  void write(const Program& program, DocumentWriter& out) const override {
    write_stream(told(program), out);
  }
  [[nodiscard]] bool reads_older(std::string_view discipline,
                                 const Document& document) const override {
    const auto& program = document.root.at("program");
    return discipline == "framed-stream" ||
           (discipline == "stream" && !program.contains("combine") && !program.contains("elastic"));
  }
  void upgrade_version_1(Document& document) const override { upgrade_stream(document); }
  void check(const Plan& plan, const std::string& place) const override {
    check_stream(told(plan), plan.topology, plan.demand, place);
  }
  [[nodiscard]] std::map<std::string, ParameterValue> parameters(const Plan& plan) const override {
    if (plan.demand.from == Origin::kRoot) return {};
    return {{"packets", static_cast<std::int64_t>(plan.demand.pieces)}};
  }
  [[nodiscard]] EmbeddedProgram embedded(const Program& program,
                                         const Embedding& embedding) const override {
    return embedded_stream(told(program), embedding);
  }

  [[nodiscard]] RunFacts run_facts(const Plan& plan) const override {
    const StreamProgram& program = told(plan);
    // The last switch is past, and every packet has been around every feed cycle after the longest
    // lists.
    std::uint64_t longest = 1;
    std::uint64_t last_switch = 0;
    for (const StreamPort& entry : program.dictionary()) {
      longest = std::max<std::uint64_t>(longest, entry.preload.size());
      last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
    }
    const std::uint64_t frame = program.frame();
    return {.settled_after = last_switch + frame * frame * plan.topology.link_slots() * longest,
            .folds = plan.demand.from != Origin::kRoot,
            .buffer_accesses = plan.expected.queue_depth > 1 ? 2U : 0U,
            .goes_on = true,
            .by_distance = is_by_distance(plan, program)};
  }
  [[nodiscard]] std::unique_ptr<Engine> fast(const Plan& plan,
                                             const EngineOptions& /*options*/) const override {
    return make_stream_engine(plan, told(plan));
  }
  [[nodiscard]] Verdict prove(const Plan& plan, const Progress& progress) const override {
    return prove_stream(plan, progress);
  }

  [[nodiscard]] RouterCost cost(const Plan& plan) const override {
    const StreamProgram& program = told(plan);
    // From a root: the input port that feeds an output port, or none, or the node itself.
    const auto ports = static_cast<std::uint64_t>(program.ports());
    const std::uint64_t bits = plan.demand.from == Origin::kRoot
                                   ? ports * static_cast<std::uint64_t>(std::bit_width(ports + 1))
                                   : stream_table_bits(program);
    return {.table_bits = bits,
            .packets = static_cast<std::uint64_t>(program.ports()) * plan.expected.queue_depth};
  }
  [[nodiscard]] std::string no_format(const Plan& plan, std::string_view format) const override {
    if (plan.demand.from == Origin::kRoot && !has_word("sv arrivals systemc fusesoc", format)) {
      return "does not support packets of one root";
    }
    if (told(plan).frame() > 1 && has_word("sv-table sv-rule dot graphml", format)) {
      return "does not support frames";
    }
    return {};
  }
  [[nodiscard]] std::vector<EmittedFile> emit(const Plan& plan,
                                              std::string_view format) const override {
    using namespace emit_detail;
    if (format == "sv-table") return emit_sv_table(plan);
    if (format == "sv-rule") return emit_sv_rule(plan);
    if (format == "memh") return emit_memh(plan);
    if (format == "csv") return emit_csv(plan);
    if (format == "json") return emit_json(plan);
    if (format == "dot") return emit_dot(plan);
    if (format == "graphml") return emit_graphml(plan);
    if (format == "systemc") return emit_stream_systemc(plan);
    return emit_stream_sv(plan);
  }

 private:
  static const StreamProgram& told(const Program& program) {
    return dynamic_cast<const StreamProgram&>(program);
  }
  static const StreamProgram& told(const Plan& plan) { return plan.program.as<StreamProgram>(); }
};

const StreamMachine kMachine;
const MachineRegistration kRegistration(kMachine);

}  // namespace

const Machine& StreamProgram::machine() const { return kMachine; }

}  // namespace gossamer

GOSSAMER_LINKER_NAME(gossamer_machine_stream)
