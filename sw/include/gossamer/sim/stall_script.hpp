// SPDX-License-Identifier: Apache-2.0
/// Stalls of the elements and links of an elastic network: a script that every engine follows, so
/// the same gates are open in the same cycles in all of them.
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

/// The actions that a closed gate delays. Two gates are ratchets: an action that they have released
/// stays.
enum class Gate : std::uint8_t {
  /// s: the node offers its next own flit to an output port; once offered, it stays offered.
  kOffer,
  /// m: the node accepts from an input port in this cycle.
  kAccept,
  /// v: the link shows its next flit at an input port of the receiver; once shown, it stays shown.
  kShow,
};
inline constexpr int kGates = 3;

/// No cycle.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Gates that open at random.
struct RandomStalls {
  std::uint32_t seed = 0;
  /// By gate: average open cycles of 256.
  std::array<std::uint32_t, kGates> rates{};
  /// Each node starts in one of the cycles 0 .. skew - 1; 0: all start in cycle 0.
  std::uint32_t skew = 0;
};

class StallScript {
 public:
  /// A script without stalls.
  StallScript() = default;
  /// "random:SEED:S,M,V[:SKEW]": rates out of 256 at which gates are open (256: always, 0: never),
  /// and the number of cycles over which node starts are spread. Any other text is a file name.
  /// Throws InputError.
  [[nodiscard]] static StallScript parse(const std::string& text, const Topology& topology);
  /// Closed windows: lines `kind,node,port,cycle,length`. The kind is s, m or v (or 0, 1, 2); the
  /// port is a name or a number; - means all nodes or ports, or an unlimited length. Empty lines
  /// and lines that begin with # or "kind" are ignored. `name` is used in messages. Throws
  /// InputError.
  [[nodiscard]] static StallScript read(std::istream& in, std::string_view name,
                                        const Topology& topology);

  /// The first cycle in which the node offers own flits.
  [[nodiscard]] std::uint64_t start(NodeId node) const;
  /// Gates of kOffer are at output ports, the others at input ports.
  [[nodiscard]] bool is_open(Gate gate, NodeId node, Port port, std::uint64_t cycle) const;
  /// The first cycle from `from` on in which the gate is open, kNever when it stays closed.
  [[nodiscard]] std::uint64_t next_open(Gate gate, NodeId node, Port port,
                                        std::uint64_t from) const;

 private:
  struct Window {
    std::uint64_t begin;
    /// The first cycle after it; kNever without an end.
    std::uint64_t end;
  };
  /// The end of the window that contains the cycle; otherwise the cycle itself.
  [[nodiscard]] std::uint64_t behind_windows(Gate gate, NodeId node, Port port,
                                             std::uint64_t cycle) const;

  std::optional<RandomStalls> random_;
  /// By gate, node and port; a key may cover all nodes or all ports.
  std::unordered_map<std::uint64_t, std::vector<Window>> windows_;
};

}  // namespace gossamer
