// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/relay/program.hpp"

#include <algorithm>
#include <stdexcept>

namespace gossamer {

namespace {
/// FNV-1a over the stretches.
std::uint64_t hash_of(const RelayPath& path) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const RelaySegment& segment : path) {
    hash = (hash ^ (std::uint64_t{segment.port} << 16 | segment.hops)) * 0x100000001b3U;
  }
  return hash;
}
}  // namespace

std::uint32_t path_hops(const RelayPath& path) {
  std::uint32_t hops = 0;
  for (const RelaySegment& segment : path) hops += segment.hops;
  return hops;
}

bool is_dimension_ordered(const RelayPath& path) {
  std::uint32_t seen = 0;
  for (const RelaySegment& segment : path) {
    const std::uint32_t bit = 1U << dimension_of(segment.port);
    if ((seen & bit) != 0) return false;
    seen |= bit;
  }
  return true;
}

std::uint32_t RelayProgram::intern(const RelayPath& path) {
  const std::uint64_t hash = hash_of(path);
  const auto [first, last] = index_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (paths_[entry->second] == path) return entry->second;
  }
  if (path.empty() || std::any_of(path.begin(), path.end(),
                                  [](const RelaySegment& segment) { return segment.hops == 0; })) {
    throw std::invalid_argument("a relay path needs at least one hop on every stretch");
  }
  paths_.push_back(path);
  index_.emplace(hash, static_cast<std::uint32_t>(paths_.size() - 1));
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

void RelayProgram::end_step() {
  std::sort(sends_.begin() + step_begin_.back(), sends_.end(),
            [this](const RelaySend& a, const RelaySend& b) {
              if (a.from != b.from) return a.from < b.from;
              return a.path != b.path && path(a).front().port < path(b).front().port;
            });
  step_begin_.push_back(static_cast<std::uint32_t>(sends_.size()));
}

std::uint64_t RelayProgram::memory_bytes() const {
  std::uint64_t bytes = step_begin_.capacity() * sizeof(std::uint32_t) +
                        sends_.capacity() * sizeof(RelaySend) +
                        paths_.capacity() * sizeof(RelayPath);
  for (const RelayPath& path : paths_) bytes += path.capacity() * sizeof(RelaySegment);
  return bytes;
}

bool RelayProgram::operator==(const RelayProgram& other) const {
  if (source_ != other.source_ || clock != other.clock || ports != other.ports ||
      rule != other.rule || adding_steps != other.adding_steps ||
      adder_cycles != other.adder_cycles || step_begin_ != other.step_begin_ ||
      sends_.size() != other.sends_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    if (sends_[i].from != other.sends_[i].from || path(sends_[i]) != other.path(other.sends_[i])) {
      return false;
    }
  }
  return true;
}

SendsByNode sends_by_node(const Topology& topology, const RelayProgram& program) {
  SendsByNode lists;
  lists.begin.assign(std::size_t{topology.nodes()} + 1, 0);
  for (const RelaySend& send : program.sends()) ++lists.begin.at(std::size_t{send.from} + 1);
  for (std::size_t node = 0; node < topology.nodes(); ++node) {
    lists.begin[node + 1] += lists.begin[node];
  }
  lists.entries.resize(program.sends().size());
  std::vector<std::uint32_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (const RelaySend& send : program.sends(step)) {
      lists.entries[next[send.from]++] = {step, send.path};
    }
  }
  return lists;
}

NodeId path_end(const Topology& topology, NodeId from, const RelayPath& path) {
  for (const RelaySegment& segment : path) {
    const int dim = dimension_of(segment.port);
    if (dim >= topology.dimensions()) return kNoNode;
    if (!topology.is_healthy()) {
      // Every link of the way has to be alive.
      for (std::uint32_t hop = 0; hop < segment.hops; ++hop) {
        from = topology.neighbor(from, segment.port);
        if (from == kNoNode) return kNoNode;
      }
      continue;
    }
    const std::uint32_t side = topology.side(dim);
    const std::uint32_t stride = topology.stride(dim);
    const std::uint32_t at = from / stride % side;
    const std::uint32_t hops = topology.wraps(dim) ? segment.hops % side : segment.hops;
    if (is_positive(segment.port)) {
      if (at + hops < side) {
        from += hops * stride;
      } else if (topology.wraps(dim)) {
        from -= (side - hops) * stride;
      } else {
        return kNoNode;
      }
    } else if (hops <= at) {
      from -= hops * stride;
    } else if (topology.wraps(dim)) {
      from += (side - hops) * stride;
    } else {
      return kNoNode;
    }
  }
  return from;
}

std::vector<FanOutEntry> fan_out_table(const Topology& topology, const RelayProgram& program) {
  std::vector<FanOutEntry> table(topology.nodes());
  table.at(program.source()).in = FanOutEntry::kOwn;
  for (const RelaySend& send : program.sends()) {
    const RelayPath& path = program.path(send);
    if (program.ports != RelayPorts::kFanOut || path_hops(path) != 1) {
      throw std::invalid_argument("only a fan-out program of single hops has a fan-out table");
    }
    const Port port = path.front().port;
    table.at(send.from).out.insert(port);
    table.at(topology.neighbor(send.from, port)).in = opposite(port);
  }
  return table;
}

}  // namespace gossamer
