// SPDX-License-Identifier: Apache-2.0
/// When the elements and links of an elastic network stall: a script that every engine obeys, so
/// that all of them have the same gates open in the same cycles.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// What a gate holds up. Two are ratchets: what they let through once stays.
enum class Gate : std::uint8_t {
  /// s: the node offers its next own flit to an out-port; offered, it stays.
  kOffer,
  /// m: the node accepts from an in-port in this cycle.
  kAccept,
  /// v: the link shows its next flit at an in-port of the receiver; shown, it stays.
  kShow,
};
inline constexpr int kGates = 3;

/// No cycle.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Gates that open by chance.
struct RandomStalls {
  std::uint32_t seed = 0;
  /// By gate: cycles of 256 in which it is open.
  std::array<std::uint32_t, kGates> rates{};
  /// Nodes start in cycles 0 .. skew - 1; 0: all in cycle 0.
  std::uint32_t skew = 0;
};

class StallScript {
 public:
  /// Nobody stalls.
  StallScript() = default;
  /// "random:SEED:S,M,V[:SKEW]", rates of 256 in which gates are open (256: always, 0: never) and
  /// how many cycles nodes start apart; anything else is the name of a file. Throws InputError.
  [[nodiscard]] static StallScript parse(const std::string& text, const Topology& topology);
  /// Closed windows: lines `kind,node,port,cycle,length`, kind s, m or v (or 0, 1, 2), the port by
  /// name or number, - for all nodes or ports and for a length without end; an empty line or one
  /// that begins with # or "kind" says nothing. `name` stands in messages. Throws InputError.
  [[nodiscard]] static StallScript read(std::istream& in, std::string_view name,
                                        const Topology& topology);

  /// The first cycle in which the node offers own flits.
  [[nodiscard]] std::uint64_t start(NodeId node) const;
  /// Gates of kOffer stand at out-ports, the others at in-ports.
  [[nodiscard]] bool is_open(Gate gate, NodeId node, Port port, std::uint64_t cycle) const;
  /// The first cycle from `from` on in which the gate is open, kNever when it stays closed.
  [[nodiscard]] std::uint64_t next_open(Gate gate, NodeId node, Port port,
                                        std::uint64_t from) const;

 private:
  struct Window {
    std::uint64_t begin;
    /// The cycle behind it, kNever when it has no end.
    std::uint64_t end;
  };
  /// The end of a window that the cycle lies in, else the cycle.
  [[nodiscard]] std::uint64_t behind_windows(Gate gate, NodeId node, Port port,
                                             std::uint64_t cycle) const;

  std::optional<RandomStalls> random_;
  /// By gate, and node and port or all of either.
  std::unordered_map<std::uint64_t, std::vector<Window>> windows_;
};

}  // namespace gossamer
