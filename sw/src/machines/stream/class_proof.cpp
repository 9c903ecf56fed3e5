// SPDX-License-Identifier: Apache-2.0
/// The proof for every stream program: one router for each class of nodes that translations of the
/// torus map to one another, followed step by step (stream_routers.hpp explains why this is
/// enough). If no translation maps the tables to themselves this is a replay of the whole network,
/// and is reported as one.
#include <fmt/format.h>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"
#include "stream_proofs.hpp"
#include "stream_routers.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kWordBits = 64;
constexpr std::uint64_t kKnowledgeLimitBytes = std::uint64_t{16} << 30;
constexpr std::uint64_t kProgressSteps = 256;

/// The packets that the representatives have.
class Knowledge {
 public:
  Knowledge(const Topology& topology, std::uint32_t packets_per_node,
            const TranslationLattice& lattice)
      : topology_(topology),
        all_cores_(topology.faults().dead_cores.empty()),
        k_(packets_per_node),
        packets_(std::uint64_t{topology.cores()} * k_),
        words_((std::uint64_t{topology.nodes()} * k_ + kWordBits - 1) / kWordBits),
        known_(checked_words(lattice.classes()), 0),
        missing_(lattice.classes(), packets_ - k_),
        incomplete_(lattice.classes()) {
    for (std::uint32_t c = 0; c < lattice.classes(); ++c) {
      const NodeId node = topology.node(lattice.representative(c));
      if (!topology.has_core(node)) {
        // Forwards, but requires nothing; with faults every node is a class of its own.
        missing_[c] = kWantsNothing;
        --incomplete_;
        continue;
      }
      for (std::uint32_t number = 0; number < k_; ++number) (void)add(c, node, number);
    }
  }

  void deliver(std::uint32_t class_index, const StreamRouters::Packet& packet) {
    // Packets of a node without a core do not count.
    if (!all_cores_ && !topology_.has_core(packet.origin)) return;
    if (!add(class_index, packet.origin, packet.number)) {
      ++duplicates_;
    } else if (missing_[class_index] != kWantsNothing && --missing_[class_index] == 0) {
      --incomplete_;
    }
  }

  [[nodiscard]] bool complete() const { return incomplete_ == 0; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t missing(std::uint32_t class_index) const {
    return missing_[class_index] == kWantsNothing ? 0 : missing_[class_index];
  }
  [[nodiscard]] std::uint64_t packets() const { return packets_; }

 private:
  static constexpr std::uint64_t kWantsNothing = ~std::uint64_t{0};

  [[nodiscard]] std::size_t checked_words(std::uint64_t classes) const {
    const std::uint64_t bytes = classes * words_ * sizeof(std::uint64_t);
    if (bytes > kKnowledgeLimitBytes) {
      throw InputError(
          fmt::format("verify: no closed form covers this plan, and a replay of {} routers would "
                      "take {} MiB; the limit is {}",
                      classes, bytes >> 20U, kKnowledgeLimitBytes >> 20U));
    }
    return classes * words_;
  }
  /// False if it was already known.
  bool add(std::uint32_t class_index, NodeId origin, std::uint32_t number) {
    const std::uint64_t packet = std::uint64_t{origin} * k_ + number;
    std::uint64_t& word = known_[class_index * words_ + packet / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << (packet % kWordBits);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

  const Topology& topology_;
  bool all_cores_;
  std::uint32_t k_;
  std::uint64_t packets_;
  std::uint64_t words_;
  std::vector<std::uint64_t> known_;
  std::vector<std::uint64_t> missing_;
  std::uint64_t incomplete_;
  std::uint64_t duplicates_ = 0;
};

/// A node that sends packets of its own without a core to give it any; kNoNode as a rule.
NodeId sender_without_core(const Topology& topology, const StreamProgram& program) {
  for (const NodeId node : topology.faults().dead_cores) {
    for (const Port port : all_ports(program.ports())) {
      if (!program.at(node, port).preload.empty()) return node;
    }
  }
  return kNoNode;
}

}  // namespace

Verdict prove_by_classes(const Plan& plan, const TranslationLattice& lattice, std::uint64_t limit,
                         const Progress& progress) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<StreamProgram>();
  StreamRouters machine(topology, program, plan.expected.queue_depth, lattice);
  Knowledge knowledge(topology, program.packets_per_node(), lattice);
  const std::uint64_t expected = plan.expected.analytic_steps.value_or(limit);
  std::uint64_t step = 0;
  while (step < limit && !knowledge.complete() && !machine.own_in_the_way()) {
    machine.send(++step);
    for (std::uint32_t c = 0; c < machine.classes(); ++c) {
      for (const Port port : all_ports(topology.ports())) {
        const StreamRouters::Packet& packet = machine.arrival(c, port);
        if (!packet.empty()) knowledge.deliver(c, packet);
      }
    }
    machine.forward(step);
    if (progress && step % kProgressSteps == 0) progress("verify", step, expected);
  }

  const bool whole = lattice.classes() == topology.nodes();
  const std::uint64_t members = topology.nodes() / lattice.classes();
  Verdict verdict;
  verdict.method = whole ? "replay" : "translations";
  if (machine.own_in_the_way()) {
    verdict.link_conflicts.reset();
    verdict.max_queue.reset();
    verdict.problems.push_back(fmt::format(
        "in step {} a packet finds a queue of depth {} full of own packets that wait to be sent",
        step, plan.expected.queue_depth));
    return verdict;
  }
  const NodeId coreless = sender_without_core(topology, program);
  verdict.complete = knowledge.complete() && coreless == kNoNode;
  verdict.link_transfers = machine.transfers() * members;
  verdict.duplicates = knowledge.duplicates() * members;
  verdict.link_conflicts = machine.conflicts() * members;
  verdict.max_queue = machine.max_queue();
  if (verdict.complete) {
    verdict.steps = step;
    return verdict;
  }
  if (coreless != kNoNode) {
    verdict.problems.push_back(
        fmt::format("node {} sends own packets, but its core is dead", coreless));
  }
  for (NodeWalk walk(topology); !walk.done() && verdict.problems.size() <= kMaxListedNodes;
       walk.next()) {
    Coordinates at = walk.coordinates();
    const std::uint64_t missing = knowledge.missing(lattice.reduce(at));
    if (missing != 0) list_missing(verdict, walk.node(), missing, knowledge.packets());
  }
  return verdict;
}

}  // namespace gossamer
