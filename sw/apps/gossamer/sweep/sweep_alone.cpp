// SPDX-License-Identifier: Apache-2.0
/// SweepTeam in a build without MPI: this process is always the only one.
#include "gossamer/util/error.hpp"
#include "sweep_team.hpp"

namespace gossamer::cli {

SweepTeam::SweepTeam() {
  if (started_by_mpirun()) throw InputError("sweep: this build has no MPI; run it without mpirun");
}

SweepTeam::~SweepTeam() = default;

std::size_t SweepTeam::run(const std::vector<const SweepJob*>& /*jobs*/,
                           const std::function<bool(const SweepJob&, const std::string&)>& /*keep*/,
                           const Progress& /*progress*/) {
  return 0;
}

void SweepTeam::serve(const std::function<std::string(const SweepJob&)>& /*measure*/) {}

}  // namespace gossamer::cli
