// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/dynamic_broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <mutex>
#include <thread>

#include "gossamer/collectives/partial/partial_broadcast.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

constexpr double kMillion = 1e6;
constexpr std::uint64_t kBatches = 30;
/// Student's t, 29 degrees of freedom, 97.5 %.
constexpr double kStudent = 2.0452296;

bounds::BroadcastRules rules_of(const DynamicProgram& program) {
  return {program.split, program.alternate, program.skip_last, program.two_way, program.wrap};
}

/// The lengths of intervals and derived figures.
class Intervals {
 public:
  Intervals(const Topology& topology, const DynamicProgram& program)
      : sides_(bounds::EqualSides::of(topology)),
        program_(program),
        substep_flits_(program.clock.flits / bounds::substeps_per_unit(sides_, program.split)),
        constants_(bounds::dynamic_constants(
            sides_, program.split,
            static_cast<double>(program.clock.prefix_flits) / program.clock.flits)) {}

  [[nodiscard]] const bounds::EqualSides& sides() const { return sides_; }
  [[nodiscard]] const bounds::DynamicConstants& constants() const { return constants_; }
  /// Units of an interval with M active nodes.
  [[nodiscard]] double length(std::uint64_t active) const {
    if (program_.interval == IntervalRule::kBound) {
      return constants_.reservation + static_cast<double>(active) * constants_.per_packet;
    }
    return static_cast<double>(cycles(active)) / program_.clock.flits;
  }
  /// Cycles of the partial broadcast of M packets; with none, of the prefix, at least one.
  [[nodiscard]] std::uint64_t cycles(std::uint64_t active) const {
    const auto times = bounds::partial_broadcast_times(sides_, rules_of(program_), active);
    return std::max<std::uint64_t>(
        1, times.prefix_steps * program_.clock.prefix_flits + times.substeps() * substep_flits_);
  }
  /// The rate below which the queues are stable.
  [[nodiscard]] double rate_limit() const {
    if (program_.interval == IntervalRule::kBound) {
      return bounds::dynamic_rate_limit(sides_, constants_);
    }
    return bounds::dynamic_rate_limit_exact(length(sides_.nodes()));
  }
  /// Arrivals per node and unit at load 1.
  [[nodiscard]] double full_rate() const {
    return 1 / bounds::dynamic_utilization(sides_, constants_, 1);
  }
  /// The figures of a load before its run.
  [[nodiscard]] DynamicPoint outlook(double load) const {
    DynamicPoint point;
    point.load = load;
    point.rate = load * full_rate();
    point.stable = point.rate < rate_limit();
    point.delay_bound = bounds::dynamic_delay_bound(sides_, constants_, point.rate);
    return point;
  }

 private:
  bounds::EqualSides sides_;
  const DynamicProgram& program_;
  std::uint64_t substep_flits_;
  bounds::DynamicConstants constants_;
};

/// Mean and confidence interval of the run's measurements after its first tenth.
class BatchMeans {
 public:
  explicit BatchMeans(std::uint64_t broadcasts)
      : skipped_((broadcasts + 9) / 10), batch_size_((broadcasts - skipped_) / kBatches) {}
  void add(double delay) {
    if (seen_++ < skipped_ || sums_.size() == kBatches) return;
    sum_ += delay;
    if (++in_batch_ < batch_size_) return;
    sums_.push_back(sum_ / static_cast<double>(batch_size_));
    sum_ = 0;
    in_batch_ = 0;
  }
  [[nodiscard]] double mean() const {
    double total = 0;
    for (const double batch : sums_) total += batch;
    return total / static_cast<double>(sums_.size());
  }
  [[nodiscard]] double half_width() const {
    const double centre = mean();
    double squares = 0;
    for (const double batch : sums_) squares += (batch - centre) * (batch - centre);
    const auto n = static_cast<double>(sums_.size());
    return kStudent * std::sqrt(squares / (n - 1) / n);
  }

 private:
  std::uint64_t skipped_;
  std::uint64_t batch_size_;
  std::uint64_t seen_ = 0;
  std::uint64_t in_batch_ = 0;
  double sum_ = 0;
  std::vector<double> sums_;
};

/// Sums up the progress of the threads, and reports every hundredth of the total.
class Watch {
 public:
  Watch(const Progress& progress, std::uint64_t total)
      : progress_(progress), total_(total), interval_(std::max<std::uint64_t>(1, total / 100)) {}
  void add(std::uint64_t broadcasts) {
    if (!progress_) return;
    const std::lock_guard lock(showing_);
    done_ += broadcasts;
    if (done_ < next_ && done_ < total_) return;
    next_ = done_ + interval_;
    progress_("broadcasts", std::min(done_, total_), total_);
  }

 private:
  const Progress& progress_;
  std::uint64_t total_;
  std::uint64_t interval_;
  std::mutex showing_;
  std::uint64_t done_ = 0;
  std::uint64_t next_ = 0;
};

/// One load's run.
class DynamicRun {
 public:
  DynamicRun(const Experiment& experiment, std::uint32_t load_millionths,
             const DynamicRunOptions& options, Watch& watch)
      : experiment_(experiment),
        watch_(watch),
        topology_(experiment.topology),
        program_(experiment.program),
        options_(options),
        intervals_(topology_, program_),
        load_(load_millionths / kMillion),
        rate_(load_ * intervals_.full_rate()),
        random_(program_.seed ^ (std::uint64_t{load_millionths} << 32U)),
        waiting_(topology_.nodes()),
        lengths_(std::size_t{topology_.nodes()} + 1, 0) {}

  /// Calls `take` with every interval that broadcasts something; the run ends when it returns
  /// false.
  DynamicPoint run(const std::function<bool(const DynamicIntervalRun&)>& take = {}) {
    DynamicPoint point = intervals_.outlook(load_);
    BatchMeans delays(program_.broadcasts);
    double now = 0;
    double next_arrival = gap();
    while (point.broadcasts < program_.broadcasts) {
      if (busy_.empty() && next_arrival > now) {
        // Empty intervals all have one length: as many as begin before the next arrival.
        const double idle = std::ceil((next_arrival - now) / length(0));
        now += idle * length(0);
        point.intervals += static_cast<std::uint64_t>(idle);
      }
      while (next_arrival <= now) {
        const auto node = static_cast<NodeId>(random_.below(topology_.nodes()));
        if (waiting_[node].empty()) busy_.push_back(node);
        waiting_[node].push_back(next_arrival);
        next_arrival += gap();
      }
      // Rounding can leave the arrival just after the interval's start.
      if (busy_.empty()) continue;
      std::sort(busy_.begin(), busy_.end());
      if (options_.execute) execute(point);
      if (take && !take(shown(now))) return point;
      now += length(busy_.size());
      ++point.intervals;
      for (const NodeId node : busy_) {
        delays.add(now - waiting_[node].front());
        waiting_[node].pop_front();
      }
      point.broadcasts += busy_.size();
      watch_.add(busy_.size());
      busy_.erase(std::remove_if(busy_.begin(), busy_.end(),
                                 [this](NodeId node) { return waiting_[node].empty(); }),
                  busy_.end());
    }
    if (point.stable) {
      point.mean_delay = delays.mean();
      point.delay_ci95 = delays.half_width();
    }
    return point;
  }

 private:
  /// Time to the next arrival anywhere.
  double gap() {
    return -std::log1p(-random_.unit()) / (rate_ * static_cast<double>(topology_.nodes()));
  }

  double length(std::size_t active) {
    double& known = lengths_[active];
    if (known == 0) known = intervals_.length(active);
    return known;
  }

  [[nodiscard]] DynamicIntervalRun shown(double now) {
    DynamicIntervalRun interval{now, now + length(busy_.size()), busy_, {}};
    for (const NodeId node : busy_) {
      for (const double time : waiting_[node]) interval.waiting.push_back({node, time});
    }
    return interval;
  }

  void execute(DynamicPoint& point) {
    const auto cycles = options_.execute(dynamic_interval_plan(experiment_, busy_));
    // On a line without packing a broadcast may end before its barrier (partial_broadcast.cpp).
    if (!cycles || *cycles > intervals_.cycles(busy_.size())) ++point.mismatches;
  }

  const Experiment& experiment_;
  Watch& watch_;
  const Topology& topology_;
  const DynamicProgram& program_;
  const DynamicRunOptions& options_;
  Intervals intervals_;
  double load_;
  double rate_;
  SplitMix64 random_;
  /// Arrival times of the packets that wait, by node.
  std::vector<std::deque<double>> waiting_;
  /// Nodes that have a packet.
  std::vector<NodeId> busy_;
  /// Interval lengths by number of active nodes, once computed.
  std::vector<double> lengths_;
};

}  // namespace

std::vector<double> parse_loads(std::string_view text) {
  std::vector<double> loads;
  const std::string all(text);
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t comma = std::min(all.find(',', at), all.size());
    const std::string entry = all.substr(at, comma - at);
    std::size_t used = 0;
    double load = 0;
    const bool plain = !entry.empty() &&
                       entry.find_first_not_of("0123456789.") == std::string::npos &&
                       entry.size() <= 12;
    try {
      if (plain) load = std::stod(entry, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (!plain || used != entry.size() || load * kMillion < 1 ||
        load * kMillion > kMaxLoadMillionths) {
      throw InputError(fmt::format("load: \"{}\" is not a number above 0 and at most {}",
                                   entry.substr(0, 40), kMaxLoadMillionths / kMillion));
    }
    loads.push_back(load);
    at = comma + 1;
  }
  if (loads.size() > kMaxLoads) {
    throw InputError(
        fmt::format("load: up to {1} loads are supported, not {0}", loads.size(), kMaxLoads));
  }
  return loads;
}

std::uint32_t load_in_millionths(double load) {
  return static_cast<std::uint32_t>(std::lround(load * kMillion));
}

void check_experiment(const Experiment& experiment) { (void)dynamic_interval_plan(experiment, {}); }

Experiment plan_dynamic_broadcast(const Topology& topology, const DynamicOptions& options) {
  if (options.broadcasts < kMinDynamicBroadcasts || options.broadcasts > kMaxDynamicBroadcasts) {
    throw InputError(fmt::format("broadcasts: {} is outside {}..{}", options.broadcasts,
                                 kMinDynamicBroadcasts, kMaxDynamicBroadcasts));
  }
  if (options.loads.empty() || options.loads.size() > kMaxLoads) {
    throw InputError(fmt::format("load: 1 to {} loads are expected", kMaxLoads));
  }
  // An interval's plan checks rules, sides and clock.
  PartialBroadcastOptions interval;
  interval.rules = options.rules;
  interval.clock = options.clock;
  const Plan empty = plan_partial_broadcast(topology, interval);

  DynamicProgram program;
  program.interval = options.interval;
  program.split = options.rules.split;
  program.alternate = options.rules.alternate;
  program.skip_last = options.rules.skip_last;
  program.two_way = options.rules.two_way;
  program.wrap = options.rules.wrap;
  program.clock = empty.program.as<QueuedProgram>().clock;
  for (const double load : options.loads) {
    program.load_millionths.push_back(load_in_millionths(load));
  }
  program.broadcasts = options.broadcasts;
  program.seed = options.seed;
  const bounds::EqualSides sides = bounds::EqualSides::of(topology);
  Experiment experiment{topology, empty.parameters, std::move(program),
                        bounds::partial_broadcast_queue(sides, options.rules, topology.nodes())};
  experiment.parameters["interval"] =
      std::string(options.interval == IntervalRule::kBound ? "bound" : "exact");
  return experiment;
}

std::vector<DynamicPoint> run_dynamic(const Experiment& experiment,
                                      const DynamicRunOptions& options) {
  const DynamicProgram& program = experiment.program;
  const std::size_t runs = program.load_millionths.size();
  std::vector<DynamicPoint> points(runs);
  std::vector<std::exception_ptr> failures(runs);
  std::atomic<std::size_t> next{0};
  Watch watch(options.progress, program.broadcasts * runs);
  const auto work = [&] {
    for (std::size_t i = next++; i < runs; i = next++) {
      try {
        points[i] = DynamicRun(experiment, program.load_millionths[i], options, watch).run();
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < options.threads; ++i) helpers.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return points;
}

void visit_dynamic_intervals(const Experiment& experiment, std::uint32_t load_millionths,
                             const std::function<bool(const DynamicIntervalRun&)>& take) {
  const DynamicRunOptions options;
  Watch nobody(options.progress, 0);
  static_cast<void>(DynamicRun(experiment, load_millionths, options, nobody).run(take));
}

std::vector<DynamicPoint> dynamic_outlook(const Experiment& experiment) {
  const DynamicProgram& program = experiment.program;
  const Intervals intervals(experiment.topology, program);
  std::vector<DynamicPoint> points;
  for (const std::uint32_t millionths : program.load_millionths) {
    points.push_back(intervals.outlook(millionths / kMillion));
  }
  return points;
}

DynamicInterval dynamic_interval(const Experiment& experiment, std::uint64_t active) {
  const Intervals intervals(experiment.topology, experiment.program);
  return {intervals.length(active), intervals.cycles(active)};
}

Plan dynamic_interval_plan(const Experiment& experiment, std::vector<NodeId> active) {
  const DynamicProgram& program = experiment.program;
  PartialBroadcastOptions options;
  options.rules = rules_of(program);
  options.clock = program.clock;
  options.active = std::move(active);
  return plan_partial_broadcast(experiment.topology, options);
}

DynamicIntervalSteps dynamic_interval_steps(const Plan& interval) {
  const auto& program = interval.program.as<QueuedProgram>();
  return {program.substeps_per_unit(),
          program.prefix_steps() * program.clock.prefix_flits / program.substep_flits(),
          program.last_step(interval.demand)};
}

double dynamic_load_limit(const Experiment& experiment) {
  const Intervals intervals(experiment.topology, experiment.program);
  return intervals.rate_limit() / intervals.full_rate();
}

}  // namespace gossamer
