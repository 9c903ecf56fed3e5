// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "formats.hpp"
#include "gossamer/compose/groups.hpp"
#include "gossamer/foreign/export.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

/// In other programs' schedules every rank takes part.
void require_all_ranks(const Plan& plan, std::string_view format) {
  if (plan.topology.cores() == plan.topology.nodes()) return;
  throw InputError(fmt::format("format {}: all ranks take part there; {} of {} nodes are alive",
                               format, plan.topology.cores(), plan.topology.nodes()));
}

/// The plan of one group, whose nodes are the ranks of a communicator, and its schedule.
struct RankSchedule {
  Plan plan;
  foreign::MscclSchedule schedule;
};
RankSchedule schedule_of_ranks(const Plan& whole, std::string_view format) {
  const Plan plan = whole.demand.groups ? guest_plan(whole) : whole;
  require_all_ranks(plan, format);
  if (!plan.demand.groups) {
    return {plan, foreign::export_schedule(plan, foreign::moves_of(plan))};
  }
  const Plan one = plan_of_one_group(plan);
  const auto make = [&plan](const EngineOptions& options) {
    return make_first_group_engine(plan, options);
  };
  return {one, foreign::export_schedule(one, foreign::moves_of(one, make))};
}

}  // namespace

std::vector<EmittedFile> emit_msccl(const Plan& plan) {
  const foreign::MscclSchedule schedule = schedule_of_ranks(plan, "msccl-xml").schedule;
  std::ostringstream text;
  foreign::write_msccl(schedule, text);
  return {{"algorithm.xml", text.str(), foreign::runtime_limits(schedule)}};
}

std::vector<EmittedFile> emit_chakra(const Plan& whole, std::optional<std::uint64_t> chunk_bytes) {
  const RankSchedule ranks = schedule_of_ranks(whole, "chakra-et");
  std::optional<PhysicalQuantities> physical = quantities_of(whole);
  if (!chunk_bytes && physical) {
    const std::uint64_t packets = physical_figures(whole, *physical).packets;
    chunk_bytes = (physical->bytes + packets - 1) / packets;
  }
  if (physical && whole.demand.groups) {
    // A step between members takes as many steps of the network as the stride: to the ranks, links
    // have a slower clock. All dimensions have the same links there.
    physical->hertz =
        std::max<std::uint64_t>(physical->hertz / whole.demand.groups->longest_stride(), 1);
  }
  std::vector<EmittedFile> files;
  for (foreign::ExportedFile& file :
       foreign::chakra_files(ranks.schedule, ranks.plan.topology,
                             chunk_bytes.value_or(kDefaultChunkBytes), physical)) {
    files.push_back({std::move(file.name), std::move(file.contents), std::move(file.warnings)});
  }
  return files;
}

}  // namespace gossamer::emit_detail
