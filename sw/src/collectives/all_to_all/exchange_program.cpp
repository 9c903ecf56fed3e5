// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_to_all/exchange_program.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "gossamer/machines/timetable/builder.hpp"

namespace gossamer {

namespace {

/// The packets of one offset from origins of one class.
struct Travelling {
  /// Their place as their origin sees it, and the number that the builder has for them there.
  NodeId at = 0;
  std::uint64_t held = 0;
};

/// Follows the packets of all origins of a class as one.
class ExchangeWalk {
 public:
  ExchangeWalk(const Topology& torus, std::optional<int> halved, std::size_t hops)
      : torus_(torus),
        halved_(halved),
        classes_(halved ? 2 : 1),
        packets_(classes_, std::vector<Travelling>(torus.nodes())),
        next_(std::uint64_t{classes_} * torus.nodes()),
        builder_(classes_, next_ + classes_ * hops) {
    for (std::uint32_t origin = 0; origin < classes_; ++origin) {
      for (NodeId offset = 1; offset < torus.nodes(); ++offset) {
        packets_[origin][offset].held = std::uint64_t{origin} * torus.nodes() + offset;
        builder_.start_with(packets_[origin][offset].held, offset - 1);
      }
    }
  }

  TimetableProgram run(const std::vector<std::vector<ExchangeHop>>& hops) {
    for (std::size_t i = 0; i < hops.size(); ++i) step(static_cast<std::uint32_t>(i + 1), hops[i]);
    TimetableProgram program(torus_.nodes(), torus_.ports(), torus_.nodes() - 1,
                             DeliveryRule::kUnstored);
    program.relative = true;
    for (TimetableRom& rom : builder_.build()) program.intern(std::move(rom));
    for (NodeId node = 0; halved_ && node < torus_.nodes(); ++node) {
      program.assign(node, parity_of(node));
    }
    return program;
  }

 private:
  [[nodiscard]] std::uint32_t parity_of(NodeId node) const {
    return halved_ ? torus_.coordinates(node)[static_cast<std::size_t>(*halved_)] % 2 : 0;
  }

  void step(std::uint32_t number, const std::vector<ExchangeHop>& hops) {
    for (const ExchangeHop& hop : hops) {
      for (std::uint32_t origin = 0; origin < classes_; ++origin) {
        if (hop.origins != Origins::kAll && (hop.origins == Origins::kOdd) != (origin == 1)) {
          continue;
        }
        Travelling& packet = packets_[origin][hop.offset];
        TimetableMove move;
        move.step = number;
        move.out_port = hop.port;
        move.from_rom = (origin + parity_of(packet.at)) % classes_;
        move.from = packet.held;
        packet.at = torus_.neighbor(packet.at, hop.port);
        move.to_rom = (origin + parity_of(packet.at)) % classes_;
        if (packet.at != hop.offset) move.to = packet.held = next_++;
        builder_.add(move);
      }
    }
  }

  const Topology& torus_;
  std::optional<int> halved_;
  std::uint32_t classes_;
  /// By class of the origin, then offset.
  std::vector<std::vector<Travelling>> packets_;
  std::uint64_t next_;
  TimetableBuilder builder_;
};

}  // namespace

TimetableProgram exchange_program(const Topology& torus,
                                  const std::vector<std::vector<ExchangeHop>>& hops,
                                  std::optional<int> halved) {
  std::size_t count = 0;
  for (const auto& step : hops) count += step.size();
  return ExchangeWalk(torus, halved, count).run(hops);
}

}  // namespace gossamer
