// SPDX-License-Identifier: Apache-2.0
#include "shared_registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/topology/faults.hpp"

namespace gossamer {

namespace {

PortSet common(const PortSet& one, const PortSet& other) {
  return PortSet(static_cast<std::uint16_t>(one.bits() & other.bits()));
}

std::string port_text(const Topology& topology, LinkId link) {
  const NodeId node = topology.link_from(link);
  return fmt::format("output port {} of node {} ({})", port_name(topology.link_port(link)), node,
                     node_text(topology, node));
}

/// Finds the feeds that explain the link contents of a run, step by step.
class FeedFinder {
 public:
  explicit FeedFinder(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        layout_(plan.topology, plan.demand.groups),
        collects_(collects_at_roots(plan.demand)),
        own_words_(plan, {}),
        run_(plan, {}) {
    found_.feeds.assign(topology_.link_slots(), all_ports(topology_.ports()));
    found_.used.assign(topology_.link_slots(), false);
  }

  RegisterPlan find() {
    while (run_.step() <= run_.steps() && found_.defect.empty()) {
      run_.next();
      if (run_.step() <= run_.steps()) check_registers();
      if (run_.step() > 1) check_results();
    }
    return std::move(found_);
  }

 private:
  void check_registers() {
    for (LinkId link = 0; link < found_.feeds.size(); ++link) {
      const Carried& wanted = run_.now()[link];
      if (wanted.terms == 0) continue;
      found_.used[link] = true;
      if (run_.is_own(topology_.link_from(link), wanted)) continue;
      PortSet& feeds = found_.feeds[link];
      for (const Port feed : feeds) {
        const std::uint64_t value = plan_.demand.combines() ? run_.values()[link] : 0;
        if (!explains(link, feed, wanted, value)) feeds.erase(feed);
      }
      if (!feeds.empty()) continue;
      // The run of a wrong plan still has some wiring.
      feeds = all_ports(topology_.ports());
      found_.defect = fmt::format("{} requires more than one register with one feed (step {})",
                                  port_text(topology_, link), run_.step());
      return;
    }
  }

  void check_results() {
    if (collects_) collect();
    for (const Result& result : run_.results()) {
      const Carried wanted{result.packet, result.terms};
      if (is_held(result.node, wanted, result.value)) continue;
      found_.defect = fmt::format(
          "node {} ({}) delivers a word of step {} that is neither in its registers nor among its "
          "arrivals",
          result.node, node_text(topology_, result.node), run_.step() - 1);
      return;
    }
  }

  /// The root's memory adds what arrives to its own words.
  void collect() {
    for (LinkId link = 0; link < found_.feeds.size(); ++link) {
      const Carried& sent = run_.before()[link];
      if (sent.terms == 0) continue;
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      if (layout_.rank(to) != plan_.demand.root) continue;
      collected_.try_emplace({to, sent.packet}, 1U).first->second += sent.terms;
    }
  }

  /// Whether the register of `link` has the packet by that feed. Where all nodes add to the same
  /// word, several input ports bring sums of as many terms, and only the values show which one was
  /// taken.
  [[nodiscard]] bool explains(LinkId link, Port feed, const Carried& wanted,
                              std::uint64_t value) const {
    const RegisterSource source = run_.source(link, feed, wanted);
    if (source == RegisterSource::kNothing || !plan_.demand.combines()) {
      return source != RegisterSource::kNothing;
    }
    const NodeId node = topology_.link_from(link);
    const auto sent = [this](LinkId from) {
      if (from == kNoLink) return RegisterWord{};
      return RegisterWord{run_.before()[from].packet, run_.values_before()[from],
                          run_.before()[from].terms};
    };
    RegisterWord made = sent(topology_.link_into(node, feed));
    if (source == RegisterSource::kArrivalAndPartner) {
      made = own_words_.combined(made, sent(topology_.link(node, feed)));
    }
    if (source == RegisterSource::kArrivalsAndOwn) {
      made = own_words_.combined(made, sent(topology_.link_into(node, topology_.link_port(link))));
    }
    if (source == RegisterSource::kArrivalAndOwn || source == RegisterSource::kArrivalsAndOwn) {
      made = own_words_.combined(made, own_words_.of(node, wanted.packet));
    }
    return made.value == value;
  }

  /// Whether the node can deliver the word: from its memory, a register, or what a register would
  /// take if it took the word. In the last case the feed of that register has to bring it.
  bool is_held(NodeId node, const Carried& wanted, std::uint64_t value) {
    if (collects_) {
      const auto collected = collected_.find({node, wanted.packet});
      return collected != collected_.end() && collected->second == wanted.terms;
    }
    for (const Port port : all_ports(topology_.ports())) {
      const LinkId link = topology_.link(node, port);
      if (run_.step() <= run_.steps() && run_.now()[link] == wanted) return true;
    }
    // At the end of a line a register that sends nothing, rather than one that sends back.
    for (const bool sends : {true, false}) {
      for (const Port port : all_ports(topology_.ports())) {
        const LinkId link = topology_.link(node, port);
        if (sends ? !found_.used[link] : !run_.leads_out(node, port)) continue;
        PortSet feeds;
        for (const Port feed : found_.feeds[link]) {
          const bool straight = feed == opposite(port);
          const bool back = feed == port && run_.leads_out(node, opposite(port));
          if (sends ? back : !straight) continue;
          if (explains(link, feed, wanted, value)) feeds.insert(feed);
        }
        if (feeds.empty()) continue;
        found_.feeds[link] = feeds;
        return true;
      }
    }
    return false;
  }

  const Plan& plan_;
  const Topology& topology_;
  GroupLayout layout_;
  bool collects_;
  OwnWords own_words_;
  PlannedRun run_;
  RegisterPlan found_;
  /// Contributions at a root to a word that arrives in parts.
  std::map<std::pair<NodeId, PacketId>, std::uint32_t> collected_;
};

}  // namespace

RegisterWord combined(const Arithmetic& arithmetic, const RegisterWord& one,
                      const RegisterWord& other) {
  if (one.terms == 0) return other;
  if (other.terms == 0) return one;
  return {one.packet, arithmetic.combine(one.value, other.value), one.terms + other.terms};
}

OwnWords::OwnWords(const Plan& plan, const Arithmetic& arithmetic)
    : demand_(&plan.demand),
      layout_(plan.topology, plan.demand.groups),
      arithmetic_(arithmetic),
      words_(plan.demand.pieces_in_all(plan.topology.nodes())) {}

RegisterWord OwnWords::of(NodeId node, PacketId packet) const {
  // A wrong program may name words that there are not.
  if (packet >= words_) return {packet, kGarbageValue, 1};
  const PacketId number = demand_->place_in_vector(packet, layout_);
  const NodeId rank = layout_.rank(node);
  return {packet, arithmetic_.word(rank, number, demand_->pieces, layout_.members()), 1};
}

bool collects_at_roots(const Demand& demand) {
  return demand.combines() && demand.to == Destination::kRoot;
}

PlannedRun::PlannedRun(const Plan& plan, const EngineOptions& options)
    : plan_(&plan),
      layout_(plan.topology, plan.demand.groups),
      engine_(make_fast_engine(plan, options)),
      steps_(plan.expected.analytic_steps.value_or(0)),
      now_(plan.topology.link_slots()),
      before_(plan.topology.link_slots()) {}

void PlannedRun::next() {
  if (step_ != 0) engine_->clock(1);
  ++step_;
  load();
}

void PlannedRun::load() {
  now_.swap(before_);
  const LinkView view = engine_->links();
  for (std::size_t link = 0; link < now_.size(); ++link) {
    const bool empty = step_ > steps_ || view.packets[link] == kNoPacket;
    now_[link] =
        empty ? Carried{} : Carried{view.packets[link], view.terms.empty() ? 1 : view.terms[link]};
  }
  values_.swap(values_before_);
  values_.assign(view.values.begin(), view.values.end());
  results_.assign(view.results.begin(), view.results.end());
}

bool PlannedRun::is_own(NodeId node, const Carried& carried) const {
  const Demand& demand = plan_->demand;
  if (demand.combines()) return carried.terms == 1;
  if (demand.from == Origin::kRoot) return layout_.rank(node) == demand.root;
  const auto each = demand.ids_per_node(plan_->topology.nodes());
  return each && carried.packet / *each == node;
}

bool PlannedRun::leads_out(NodeId node, Port port) const {
  return gossamer::leads_out(plan_->topology, layout_, node, port);
}

RegisterSource PlannedRun::source(LinkId link, Port feed, const Carried& wanted) const {
  const Topology& topology = plan_->topology;
  const NodeId node = topology.link_from(link);
  const auto arrival = [&](Port port) {
    const LinkId from = topology.link_into(node, port);
    const Carried found = from == kNoLink ? Carried{} : before_[from];
    return found.packet == wanted.packet ? found.terms : 0;
  };
  const std::uint32_t terms = arrival(feed);
  const std::uint32_t other = arrival(topology.link_port(link));
  if (wanted.terms == 0) return RegisterSource::kNothing;
  if (terms == 0) {
    const bool ends = leads_out(node, feed) && feed == opposite(topology.link_port(link));
    const bool joins = plan_->demand.combines() && ends && other != 0 && other + 1 == wanted.terms;
    return joins ? RegisterSource::kArrivalsAndOwn : RegisterSource::kNothing;
  }
  if (terms == wanted.terms) return RegisterSource::kArrival;
  if (!plan_->demand.combines()) return RegisterSource::kNothing;
  if (terms + 1 == wanted.terms) return RegisterSource::kArrivalAndOwn;
  const Carried& partner = before_[topology.link(node, feed)];
  if (partner.packet == wanted.packet && terms + partner.terms == wanted.terms) {
    return RegisterSource::kArrivalAndPartner;
  }
  if (other != 0 && terms + other + 1 == wanted.terms) return RegisterSource::kArrivalsAndOwn;
  return RegisterSource::kNothing;
}

namespace {

/// Checks that nodes send and deliver only packets that they own or have kept before.
RegisterPlan registers_with_memory(const Plan& plan) {
  const Topology& topology = plan.topology;
  RegisterPlan found;
  found.memory = true;
  found.feeds.assign(topology.link_slots(), all_ports(topology.ports()));
  found.used.assign(topology.link_slots(), false);
  std::set<std::pair<NodeId, PacketId>> kept;
  PlannedRun run(plan, {});
  while (run.step() <= run.steps() && found.defect.empty()) {
    run.next();
    for (LinkId link = 0; link < topology.link_slots(); ++link) {
      const Carried& sent = run.before()[link];
      if (sent.terms == 0) continue;
      kept.insert(
          {topology.neighbor(topology.link_from(link), topology.link_port(link)), sent.packet});
    }
    for (LinkId link = 0; link < topology.link_slots(); ++link) {
      const Carried& wanted = run.now()[link];
      if (wanted.terms == 0) continue;
      found.used[link] = true;
      const NodeId node = topology.link_from(link);
      if (run.is_own(node, wanted) || kept.contains({node, wanted.packet})) continue;
      found.defect = fmt::format("{} sends a packet in step {} that its node does not have",
                                 port_text(topology, link), run.step());
    }
    for (const Result& result : run.results()) {
      if (kept.contains({result.node, result.packet})) continue;
      found.defect = fmt::format("node {} ({}) delivers a packet that has not arrived", result.node,
                                 node_text(topology, result.node));
    }
  }
  return found;
}

}  // namespace

RegisterPlan registers_of(const Plan& plan) {
  RegisterPlan alone = FeedFinder(plan).find();
  // A node has other words for each destination, which no counter names.
  const bool enough = alone.defect.empty() && !plan.demand.is_personal();
  if (enough || plan.demand.combines() || !run_facts(plan).waits_in_memory) return alone;
  RegisterPlan found = registers_with_memory(plan);
  return found.defect.empty() ? found : alone;
}

std::size_t Wirings::add(const RegisterPlan& plan) {
  for (std::size_t number = 0; number < feeds_.size(); ++number) {
    if (narrow(number, plan)) return number;
  }
  feeds_.push_back(plan.feeds);
  return feeds_.size() - 1;
}

bool Wirings::narrow(std::size_t number, const RegisterPlan& plan) {
  std::vector<PortSet>& wiring = feeds_.at(number);
  for (std::size_t link = 0; link < wiring.size(); ++link) {
    if (common(wiring[link], plan.feeds[link]).empty()) return false;
  }
  for (std::size_t link = 0; link < wiring.size(); ++link) {
    wiring[link] = common(wiring[link], plan.feeds[link]);
  }
  return true;
}

Port Wirings::feed(std::size_t number, LinkId link, Port out_port) const {
  const PortSet& feeds = feeds_.at(number)[link];
  return feeds.contains(opposite(out_port)) ? opposite(out_port) : feeds.front();
}

}  // namespace gossamer
