// SPDX-License-Identifier: Apache-2.0
/// Schedules in MSCCL XML, the input format of NCCL-like GPU runtimes.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/foreign/link_graph.hpp"

namespace gossamer::foreign {

/// The buffers of a rank.
enum class Buffer : std::uint8_t { kInput, kOutput, kScratch };

/// The action of an instruction, named as in the XML.
enum class StepType : std::uint8_t {
  kSend,
  kReceive,
  kReceiveCopySend,
  kReceiveReduceSend,
  kReceiveReduceCopy,
  kReceiveReduceCopySend,
  kCopy,
  kReduce,
  kNop,
};

/// The receives, reads, writes and sends of a type: the table of section 2.
struct StepUse {
  bool receives = false;
  bool reads_source = false;
  bool reads_destination = false;
  bool writes_destination = false;
  bool sends = false;
};
[[nodiscard]] StepUse use_of(StepType type);
/// "s", "r", "rcs", ...
[[nodiscard]] std::string_view type_name(StepType type);

/// One instruction. Its number is its position in the file, counted over all steps.
struct MscclStep {
  /// Line of the element's `<`.
  std::uint32_t line = 0;
  /// Index of its thread block.
  std::uint32_t block = 0;
  StepType type = StepType::kNop;
  Buffer source_buffer = Buffer::kInput;
  Buffer destination_buffer = Buffer::kInput;
  std::int32_t source = -1;
  std::int32_t destination = -1;
  /// Chunks, 1 or more (nop: 0 or more).
  std::uint32_t count = 0;
  /// The thread block (its id) and step that it waits for; both negative: it does not wait.
  std::int32_t depends_block = -1;
  std::int32_t depends_step = -1;
  /// Whether other steps may wait for it (`hasdep`).
  bool is_awaited = false;
};

/// A thread block: a sequence of steps of one rank.
struct MscclBlock {
  std::uint32_t line = 0;
  std::uint32_t rank = 0;
  std::uint32_t id = 0;
  /// The peers, -1: none.
  std::int32_t send = -1;
  std::int32_t receive = -1;
  std::uint32_t channel = 0;
  /// Its steps are steps[first_step .. first_step + size).
  std::uint32_t first_step = 0;
  std::uint32_t size = 0;
};

/// Before the start, output `output` receives the contents of input `input`.
struct MscclCopy {
  std::uint32_t line = 0;
  std::uint32_t input = 0;
  std::uint32_t output = 0;
};

struct MscclRank {
  std::uint32_t line = 0;
  /// Number of declared chunks, by Buffer.
  std::array<std::uint32_t, 3> chunks = {};
  std::vector<MscclCopy> copies;
};

struct MscclSchedule {
  std::uint32_t line = 0;
  std::string name;
  /// The collective as the file names it.
  std::string word;
  Collective collective = Collective::kAllGather;
  /// Total chunks (`nchunksperloop`).
  std::uint32_t chunks = 0;
  bool in_place = false;
  bool out_of_place = false;
  /// Root, if given in the file (our own exports give it).
  std::optional<std::uint32_t> root;
  /// By rank.
  std::vector<MscclRank> ranks;
  /// In the order of the file.
  std::vector<MscclBlock> blocks;
  std::vector<MscclStep> steps;
  /// Thread blocks whose ids are not 0, 1, 2, ... in a rank.
  bool ids_have_gaps = false;
  /// Attributes that the format's runtimes ignore.
  std::set<std::string> unused;

  [[nodiscard]] std::uint32_t rank_of(const MscclStep& step) const {
    return blocks[step.block].rank;
  }
  /// Input and output chunks of a rank, by the collective.
  [[nodiscard]] std::uint32_t input_chunks() const;
  [[nodiscard]] std::uint32_t output_chunks() const;
};

/// Reads a schedule. `file` is used in messages. Throws InputError, one line `FILE:LINE: cause`,
/// for malformed text (section 2). Memory is proportional to the file's length; there is no
/// recursion.
[[nodiscard]] MscclSchedule read_msccl(std::string_view text, const std::string& file);

}  // namespace gossamer::foreign
