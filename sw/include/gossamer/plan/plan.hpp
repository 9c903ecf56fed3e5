// SPDX-License-Identifier: Apache-2.0
/// The plan: the one document that planners write and verifier, engines and emitters read.
///
/// A plan says on which topology, which collective, by which algorithm, and what every router is
/// told: its *program*. There is one program type per router discipline (a std::variant), because
/// the machines differ; everything else is common. The *demand* says what must be true in the end,
/// and nobody downstream guesses it from anything else. Figures that the planner expects stand
/// beside the program; no reader downstream believes them, every one of them is checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/elastic.hpp"
#include "gossamer/plan/queued_program.hpp"
#include "gossamer/plan/relay_program.hpp"
#include "gossamer/plan/schedule_program.hpp"
#include "gossamer/plan/timetable_program.hpp"
#include "gossamer/plan/tree_program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The most packets a node may inject.
inline constexpr std::uint32_t kMaxPacketsPerNode = 1024;

/// What one out-port does for the whole run (gather form): the in-ports that feed it and the own
/// packets that it sends first.
///
/// Machine model (docs/spec/gossip.md, section 1): each out-port holds a FIFO, preloaded with
/// `preload`; in every step it sends its head, then the arrivals of the in-ports that feed it are
/// appended in ascending in-port order. A time-independent program has no early feed.
struct PortProgram {
  /// In-ports whose arrivals are appended, in steps >= switch_step.
  PortSet feed;
  /// In-ports whose arrivals are appended in steps < switch_step.
  PortSet early_feed;
  /// First step of `feed`; 0 when there is no switch (then early_feed is empty).
  std::uint32_t switch_step = 0;
  /// Indices 0 .. packets_per_node-1 of own packets, in sending order.
  std::vector<std::uint16_t> preload;
  /// Combining programs: the lane whose register the out-port is (plan/combination.hpp). Without
  /// one it passes on.
  std::optional<std::uint8_t> lane{};
  /// Elastic programs: chunks that the out-port sends in a round, own ones included, which is what
  /// the in-port at the far end of its link takes. Unused (0) elsewhere.
  std::uint32_t carries = 0;

  /// The in-ports that feed the port in `step`.
  [[nodiscard]] PortSet feed_at(std::uint64_t step) const {
    return step < switch_step ? early_feed : feed;
  }
  /// True when some step has more than one feeding in-port.
  [[nodiscard]] bool has_fan_in() const { return feed.has_several() || early_feed.has_several(); }

  bool operator==(const PortProgram&) const = default;
};

/// Store-and-forward streams: every router's hardwired table.
///
/// Two or more streams can share a link by turns: steps come in frames, and step s is slot
/// (s - 1) mod frame. Every out-port has one FIFO a slot and in each step serves the slot's own
/// one; a feed names an in-port and the slot in which the packet arrives. In a frame of several
/// slots the program's port p * frame + slot stands for out-port or in-port p in that slot;
/// PortSet's 16 bits allow 2d * frame <= 16. A frame of 1 is the plain machine.
///
/// A plan for 10^6 nodes has few *distinct* port programs, so they are kept once, in a dictionary,
/// and each (node, out-port) holds its number: 2d bytes a node while there are at most 256 of them
/// (every plan of the `hamiltonian` algorithm), 4d bytes beyond.
class StreamProgram {
 public:
  /// A program of `nodes` routers, all idle. `ports` counts every port once for each slot.
  StreamProgram(std::uint32_t nodes, int ports, std::uint32_t packets_per_node,
                std::uint32_t frame = 1);

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  /// Ports of a router times the slots of the frame.
  [[nodiscard]] int ports() const { return ports_; }
  /// Steps in a frame.
  [[nodiscard]] std::uint32_t frame() const { return frame_; }
  /// Own packets of each node, 1 .. kMaxPacketsPerNode.
  [[nodiscard]] std::uint32_t packets_per_node() const { return packets_per_node_; }

  /// The dictionary; entry 0 is the idle port.
  [[nodiscard]] const std::vector<PortProgram>& dictionary() const { return dictionary_; }
  /// Number in the dictionary of a port program, added when it is new.
  std::uint32_t intern(const PortProgram& program);
  /// The dictionary entry of an out-port.
  [[nodiscard]] std::uint32_t code(NodeId node, Port out_port) const {
    const std::size_t at = slot(node, out_port);
    return wide_.empty() ? narrow_[at] : wide_[at];
  }
  /// Gives an out-port the dictionary entry `code` (< dictionary().size()).
  void set_code(NodeId node, Port out_port, std::uint32_t code);
  [[nodiscard]] const PortProgram& at(NodeId node, Port out_port) const {
    return dictionary_[code(node, out_port)];
  }
  void set(NodeId node, Port out_port, const PortProgram& program) {
    set_code(node, out_port, intern(program));
  }

  /// A frame of 1, no fan-in, no switch and no preload list longer than one: every router is a
  /// fixed wiring with one register an out-port.
  [[nodiscard]] bool is_plain() const;
  /// Bytes held, capacity included.
  [[nodiscard]] std::uint64_t memory_bytes() const;

  bool operator==(const StreamProgram& other) const;

  /// What is combined on the way, and how; empty where packets are copied.
  std::optional<Combination> combine;
  /// Routers that wait for each other; empty where all links take a step. A program may have both
  /// (plan/elastic_words.hpp).
  std::optional<Elastic> elastic;

 private:
  [[nodiscard]] std::size_t slot(NodeId node, Port out_port) const {
    return std::size_t{node} * static_cast<std::size_t>(ports_) + out_port;
  }

  std::uint32_t nodes_;
  int ports_;
  std::uint32_t packets_per_node_;
  std::uint32_t frame_;
  std::vector<PortProgram> dictionary_;
  /// Dictionary entries by hash of their content.
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
  /// Codes while the dictionary has at most 256 entries; else empty.
  std::vector<std::uint8_t> narrow_;
  /// Codes from 257 entries on; else empty.
  std::vector<std::uint16_t> wide_;
};

/// One program type per router discipline.
using Program = std::variant<StreamProgram, ScheduleProgram, RelayProgram, QueuedProgram,
                             TimetableProgram, TreeProgram>;

/// What the planner promises. Unknown figures are empty.
struct ExpectedFigures {
  /// Steps by the algorithm's own exact formula.
  std::optional<std::uint64_t> analytic_steps;
  /// Steps that nobody can beat on this topology (bounds/gossip.hpp).
  std::optional<std::uint64_t> lower_bound_steps;
  /// Upper bound that the paper's theorem promises, where there is one.
  std::optional<std::uint64_t> bound_steps;
  /// Clock cycles by the exact formula (single-flit gossip: equal to the steps; elastic streams:
  /// until the last flit is taken, when nobody stalls).
  std::optional<std::uint64_t> analytic_cycles;
  /// Broadcast: hops of all sends together (total communication distance) by the exact formula.
  std::optional<std::uint64_t> analytic_tcd;
  /// The hardware's buffer depth in packets. Streams: the longest FIFO of any out-port, the head
  /// included. Schedules: the slots of the packet buffer. Elastic streams: flits of an out-port's
  /// queue.
  std::uint32_t queue_depth = 1;

  bool operator==(const ExpectedFigures&) const = default;
};

/// An algorithm's parameter as the plan records it.
using ParameterValue = std::variant<bool, std::int64_t, std::string>;

struct Plan {
  /// The members in their order.
  Plan(Topology network, std::string what, std::string how,
       std::map<std::string, ParameterValue> options, Demand wanted, Program told,
       ExpectedFigures figures);
  // Not in the header: all programs' code is in each of them.
  Plan(const Plan& other);
  Plan(Plan&& other) noexcept;
  Plan& operator=(const Plan& other);
  Plan& operator=(Plan&& other) noexcept;
  ~Plan();

  Topology topology;
  /// "gossip", "broadcast", ...
  std::string collective;
  /// The algorithm's name as on the command line.
  std::string algorithm;
  /// The algorithm's parameters, by name.
  std::map<std::string, ParameterValue> parameters;
  /// What must be true in the end.
  Demand demand;
  Program program;
  ExpectedFigures expected;

  bool operator==(const Plan&) const = default;
};

/// Throws InputError for a schedule of one ROM for all routers on a network whose routers are not
/// alike (Topology::routers_are_alike).
void require_rom_for_all(const Plan& plan);

/// Slots of the plan's frame; 1 for a plan without frames.
[[nodiscard]] std::uint32_t frame_of(const Plan& plan);

/// The piece that is own packet `index` of `node` in a stream or schedule: number index of the
/// node's packets_per_node, and in a total exchange the one for the node at offset index + 1.
[[nodiscard]] PacketId own_piece(const Plan& plan, NodeId node, std::uint32_t index);

/// The elastic part of a plan's stream program; null if there is no such part.
[[nodiscard]] const Elastic* elastic_of(const Plan& plan);

/// Packet numbers of each node (Demand::ids_per_node); 1 where packets belong to no node.
[[nodiscard]] std::uint32_t packets_per_node(const Plan& plan);

}  // namespace gossamer
