// SPDX-License-Identifier: Apache-2.0
#include "view_dynamic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::cli {

namespace {

/// Enough to see queues grow and empty, few enough to watch.
constexpr std::uint64_t kBroadcasts = 200;

/// Whole sub-steps since the run's start at a time in units; times are sums of lengths.
std::uint64_t whole_steps(double units, std::uint32_t steps_per_unit) {
  return static_cast<std::uint64_t>(std::floor(units * steps_per_unit + 1e-6));
}

/// Writes an interval's sends with the run's step and packet numbers.
class IntervalTrace final : public Observer {
 public:
  IntervalTrace(const Plan& plan, std::uint64_t before, std::uint64_t first_packet,
                const std::vector<NodeId>& active)
      : ports_(static_cast<LinkId>(plan.topology.ports())),
        parts_(packets_per_node(plan)),
        before_(before),
        first_packet_(first_packet),
        active_(active) {}

  bool on_links(const LinkView& view) override {
    const std::span<const PacketId> links = view.packets;
    for (std::size_t link = 0; link < links.size(); ++link) {
      if (links[link] == kNoPacket) continue;
      const auto origin = static_cast<NodeId>(links[link] / parts_);
      const auto at = std::lower_bound(active_.begin(), active_.end(), origin) - active_.begin();
      const std::uint64_t packet =
          (first_packet_ + static_cast<std::uint64_t>(at)) * parts_ + links[link] % parts_;
      append_format(text_, ",{},0,{},{},{}", before_ + view.step, link / ports_, link % ports_,
                    packet);
      ++rows_;
    }
    return true;
  }

  /// ",step,hop,from,port,packet,..."
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  LinkId ports_;
  std::uint64_t parts_;
  std::uint64_t before_;
  std::uint64_t first_packet_;
  const std::vector<NodeId>& active_;
  std::string text_;
  std::uint64_t rows_ = 0;
};

/// The displayed data, which grows interval by interval.
struct Shown {
  std::string trace;
  std::string intervals;
  std::string packets;
  std::uint64_t rows = 0;
  std::uint64_t broadcasts = 0;
  std::uint64_t interval_count = 0;
  std::uint64_t steps = 0;
  std::uint64_t parts = 1;
  std::uint32_t steps_per_unit = 1;
};

/// Adds a packet to the list, with the number of the interval that broadcasts it or null.
void add_packet(Shown& shown, const DynamicArrival& packet, const std::string& interval) {
  shown.packets += fmt::format("{}[{},{:.8g},{}]", shown.packets.empty() ? "" : ",", packet.node,
                               packet.time, interval);
}

/// Adds an interval; false when it does not fit any more.
bool add_interval(const Experiment& experiment, const DynamicIntervalRun& interval, Shown& shown) {
  const Plan broadcast = dynamic_interval_plan(experiment, interval.active);
  const DynamicIntervalSteps steps = dynamic_interval_steps(broadcast);
  shown.steps_per_unit = steps.per_unit;
  shown.parts = broadcast.demand.pieces;
  const std::uint64_t start = whole_steps(interval.start, shown.steps_per_unit);
  const std::uint64_t end = whole_steps(interval.end, shown.steps_per_unit);
  if (end > kMaxSteps) return false;
  IntervalTrace trace(broadcast, start + steps.prefix, shown.broadcasts, interval.active);
  watch(*make_fast_engine(broadcast), steps.last, trace);
  if (shown.rows + trace.rows() > kMaxTraceRows) return false;
  shown.trace += trace.text();
  shown.rows += trace.rows();
  shown.steps = end;
  shown.intervals +=
      fmt::format("{}[{},{},{:.8g},{:.8g},{}]", shown.intervals.empty() ? "" : ",", start + 1, end,
                  interval.start, interval.end, interval.waiting.size());
  // The oldest of each node, the nodes in the order of `active`.
  const DynamicArrival* before = nullptr;
  for (const DynamicArrival& packet : interval.waiting) {
    if (before == nullptr || before->node != packet.node) {
      add_packet(shown, packet, std::to_string(shown.interval_count));
    }
    before = &packet;
  }
  ++shown.interval_count;
  shown.broadcasts += interval.active.size();
  return true;
}

}  // namespace

std::string dynamic_run_text(const std::string& name, const Experiment& experiment,
                             std::uint32_t load_millionths) {
  Shown shown;
  visit_dynamic_intervals(experiment, load_millionths, [&](const DynamicIntervalRun& interval) {
    if (shown.broadcasts < kBroadcasts && add_interval(experiment, interval, shown)) return true;
    // Packets that wait when the first interval that is not shown starts.
    for (const DynamicArrival& packet : interval.waiting) add_packet(shown, packet, "null");
    return false;
  });
  if (shown.interval_count == 0) {
    throw InputError(fmt::format(
        "{}: the first interval exceeds {} steps or {} sends; reduce --load or the network", name,
        kMaxSteps, kMaxTraceRows));
  }
  // The first number has no comma before it.
  if (!shown.trace.empty()) shown.trace.erase(0, 1);
  return fmt::format(
      "\"steps\":{},\"trace\":[{}],\"dynamic\":{{\"load\":{:g},\"load_limit\":{:.6g},"
      "\"steps_per_unit\":{},\"parts\":{},\"intervals\":[{}],\"packets\":[{}]}}",
      shown.steps, shown.trace, load_millionths / 1e6, dynamic_load_limit(experiment),
      shown.steps_per_unit, shown.parts, shown.intervals, shown.packets);
}

}  // namespace gossamer::cli
