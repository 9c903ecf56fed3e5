// SPDX-License-Identifier: Apache-2.0
/// gossamer check --improve: the same collective by our algorithms.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gossamer/foreign/check.hpp"
#include "gossamer/foreign/export.hpp"

namespace gossamer::cli {

/// An algorithm of ours at the same work, in steps that the checker counts as those of any
/// schedule.
struct Rival {
  std::string algorithm;
  std::uint64_t steps = 0;
  foreign::MscclSchedule schedule;
  std::vector<foreign::Move> moves;
};

/// All algorithms for the collective of `result`, a schedule checked on `topology`, with as many
/// chunks and from or to `root`; best first, equal ones in the order of `gossamer list`.
/// Unsupported cases are omitted. Throws InputError for more than 4096 nodes.
[[nodiscard]] std::vector<Rival> rivals_of(const foreign::CheckResult& result,
                                           const Topology& topology, NodeId root);

/// Writes the schedule in the format `format`, "msccl-xml" or "te-ccl".
void write_rival(const Rival& rival, std::string_view format, std::ostream& out);

}  // namespace gossamer::cli
