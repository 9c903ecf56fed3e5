// SPDX-License-Identifier: Apache-2.0
/// The interface between the engine of elastic streams and the network of its tiles, with one clock
/// or many.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "../fabric_bench.hpp"
#include "gossamer/systemc/elastic/tile.hpp"

namespace gossamer::systemc {

/// A network in its first cycle, 0, after reset.
class ElasticNetwork {
 public:
  ElasticNetwork() = default;
  ElasticNetwork(const ElasticNetwork&) = delete;
  ElasticNetwork& operator=(const ElasticNetwork&) = delete;
  virtual ~ElasticNetwork() = default;

  /// Executes a cycle; rethrows a tile's exception.
  virtual void clock() = 0;
  /// Begins another round; throws std::logic_error with a clock per tile.
  virtual void restart() { throw std::logic_error("tiles with clocks of their own run once"); }
  [[nodiscard]] virtual const ElasticTile& tile(NodeId node) const = 0;
  [[nodiscard]] virtual ElasticTile& tile(NodeId node) = 0;
  /// By link slot, until the next clock(): the outputs of out-ports, and the inputs at the far
  /// ends.
  [[nodiscard]] virtual std::span<const ElasticWord> driven() = 0;
  [[nodiscard]] virtual std::span<const ElasticWord> shown() = 0;
  /// The node's tile is clocked at the end of this cycle; it was at the end of the previous one.
  [[nodiscard]] virtual bool has_edge(NodeId node) const = 0;
  [[nodiscard]] virtual bool had_edge(NodeId node) const = 0;
  /// A flit is on the way between two tiles and is not blocked.
  [[nodiscard]] virtual bool moves() = 0;
  /// As Engine::upset.
  virtual bool upset(LinkId link, const Upset& upset) = 0;
};

/// All tiles in a fabric with one clock.
class ElasticFabricNetwork final : public ElasticNetwork {
 public:
  ElasticFabricNetwork(const Topology& topology,
                       const Fabric<ElasticWord>::RouterFactory& make_tile,
                       const EngineOptions& options)
      : bench_(topology, make_tile, options.wave, {.pins = options.pin_level}) {}

  void clock() override {
    bench_.clock(1);
    bench_.fabric().check();
  }
  void restart() override {
    bench_.begin_round();
    bench_.fabric().check();
  }
  [[nodiscard]] const ElasticTile& tile(NodeId node) const override {
    return static_cast<const ElasticTile&>(bench_.fabric().router(node));
  }
  [[nodiscard]] ElasticTile& tile(NodeId node) override {
    return static_cast<ElasticTile&>(bench_.fabric().router(node));
  }
  [[nodiscard]] std::span<const ElasticWord> driven() override { return bench_.fabric().links(); }
  [[nodiscard]] std::span<const ElasticWord> shown() override { return driven(); }
  [[nodiscard]] bool has_edge(NodeId /*node*/) const override { return true; }
  [[nodiscard]] bool had_edge(NodeId /*node*/) const override { return true; }
  [[nodiscard]] bool moves() override { return false; }
  bool upset(LinkId link, const Upset& upset) override { return bench_.upset(link, upset); }

 private:
  FabricBench<ElasticWord> bench_;
};

/// Tiles with pins, each with its own clock, and crossings between them. `periods`: by node,
/// in cycles of the network. `wave_file`: VCD waves of all clocks and links; empty: none.
[[nodiscard]] std::unique_ptr<ElasticNetwork> make_elastic_clock_network(
    const Topology& topology, const Fabric<ElasticWord>::RouterFactory& make_tile,
    const std::vector<std::uint32_t>& periods, const std::string& wave_file);

}  // namespace gossamer::systemc
