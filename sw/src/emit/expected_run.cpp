// SPDX-License-Identifier: Apache-2.0
#include "expected_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "gossamer/sim/observers.hpp"

namespace gossamer::emit_detail {

namespace {

/// Numbers of the largest file, some 20 MB.
constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 22U;

/// Hands every packet on a link to a function.
class LinkObserver final : public Observer {
 public:
  explicit LinkObserver(const OnLink& on_link) : on_link_(on_link) {}
  bool on_links(const LinkView& view) override {
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] != kNoPacket) on_link_(view.step, link, view.packets[link]);
    }
    return true;
  }

 private:
  const OnLink& on_link_;
};

}  // namespace

void observe_links(const Plan& plan, std::uint64_t steps, const OnLink& on_link) {
  LinkObserver observer(on_link);
  watch(*make_fast_engine(plan), steps, observer);
}

std::optional<ExpectedRun> ExpectedRun::make(std::uint64_t cycles, std::size_t links,
                                             std::size_t deliveries) {
  if (cycles >= kMaxCells / (links + deliveries)) return std::nullopt;
  return ExpectedRun(cycles, links, deliveries);
}

std::string ExpectedRun::text(std::string_view summary, const std::vector<std::string>& own,
                              std::string_view vary) const {
  const bool has_terms =
      std::any_of(words_.begin(), words_.end(), [](const auto& word) { return word.terms != 0; });
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0, what gsm_fabric_tb has to see\n{}\n{} {} {} {}\n",
      summary, cycles_, words_.size(), vary, has_terms ? 1 : 0);
  for (const std::string& word : own) text += word + '\n';
  const auto out = std::back_inserter(text);
  for (const ExpectedWord& word : words_) {
    fmt::format_to(out, "{} {} {} {} {}", word.data, word.mask, word.step, word.hop, word.packet);
    if (has_terms) fmt::format_to(out, " {}", word.terms);
    text += '\n';
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    fmt::format_to(out, "{}{}", cells_[i], (i + 1) % (links_ + deliveries_) == 0 ? '\n' : ' ');
  }
  return text;
}

std::optional<std::string> expected_packets(const Plan& plan, std::uint64_t steps,
                                            std::uint32_t each, std::uint64_t width,
                                            std::string_view summary) {
  const Topology& topology = plan.topology;
  const std::size_t links = topology.link_slots();
  auto run = ExpectedRun::make(steps, links, links);
  if (!run) return std::nullopt;
  const std::string mask = fmt::format("{:x}", (std::uint64_t{1} << width) - 1);
  std::vector<std::string> own;
  std::unordered_map<PacketId, std::uint32_t> words;
  const NodeId givers = plan.demand.from == Origin::kRoot ? 1 : topology.nodes();
  for (NodeId node = 0; node < givers; ++node) {
    for (std::uint32_t index = 0; index < each; ++index) {
      const PacketId packet = own_piece(plan, node, index);
      own.push_back(fmt::format("{:x}", packet));
      words[packet] = run->add({own.back(), mask, 0, 0, packet});
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
