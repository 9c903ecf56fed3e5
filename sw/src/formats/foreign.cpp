// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

/// The schedule of one group, whose nodes are the ranks of a communicator.
Plan plan_of_ranks(const Plan& plan) { return plan.demand.groups ? guest_plan(plan) : plan; }

}  // namespace

std::vector<EmittedFile> emit_msccl(const Plan& whole) {
  const Plan plan = plan_of_ranks(whole);
  require_all_ranks(plan, "msccl-xml");
  const foreign::MscclSchedule schedule = foreign::export_schedule(plan, foreign::moves_of(plan));
  std::ostringstream text;
  foreign::write_msccl(schedule, text);
  return {{"algorithm.xml", text.str(), foreign::runtime_limits(schedule)}};
}

std::vector<EmittedFile> emit_chakra(const Plan& whole, std::optional<std::uint64_t> chunk_bytes) {
  const Plan plan = plan_of_ranks(whole);
  require_all_ranks(plan, "chakra-et");
  const std::optional<PhysicalQuantities> physical = quantities_of(plan);
  if (!chunk_bytes && physical) {
    const std::uint64_t packets = physical_figures(plan, *physical).packets;
    chunk_bytes = (physical->bytes + packets - 1) / packets;
  }
  std::vector<EmittedFile> files;
  for (foreign::ExportedFile& file :
       foreign::chakra_files(foreign::export_schedule(plan, foreign::moves_of(plan)), plan.topology,
                             chunk_bytes.value_or(kDefaultChunkBytes), physical)) {
    files.push_back({std::move(file.name), std::move(file.contents), std::move(file.warnings)});
  }
  return files;
}

}  // namespace gossamer::emit_detail
