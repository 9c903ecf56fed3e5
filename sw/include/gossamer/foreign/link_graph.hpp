// SPDX-License-Identifier: Apache-2.0
/// The links that a foreign schedule may use, and lower bounds of schedules on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer::foreign {

/// The collective of a foreign schedule (docs/spec/foreign-schedules.md, section 1).
enum class Collective : std::uint8_t {
  kAllGather,
  kAllReduce,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
};

/// Directed links between numbered nodes, with parallel links counted. Unlike a Topology, it can be
/// any graph.
class LinkGraph {
 public:
  /// `nodes` nodes and no link.
  explicit LinkGraph(std::uint32_t nodes);
  /// The links of a torus or mesh; a wrapping side of 2 has two parallel links in each direction.
  [[nodiscard]] static LinkGraph of(const Topology& topology);
  /// A link from every node to every other one.
  [[nodiscard]] static LinkGraph full(std::uint32_t nodes);
  /// From a file: CSV rows `from,to` below that header, where repeated rows are parallel links, or
  /// BookSim's anynet with one node per router. InputError with the line for anything else.
  [[nodiscard]] static LinkGraph read(const std::filesystem::path& path);

  /// Adds one link. Requires from != to, both below nodes().
  void add(std::uint32_t from, std::uint32_t to);

  [[nodiscard]] std::uint32_t nodes() const {
    return static_cast<std::uint32_t>(out_degree_.size());
  }
  /// Total directed links.
  [[nodiscard]] std::uint64_t links() const { return links_; }
  /// Parallel links from one node to another; 0 without a link.
  [[nodiscard]] std::uint32_t width(std::uint32_t from, std::uint32_t to) const;

  /// Lower bound on the steps of schedules without coding: the largest of the counts of
  /// docs/spec/foreign-schedules.md, section 5. `chunks` is k for all-gather, reduce-scatter and
  /// all-to-all, C for the others. Empty when some node cannot reach another.
  [[nodiscard]] std::optional<std::uint64_t> lower_bound(Collective collective,
                                                         std::uint64_t chunks,
                                                         std::uint32_t root) const;

 private:
  struct Distances;
  [[nodiscard]] std::optional<Distances> distances(std::uint32_t from, bool reversed) const;
  [[nodiscard]] std::uint64_t cut_bound(Collective collective, std::uint64_t chunks) const;
  [[nodiscard]] static std::uint64_t key(std::uint32_t from, std::uint32_t to) {
    return std::uint64_t{from} << 32U | to;
  }

  bool full_ = false;
  /// Torus and mesh: the sides, for cuts between slabs; otherwise empty.
  std::vector<std::uint32_t> sides_;
  std::uint64_t links_ = 0;
  std::vector<std::uint64_t> out_degree_;
  std::vector<std::uint64_t> in_degree_;
  /// Distinct neighbours, in each direction; empty in a full graph.
  std::vector<std::vector<std::uint32_t>> to_;
  std::vector<std::vector<std::uint32_t>> from_;
  std::unordered_map<std::uint64_t, std::uint32_t> width_;
};

}  // namespace gossamer::foreign
