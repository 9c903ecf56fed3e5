// SPDX-License-Identifier: Apache-2.0
#include "expected_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// Numbers of the largest file, some 20 MB.
constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 22U;

/// Hands every packet on a link, or its head, to a function.
class LinkObserver final : public Observer {
 public:
  explicit LinkObserver(const OnLink& on_link) : on_link_(on_link) {}
  bool on_links(const LinkView& view) override {
    if (view.flit != 0) return true;
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] != kNoPacket) on_link_(view.step, link, view.packets[link]);
    }
    for (const Head& head : view.heads) on_link_(head.step, head.link, head.packet);
    return true;
  }

 private:
  const OnLink& on_link_;
};

}  // namespace

std::string pass_summary(const Plan& plan, std::uint64_t steps, std::uint64_t cycles) {
  return plan.collective == "gossip" ? fmt::format("steps={}", steps)
                                     : fmt::format("steps={} cycles={}", steps, cycles);
}

void observe_links(const Plan& plan, std::uint64_t steps, const OnLink& on_link) {
  LinkObserver observer(on_link);
  watch(*make_fast_engine(plan), steps, observer);
}

std::optional<ExpectedRun> ExpectedRun::make(std::uint64_t cycles, std::size_t links,
                                             std::size_t deliveries) {
  return make({}, cycles, 0, links, deliveries);
}

std::optional<ExpectedRun> ExpectedRun::make(const StepClock& clock, std::uint64_t steps,
                                             std::size_t width, std::size_t links,
                                             std::size_t deliveries, bool streams) {
  if (clock.last_cycle(steps) >= kMaxCells / (links + deliveries)) return std::nullopt;
  return ExpectedRun(clock, steps, width, links, deliveries, streams);
}

void ExpectedRun::on_link(std::uint64_t cycle, std::size_t link, std::uint32_t word) {
  if (!clock_.serial()) {
    cells_.at((cycle - 1) * (links_ + deliveries_) + link) = word;
    return;
  }
  const std::uint64_t first = clock_.last_cycle(cycle - 1);
  for (std::uint64_t at = first; at < clock_.last_cycle(cycle); ++at) {
    const std::int64_t row = words_.at(word - 1).step;
    cells_.at(at * (links_ + deliveries_) + link) =
        part(word, at - first,
             at != first || row < 0 ? -1
             : row > 0              ? row
                                    : static_cast<std::int64_t>(cycle));
  }
}

void ExpectedRun::deliver(std::uint64_t cycle, std::size_t index, std::uint32_t word,
                          std::uint64_t words) {
  const auto cell = [&](std::uint64_t before) -> std::uint32_t& {
    return cells_.at(before * (links_ + deliveries_) + links_ + index);
  };
  if (!streams_) {
    cell((cycle <= steps_ ? clock_.last_cycle(cycle) : cycles_ + 1) - 1) = word;
    return;
  }
  const std::uint64_t first = clock_.last_cycle(cycle - 1);
  for (std::uint64_t flit = 0; flit < words; ++flit) cell(first + flit) = part(word, flit, -1);
}

std::uint32_t ExpectedRun::part(std::uint32_t word, std::uint64_t flit, std::int64_t step) {
  // One word represents the whole step; after the last of several words the link counts as idle.
  flit = clock_.words == 1 ? 0 : std::min(flit, clock_.words);
  const auto [at, added] = parts_.try_emplace({word, flit});
  if (!added && step < 0) return at->second;
  const ExpectedWord& whole = words_.at(word - 1);
  const std::size_t above = clock_.words * width_;
  const auto cut = [&](const std::string& digits) {
    const std::size_t length = 4 * digits.size();
    const auto is_set = [&digits](std::size_t bit) {
      const char c = digits[digits.size() - 1 - bit / 4];
      return (static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10) >> (bit % 4) & 1U) != 0;
    };
    Literal bits(std::max<std::size_t>(width_ + length - std::min(length, above), 1));
    const std::size_t begin = flit * width_;
    for (std::size_t bit = begin; bit < std::min({begin + width_, above, length}); ++bit) {
      if (is_set(bit)) bits.set(bit - begin, 1);
    }
    for (std::size_t bit = above; bit < length; ++bit) {
      if (is_set(bit)) bits.set(width_ + bit - above, 1);
    }
    return bits.digits();
  };
  const std::uint32_t number =
      add({cut(whole.data), cut(whole.mask), step, whole.hop, whole.packet, whole.terms});
  if (step < 0) {
    at->second = number;
  } else if (added) {
    parts_.erase(at);
  }
  return number;
}

std::string ExpectedRun::text(std::string_view summary, const std::vector<std::string>& own,
                              std::string_view vary) const {
  const bool has_terms =
      std::any_of(words_.begin(), words_.end(), [](const auto& word) { return word.terms != 0; });
  const bool has_members = std::any_of(words_.begin(), words_.end(),
                                       [](const auto& word) { return word.member.has_value(); });
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0, what gsm_fabric_tb has to see\n{}\n{} {} {} {}\n",
      summary, cycles_, words_.size(), vary, (has_terms ? 1 : 0) + (has_members ? 2 : 0));
  for (const std::string& word : own) text += word + '\n';
  for (const ExpectedWord& word : words_) {
    append_format(text, "{} {} {} {} {}", word.data, word.mask, word.step, word.hop, word.packet);
    if (has_terms) append_format(text, " {}", word.terms);
    if (has_members) append_format(text, " {}", word.member.value_or(0));
    text += '\n';
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    append_format(text, "{}{}", cells_[i], (i + 1) % (links_ + deliveries_) == 0 ? '\n' : ' ');
  }
  return text;
}

std::optional<std::string> expected_packets(const Plan& plan, std::uint64_t steps,
                                            std::uint32_t each, std::uint64_t width,
                                            std::string_view summary, const StepClock& clock,
                                            bool streams) {
  const Topology& topology = plan.topology;
  const std::size_t links = topology.link_slots();
  const auto bits = static_cast<std::size_t>(width);
  auto run = ExpectedRun::make(clock, steps, bits, links, links, streams);
  if (!run) return std::nullopt;
  const std::string mask = clock.mask(bits);
  std::vector<std::string> own;
  std::unordered_map<PacketId, std::uint32_t> words;
  const NodeId givers = plan.demand.from == Origin::kRoot ? 1 : topology.nodes();
  for (NodeId node = 0; node < givers; ++node) {
    for (std::uint32_t index = 0; index < each; ++index) {
      const PacketId packet = own_piece(plan, node, index);
      clock.list(own, packet, bits);
      words[packet] = run->add({clock.data(packet, bits), mask, 0, 0, packet});
    }
  }
  const auto ports = static_cast<std::size_t>(topology.ports());
  observe_links(plan, steps, [&](std::uint64_t step, std::size_t link, PacketId packet) {
    const auto from = static_cast<NodeId>(link / ports);
    const auto port = static_cast<Port>(link % ports);
    const NodeId to = topology.neighbor(from, port);
    const std::uint32_t word = words.at(packet);
    run->on_link(step, link, word);
    if (plan.demand.is_personal() && packet % topology.nodes() != to) return;
    run->deliver(step, topology.link(to, opposite(port)), word);
  });
  return run->text(summary, own, mask);
}

}  // namespace gossamer::emit_detail
