// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/lock_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "gossamer/util/error.hpp"

namespace gossamer::tb {

namespace {

/// Elastic routers show the flit that is taken; there may be none.
bool shows_takes(const LinkView& view) { return view.packets.empty() && view.flits.empty(); }

/// For elastic routers: "nothing taken, 2 held", "packet 5 flit 3 taken, 2 held" or "packet 5 flit
/// 3 value 1f of 3 terms taken, 2 held".
std::string handshake(const Engine& engine, const LinkView& view, LinkId link) {
  const auto take = std::find_if(view.takes.begin(), view.takes.end(),
                                 [link](const Take& one) { return one.link == link; });
  std::string taken = take == view.takes.end()
                          ? "nothing"
                          : fmt::format("packet {} flit {}", take->packet, take->flit);
  if (take != view.takes.end() && !view.values.empty()) {
    taken += fmt::format(" value {:x} of {} terms", view.values[link], view.terms[link]);
  }
  return fmt::format("{} taken, {} held", taken, engine.held(link));
}

/// "none", "packet 5", "packet 5 value 1f", "packet 5 value 1f of 3 terms", "head 3a" or "flit
/// 1f0": data in hexadecimal without leading zeros.
std::string content(const Engine& engine, const LinkView& view, LinkId link) {
  if (shows_takes(view)) return handshake(engine, view, link);
  if (!view.packets.empty()) {
    if (view.packets[link] == kNoPacket) return "none";
    std::string text = fmt::format("packet {}", view.packets[link]);
    if (view.values.empty()) return text;
    text += fmt::format(" value {:x}", view.values[link]);
    return view.terms.empty() ? text : text + fmt::format(" of {} terms", view.terms[link]);
  }
  const PinFlit& flit = view.flits[link];
  if (!flit.valid) return "none";
  std::string digits;
  for (std::size_t word = flit.data.size(); word-- > 0;) {
    digits += fmt::format("{:016x}", flit.data[word]);
  }
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return fmt::format("{} {}", flit.head ? "head" : "flit", digits.substr(first));
}

template <typename Content>
bool equal(std::span<const Content> a, std::span<const Content> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

std::string Difference::text() const {
  return fmt::format("cycle {}, node {}, {}: expected {}, got {}", cycle, node,
                     port ? "port " + port_name(*port) : "error flag", expected, got);
}

void LockStep::inject(const Fault& fault) {
  if (fault.node >= topology_->nodes() || fault.port >= topology_->ports()) {
    throw InputError(fmt::format("fault: there is no port {} of node {}", fault.port, fault.node));
  }
  faults_.push_back(fault);
}

std::optional<Fault> LockStep::unreached_fault() const {
  for (const Fault& fault : faults_) {
    if (fault.cycle + first_cycle_ > compared_) return fault;
  }
  return std::nullopt;
}

const std::vector<Difference>& LockStep::run(std::uint64_t max_cycles) {
  for (std::uint64_t i = 0; i < max_cycles && !done(); ++i) clock(1);
  return differences_;
}

LinkView LockStep::links() {
  compare();
  return differences_.empty() ? reference_->links() : LinkView{};
}

void LockStep::clock(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) {
    compare();
    if (!differences_.empty()) return;
    reference_->clock(1);
    device_->clock(1);
    ++cycles_;
  }
}

bool LockStep::done() const {
  return !differences_.empty() || (reference_->done() && device_->done());
}

void LockStep::compare() {
  if (compared_ > cycles_) return;
  // Elastic routers count from 0.
  first_cycle_ = shows_takes(reference_->links()) ? 1 : 0;
  const std::uint64_t cycle = ++compared_ - first_cycle_;
  for (const Fault& fault : faults_) {
    if (fault.cycle != cycle) continue;
    Engine& engine = fault.side == Side::kReference ? *reference_ : *device_;
    if (!engine.upset(topology_->link(fault.node, fault.port), fault.upset)) {
      throw InputError(fmt::format("fault: in cycle {} node {} sends nothing at port {}", cycle,
                                   fault.node, port_name(fault.port)));
    }
  }
  const LinkView expected = reference_->links();
  const LinkView got = device_->links();
  const std::size_t slots = topology_->link_slots();
  if ((expected.packets.size() + expected.flits.size() != slots && !shows_takes(expected)) ||
      shows_takes(got) != shows_takes(expected) || got.packets.size() != expected.packets.size() ||
      got.values.size() != expected.values.size()) {
    throw std::logic_error("lock step: the engines do not show the same links");
  }
  const bool links_equal = equal(expected.packets, got.packets) &&
                           equal(expected.values, got.values) && equal(expected.terms, got.terms) &&
                           equal(expected.flits, got.flits) && !shows_takes(expected);
  for (NodeId node = 0; node < topology_->nodes(); ++node) {
    for (int p = 0; p < topology_->ports() && !links_equal; ++p) {
      const auto port = static_cast<Port>(p);
      const LinkId link = topology_->link(node, port);
      const std::string one = content(*reference_, expected, link);
      const std::string other = content(*device_, got, link);
      if (one != other) differences_.push_back({cycle, node, port, one, other});
    }
    const bool expected_error = reference_->error(node);
    const bool got_error = device_->error(node);
    if (expected_error == got_error) continue;
    differences_.push_back({cycle, node, {}, expected_error ? "1" : "0", got_error ? "1" : "0"});
  }
}

}  // namespace gossamer::tb
