// SPDX-License-Identifier: Apache-2.0
/// The flow of values in an MSCCL schedule.
#include "msccl_checker.hpp"

namespace gossamer::foreign {

namespace {

class FlowRun {
 public:
  FlowRun(const MscclOrder& order, const MscclMemory& memory, const ChunkMoves& moves)
      : schedule_(order.schedule()), order_(order), memory_(memory), moves_(moves) {}

  [[nodiscard]] Flow flow() const {
    Flow flow;
    flow.collective = schedule_.collective;
    flow.ranks = static_cast<std::uint32_t>(schedule_.ranks.size());
    flow.chunks = schedule_.input_chunks();
    flow.root = memory_.root();
    for (std::uint32_t r = 0; r < flow.ranks; ++r) {
      for (std::uint32_t chunk = 0; chunk < flow.chunks; ++chunk) {
        flow.values.push_back({FlowValue::Kind::kOwn, r, chunk});
      }
    }
    const auto own_value = [&](std::uint64_t key) {
      const auto own = memory_.initial(key);
      return own ? static_cast<std::uint32_t>((*own >> 32U) * flow.chunks + (*own & 0xffffffffU))
                 : kNoIndex;
    };
    std::vector<std::uint32_t> held(memory_.locations().size(), kNoIndex);
    for (const auto& [key, at] : memory_.locations()) held[at] = own_value(key);
    for (std::uint32_t r = 0; r < flow.ranks; ++r) {
      for (const MscclCopy& copy : schedule_.ranks[r].copies) {
        held[memory_.location(r, Buffer::kOutput, copy.output)] =
            own_value(memory_.cell(r, Buffer::kInput, copy.input));
      }
    }
    // By chunk of a send: the value that it carries.
    std::vector<std::uint32_t> carried(moves_.moves().size(), kNoIndex);
    for (const std::uint32_t index : order_.order()) flow_through(index, held, carried, flow);
    for (std::uint32_t r = 0; r < flow.ranks; ++r) {
      if (!memory_.wants_outputs(r)) continue;
      for (std::uint32_t q = 0; q < schedule_.output_chunks(); ++q) {
        const std::uint32_t at = memory_.location(r, Buffer::kOutput, q);
        flow.outputs.push_back(
            {r, at == kNoIndex ? own_value(memory_.cell(r, Buffer::kOutput, q)) : held[at]});
      }
    }
    return flow;
  }

 private:
  void flow_through(std::uint32_t index, std::vector<std::uint32_t>& held,
                    std::vector<std::uint32_t>& carried, Flow& flow) const {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    const std::uint32_t r = order_.rank(index);
    const auto add = [&flow](const FlowValue& value) {
      flow.values.push_back(value);
      return static_cast<std::uint32_t>(flow.values.size() - 1);
    };
    const auto at = [&](Buffer buffer, std::int32_t offset, std::uint32_t j) -> std::uint32_t& {
      return held[memory_.location(r, buffer, static_cast<std::uint32_t>(offset) + j)];
    };
    // All reads of a step precede its writes.
    std::vector<std::uint32_t> result(step.count, kNoIndex);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      const auto combine = [&](std::uint32_t other) {
        result[j] =
            result[j] == kNoIndex ? other : add({FlowValue::Kind::kSum, r, result[j], other});
      };
      if (use.receives) {
        const std::uint32_t chunk = moves_.number(order_.message(index), j);
        combine(add({FlowValue::Kind::kArrival, r, carried[chunk], 0, moves_.moves()[chunk].step,
                     moves_.moves()[chunk].place}));
      }
      if (use.reads_destination) combine(at(step.destination_buffer, step.destination, j));
      if (use.reads_source) combine(at(step.source_buffer, step.source, j));
    }
    for (std::uint32_t j = 0; j < step.count; ++j) {
      if (use.writes_destination) at(step.destination_buffer, step.destination, j) = result[j];
      if (use.sends) carried[moves_.number(index, j)] = result[j];
    }
  }

  const MscclSchedule& schedule_;
  const MscclOrder& order_;
  const MscclMemory& memory_;
  const ChunkMoves& moves_;
};

}  // namespace

Flow flow_of(const MscclOrder& order, const MscclMemory& memory, const ChunkMoves& moves) {
  return FlowRun(order, memory, moves).flow();
}

}  // namespace gossamer::foreign
