// SPDX-License-Identifier: Apache-2.0
#include "gossamer/foreign/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "gossamer/plan/machine.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

namespace {

constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

struct Location {
  Buffer buffer = Buffer::kInput;
  std::uint32_t offset = 0;
};

/// A step of a rank: its thread block and its place there.
struct StepAt {
  std::uint32_t block = kNoBlock;
  std::uint32_t index = 0;
};

/// A rank under construction.
struct RankBuild {
  /// (peer, channel) of arrivals and of sends, to the number of their thread block.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> receives;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sends;
  std::vector<std::vector<MscclStep>> blocks;
  /// By spot (spot_of): its last writer, and the senders since.
  std::unordered_map<std::uint64_t, StepAt> writer;
  std::unordered_map<std::uint64_t, std::vector<StepAt>> senders;
  StepAt last_send;
  /// Scratch chunks of packets on their way, by packet.
  std::unordered_map<PacketId, std::uint32_t> scratch;
  std::uint32_t scratch_chunks = 0;
};

class Exporter {
 public:
  Exporter(const Plan& plan, std::span<const Move> moves) : plan_(plan), moves_(moves) {
    const std::uint32_t p = plan.topology.nodes();
    ranks_.resize(p);
    const Demand& demand = plan.demand;
    const auto pieces = static_cast<std::uint32_t>(demand.pieces);
    if (const auto messages = plan.machine().message_sends(plan)) one_port_ = messages->one_port;
    if (demand.combines()) {
      if (demand.to == Destination::kOwner)
        set("reduce_scatter", Collective::kReduceScatter, pieces);
      if (demand.to == Destination::kEveryNode) set("allreduce", Collective::kAllReduce, pieces);
      if (demand.to == Destination::kRoot) set("reduce", Collective::kReduce, pieces);
    } else if (demand.from == Origin::kRoot) {
      set("broadcast", Collective::kBroadcast, pieces);
    } else if (demand.is_personal()) {
      k_ = pieces;
      set("alltoall", Collective::kAllToAll, p * k_);
    } else {
      set("allgather", Collective::kAllGather, p * pieces);
    }
    if (demand.from == Origin::kRoot || demand.to == Destination::kRoot)
      schedule_.root = demand.root;
  }

  MscclSchedule build() {
    for (const Move& move : moves_) {
      ranks_[move.to].receives[{move.from, channel(move)}] = 0;
      ranks_[move.from].sends[{move.to, channel(move)}] = 0;
    }
    for (RankBuild& rank : ranks_) {
      std::uint32_t number = 0;
      for (auto* ends : {&rank.receives, &rank.sends}) {
        for (auto& [peer, block] : *ends) block = number++;
      }
      rank.blocks.resize(number);
    }
    for (std::size_t at = 0; at < moves_.size();) {
      std::size_t end = at;
      while (end < moves_.size() && moves_[end].step == moves_[at].step) ++end;
      add_step(moves_.subspan(at, end - at));
      at = end;
    }
    assemble();
    return std::move(schedule_);
  }

 private:
  void set(const std::string& word, Collective collective, std::uint32_t chunks) {
    schedule_.word = word;
    schedule_.collective = collective;
    schedule_.chunks = chunks;
    schedule_.in_place = collective != Collective::kAllToAll;
    schedule_.out_of_place = !schedule_.in_place;
    schedule_.name = fmt::format("gossamer-{}-{}-{}-{}", word, plan_.algorithm,
                                 plan_.topology.kind(), plan_.topology.dims_text());
  }

  /// Two links between the same nodes, around a side of 2, are distinguished by the output port.
  [[nodiscard]] std::uint32_t channel(const Move& move) const {
    const int dim = dimension_of(move.out_port);
    return plan_.topology.wraps(dim) && plan_.topology.side(dim) == 2 ? move.out_port % 2U : 0;
  }

  /// Where a packet is at a node.
  Location location(NodeId node, PacketId packet) {
    if (schedule_.collective == Collective::kAllGather) {
      return {Buffer::kOutput, static_cast<std::uint32_t>(packet)};
    }
    if (schedule_.collective != Collective::kAllToAll) {
      return {Buffer::kInput, static_cast<std::uint32_t>(packet)};
    }
    const std::uint64_t p = plan_.topology.nodes();
    const auto c = static_cast<std::uint32_t>(packet % k_);
    const auto destination = static_cast<std::uint32_t>(packet / k_ % p);
    const auto origin = static_cast<std::uint32_t>(packet / k_ / p);
    if (node == origin) return {Buffer::kInput, destination * k_ + c};
    if (node == destination) return {Buffer::kOutput, origin * k_ + c};
    RankBuild& rank = ranks_[node];
    const auto chunk = static_cast<std::uint32_t>(rank.scratch.size());
    const std::uint32_t at = rank.scratch.try_emplace(packet, chunk).first->second;
    rank.scratch_chunks = std::max(rank.scratch_chunks, at + 1);
    return {Buffer::kScratch, at};
  }
  Location location(NodeId node, PacketId packet, std::optional<std::uint32_t> scratch) {
    if (!scratch) return location(node, packet);
    ranks_[node].scratch_chunks = std::max(ranks_[node].scratch_chunks, *scratch + 1);
    return {Buffer::kScratch, *scratch};
  }
  /// The key of a place in the records of its writers and senders.
  [[nodiscard]] static std::uint64_t spot_of(PacketId packet,
                                             std::optional<std::uint32_t> scratch) {
    constexpr std::uint64_t kScratchSpot = std::uint64_t{1} << 63U;
    return scratch ? kScratchSpot | *scratch : packet;
  }

  /// Appends a step that waits for `waits`. The step itself can wait for one of them; a nop before
  /// it waits for each of the others.
  StepAt append(NodeId node, std::uint32_t block, MscclStep step, std::vector<StepAt> waits) {
    auto& blocks = ranks_[node].blocks;
    // Earlier steps of the same block are waited for anyway, and of another block the last is
    // enough.
    std::erase_if(waits, [block](const StepAt& wait) {
      return wait.block == kNoBlock || wait.block == block;
    });
    std::sort(waits.begin(), waits.end(), [](const StepAt& a, const StepAt& b) {
      return std::tie(a.block, b.index) < std::tie(b.block, a.index);
    });
    waits.erase(std::unique(waits.begin(), waits.end(),
                            [](const StepAt& a, const StepAt& b) { return a.block == b.block; }),
                waits.end());
    for (std::size_t i = 0; i < waits.size(); ++i) {
      blocks[waits[i].block][waits[i].index].is_awaited = true;
      step.depends_block = static_cast<std::int32_t>(waits[i].block);
      step.depends_step = static_cast<std::int32_t>(waits[i].index);
      if (i + 1 == waits.size()) break;
      MscclStep nop;
      nop.destination_buffer = Buffer::kOutput;
      nop.depends_block = step.depends_block;
      nop.depends_step = step.depends_step;
      blocks[block].push_back(nop);
    }
    blocks[block].push_back(step);
    return {block, static_cast<std::uint32_t>(blocks[block].size() - 1)};
  }

  [[nodiscard]] MscclStep make(StepType type, const Move& move) {
    const Location to = location(move.to, move.packet, move.to_scratch);
    // The destination of an addition is also its source.
    return make(type,
                type == StepType::kReceiveReduceCopy
                    ? to
                    : location(move.from, move.packet, move.from_scratch),
                to);
  }
  [[nodiscard]] static MscclStep make(StepType type, const Location& source,
                                      const Location& destination) {
    MscclStep step;
    step.type = type;
    step.source_buffer = source.buffer;
    step.source = static_cast<std::int32_t>(source.offset);
    step.destination_buffer = destination.buffer;
    step.destination = static_cast<std::int32_t>(destination.offset);
    step.count = 1;
    return step;
  }

  /// One step of the plan: all its sends precede its receives.
  void add_step(std::span<const Move> moves) {
    for (const Move& move : moves) {
      RankBuild& rank = ranks_[move.from];
      const MscclStep step = make(StepType::kSend, move);
      std::vector<StepAt> waits;
      const std::uint64_t spot = spot_of(move.packet, move.from_scratch);
      const auto writer = rank.writer.find(spot);
      if (one_port_ && rank.last_send.block != kNoBlock) {
        waits.push_back(rank.last_send);
      } else if (writer != rank.writer.end()) {
        waits.push_back(writer->second);
      }
      rank.last_send =
          append(move.from, rank.sends.at({move.to, channel(move)}), step, std::move(waits));
      rank.senders[spot].push_back(rank.last_send);
    }
    std::vector<Move> arrivals(moves.begin(), moves.end());
    std::stable_sort(arrivals.begin(), arrivals.end(), [](const Move& a, const Move& b) {
      return std::make_tuple(a.to, opposite(a.out_port)) <
             std::make_tuple(b.to, opposite(b.out_port));
    });
    for (const Move& move : arrivals) {
      const std::uint32_t block = ranks_[move.to].receives.at({move.from, channel(move)});
      const StepType type = move.adds ? StepType::kReceiveReduceCopy : StepType::kReceive;
      write(move.to, block, make(type, move), spot_of(move.packet, move.to_scratch));
      if (!move.adds_from_scratch && !move.finishes_scratch) continue;
      const StepType further = move.adds_from_scratch ? StepType::kReduce : StepType::kCopy;
      write(move.to, block,
            make(further, location(move.to, move.packet, move.to_scratch),
                 location(move.to, move.packet)),
            spot_of(move.packet, std::nullopt));
    }
  }

  /// Appends a step that writes to a spot: after its last writer and the senders since.
  void write(NodeId node, std::uint32_t block, const MscclStep& step, std::uint64_t spot) {
    RankBuild& rank = ranks_[node];
    std::vector<StepAt> waits = std::exchange(rank.senders[spot], {});
    const auto writer = rank.writer.find(spot);
    if (writer != rank.writer.end()) waits.push_back(writer->second);
    rank.writer[spot] = append(node, block, step, std::move(waits));
  }

  void assemble() {
    const std::uint32_t p = plan_.topology.nodes();
    schedule_.ranks.resize(p);
    for (NodeId node = 0; node < p; ++node) {
      RankBuild& rank = ranks_[node];
      MscclRank& declared = schedule_.ranks[node];
      const bool gathers = schedule_.collective == Collective::kAllGather;
      declared.chunks[0] = gathers ? 0 : schedule_.chunks;
      declared.chunks[1] =
          gathers || schedule_.collective == Collective::kAllToAll ? schedule_.chunks : 0;
      declared.chunks[2] = rank.scratch_chunks;
      for (const auto& [peer, number] : rank.receives) {
        add_block(node, number, -1, static_cast<std::int32_t>(peer.first), peer.second);
      }
      for (const auto& [peer, number] : rank.sends) {
        add_block(node, number, static_cast<std::int32_t>(peer.first), -1, peer.second);
      }
      if (schedule_.collective != Collective::kAllToAll) continue;
      MscclStep copy;
      copy.type = StepType::kCopy;
      copy.destination_buffer = Buffer::kOutput;
      copy.source = copy.destination = static_cast<std::int32_t>(node * k_);
      copy.count = k_;
      rank.blocks.push_back({copy});
      add_block(node, static_cast<std::uint32_t>(rank.blocks.size() - 1), -1, -1, 0);
    }
  }

  void add_block(NodeId node, std::uint32_t number, std::int32_t send, std::int32_t receive,
                 std::uint32_t channel) {
    MscclBlock block;
    block.rank = node;
    block.id = number;
    block.send = send;
    block.receive = receive;
    block.channel = channel;
    block.first_step = static_cast<std::uint32_t>(schedule_.steps.size());
    block.size = static_cast<std::uint32_t>(ranks_[node].blocks[number].size());
    for (MscclStep step : ranks_[node].blocks[number]) {
      step.block = static_cast<std::uint32_t>(schedule_.blocks.size());
      schedule_.steps.push_back(step);
    }
    schedule_.blocks.push_back(block);
  }

  const Plan& plan_;
  std::span<const Move> moves_;
  MscclSchedule schedule_;
  std::vector<RankBuild> ranks_;
  /// Chunks for each other node (all-to-all).
  std::uint32_t k_ = 1;
  bool one_port_ = false;
};

char buffer_letter(Buffer buffer) { return "ios"[static_cast<std::size_t>(buffer)]; }

/// Text escaped for an attribute.
std::string attribute(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

MscclSchedule export_schedule(const Plan& plan, std::span<const Move> moves) {
  return Exporter(plan, moves).build();
}

std::vector<std::string> runtime_limits(const MscclSchedule& schedule) {
  // Of the runtimes in use one has room for the first number, others for the second.
  constexpr std::array<std::uint32_t, 2> kSteps{256, 64};
  constexpr std::array<std::uint32_t, 2> kBlocks{216, 64};
  std::vector<std::uint32_t> blocks(schedule.ranks.size(), 0);
  std::uint32_t steps = 0;
  for (const MscclBlock& block : schedule.blocks) {
    ++blocks[block.rank];
    steps = std::max(steps, block.size);
  }
  const std::uint32_t most = blocks.empty() ? 0 : *std::max_element(blocks.begin(), blocks.end());
  std::vector<std::string> lines;
  const auto limit = [&lines](std::string_view what, std::uint32_t count, const auto& limits) {
    if (count <= limits[1]) return;
    lines.push_back(fmt::format("{} {}; runtimes support at most {}, some at most {}", what, count,
                                limits[0], limits[1]));
  };
  limit("steps in a thread block:", steps, kSteps);
  limit("thread blocks of a rank:", most, kBlocks);
  return lines;
}

void write_msccl(const MscclSchedule& schedule, std::ostream& out) {
  // A file that was read may have its ranks in any order.
  std::vector<std::vector<const MscclBlock*>> blocks(schedule.ranks.size());
  for (const MscclBlock& block : schedule.blocks) blocks[block.rank].push_back(&block);
  std::uint32_t channels = 1;
  for (const MscclBlock& block : schedule.blocks) channels = std::max(channels, block.channel + 1);
  out << fmt::format(
      "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" "
      "coll=\"{}\" inplace=\"{}\" outofplace=\"{}\" minBytes=\"0\" maxBytes=\"1073741824\"{}>\n",
      attribute(schedule.name), channels, schedule.chunks, schedule.ranks.size(), schedule.word,
      schedule.in_place ? 1 : 0, schedule.out_of_place ? 1 : 0,
      schedule.root ? fmt::format(" root=\"{}\"", *schedule.root) : "");
  for (std::uint32_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const auto& chunks = schedule.ranks[rank].chunks;
    out << fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
                       chunks[0], chunks[1], chunks[2]);
    for (const MscclCopy& copy : schedule.ranks[rank].copies) {
      out << fmt::format("    <copy i_off=\"{}\" o_off=\"{}\"/>\n", copy.input, copy.output);
    }
    for (const MscclBlock* block : blocks[rank]) {
      out << fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", block->id,
                         block->send, block->receive, block->channel);
      for (std::uint32_t s = 0; s < block->size; ++s) {
        const MscclStep& step = schedule.steps[block->first_step + s];
        out << fmt::format(
            "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
            "dstoff=\"{}\" cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
            s, type_name(step.type), buffer_letter(step.source_buffer), step.source,
            buffer_letter(step.destination_buffer), step.destination, step.count,
            step.depends_block, step.depends_step, step.is_awaited ? 1 : 0);
      }
      out << "    </tb>\n";
    }
    out << "  </gpu>\n";
  }
  out << "</algo>\n";
}

}  // namespace gossamer::foreign
