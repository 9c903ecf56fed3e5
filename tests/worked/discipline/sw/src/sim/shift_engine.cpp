// SPDX-License-Identifier: Apache-2.0
#include "fast_engines.hpp"

namespace gossamer {

namespace {

class ShiftEngine final : public Engine {
 public:
  ShiftEngine(const Plan& plan, const ShiftProgram& program)
      : topology_(plan.topology), program_(program), links_(topology_.link_slots(), kNoPacket) {
    for (NodeId node = 0; node < topology_.nodes(); ++node)
      held_.push_back(own_piece(plan, node, 0));
    send();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    return {.cycle = statistics_.cycles,
            .step = statistics_.steps + 1,
            .begins = true,
            .packets = links_};
  }

  void clock(std::uint64_t cycles) override {
    for (; cycles != 0 && !done(); --cycles) {
      const Port in_port = opposite(program_.ports[statistics_.steps]);
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        held_[node] = links_[topology_.link_into(node, in_port)];
      }
      ++statistics_.steps;
      ++statistics_.cycles;
      send();
    }
  }

  [[nodiscard]] bool done() const override { return statistics_.steps == program_.ports.size(); }
  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }

 private:
  void send() {
    links_.assign(links_.size(), kNoPacket);
    if (done()) return;
    statistics_.max_queue = 1;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      links_[topology_.link(node, program_.ports[statistics_.steps])] = held_[node];
    }
  }

  const Topology& topology_;
  const ShiftProgram& program_;
  std::vector<PacketId> held_;
  std::vector<PacketId> links_;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_shift_engine(const Plan& plan) {
  return std::make_unique<ShiftEngine>(plan, std::get<ShiftProgram>(plan.program));
}

}  // namespace gossamer
