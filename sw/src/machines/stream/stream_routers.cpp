// SPDX-License-Identifier: Apache-2.0
#include "stream_routers.hpp"

#include <algorithm>
#include <map>

namespace gossamer {

namespace {
constexpr std::uint32_t kSmallestRing = 2;
}  // namespace

void StreamRouters::Fifo::push(const Packet& packet) {
  if (size_ == room_) {
    const std::uint32_t room = std::max(kSmallestRing, room_ * 2);
    auto packets = std::make_unique<Packet[]>(room);  // NOLINT(modernize-avoid-c-arrays)
    for (std::uint32_t i = 0; i < size_; ++i) packets[i] = at(i);
    packets_ = std::move(packets);
    room_ = room;
    head_ = 0;
  }
  packets_[(head_ + size_++) & (room_ - 1)] = packet;
}

StreamRouters::Packet StreamRouters::Fifo::pop() {
  const Packet packet = packets_[head_];
  head_ = (head_ + 1) & (room_ - 1);
  --size_;
  // Own packets are in front of all that arrive.
  if (own_ > 0) --own_;
  return packet;
}

StreamRouters::StreamRouters(const Topology& topology, const StreamProgram& program,
                             std::uint32_t depth, const TranslationLattice& lattice)
    : topology_(topology),
      program_(program),
      lattice_(lattice),
      frame_(program.frame()),
      depth_(depth),
      ports_(static_cast<std::size_t>(topology.ports())),
      sources_(lattice.classes() * ports_),
      shifts_(1),
      programs_(sources_.size() * program.frame(), nullptr),
      queues_(programs_.size()),
      now_(sources_.size()),
      arrivals_(sources_.size()) {
  std::map<Coordinates, std::uint32_t> shift_numbers = {{Coordinates{}, 0}};
  const auto d = static_cast<std::size_t>(topology.dimensions());
  for (std::uint32_t c = 0; c < lattice.classes(); ++c) {
    const NodeId node = topology.node(lattice.representative(c));
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      const std::size_t link = c * ports_ + p;
      if (topology.neighbor(node, port) != kNoNode) {
        for (std::uint32_t slot = 0; slot < frame_; ++slot) {
          const std::size_t index = queue_index(link, slot);
          programs_[index] = &program.at(node, static_cast<Port>(p * frame_ + slot));
          for (const std::uint16_t number : programs_[index]->preload) {
            if (!loses(queues_[index])) queues_[index].push_own({node, number});
          }
        }
      }
      const NodeId neighbor = topology.sender(node, port);
      if (neighbor == kNoNode) {
        sources_[link].link = kNone;
        continue;
      }
      const Coordinates at = topology.coordinates(neighbor);
      Coordinates from = at;
      const std::uint32_t from_class = lattice.reduce(from);
      // The neighbour is `shift` away from its representative, and so are its packets' origins.
      Coordinates shift{};
      for (std::size_t i = 0; i < d; ++i) {
        const std::uint32_t side = topology.sides()[i];
        shift[i] = (at[i] + side - from[i]) % side;
      }
      const auto [entry, added] =
          shift_numbers.try_emplace(shift, static_cast<std::uint32_t>(shifts_.size()));
      if (added) shifts_.push_back(shift);
      sources_[link] = {static_cast<std::uint32_t>(from_class * ports_ + opposite(port)),
                        entry->second};
    }
  }
}

bool StreamRouters::loses(const Fifo& queue) {
  if (queue.size() < depth_) return false;
  ++conflicts_;
  return true;
}

NodeId StreamRouters::shifted(NodeId origin, std::uint32_t shift) const {
  if (shift == 0) return origin;
  const Coordinates& by = shifts_[shift];
  for (int dim = 0; dim < topology_.dimensions(); ++dim) {
    const std::uint32_t distance = by[static_cast<std::size_t>(dim)];
    if (distance == 0) continue;
    const std::uint32_t stride = topology_.stride(dim);
    const std::uint32_t side = topology_.side(dim);
    const std::uint32_t at = origin / stride % side;
    origin += distance * stride;
    if (at + distance >= side) origin -= side * stride;
  }
  return origin;
}

void StreamRouters::send(std::uint64_t step) {
  const auto slot = static_cast<std::uint32_t>((step - 1) % frame_);
  for (std::size_t link = 0; link < now_.size(); ++link) {
    Fifo& queue = queues_[queue_index(link, slot)];
    if (queue.size() == 0) {
      now_[link] = {};
      continue;
    }
    max_queue_ = std::max<std::uint64_t>(max_queue_, queue.size());
    now_[link] = queue.pop();
    ++transfers_;
  }
  for (std::size_t link = 0; link < now_.size(); ++link) {
    const Source& source = sources_[link];
    arrivals_[link] = source.link == kNone ? Packet{} : now_[source.link];
    if (arrivals_[link].empty()) continue;
    arrivals_[link].origin = shifted(arrivals_[link].origin, source.shift);
  }
}

void StreamRouters::forward(std::uint64_t step) {
  const auto arrival_slot = static_cast<std::uint32_t>((step - 1) % frame_);
  const std::size_t next_slot = step % frame_;
  for (std::uint32_t c = 0; c < classes(); ++c) {
    for (std::size_t index = c * ports_ * frame_; index < (c + 1) * ports_ * frame_; ++index) {
      if (programs_[index] == nullptr) continue;
      for (const Port feed : programs_[index]->feed_at(step)) {
        if (feed % frame_ != arrival_slot) continue;
        const Packet& packet = arrival(c, static_cast<Port>(feed / frame_));
        if (packet.empty()) continue;
        Fifo& queue = queues_[index];
        if (!loses(queue)) {
          queue.push(packet);
        } else if (queue.own() > (index % frame_ == next_slot ? 1U : 0U)) {
          own_in_the_way_ = true;
        }
      }
    }
  }
}

std::vector<StreamRouters::Packet> StreamRouters::queue(std::uint32_t class_index, Port out_port,
                                                        std::uint32_t slot) const {
  const Fifo& fifo = queues_[queue_index(class_index * ports_ + out_port, slot)];
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < fifo.size(); ++i) packets.push_back(fifo.at(i));
  return packets;
}

}  // namespace gossamer
