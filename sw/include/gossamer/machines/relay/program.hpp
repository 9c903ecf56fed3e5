// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `relay`, which uses cut-through: sender, receiver, step and path of
/// every message.
///
/// Broadcast: one message starts at the source. In a step a holder sends it over any number of
/// links to one node, which then also holds it. Reduction: every node has a message. In the first
/// `adding_steps` steps a receiver combines the arriving message with its own, flit by flit; in
/// later steps the arriving message replaces its own. The program is the list of all sends, grouped
/// by step. A path is stored once in a dictionary, so a send takes 8 bytes (a plan for 10^6 nodes:
/// 8 MB). The configuration of a router depends on the algorithm:
///  - `rule` set, no `source_orders`: only its own coordinate parities and the header;
///  - `rule` set with `source_orders`: only the source holds explicit targets, all others as above;
///  - no `rule`: every node holds the list of its own sends (`sends_by_node`);
///  - `ports` is kFanOut: every node copies arriving flits to a fixed set of output ports.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gossamer/plan/message_clock.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A straight stretch of a path.
struct RelaySegment {
  /// Direction of every hop of the stretch.
  Port port = 0;
  /// Hops, >= 1.
  std::uint16_t hops = 0;

  bool operator==(const RelaySegment&) const = default;
};

/// The path of one send: its stretches in order. A path is *dimension-ordered* when no dimension
/// occurs twice; it is then an order of the dimensions and a signed number of hops for each.
using RelayPath = std::vector<RelaySegment>;

/// Hops of the whole path.
[[nodiscard]] std::uint32_t path_hops(const RelayPath& path);
/// True when no dimension occurs twice.
[[nodiscard]] bool is_dimension_ordered(const RelayPath& path);

/// One send of the message.
struct RelaySend {
  NodeId from = 0;
  /// Number in the program's dictionary of paths.
  std::uint32_t path = 0;

  bool operator==(const RelaySend&) const = default;
};

/// Concurrent actions of a router.
enum class RelayPorts : std::uint8_t {
  /// Send to one node, or receive, or idle (the model of Cang & Wu).
  kOnePort,
  /// Send to one node and receive from one at the same time (reductions).
  kDuplex,
  /// Copy a passing message to several output ports (the `tree` algorithm).
  kFanOut
};

/// The table-free rule of the `eye` algorithm (docs/spec/broadcast.md, sections 3 and 9).
///
/// Steps are numbered by level j = K .. 1 (K the largest of `levels`) and within a level by the
/// dimensions i with levels[i] >= j. In the step of (j, i) every holder sends straight along i over
/// a_j = (2^j - (-1)^j) / 3 hops: towards + iff parity(x_i) xor side bit i xor parity(j) is 1.
struct EyeRule {
  /// log2 of each side.
  std::array<std::uint8_t, kMaxDimensions> levels{};
  /// Bit i: the header's side bit of dimension i. All zero on a mesh.
  std::uint8_t side_bits = 0;
  /// Empty: the source also obeys the rule. Otherwise entry K - j is the order of the dimensions in
  /// the source's block at level j (the block with origin a multiple of 2^j): the source sends by
  /// the plan's explicit paths, the other holders of its block by the rule in that order, and all
  /// other blocks by the rule in ascending order.
  std::vector<DimensionOrder> source_orders;

  bool operator==(const EyeRule&) const = default;
};

/// The sends of one broadcast or reduction. See the file header.
class RelayProgram final : public ProgramOf<RelayProgram> {
 public:
  /// A program without any step.
  explicit RelayProgram(NodeId source) : source_(source) {}

  /// Source of a broadcast; the demand's root of a reduction.
  [[nodiscard]] NodeId source() const { return source_; }
  [[nodiscard]] std::uint32_t steps() const {
    return static_cast<std::uint32_t>(step_begin_.size() - 1);
  }
  /// The sends of a step, 1 .. steps(), in ascending order of the sender.
  [[nodiscard]] std::span<const RelaySend> sends(std::uint32_t step) const {
    return std::span<const RelaySend>(sends_).subspan(step_begin_[step - 1],
                                                      step_begin_[step] - step_begin_[step - 1]);
  }
  /// The sends of all steps.
  [[nodiscard]] std::span<const RelaySend> sends() const { return sends_; }
  [[nodiscard]] const RelayPath& path(const RelaySend& send) const { return paths_[send.path]; }
  /// The dictionary of paths.
  [[nodiscard]] const std::vector<RelayPath>& paths() const { return paths_; }

  /// Number of a path in the dictionary; a new path is added. A path has at least one stretch, and
  /// each stretch at least one hop (std::invalid_argument).
  std::uint32_t intern(const RelayPath& path);
  /// Adds a send to the step under construction.
  void add_send(NodeId from, const RelayPath& path) { sends_.push_back({from, intern(path)}); }
  /// The same with a number that `intern` returned.
  void add_send(NodeId from, std::uint32_t path) { sends_.push_back({from, path}); }
  /// Closes the step under construction; the next send opens a new one.
  void end_step();

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  /// Equal sends in equal steps; the numbering of the paths does not matter.
  bool operator==(const RelayProgram& other) const;

  MessageClock clock;
  RelayPorts ports = RelayPorts::kOnePort;
  std::optional<EyeRule> rule;
  /// Reductions: number of initial steps whose receivers combine; 0 in a broadcast.
  std::uint32_t adding_steps = 0;
  /// Reductions: cycles of an adder, up to kMaxAdderCycles. A flit is combined in its cycle of
  /// arrival, and stored so many cycles later.
  std::uint32_t adder_cycles = 0;

  /// Cycles from the last arrival in a step, 1 .. steps(), to the first flits of the next one:
  /// the relay cycles, and until the sum of the first flit that arrived is there.
  [[nodiscard]] std::uint32_t pause_after(std::uint32_t step) const {
    if (step > adding_steps || adder_cycles + 1 <= clock.flits) return clock.relay_cycles;
    return std::max(clock.relay_cycles, adder_cycles + 1 - clock.flits);
  }

 private:
  NodeId source_;
  /// sends_[step_begin_[s - 1] .. step_begin_[s]) are the sends of step s.
  std::vector<std::uint32_t> step_begin_{0};
  std::vector<RelaySend> sends_;
  std::vector<RelayPath> paths_;
  /// Dictionary entries by hash of their content.
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
};

/// The sends node by node, each node's in step order: the per-node lists of the hardware.
struct SendsByNode {
  struct Entry {
    std::uint32_t step = 0;
    std::uint32_t path = 0;
  };
  /// entries[begin[v] .. begin[v + 1]) are the entries of node v.
  std::vector<std::uint32_t> begin;
  std::vector<Entry> entries;

  [[nodiscard]] std::span<const Entry> of(NodeId node) const {
    return std::span<const Entry>(entries).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};
/// Throws std::out_of_range when a sender is not a node of the topology.
[[nodiscard]] SendsByNode sends_by_node(const Topology& topology, const RelayProgram& program);

/// Configuration of a router of a fan-out program, for the whole run: all flits that enter by the
/// one input port leave by all ports of `out`, and are delivered to the node.
struct FanOutEntry {
  /// The input port of the message; kOwn at the source.
  Port in = 0;
  PortSet out;

  static constexpr Port kOwn = 0xff;
  bool operator==(const FanOutEntry&) const = default;
};
/// The time-independent table of a fan-out program whose sends are single hops, by node id. Throws
/// std::invalid_argument for other programs.
[[nodiscard]] std::vector<FanOutEntry> fan_out_table(const Topology& topology,
                                                     const RelayProgram& program);

/// The end of a path from `from`; kNoNode when it leaves the mesh or crosses a dead link.
[[nodiscard]] NodeId path_end(const Topology& topology, NodeId from, const RelayPath& path);

/// Calls visit(hop, node, out_port) for every link of a path that stays in the topology.
template <typename Visit>
void walk_path(const Topology& topology, NodeId from, const RelayPath& path, Visit visit) {
  std::uint32_t hop = 0;
  for (const RelaySegment& segment : path) {
    for (std::uint32_t i = 0; i < segment.hops; ++i) {
      visit(hop++, from, segment.port);
      from = topology.neighbor(from, segment.port);
    }
  }
}

}  // namespace gossamer
