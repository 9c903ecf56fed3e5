// SPDX-License-Identifier: Apache-2.0
/// Workloads as input of ASTRA-sim.
///
/// ASTRA-sim ignores the bytes of a workload's node where its collective is custom, so each row has
/// traces of its own. A type of collective that has several rows, or runs in communicator groups,
/// needs a list of custom collectives by node. A communicator group keeps the first custom
/// collective of each type, so each row has its own groups.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gossamer/compare/workload.hpp"
#include "gossamer/compose/groups.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/foreign/export.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "workload_parts.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kPicosecondsPerMicrosecond = 1'000'000;
/// ASTRA-sim multiplies the number of a group by 10^6 in 32 bits with a sign.
constexpr std::uint64_t kMostCommunicators = 2147;
/// Nodes of all traces together, about 60 bytes each.
constexpr std::uint64_t kMostTraceNodes = std::uint64_t{1} << 23U;
constexpr const char* kPerNodeFile = "per-node.yml";
constexpr const char* kCommunicatorFile = "workload.json";

/// A row of the workload as a custom collective.
struct AstraRow {
  std::string name;
  foreign::AstraCollective type;
  std::uint64_t chunk_bytes = 0;
  GroupLayout layout;
  /// Number of the first of its communicator groups; 0 without groups.
  std::uint64_t first_communicator = 0;
};

/// Throws InputError for a plan that Chakra traces cannot express.
void require_traces(const Plan& plan) {
  const std::string cause = format_defect(plan, "chakra-et");
  if (cause.empty()) return;
  throw InputError(fmt::format("format astra-sim: {} ({} {}); nearest feasible: another algorithm",
                               cause, plan.algorithm, field_name(plan.collective)));
}

class AstraExport {
 public:
  explicit AstraExport(const WorkloadResult& result) : result_(result) {
    const Topology& topology = result.topology;
    if (topology.cores() != topology.nodes()) {
      throw InputError(
          fmt::format("format astra-sim: all ranks take part there; {} of {} nodes are alive",
                      topology.cores(), topology.nodes()));
    }
    if (result.times.timeline.size() * topology.nodes() > kMostTraceNodes) {
      throw InputError(fmt::format(
          "format astra-sim: {} runs of steps on {} nodes; up to {} in all are expected",
          result.times.timeline.size(), topology.nodes(), kMostTraceNodes));
    }
    for (std::size_t row = 0; row < result.rows.size(); ++row) {
      compare::at_step(first_step_of(row), [&] { add_row(row); });
    }
  }

  std::vector<EmittedFile> files() {
    make_nodes();
    add_traces();
    add_communicators();
    add(foreign::astra_system(of_types(), per_node_.empty() ? "" : kPerNodeFile));
    if (!per_node_.empty()) files_.push_back({kPerNodeFile, per_node_});
    add(foreign::astra_network(result_.topology, result_.quantities, true));
    add(foreign::astra_memory());
    files_.push_back({"README", readme()});
    return std::move(files_);
  }

 private:
  void add(foreign::ExportedFile file) {
    files_.push_back({std::move(file.name), std::move(file.contents), std::move(file.warnings)});
  }

  [[nodiscard]] const WorkloadStep& first_step_of(std::size_t row) const {
    const auto& row_of = result_.row_of;
    return result_.workload.steps[static_cast<std::size_t>(
        std::find(row_of.begin(), row_of.end(), row) - row_of.begin())];
  }

  /// The traces of a plan, or of the plan of one group.
  void add_row(std::size_t row) {
    const Plan& plan = result_.rows[row].plan;
    const auto& groups = plan.demand.groups;
    if (groups && groups->longest_stride() > 1) {
      throw InputError(
          "format astra-sim: --group-stride: nodes of other groups are between the members, which "
          "traces of one group do not have");
    }
    const Plan own = groups ? guest_plan(plan) : plan;
    require_traces(own);
    PhysicalQuantities quantities = result_.quantities;
    quantities.bytes = result_.rows[row].request.bytes;
    const std::uint64_t packets = physical_figures(own, quantities).packets;
    const foreign::MscclSchedule schedule = foreign::export_schedule(own, foreign::moves_of(own));
    AstraRow astra{compare::row_name(result_, row), foreign::astra_collective(schedule.collective),
                   (quantities.bytes + packets - 1) / packets, GroupLayout(plan.topology, groups)};
    if (groups) {
      astra.first_communicator = next_communicator_;
      next_communicator_ += astra.layout.groups();
      if (next_communicator_ > kMostCommunicators + 1) {
        throw InputError(
            fmt::format("format astra-sim: the groups of all collectives are more than {}",
                        kMostCommunicators));
      }
    }
    for (auto& file : foreign::collective_traces(schedule, astra.name, astra.chunk_bytes)) {
      add(std::move(file));
    }
    rows_.push_back(std::move(astra));
  }

  /// Rows of the type; a type with one row and no groups needs no list by node.
  [[nodiscard]] bool is_of_type(const AstraRow& row) const {
    return row.first_communicator == 0 &&
           std::count_if(rows_.begin(), rows_.end(), [&](const AstraRow& other) {
             return other.type.type == row.type.type;
           }) == 1;
  }
  [[nodiscard]] std::vector<foreign::CustomCollective> of_types() const {
    std::vector<foreign::CustomCollective> collectives;
    for (const AstraRow& row : rows_) {
      if (is_of_type(row)) collectives.push_back({row.type.key, row.name});
    }
    return collectives;
  }

  /// A node per run, numbered by start, in which order ASTRA-sim then prefers them.
  void make_nodes() {
    const auto& steps = result_.workload.steps;
    // The last run of each step that has begun.
    std::vector<std::uint64_t> last(steps.size());
    for (const TimedRun& run : result_.times.timeline) {
      const WorkloadStep& step = steps[run.step];
      foreign::TraceNode node;
      node.id = nodes_.size();
      node.name = step.repeat == 1 ? step.name : fmt::format("{} {}", step.name, run.run + 1);
      if (run.run > 0) node.after.push_back(last[run.step]);
      if (run.run == 0) {
        for (const std::size_t before : step.after) node.after.push_back(last[before]);
      }
      last[run.step] = node.id;
      const auto row = result_.row_of[run.step];
      if (row) {
        node.collective = rows_[*row].type;
        node.bytes = result_.rows[*row].request.bytes;
        if (!is_of_type(rows_[*row])) {
          append_format(per_node_, "{}: {}\n", node.id, rows_[*row].name);
        }
      } else {
        node.micros =
            (step.picoseconds + kPicosecondsPerMicrosecond - 1) / kPicosecondsPerMicrosecond;
        if (step.picoseconds % kPicosecondsPerMicrosecond != 0) ++rounded_;
      }
      nodes_.push_back(std::move(node));
      row_of_node_.push_back(row);
    }
  }

  void add_traces() {
    for (NodeId rank = 0; rank < result_.topology.nodes(); ++rank) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!row_of_node_[i]) continue;
        const AstraRow& row = rows_[*row_of_node_[i]];
        if (row.first_communicator == 0) continue;
        nodes_[i].group = row.first_communicator + row.layout.group(rank);
      }
      files_.push_back({fmt::format("workload.{}.et", rank), foreign::workload_trace(nodes_), {}});
      if (rank == 0 && rounded_ > 0) {
        files_.back().warnings.push_back(
            fmt::format("{} rounded up to whole microseconds, the unit of traces",
                        counted(rounded_, "computation")));
      }
    }
  }

  void add_communicators() {
    std::vector<std::string> lines;
    for (const AstraRow& row : rows_) {
      if (row.first_communicator == 0) continue;
      for (NodeId group = 0; group < row.layout.groups(); ++group) {
        std::vector<NodeId> ranks;
        for (NodeId member = 0; member < row.layout.members(); ++member) {
          ranks.push_back(row.layout.node(group, member));
        }
        lines.push_back(
            fmt::format("  \"{}\": [{}]", row.first_communicator + group, joined(ranks, ", ")));
      }
    }
    if (!lines.empty())
      files_.push_back({kCommunicatorFile, "{\n" + joined(lines, ",\n") + "\n}\n"});
  }

  [[nodiscard]] std::string readme() const {
    const Topology& topology = result_.topology;
    std::string text = fmt::format(
        "A workload of {} on the {} {} for ASTRA-sim, written by gossamer emit.\n\n"
        "Run in this directory, with the analytical back end:\n\n"
        "  AstraSim_Analytical_Congestion_Aware \\\n"
        "    --workload-configuration=workload \\\n",
        counted(result_.workload.steps.size(), "step"), topology.dims_text(), topology.kind());
    if (next_communicator_ > 1) {
      append_format(text, "    --comm-group-configuration={} \\\n", kCommunicatorFile);
    }
    text +=
        "    --system-configuration=system.json \\\n"
        "    --network-configuration=network.yml \\\n"
        "    --remote-memory-configuration=memory.json\n\n"
        "Custom collectives (NAME.RANK.et):\n";
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const WorkloadRow& planned = result_.rows[row];
      append_format(text, "  {}: {} of {}, groups {}, {}, chunks of {} bytes, {} cycles\n",
                    rows_[row].name, field_name(planned.request.collective),
                    bytes_text(planned.request.bytes), compare::groups_text(planned.plan),
                    planned.plan.algorithm, rows_[row].chunk_bytes, planned.cycles);
    }
    append_format(text, "Total by gossamer workload: {} cycles\n", result_.times.total);
    return text;
  }

  const WorkloadResult& result_;
  std::vector<AstraRow> rows_;
  std::uint64_t next_communicator_ = 1;
  std::vector<foreign::TraceNode> nodes_;
  std::vector<std::optional<std::size_t>> row_of_node_;
  /// Contents of kPerNodeFile.
  std::string per_node_;
  /// Computations that are no whole number of microseconds.
  std::uint64_t rounded_ = 0;
  std::vector<EmittedFile> files_;
};

}  // namespace

std::vector<EmittedFile> astra_sim_files(const WorkloadResult& result) {
  return AstraExport(result).files();
}

}  // namespace gossamer
