// SPDX-License-Identifier: Apache-2.0
/// Lists of links, CSV and anynet: their counts add up, and a lower bound is a number of steps.
#include <optional>

#include "fuzz.hpp"
#include "gossamer/foreign/link_graph.hpp"
#include "program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gossamer;
  static const testing::ScratchDirectory directory;
  const std::string file = directory.file("links.csv");
  testing::write_text(file, std::string(reinterpret_cast<const char*>(data), size));
  std::optional<foreign::LinkGraph> graph;
  if (!fuzz::accepted([&] { graph = foreign::LinkGraph::read(file); })) return 0;
  if (graph->nodes() > 64) return 0;
  std::uint64_t links = 0;
  for (std::uint32_t from = 0; from < graph->nodes(); ++from) {
    for (std::uint32_t to = 0; to < graph->nodes(); ++to) links += graph->width(from, to);
  }
  fuzz::require(links == graph->links(), "links do not add up");
  const auto steps = graph->lower_bound(foreign::Collective::kAllGather, 1, 0);
  fuzz::require(!steps || (*steps > 0) == (graph->nodes() > 1), "a bound of no steps");
  return 0;
}
