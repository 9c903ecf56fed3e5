// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "gossamer/topology/displacement.hpp"
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
/// What the routers of a timetable may learn.
constexpr std::uint64_t kKnowledgeBytes = std::uint64_t{4} << 30;

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
    if (exchange_) {
      at_.assign(program.packets_per_node(), 0);
    } else {
      known_.reserve(std::min(missing_, steps_ * static_cast<std::uint64_t>(program.ports())));
    }
    verdict_.method = ProofMethod::kSchedule;
    verdict_.link_transfers = 0;
    verdict_.duplicates = 0;
  }

  Verdict run() {
    std::uint64_t step = 1;
    for (; step <= steps_ && missing_ != 0; ++step) execute(step);
    verdict_.complete = missing_ == 0 && misplaced_ == 0;
    if (verdict_.complete) verdict_.steps = step - 1;
    if (missing_ != 0) {
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
    moved_.clear();
    for (const Port out_port : all_ports(program_.ports())) {
      const SeenPacket sent = read(step, out_port);
      if (sent.empty()) continue;
      // The neighbour in direction `in_port` sends the same from where it stands.
      const Port in_port = opposite(out_port);
      const NodeId origin = topology_.neighbor(sent.origin, in_port);
      if (origin == kNoNode) {
        note(fmt::format("step {}, out-port {}: there is no link", step, port_name(out_port)));
        continue;
      }
      ++*verdict_.link_transfers;
      arrivals[in_port] = {origin, sent.packet};
      if (!exchange_) {
        deliver(arrivals[in_port]);
      } else if (at_[sent.packet] == displacement(topology_, sent.origin, 0)) {
        moved_.push_back(arrivals[in_port]);
      } else {
        ++misplaced_;
        note(fmt::format("step {}, out-port {}: packet {} is sent, but is somewhere else by now",
                         step, port_name(out_port), sent.packet));
      }
    }
    for (const SeenPacket& packet : moved_) move(packet);
    store(step, arrivals);
  }

  /// Of an exchange: the packet has moved, to its destination or away from it.
  void move(const SeenPacket& packet) {
    const NodeId goal = packet.packet + 1;
    NodeId& at = at_[packet.packet];
    if (at == goal) ++missing_;
    at = displacement(topology_, packet.origin, 0);
    if (at == goal) --missing_;
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
    const std::uint64_t at =
        std::uint64_t{packet.origin} * program_.packets_per_node() + packet.packet;
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
    for (const Port in_port : all_ports(program_.ports())) {
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
  /// Of an exchange, where each packet is one thing in one place: its displacement from its origin
  /// by packet, what moves in this step, and what was sent from where it was not.
  std::vector<NodeId> at_;
  std::vector<SeenPacket> moved_;
  std::uint64_t misplaced_ = 0;
  Verdict verdict_;
};

Verdict prove(const Topology& topology, const ScheduleProgram& program, std::uint64_t limit,
              bool exchange) {
  if (!topology.routers_are_alike()) {
    throw InputError("program: one ROM for all routers is for a torus without faults only");
  }
  return SymbolicRouter(topology, program, limit, exchange).run();
}

/// All routers of a timetable, each by its own ROM.
class TimetableWalk {
 public:
  /// `exchange`: a packet is for one node, else for all.
  TimetableWalk(const Topology& topology, const ScheduleProgram& program, std::uint64_t limit,
                bool exchange)
      : topology_(topology),
        program_(program),
        steps_(std::min(program.steps(), limit)),
        k_(program.packets_per_node()),
        slots_(std::size_t{topology.nodes()} * program.slots(), kNoPacket),
        occupied_(topology.nodes(), 0),
        exchange_(exchange),
        missing_(topology.nodes(), 0) {
    const std::size_t nodes = topology.nodes();
    if (exchange) {
      for (std::size_t packet = 0; packet < nodes * nodes; ++packet) {
        at_.push_back(static_cast<NodeId>(packet / nodes));
      }
      moves_.assign(topology.link_slots(), false);
      missing_.assign(nodes, k_);
      incomplete_ = k_ == 0 ? 0 : nodes;
    } else {
      known_.assign(nodes * nodes * k_, false);
      begin_all_gather();
    }
    verdict_.method = ProofMethod::kSchedule;
    verdict_.link_transfers = 0;
    verdict_.duplicates = 0;
  }

  Verdict run() {
    std::uint64_t step = 1;
    std::vector<PacketId> links(topology_.link_slots(), kNoPacket);
    for (; step <= steps_ && incomplete_ != 0; ++step) {
      for (NodeId node = 0; node < topology_.nodes(); ++node) send(step, node, links);
      for (NodeId node = 0; node < topology_.nodes(); ++node) receive(step, node, links);
    }
    verdict_.complete = incomplete_ == 0 && misplaced_ == 0;
    if (verdict_.complete) verdict_.steps = step - 1;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (missing_[node] != 0) {
        note(fmt::format("node {} never gets {} of {} packets", node, missing_[node],
                         exchange_ ? k_ : std::uint64_t{topology_.cores()} * k_));
      }
    }
    return std::move(verdict_);
  }

 private:
  void begin_all_gather() {
    const std::uint64_t packets = std::uint64_t{topology_.cores()} * k_;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (!topology_.has_core(node)) continue;
      missing_[node] = packets - k_;
      incomplete_ += missing_[node] == 0 ? 0U : 1U;
      for (std::uint32_t c = 0; c < k_; ++c) known_[at(node, PacketId{node} * k_ + c)] = true;
    }
  }

  [[nodiscard]] std::size_t at(NodeId node, PacketId packet) const {
    return std::size_t{node} * topology_.nodes() * k_ + packet;
  }
  [[nodiscard]] PacketId own(NodeId node, std::uint32_t index) const {
    if (!exchange_) return PacketId{node} * k_ + index;
    return PacketId{node} * topology_.nodes() + displaced(topology_, node, index + 1);
  }
  void lacks_less(NodeId node) {
    if (--missing_[node] == 0) --incomplete_;
  }
  void note(std::string problem) {
    if (verdict_.problems.size() < kProblemLimit) verdict_.problems.push_back(std::move(problem));
  }

  void send(std::uint64_t step, NodeId node, std::vector<PacketId>& links) {
    const std::uint32_t rom = program_.class_of(node);
    for (const Port port : all_ports(topology_.ports())) {
      PacketId& link = links[topology_.link(node, port)];
      link = kNoPacket;
      const PacketSource source = program_.source(step, port, rom);
      if (source.kind == PacketSource::Kind::kIdle) continue;
      const auto place = [&] {
        return fmt::format("node {}, step {}, out-port {}", node, step, port_name(port));
      };
      if (topology_.neighbor(node, port) == kNoNode) {
        note(place() + ": there is no live link");
      } else if (source.kind == PacketSource::Kind::kOwn) {
        link = own(node, source.index);
        if (!topology_.has_core(node)) {
          ++misplaced_;
          note(place() + ": the core is dead and has no packets");
        }
      } else {
        link = slots_[std::size_t{node} * program_.slots() + source.index];
        if (link == kNoPacket) {
          note(fmt::format("{}: slot {} is read before anything is in it", place(), source.index));
        }
      }
      if (link == kNoPacket) continue;
      ++*verdict_.link_transfers;
      if (!exchange_) continue;
      moves_[topology_.link(node, port)] = at_[link] == node;
      if (at_[link] != node) {
        ++misplaced_;
        note(fmt::format("{}: packet {} is sent, but is somewhere else by now", place(), link));
      }
    }
  }

  /// Of an exchange: the packet has moved, to its destination or away from it.
  void move(PacketId packet, NodeId to) {
    const auto goal = static_cast<NodeId>(packet % topology_.nodes());
    if (at_[packet] == goal && missing_[goal]++ == 0) ++incomplete_;
    at_[packet] = to;
    if (to == goal) lacks_less(goal);
  }

  void receive(std::uint64_t step, NodeId node, const std::vector<PacketId>& links) {
    const std::uint32_t rom = program_.class_of(node);
    std::array<std::uint32_t, kMaxPorts> written{};
    std::size_t writes = 0;
    for (const Port port : all_ports(topology_.ports())) {
      const LinkId link = topology_.link_into(node, port);
      const PacketId packet = link == kNoLink ? kNoPacket : links[link];
      const auto slot = program_.store(step, port, rom);
      if (packet == kNoPacket) {
        if (slot) {
          note(fmt::format("node {}, step {}, in-port {}: nothing arrives to be stored", node, step,
                           port_name(port)));
        }
        continue;
      }
      if (exchange_) {
        if (moves_[link]) move(packet, node);
      } else if (!topology_.has_core(static_cast<NodeId>(packet / k_))) {
        // Nothing to anybody.
      } else if (known_[at(node, packet)]) {
        ++*verdict_.duplicates;
      } else {
        known_[at(node, packet)] = true;
        if (missing_[node] != 0) lacks_less(node);
      }
      if (!slot) continue;
      const auto end = written.begin() + static_cast<std::ptrdiff_t>(writes);
      if (std::find(written.begin(), end, *slot) != end) {
        ++*verdict_.link_conflicts;
        note(fmt::format("node {}, step {}, in-port {}: slot {} is already written in this step",
                         node, step, port_name(port), *slot));
      } else {
        written[writes++] = *slot;
      }
      PacketId& kept = slots_[std::size_t{node} * program_.slots() + *slot];
      if (kept == kNoPacket) {
        verdict_.max_queue = std::max<std::uint64_t>(*verdict_.max_queue, ++occupied_[node]);
      }
      kept = packet;
    }
  }

  const Topology& topology_;
  const ScheduleProgram& program_;
  std::uint64_t steps_;
  std::uint32_t k_;
  /// By node and slot.
  std::vector<PacketId> slots_;
  std::vector<std::uint32_t> occupied_;
  bool exchange_;
  /// By node and packet; of an exchange by packet the node where it is.
  std::vector<bool> known_;
  std::vector<NodeId> at_;
  /// Of an exchange, by link: what is on it was where it was sent from.
  std::vector<bool> moves_;
  std::uint64_t misplaced_ = 0;
  /// By node: packets that it wants and has not.
  std::vector<std::uint64_t> missing_;
  std::uint64_t incomplete_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_schedule(const Topology& topology, const ScheduleProgram& program,
                       std::uint64_t limit) {
  if (program.classes().empty()) return prove(topology, program, limit, false);
  const std::uint64_t bytes =
      std::uint64_t{topology.nodes()} * topology.nodes() * program.packets_per_node() / 8;
  if (bytes > kKnowledgeBytes) {
    throw InputError(fmt::format("verify: what {} routers learn would take {} MiB, {} allowed",
                                 topology.nodes(), bytes >> 20U, kKnowledgeBytes >> 20U));
  }
  return TimetableWalk(topology, program, limit, false).run();
}

Verdict prove_exchange_schedule(const Topology& topology, const ScheduleProgram& program,
                                std::uint64_t limit) {
  if (program.classes().empty()) return prove(topology, program, limit, true);
  return TimetableWalk(topology, program, limit, true).run();
}

}  // namespace gossamer
