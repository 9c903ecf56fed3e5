// SPDX-License-Identifier: Apache-2.0
/// Facts about the whole network for every format of tables, and texts of other tools' languages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

/// A name from the plan for a comment of one line or a label: control characters and quotes are
/// blanks.
[[nodiscard]] std::string comment_text(std::string_view name);

/// A JSON string; invalid UTF-8 is replaced.
[[nodiscard]] std::string json_text(const std::string& text);
/// A JSON number; null if empty.
[[nodiscard]] std::string json_number(const std::optional<std::uint64_t>& value);

/// Facts about the whole network: own packets per node, steps, and a router's capacity. They are
/// available as the file network.csv, with the shape; as a line for a comment; and as the beginning
/// of a JSON document, from "version" to "steps", which may also contain the topology alone.
using NetworkFact = std::pair<std::string_view, std::uint64_t>;
[[nodiscard]] EmittedFile network_csv(const Plan& plan, std::span<const NetworkFact> facts);
[[nodiscard]] std::string network_line(const Plan& plan, std::span<const NetworkFact> facts);
[[nodiscard]] std::string json_topology(const Topology& topology);
[[nodiscard]] std::string json_network(const Plan& plan, std::uint64_t packets,
                                       const std::optional<std::uint64_t>& steps, int version = 1);

/// GraphViz: colours of links or sends, again from the first when there are more; the beginning of
/// network.dot with the nodes in their places.
inline constexpr std::array<std::string_view, 10> kLinkColours{
    "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
    "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f"};
[[nodiscard]] std::string dot_nodes(const Plan& plan);

}  // namespace gossamer::emit_detail
