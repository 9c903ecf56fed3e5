// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/observers.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <tuple>
#include <utility>

namespace gossamer {

namespace {
constexpr std::size_t kTraceBufferBytes = 1 << 16;
}  // namespace

bool ObserverList::on_links(const LinkView& view) {
  bool go_on = true;
  for (Observer* observer : observers_) {
    go_on = observer->on_links(view) && go_on;
    if (!go_on && !view.results.empty()) return false;
  }
  return go_on;
}

void watch(Engine& engine, std::uint64_t max_steps, Observer& observer) {
  std::uint64_t steps = 0;
  bool go_on = true;
  while (true) {
    const LinkView view = engine.links();
    if (view.begins) {
      const bool too_late =
          std::any_of(view.heads.begin(), view.heads.end(),
                      [max_steps](const Head& head) { return head.step > max_steps; });
      if (!go_on || too_late || (view.step != 0 && view.flit == 0 && steps++ == max_steps)) return;
      go_on = observer.on_links(view);
      if (!go_on && !view.results.empty()) return;
    }
    if (engine.done()) return;
    engine.clock(1 + engine.quiet());
  }
}

LinkCounter::LinkCounter(const Topology& topology) {
  if (topology.has_equal_links()) return;
  periods_ = periods_by_link(topology);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      if (topology.crosses_dies(node, port)) between_.push_back(topology.link(node, port));
    }
  }
}

bool LinkCounter::on_links(const LinkView& view) {
  // A packet counts once, with its first word.
  if (view.flit != 0) return true;
  const auto idle = std::count(view.packets.begin(), view.packets.end(), kNoPacket);
  const std::uint64_t busy = view.packets.size() - static_cast<std::uint64_t>(idle);
  if (busy != 0) last_step_ = view.step;
  transfers_ += busy + view.heads.size() + view.takes.size();
  for (std::size_t link = 0; link < periods_.size(); ++link) {
    if (view.packets[link] != kNoPacket) busy_link_steps_ += periods_[link];
  }
  if (!view.packets.empty()) {
    die_transfers_ += static_cast<std::uint64_t>(
        std::count_if(between_.begin(), between_.end(),
                      [&view](LinkId link) { return view.packets[link] != kNoPacket; }));
  }
  for (std::size_t link = 0; link < view.members.size(); ++link) {
    if (view.packets[link] == kNoPacket) continue;
    const std::size_t member = view.members[link];
    if (member >= of_member_.size()) of_member_.resize(member + 1, 0);
    ++of_member_[member];
  }
  for (const Head& head : view.heads) {
    if (longest_hops_.size() < head.step) longest_hops_.resize(head.step, 0);
    std::uint32_t& longest = longest_hops_[head.step - 1];
    longest = std::max(longest, head.hop + 1);
  }
  return true;
}

TraceObserver::TraceObserver(const Topology& topology)
    : ports_(static_cast<LinkId>(topology.ports())) {}

bool TraceObserver::on_links(const LinkView& view) {
  if (view.flit != 0) return true;
  for (std::size_t at = 0; at < view.packets.size(); ++at) {
    if (view.packets[at] == kNoPacket) continue;
    const auto link = static_cast<LinkId>(at);
    on_row({.packet = view.packets[at],
            .step = view.step,
            .from = link / ports_,
            .port = link % ports_,
            .terms = view.terms.empty() ? 1 : view.terms[at],
            .member = view.members.empty() ? 0 : view.members[at]});
  }
  for (const Take& take : view.takes) {
    on_row({.packet = take.packet,
            .step = view.cycle,
            .from = take.link / ports_,
            .port = take.link % ports_,
            .terms = view.terms.empty() ? 1 : view.terms[take.link],
            .flit = take.flit});
  }
  heads_.insert(heads_.end(), view.heads.begin(), view.heads.end());
  return true;
}

void TraceObserver::finish() {
  std::sort(heads_.begin(), heads_.end(), [](const Head& a, const Head& b) {
    return std::tie(a.step, a.hop, a.link, a.packet) < std::tie(b.step, b.hop, b.link, b.packet);
  });
  for (const Head& head : heads_) {
    on_row({.packet = head.packet,
            .step = head.step,
            .from = head.link / ports_,
            .port = head.link % ports_,
            .hop = head.hop,
            .terms = head.terms});
  }
}

TraceWriter::TraceWriter(const Topology& topology, std::ostream& out, TraceForm form, bool members)
    : TraceObserver(topology),
      form_(form),
      members_(members),
      out_(&out),
      buffer_(form == TraceForm::kTakes ? "cycle,from,port,packet,flit"
                                        : "step,hop,from,port,packet") {
  if (form == TraceForm::kTerms) buffer_ += ",terms";
  if (members) buffer_ += ",member";
  end_row();
}

void TraceWriter::finish() {
  TraceObserver::finish();
  flush();
}

void TraceWriter::on_row(const TraceRow& row) {
  const auto add = std::back_inserter(buffer_);
  if (form_ == TraceForm::kTakes) {
    fmt::format_to(add, FMT_COMPILE("{},{},{},{},{}"), row.step, row.from, row.port, row.packet,
                   row.flit);
  } else {
    fmt::format_to(add, FMT_COMPILE("{},{},{},{},{}"), row.step, row.hop, row.from, row.port,
                   row.packet);
    if (form_ == TraceForm::kTerms) fmt::format_to(add, FMT_COMPILE(",{}"), row.terms);
  }
  if (members_) fmt::format_to(add, FMT_COMPILE(",{}"), row.member);
  end_row();
}

void TraceWriter::end_row() {
  buffer_ += '\n';
  if (buffer_.size() >= kTraceBufferBytes) flush();
}

void TraceWriter::flush() {
  out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

ProgressObserver::ProgressObserver(Progress progress, std::uint64_t expected_steps)
    : progress_(std::move(progress)),
      expected_steps_(expected_steps),
      interval_(std::max<std::uint64_t>(1, expected_steps / 200)) {}

bool ProgressObserver::on_links(const LinkView& view) {
  if (progress_ && view.step != 0 && view.step % interval_ == 0) {
    progress_("simulate", view.step, expected_steps_);
  }
  return true;
}

}  // namespace gossamer
