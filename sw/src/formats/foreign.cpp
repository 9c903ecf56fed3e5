// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sstream>

#include "formats.hpp"
#include "gossamer/foreign/export.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

/// In other programs' schedules every rank takes part.
void require_all_ranks(const Plan& plan, std::string_view format) {
  if (plan.topology.cores() == plan.topology.nodes()) return;
  throw InputError(fmt::format("format {}: all ranks take part there; {} of {} nodes are alive",
                               format, plan.topology.cores(), plan.topology.nodes()));
}

}  // namespace

std::vector<EmittedFile> emit_msccl(const Plan& plan) {
  require_all_ranks(plan, "msccl-xml");
  const foreign::MscclSchedule schedule = foreign::export_schedule(plan, foreign::moves_of(plan));
  std::ostringstream text;
  foreign::write_msccl(schedule, text);
  return {{"algorithm.xml", text.str(), foreign::runtime_limits(schedule)}};
}

std::vector<EmittedFile> emit_chakra(const Plan& plan, std::uint64_t chunk_bytes) {
  require_all_ranks(plan, "chakra-et");
  std::vector<EmittedFile> files;
  for (foreign::ExportedFile& file : foreign::chakra_files(
           foreign::export_schedule(plan, foreign::moves_of(plan)), plan.topology, chunk_bytes)) {
    files.push_back({std::move(file.name), std::move(file.contents)});
  }
  return files;
}

}  // namespace gossamer::emit_detail
