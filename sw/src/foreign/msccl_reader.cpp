// SPDX-License-Identifier: Apache-2.0
#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <memory>
#include <unordered_set>

#include "gossamer/foreign/msccl.hpp"
#include "gossamer/util/error.hpp"
#include "shown.hpp"

namespace gossamer::foreign {

namespace {

constexpr std::int64_t kMaxRanks = 65536;
constexpr std::int64_t kMaxNumber = 999999999;

template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};

constexpr auto kTypes = std::to_array<Word<StepType>>({
    {"s", StepType::kSend},
    {"r", StepType::kReceive},
    {"rcs", StepType::kReceiveCopySend},
    {"rrs", StepType::kReceiveReduceSend},
    {"rrc", StepType::kReceiveReduceCopy},
    {"rrcs", StepType::kReceiveReduceCopySend},
    {"cpy", StepType::kCopy},
    {"re", StepType::kReduce},
    {"nop", StepType::kNop},
});
constexpr auto kBuffers = std::to_array<Word<Buffer>>(
    {{"i", Buffer::kInput}, {"o", Buffer::kOutput}, {"s", Buffer::kScratch}});
constexpr auto kCollectives = std::to_array<Word<Collective>>({
    {"allgather", Collective::kAllGather},
    {"allreduce", Collective::kAllReduce},
    {"reduce_scatter", Collective::kReduceScatter},
    {"alltoall", Collective::kAllToAll},
    {"broadcast", Collective::kBroadcast},
    {"reduce", Collective::kReduce},
});

/// Expat's callbacks, which must not throw into C: the first error stops the parser and waits.
class Reader {
 public:
  Reader(std::string_view text, std::string file)
      : file_(std::move(file)), parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          guarded(self, [&](Reader& reader) { reader.start(name, attributes); });
        },
        [](void* self, const XML_Char*) {
          guarded(self, [](Reader& reader) { --reader.depth_; });
        });
    XML_SetCharacterDataHandler(
        parser_.get(), [](void* self, const XML_Char* characters, int size) {
          guarded(self, [&](Reader& reader) {
            const std::string_view piece(characters, static_cast<std::size_t>(size));
            if (piece.find_first_not_of(" \t\r\n") != std::string_view::npos) {
              reader.refuse("text between elements");
            }
          });
        });
    XML_SetStartDoctypeDeclHandler(
        parser_.get(), [](void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
          guarded(self, [](Reader& reader) { reader.refuse("a document type declaration"); });
        });
    parse(text);
  }

  [[nodiscard]] MscclSchedule finish() {
    line_ = schedule_.line;
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      if (schedule_.ranks[rank].line == 0) refuse(fmt::format("no gpu has the id {}", rank));
    }
    return std::move(schedule_);
  }

 private:
  template <typename Act>
  static void guarded(void* self, Act act) {
    auto& reader = *static_cast<Reader*>(self);
    if (reader.error_) return;
    reader.line_ = static_cast<std::uint32_t>(XML_GetCurrentLineNumber(reader.parser_.get()));
    try {
      act(reader);
    } catch (...) {
      reader.error_ = std::current_exception();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }

  void parse(std::string_view text) {
    // Expat counts in int.
    constexpr std::size_t kPiece = std::size_t{1} << 24;
    while (true) {
      const std::string_view piece = text.substr(0, kPiece);
      text.remove_prefix(piece.size());
      const bool last = text.empty();
      const XML_Status status =
          XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), last ? 1 : 0);
      if (error_) std::rethrow_exception(error_);
      if (status != XML_STATUS_OK) {
        line_ = static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get()));
        refuse(
            fmt::format("not well-formed: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
      }
      if (last) return;
    }
  }

  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, cause));
  }

  void start(std::string_view name, const XML_Char** attributes) {
    attributes_ = attributes;
    element_ = name;
    if (depth_ == 0 && name == "algo") {
      start_algo();
    } else if (depth_ == 1 && name == "gpu") {
      start_gpu();
    } else if (depth_ == 2 && name == "copy") {
      start_copy();
    } else if (depth_ == 2 && name == "tb") {
      start_block();
    } else if (depth_ == 3 && name == "step" && in_block_) {
      start_step();
    } else {
      refuse(fmt::format("an element <{}> has no place here", shown(name)));
    }
    if (depth_ == 2) in_block_ = name == "tb";
    ++depth_;
  }

  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const {
    for (const XML_Char** at = attributes_; *at != nullptr; at += 2) {
      if (at[0] == name) return at[1];
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string_view text(std::string_view name) const {
    const auto value = attribute(name);
    if (!value) refuse(fmt::format("<{}> lacks the attribute {}", element_, name));
    return *value;
  }
  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t min,
                                    std::int64_t max = kMaxNumber) const {
    return number_in(name, text(name), min, max);
  }
  [[nodiscard]] std::int64_t number_in(std::string_view name, std::string_view value,
                                       std::int64_t min, std::int64_t max) const {
    const std::string_view digits = value.starts_with('-') ? value.substr(1) : value;
    constexpr std::size_t kMostDigits = 9;
    const bool whole = !digits.empty() && digits.size() <= kMostDigits &&
                       digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!whole)
      refuse(fmt::format("{}: \"{}\" is no whole number of up to 9 digits", name, shown(value)));
    std::int64_t result = 0;
    for (const char digit : digits) result = 10 * result + (digit - '0');
    if (digits.size() != value.size()) result = -result;
    if (result < min || result > max) {
      refuse(fmt::format("{}: {} is outside {}..{}", name, result, min, max));
    }
    return result;
  }
  [[nodiscard]] bool flag(std::string_view name) const { return number(name, 0, 1) == 1; }
  template <typename Value, std::size_t N>
  [[nodiscard]] Value word(std::string_view name, const std::array<Word<Value>, N>& words) const {
    const std::string_view value = text(name);
    for (const Word<Value>& known : words) {
      if (known.text == value) return known.value;
    }
    refuse(fmt::format("{}: \"{}\" is unknown", name, shown(value)));
  }

  void start_algo() {
    schedule_.line = line_;
    schedule_.name = shown(text("name"));
    (void)text("proto");
    schedule_.collective = word("coll", kCollectives);
    schedule_.word = text("coll");
    const auto ranks = static_cast<std::uint32_t>(number("ngpus", 1, kMaxRanks));
    schedule_.ranks.resize(ranks);
    schedule_.chunks = static_cast<std::uint32_t>(number("nchunksperloop", 1));
    (void)number("nchannels", 0);
    schedule_.in_place = flag("inplace");
    schedule_.out_of_place = attribute("outofplace") ? flag("outofplace") : !schedule_.in_place;
    if (attribute("root"))
      schedule_.root = static_cast<std::uint32_t>(number("root", 0, ranks - 1));
    const bool divided = schedule_.collective == Collective::kAllGather ||
                         schedule_.collective == Collective::kReduceScatter ||
                         schedule_.collective == Collective::kAllToAll;
    if (divided && schedule_.chunks % ranks != 0) {
      refuse(fmt::format("nchunksperloop: {} is no multiple of the {} ranks, as {} needs",
                         schedule_.chunks, ranks, schedule_.word));
    }
    if (!schedule_.in_place && !schedule_.out_of_place) {
      refuse("neither inplace nor outofplace is claimed");
    }
  }

  void start_gpu() {
    const auto last = static_cast<std::int64_t>(schedule_.ranks.size()) - 1;
    rank_ = static_cast<std::uint32_t>(number("id", 0, last));
    MscclRank& rank = schedule_.ranks[rank_];
    if (rank.line != 0) refuse(fmt::format("gpu {} stands in line {} already", rank_, rank.line));
    rank.line = line_;
    rank.chunks[0] = static_cast<std::uint32_t>(number("i_chunks", 0));
    rank.chunks[1] = static_cast<std::uint32_t>(number("o_chunks", 0));
    rank.chunks[2] = static_cast<std::uint32_t>(number("s_chunks", 0));
    ids_.clear();
  }

  void start_copy() {
    schedule_.ranks[rank_].copies.push_back({line_, static_cast<std::uint32_t>(number("i_off", 0)),
                                             static_cast<std::uint32_t>(number("o_off", 0))});
  }

  void start_block() {
    const auto last = static_cast<std::int64_t>(schedule_.ranks.size()) - 1;
    MscclBlock block;
    block.line = line_;
    block.rank = rank_;
    block.id = static_cast<std::uint32_t>(number("id", 0));
    block.send = static_cast<std::int32_t>(number("send", -1, last));
    block.receive = static_cast<std::int32_t>(number("recv", -1, last));
    block.channel = static_cast<std::uint32_t>(number("chan", 0));
    for (const auto& [name, peer] :
         {std::pair{"send", block.send}, std::pair{"recv", block.receive}}) {
      if (peer == static_cast<std::int32_t>(rank_)) {
        refuse(fmt::format("{}: {} is the own gpu", name, peer));
      }
    }
    if (block.id != ids_.size()) schedule_.ids_have_gaps = true;
    if (!ids_.insert(block.id).second) {
      refuse(fmt::format("gpu {} has a tb {} already", rank_, block.id));
    }
    block.first_step = static_cast<std::uint32_t>(schedule_.steps.size());
    schedule_.blocks.push_back(block);
  }

  void start_step() {
    MscclBlock& block = schedule_.blocks.back();
    MscclStep step;
    step.line = line_;
    step.block = static_cast<std::uint32_t>(schedule_.blocks.size() - 1);
    if (number("s", 0) != block.size) {
      refuse(fmt::format("s: {} where {} is the next of the tb", text("s"), block.size));
    }
    step.type = word("type", kTypes);
    step.source_buffer = word("srcbuf", kBuffers);
    step.source = static_cast<std::int32_t>(number("srcoff", -1));
    step.destination_buffer = word("dstbuf", kBuffers);
    step.destination = static_cast<std::int32_t>(number("dstoff", -1));
    step.count = static_cast<std::uint32_t>(number("cnt", step.type == StepType::kNop ? 0 : 1));
    step.depends_block = static_cast<std::int32_t>(number("depid", -1));
    step.depends_step = static_cast<std::int32_t>(number("deps", -1));
    if ((step.depends_block < 0) != (step.depends_step < 0)) {
      refuse("of depid and deps only one names a step");
    }
    step.is_awaited = flag("hasdep");
    schedule_.steps.push_back(step);
    ++block.size;
  }

  std::string file_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::exception_ptr error_;
  std::uint32_t line_ = 0;
  int depth_ = 0;
  bool in_block_ = false;
  std::string_view element_;
  const XML_Char** attributes_ = nullptr;
  MscclSchedule schedule_;
  std::uint32_t rank_ = 0;
  /// Thread block ids of the present gpu.
  std::unordered_set<std::uint32_t> ids_;
};

}  // namespace

StepUse use_of(StepType type) {
  switch (type) {
    case StepType::kSend:
      return {.reads_source = true, .sends = true};
    case StepType::kReceive:
      return {.receives = true, .writes_destination = true};
    case StepType::kReceiveCopySend:
      return {.receives = true, .writes_destination = true, .sends = true};
    case StepType::kReceiveReduceSend:
      return {.receives = true, .reads_source = true, .sends = true};
    case StepType::kReceiveReduceCopy:
      return {.receives = true, .reads_source = true, .writes_destination = true};
    case StepType::kReceiveReduceCopySend:
      return {.receives = true, .reads_source = true, .writes_destination = true, .sends = true};
    case StepType::kCopy:
      return {.reads_source = true, .writes_destination = true};
    case StepType::kReduce:
      return {.reads_source = true, .reads_destination = true, .writes_destination = true};
    case StepType::kNop:
      return {};
  }
  return {};
}

std::string_view type_name(StepType type) { return kTypes[static_cast<std::size_t>(type)].text; }

std::uint32_t MscclSchedule::input_chunks() const {
  return collective == Collective::kAllGather ? chunks / static_cast<std::uint32_t>(ranks.size())
                                              : chunks;
}

std::uint32_t MscclSchedule::output_chunks() const {
  return collective == Collective::kReduceScatter
             ? chunks / static_cast<std::uint32_t>(ranks.size())
             : chunks;
}

MscclSchedule read_msccl(std::string_view text, const std::string& file) {
  return Reader(text, file).finish();
}

}  // namespace gossamer::foreign
