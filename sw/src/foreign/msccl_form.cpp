// SPDX-License-Identifier: Apache-2.0
/// Check 1 of an MSCCL schedule: the form of each element.
#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>

#include "msccl_checker.hpp"

namespace gossamer::foreign {

namespace {

class FormCheck {
 public:
  FormCheck(const MscclSchedule& schedule, const CheckOptions& options, Place place)
      : schedule_(schedule), options_(options), place_(place), blocks_(schedule) {}

  [[nodiscard]] std::optional<Defect> check() const {
    FirstDefect first;
    const std::array<std::uint32_t, 2> wanted{schedule_.input_chunks(), schedule_.output_chunks()};
    for (std::uint32_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      const MscclRank& declared = schedule_.ranks[rank];
      for (std::size_t buffer = 0; buffer < wanted.size(); ++buffer) {
        const std::uint32_t chunks = declared.chunks[buffer];
        if (chunks == 0 || chunks == wanted[buffer]) continue;
        first.offer("chunks", declared.line, [&] {
          return fmt::format("rank {} declares {} {} chunks, but {} of {} chunks has {}", rank,
                             chunks, buffer_name(static_cast<Buffer>(buffer)), schedule_.word,
                             schedule_.chunks, wanted[buffer]);
        });
      }
      for (const MscclCopy& copy : declared.copies) {
        check_bounds(first, rank, copy.line, Buffer::kInput, copy.input, 1);
        check_bounds(first, rank, copy.line, Buffer::kOutput, copy.output, 1);
      }
    }
    for (const MscclStep& step : schedule_.steps) check_step(first, step);
    check_shared_connections(first);
    return first.found();
  }

 private:
  void check_bounds(FirstDefect& first, std::uint32_t rank, std::uint32_t line, Buffer buffer,
                    std::int64_t offset, std::uint32_t count) const {
    const std::int64_t chunks = schedule_.ranks[rank].chunks[static_cast<std::size_t>(buffer)];
    if (offset >= 0 && offset + count <= chunks) return;
    first.offer("bounds", line, [&] {
      return chunks == 0 ? fmt::format("rank {} uses {} chunk {}, but declares no {} chunks", rank,
                                       buffer_name(buffer), offset, buffer_name(buffer))
                         : fmt::format("rank {} uses {} chunks {} to {}, but has 0 to {}", rank,
                                       buffer_name(buffer), offset, offset + count - 1, chunks - 1);
    });
  }

  void check_step(FirstDefect& first, const MscclStep& step) const {
    const StepUse use = use_of(step.type);
    const MscclBlock& block = schedule_.blocks[step.block];
    if (use.reads_source) {
      check_bounds(first, block.rank, step.line, step.source_buffer, step.source, step.count);
    }
    if (use.writes_destination) {
      check_bounds(first, block.rank, step.line, step.destination_buffer, step.destination,
                   step.count);
      if (place_ == Place::kOut && step.destination_buffer == Buffer::kInput) {
        first.offer("input-written", step.line, [&] {
          return fmt::format(
              "rank {} writes its input chunk {}, which an out-of-place call must not change",
              block.rank, step.destination);
        });
      }
    }
    if (use.sends) check_peer(first, step, block, block.send, true);
    if (use.receives) check_peer(first, step, block, block.receive, false);
    if (step.depends_block < 0) return;
    const std::uint32_t target = blocks_.find(block.rank, step.depends_block);
    if (target == kNoIndex) {
      first.offer("dependence", step.line, [&] {
        return fmt::format("this step waits for tb {} of rank {}, which does not exist",
                           step.depends_block, block.rank);
      });
    } else if (static_cast<std::uint32_t>(step.depends_step) >= schedule_.blocks[target].size) {
      first.offer("dependence", step.line, [&] {
        return fmt::format(
            "this step waits for step {} of tb {} of rank {}, which has only {} steps",
            step.depends_step, step.depends_block, block.rank, schedule_.blocks[target].size);
      });
    }
  }

  void check_peer(FirstDefect& first, const MscclStep& step, const MscclBlock& block,
                  std::int32_t peer, bool sends) const {
    if (peer < 0) {
      first.offer("no-peer", step.line, [&] {
        return fmt::format(R"("{}" {}, but its tb has {}="-1")", type_name(step.type),
                           sends ? "sends" : "receives", sends ? "send" : "recv");
      });
      return;
    }
    if (!options_.network) return;
    const auto other = static_cast<std::uint32_t>(peer);
    const std::uint32_t from = sends ? block.rank : other;
    const std::uint32_t to = sends ? other : block.rank;
    if (options_.network->width(options_.node(from), options_.node(to)) != 0) return;
    first.offer("no-link", step.line, [&] {
      return fmt::format("rank {} {} rank {}, but the network has no link from node {} to node {}",
                         block.rank, sends ? "sends to" : "receives from", other,
                         options_.node(from), options_.node(to));
    });
  }

  void check_shared_connections(FirstDefect& first) const {
    // (rank, peer, channel, sends) to the first thread block that uses it so.
    std::map<std::tuple<std::uint32_t, std::int32_t, std::uint32_t, bool>, std::uint32_t> users;
    for (std::uint32_t index = 0; index < schedule_.blocks.size(); ++index) {
      const MscclBlock& block = schedule_.blocks[index];
      bool sends = false;
      bool receives = false;
      for (std::uint32_t i = 0; i < block.size; ++i) {
        const StepUse use = use_of(schedule_.steps[block.first_step + i].type);
        sends = sends || use.sends;
        receives = receives || use.receives;
      }
      for (const bool way : {true, false}) {
        if (!(way ? sends : receives)) continue;
        const std::int32_t peer = way ? block.send : block.receive;
        if (peer < 0) continue;
        const auto [user, is_new] =
            users.try_emplace({block.rank, peer, block.channel, way}, index);
        if (is_new) continue;
        first.offer("shared-connection", block.line, [&, user = user] {
          return fmt::format(
              "tb {} of rank {} {} rank {} on channel {}, like tb {}, so the order of messages is "
              "undefined",
              block.id, block.rank, way ? "sends to" : "receives from", peer, block.channel,
              schedule_.blocks[user->second].id);
        });
      }
    }
  }

  const MscclSchedule& schedule_;
  const CheckOptions& options_;
  Place place_;
  BlockNumbers blocks_;
};

}  // namespace

std::string_view buffer_name(Buffer buffer) {
  constexpr std::array<std::string_view, 3> kNames{"input", "output", "scratch"};
  return kNames[static_cast<std::size_t>(buffer)];
}

BlockNumbers::BlockNumbers(const MscclSchedule& schedule) {
  for (std::uint32_t index = 0; index < schedule.blocks.size(); ++index) {
    numbers_[contribution(schedule.blocks[index].rank, schedule.blocks[index].id)] = index;
  }
}

std::uint32_t BlockNumbers::find(std::uint32_t rank, std::int32_t id) const {
  const auto found = numbers_.find(contribution(rank, static_cast<std::uint32_t>(id)));
  return found == numbers_.end() ? kNoIndex : found->second;
}

std::optional<Defect> check_form(const MscclSchedule& schedule, const CheckOptions& options,
                                 Place place) {
  return FormCheck(schedule, options, place).check();
}

}  // namespace gossamer::foreign
