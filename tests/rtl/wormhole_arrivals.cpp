// SPDX-License-Identifier: Apache-2.0
// wormhole_arrivals SIDE CHANNELS BUFFER < PACKETS: the arrivals of packets on a mesh of SIDE x
// SIDE routers of the wormhole model, as "cycle node packet" for each flit. A packet is a line
// "node cycle destination flits": the first cycle in which its node may offer it. Packets of a node
// keep their order.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <vector>

#include "gossamer/wormhole/network.hpp"

namespace gossamer::wormhole {

namespace {

class ListedPackets final : public PacketSource {
 public:
  struct Listed {
    std::uint64_t cycle;
    Packet packet;
  };
  explicit ListedPackets(NodeId nodes) : queues_(nodes) {}

  void add(NodeId node, const Listed& listed) {
    queues_.at(node).push_back(listed);
    flits_left_ += listed.packet.flits;
  }
  [[nodiscard]] std::uint64_t flits_left() const { return flits_left_; }

  bool next(NodeId node, std::uint64_t cycle, Packet& packet) override {
    auto& queue = queues_[node];
    if (queue.empty() || queue.front().cycle > cycle) return false;
    packet = queue.front().packet;
    queue.pop_front();
    return true;
  }
  void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool /*last*/) override {
    fmt::print("{} {} {}\n", cycle, node, tag);
    --flits_left_;
  }

 private:
  std::vector<std::deque<Listed>> queues_;
  std::uint64_t flits_left_ = 0;
};

int run(std::uint32_t side, const Router& router) {
  const Topology mesh = Topology::mesh(std::array{side, side});
  ListedPackets packets(mesh.nodes());
  NodeId node = 0;
  ListedPackets::Listed listed{};
  while (std::cin >> node >> listed.cycle >> listed.packet.destination >> listed.packet.flits) {
    packets.add(node, listed);
    ++listed.packet.tag;
  }
  const auto network = make_network(mesh, router);
  while (packets.flits_left() != 0) {
    if (network->cycle() > 1'000'000) return 1;
    network->clock(packets);
  }
  return 0;
}

}  // namespace

}  // namespace gossamer::wormhole

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto number = [argv](int i) {
    return static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
  };
  return gossamer::wormhole::run(number(1), {number(2), number(3), {}, 0});
}
