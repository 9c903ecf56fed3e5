// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "gossamer/topology/live_tree.hpp"
#include "gossamer/topology/topology.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

std::optional<NodeId> node_at(const Topology& topology, std::string_view text) {
  const auto numbers = whole_numbers(text, ',');
  if (!numbers || numbers->size() != topology.sides().size()) return std::nullopt;
  Coordinates at{};
  for (std::size_t dim = 0; dim < numbers->size(); ++dim) {
    if ((*numbers)[dim] >= topology.sides()[dim]) return std::nullopt;
    at[dim] = (*numbers)[dim];
  }
  return topology.node(at);
}

/// Nodes that `start` reaches along live arcs, or that reach it.
std::vector<bool> reach(const Topology& topology, NodeId start, bool forward) {
  std::vector<bool> reached(topology.nodes(), false);
  std::vector<NodeId> front = {start};
  reached[start] = true;
  while (!front.empty()) {
    const NodeId node = front.back();
    front.pop_back();
    for (const Port port : all_ports(topology.ports())) {
      const NodeId next = forward ? topology.neighbor(node, port) : topology.sender(node, port);
      if (next == kNoNode || reached[next]) continue;
      reached[next] = true;
      front.push_back(next);
    }
  }
  return reached;
}

}  // namespace

LinkId reverse_arc(const Topology& topology, LinkId arc) {
  const Port port = topology.link_port(arc);
  return topology.link(topology.beyond(topology.link_from(arc), port), opposite(port));
}

DeadLinks dead_links(const Topology& topology) {
  DeadLinks dead;
  const std::vector<LinkId>& arcs = topology.faults().dead_arcs;
  for (const LinkId arc : arcs) {
    if (!std::binary_search(arcs.begin(), arcs.end(), reverse_arc(topology, arc))) {
      dead.arcs.push_back(arc);
    } else if (is_positive(topology.link_port(arc))) {
      dead.links.push_back(arc);
    }
  }
  return dead;
}

NodeId parse_node(const Topology& topology, std::string_view text, std::string_view what) {
  if (const auto node = node_at(topology, text)) return *node;
  throw InputError(
      fmt::format("{}: \"{}\" is not a node of the {} {}; {} coordinates are expected, "
                  "e.g. {}",
                  what, text, topology.dims_text(), topology.kind(), topology.dimensions(),
                  node_text(topology, topology.nodes() - 1)));
}

LinkId parse_arc(const Topology& topology, std::string_view text, std::string_view what) {
  const std::size_t colon = text.find(':');
  const auto port = colon == std::string_view::npos
                        ? std::nullopt
                        : port_from_name(text.substr(colon + 1), topology.dimensions());
  if (!port) {
    throw InputError(fmt::format("{}: \"{}\" is not of the form {}:x+", what, text,
                                 node_text(topology, topology.nodes() - 1)));
  }
  const NodeId node = parse_node(topology, text.substr(0, colon), what);
  if (topology.beyond(node, *port) == kNoNode) {
    throw InputError(fmt::format("{}: there is no link {} on the {} {}", what, text,
                                 topology.dims_text(), topology.kind()));
  }
  return topology.link(node, *port);
}

std::string node_text(const Topology& topology, NodeId node) {
  const Coordinates at = topology.coordinates(node);
  return joined(at, ",", static_cast<std::size_t>(topology.dimensions()));
}

std::string arc_text(const Topology& topology, LinkId arc) {
  return fmt::format("{}:{}", node_text(topology, topology.link_from(arc)),
                     port_name(topology.link_port(arc)));
}

void add_harvest(const Topology& topology, std::string_view text, Faults& faults) {
  const auto refuse = [&] {
    throw InputError(
        fmt::format("--harvest: \"{}\" is neither a coordinate such as x=3 nor a box "
                    "such as 3,3-4,4 of the {} {}",
                    text, topology.dims_text(), topology.kind()));
  };
  Coordinates low{};
  Coordinates high{};
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    high[static_cast<std::size_t>(dim)] = topology.side(dim) - 1;
  }
  const std::size_t equals = text.find('=');
  const std::size_t dash = text.find('-');
  if (equals != std::string_view::npos) {
    const auto port =
        port_from_name(std::string(text.substr(0, equals)) + '+', topology.dimensions());
    const auto number = whole_number(text.substr(equals + 1));
    if (!port || !number || *number >= topology.side(dimension_of(*port))) {
      refuse();
    }
    const auto dim = static_cast<std::size_t>(dimension_of(*port));
    low[dim] = high[dim] = static_cast<std::uint32_t>(*number);
  } else {
    const auto first = node_at(topology, text.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? std::nullopt : node_at(topology, text.substr(dash + 1));
    if (!first || !last) refuse();
    low = topology.coordinates(*first);
    high = topology.coordinates(*last);
  }
  const std::size_t before = faults.dead_nodes.size();
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    bool inside = true;
    for (std::size_t dim = 0; dim < topology.sides().size(); ++dim) {
      inside =
          inside && walk.coordinates()[dim] >= low[dim] && walk.coordinates()[dim] <= high[dim];
    }
    if (inside) faults.dead_nodes.push_back(walk.node());
  }
  if (faults.dead_nodes.size() == before) refuse();
}

void add_fault(const Topology& topology, std::string_view text, Faults& faults) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view place =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (kind == "node") {
    faults.dead_nodes.push_back(parse_node(topology, place, "node"));
  } else if (kind == "core") {
    faults.dead_cores.push_back(parse_node(topology, place, "core"));
  } else if (kind == "link" || kind == "arc") {
    const LinkId arc = parse_arc(topology, place, kind);
    faults.dead_arcs.push_back(arc);
    if (kind == "link") faults.dead_arcs.push_back(reverse_arc(topology, arc));
  } else {
    throw InputError(fmt::format(
        "\"{}\" is not a fault; link:3,4:x+, arc:3,4:x+, node:2,2 or core:2,2 is expected", text));
  }
}

namespace {

bool is_connected(const Topology& topology) {
  const NodeId first = first_live(topology);
  const auto whole = [&](bool forward) {
    const std::vector<bool> nodes = reach(topology, first, forward);
    return std::count(nodes.begin(), nodes.end(), true) ==
           static_cast<std::ptrdiff_t>(topology.live_nodes());
  };
  return whole(true) && whole(false);
}

/// Adds "LINKS:SEED" dead links.
void add_random_links(const Topology& topology, std::string_view text, Faults& faults) {
  const std::size_t colon = text.find(':');
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto count = whole_number(text.substr(0, colon), kMost);
  const auto seed =
      colon == std::string_view::npos ? std::nullopt : whole_number(text.substr(colon + 1), kMost);
  if (!count || !seed) {
    throw InputError(fmt::format("\"random:{}\": random:LINKS:SEED is expected", text));
  }
  std::vector<LinkId> links;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      const Port port = make_port(dim, true);
      if (topology.neighbor(node, port) != kNoNode) links.push_back(topology.link(node, port));
    }
  }
  SplitMix64 random(*seed);
  std::uint64_t left = *count;
  while (left != 0 && !links.empty()) {
    const std::size_t at = random.below(links.size());
    const LinkId arc = links[at];
    links[at] = links.back();
    links.pop_back();
    Faults more = faults;
    more.dead_arcs.push_back(arc);
    more.dead_arcs.push_back(reverse_arc(topology, arc));
    if (!is_connected(topology.with_faults(more))) continue;
    faults = std::move(more);
    --left;
  }
  if (left != 0) {
    throw InputError(fmt::format("random:{}: only {} links can die while the {} {} stays connected",
                                 text, *count - left, topology.dims_text(), topology.kind()));
  }
}

}  // namespace

Topology with_named_faults(const Topology& topology, std::string_view words) {
  constexpr std::string_view kHarvest = "harvest:";
  constexpr std::string_view kRandom = "random:";
  Faults faults = topology.faults();
  for (const std::string_view word : words_of(words)) {
    if (word.empty()) continue;
    if (word.starts_with(kHarvest)) {
      add_harvest(topology, word.substr(kHarvest.size()), faults);
    } else if (word.starts_with(kRandom)) {
      add_random_links(topology, word.substr(kRandom.size()), faults);
    } else {
      add_fault(topology, word, faults);
    }
  }
  return topology.with_faults(std::move(faults));
}

std::vector<std::string> fault_lines(const Topology& topology) {
  std::vector<std::string> lines;
  const DeadLinks dead = dead_links(topology);
  for (const LinkId arc : dead.links) lines.push_back("link " + arc_text(topology, arc));
  for (const LinkId arc : dead.arcs) lines.push_back("arc " + arc_text(topology, arc));
  for (const NodeId node : topology.faults().dead_nodes) {
    lines.push_back("node " + node_text(topology, node));
  }
  for (const NodeId node : topology.faults().dead_cores) {
    lines.push_back("core " + node_text(topology, node));
  }
  return lines;
}

std::vector<std::vector<NodeId>> live_parts(const Topology& topology) {
  // Tarjan's algorithm without recursion: numbers in order of discovery, and the lowest number
  // that a node's subtree reaches.
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(topology.nodes(), kUnseen);
  std::vector<std::uint32_t> lowest(topology.nodes(), 0);
  std::vector<bool> open(topology.nodes(), false);
  std::vector<NodeId> stack;
  std::vector<std::pair<NodeId, int>> path;
  std::uint32_t next_number = 0;
  std::vector<std::vector<NodeId>> parts;
  for (NodeId start = 0; start < topology.nodes(); ++start) {
    if (!topology.is_live(start) || number[start] != kUnseen) continue;
    path.emplace_back(start, 0);
    while (!path.empty()) {
      auto& [node, port] = path.back();
      if (number[node] == kUnseen) {
        number[node] = lowest[node] = next_number++;
        stack.push_back(node);
        open[node] = true;
      }
      if (port < topology.ports()) {
        const NodeId to = topology.neighbor(node, static_cast<Port>(port++));
        if (to == kNoNode) continue;
        if (number[to] == kUnseen) {
          path.emplace_back(to, 0);
        } else if (open[to]) {
          lowest[node] = std::min(lowest[node], number[to]);
        }
        continue;
      }
      const NodeId done = node;
      path.pop_back();
      if (!path.empty()) {
        lowest[path.back().first] = std::min(lowest[path.back().first], lowest[done]);
      }
      if (lowest[done] != number[done]) continue;
      std::vector<NodeId>& part = parts.emplace_back();
      NodeId member = kNoNode;
      do {
        member = stack.back();
        stack.pop_back();
        open[member] = false;
        part.push_back(member);
      } while (member != done);
      std::sort(part.begin(), part.end());
    }
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
  });
  return parts;
}

void require_connected(const Topology& topology) {
  if (topology.is_healthy()) return;
  if (is_connected(topology)) return;
  constexpr std::size_t kNamed = 12;
  const auto parts = live_parts(topology);
  std::vector<std::size_t> sizes;
  std::vector<std::string> rest;
  std::size_t unnamed = 0;
  for (const auto& part : parts) {
    if (sizes.size() < kNamed) sizes.push_back(part.size());
    if (&part == &parts.front()) continue;
    for (const NodeId node : part) {
      if (rest.size() < kNamed) {
        rest.push_back("--dead-node " + node_text(topology, node));
      } else {
        ++unnamed;
      }
    }
  }
  throw InfeasibleError(fmt::format(
      "faults: the live network falls into {} parts, of {}{} nodes; nearest feasible: the largest "
      "alone, {}{}",
      parts.size(), joined(sizes, ", "), parts.size() > kNamed ? ", ..." : "", joined(rest, " "),
      unnamed == 0 ? "" : fmt::format(" and {} more", unnamed)));
}

}  // namespace gossamer
