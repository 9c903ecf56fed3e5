// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "translation_lattice.hpp"

namespace gossamer {

/// The routers of a stream program, one for each class of nodes that translations map to one
/// another.
///
/// The tables are the same at v and at v + t for every t of the lattice. Then the queues are also
/// the same, except that the origins of their packets differ by t. This holds at the start (own
/// packets), and a step preserves it: both routers handle arrivals from neighbours that also differ
/// by t in the same way. It is therefore enough to keep the representatives' routers. An arrival
/// from outside the box of representatives is a representative's send with its origin translated.
class StreamRouters {
 public:
  /// A packet as a representative sees it: its origin, were the representative's copy of the torus
  /// the only one, and its number there.
  struct Packet {
    NodeId origin = kNoNode;
    std::uint32_t number = 0;

    [[nodiscard]] bool empty() const { return origin == kNoNode; }
  };

  /// `depth` is the room of each queue. All must outlive the machine.
  StreamRouters(const Topology& topology, const StreamProgram& program, std::uint32_t depth,
                const TranslationLattice& lattice);

  [[nodiscard]] std::uint32_t classes() const { return lattice_.classes(); }
  /// Puts the heads of the queues on the links; `step` is 1, 2, ... in turn.
  void send(std::uint64_t step);
  /// The arrival of a class's representative at an input port, in the step that is on the links.
  [[nodiscard]] const Packet& arrival(std::uint32_t class_index, Port in_port) const {
    return arrivals_[class_index * ports_ + in_port];
  }
  /// Appends the arrivals to the queues.
  void forward(std::uint64_t step);

  /// The waiting packets of an output port (of a slot of the frame), the head first.
  [[nodiscard]] std::vector<Packet> queue(std::uint32_t class_index, Port out_port,
                                          std::uint32_t slot) const;
  /// Packets on links so far, of all representatives.
  [[nodiscard]] std::uint64_t transfers() const { return transfers_; }
  /// Packets that found a full queue so far, likewise.
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  /// A packet has found a queue full of own packets that wait for their turn. In tables they occupy
  /// room; a network interface that keeps them leaves it to arrivals. Later losses therefore depend
  /// on the routers.
  [[nodiscard]] bool own_in_the_way() const { return own_in_the_way_; }
  /// Longest queue at the start of a step so far, the head included.
  [[nodiscard]] std::uint64_t max_queue() const { return max_queue_; }

 private:
  /// A ring of packets that grows.
  class Fifo {
   public:
    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] const Packet& at(std::uint32_t i) const {
      return packets_[(head_ + i) & (room_ - 1)];
    }
    /// Own packets that have not been sent yet.
    [[nodiscard]] std::uint32_t own() const { return own_; }
    void push(const Packet& packet);
    void push_own(const Packet& packet) {
      push(packet);
      ++own_;
    }
    Packet pop();

   private:
    std::unique_ptr<Packet[]> packets_;
    /// A power of two, or 0.
    std::uint32_t room_ = 0;
    std::uint32_t head_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t own_ = 0;
  };
  /// Origin of an input port's packets.
  struct Source {
    /// Index in now_; kNone: the port is unconnected.
    std::uint32_t link = 0;
    /// Index in shifts_; 0 does not change anything.
    std::uint32_t shift = 0;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] std::size_t queue_index(std::size_t link, std::uint32_t slot) const {
    return link * frame_ + slot;
  }
  [[nodiscard]] NodeId shifted(NodeId origin, std::uint32_t shift) const;
  /// Whether a queue has no room left; counts a packet lost if so.
  bool loses(const Fifo& queue);

  const Topology& topology_;
  const StreamProgram& program_;
  const TranslationLattice& lattice_;
  std::uint32_t frame_;
  std::uint32_t depth_;
  std::size_t ports_;
  /// By class and in-port.
  std::vector<Source> sources_;
  std::vector<Coordinates> shifts_;
  /// By class, out-port and slot; entries of ports without a link are null.
  std::vector<const StreamPort*> programs_;
  std::vector<Fifo> queues_;
  /// By class and output port: the packet that crosses the link in this step.
  std::vector<Packet> now_;
  /// By class and in-port: the same as its receiver sees it.
  std::vector<Packet> arrivals_;
  std::uint64_t transfers_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t max_queue_ = 0;
  bool own_in_the_way_ = false;
};

}  // namespace gossamer
