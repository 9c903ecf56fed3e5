// SPDX-License-Identifier: Apache-2.0
/// Descriptions of sweeps: every job that one stands for has a key that names it.
#include <vector>

#include "fuzz.hpp"
#include "program.hpp"
#include "sweep/sweep_spec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gossamer;
  static const testing::ScratchDirectory directory;
  const std::string file = directory.file("sweep.yaml");
  testing::write_text(file, std::string(reinterpret_cast<const char*>(data), size));
  std::vector<cli::SweepJob> jobs;
  fuzz::accepted([&] { jobs = cli::read_sweep_spec(file, 1000); });
  for (const cli::SweepJob& job : jobs) {
    const std::string key = job.key();
    fuzz::require(cli::SweepJob::from_key(key).key() == key, "another job has the key " + key);
  }
  return 0;
}
