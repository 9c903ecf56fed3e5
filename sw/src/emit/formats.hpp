// SPDX-License-Identifier: Apache-2.0
/// The emitters behind emit_files(), one function a format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/emit/emit.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

/// A source file that is the same for all plans, embedded at build time.
struct EmbeddedFile {
  std::string_view name;
  std::string_view contents;
};
/// One of them by its name: RTL modules, testbenches, Makefiles.
[[nodiscard]] EmittedFile embedded_file(std::string_view name);
/// The file is one of them as it is: the same for all plans.
[[nodiscard]] bool is_embedded(const EmittedFile& file);

/// What the hardware has to know of an out-port: the plan's program without what no packet can
/// reach. Out-ports beyond the border of a mesh are idle, in-ports beyond it feed nothing. In a
/// framed plan ports are numbered as there, port * frame + slot; an idle one for a schedule.
[[nodiscard]] PortProgram hardware_program(const Plan& plan, const NodeWalk& at, Port out_port);

/// A name from the plan for a comment of one line or a label: control characters and quotes are
/// blanks.
[[nodiscard]] std::string comment_text(std::string_view name);

/// A JSON string; what is no UTF-8 is replaced.
[[nodiscard]] std::string json_text(const std::string& text);
/// A JSON number, null for none.
[[nodiscard]] std::string json_number(const std::optional<std::uint64_t>& value);

/// What goes for the whole network: own packets of a node, steps where the plan promises them, and
/// what a router has room for. As the file network.csv, with the shape; as a line for a comment;
/// and as the beginning of a JSON document, from "version" to "steps", of which the topology alone.
using NetworkFact = std::pair<std::string_view, std::uint64_t>;
[[nodiscard]] std::vector<NetworkFact> network_facts(const Plan& plan);
[[nodiscard]] EmittedFile network_csv(const Plan& plan);
[[nodiscard]] std::string network_line(const Plan& plan);
[[nodiscard]] std::string json_topology(const Topology& topology);
[[nodiscard]] std::string json_network(const Plan& plan, std::uint64_t packets,
                                       const std::optional<std::uint64_t>& steps);

/// GraphViz: colours of links or sends, again from the first when there are more; the beginning of
/// network.dot with the nodes in their places.
inline constexpr std::array<std::string_view, 10> kLinkColours{
    "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
    "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f"};
[[nodiscard]] std::string dot_nodes(const Plan& plan);

/// The longest preload list of the plan, at least 1.
[[nodiscard]] std::size_t longest_preload(const StreamProgram& program);

/// Throws InputError when the RTL cannot run the plan; `format` stands in the message.
void check_rtl_limits(const Plan& plan, std::string_view format);
/// The network of a plan of streams, frames or a schedule that check_rtl_limits() lets pass;
/// `tables` is gsm_stream_node's option.
[[nodiscard]] std::vector<EmittedFile> stream_network(const Plan& plan, std::string_view tables);

[[nodiscard]] std::vector<EmittedFile> emit_sv(const Plan& plan);
/// Formats of a plan of relays; the functions of the formats call them.
[[nodiscard]] std::vector<EmittedFile> emit_relay_sv(const Plan& plan);
/// The same of elastic streams.
[[nodiscard]] std::vector<EmittedFile> emit_elastic_sv(const Plan& plan);
/// The same of a plan of queued routers.
[[nodiscard]] std::vector<EmittedFile> emit_queued_sv(const Plan& plan);
/// The same of timetables.
[[nodiscard]] std::vector<EmittedFile> emit_timetable_sv(const Plan& plan);
/// The same of streams that combine.
[[nodiscard]] std::vector<EmittedFile> emit_combining_sv(const Plan& plan);
/// The same with tiles that learn their ranks.
[[nodiscard]] std::vector<EmittedFile> emit_sv_rank(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_relay_dot(const Plan& plan);
/// The same of a schedule.
[[nodiscard]] std::vector<EmittedFile> emit_schedule_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_schedule_memh(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_arrivals(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_sv_table(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_sv_rule(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_systemc(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_graphml(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_json(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_msccl(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_chakra(const Plan& plan, std::uint64_t chunk_bytes);
[[nodiscard]] std::vector<EmittedFile> emit_fusesoc(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_memh(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_csv(const Plan& plan);
[[nodiscard]] std::vector<EmittedFile> emit_dot(const Plan& plan);

}  // namespace gossamer::emit_detail
