// SPDX-License-Identifier: Apache-2.0
/// A run with your own observer: the number of busy links in each step.
#include <array>
#include <cstdio>
#include <vector>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

namespace {

/// Receives the contents of all links once per step, and stores a count.
class Utilization final : public gossamer::Observer {
 public:
  explicit Utilization(std::uint64_t links) : links_(static_cast<double>(links)) {}

  bool on_links(const gossamer::LinkView& view) override {
    double busy = 0;
    for (const gossamer::PacketId packet : view.packets)
      busy += packet != gossamer::kNoPacket ? 1 : 0;
    by_step_.push_back(busy / links_);
    return true;  // false would end the run after this step
  }

  [[nodiscard]] const std::vector<double>& by_step() const { return by_step_; }

 private:
  double links_;
  std::vector<double> by_step_;
};

}  // namespace

int main() {
  const auto torus = gossamer::Topology::torus(std::array{4U, 4U});
  for (const char* algorithm : {"hamiltonian", "ring", "scheduled"}) {
    const gossamer::Plan plan = gossamer::make_plan({torus, "all-gather", algorithm, {}, {}});
    const auto engine = gossamer::make_fast_engine(plan);
    Utilization utilization(torus.links());
    gossamer::RunOptions options;
    options.observer = &utilization;
    const gossamer::Report report = gossamer::run_plan(plan, *engine, options);
    if (!report.problems.empty()) return 1;
    std::printf("%-12s %llu steps:", plan.algorithm.c_str(),
                static_cast<unsigned long long>(*report.steps));
    for (const double busy : utilization.by_step()) std::printf(" %.0f%%", 100 * busy);
    std::printf("\n");
  }
  return 0;
}
