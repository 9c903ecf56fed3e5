// SPDX-License-Identifier: Apache-2.0
/// Why an elastic run ended before everything was taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/sim/run_monitor.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

/// A network that can make no further move.
struct Standstill {
  /// True: a ring of streams is full, and nobody on it can move before the next one does. False:
  /// elements or links are waited for that the script closes for ever.
  bool deadlock = false;
  /// The ring with its flits and slots, or who is waited for; one line.
  std::string text;
};

/// Counts what every link's far end took: the cycles of an elastic run are until the last take, and
/// a run that ends too early is at a standstill.
class TakeCounter final : public RunMonitor {
 public:
  explicit TakeCounter(const Plan& plan);
  bool on_links(const LinkView& view) override;
  void finish(const Engine& engine, const StallScript* stalls, Report& report) override;

  /// The cycle of the last take; nothing without one.
  [[nodiscard]] const std::optional<std::uint64_t>& last_cycle() const { return last_cycle_; }
  /// Behind the run: why it ended too early; nothing when every link has carried all it has to.
  [[nodiscard]] std::optional<Standstill> standstill(const Engine& engine,
                                                     const StallScript& stalls) const;

 private:
  [[nodiscard]] std::optional<std::string> full_ring(const Engine& engine) const;
  [[nodiscard]] bool is_full(const Engine& engine, LinkId link) const;
  /// The link that feeds another; kNoLink when none does.
  [[nodiscard]] LinkId feed_of(LinkId link) const;
  [[nodiscard]] std::string waited_for(const StallScript& stalls) const;

  const Plan& plan_;
  const ElasticProgram& program_;
  std::vector<std::uint64_t> capacity_;
  /// By link slot, what is still to be taken.
  std::vector<std::uint64_t> left_;
  std::optional<std::uint64_t> last_cycle_;
};

}  // namespace gossamer
