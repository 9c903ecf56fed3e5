// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "gossamer/foreign/check.hpp"
#include "gossamer/util/error.hpp"
#include "shown.hpp"

namespace gossamer::foreign {

namespace {

/// By how much volumes may add up wrongly: a solver prints rounded parts.
constexpr double kTolerance = 0.001;

/// A chunk: its source and its number there.
using Chunk = std::pair<std::uint32_t, std::uint32_t>;

class TecclChecker {
 public:
  TecclChecker(const TecclSchedule& schedule, const CheckOptions& options)
      : schedule_(schedule), options_(options) {
    std::set<std::uint32_t> switches;
    const auto look = [&](const TecclHop& hop) {
      nodes_.insert({hop.from, hop.to});
      switches.insert(hop.switches.begin(), hop.switches.end());
    };
    for (const TecclFlow& flow : schedule.flows) {
      look(flow.hop);
      nodes_.insert(flow.source);
      chunks_.insert({flow.source, flow.chunk});
    }
    for (const TecclDemand& demand : schedule.demands) {
      nodes_.insert({demand.node, demand.source});
      chunks_.insert({demand.source, demand.chunk});
      for (const auto& path : demand.paths) {
        for (const TecclHop& hop : path) look(hop);
      }
    }
    has_switches_ = !switches.empty();
    if (options.network) limit_ = options.network->nodes();
    if (options.nodes) {
      if (limit_ && *limit_ != *options.nodes) {
        throw InputError(
            fmt::format("--nodes: {}, but the network has {} nodes", *options.nodes, *limit_));
      }
      limit_ = options.nodes;
    }
    if (limit_) {
      nodes_.clear();
      for (std::uint32_t node = 0; node < *limit_; ++node) nodes_.insert(nodes_.end(), node);
    } else {
      for (const std::uint32_t node : switches) nodes_.erase(node);
    }
    exchanges_ = schedule.is_fractional() || demands_are_personal();
  }

  CheckResult check() {
    CheckResult result;
    result.format = "te-ccl";
    result.collective = exchanges_ ? "alltoall" : "allgather";
    result.ranks = nodes_.size();
    result.chunks = chunks_of_one(true);
    result.epochs = schedule_.epochs;
    add_unused(schedule_.unused, result.notes);
    for (const auto check :
         {&TecclChecker::check_links, &TecclChecker::check_conflicts, &TecclChecker::check_causes,
          &TecclChecker::check_paths, &TecclChecker::check_demand, &TecclChecker::check_end}) {
      result.defect = (this->*check)();
      if (!result.defect) continue;
      result.epochs.reset();
      return result;
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    for (const TecclFlow& flow : schedule_.flows) used.insert({flow.hop.from, flow.hop.to});
    result.steps = last_arrival();
    result.link_transfers = schedule_.flows.size();
    result.links_used = used.size();
    // All hops of an epoch are simultaneous: an arrival is taken in the same epoch.
    result.queue_slots = schedule_.flows.empty() ? 0 : 1;
    if (options_.network && !has_switches_) {
      result.lower_bound_steps = options_.network->lower_bound(
          exchanges_ ? Collective::kAllToAll : Collective::kAllGather, chunks_of_one(false), 0);
    }
    if (options_.wants_flow) find_flow(result);
    return result;
  }

 private:
  /// First arrivals alone count (section 6).
  void find_flow(CheckResult& result) const {
    if (has_switches_ || schedule_.is_fractional() || exchanges_) {
      result.no_flow = has_switches_ ? "the paths inside a switch are not given"
                       : schedule_.is_fractional()
                           ? "packets are not divided, but this schedule divides chunks"
                           : "TE-CCL's all-to-all has no packet numbers";
      return;
    }
    if (chunks_of_one(true) != chunks_of_one(false)) {
      result.no_flow = "nodes have different numbers of chunks";
      return;
    }
    Flow flow;
    flow.ranks = static_cast<std::uint32_t>(nodes_.size());
    flow.chunks = static_cast<std::uint32_t>(chunks_of_one(true));
    // (node, chunk) to the value there; chunks are in order of sources.
    std::map<std::pair<std::uint32_t, Chunk>, std::uint32_t> there;
    for (const Chunk& chunk : chunks_) {
      there[{chunk.first, chunk}] = static_cast<std::uint32_t>(flow.values.size());
      flow.values.push_back({FlowValue::Kind::kOwn, chunk.first,
                             static_cast<std::uint32_t>(flow.values.size()) % flow.chunks});
    }
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> places;
    for (const TecclFlow* moved : flows_in_order()) {
      const TecclHop& hop = moved->hop;
      const Chunk chunk{moved->source, moved->chunk};
      const std::uint32_t place = places[{hop.from, hop.to, hop.epoch}]++;
      const auto [at, is_new] =
          there.try_emplace({hop.to, chunk}, static_cast<std::uint32_t>(flow.values.size()));
      if (!is_new) continue;
      flow.values.push_back({FlowValue::Kind::kArrival, hop.to, there.at({hop.from, chunk}), 0,
                             hop.epoch + 1, place});
      flow.outputs.push_back({hop.to, at->second});
    }
    result.flow = std::move(flow);
  }

  /// By epoch, then line.
  [[nodiscard]] std::vector<const TecclFlow*> flows_in_order() const {
    std::vector<const TecclFlow*> flows;
    for (const TecclFlow& flow : schedule_.flows) flows.push_back(&flow);
    std::stable_sort(flows.begin(), flows.end(), [](const TecclFlow* a, const TecclFlow* b) {
      return std::tie(a->hop.epoch, a->hop.line) < std::tie(b->hop.epoch, b->hop.line);
    });
    return flows;
  }

  [[nodiscard]] bool demands_are_personal() const {
    if (schedule_.demands.empty() || nodes_.size() <= 2) return false;
    std::map<Chunk, std::uint32_t> node_of;
    return std::all_of(
        schedule_.demands.begin(), schedule_.demands.end(), [&](const TecclDemand& demand) {
          const auto [at, is_new] = node_of.try_emplace({demand.source, demand.chunk}, demand.node);
          return is_new || at->second == demand.node;
        });
  }

  /// Chunks of a node: of the one with most, or with fewest (in an exchange, for one other node).
  [[nodiscard]] std::uint64_t chunks_of_one(bool most) const {
    std::map<std::uint32_t, std::uint64_t> of_source;
    for (const Chunk& chunk : chunks_) ++of_source[chunk.first];
    if (of_source.empty() || (!most && of_source.size() < nodes_.size())) return 0;
    if (!most && exchanges_) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> of_pair;
      for (const TecclDemand& demand : schedule_.demands) ++of_pair[{demand.source, demand.node}];
      if (of_pair.size() < nodes_.size() * (nodes_.size() - 1)) return 0;
      return std::min_element(of_pair.begin(), of_pair.end(), by_count)->second;
    }
    return most ? std::max_element(of_source.begin(), of_source.end(), by_count)->second
                : std::min_element(of_source.begin(), of_source.end(), by_count)->second;
  }
  static constexpr auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };

  [[nodiscard]] std::uint64_t last_arrival() const {
    std::uint64_t last = 0;
    for (const TecclFlow& flow : schedule_.flows) {
      last = std::max(last, std::uint64_t{flow.hop.epoch} + 1);
    }
    return last;
  }

  std::optional<Defect> check_links() {
    for (const TecclFlow& flow : schedule_.flows) {
      const TecclHop& hop = flow.hop;
      for (const std::uint32_t node : {flow.source, hop.from, hop.to}) {
        if (limit_ && node >= *limit_) {
          return Defect{"bounds", hop.line,
                        fmt::format("node {} does not exist; there are {} nodes", node, *limit_)};
        }
      }
      if (hop.from == hop.to) {
        return Defect{"no-link", hop.line, fmt::format("node {} sends to itself", hop.from)};
      }
      if (options_.network && options_.network->width(hop.from, hop.to) == 0) {
        return Defect{
            "no-link", hop.line,
            fmt::format("the network has no link from node {} to node {}", hop.from, hop.to)};
      }
    }
    for (const TecclDemand& demand : schedule_.demands) {
      for (const std::uint32_t node : {demand.source, demand.node}) {
        if (limit_ && node >= *limit_) {
          return Defect{"bounds", demand.line,
                        fmt::format("node {} does not exist; there are {} nodes", node, *limit_)};
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Defect> check_conflicts() {
    if (!options_.network) return std::nullopt;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, double> load;
    for (const TecclFlow& flow : schedule_.flows) {
      const TecclHop& hop = flow.hop;
      double& carried = load[{hop.from, hop.to, hop.epoch}];
      carried += hop.volume.value_or(1.0);
      const std::uint32_t width = options_.network->width(hop.from, hop.to);
      if (carried <= width + kTolerance) continue;
      return Defect{"link-conflict", hop.line,
                    fmt::format("the link from node {} to node {} carries more than {} chunk{} in "
                                "epoch {}",
                                hop.from, hop.to, width, width == 1 ? "" : "s", hop.epoch)};
    }
    return std::nullopt;
  }

  std::optional<Defect> check_causes() {
    if (schedule_.is_fractional()) return std::nullopt;
    for (const TecclFlow* flow : flows_in_order()) {
      const TecclHop& hop = flow->hop;
      const Chunk chunk{flow->source, flow->chunk};
      if (hop.from != flow->source) {
        const auto got = arrived_.find({hop.from, chunk});
        if (got == arrived_.end() || got->second >= hop.epoch) {
          return Defect{
              "acausal", hop.line,
              fmt::format("node {} sends chunk {} of node {} in epoch {}, {}", hop.from,
                          flow->chunk, flow->source, hop.epoch,
                          got == arrived_.end()
                              ? "but does not have it"
                              : fmt::format("but receives it only in epoch {}", got->second))};
        }
      }
      arrived_.try_emplace({hop.to, chunk}, hop.epoch);
    }
    return std::nullopt;
  }

  std::optional<Defect> check_paths() {
    std::optional<Defect> first;
    const auto offer = [&first](std::string kind, std::uint32_t line, const std::string& text) {
      if (first && std::tie(first->line, first->kind) <= std::tie(line, kind)) return;
      first = Defect{std::move(kind), line, text};
    };
    using Key =
        std::tuple<Chunk, std::uint32_t, std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
    const auto key_of = [](const Chunk& chunk, const TecclHop& hop) {
      return Key{chunk, hop.from, hop.to, hop.epoch, hop.switches};
    };
    std::map<Key, double> flows;
    for (const TecclFlow& flow : schedule_.flows) {
      flows[key_of({flow.source, flow.chunk}, flow.hop)] += flow.hop.volume.value_or(1.0);
    }
    std::map<Key, double> carried;
    const bool fractional = schedule_.is_fractional();
    for (const TecclDemand& demand : schedule_.demands) {
      const Chunk chunk{demand.source, demand.chunk};
      const std::string name =
          fmt::format("chunk {} of node {} to node {}", demand.chunk, demand.source, demand.node);
      double brought = 0;
      if (!fractional && demand.paths.empty() && demand.source != demand.node) {
        offer("path", demand.line, fmt::format("there is no path for {}", name));
      }
      for (const auto& path : demand.paths) {
        std::uint32_t at = demand.source;
        bool leads = true;
        std::optional<double> volume;
        const TecclHop* before = nullptr;
        for (const TecclHop& hop : path) {
          leads = leads && hop.from == at;
          at = hop.to;
          if (before != nullptr && hop.epoch <= before->epoch) {
            offer("acausal", hop.line,
                  fmt::format("the path of {} has a hop in epoch {} after a hop in epoch {}", name,
                              hop.epoch, before->epoch));
          }
          before = &hop;
          const auto flow = flows.find(key_of(chunk, hop));
          if (flow == flows.end()) {
            offer("path", hop.line,
                  fmt::format("{}: no flow carries it from node {} to node {} in epoch {}", name,
                              hop.from, hop.to, hop.epoch));
          } else if (fractional) {
            double& sum = carried[flow->first];
            sum += hop.volume.value_or(1.0);
            if (sum > flow->second + kTolerance) {
              offer("volume", hop.line,
                    fmt::format("the paths of {} carry {:.3f} chunks from node {} to node {} in "
                                "epoch {}, but its flows carry {:.3f}",
                                name, sum, hop.from, hop.to, hop.epoch, flow->second));
            }
          }
          volume = std::min(volume.value_or(hop.volume.value_or(1.0)), hop.volume.value_or(1.0));
        }
        if (!leads || at != demand.node) {
          offer("path", demand.line,
                fmt::format("{}: the hops of a path do not lead from the source to the destination",
                            name));
        }
        if (!fractional && before != nullptr && before->epoch > demand.epoch) {
          offer("late", demand.line,
                fmt::format("the path of {} ends in epoch {}, but the key states epoch {}", name,
                            before->epoch, demand.epoch));
        }
        brought += volume.value_or(0.0);
      }
      if (fractional && brought < 1.0 - kTolerance) {
        offer("unmet", demand.line,
              fmt::format("the paths deliver {:.3f} of {}; 1 is required", brought, name));
      }
    }
    return first;
  }

  std::optional<Defect> check_demand() {
    const auto unmet = [this](const std::string& text) {
      return Defect{"unmet", schedule_.epochs_line, text};
    };
    if (!exchanges_) {
      for (const Chunk& chunk : chunks_) {
        for (const std::uint32_t node : nodes_) {
          if (node == chunk.first || arrived_.count({node, chunk}) != 0) continue;
          return unmet(fmt::format("chunk {} of node {} never arrives at node {}", chunk.second,
                                   chunk.first, node));
        }
      }
      return std::nullopt;
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const TecclDemand& demand : schedule_.demands) {
      pairs.insert({demand.source, demand.node});
      const Chunk chunk{demand.source, demand.chunk};
      if (!schedule_.is_fractional() && demand.source != demand.node &&
          arrived_.count({demand.node, chunk}) == 0) {
        return unmet(fmt::format("chunk {} of node {} never arrives at node {}", demand.chunk,
                                 demand.source, demand.node));
      }
    }
    for (const std::uint32_t from : nodes_) {
      for (const std::uint32_t to : nodes_) {
        if (from == to || pairs.count({from, to}) != 0) continue;
        return unmet(fmt::format("there is no demand for a chunk of node {} at node {}", from, to));
      }
    }
    return std::nullopt;
  }

  std::optional<Defect> check_end() {
    if (last_arrival() <= schedule_.epochs) return std::nullopt;
    return Defect{"late", schedule_.epochs_line,
                  fmt::format("the last chunk arrives after {} epochs, but the file states {}",
                              last_arrival(), schedule_.epochs)};
  }

  const TecclSchedule& schedule_;
  const CheckOptions& options_;
  /// Number of nodes, if the network or the options define it.
  std::optional<std::uint32_t> limit_;
  std::set<std::uint32_t> nodes_;
  std::set<Chunk> chunks_;
  bool has_switches_ = false;
  /// All-to-all; else all-gather.
  bool exchanges_ = false;
  /// (node, chunk) to the epoch in which it first arrives.
  std::map<std::pair<std::uint32_t, Chunk>, std::uint32_t> arrived_;
};

}  // namespace

CheckResult check(const TecclSchedule& schedule, const CheckOptions& options) {
  return TecclChecker(schedule, options).check();
}

}  // namespace gossamer::foreign
