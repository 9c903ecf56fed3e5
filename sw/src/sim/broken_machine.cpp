// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/broken_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <ostream>
#include <string>

#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 33U;

/// The network before the faults of `what`. Nodes that the plan avoids have routers then, and
/// elements without a part in it.
Topology repaired(const Topology& topology, const Faults& what) {
  Faults faults = topology.faults();
  for (const NodeId node : what.dead_nodes) {
    if (!topology.is_live(node)) faults.dead_cores.push_back(node);
  }
  const auto take_out = [](auto& from, const auto& out) {
    std::erase_if(
        from, [&out](auto item) { return std::find(out.begin(), out.end(), item) != out.end(); });
  };
  take_out(faults.dead_nodes, what.dead_nodes);
  take_out(faults.dead_arcs, what.dead_arcs);
  return topology.with_faults(std::move(faults));
}

/// The live links that `what` breaks.
std::vector<LinkId> broken_links(const Topology& topology, const Faults& what) {
  const Topology broken = topology.with_faults(what);
  std::vector<LinkId> links;
  for (LinkId link = 0; link < topology.link_slots(); ++link) {
    const NodeId from = topology.link_from(link);
    const Port port = topology.link_port(link);
    if (topology.neighbor(from, port) != kNoNode && broken.neighbor(from, port) == kNoNode) {
      links.push_back(link);
    }
  }
  return links;
}

class BrokenMachine final : public Engine {
 public:
  /// Links that carry something else from a step on.
  struct Stuck {
    std::vector<LinkId> links;
    PacketId carry = kNoPacket;
    std::uint64_t since = 1;
  };

  BrokenMachine(Plan machine, std::vector<Stuck> stuck,
                const std::function<std::unique_ptr<Engine>(const Plan&)>& make)
      : plan_(std::move(machine)),
        stuck_(std::move(stuck)),
        for_good_(run_facts(plan_).breaks != LinkBreaks::kEachCycle),
        machine_(make(plan_)) {
    if (for_good_) break_for_good();
  }

  [[nodiscard]] std::string_view name() const override { return machine_->name(); }
  [[nodiscard]] LinkView links() override {
    LinkView view = machine_->links();
    if (for_good_) return view;
    shown_.assign(view.packets.begin(), view.packets.end());
    for (const Stuck& stuck : stuck_) {
      if (view.step < stuck.since) continue;
      for (const LinkId link : stuck.links) shown_[link] = kNoPacket;
    }
    view.packets = shown_;
    return view;
  }
  void clock(std::uint64_t cycles) override {
    while (cycles > 0) {
      if (!for_good_) break_now();
      const std::uint64_t part = for_good_ ? std::min(cycles, 1 + machine_->quiet()) : 1;
      machine_->clock(part);
      cycles -= part;
      if (for_good_) break_for_good();
    }
  }
  [[nodiscard]] std::uint64_t quiet() const override { return for_good_ ? machine_->quiet() : 0; }
  [[nodiscard]] std::uint64_t held(LinkId link) const override { return machine_->held(link); }
  [[nodiscard]] bool done() const override { return machine_->done(); }
  [[nodiscard]] EngineStatistics statistics() const override { return machine_->statistics(); }
  [[nodiscard]] PrefixResult prefix(int class_index, NodeId node) const override {
    return machine_->prefix(class_index, node);
  }
  [[nodiscard]] bool error(NodeId node) const override { return machine_->error(node); }

 private:
  [[nodiscard]] std::uint64_t next_step() const { return machine_->statistics().steps + 1; }
  /// For the present cycle.
  void break_now() {
    for (const Stuck& stuck : stuck_) {
      if (next_step() < stuck.since) continue;
      for (const LinkId link : stuck.links) machine_->force(link, stuck.carry);
    }
  }
  /// Applies the faults of this step, between two steps.
  void break_for_good() {
    std::erase_if(stuck_, [this](const Stuck& stuck) {
      if (next_step() < stuck.since) return false;
      for (const LinkId link : stuck.links) machine_->force(link, stuck.carry);
      return true;
    });
  }

  Plan plan_;
  std::vector<Stuck> stuck_;
  /// The engine breaks links for the rest of the run, rather than a cycle at a time.
  bool for_good_;
  std::unique_ptr<Engine> machine_;
  std::vector<PacketId> shown_;
};

}  // namespace

Break parse_break(const Topology& topology, std::string_view text) {
  Break made;
  std::string_view rest = text;
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    const auto step = whole_number(rest.substr(at + 1));
    if (!step || *step == 0) {
      throw InputError(fmt::format("\"{}\": after @ the first broken step is expected", text));
    }
    made.since = *step;
    rest = rest.substr(0, at);
  }
  if (const std::size_t equals = rest.find('='); equals != std::string_view::npos) {
    const std::string_view how = rest.substr(equals + 1);
    made.garbage = how == "garbage";
    if (!made.garbage && how != "silent") {
      throw InputError(
          fmt::format("\"{}\": a broken link is =silent or =garbage, not ={}", text, how));
    }
    rest = rest.substr(0, equals);
  }
  if (rest.starts_with("core")) {
    throw InputError("a core does not lose packets; use gossamer plan --dead-core instead");
  }
  add_fault(topology, rest, made.what);
  return made;
}

std::unique_ptr<Engine> make_broken_machine(
    const Plan& plan, std::span<const Break> breaks,
    const std::function<std::unique_ptr<Engine>(const Plan&)>& make) {
  const RunFacts facts = run_facts(plan);
  for (const Break& each : breaks) {
    if (each.since != 1 && facts.breaks == LinkBreaks::kBeforeRun) {
      throw InputError(fmt::format("--break: {} {} plans have no steps; leave out @{}",
                                   plan.algorithm, field_name(plan.collective), each.since));
    }
    if (each.garbage && !facts.garbage) {
      throw InputError(
          fmt::format("--break: {} {}: garbage could form any header; only =silent is supported",
                      plan.algorithm, field_name(plan.collective)));
    }
  }
  Plan machine = plan;
  for (const Break& each : breaks) machine.topology = repaired(machine.topology, each.what);
  // It was another network's.
  machine.expected.lower_bound_steps.reset();
  std::vector<BrokenMachine::Stuck> stuck;
  for (const Break& each : breaks) {
    stuck.push_back({broken_links(machine.topology, each.what), each.garbage ? kGarbage : kNoPacket,
                     each.since});
  }
  return std::make_unique<BrokenMachine>(std::move(machine), std::move(stuck), make);
}

Received::Received(const Plan& plan, bool own)
    : nodes_(plan.topology.nodes()), packets_(std::uint64_t{nodes_} * plan.demand.pieces) {
  if (plan.demand != Demand::all_gather(plan.demand.pieces)) {
    throw InputError(fmt::format("--received: requires an all-gather, not {}", plan.collective));
  }
  if (nodes_ * packets_ > kMostPairs) {
    throw InputError(
        fmt::format("--received: {} nodes with {} packets are too many to list", nodes_, packets_));
  }
  has_.assign(nodes_ * packets_, false);
  for (LinkId link = 0; link < plan.topology.link_slots(); ++link) {
    receiver_.push_back(
        plan.topology.neighbor(plan.topology.link_from(link), plan.topology.link_port(link)));
  }
  for (NodeId node = 0; own && node < nodes_; ++node) {
    if (!plan.topology.has_core(node)) continue;
    for (std::uint64_t c = 0; c < plan.demand.pieces; ++c) add(node, node * plan.demand.pieces + c);
  }
}

void Received::read(std::istream& in, std::string_view name) {
  std::string line;
  const auto next = [&in, &line] {
    if (!std::getline(in, line)) return false;
    if (line.ends_with('\r')) line.pop_back();
    return true;
  };
  if (!next() || line != "node,packet") {
    throw InputError(fmt::format("{}: line 1: \"node,packet\" is expected", name));
  }
  for (std::uint64_t number = 2; next(); ++number) {
    const std::string_view row = line;
    const std::size_t comma = std::min(row.find(','), row.size());
    const auto node = whole_number(row.substr(0, comma));
    const auto packet = whole_number(row.substr(std::min(comma + 1, row.size())));
    if (!node || !packet) {
      throw InputError(fmt::format("{}: line {}: a node and a packet are expected", name, number));
    }
    if (*node >= nodes_ || *packet >= packets_) {
      throw InputError(fmt::format("{}: line {}: {} {} is not in the plan", name, number,
                                   *node >= nodes_ ? "node" : "packet",
                                   *node >= nodes_ ? *node : *packet));
    }
    add(static_cast<NodeId>(*node), *packet);
  }
}

bool Received::on_links(const LinkView& view) {
  for (std::size_t link = 0; link < view.packets.size(); ++link) {
    const PacketId packet = view.packets[link];
    if (packet < packets_ && receiver_[link] != kNoNode) add(receiver_[link], packet);
  }
  return true;
}

bool Received::is_silent(NodeId node) const {
  const auto first = has_.begin() + static_cast<std::ptrdiff_t>(node * packets_);
  return std::find(first, first + static_cast<std::ptrdiff_t>(packets_), true) ==
         first + static_cast<std::ptrdiff_t>(packets_);
}

void Received::silence(NodeId node) {
  const auto first = has_.begin() + static_cast<std::ptrdiff_t>(node * packets_);
  std::fill(first, first + static_cast<std::ptrdiff_t>(packets_), false);
}

void Received::write(std::ostream& out) const {
  out << "node,packet\n";
  for (NodeId node = 0; node < nodes_; ++node) {
    for (PacketId packet = 0; packet < packets_; ++packet) {
      if (has(node, packet)) out << node << ',' << packet << '\n';
    }
  }
}

}  // namespace gossamer
