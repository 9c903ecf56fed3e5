// SPDX-License-Identifier: Apache-2.0
/// The fast engine: moves all packets step by step.
#include <utility>
#include <vector>

#include "east.hpp"

namespace east {

namespace {

using namespace gossamer;

constexpr Port kEast = make_port(0, true);

// [engine]
class EastEngine final : public Engine {
 public:
  explicit EastEngine(const Plan& plan)
      : topology_(plan.topology),
        steps_(plan.program.as<EastProgram>().steps),
        links_(topology_.link_slots(), kNoPacket) {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      registers_.push_back(own_piece(plan, node, 0));
    }
    send();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    return {.cycle = step_, .step = step_ + 1, .begins = true, .packets = links_};
  }

  void clock(std::uint64_t cycles) override {
    for (; cycles != 0 && !done(); --cycles) {
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        registers_[node] = links_[topology_.link_into(node, opposite(kEast))];
      }
      ++step_;
      send();
    }
  }

  [[nodiscard]] bool done() const override { return step_ == steps_; }
  [[nodiscard]] EngineStatistics statistics() const override {
    return {.steps = step_, .cycles = step_, .max_queue = 1};
  }

 private:
  void send() {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      links_[topology_.link(node, kEast)] = done() ? kNoPacket : registers_[node];
    }
  }

  const Topology& topology_;
  std::uint64_t steps_;
  std::uint64_t step_ = 0;
  std::vector<PacketId> registers_;
  std::vector<PacketId> links_;
};
// [engine]

}  // namespace

std::unique_ptr<Engine> make_engine(const Plan& plan) { return std::make_unique<EastEngine>(plan); }

}  // namespace east
