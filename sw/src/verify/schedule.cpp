// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// A packet as a router sees it: the displacement of its origin from here, and its number there.
struct SeenPacket {
  NodeId origin = kNoNode;
  std::uint32_t packet = 0;

  [[nodiscard]] bool empty() const { return origin == kNoNode; }
};

/// Problems are listed up to this many; a damaged ROM has them by the thousand.
constexpr std::size_t kProblemLimit = 20;

/// The node at the negated displacement.
NodeId opposite_of(const Topology& topology, NodeId displacement) {
  Coordinates at = topology.coordinates(displacement);
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    std::uint32_t& x = at[static_cast<std::size_t>(dim)];
    x = (topology.side(dim) - x) % topology.side(dim);
  }
  return topology.node(at);
}

/// One router with the eyes of the symmetry.
class SymbolicRouter {
 public:
  /// `exchange`: a packet is for one node, else for all.
  SymbolicRouter(const Topology& topology, const ScheduleProgram& program, std::uint64_t limit,
                 bool exchange)
      : topology_(topology),
        program_(program),
        steps_(std::min(program.steps(), limit)),
        slots_(program.slots()),
        packets_(topology.nodes() *
                 (exchange ? std::uint64_t{1} : std::uint64_t{program.packets_per_node()})),
        missing_(packets_ - (exchange ? 1 : program.packets_per_node())),
        exchange_(exchange) {
    known_.reserve(std::min(missing_, steps_ * static_cast<std::uint64_t>(program.ports())));
    verdict_.method = ProofMethod::kSchedule;
    verdict_.link_transfers = 0;
    verdict_.duplicates = 0;
  }

  Verdict run() {
    std::uint64_t step = 1;
    for (; step <= steps_ && missing_ != 0; ++step) execute(step);
    if (missing_ == 0) {
      verdict_.complete = true;
      verdict_.steps = step - 1;
    } else {
      note(fmt::format("every node lacks {} of {} packets", missing_, packets_));
    }
    // From one router to all of them.
    const std::uint64_t nodes = topology_.nodes();
    *verdict_.link_conflicts *= nodes;
    *verdict_.link_transfers *= nodes;
    *verdict_.duplicates *= nodes;
    return std::move(verdict_);
  }

 private:
  void execute(std::uint64_t step) {
    std::array<SeenPacket, kMaxPorts> arrivals;
    for (int p = 0; p < program_.ports(); ++p) {
      const auto out_port = static_cast<Port>(p);
      const SeenPacket sent = read(step, out_port);
      if (sent.empty()) continue;
      ++*verdict_.link_transfers;
      // The neighbour in direction `in_port` sends the same from where it stands.
      const Port in_port = opposite(out_port);
      arrivals[in_port] = {topology_.neighbor(sent.origin, in_port), sent.packet};
      deliver(arrivals[in_port]);
    }
    store(step, arrivals);
  }

  SeenPacket read(std::uint64_t step, Port out_port) {
    const PacketSource source = program_.source(step, out_port);
    if (source.kind == PacketSource::Kind::kIdle) return {};
    if (source.kind == PacketSource::Kind::kOwn) return {0, source.index};
    const SeenPacket& packet = slots_[source.index];
    if (packet.empty()) {
      note(fmt::format("step {}, out-port {}: slot {} is read before anything is in it", step,
                       port_name(out_port), source.index));
    }
    return packet;
  }

  void deliver(const SeenPacket& packet) {
    std::uint64_t at = std::uint64_t{packet.origin} * program_.packets_per_node() + packet.packet;
    if (exchange_) {
      // For this router when its origin's offset to here is the packet's.
      at = packet.packet + std::uint64_t{1};
      if (opposite_of(topology_, packet.origin) != at) return;
    }
    // The own packets, of displacement 0, are known from the start.
    if (packet.origin == 0 || !known_.insert(at).second) {
      ++*verdict_.duplicates;
      return;
    }
    --missing_;
  }

  void store(std::uint64_t step, const std::array<SeenPacket, kMaxPorts>& arrivals) {
    std::array<std::uint32_t, kMaxPorts> written{};
    std::size_t writes = 0;
    for (int p = 0; p < program_.ports(); ++p) {
      const auto in_port = static_cast<Port>(p);
      const auto slot = program_.store(step, in_port);
      if (!slot) continue;
      if (arrivals[in_port].empty()) {
        note(fmt::format("step {}, in-port {}: nothing arrives to be stored", step,
                         port_name(in_port)));
        continue;
      }
      const auto end = written.begin() + static_cast<std::ptrdiff_t>(writes);
      if (std::find(written.begin(), end, *slot) != end) {
        ++*verdict_.link_conflicts;
        note(fmt::format("step {}, in-port {}: slot {} is already written in this step", step,
                         port_name(in_port), *slot));
      } else {
        written[writes++] = *slot;
      }
      if (slots_[*slot].empty()) ++*verdict_.max_queue;
      slots_[*slot] = arrivals[in_port];
    }
  }

  void note(std::string problem) {
    if (verdict_.problems.size() < kProblemLimit) verdict_.problems.push_back(std::move(problem));
  }

  const Topology& topology_;
  const ScheduleProgram& program_;
  std::uint64_t steps_;
  std::vector<SeenPacket> slots_;
  std::uint64_t packets_;
  /// What has arrived, by displacement of the origin and packet number: never more than the ROM has
  /// words for, however many nodes a short file says there are.
  std::unordered_set<std::uint64_t> known_;
  std::uint64_t missing_;
  bool exchange_;
  Verdict verdict_;
};

Verdict prove(const Topology& topology, const ScheduleProgram& program, std::uint64_t limit,
              bool exchange) {
  if (!topology.is_torus()) {
    throw InputError("program: a schedule runs on a torus only; this plan's topology is a mesh");
  }
  return SymbolicRouter(topology, program, limit, exchange).run();
}

}  // namespace

Verdict prove_schedule(const Topology& topology, const ScheduleProgram& program,
                       std::uint64_t limit) {
  return prove(topology, program, limit, false);
}

Verdict prove_exchange_schedule(const Topology& topology, const ScheduleProgram& program,
                                std::uint64_t limit) {
  return prove(topology, program, limit, true);
}

}  // namespace gossamer
