// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/observers.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>

namespace gossamer {

namespace {
constexpr std::uint64_t kWordBits = 64;
constexpr std::size_t kTraceBufferBytes = 1 << 16;

std::uint64_t words_per_node(const Topology& topology, std::uint32_t packets_per_node) {
  const std::uint64_t packets = std::uint64_t{topology.nodes()} * packets_per_node;
  return (packets + kWordBits - 1) / kWordBits;
}
}  // namespace

std::uint64_t Scoreboard::memory_bytes(const Topology& topology, std::uint32_t packets_per_node) {
  return topology.nodes() * words_per_node(topology, packets_per_node) * sizeof(std::uint64_t);
}

Scoreboard::Scoreboard(const Topology& topology, std::uint32_t packets_per_node)
    : receiver_(topology.link_slots(), kNoNode),
      packets_(std::uint64_t{topology.nodes()} * packets_per_node),
      words_per_node_(words_per_node(topology, packets_per_node)),
      known_(topology.nodes() * words_per_node_, 0),
      missing_(topology.nodes(), packets_ - packets_per_node),
      incomplete_nodes_(topology.nodes()) {
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int port = 0; port < topology.ports(); ++port) {
      const auto p = static_cast<Port>(port);
      receiver_[topology.link(walk.node(), p)] = walk.neighbor(p);
    }
    for (std::uint32_t c = 0; c < packets_per_node; ++c) {
      const PacketId own = PacketId{walk.node()} * packets_per_node + c;
      known_[walk.node() * words_per_node_ + own / kWordBits] |= std::uint64_t{1}
                                                                 << (own % kWordBits);
    }
  }
}

bool Scoreboard::on_step(std::uint64_t step, std::span<const PacketId> links) {
  for (std::size_t link = 0; link < links.size(); ++link) {
    const PacketId packet = links[link];
    if (packet == kNoPacket) continue;
    const NodeId node = receiver_[link];
    std::uint64_t& word = known_[node * words_per_node_ + packet / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << (packet % kWordBits);
    if ((word & bit) != 0) {
      ++duplicates_;
      continue;
    }
    word |= bit;
    if (--missing_[node] == 0 && --incomplete_nodes_ == 0) completion_step_ = step;
  }
  return incomplete_nodes_ != 0;
}

bool TransferCounter::on_step(std::uint64_t, std::span<const PacketId> links) {
  transfers_ +=
      links.size() - static_cast<std::uint64_t>(std::count(links.begin(), links.end(), kNoPacket));
  return true;
}

TraceWriter::TraceWriter(const Topology& topology, std::ostream& out)
    : ports_(topology.ports()), out_(&out), buffer_("step,hop,from,port,packet\n") {}

TraceWriter::~TraceWriter() { flush(); }

bool TraceWriter::on_step(std::uint64_t step, std::span<const PacketId> links) {
  const auto ports = static_cast<std::size_t>(ports_);
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (links[link] == kNoPacket) continue;
    fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{},0,{},{},{}\n"), step, link / ports,
                   link % ports, links[link]);
    if (buffer_.size() >= kTraceBufferBytes) flush();
  }
  return true;
}

void TraceWriter::flush() {
  out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

ProgressObserver::ProgressObserver(Progress progress, std::uint64_t expected_steps)
    : progress_(std::move(progress)),
      expected_steps_(expected_steps),
      interval_(std::max<std::uint64_t>(1, expected_steps / 200)) {}

bool ProgressObserver::on_step(std::uint64_t step, std::span<const PacketId>) {
  if (progress_ && step % interval_ == 0) progress_("simulate", step, expected_steps_);
  return true;
}

}  // namespace gossamer
