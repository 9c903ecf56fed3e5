// SPDX-License-Identifier: Apache-2.0
/// The formats that are the same for all machines: from a run of the plan, or from another format's
/// files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

[[nodiscard]] std::vector<EmittedFile> emit_arrivals(const Plan& plan);
/// The file arrivals.json of that format.
[[nodiscard]] std::string arrivals_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_msccl(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_chakra(const Plan& plan,
                                                   std::optional<std::uint64_t> chunk_bytes);
/// Of the plan's network: rings of `ring` nodes, or the edge-disjoint Hamiltonian cycles.
[[nodiscard]] std::vector<EmittedFile> emit_ranks(const Plan& plan,
                                                  std::optional<std::uint32_t> ring);
/// `files` are those of the format sv.
[[nodiscard]] std::vector<EmittedFile> emit_fusesoc(const Plan& plan,
                                                    std::vector<EmittedFile> files);

}  // namespace gossamer::emit_detail
