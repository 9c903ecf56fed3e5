// SPDX-License-Identifier: Apache-2.0
/// The values that a plan's links carry, by a run of its fast engine on words that are numbers of
/// values.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "gossamer/foreign/export.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

namespace {

/// Most values of an export.
constexpr std::uint64_t kMostFlowValues = std::uint64_t{1} << 28U;

/// How many of the links from a node to the same neighbour have a lower port.
std::uint32_t place_among_parallel(const Topology& topology, NodeId from, Port out_port) {
  std::uint32_t place = 0;
  for (Port port = 0; port < out_port; ++port) {
    if (topology.neighbor(from, port) == topology.neighbor(from, out_port)) ++place;
  }
  return place;
}

Flow empty_flow(const Plan& plan, std::uint64_t own) {
  if (own * plan.topology.nodes() > kMostFlowValues) {
    throw InputError(
        fmt::format("export: {} nodes with {} packets each exceed the limit of a schedule file",
                    plan.topology.nodes(), own));
  }
  Flow flow;
  flow.ranks = plan.topology.nodes();
  flow.chunks = static_cast<std::uint32_t>(own);
  flow.root = plan.demand.root;
  for (NodeId node = 0; node < flow.ranks; ++node) {
    for (std::uint32_t chunk = 0; chunk < flow.chunks; ++chunk) {
      flow.values.push_back({FlowValue::Kind::kOwn, node, chunk});
    }
  }
  return flow;
}

std::uint32_t add_value(Flow& flow, const FlowValue& value) {
  flow.values.push_back(value);
  return static_cast<std::uint32_t>(flow.values.size() - 1);
}

/// Words are numbers: own values are node * pieces + piece, followed by sums in order of
/// appearance. A sum is made at the node where it is first sent or written.
class FlowRecorder final : public WordMaker, public Observer {
 public:
  explicit FlowRecorder(const Plan& plan)
      : topology_(plan.topology),
        demand_(plan.demand),
        flow_(empty_flow(plan, plan.demand.pieces)) {}

  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece) override {
    return node * demand_.pieces + piece;
  }
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    sums_.push_back({a, b});
    if (sums_.size() > kMostFlowValues) {
      throw InputError("export: the additions of the plan exceed the limit of a schedule file");
    }
    return owns() + sums_.size() - 1;
  }

  bool on_links(const LinkView& view) override {
    for (const Result& result : view.results) {
      if (wants(result.node, result.packet)) {
        written_[{result.node, result.packet}] = value_at(result.value, result.node);
      }
    }
    struct Sent {
      LinkId link;
      std::uint32_t value;
    };
    std::vector<Sent> sent;
    for (LinkId link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      sent.push_back({link, value_at(view.values[link], topology_.link_from(link))});
    }
    for (const auto& [link, value] : sent) {
      const NodeId from = topology_.link_from(link);
      const Port port = topology_.link_port(link);
      const NodeId to = topology_.neighbor(from, port);
      const auto [at, is_new] = arrived_.try_emplace(key(view.values[link], to), 0);
      if (!is_new) continue;
      at->second = add_value(
          flow_, {FlowValue::Kind::kArrival, to, value, 0, static_cast<std::uint32_t>(view.step),
                  place_among_parallel(topology_, from, port)});
    }
    return true;
  }

  [[nodiscard]] Flow take() {
    for (const auto& [place, value] : written_) flow_.outputs.push_back({place.first, value});
    return std::move(flow_);
  }

 private:
  struct Sum {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    /// Where it is made and its value there, once it has shown.
    NodeId node = kNoNode;
    std::uint32_t value = 0;
  };

  [[nodiscard]] std::uint64_t owns() const { return demand_.pieces * topology_.nodes(); }
  [[nodiscard]] std::uint64_t key(std::uint64_t word, NodeId node) const {
    return word * topology_.nodes() + node;
  }
  [[nodiscard]] bool wants(NodeId node, PacketId piece) const {
    if (demand_.to == Destination::kRoot) return node == demand_.root;
    return demand_.to != Destination::kOwner ||
           piece / (demand_.pieces / topology_.nodes()) == node;
  }

  /// The value that a word is at a node. Sums nest as deep as a node adds at one edge: a few.
  [[nodiscard]] std::uint32_t value_at(std::uint64_t word, NodeId node) {
    if (word < owns()) {
      if (word / demand_.pieces == node) return static_cast<std::uint32_t>(word);
      return arrived_.at(key(word, node));
    }
    const std::size_t number = word - owns();
    if (sums_[number].node == kNoNode) {
      const std::uint32_t a = value_at(sums_[number].a, node);
      const std::uint32_t b = value_at(sums_[number].b, node);
      sums_[number].node = node;
      // Two registers that take the same sum hold one value.
      const auto [at, is_new] = sum_of_.try_emplace(std::minmax(a, b), 0);
      if (is_new) at->second = add_value(flow_, {FlowValue::Kind::kSum, node, a, b});
      sums_[number].value = at->second;
    }
    return sums_[number].node == node ? sums_[number].value : arrived_.at(key(word, node));
  }

  const Topology& topology_;
  const Demand& demand_;
  Flow flow_;
  std::vector<Sum> sums_;
  /// By the values of its terms: the value of a sum.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sum_of_;
  /// By word and node: the value of its first arrival there.
  std::unordered_map<std::uint64_t, std::uint32_t> arrived_;
  /// The last words written by interfaces, in order of nodes and pieces.
  std::map<std::pair<NodeId, PacketId>, std::uint32_t> written_;
};

}  // namespace

Flow flow_of(const Plan& plan, const RunMaker& make) {
  FlowRecorder recorder(plan);
  EngineOptions options;
  options.arithmetic = {.operation = Operation::kCopy, .bits = 64, .maker = &recorder};
  const auto engine = make ? make(options) : make_fast_engine(plan, options);
  watch(*engine, kNoStepLimit, recorder);
  return recorder.take();
}

}  // namespace gossamer::foreign
