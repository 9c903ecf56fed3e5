// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <new>
#include <pugixml.hpp>
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

struct Attributes {
  std::string_view element;
  std::array<std::string_view, 12> names;
};
constexpr auto kAttributes = std::to_array<Attributes>({
    {"algo",
     {"name", "proto", "coll", "ngpus", "nchunksperloop", "nchannels", "inplace", "outofplace",
      "root", "minBytes", "maxBytes", "redop"}},
    {"gpu", {"id", "i_chunks", "o_chunks", "s_chunks"}},
    {"copy", {"i_off", "o_off"}},
    {"tb", {"id", "send", "recv", "chan"}},
    {"step",
     {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"}},
});

class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  [[nodiscard]] MscclSchedule read() {
    const auto control = std::find_if(text_.begin(), text_.end(), [](unsigned char c) {
      return c < ' ' && c != '\t' && c != '\n' && c != '\r';
    });
    if (control != text_.end()) {
      refuse_at(static_cast<std::size_t>(control - text_.begin()),
                "not well-formed: a control character");
    }
    pugi::xml_document document;
    // As a fragment, text and elements next to the root are kept, and then rejected.
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(),
                             pugi::parse_escapes | pugi::parse_cdata | pugi::parse_doctype |
                                 pugi::parse_trim_pcdata | pugi::parse_fragment,
                             pugi::encoding_utf8);
    if (parsed.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!parsed) {
      refuse_at(static_cast<std::size_t>(parsed.offset),
                fmt::format("not well-formed: {}", parsed.description()));
    }
    for_each_element(document, {"algo"}, [this](pugi::xml_node algo) {
      if (!schedule_.ranks.empty()) refuse("not well-formed: a second root element");
      read_algo(algo);
    });
    if (schedule_.ranks.empty()) refuse("not well-formed: no root element");
    line_ = schedule_.line;
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      if (schedule_.ranks[rank].line == 0) refuse(fmt::format("no gpu has the id {}", rank));
    }
    return std::move(schedule_);
  }

 private:
  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, cause));
  }
  [[noreturn]] void refuse_at(std::size_t offset, const std::string& cause) {
    go_to(offset);
    refuse(cause);
  }
  /// Counts lines up to `offset`, which never decreases: the document is read in its order.
  void go_to(std::size_t offset) {
    line_ +=
        static_cast<std::uint32_t>(std::count(text_.data() + offset_, text_.data() + offset, '\n'));
    offset_ = offset;
  }

  /// Calls `read` on every element in `parent`. Anything but elements of these `names` is refused.
  template <typename Read>
  void for_each_element(pugi::xml_node parent, std::initializer_list<std::string_view> names,
                        Read read) {
    for (const pugi::xml_node node : parent) {
      go_to(static_cast<std::size_t>(node.offset_debug()));
      if (node.type() == pugi::node_doctype) refuse("a document type declaration is not allowed");
      if (node.type() != pugi::node_element) refuse("text between elements is not allowed");
      if (std::find(names.begin(), names.end(), node.name()) == names.end()) {
        refuse(fmt::format("an element <{}> is not allowed here", shown(node.name())));
      }
      element_ = node;
      check_attributes();
      read(node);
    }
  }

  /// Refuses doubled ones. Runtimes look attributes up by name, so others are kept as unused.
  void check_attributes() {
    names_.clear();
    for (const pugi::xml_attribute attribute : element_.attributes()) {
      names_.emplace_back(attribute.name());
    }
    std::sort(names_.begin(), names_.end());
    const auto twice = std::adjacent_find(names_.begin(), names_.end());
    if (twice != names_.end()) {
      refuse(fmt::format("not well-formed: <{}> has the attribute {} twice", element_.name(),
                         shown(*twice)));
    }
    const auto* const known =
        std::find_if(kAttributes.begin(), kAttributes.end(),
                     [this](const Attributes& each) { return each.element == element_.name(); });
    for (const std::string_view name : names_) {
      const auto& list = known->names;
      if (std::find(list.begin(), list.end(), name) == list.end()) {
        schedule_.unused.insert(fmt::format("{} of <{}>", shown(name), element_.name()));
      }
    }
  }

  [[nodiscard]] std::optional<std::string_view> attribute(const char* name) const {
    const pugi::xml_attribute found = element_.attribute(name);
    return found ? std::optional<std::string_view>(found.value()) : std::nullopt;
  }
  [[nodiscard]] std::string_view text(const char* name) const {
    const auto value = attribute(name);
    if (!value) refuse(fmt::format("<{}> lacks the attribute {}", element_.name(), name));
    return *value;
  }
  [[nodiscard]] std::int64_t number(const char* name, std::int64_t min,
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
      refuse(fmt::format("{}: \"{}\" is not a whole number of up to 9 digits", name, shown(value)));
    std::int64_t result = 0;
    for (const char digit : digits) result = 10 * result + (digit - '0');
    if (digits.size() != value.size()) result = -result;
    if (result < min || result > max) {
      refuse(fmt::format("{}: {} is outside {}..{}", name, result, min, max));
    }
    return result;
  }
  [[nodiscard]] bool flag(const char* name) const { return number(name, 0, 1) == 1; }
  template <typename Value, std::size_t N>
  [[nodiscard]] Value word(const char* name, const std::array<Word<Value>, N>& words) const {
    const std::string_view value = text(name);
    for (const Word<Value>& known : words) {
      if (known.text == value) return known.value;
    }
    refuse(fmt::format("{}: \"{}\" is unknown", name, shown(value)));
  }

  void read_algo(pugi::xml_node algo) {
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
      refuse(fmt::format("nchunksperloop: {} is not a multiple of the {} ranks, as {} requires",
                         schedule_.chunks, ranks, schedule_.word));
    }
    if (!schedule_.in_place && !schedule_.out_of_place) {
      refuse("inplace and outofplace are both 0; at least one must be 1");
    }
    for_each_element(algo, {"gpu"}, [this](pugi::xml_node gpu) { read_gpu(gpu); });
  }

  void read_gpu(pugi::xml_node gpu) {
    const auto last = static_cast<std::int64_t>(schedule_.ranks.size()) - 1;
    rank_ = static_cast<std::uint32_t>(number("id", 0, last));
    MscclRank& rank = schedule_.ranks[rank_];
    if (rank.line != 0) refuse(fmt::format("gpu {} is also in line {}", rank_, rank.line));
    rank.line = line_;
    rank.chunks[0] = static_cast<std::uint32_t>(number("i_chunks", 0));
    rank.chunks[1] = static_cast<std::uint32_t>(number("o_chunks", 0));
    rank.chunks[2] = static_cast<std::uint32_t>(number("s_chunks", 0));
    ids_.clear();
    for_each_element(gpu, {"copy", "tb"}, [this](pugi::xml_node child) {
      if (child.name() == std::string_view("tb")) {
        read_block(child);
      } else {
        read_copy(child);
      }
    });
  }

  void read_copy(pugi::xml_node copy) {
    schedule_.ranks[rank_].copies.push_back({line_, static_cast<std::uint32_t>(number("i_off", 0)),
                                             static_cast<std::uint32_t>(number("o_off", 0))});
    for_each_element(copy, {}, [](pugi::xml_node) {});
  }

  void read_block(pugi::xml_node tb) {
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
        refuse(fmt::format("{}: {} is the same gpu; another one is expected", name, peer));
      }
    }
    if (block.id != ids_.size()) schedule_.ids_have_gaps = true;
    if (!ids_.insert(block.id).second) {
      refuse(fmt::format("gpu {} already has a tb {}", rank_, block.id));
    }
    block.first_step = static_cast<std::uint32_t>(schedule_.steps.size());
    schedule_.blocks.push_back(block);
    for_each_element(tb, {"step"}, [this](pugi::xml_node step) { read_step(step); });
  }

  void read_step(pugi::xml_node element) {
    MscclBlock& block = schedule_.blocks.back();
    MscclStep step;
    step.line = line_;
    step.block = static_cast<std::uint32_t>(schedule_.blocks.size() - 1);
    if (number("s", 0) != block.size) {
      refuse(fmt::format("s: {} is out of order; the next step of the tb is {}", text("s"),
                         block.size));
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
      refuse(
          "depid and deps: one is negative and the other is not; either both or neither must be "
          "-1");
    }
    step.is_awaited = flag("hasdep");
    schedule_.steps.push_back(step);
    ++block.size;
    for_each_element(element, {}, [](pugi::xml_node) {});
  }

  std::string_view text_;
  std::string file_;
  /// The place in the text, and its line.
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
  /// The element whose attributes are read.
  pugi::xml_node element_;
  /// Names of its attributes.
  std::vector<std::string_view> names_;
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
  return Reader(text, file).read();
}

}  // namespace gossamer::foreign
