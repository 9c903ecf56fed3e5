// SPDX-License-Identifier: Apache-2.0
/// The gossip algorithms as the registry calls them.
#include <array>

#include "algorithm_lists.hpp"
#include "gossamer/gossip/array.hpp"
#include "gossamer/gossip/folded.hpp"
#include "gossamer/gossip/hamiltonian.hpp"
#include "gossamer/gossip/one_packet_paper.hpp"
#include "gossamer/gossip/two_packet.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

Plan hamiltonian(const PlanRequest& request) {
  HamiltonianOptions options;
  if (const auto k = number_option(request, "packets", 1, kMaxPacketsPerNode)) {
    options.packets_per_node = static_cast<std::uint32_t>(*k);
  }
  return plan_hamiltonian(request.topology, options);
}

Plan array(const PlanRequest& request) {
  ArrayOptions options;
  if (const auto k = number_option(request, "packets", 1, kMaxPacketsPerNode)) {
    options.packets_per_node = static_cast<std::uint32_t>(*k);
  }
  return plan_array(request.topology, options);
}

Plan folded(const PlanRequest& request) {
  if (request.topology.is_torus()) {
    throw InfeasibleError("folded: lays a torus on a mesh; nearest feasible: --topology mesh");
  }
  PlanRequest torus{Topology::torus(request.topology.sides()), request.collective, "hamiltonian",
                    request.parameters, request.progress};
  if (const auto found = torus.parameters.find("torus-algorithm");
      found != torus.parameters.end()) {
    const auto* name = std::get_if<std::string>(&found->second);
    if (name == nullptr) throw InputError("option --torus-algorithm: a name is expected");
    torus.algorithm = *name;
    torus.parameters.erase(found);
  }
  return plan_folded(make_plan(torus));
}

Plan two_packet(const PlanRequest& request) {
  return plan_two_packet(request.topology, {flag_option(request, "time-independent")});
}

Plan one_packet(const PlanRequest& request) {
  return plan_one_packet_paper(request.topology,
                               {flag_option(request, "time-independent"), std::nullopt});
}

constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"gossip", Shapes::kTorus, "hamiltonian",
     "d edge-disjoint Hamiltonian cycles, every packet both ways round one",
     "torus, all sides >= 3 (also sides of 2, each beside an even one, with limits for d >= 3); k "
     "= "
     "d packets: floor(P/2) steps, the lower bound; k = 2d: P - 1; buffer 1; fully "
     "time-independent",
     "packets", hamiltonian},
    {"gossip", Shapes::kMesh, "array",
     "both ways round one Hamiltonian cycle of the mesh, or all but a corner",
     "mesh; an even number of nodes: ceil(k (P-1) / 2) steps, the lower bound in 2-D, buffer 1 for "
     "k <= 2; all sides odd: k ((P-1)/2 + 2), buffer 2k; a line: k (P-1), the lower bound; fully "
     "time-independent",
     "packets", array},
    {"gossip", Shapes::kMesh, "folded",
     "a torus plan laid on the mesh, two mesh steps a torus step",
     "mesh of up to 4 dimensions, torus plans without fan-in; twice the torus' steps: with "
     "hamiltonian, k = 2d packets in 2 (P-1), the lower bound, k = d in 2 floor(P/2), within one "
     "of it; tables alternate with the parity of the step",
     "packets torus-algorithm", folded},
    {"gossip", Shapes::kTorus, "two-packet",
     "the paper's two cycles of a 2-D torus, two packets a node, one each way round each cycle",
     "2-D torus: P/2 steps with both sides even (buffer 1) or one side C odd (one switch, buffer "
     "C + 1; --time-independent: P/2 + C + 1 steps, buffer 2); 2 x odd: P/2 + 1; both odd: "
     "hamiltonian stands in",
     "time-independent", two_packet},
    {"gossip", Shapes::kTorus, "one-packet",
     "the paper's d cycles of laps, one packet a node, neighbours supply the nodes off a cycle",
     "torus, d = 2..6, in some axis order n1 a multiple of d, n2..n(d-1) of n1, nd >= d (and a few "
     "more): about P/2d + P/2nd steps with one switch; more with --time-independent (buffer 1)",
     "time-independent", one_packet},
});

}  // namespace

std::span<const Algorithm> gossip_algorithms() { return kAlgorithms; }

}  // namespace gossamer
