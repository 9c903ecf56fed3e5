// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "gossamer/emit/emit.hpp"
#include "gossamer/gossip/hamiltonian.hpp"
#include "gossamer/verify/verify.hpp"
#include "gossamer/version.hpp"

int main() {
  const gossamer::Plan plan =
      gossamer::plan_hamiltonian(gossamer::Topology::torus(std::array{5U, 4U}), {});
  const gossamer::Verdict verdict = gossamer::verify(plan);
  std::printf("gossamer %s: proved %llu steps\n", gossamer::kVersion,
              static_cast<unsigned long long>(verdict.steps.value_or(0)));
  // What the libraries below the highest layer need from others has to be found, too.
  const bool emitted = gossamer::emit_files(plan, "msccl-xml").size() == 1;
  return verdict.ok() && emitted ? 0 : 1;
}
