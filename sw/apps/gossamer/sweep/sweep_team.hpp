// SPDX-License-Identifier: Apache-2.0
/// A sweep under `mpirun -n N`: process 0 owns the results and hands out jobs, the others measure.
/// sweep_team.cpp does it over MPI; a build without MPI has sweep_alone.cpp instead.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gossamer/util/progress.hpp"
#include "sweep_job.hpp"

namespace gossamer::cli {

/// Open MPI and the launchers that speak PMI say so to the processes that they start.
[[nodiscard]] inline bool started_by_mpirun() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
         std::getenv("PMIX_RANK") != nullptr;
}

/// This process among those that mpirun started; without mpirun the only one, and MPI is not
/// touched. One object a process, since MPI starts and ends with it.
class SweepTeam {
 public:
  SweepTeam();
  SweepTeam(const SweepTeam&) = delete;
  SweepTeam& operator=(const SweepTeam&) = delete;
  /// Process 0 sends home everybody whom run() has not, also when an error ends it; each goes when
  /// the job at hand is measured.
  ~SweepTeam();

  /// This process measures what process 0 hands out.
  [[nodiscard]] bool is_member() const { return rank_ != 0; }
  /// There is somebody to hand jobs to.
  [[nodiscard]] bool has_members() const { return rank_ == 0 && size_ > 1; }

  /// Process 0: hands out all jobs, one at a time to each member, and gives each one's result text
  /// to `keep`, which returns false when it is none. Members with another version of the program
  /// get no job. Returns how many results were none; throws InputError when all have another
  /// version.
  std::size_t run(const std::vector<const SweepJob*>& jobs,
                  const std::function<bool(const SweepJob&, const std::string&)>& keep,
                  const Progress& progress);

  /// The others: until there is no more to do. `measure` returns a result text, empty without one.
  void serve(const std::function<std::string(const SweepJob&)>& measure);

 private:
  int rank_ = 0;
  int size_ = 1;
  /// Process 0: members that still wait for an answer or measure.
  int at_work_ = 0;
};

}  // namespace gossamer::cli
