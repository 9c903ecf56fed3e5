// SPDX-License-Identifier: Apache-2.0
/// Routers that go through a schedule's ROM by a step counter of their own
/// (plan/schedule_tokens.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/systemc/elastic_tile.hpp"

namespace gossamer::systemc {

/// In a step it pushes a chunk, an own one or one that it has kept, on each link that has a token
/// in that step, and takes the chunk of each link that brings one; then it goes on. Takes of a step
/// begin in the cycle behind the one in which the step before ended, pushes in that cycle: so
/// several steps without takes may pass in one. What comes is kept beside the slots until the step
/// is over, for a slot may be read and written in the same one.
class ElasticScheduleRouter : public ElasticTile {
 public:
  ElasticScheduleRouter(const sc_core::sc_module_name& name,
                        std::shared_ptr<const ElasticTiles> tiles, NodeId node);

 private:
  /// What the ROM says of a step.
  struct Word {
    PortSet sends;
    PortSet brings;
    std::array<PacketSource, kMaxPorts> sources{};
  };
  /// How far it is: flits of the step that have been pushed and taken, by port.
  struct Progress {
    std::size_t step = 0;
    std::uint32_t round = 0;
    std::array<std::uint32_t, kMaxPorts> pushed{};
    std::array<std::uint32_t, kMaxPorts> taken{};
  };

  void clear_router() override;
  void settle_router() override;
  void clock_router() override;
  [[nodiscard]] bool at_end() const { return at_.round == rounds_; }
  [[nodiscard]] bool is_complete(const Progress& at) const;
  /// Through the pushes of this cycle, with the steps that they end: `push(port, source, flit)` is
  /// asked of every flit that could go, and says whether it does; `end(step)`.
  template <typename Push, typename End>
  void go_through(Progress& at, const Push& push, const End& end) const;
  void keep_arrivals(std::size_t step);

  const ScheduleProgram& program_;
  std::uint32_t rom_;
  std::uint32_t rounds_;
  /// By step, from 0.
  std::vector<Word> words_;
  std::vector<ElasticQueue> queues_;
  Progress at_;
  /// By slot, and by in-port what this step brings; flit by flit of a chunk.
  std::vector<ElasticFlit> slots_;
  std::vector<ElasticFlit> arrivals_;
};

}  // namespace gossamer::systemc
