// SPDX-License-Identifier: Apache-2.0
#include "gossamer/exchange/exchange_program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "gossamer/util/slot_pool.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNotStored = ~std::uint32_t{0};

/// The packets of one offset from origins of one class.
struct Travelling {
  /// Where they are, as their origin sees it.
  NodeId at = 0;
  std::uint32_t slot = kNotStored;
};

/// Follows the packets of all origins of a class as one.
class ExchangeWalk {
 public:
  ExchangeWalk(const Topology& torus, std::optional<int> halved)
      : torus_(torus),
        halved_(halved),
        classes_(halved ? 2 : 1),
        packets_(classes_, std::vector<Travelling>(torus.nodes())),
        pools_(classes_) {}

  ScheduleProgram run(const std::vector<std::vector<ExchangeHop>>& hops) {
    for (std::size_t i = 0; i < hops.size(); ++i) step(i + 1, hops[i]);
    std::uint32_t slots = 1;
    for (const SlotPool& pool : pools_) slots = std::max(slots, pool.used());
    ScheduleProgram program(torus_.ports(), torus_.nodes() - 1, slots, hops.size(),
                            class_of_nodes());
    for (const Move& move : moves_) {
      program.set_source(move.step, move.port,
                         move.read == kNotStored
                             ? PacketSource{PacketSource::Kind::kOwn, move.offset - 1}
                             : PacketSource{PacketSource::Kind::kSlot, move.read},
                         move.from);
      if (move.write != kNotStored) {
        program.set_store(move.step, opposite(move.port), move.write, move.to);
      }
    }
    return program;
  }

 private:
  /// What nodes of class `from` do with a packet that comes to nodes of class `to`.
  struct Move {
    std::uint64_t step;
    NodeId offset;
    Port port;
    std::uint32_t origin;
    std::uint32_t from;
    std::uint32_t to = 0;
    std::uint32_t read = kNotStored;
    std::uint32_t write = kNotStored;
  };

  [[nodiscard]] std::uint32_t parity_of(NodeId node) const {
    return halved_ ? torus_.coordinates(node)[static_cast<std::size_t>(*halved_)] % 2 : 0;
  }
  [[nodiscard]] std::vector<std::uint32_t> class_of_nodes() const {
    std::vector<std::uint32_t> classes;
    for (NodeId node = 0; halved_ && node < torus_.nodes(); ++node) {
      classes.push_back(parity_of(node));
    }
    return classes;
  }

  void step(std::uint64_t number, const std::vector<ExchangeHop>& hops) {
    const std::size_t first = moves_.size();
    std::array<PortSet, 2> used;
    for (const ExchangeHop& hop : hops) {
      for (std::uint32_t origin = 0; origin < classes_; ++origin) {
        if (hop.origins != Origins::kAll && (hop.origins == Origins::kOdd) != (origin == 1)) {
          continue;
        }
        Travelling& packet = packets_[origin][hop.offset];
        const std::uint32_t from = (origin + parity_of(packet.at)) % classes_;
        if (used[from].contains(hop.port)) {
          throw std::logic_error("two packets of an exchange want one port");
        }
        used[from].insert(hop.port);
        Move& move = moves_.emplace_back(Move{number, hop.offset, hop.port, origin, from});
        move.read = packet.slot;
        packet.at = torus_.neighbor(packet.at, hop.port);
        move.to = (origin + parity_of(packet.at)) % classes_;
      }
    }
    // All reads come before all writes.
    for (std::size_t i = first; i < moves_.size(); ++i) {
      if (moves_[i].read != kNotStored) pools_[moves_[i].from].give_back(moves_[i].read);
    }
    for (std::size_t i = first; i < moves_.size(); ++i) {
      Move& move = moves_[i];
      Travelling& packet = packets_[move.origin][move.offset];
      if (packet.at == move.offset) continue;
      move.write = packet.slot = pools_[move.to].take();
    }
  }

  const Topology& torus_;
  std::optional<int> halved_;
  std::uint32_t classes_;
  /// By class of the origin, then offset.
  std::vector<std::vector<Travelling>> packets_;
  /// By class of the node.
  std::vector<SlotPool> pools_;
  std::vector<Move> moves_;
};

}  // namespace

ScheduleProgram exchange_program(const Topology& torus,
                                 const std::vector<std::vector<ExchangeHop>>& hops,
                                 std::optional<int> halved) {
  return ExchangeWalk(torus, halved).run(hops);
}

}  // namespace gossamer
