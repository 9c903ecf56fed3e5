// SPDX-License-Identifier: Apache-2.0
#include "gossamer/foreign/link_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/text.hpp"
#include "shown.hpp"

namespace gossamer::foreign {

namespace {

constexpr std::uint32_t kMaxFileNodes = 1U << 20U;

std::uint64_t divided_up(std::uint64_t amount, std::uint64_t by) { return (amount + by - 1) / by; }

/// A node number of a links file.
std::uint32_t node_number(std::string_view text, const std::string& place) {
  const auto value = whole_number(text, kMaxFileNodes - 1);
  if (!value) {
    throw InputError(fmt::format("{}: \"{}\" is not a node number 0..{}", place, shown(text),
                                 kMaxFileNodes - 1));
  }
  return static_cast<std::uint32_t>(*value);
}

using Link = std::pair<std::uint32_t, std::uint32_t>;

/// A link from one node to another; InputError for a link from a node to itself.
Link link_between(std::uint32_t from, std::uint32_t to, const std::string& place) {
  if (from == to) throw InputError(fmt::format("{}: a link from {} to itself", place, from));
  return {from, to};
}

Link csv_link(std::string_view line, const std::string& place) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) {
    throw InputError(fmt::format("{}: two numbers, from,to, are expected", place));
  }
  return link_between(node_number(line.substr(0, comma), place),
                      node_number(line.substr(comma + 1), place), place);
}

/// BookSim's anynet: in each line `router R` or `node N`, then what it is connected to, each with
/// an optional latency. As there, a connection of two routers is one channel in each direction,
/// stated in one line or in both. A schedule's nodes are BookSim's nodes, which may sit on any
/// router.
class AnynetReader {
 public:
  void read_line(const std::string& line, const std::string& place) {
    std::istringstream words(line);
    std::string word;
    const auto end = [&] {
      if (!(words >> word)) throw InputError(fmt::format("{}: a number is missing", place));
      return node_number(word, place);
    };
    words >> word;
    if (word != "router" && word != "node") {
      throw InputError(fmt::format(
          "{}: the header from,to or a line `router A node N router B ..` is expected", place));
    }
    const bool is_router = word == "router";
    const std::uint32_t head = end();
    if (is_router) routers_.emplace(head, place);
    bool has_end = false;
    while (words >> word) {
      if (word == "router") {
        const std::uint32_t other = end();
        routers_.emplace(other, place);
        if (is_router) {
          links_.insert(link_between(head, other, place));
          links_.insert({other, head});
        } else {
          put(head, other, place);
        }
      } else if (word == "node") {
        const std::uint32_t node = end();
        if (!is_router) {
          throw InputError(fmt::format(
              "{}: a node is connected to a node; it must be connected to a router", place));
        }
        put(node, head, place);
      } else if (!has_end) {
        throw InputError(fmt::format("{}: \"{}\": router or node is expected", place, shown(word)));
      } else {
        // A step takes the same time on all links.
        if (whole_number(word) != 1) {
          throw InputError(
              fmt::format("{}: latency \"{}\": only 1 is supported, since steps are counted", place,
                          shown(word)));
        }
        has_end = false;
        continue;
      }
      has_end = true;
    }
  }

  /// The channels between the routers, under the numbers of the nodes on them; of a file without
  /// nodes, under the routers' own.
  [[nodiscard]] std::vector<Link> links(const std::string& file) const {
    std::uint32_t next = 0;
    for (const auto& [router, place] : routers_) {
      if (router != next++) {
        throw InputError(
            fmt::format("{}: router {}: routers are numbered from 0 on, and there is "
                        "no router {}",
                        place, router, next - 1));
      }
    }
    next = 0;
    for (const auto& [node, router] : router_of_) {
      if (node != next++) {
        throw InputError(fmt::format("{}: nodes are numbered from 0 on, and there is no node {}",
                                     file, next - 1));
      }
    }
    if (node_on_.empty()) return {links_.begin(), links_.end()};
    for (const auto& [router, place] : routers_) {
      if (node_on_.find(router) == node_on_.end()) {
        throw InputError(
            fmt::format("{}: router {} has no node; each router must have one", place, router));
      }
    }
    std::vector<Link> links;
    for (const auto& [from, to] : links_) links.emplace_back(node_on_.at(from), node_on_.at(to));
    return links;
  }

 private:
  void put(std::uint32_t node, std::uint32_t router, const std::string& place) {
    const auto [at, is_new_node] = router_of_.emplace(node, router);
    if (!is_new_node && at->second != router) {
      throw InputError(fmt::format("{}: node {} is already on router {}", place, node, at->second));
    }
    const auto [on, is_new_router] = node_on_.emplace(router, node);
    if (!is_new_router && on->second != node) {
      throw InputError(
          fmt::format("{}: router {} has the nodes {} and {}; only one per router is supported",
                      place, router, on->second, node));
    }
  }

  /// With the line that names it first.
  std::map<std::uint32_t, std::string> routers_;
  std::set<Link> links_;
  std::map<std::uint32_t, std::uint32_t> router_of_;
  std::map<std::uint32_t, std::uint32_t> node_on_;
};

}  // namespace

/// How many nodes are how far from one node.
struct LinkGraph::Distances {
  /// at[x] nodes at distance x.
  std::vector<std::uint64_t> at;
  /// By node.
  std::vector<std::uint32_t> of;

  [[nodiscard]] std::uint64_t largest() const { return at.size() - 1; }
};

LinkGraph::LinkGraph(std::uint32_t nodes)
    : out_degree_(nodes, 0), in_degree_(nodes, 0), to_(nodes), from_(nodes) {}

LinkGraph LinkGraph::of(const Topology& topology) {
  LinkGraph graph(topology.nodes());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      const NodeId to = walk.neighbor(port);
      if (to != kNoNode) graph.add(walk.node(), to);
    }
  }
  graph.sides_ = topology.sides();
  return graph;
}

LinkGraph LinkGraph::full(std::uint32_t nodes) {
  LinkGraph graph(nodes);
  graph.full_ = true;
  graph.links_ = std::uint64_t{nodes} * (nodes - 1);
  std::fill(graph.out_degree_.begin(), graph.out_degree_.end(), nodes - 1);
  graph.in_degree_ = graph.out_degree_;
  return graph;
}

LinkGraph LinkGraph::read(const std::filesystem::path& path) {
  InputFile in(path.string());
  std::string line;
  std::uint32_t number = 0;
  AnynetReader anynet;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  bool csv = false;
  while (std::getline(in.stream(), line)) {
    const std::string place = fmt::format("{}:{}", in.name(), ++number);
    std::replace(line.begin(), line.end(), '\t', ' ');
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    if (number == 1 && line == "from,to") {
      csv = true;
    } else if (csv) {
      links.push_back(csv_link(line, place));
    } else {
      anynet.read_line(line, place);
    }
  }
  if (!csv) links = anynet.links(in.name());
  std::uint32_t nodes = 0;
  for (const auto& [from, to] : links) nodes = std::max({nodes, from + 1, to + 1});
  if (nodes == 0) throw InputError(fmt::format("{}: the file has no links", in.name()));
  LinkGraph graph(nodes);
  for (const auto& [from, to] : links) graph.add(from, to);
  return graph;
}

void LinkGraph::add(std::uint32_t from, std::uint32_t to) {
  ++links_;
  ++out_degree_[from];
  ++in_degree_[to];
  if (++width_[key(from, to)] > 1) return;
  to_[from].push_back(to);
  from_[to].push_back(from);
}

std::uint32_t LinkGraph::width(std::uint32_t from, std::uint32_t to) const {
  if (full_) return from == to ? 0 : 1;
  const auto found = width_.find(key(from, to));
  return found == width_.end() ? 0 : found->second;
}

std::optional<LinkGraph::Distances> LinkGraph::distances(std::uint32_t from, bool reversed) const {
  Distances distances;
  if (full_) {
    distances.of.assign(nodes(), 1);
    distances.of[from] = 0;
    distances.at = {1};
    if (nodes() > 1) distances.at.push_back(nodes() - 1);
    return distances;
  }
  const auto& next = reversed ? from_ : to_;
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  distances.of.assign(nodes(), kUnknown);
  distances.of[from] = 0;
  std::vector<std::uint32_t> order = {from};
  order.reserve(nodes());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t distance = distances.of[order[i]];
    if (distances.at.size() == distance) distances.at.push_back(0);
    ++distances.at[distance];
    for (const std::uint32_t node : next[order[i]]) {
      if (distances.of[node] != kUnknown) continue;
      distances.of[node] = distance + 1;
      order.push_back(node);
    }
  }
  if (order.size() != nodes()) return std::nullopt;
  return distances;
}

std::uint64_t LinkGraph::cut_bound(Collective collective, std::uint64_t chunks) const {
  std::uint64_t bound = 0;
  std::uint64_t stride = 1;
  for (const std::uint32_t side : sides_) {
    // Links over the cut between coordinate a - 1 and those from a on, in both directions.
    std::vector<std::array<std::uint64_t, 2>> over(side + 1, {0, 0});
    for (const auto& [link, width] : width_) {
      const std::uint64_t from = (link >> 32U) / stride % side;
      const std::uint64_t to = (link & 0xffffffffU) / stride % side;
      // A step to the neighbour crosses one cut, a wraparound all of them.
      for (std::uint64_t a = std::min(from, to) + 1; a <= std::max(from, to); ++a) {
        over[a][from < to ? 0 : 1] += width;
      }
    }
    for (std::uint32_t a = 1; a < side; ++a) {
      const std::uint64_t inside = std::uint64_t{nodes()} / side * a;
      const std::uint64_t outside = nodes() - inside;
      std::array<std::uint64_t, 2> crossing{};
      switch (collective) {
        case Collective::kAllToAll:
          crossing = {chunks * inside * outside, chunks * inside * outside};
          break;
        case Collective::kAllGather:
          crossing = {chunks * inside, chunks * outside};
          break;
        case Collective::kReduceScatter:
          crossing = {chunks * outside, chunks * inside};
          break;
        case Collective::kAllReduce:
          crossing = {chunks, chunks};
          break;
        default:
          break;
      }
      for (std::size_t way = 0; way < 2; ++way) {
        if (over[a][way] != 0) bound = std::max(bound, divided_up(crossing[way], over[a][way]));
      }
    }
    stride *= side;
  }
  return bound;
}

std::optional<std::uint64_t> LinkGraph::lower_bound(Collective collective, std::uint64_t chunks,
                                                    std::uint32_t root) const {
  const std::uint64_t p = nodes();
  if (p <= 1) return 0;
  if (links_ == 0) return std::nullopt;
  std::uint64_t bound = cut_bound(collective, chunks);
  const auto at_least = [&bound](std::uint64_t steps) { bound = std::max(bound, steps); };
  // All packets that node v lacks from distance x on have to arrive by its links.
  const auto arrivals = [&](const Distances& sources, std::uint64_t degree) {
    std::uint64_t farther = p;
    for (std::uint64_t x = 1; x <= sources.largest(); ++x) {
      farther -= sources.at[x - 1];
      at_least(x - 1 + divided_up(chunks * farther, degree));
    }
  };
  if (collective == Collective::kBroadcast || collective == Collective::kReduce) {
    const bool reversed = collective == Collective::kReduce;
    const auto& out = reversed ? in_degree_ : out_degree_;
    const auto& in = reversed ? out_degree_ : in_degree_;
    const auto reach = distances(root, reversed);
    if (!reach) return std::nullopt;
    at_least(reach->largest() - 1 + divided_up(chunks, out[root]));
    for (std::uint32_t v = 0; v < p; ++v) {
      if (v != root) at_least(reach->of[v] - 1 + divided_up(chunks, in[v]));
    }
    at_least(divided_up(chunks * (p - 1), links_));
    return bound;
  }
  std::uint64_t hops = 0;
  // In a full graph all nodes are alike.
  const std::uint64_t different = full_ ? 1 : p;
  for (std::uint32_t v = 0; v < different; ++v) {
    const auto outward = distances(v, false);
    const auto inward = distances(v, true);
    if (!outward || !inward) return std::nullopt;
    switch (collective) {
      case Collective::kAllGather:
        arrivals(*inward, in_degree_[v]);
        at_least(outward->largest() - 1 + divided_up(chunks, out_degree_[v]));
        break;
      case Collective::kReduceScatter:
        arrivals(*outward, out_degree_[v]);
        at_least(inward->largest() - 1 + divided_up(chunks, in_degree_[v]));
        break;
      case Collective::kAllReduce:
        at_least(outward->largest() - 1 + divided_up(chunks, out_degree_[v]));
        at_least(inward->largest() - 1 + divided_up(chunks, in_degree_[v]));
        break;
      default:
        arrivals(*inward, in_degree_[v]);
        arrivals(*outward, out_degree_[v]);
        for (std::uint64_t x = 1; x <= outward->largest(); ++x) hops += x * outward->at[x];
        break;
    }
  }
  switch (collective) {
    case Collective::kAllReduce:
      at_least(divided_up(2 * chunks * (p - 1), links_));
      break;
    case Collective::kAllToAll:
      at_least(divided_up(chunks * hops * (p / different), links_));
      break;
    default:
      at_least(divided_up(chunks * p * (p - 1), links_));
      break;
  }
  return bound;
}

}  // namespace gossamer::foreign
