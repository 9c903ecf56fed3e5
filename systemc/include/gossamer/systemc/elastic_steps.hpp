// SPDX-License-Identifier: Apache-2.0
/// What a router knows without a clock that goes through a schedule's ROM by a step counter of its
/// own (plan/schedule_tokens.hpp), as ElasticCounters are what a router of streams knows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gossamer/systemc/elastic_element.hpp"

namespace gossamer::systemc {

/// In a step it pushes a chunk, an own one or one that it has kept, on each link that has a token
/// in that step, and takes the chunk of each link that brings one; then it goes on. Takes of a step
/// begin in the cycle behind the one in which the step before ended, pushes in that cycle: so
/// several steps without takes may pass in one. What comes is kept beside the slots until the step
/// is over, for a slot may be read and written in the same one.
class ElasticSteps {
 public:
  /// `tiles`, of a schedule, must outlive it.
  ElasticSteps(const ElasticTiles& tiles, NodeId node);

  /// As at the beginning of a message.
  void clear();
  /// The in-ports from which flits of this step are still to come.
  [[nodiscard]] PortSet brings() const;
  /// The next of them comes.
  void take(Port in, const ElasticFlit& flit);
  /// Goes on as far as this cycle's pushes lead. `push(out, kept)` is asked of every flit that is
  /// due, one an out-port, and says whether it goes: an own one (null), or one that has been kept.
  /// True when a step has ended.
  template <typename Push>
  bool go(const Push& push) {
    bool ended = false;
    go_through(at_, push, [&](std::size_t step) {
      keep_arrivals(step);
      ended = true;
    });
    return ended;
  }
  /// What go() would ask, had one flit more come from each of `takes`; kept flits may be others.
  template <typename Push>
  void foresee(PortSet takes, const Push& push) const {
    Progress next = at_;
    for (const Port in : takes) ++next.taken[in];
    go_through(next, push, [](std::size_t) {});
  }

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

  [[nodiscard]] bool is_complete(const Progress& at) const;
  void keep_arrivals(std::size_t step);
  template <typename Push, typename End>
  void go_through(Progress& at, const Push& push, const End& end) const {
    PortSet used;
    while (at.round != rounds_) {
      const Word& word = words_[at.step];
      for (const Port p : word.sends) {
        if (used.contains(p) || at.pushed[p] == chunk_) continue;
        const PacketSource& source = word.sources[p];
        const bool own = source.kind == PacketSource::Kind::kOwn;
        if (!push(p, own ? nullptr : &slots_[source.index * chunk_ + at.pushed[p]])) continue;
        used.insert(p);
        ++at.pushed[p];
      }
      if (!is_complete(at)) return;
      end(at.step);
      const bool last = at.step + 1 == words_.size();
      at = {.step = last ? 0 : at.step + 1, .round = at.round + (last ? 1U : 0U)};
    }
  }

  const ScheduleProgram& program_;
  std::uint32_t rom_;
  std::size_t chunk_;
  /// None where there are no steps.
  std::uint32_t rounds_;
  /// By step, from 0.
  std::vector<Word> words_;
  Progress at_;
  /// By slot, and by in-port what this step brings; flit by flit of a chunk.
  std::vector<ElasticFlit> slots_;
  std::vector<ElasticFlit> arrivals_;
};

}  // namespace gossamer::systemc
