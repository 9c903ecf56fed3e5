// SPDX-License-Identifier: Apache-2.0
#include "gossamer/broadcast/tcd_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/broadcast/eye.hpp"
#include "gossamer/broadcast/figure2.hpp"
#include "gossamer/broadcast/min_tcd.hpp"
#include "gossamer/broadcast/rivals.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

std::vector<bool> eyes_of(const Topology& topology) {
  std::vector<bool> eyes(topology.nodes(), false);
  const auto levels = bounds::levels_of(topology);
  if (!levels) return eyes;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    bool eye = true;
    for (std::size_t i = 0; i < levels->size(); ++i) {
      eye = eye && bounds::is_eye((*levels)[i], walk.coordinates()[i]);
    }
    eyes[walk.node()] = eye;
  }
  return eyes;
}

std::vector<std::uint64_t> eye_map(const Topology& topology, const std::vector<bool>& eyes) {
  const auto levels = bounds::levels_of(topology);
  // The planner's refusal says why.
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

std::vector<std::uint64_t> doubling_map(const Topology& topology) {
  if (const auto levels = bounds::levels_of(topology)) {
    return std::vector<std::uint64_t>(topology.nodes(), bounds::doubling_tcd(*levels));
  }
  std::vector<std::uint64_t> tcd(topology.nodes());
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    const Plan plan = plan_doubling(topology, {source, {}});
    const auto& program = std::get<RelayProgram>(plan.program);
    for (const RelaySend& send : program.sends()) tcd[source] += path_hops(program.path(send));
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

/// A shade between a light and a dark blue, and whether the text on it has to be light.
struct Shade {
  int red, green, blue;
  bool light_text;
};
Shade shade_of(double heat) {
  const auto mix = [heat](double cold, double hot) {
    return static_cast<int>(cold + (hot - cold) * heat + 0.5);
  };
  return {mix(232, 20), mix(242, 60), mix(252, 120), heat > 0.5};
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

TcdMap tcd_map(const Topology& topology, std::string_view algorithm) {
  TcdMap map{topology, std::string(algorithm), {}, eyes_of(topology)};
  if (algorithm == "eye") {
    map.tcd = eye_map(topology, map.eye);
  } else if (algorithm == "min-tcd") {
    map.tcd = min_tcd_map(topology);
  } else if (algorithm == "figure2") {
    map.tcd = figure2_map(topology);
  } else if (algorithm == "tree") {
    map.tcd.assign(topology.nodes(), topology.nodes() - 1);
  } else if (algorithm == "xy-unicast") {
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      map.tcd.push_back(bounds::unicast_tcd(topology, source));
    }
  } else if (algorithm == "doubling") {
    map.tcd = doubling_map(topology);
  } else {
    throw InputError(fmt::format(
        "algorithm: \"{}\" has no TCD map; there is eye, min-tcd, figure2, tree, xy-unicast, "
        "doubling",
        algorithm));
  }
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

std::string tcd_map_svg(const TcdMap& map) {
  constexpr std::uint32_t kMargin = 16;
  constexpr std::uint32_t kTitle = 40;
  constexpr std::uint32_t kMostNumberedColumns = 64;
  const std::uint32_t columns = map.topology.side(0);
  const std::uint32_t rows = rows_of(map.topology);
  const std::uint32_t planes = map.topology.nodes() / (columns * rows);
  const bool numbered = columns <= kMostNumberedColumns;
  const std::size_t digits = std::to_string(map.maximum()).size();
  const std::uint32_t cell = numbered ? static_cast<std::uint32_t>(16 + 8 * digits) : 8;
  const std::uint32_t plane_title = planes > 1 ? 24 : 0;
  const std::uint32_t plane_height = rows * cell + plane_title + (planes > 1 ? kMargin : 0);
  const std::uint32_t width = std::max(columns * cell + 2 * kMargin, 320U);
  const std::uint32_t height = kTitle + planes * plane_height + kMargin;
  const std::uint64_t least = map.minimum();
  const std::uint64_t most = map.maximum();

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n"
      "<title>TCD of {2} on {3} {4}</title>\n"
      "<style>\n"
      "  svg {{ font: 13px sans-serif; background: #ffffff; }}\n"
      "  text {{ fill: #1a1a1a; }}\n"
      "  .n {{ text-anchor: middle; dominant-baseline: central; }}\n"
      "  .l {{ fill: #ffffff; }}\n"
      "  .d {{ fill: #10243e; }}\n"
      "  .m {{ font-weight: bold; }}\n"
      "  .eye {{ fill: none; stroke: #d9480f; stroke-width: 2.5; }}\n"
      "  @media (prefers-color-scheme: dark) {{\n"
      "    svg {{ background: #14171c; }}\n"
      "    text {{ fill: #e8e8e8; }}\n"
      "  }}\n"
      "</style>\n"
      "<text x=\"{5}\" y=\"25\">{2}, {3} {4}: TCD {6} to {7}</text>\n",
      width, height, map.algorithm, map.topology.kind(), map.topology.dims_text(), kMargin, least,
      most);
  const auto out = std::back_inserter(svg);
  for (NodeId node = 0; node < map.topology.nodes(); ++node) {
    const std::uint32_t plane = node / (columns * rows);
    const std::uint32_t x = kMargin + node % columns * cell;
    const std::uint32_t top = kTitle + plane * plane_height + plane_title;
    const std::uint32_t y = top + node / columns % rows * cell;
    if (node % (columns * rows) == 0 && planes > 1) {
      fmt::format_to(out, "<text x=\"{}\" y=\"{}\">{}</text>\n", kMargin, top - 7,
                     plane_name(map.topology, node));
    }
    const std::uint64_t value = map.tcd[node];
    if (value == 0) {
      fmt::format_to(out,
                     "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#8a8a8a\" "
                     "fill-opacity=\"0.25\"/>\n",
                     x, y, cell, cell);
      continue;
    }
    const double heat =
        most == least ? 0.0
                      : static_cast<double>(value - least) / static_cast<double>(most - least);
    const Shade shade = shade_of(heat);
    fmt::format_to(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:02x}{:02x}{:02x}\">"
        "<title>({}) {}</title></rect>\n",
        x, y, cell, cell, shade.red, shade.green, shade.blue, source_text(map.topology, node),
        value);
    if (numbered) {
      fmt::format_to(out, "<text x=\"{}\" y=\"{}\" class=\"n {}{}\">{}</text>\n", x + cell / 2,
                     y + cell / 2, shade.light_text ? "l" : "d", value == least ? " m" : "", value);
    }
    if (map.eye[node]) {
      fmt::format_to(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"eye\"/>\n", x + cell / 2,
                     y + cell / 2, cell / 2 - 2);
    }
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace gossamer
