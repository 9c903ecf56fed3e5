// SPDX-License-Identifier: Apache-2.0
/// Closed forms of elastic rings in which no node stalls and queues are deep enough.
///
/// docs/algorithms/elastic.md derives them. Terms: a directed ring has P links; link i leads from
/// rank i to rank i + 1 and has a latency of f_i cycles. In each of R rounds every node sends a
/// chunk of G flits, and every link carries L chunks. Cycle 0 is the first in which own flits may
/// be pushed.
#pragma once

#include <cstdint>
#include <span>

namespace gossamer::bounds {

/// The load of a ring.
struct ElasticRing {
  /// L: chunks per link and round, >= 1.
  std::uint64_t carries = 1;
  /// R: rounds, >= 1.
  std::uint64_t rounds = 1;
  /// G: flits per chunk, >= 1.
  std::uint64_t chunk = 1;
};

/// The cycle in which rank `rank` takes its last flit, when rank i offers own flits from cycle
/// starts[i] on:
///     max over h = 0 .. (R-1)(L-1) + L of  starts[rank - h] + A(h) + R L G + G - 1 - h G
/// with A(h) the sum of the latencies of the h links before the rank. For L = 1 nodes forward
/// nothing, and h is 1 only. Exact with unlimited queues; with equal starts also exact with the
/// queues of elastic_full_rate_slots. O(R L).
[[nodiscard]] std::uint64_t elastic_last_flit(std::span<const std::uint32_t> latencies,
                                              std::span<const std::uint64_t> starts,
                                              std::uint64_t rank, const ElasticRing& ring);

/// The maximum of elastic_last_flit over all ranks when every node starts in cycle 0. O(P).
[[nodiscard]] std::uint64_t elastic_cycles(std::span<const std::uint32_t> latencies,
                                           const ElasticRing& ring);

/// The same where all links have a latency of `latency` cycles. Best at chunk = latency, where it
/// equals the lower bound of F L + latency - 1 cycles for F = R G flits.
[[nodiscard]] std::uint64_t elastic_cycles(std::uint64_t latency, const ElasticRing& ring);

/// Mean cycles per round of an endless sequence of rounds: max(L G, G + (L - 1) N / P), N the sum
/// of the latencies. The rate is full, L G, if the mean latency N / P is at most G: one long link
/// costs nothing.
[[nodiscard]] double elastic_period(std::span<const std::uint32_t> latencies,
                                    const ElasticRing& ring);

/// The chunk for a message of `flits` flits over links of mean latency `latency_sum` / `links`:
/// that mean, rounded up to a divisor of `flits`.
[[nodiscard]] std::uint32_t elastic_chunk(std::uint64_t latency_sum, std::uint64_t links,
                                          std::uint32_t flits);

/// Slots of the queue before a link of `latency` cycles so that chunks of `chunk` flits lose no
/// cycle: max(2, chunk + 2 - latency).
[[nodiscard]] std::uint32_t elastic_full_rate_slots(std::uint32_t chunk, std::uint32_t latency);

}  // namespace gossamer::bounds
