// SPDX-License-Identifier: Apache-2.0
/// Explains why an elastic run ended before all flits were taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/sim/run_monitor.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

/// The state of a network in which no flit can move any more.
struct Standstill {
  /// True: a ring of streams is full, and each node on it waits for the next. False: the network
  /// waits for elements or links whose gates the script closes permanently.
  bool deadlock = false;
  /// The ring with its flits and slots, or the elements and links waited for; one line.
  std::string text;
};

/// Counts the flits taken at every link's far end. The cycles of an elastic run end with the last
/// take; a run that ends too early is at a standstill.
class TakeCounter final : public RunMonitor {
 public:
  explicit TakeCounter(const Plan& plan);
  bool on_links(const LinkView& view) override;
  void finish(const Engine& engine, const StallScript* stalls, Report& report) override;

  /// The cycle of the last take; empty before the first take.
  [[nodiscard]] const std::optional<std::uint64_t>& last_cycle() const { return last_cycle_; }
  /// After the run: why it ended too early; empty when every link has carried all its flits.
  [[nodiscard]] std::optional<Standstill> standstill(const Engine& engine,
                                                     const StallScript& stalls) const;

 private:
  [[nodiscard]] std::optional<std::string> full_ring(const Engine& engine) const;
  [[nodiscard]] bool is_full(const Engine& engine, LinkId link) const;
  /// The link that feeds another; kNoLink without one.
  [[nodiscard]] LinkId feed_of(LinkId link) const;
  [[nodiscard]] std::string waited_for(const StallScript& stalls) const;

  const Plan& plan_;
  const ElasticProgram& program_;
  std::vector<std::uint64_t> capacity_;
  /// By link slot, the number of flits still to be taken.
  std::vector<std::uint64_t> left_;
  std::optional<std::uint64_t> last_cycle_;
};

}  // namespace gossamer
