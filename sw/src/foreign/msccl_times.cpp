// SPDX-License-Identifier: Apache-2.0
/// The times of an MSCCL schedule.
#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "msccl_checker.hpp"

namespace gossamer::foreign {

namespace {

/// Every link moves one chunk a step: the greedy schedule of section 5.
std::uint64_t steps_taken(const MscclOrder& order, const CheckOptions& options,
                          const LinkGraph& used, ChunkMoves* moves) {
  const MscclSchedule& schedule = order.schedule();
  struct Message {
    std::uint64_t ready = 0;
    std::uint32_t step = 0;
    bool operator>(const Message& other) const {
      return std::tie(ready, step) > std::tie(other.ready, other.step);
    }
  };
  struct MovedLink {
    std::uint32_t width = 1;
    std::priority_queue<Message, std::vector<Message>, std::greater<>> waiting;
    /// Chunks of the first message that are still to move.
    std::uint32_t left = 0;
  };
  std::vector<MovedLink> links;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> waits(order.steps(), 0);
  std::vector<std::vector<std::uint32_t>> behind(order.steps());
  std::vector<std::uint64_t> done(order.steps(), 0);
  for (std::uint32_t i = 0; i < order.steps(); ++i) {
    order.each_wait(i, [&](std::uint32_t other) {
      ++waits[i];
      behind[other].push_back(i);
    });
  }
  std::vector<std::uint32_t> busy;
  // Instructions that have all inputs; those without a send are then done.
  std::vector<std::uint32_t> able;
  const auto release = [&](std::uint32_t step) {
    for (const std::uint32_t next : behind[step]) {
      done[next] = std::max(done[next], done[step]);
      if (--waits[next] == 0) able.push_back(next);
    }
  };
  const auto settle = [&] {
    while (!able.empty()) {
      const std::uint32_t step = able.back();
      able.pop_back();
      const MscclBlock& block = schedule.blocks[schedule.steps[step].block];
      if (!use_of(schedule.steps[step].type).sends) {
        release(step);
        continue;
      }
      const auto to = static_cast<std::uint32_t>(block.send);
      const auto [entry, is_new] = numbers.try_emplace(contribution(block.rank, to),
                                                       static_cast<std::uint32_t>(links.size()));
      if (is_new) {
        MovedLink link;
        link.width = options.network
                         ? options.network->width(options.node(block.rank), options.node(to))
                         : used.width(block.rank, to);
        links.push_back(std::move(link));
      }
      MovedLink& link = links[entry->second];
      if (link.waiting.empty()) {
        busy.push_back(entry->second);
        link.left = schedule.steps[step].count;
      }
      link.waiting.push({done[step], step});
      if (link.waiting.top().step == step) link.left = schedule.steps[step].count;
    }
  };
  for (std::uint32_t i = 0; i < order.steps(); ++i) {
    if (waits[i] == 0) able.push_back(i);
  }
  settle();
  std::uint64_t now = 0;
  std::vector<std::uint32_t> finished;
  while (!busy.empty()) {
    ++now;
    finished.clear();
    for (const std::uint32_t number : busy) {
      MovedLink& link = links[number];
      for (std::uint32_t room = link.width; room > 0 && !link.waiting.empty();) {
        const std::uint32_t moved = std::min(room, link.left);
        if (moves != nullptr) {
          moves->add(link.waiting.top().step, link.left, moved, now, link.width - room);
        }
        room -= moved;
        link.left -= moved;
        if (link.left != 0) continue;
        finished.push_back(link.waiting.top().step);
        link.waiting.pop();
        if (!link.waiting.empty()) {
          link.left = schedule.steps[link.waiting.top().step].count;
        }
      }
    }
    std::erase_if(busy, [&](std::uint32_t number) { return links[number].waiting.empty(); });
    for (const std::uint32_t step : finished) {
      done[step] = now;
      release(step);
    }
    settle();
  }
  return now;
}

}  // namespace

ChunkMoves::ChunkMoves(const MscclSchedule& schedule) : schedule_(schedule) {
  std::uint32_t chunks = 0;
  for (const MscclStep& step : schedule.steps) {
    first_.push_back(chunks);
    if (use_of(step.type).sends) chunks += step.count;
  }
  moves_.resize(chunks);
}

void ChunkMoves::add(std::uint32_t send, std::uint32_t left, std::uint32_t moved,
                     std::uint64_t step, std::uint32_t place) {
  const std::uint32_t first = number(send, schedule_.steps[send].count - left);
  for (std::uint32_t i = 0; i < moved; ++i) {
    moves_[first + i] = {static_cast<std::uint32_t>(step), place + i};
  }
}

void measure(const MscclOrder& order, const CheckOptions& options, std::uint32_t root,
             ChunkMoves* moves, CheckResult& result) {
  const MscclSchedule& schedule = order.schedule();
  const auto ranks = static_cast<std::uint32_t>(schedule.ranks.size());
  std::vector<std::uint64_t> depth(order.steps(), 0);
  std::uint64_t deepest = 0;
  std::uint64_t transfers = 0;
  for (const std::uint32_t step : order.order()) {
    order.each_wait(step, [&](std::uint32_t other) {
      const std::uint64_t hop = other == order.message(step) ? 1 : 0;
      depth[step] = std::max(depth[step], depth[other] + hop);
    });
    deepest = std::max(deepest, depth[step]);
    if (use_of(schedule.steps[step].type).sends) transfers += schedule.steps[step].count;
  }
  LinkGraph used(ranks);
  for (const Connection& connection : order.connections()) {
    if (used.width(connection.from, connection.to) == 0) used.add(connection.from, connection.to);
  }
  result.depth = deepest;
  result.link_transfers = transfers;
  result.links_used = used.links();
  result.steps = steps_taken(order, options, used, moves);
  result.queue_slots = order.queue_slots();
  const bool divided = schedule.collective == Collective::kAllGather ||
                       schedule.collective == Collective::kReduceScatter ||
                       schedule.collective == Collective::kAllToAll;
  const std::uint32_t chunks = divided ? schedule.chunks / ranks : schedule.chunks;
  result.lower_bound_steps = options.network ? options.network->lower_bound(
                                                   schedule.collective, chunks, options.node(root))
                                             : used.lower_bound(schedule.collective, chunks, root);
}

}  // namespace gossamer::foreign
