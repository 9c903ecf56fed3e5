// SPDX-License-Identifier: Apache-2.0
/// Elastic programs in plan documents.
#pragma once

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

/// The latencies of links one by one.
inline constexpr std::string_view kLatencyTablePath = "link_latency/table";

[[nodiscard]] ElasticProgram read_elastic(ProgramSource& source);
void write_elastic(const ElasticProgram& program, DocumentWriter& out);
void check_elastic(const ElasticProgram& program, const Topology& topology, const Demand& demand,
                   const std::string& place);

}  // namespace gossamer
