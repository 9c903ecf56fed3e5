// SPDX-License-Identifier: Apache-2.0
/// Checks 2 and 3 of an MSCCL schedule: messages, and progress.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "msccl_checker.hpp"

namespace gossamer::foreign {

MscclOrder::MscclOrder(const MscclSchedule& schedule)
    : schedule_(schedule), steps_(static_cast<std::uint32_t>(schedule.steps.size())) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> numbers;
  const auto at = [&](std::uint32_t from, std::uint32_t to, std::uint32_t channel) -> Connection& {
    const auto [entry, is_new] = numbers.try_emplace({from, to, channel}, connections_.size());
    if (is_new) connections_.push_back({from, to, channel, {}, {}});
    return connections_[entry->second];
  };
  for (std::uint32_t i = 0; i < steps_; ++i) {
    const MscclStep& step = schedule_.steps[i];
    const MscclBlock& block = schedule_.blocks[step.block];
    const StepUse use = use_of(step.type);
    if (use.sends) {
      at(block.rank, static_cast<std::uint32_t>(block.send), block.channel).sends.push_back(i);
    }
    if (use.receives) {
      at(static_cast<std::uint32_t>(block.receive), block.rank, block.channel)
          .receives.push_back(i);
    }
  }
}

std::optional<Defect> MscclOrder::match_messages() {
  FirstDefect first;
  message_.assign(steps_, kNoIndex);
  for (const Connection& connection : connections_) {
    const std::string name = fmt::format("from rank {} to rank {} on channel {}", connection.from,
                                         connection.to, connection.channel);
    const std::size_t both = std::min(connection.sends.size(), connection.receives.size());
    for (std::size_t k = 0; k < both; ++k) {
      const std::uint32_t send = connection.sends[k];
      const std::uint32_t receive = connection.receives[k];
      message_[receive] = send;
      const MscclStep& sent = schedule_.steps[send];
      const MscclStep& received = schedule_.steps[receive];
      if (sent.count == received.count) continue;
      first.offer("count", received.line, [&] {
        return fmt::format("message {} {} is received as {} chunks, but sent as {} in line {}", k,
                           name, received.count, sent.count, sent.line);
      });
    }
    for (std::size_t k = both; k < connection.sends.size(); ++k) {
      first.offer("unreceived", schedule_.steps[connection.sends[k]].line, [&] {
        return fmt::format("message {} {} is never received ({} sends, {} receives)", k, name,
                           connection.sends.size(), connection.receives.size());
      });
    }
    for (std::size_t k = both; k < connection.receives.size(); ++k) {
      first.offer("unsent", schedule_.steps[connection.receives[k]].line, [&] {
        return fmt::format("message {} {} is never sent ({} sends, {} receives)", k, name,
                           connection.sends.size(), connection.receives.size());
      });
    }
  }
  return first.found();
}

/// For each step the one that raises the flag it waits for.
void MscclOrder::find_dependences() {
  // The next step of the same block, this one included, that raises a flag.
  std::vector<std::uint32_t> raises(steps_, kNoIndex);
  for (std::uint32_t i = steps_; i-- > 0;) {
    const MscclStep& step = schedule_.steps[i];
    if (step.is_awaited && step.type != StepType::kNop) {
      raises[i] = i;
    } else if (i + 1 < steps_ && schedule_.steps[i + 1].block == step.block) {
      raises[i] = raises[i + 1];
    }
  }
  const BlockNumbers blocks(schedule_);
  awaits_.assign(steps_, kNoIndex);
  never_.assign(steps_, 0);
  for (std::uint32_t i = 0; i < steps_; ++i) {
    const MscclStep& step = schedule_.steps[i];
    if (step.depends_block < 0) continue;
    const MscclBlock& block =
        schedule_.blocks[blocks.find(schedule_.rank_of(step), step.depends_block)];
    const std::uint32_t named = block.first_step + static_cast<std::uint32_t>(step.depends_step);
    awaits_[i] = raises[named];
    if (awaits_[i] == kNoIndex) never_[i] = 1;
    if (raises[named] != named) waits_past_ = true;
  }
}

/// The successors of each step according to each_wait and `extra(step, visit)`.
template <typename Extra>
std::vector<std::uint32_t> MscclOrder::ordered(Extra extra) const {
  std::vector<std::uint32_t> waits(steps_, 0);
  std::vector<std::uint32_t> begin(steps_ + 1, 0);
  const auto all_waits = [&](std::uint32_t step, auto visit) {
    each_wait(step, visit);
    extra(step, visit);
  };
  for (std::uint32_t i = 0; i < steps_; ++i) {
    all_waits(i, [&](std::uint32_t other) {
      ++waits[i];
      ++begin[other + 1];
    });
  }
  for (std::uint32_t i = 0; i < steps_; ++i) begin[i + 1] += begin[i];
  std::vector<std::uint32_t> behind(begin.back());
  std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < steps_; ++i) {
    all_waits(i, [&](std::uint32_t other) { behind[fill[other]++] = i; });
  }
  std::vector<std::uint32_t> order;
  order.reserve(steps_);
  for (std::uint32_t i = 0; i < steps_; ++i) {
    if (waits[i] == 0 && never_[i] == 0) order.push_back(i);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (std::uint32_t k = begin[order[at]]; k < begin[order[at] + 1]; ++k) {
      if (--waits[behind[k]] == 0 && never_[behind[k]] == 0) order.push_back(behind[k]);
    }
  }
  return order;
}

std::optional<Defect> MscclOrder::put_in_order() {
  find_dependences();
  order_ = ordered([](std::uint32_t, auto) {});
  if (order_.size() == steps_) return std::nullopt;
  std::vector<std::uint8_t> runs(steps_, 0);
  for (const std::uint32_t step : order_) runs[step] = 1;
  for (std::uint32_t i = 0; i < steps_; ++i) {
    const std::uint32_t before = predecessor(i);
    if (runs[i] != 0 || (before != kNoIndex && runs[before] == 0)) continue;
    return Defect{"deadlock", schedule_.steps[i].line, waiting_text(i, runs)};
  }
  return std::nullopt;
}

/// Why a step never runs: the chain of waiting from it on, until it closes or ends.
std::string MscclOrder::waiting_text(std::uint32_t step,
                                     const std::vector<std::uint8_t>& runs) const {
  constexpr int kMostLinks = 6;
  std::string text = fmt::format("rank {} never reaches this step", rank(step));
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < kMostLinks; ++i) {
    seen.push_back(step);
    if (never_[step] != 0) {
      return text + fmt::format("{} for a flag, but no step of tb {} from step {} on raises one",
                                i == 0 ? ": it waits" : ", which waits",
                                schedule_.steps[step].depends_block,
                                schedule_.steps[step].depends_step);
    }
    std::uint32_t next = kNoIndex;
    each_wait(step, [&](std::uint32_t other) {
      if (runs[other] == 0) next = other;
    });
    if (next == kNoIndex) break;
    text += fmt::format("{} for {}line {} of rank {}", i == 0 ? ": it waits" : ", which waits",
                        next == message_[step] ? "the message of " : "", line(next), rank(next));
    if (std::find(seen.begin(), seen.end(), next) != seen.end()) return text + ", a cycle";
    step = next;
  }
  return text;
}

std::uint64_t MscclOrder::queue_slots() const {
  std::uint64_t longest = 0;
  for (const Connection& connection : connections_) {
    longest = std::max<std::uint64_t>(longest, connection.sends.size());
  }
  if (longest == 0) return 0;
  // Place of each send among those of its connection, and the receives there.
  std::vector<std::uint32_t> place(steps_, kNoIndex);
  std::vector<const Connection*> of(steps_, nullptr);
  for (const Connection& connection : connections_) {
    for (std::uint32_t k = 0; k < connection.sends.size(); ++k) {
      place[connection.sends[k]] = k;
      of[connection.sends[k]] = &connection;
    }
  }
  std::uint64_t too_few = 0;
  std::uint64_t enough = longest;
  const auto runs_with = [&](std::uint64_t slots) {
    return ordered([&](std::uint32_t step, auto visit) {
             if (place[step] != kNoIndex && place[step] >= slots) {
               visit(of[step]->receives[place[step] - slots]);
             }
           }).size() == steps_;
  };
  while (enough - too_few > 1) {
    const std::uint64_t middle = (too_few + enough) / 2;
    (runs_with(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace gossamer::foreign
