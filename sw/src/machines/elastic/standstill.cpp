// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/elastic/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// Gates that are named, at most.
constexpr std::size_t kMostNamed = 8;

/// By link slot, the chunks that it carries in all rounds and legs.
std::vector<std::uint64_t> chunks_of(const Plan& plan) {
  const auto& streams = plan.program.as<ElasticProgram>();
  std::vector<std::uint64_t> chunks(plan.topology.link_slots(), 0);
  for (LinkId link = 0; link < chunks.size(); ++link) {
    chunks[link] = elastic_legs(streams) *
                   streams.at(plan.topology.link_from(link), plan.topology.link_port(link)).carries;
  }
  return chunks;
}

}  // namespace

TakeCounter::TakeCounter(const Plan& plan)
    : plan_(plan),
      program_(plan.program.as<ElasticProgram>()),
      capacity_(plan.topology.link_slots(), 0),
      left_(capacity_) {
  const Elastic& elastic = program_.elastic;
  const std::vector<std::uint32_t> latencies = elastic.latency.by_link(plan.topology);
  const std::vector<std::uint64_t> chunks = chunks_of(plan);
  for (LinkId link = 0; link < left_.size(); ++link) {
    if (chunks[link] == 0) continue;
    left_[link] = elastic.flits() * chunks[link];
    capacity_[link] = elastic.capacity(latencies[link]);
  }
}

bool TakeCounter::on_links(const LinkView& view) {
  for (const Take& take : view.takes) --left_[take.link];
  if (!view.takes.empty()) last_cycle_ = view.cycle;
  return true;
}

void TakeCounter::finish(const Engine& engine, const StallScript* stalls, Report& report) {
  report.cycles = last_cycle_;
  if (stalls != nullptr) report.analytic_cycles.reset();
  const auto found = standstill(engine, stalls != nullptr ? *stalls : StallScript());
  if (!found) return;
  report.standstill = found->deadlock ? "deadlock" : "waiting";
  report.problems.push_back(
      fmt::format("{}{}: {}", *report.standstill,
                  last_cycle_ ? fmt::format(" after cycle {}", *last_cycle_) : "", found->text));
}

std::optional<Standstill> TakeCounter::standstill(const Engine& engine,
                                                  const StallScript& stalls) const {
  if (std::all_of(left_.begin(), left_.end(), [](std::uint64_t left) { return left == 0; })) {
    return std::nullopt;
  }
  if (const auto ring = full_ring(engine)) return Standstill{true, *ring};
  return Standstill{false, waited_for(stalls)};
}

bool TakeCounter::is_full(const Engine& engine, LinkId link) const {
  return left_[link] != 0 && engine.held(link) == capacity_[link];
}

LinkId TakeCounter::feed_of(LinkId link) const {
  const NodeId node = plan_.topology.link_from(link);
  const PortSet feed = program_.at(node, plan_.topology.link_port(link)).feed;
  return feed.empty() ? kNoLink : plan_.topology.link_into(node, feed.front());
}

std::optional<std::string> TakeCounter::full_ring(const Engine& engine) const {
  // By link, the walk that has been there, from 1.
  std::vector<LinkId> seen(left_.size(), 0);
  for (LinkId first = 0; first < left_.size(); ++first) {
    LinkId link = first;
    while (link != kNoLink && seen[link] == 0 && is_full(engine, link)) {
      seen[link] = first + 1;
      link = feed_of(link);
    }
    if (link == kNoLink || seen[link] != first + 1) continue;
    std::uint64_t flits = 0;
    std::uint64_t slots = 0;
    LinkId on = link;
    do {
      flits += engine.held(on);
      slots += capacity_[on];
      on = feed_of(on);
    } while (on != link);
    return fmt::format("the ring through node {}, {} is full: {} flits in {} slots",
                       plan_.topology.link_from(link), port_name(plan_.topology.link_port(link)),
                       flits, slots);
  }
  return std::nullopt;
}

std::string TakeCounter::waited_for(const StallScript& stalls) const {
  const Topology& topology = plan_.topology;
  std::vector<std::string> named;
  std::size_t others = 0;
  const auto closed = [&](Gate gate, NodeId node, Port port, std::string_view does) {
    if (stalls.next_open(gate, node, port, last_cycle_.value_or(0) + 1) != kNever) return;
    if (named.size() == kMostNamed) {
      ++others;
    } else {
      named.push_back(fmt::format("node {} {} {}", node, does, port_name(port)));
    }
  };
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      if (left_[topology.link(walk.node(), port)] != 0) {
        closed(Gate::kOffer, walk.node(), port, "to offer to");
      }
      if (const LinkId into = topology.link_into(walk.node(), port);
          into != kNoLink && left_[into] != 0) {
        closed(Gate::kAccept, walk.node(), port, "to accept from");
        closed(Gate::kShow, walk.node(), port, "to be shown flits from");
      }
    }
  }
  // Wirings that starve: the link's feed sends fewer packets than the link forwards.
  if (named.empty()) return "for arrivals without a sender";
  return fmt::format("for {}{}", joined(named, ", "),
                     others == 0 ? "" : fmt::format(" and {} more", others));
}

}  // namespace gossamer
