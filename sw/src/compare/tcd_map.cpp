// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/tcd_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/faulty.hpp"
#include "gossamer/collectives/broadcast/figure2.hpp"
#include "gossamer/collectives/broadcast/min_tcd.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

std::vector<bool> eyes_of(const Topology& topology) {
  std::vector<bool> eyes(topology.nodes(), false);
  const auto levels = bounds::levels_of(topology);
  if (!levels || topology.kind() == "grid") return eyes;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    bool eye = topology.has_core(walk.node());
    for (std::size_t i = 0; i < levels->size(); ++i) {
      eye = eye && bounds::is_eye((*levels)[i], walk.coordinates()[i]);
    }
    eyes[walk.node()] = eye;
  }
  return eyes;
}

std::vector<std::uint64_t> eye_map(const Topology& topology, const std::vector<bool>& eyes) {
  const auto levels = bounds::levels_of(topology);
  // The planner's exception gives the reason.
  if (!levels) (void)plan_eye(topology, {});
  const std::uint64_t from_eye = bounds::eye_tcd(*levels);
  std::vector<std::uint64_t> tcd(topology.nodes(), from_eye);
  if (topology.is_torus()) return tcd;
  const int k = levels->front();
  const bool equal =
      std::all_of(levels->begin(), levels->end(), [k](int level) { return level == k; });
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    if (eyes[walk.node()]) continue;
    tcd[walk.node()] =
        equal ? bounds::eye_source_tcd(topology.dimensions(), k, walk.coordinates()) : 0;
  }
  return tcd;
}

/// Plans from every source: where no closed form holds.
std::vector<std::uint64_t> planned_map(const Topology& topology, std::string_view algorithm,
                                       bool served, const Progress& progress) {
  std::vector<std::uint64_t> tcd(topology.nodes(), 0);
  std::optional<InfeasibleError> refusal;
  PlanRequest request{topology, "broadcast", std::string(algorithm), {}, {}};
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    if (progress) progress("sources", source, topology.nodes());
    if (!topology.has_core(source)) continue;
    request.parameters["source"] = node_text(topology, source);
    try {
      tcd[source] = total_hops(make_plan(request));
    } catch (const InfeasibleError& error) {
      if (!served) throw;
      if (!refusal) refusal = error;
    }
  }
  const bool any =
      std::any_of(tcd.begin(), tcd.end(), [](std::uint64_t hops) { return hops != 0; });
  if (refusal && !any) throw InfeasibleError(*refusal);
  return tcd;
}

std::vector<std::uint64_t> closed_map(const Topology& topology, std::string_view algorithm,
                                      const std::vector<bool>& eyes) {
  if (algorithm == "eye") return eye_map(topology, eyes);
  if (algorithm == "min-tcd") return min_tcd_map(topology);
  if (algorithm == "figure2") return figure2_map(topology);
  if (algorithm == "doubling") {
    return std::vector<std::uint64_t>(topology.nodes(),
                                      bounds::doubling_tcd(*bounds::levels_of(topology)));
  }
  std::vector<std::uint64_t> tcd(topology.nodes(), topology.nodes() - 1);
  if (algorithm == "tree") return tcd;
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    tcd[source] = bounds::unicast_tcd(topology, source);
  }
  return tcd;
}

/// "z=3 w=0" for the plane that starts at a node, empty in 2-D.
std::string plane_name(const Topology& topology, NodeId first) {
  const Coordinates at = topology.coordinates(first);
  constexpr std::string_view kLetters = "xyzw";
  std::string name;
  for (int dim = 2; dim < topology.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    name += fmt::format("{}{}={}", name.empty() ? "" : " ",
                        i < kLetters.size() ? std::string(1, kLetters[i]) : fmt::format("d{}", i),
                        at[i]);
  }
  return name;
}

std::uint32_t rows_of(const Topology& topology) {
  return topology.dimensions() > 1 ? topology.side(1) : 1;
}

/// A point on the way from a light to a dark blue, 0 <= heat <= 1. One hue of rising darkness reads
/// the same with every kind of colour vision, and in grey.
struct Shade {
  int red, green, blue;

  [[nodiscard]] std::string hex() const {
    return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue);
  }
  /// Whether white stands out more than the near-black of the text, by the contrast of WCAG 2.
  [[nodiscard]] bool wants_light_text() const {
    const auto linear = [](int channel) {
      const double c = channel / 255.0;
      return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    constexpr double kDarkText = 0.017;
    return 1.05 / (luminance + 0.05) > (luminance + 0.05) / (kDarkText + 0.05);
  }
};
Shade shade_of(double heat) {
  // Three stops: a straight line from pale to dark blue would pass through a dull grey.
  constexpr std::array<std::array<double, 3>, 3> kStops{
      {{234, 243, 252}, {94, 155, 211}, {12, 44, 104}}};
  const std::size_t part = heat < 0.5 ? 0 : 1;
  const double at = 2 * heat - static_cast<double>(part);
  const auto mix = [&](std::size_t channel) {
    const double from = kStops[part][channel];
    return static_cast<int>(std::lround(from + (kStops[part + 1][channel] - from) * at));
  };
  return {mix(0), mix(1), mix(2)};
}

/// Where everything is in the picture of a map, in pixels.
struct MapLayout {
  static constexpr std::uint32_t kMargin = 16;
  /// Title and legend.
  static constexpr std::uint32_t kHead = 76;
  /// Coordinates left of and above the cells.
  static constexpr std::uint32_t kAxis = 30;
  static constexpr std::uint32_t kMostNumberedColumns = 64;
  static constexpr std::uint32_t kLeastWidth = 560;

  explicit MapLayout(const TcdMap& map)
      : columns(map.topology.side(0)),
        rows(rows_of(map.topology)),
        planes(map.topology.nodes() / (columns * rows)),
        numbered(columns <= kMostNumberedColumns),
        cell(numbered ? std::max(30U, static_cast<std::uint32_t>(
                                          14 + 7 * std::to_string(map.maximum()).size()))
                      : 8) {
    while (across * across < planes) ++across;
    plane_width = kAxis + columns * cell + kMargin;
    plane_height = kAxis + rows * cell + kMargin + (planes > 1 ? kAxis : 0);
    width = std::max(across * plane_width + kMargin, kLeastWidth);
    height = kHead + (planes + across - 1) / across * plane_height + kMargin;
  }
  /// Upper left corner of a plane's cells.
  [[nodiscard]] std::uint32_t left(std::uint32_t plane) const {
    return kMargin + kAxis + plane % across * plane_width;
  }
  [[nodiscard]] std::uint32_t top(std::uint32_t plane) const {
    return kHead + kAxis + (planes > 1 ? kAxis : 0) + plane / across * plane_height;
  }

  std::uint32_t columns;
  std::uint32_t rows;
  std::uint32_t planes;
  bool numbered;
  std::uint32_t cell;
  /// Planes side by side.
  std::uint32_t across = 1;
  std::uint32_t plane_width = 0;
  std::uint32_t plane_height = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// Title and legend: the meaning of shades, rings, bold numbers and hatched cells.
std::string svg_head(const TcdMap& map, const MapLayout& layout) {
  const std::uint64_t least = map.minimum();
  const std::uint64_t most = map.maximum();
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n"
      "<title>TCD of {2} on the {3} {4} from every source</title>\n"
      "<style>\n"
      "  svg {{ font: 12px sans-serif; }}\n"
      "  .bg {{ fill: #ffffff; }}\n"
      "  text {{ fill: #1a1a1a; }}\n"
      "  .title {{ font-size: 15px; font-weight: bold; }}\n"
      "  .axis {{ fill: #5a6270; font-size: 11px; text-anchor: middle; }}\n"
      "  .n {{ text-anchor: middle; dominant-baseline: central; }}\n"
      "  .l {{ fill: #ffffff; }}\n"
      "  .d {{ fill: #10243e; }}\n"
      "  .m {{ font-weight: bold; }}\n"
      "  .eye {{ fill: none; stroke: #e8590c; stroke-width: 2.5; }}\n"
      "  .hatch {{ stroke: #8a8a8a; stroke-width: 1; }}\n"
      "  @media (prefers-color-scheme: dark) {{\n"
      "    .bg {{ fill: #14171c; }}\n"
      "    text {{ fill: #e8e8e8; }}\n"
      "    .axis {{ fill: #a4acb8; }}\n"
      "    .l {{ fill: #ffffff; }}\n"
      "    .d {{ fill: #10243e; }}\n"
      "  }}\n"
      "</style>\n"
      "<defs>\n"
      "  <linearGradient id=\"scale\">",
      layout.width, layout.height, map.algorithm, map.topology.kind(), map.topology.dims_text());
  for (int tenth = 0; tenth <= 10; tenth += 5) {
    append_format(svg, R"(<stop offset="{}%" stop-color="{}"/>)", 10 * tenth,
                  shade_of(tenth / 10.0).hex());
  }
  svg +=
      "</linearGradient>\n"
      "  <pattern id=\"none\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<path d=\"M0 6 6 0\" class=\"hatch\"/></pattern>\n"
      "</defs>\n"
      "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n";
  append_format(svg,
                "<text x=\"{0}\" y=\"28\" class=\"title\">{1}, {2} {3}: total communication "
                "distance by source</text>\n",
                MapLayout::kMargin, map.algorithm, map.topology.kind(), map.topology.dims_text());
  // The legend, from left to right.
  std::uint32_t x = MapLayout::kMargin;
  const auto label = [&](const std::string& text) {
    append_format(svg, "<text x=\"{}\" y=\"56\">{}</text>\n", x, text);
    x += static_cast<std::uint32_t>(8 * text.size()) + 12;
  };
  label(std::to_string(least));
  append_format(svg, "<rect x=\"{}\" y=\"46\" width=\"110\" height=\"12\" fill=\"url(#scale)\"/>\n",
                x - 4);
  x += 114;
  label(std::to_string(most));
  if (std::find(map.eye.begin(), map.eye.end(), true) != map.eye.end()) {
    append_format(svg,
                  "<circle cx=\"{}\" cy=\"52\" r=\"7\" style=\"fill:none;stroke:#e8590c;"
                  "stroke-width:2.5\"/>\n",
                  x + 14);
    x += 28;
    label("eye");
  }
  if (layout.numbered) {
    append_format(svg, "<text x=\"{}\" y=\"56\" class=\"m\">bold</text>\n", x + 6);
    x += 40;
    label("cheapest");
  }
  if (std::find(map.tcd.begin(), map.tcd.end(), 0U) != map.tcd.end()) {
    append_format(svg, "<rect x=\"{}\" y=\"45\" width=\"14\" height=\"14\" fill=\"url(#none)\"/>\n",
                  x + 6);
    x += 28;
    label("cannot start here");
  }
  return svg;
}

/// Coordinates along the edges of a plane; every one while they fit, else every fourth, every 16th.
std::string svg_axes(const MapLayout& layout, std::uint32_t plane) {
  std::string svg;
  const std::uint32_t left = layout.left(plane);
  const std::uint32_t top = layout.top(plane);
  const std::uint32_t every = layout.numbered ? 1 : 16;
  for (std::uint32_t x = 0; x < layout.columns; x += every) {
    append_format(svg, "<text x=\"{}\" y=\"{}\" class=\"axis\">{}{}</text>\n",
                  left + x * layout.cell + layout.cell / 2, top - 6, x == 0 ? "x=" : "", x);
  }
  for (std::uint32_t y = 0; y < layout.rows && layout.rows > 1; y += every) {
    append_format(svg, "<text x=\"{}\" y=\"{}\" class=\"axis\">{}{}</text>\n", left - 16,
                  top + y * layout.cell + layout.cell / 2 + 4, y == 0 ? "y=" : "", y);
  }
  return svg;
}

}  // namespace

std::uint64_t TcdMap::minimum() const {
  std::uint64_t least = 0;
  for (const std::uint64_t value : tcd) {
    if (value != 0 && (least == 0 || value < least)) least = value;
  }
  return least;
}
std::uint64_t TcdMap::maximum() const { return *std::max_element(tcd.begin(), tcd.end()); }
std::uint64_t TcdMap::sum() const {
  return std::accumulate(tcd.begin(), tcd.end(), std::uint64_t{0});
}

const std::vector<std::string_view>& tcd_map_algorithms() {
  static const std::vector<std::string_view> names{"eye",  "min-tcd",    "figure2",
                                                   "tree", "xy-unicast", "doubling"};
  return names;
}

TcdMap tcd_map(const Topology& topology, std::string_view algorithm, const Progress& progress) {
  const auto& known = tcd_map_algorithms();
  if (std::find(known.begin(), known.end(), algorithm) == known.end()) {
    throw InputError(fmt::format("--algorithm: \"{}\" has no map of distances{}; there is {}",
                                 algorithm, did_you_mean(algorithm, known), joined(known, ", ")));
  }
  require_connected(topology);
  const auto planner =
      std::find_if(algorithms().begin(), algorithms().end(), [algorithm](const Algorithm& one) {
        return one.collective == "broadcast" && one.name == algorithm;
      });
  const bool served = serves(planner->shapes, topology);
  const bool closed =
      served && topology.is_healthy() && (algorithm != "doubling" || bounds::levels_of(topology));
  TcdMap map{topology, std::string(algorithm), {}, eyes_of(topology)};
  map.tcd = closed ? closed_map(topology, algorithm, map.eye)
                   : planned_map(topology, algorithm, served, progress);
  return map;
}

std::string tcd_map_text(const TcdMap& map) {
  const std::uint32_t columns = map.topology.side(0);
  const std::uint32_t plane = columns * rows_of(map.topology);
  const std::size_t width = std::to_string(map.maximum()).size();
  std::string text;
  for (NodeId node = 0; node < map.topology.nodes(); ++node) {
    if (node % plane == 0 && map.topology.dimensions() > 2) {
      text += fmt::format("{}{}\n", node == 0 ? "" : "\n", plane_name(map.topology, node));
    }
    const std::string value = map.tcd[node] == 0 ? "-" : std::to_string(map.tcd[node]);
    const bool last = node % columns == columns - 1;
    text += fmt::format("{:>{}}{}{}", value, width, map.eye[node] ? "*" : (last ? "" : " "),
                        last ? "\n" : " ");
  }
  text += fmt::format("minimum {}, maximum {}, sum {}\n", map.minimum(), map.maximum(), map.sum());
  return text;
}

std::string tcd_map_csv(const TcdMap& map) {
  constexpr std::string_view kLetters = "xyzw";
  std::string csv;
  for (std::size_t dim = 0; dim < map.topology.sides().size(); ++dim) {
    csv += dim < kLetters.size() ? fmt::format("{},", kLetters[dim]) : fmt::format("d{},", dim);
  }
  csv += "tcd,eye\n";
  for (NodeWalk walk(map.topology); !walk.done(); walk.next()) {
    for (std::size_t dim = 0; dim < map.topology.sides().size(); ++dim) {
      csv += fmt::format("{},", walk.coordinates()[dim]);
    }
    const std::uint64_t value = map.tcd[walk.node()];
    csv += fmt::format("{},{}\n", value == 0 ? "" : std::to_string(value),
                       map.eye[walk.node()] ? 1 : 0);
  }
  return csv;
}

std::string tcd_map_json(const TcdMap& map) {
  nlohmann::ordered_json json = {{"map", "tcd"}, {"algorithm", map.algorithm}};
  add_network(json, map.topology);
  json["minimum"] = map.minimum();
  json["maximum"] = map.maximum();
  json["sum"] = map.sum();
  json["tcd"] = nlohmann::ordered_json::array();
  json["eyes"] = nlohmann::ordered_json::array();
  for (NodeId node = 0; node < map.topology.nodes(); ++node) {
    const std::uint64_t value = map.tcd[node];
    json["tcd"].push_back(value == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(value));
    if (map.eye[node]) json["eyes"].push_back(node);
  }
  return json.dump() + "\n";
}

std::string tcd_map_svg(const TcdMap& map) {
  const MapLayout layout(map);
  const std::uint64_t least = map.minimum();
  const std::uint64_t most = map.maximum();
  std::string svg = svg_head(map, layout);
  const std::uint32_t cell = layout.cell;
  for (NodeId node = 0; node < map.topology.nodes(); ++node) {
    const std::uint32_t plane = node / (layout.columns * layout.rows);
    const std::uint32_t x = layout.left(plane) + node % layout.columns * cell;
    const std::uint32_t y = layout.top(plane) + node / layout.columns % layout.rows * cell;
    if (node % (layout.columns * layout.rows) == 0) {
      if (layout.planes > 1) {
        append_format(svg, "<text x=\"{}\" y=\"{}\" class=\"m\">{}</text>\n", x,
                      y - MapLayout::kAxis, plane_name(map.topology, node));
      }
      svg += svg_axes(layout, plane);
    }
    const std::uint64_t value = map.tcd[node];
    const double heat =
        most == least ? 0.0
                      : static_cast<double>(value - least) / static_cast<double>(most - least);
    const Shade shade = shade_of(value == 0 ? 0.0 : heat);
    // A pixel between the cells keeps neighbours of one shade apart.
    append_format(svg,
                  "<rect class=\"c\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\">"
                  "<title>({}) {}</title></rect>\n",
                  x, y, cell - 1, cell - 1, value == 0 ? "url(#none)" : shade.hex(),
                  node_text(map.topology, node),
                  value == 0 ? std::string("cannot start here") : std::to_string(value));
    if (value == 0) continue;
    if (layout.numbered) {
      append_format(svg, "<text x=\"{}\" y=\"{}\" class=\"n {}{}\">{}</text>\n", x + cell / 2,
                    y + cell / 2, shade.wants_light_text() ? "l" : "d", value == least ? " m" : "",
                    value);
    }
    if (map.eye[node]) {
      append_format(svg, "<circle cx=\"{0}\" cy=\"{1}\" r=\"{2}\" class=\"eye\"/>\n",
                    x + (cell - 1) / 2.0, y + (cell - 1) / 2.0, (cell - 1) / 2.0 - 2);
    }
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace gossamer
