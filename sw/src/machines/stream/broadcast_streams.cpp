// SPDX-License-Identifier: Apache-2.0
/// The proof for the packets of one root. An output port has at most one feed, so a link's stream
/// is that of the one link before it, one step later. The links that the root's streams reach are
/// trees. The list at its tree's first link and its depth determine the packets of a link in each
/// step.
#include <algorithm>

#include "stream_proofs.hpp"

namespace gossamer {

Verdict prove_trees(const Plan& plan, const StreamProgram& program, std::uint64_t limit) {
  const Topology& topology = plan.topology;
  const NodeId root = plan.demand.root;
  const std::uint64_t pieces = plan.demand.pieces;
  // A link that carries a stream: the list that it carries, and in which step its first packet.
  struct Stream {
    LinkId link = 0;
    std::uint32_t step = 0;
    const std::vector<std::uint16_t>* list = nullptr;
  };
  std::vector<Stream> streams;
  // By node: the streams that enter it, as places in `streams`.
  std::vector<std::vector<std::uint32_t>> entering(topology.nodes());

  Verdict verdict;
  verdict.method = "trees";
  const auto add = [&](NodeId node, Port port, std::uint32_t step,
                       const std::vector<std::uint16_t>& list) {
    const NodeId to = topology.neighbor(node, port);
    if (to == kNoNode) return;
    entering[to].push_back(static_cast<std::uint32_t>(streams.size()));
    streams.push_back({topology.link(node, port), step, &list});
  };
  for (const Port port : all_ports(topology.ports())) {
    const std::vector<std::uint16_t>& list = program.at(root, port).preload;
    if (!list.empty()) add(root, port, 1, list);
  }
  // A queue takes no more than it has room for; a single packet is in the link register.
  const auto length = [&](const Stream& stream) {
    const std::uint64_t room = program.is_plain() ? 1 : plan.expected.queue_depth;
    return std::min<std::uint64_t>(stream.list->size(), room);
  };
  verdict.max_queue = 0;
  for (const Stream& stream : streams) {
    verdict.max_queue = std::max(*verdict.max_queue, length(stream));
    *verdict.link_conflicts += stream.list->size() - length(stream);
  }
  // NOLINTNEXTLINE(modernize-loop-convert): the loop also visits streams that it adds.
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Stream stream = streams[i];
    const Port in_port = opposite(topology.link_port(stream.link));
    const NodeId node =
        topology.neighbor(topology.link_from(stream.link), topology.link_port(stream.link));
    for (const Port port : all_ports(topology.ports())) {
      if (program.at(node, port).feed.contains(in_port)) {
        add(node, port, stream.step + 1, *stream.list);
      }
    }
  }

  // The step in which each piece first arrives at a node, and how many do within the limit.
  std::uint64_t steps = 0;
  std::uint64_t missing_in_all = 0;
  constexpr std::uint64_t kNotYet = ~std::uint64_t{0};
  std::vector<std::uint64_t> arrives(pieces);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (node == root) continue;
    std::fill(arrives.begin(), arrives.end(), kNotYet);
    for (const std::uint32_t at : entering[node]) {
      const Stream& stream = streams[at];
      for (std::uint64_t i = 0; i < length(stream) && stream.step + i <= limit; ++i) {
        std::uint64_t& first = arrives[(*stream.list)[i]];
        first = std::min(first, stream.step + i);
      }
    }
    std::uint64_t missing = 0;
    for (const std::uint64_t step : arrives) {
      if (step == kNotYet) {
        ++missing;
      } else {
        steps = std::max(steps, step);
      }
    }
    if (missing != 0) list_missing(verdict, node, missing, pieces);
    missing_in_all += missing;
  }
  verdict.complete = missing_in_all == 0;
  if (verdict.complete) verdict.steps = steps;
  const std::uint64_t last = verdict.complete ? steps : limit;
  std::uint64_t transfers = 0;
  for (const Stream& stream : streams) {
    if (stream.step > last) continue;
    transfers += std::min(length(stream), last - stream.step + 1);
  }
  verdict.link_transfers = transfers;
  verdict.duplicates =
      transfers - (pieces * (topology.nodes() - std::uint64_t{1}) - missing_in_all);
  return verdict;
}

}  // namespace gossamer
