// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/elastic.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

namespace gossamer::bounds {

namespace {

/// The most hops of a chain of events that one last flit can wait for.
std::uint64_t longest_chain(const ElasticRing& ring) {
  return (ring.rounds - 1) * (ring.carries - 1) + ring.carries;
}

/// R L G + G - 1: the cycles of a chain without hops, from its first flit on.
std::uint64_t without_hops(const ElasticRing& ring) {
  return ring.rounds * ring.carries * ring.chunk + ring.chunk - 1;
}

}  // namespace

std::uint64_t elastic_last_flit(std::span<const std::uint32_t> latencies,
                                std::span<const std::uint64_t> starts, std::uint64_t rank,
                                const ElasticRing& ring) {
  const std::uint64_t links = latencies.size();
  const std::uint64_t most = longest_chain(ring);
  const std::uint64_t least = ring.carries == 1 ? 1 : 0;
  std::uint64_t at = rank;
  std::uint64_t latest = 0;
  std::uint64_t latency = 0;
  for (std::uint64_t hops = 0; hops <= most; ++hops) {
    // without_hops >= most * chunk, so this is no less than 0.
    const std::uint64_t cycle = starts[at] + latency + without_hops(ring) - hops * ring.chunk;
    if (hops >= least) latest = std::max(latest, cycle);
    at = at == 0 ? links - 1 : at - 1;
    latency += latencies[at];
  }
  return latest;
}

std::uint64_t elastic_cycles(std::span<const std::uint32_t> latencies, const ElasticRing& ring) {
  const auto links = static_cast<std::int64_t>(latencies.size());
  const auto chunk = static_cast<std::int64_t>(ring.chunk);
  // Cost of the links before rank i beyond one chunk each, counted from rank 0 on.
  std::vector<std::int64_t> cost(latencies.size() + 1, 0);
  for (std::size_t i = 0; i < latencies.size(); ++i) cost[i + 1] = cost[i] + latencies[i] - chunk;
  const std::int64_t once_round = cost.back();
  const auto before = [&](std::int64_t rank) {
    const std::int64_t rounds = (rank - (rank < 0 ? links - 1 : 0)) / links;
    return rounds * once_round + cost[static_cast<std::size_t>(rank - rounds * links)];
  };
  const auto most = static_cast<std::int64_t>(longest_chain(ring));
  // Chains that go round once more are all better or all worse.
  std::int64_t shortest = once_round > 0 ? std::max<std::int64_t>(0, most - links + 1) : 0;
  const std::int64_t longest = once_round > 0 ? most : std::min(most, links - 1);
  if (ring.carries == 1) shortest = longest;
  std::int64_t dearest = std::numeric_limits<std::int64_t>::min();
  // The cheapest beginnings of the chains that end at a rank, the cheapest first.
  std::deque<std::int64_t> cheapest;
  std::int64_t next = -longest;
  for (std::int64_t rank = 0; rank < links; ++rank) {
    for (; next <= rank - shortest; ++next) {
      while (!cheapest.empty() && before(cheapest.back()) >= before(next)) cheapest.pop_back();
      cheapest.push_back(next);
    }
    while (cheapest.front() < rank - longest) cheapest.pop_front();
    dearest = std::max(dearest, before(rank) - before(cheapest.front()));
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(without_hops(ring)) + dearest);
}

std::uint64_t elastic_cycles(std::uint64_t latency, const ElasticRing& ring) {
  const std::uint64_t hops = latency > ring.chunk ? longest_chain(ring) : ring.carries == 1 ? 1 : 0;
  return without_hops(ring) + hops * latency - hops * ring.chunk;
}

double elastic_period(std::span<const std::uint32_t> latencies, const ElasticRing& ring) {
  const auto sum = std::accumulate(latencies.begin(), latencies.end(), std::uint64_t{0});
  const double mean = static_cast<double>(sum) / static_cast<double>(latencies.size());
  const auto chunk = static_cast<double>(ring.chunk);
  const auto carries = static_cast<double>(ring.carries);
  return std::max(carries * chunk, chunk + (carries - 1) * mean);
}

std::uint32_t elastic_chunk(std::uint64_t latency_sum, std::uint64_t links, std::uint32_t flits) {
  const std::uint64_t mean = std::max<std::uint64_t>(1, (latency_sum + links - 1) / links);
  for (std::uint64_t chunk = mean; chunk < flits; ++chunk) {
    if (flits % chunk == 0) return static_cast<std::uint32_t>(chunk);
  }
  return flits;
}

std::uint32_t elastic_full_rate_slots(std::uint32_t chunk, std::uint32_t latency) {
  return chunk > latency ? chunk + 2 - latency : 2;
}

}  // namespace gossamer::bounds
