// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "formats.hpp"
#include "gossamer/foreign/export.hpp"

namespace gossamer::emit_detail {

std::vector<EmittedFile> emit_msccl(const Plan& plan) {
  std::ostringstream text;
  foreign::write_msccl(foreign::export_schedule(plan, foreign::moves_of(plan)), text);
  return {{"algorithm.xml", text.str()}};
}

std::vector<EmittedFile> emit_chakra(const Plan& plan, std::uint64_t chunk_bytes) {
  std::vector<EmittedFile> files;
  for (foreign::ExportedFile& file : foreign::chakra_files(
           foreign::export_schedule(plan, foreign::moves_of(plan)), plan.topology, chunk_bytes)) {
    files.push_back({std::move(file.name), std::move(file.contents)});
  }
  return files;
}

}  // namespace gossamer::emit_detail
