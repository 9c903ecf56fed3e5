// SPDX-License-Identifier: Apache-2.0
/// Streams in the formats of `gossamer emit`.
#pragma once

#include <string_view>
#include <vector>

#include "../../emit/network_text.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::emit_detail {

/// Hardware configuration of an output port: the program's entry without unreachable parts. Output
/// ports beyond the border of a mesh are idle; input ports beyond it feed nothing.
[[nodiscard]] StreamPort reachable(const StreamProgram& program, const NodeWalk& at, Port out_port);
/// The longest preload list, at least 1.
[[nodiscard]] std::size_t longest_preload(const StreamProgram& program);
/// Facts about the whole network.
[[nodiscard]] std::vector<NetworkFact> facts_of(const Plan& plan);

/// Throws InputError when the RTL cannot run the plan; `format` is used in the message.
void check_rtl_limits(const Plan& plan, std::string_view format);
/// The network of a plan that check_rtl_limits() lets pass; `tables` is gsm_stream_node's option.
[[nodiscard]] std::vector<EmittedFile> stream_network(const Plan& plan, std::string_view tables);

[[nodiscard]] std::vector<EmittedFile> emit_stream_sv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_sv_table(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_sv_rule(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_stream_systemc(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_dot(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_memh(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_graphml(const Plan& plan);

}  // namespace gossamer::emit_detail
