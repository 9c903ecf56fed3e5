// SPDX-License-Identifier: Apache-2.0
/// Closed forms of elastic rings: nobody stalls, queues are deep enough.
///
/// docs/algorithms/elastic.md derives them. Words: a directed ring of P links, link i from rank i
/// to rank i + 1 and of latency f_i cycles; in each of R rounds every node sends a chunk of G
/// flits, and every link carries L chunks. Cycle 0 is the first in which own flits may be pushed.
#pragma once

#include <cstdint>
#include <span>

namespace gossamer::bounds {

/// What a ring carries.
struct ElasticRing {
  /// L, chunks a link and round, >= 1.
  std::uint64_t carries = 1;
  /// R.
  std::uint64_t rounds = 1;
  /// G.
  std::uint64_t chunk = 1;
};

/// The cycle in which rank `rank` takes its last flit, when rank i offers own flits from cycle
/// starts[i] on:
///     max over h = 0 .. (R-1)(L-1) + L of  starts[rank - h] + A(h) + R L G + G - 1 - h G
/// with A(h) the latencies of the h links before the rank; for L = 1, where nothing is passed on,
/// h = 1 alone. Exact with queues without limit; with equal starts also with those of
/// elastic_full_rate_slots. O(R L).
[[nodiscard]] std::uint64_t elastic_last_flit(std::span<const std::uint32_t> latencies,
                                              std::span<const std::uint64_t> starts,
                                              std::uint64_t rank, const ElasticRing& ring);

/// The largest of these over all ranks when everybody starts in cycle 0. O(P).
[[nodiscard]] std::uint64_t elastic_cycles(std::span<const std::uint32_t> latencies,
                                           const ElasticRing& ring);

/// The same where all links take `latency` cycles; best at chunk = latency, where it is the lower
/// bound of F L + latency - 1 cycles for F = R G flits.
[[nodiscard]] std::uint64_t elastic_cycles(std::uint64_t latency, const ElasticRing& ring);

/// Mean cycles from round to round when rounds follow each other without end:
/// max(L G, G + (L - 1) N / P), N the sum of the latencies. Full rate, L G, as soon as the mean
/// latency N / P is at most G: one long link costs nothing.
[[nodiscard]] double elastic_period(std::span<const std::uint32_t> latencies,
                                    const ElasticRing& ring);

/// The chunk for a message of `flits` flits over links of a mean latency of `latency_sum` /
/// `links`: that mean, rounded up to a divisor of `flits`.
[[nodiscard]] std::uint32_t elastic_chunk(std::uint64_t latency_sum, std::uint64_t links,
                                          std::uint32_t flits);

/// Slots of the queue before a link of `latency` cycles with which chunks of `chunk` flits lose no
/// cycle: max(2, chunk + 2 - latency).
[[nodiscard]] std::uint32_t elastic_full_rate_slots(std::uint32_t chunk, std::uint32_t latency);

}  // namespace gossamer::bounds
