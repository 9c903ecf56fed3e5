// SPDX-License-Identifier: Apache-2.0
/// Routes for meshes of other makers: switchboxes of the AI Engine array (mlir-aie) and colours of
/// the wafer-scale engine (csl).
///
/// Both have fixed routes with fan-out and one source an output, so a directed stream of a mesh
/// plan is one channel or one colour. An output cannot take an own packet and what passes by at the
/// same time, so there are two configurations: in `inject` every node sends on its out-ports and
/// keeps what comes in, which is one step of the plan; in `forward` what comes in is passed on and
/// copied to the node without its doing. Running `inject` once a step, each node sending on what it
/// got in the step before, is the plan itself.
#include <fmt/format.h>

#include <array>

#include "formats.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "link_classes.hpp"

namespace gossamer::emit_detail {

namespace {

/// What a node does with one stream; no port where the stream begins or ends.
struct StreamAtNode {
  std::uint32_t stream = 0;
  std::optional<Port> in;
  std::optional<Port> out;
};

/// The streams that touch a node, by number.
std::vector<StreamAtNode> streams_at(const Plan& plan, const DirectedStreams& streams,
                                     const NodeWalk& at) {
  const Topology& topology = plan.topology;
  std::vector<StreamAtNode> result;
  for (std::uint32_t stream = 0; stream < streams.count; ++stream) {
    StreamAtNode here{.stream = stream, .in = {}, .out = {}};
    for (const Port port : all_ports(topology.ports())) {
      const LinkId in = topology.link_into(at.node(), port);
      if (in != kNoLink && streams.of_link[in] == stream) here.in = port;
      if (streams.of_link[topology.link(at.node(), port)] == stream) here.out = port;
    }
    if (here.in || here.out) result.push_back(here);
  }
  return result;
}

constexpr std::array<std::string_view, 4> kAieBundle{"West", "East", "South", "North"};
/// Core rows and columns of the largest device that the dialect knows; row 0 is the interface row.
constexpr std::uint32_t kAieColumns = 50;
constexpr std::uint32_t kAieRows = 8;
/// A tile's DMA has as many channels in each direction.
constexpr std::uint32_t kAieChannels = 2;

constexpr std::array<std::string_view, 4> kCslDirection{"WEST", "EAST", "NORTH", "SOUTH"};
/// Colours that a program can route.
constexpr std::uint32_t kCslColours = 24;

std::string aie_module(const Plan& plan, const DirectedStreams& streams, bool forward) {
  const Topology& topology = plan.topology;
  std::string text = fmt::format(
      "// {} on the {} mesh: {}.\n"
      "// Node (x, y) is tile (x, y + 1), y grows to the north. Channel s carries directed stream "
      "s.\n"
      "module {{\n  aie.device(xcvc1902) {{\n",
      comment_text(plan.collective), topology.dims_text(),
      forward ? "what comes in is passed on and copied to the tile's DMA"
              : "the DMA sends, what comes in goes to the DMA");
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const Coordinates& at = walk.coordinates();
    append_format(text, "    %tile_{0}_{1} = aie.tile({0}, {1})\n", at[0], at[1] + 1);
  }
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const Coordinates& at = walk.coordinates();
    append_format(text, "    aie.switchbox(%tile_{}_{}) {{\n", at[0], at[1] + 1);
    for (const StreamAtNode& here : streams_at(plan, streams, walk)) {
      const auto connect = [&](std::string_view from, std::string_view to) {
        append_format(text, "      aie.connect<{} : {}, {} : {}>\n", from, here.stream, to,
                      here.stream);
      };
      if (here.out && forward && here.in) connect(kAieBundle[*here.in], kAieBundle[*here.out]);
      if (here.out && !(forward && here.in)) connect("DMA", kAieBundle[*here.out]);
      if (here.in) connect(kAieBundle[*here.in], "DMA");
    }
    text += "    }\n";
  }
  text += "  }\n}\n";
  return text;
}

std::string csl_layout(const Plan& plan, const DirectedStreams& streams, bool forward) {
  const Topology& topology = plan.topology;
  // A colour has one route at a processing element, so what a node sends and what it gets are two
  // colours: in `inject` the even and the odd places of a stream have different ones.
  std::string text = fmt::format(
      "// {} on the {} mesh: {}.\n"
      "// x grows to the east, y to the south. The file is a layout block without programs: add "
      "@set_tile_code.\n"
      "layout {{\n  @set_rectangle({}, {});\n",
      comment_text(plan.collective), topology.dims_text(),
      forward ? "colour s carries directed stream s; what comes in is passed on and copied to the "
                "processing element"
              : "colour 2s or 2s + 1 carries directed stream s, by the parity of the sender's x + "
                "y; every element sends and gets",
      topology.side(0), topology.dimensions() > 1 ? topology.side(1) : 1);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const Coordinates& at = walk.coordinates();
    const auto route = [&](std::uint32_t colour, std::string_view rx, const std::string& tx) {
      append_format(text,
                    "  @set_color_config({}, {}, @get_color({}), .{{ .routes = .{{ .rx = .{{ {} "
                    "}}, .tx = .{{ {} }} }} }});\n",
                    at[0], at[1], colour, rx, tx);
    };
    for (const StreamAtNode& here : streams_at(plan, streams, walk)) {
      if (forward) {
        std::string tx = here.in ? "RAMP" : "";
        if (here.out) tx += fmt::format("{}{}", tx.empty() ? "" : ", ", kCslDirection[*here.out]);
        route(here.stream, here.in ? kCslDirection[*here.in] : "RAMP", tx);
        continue;
      }
      const std::uint32_t parity = (at[0] + at[1]) % 2;
      if (here.out) route(2 * here.stream + parity, "RAMP", std::string(kCslDirection[*here.out]));
      if (here.in) route(2 * here.stream + 1 - parity, kCslDirection[*here.in], "RAMP");
    }
  }
  text += "}\n";
  return text;
}

}  // namespace

std::vector<EmittedFile> emit_mlir_aie(const Plan& plan) {
  const Topology& topology = plan.topology;
  const DirectedStreams streams = mesh_streams(plan, "mlir-aie", kAieChannels);
  if (topology.side(0) > kAieColumns ||
      (topology.dimensions() > 1 && topology.side(1) > kAieRows)) {
    throw InputError(fmt::format("format mlir-aie: {} tiles; an array has up to {}x{}",
                                 topology.dims_text(), kAieColumns, kAieRows));
  }
  return {{"inject.mlir", aie_module(plan, streams, false)},
          {"forward.mlir", aie_module(plan, streams, true)}};
}

std::vector<EmittedFile> emit_csl(const Plan& plan) {
  const DirectedStreams streams = mesh_streams(plan, "csl", kCslColours / 2);
  return {{"inject.csl", csl_layout(plan, streams, false)},
          {"forward.csl", csl_layout(plan, streams, true)}};
}

}  // namespace gossamer::emit_detail
