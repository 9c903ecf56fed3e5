// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "gossamer/foreign/teccl.hpp"
#include "gossamer/util/error.hpp"
#include "shown.hpp"

namespace gossamer::foreign {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxDigits = 9;

/// Keys for people: results of the solver other than the schedule.
constexpr std::array<std::string_view, 6> kMeasurements{"epoch duration",
                                                        "expected epoch duration",
                                                        "collective finish time",
                                                        "algo bandwidth",
                                                        "demand met",
                                                        "solver time"};

/// Hands out the text and counts the lines that it has handed out.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, std::uint32_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  LineCounter operator++(int) {
    LineCounter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::uint32_t* line_;
};

/// Reads the sentences of the format word by word, single blanks between them.
class Sentence {
 public:
  explicit Sentence(std::string_view text) : rest_(text) {}

  /// Consumes `words` if they are next.
  bool take(std::string_view words) {
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }
  std::optional<std::uint32_t> number() {
    const std::size_t size = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (size == 0 || size > kMaxDigits) return std::nullopt;
    std::uint32_t value = 0;
    std::from_chars(rest_.data(), rest_.data() + size, value);
    rest_.remove_prefix(size);
    return value;
  }
  std::optional<double> decimal() {
    const std::size_t size = std::min(rest_.find(' '), rest_.size());
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + size, value);
    if (error != std::errc() || end != rest_.data() + size || !(value >= 0)) return std::nullopt;
    rest_.remove_prefix(size);
    return value;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// HOP; empty when the text is not a hop.
std::optional<TecclHop> read_hop(Sentence& text, std::uint32_t line) {
  TecclHop hop;
  hop.line = line;
  const auto from = text.number();
  if (!from || !(text.take("->") || text.take(" -> "))) return std::nullopt;
  const auto to = text.number();
  if (!to) return std::nullopt;
  if (text.take(" with volume ")) {
    hop.volume = text.decimal();
    if (!hop.volume) return std::nullopt;
  }
  if (!text.take(" in epoch ")) return std::nullopt;
  const auto epoch = text.number();
  if (!epoch) return std::nullopt;
  hop.from = *from;
  hop.to = *to;
  hop.epoch = *epoch;
  if (text.take(" via switches ")) {
    do {
      const auto node = text.number();
      if (!node) return std::nullopt;
      hop.switches.push_back(*node);
    } while (text.take("->") || text.take(" -> "));
  }
  if (!text.done()) return std::nullopt;
  return hop;
}

/// A key without leading number and dash, in lower case, `_` as blank.
std::string plain_key(std::string_view key) {
  const std::size_t digits = std::min(key.find_first_not_of("0123456789"), key.size());
  key.remove_prefix(digits);
  if (digits != 0 && key.starts_with('-')) key.remove_prefix(1);
  std::string plain(key);
  for (char& c : plain) {
    if (c == '_') c = ' ';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return plain;
}

/// The document's events, by their depth: 1 inside the object, 2 inside the value of one of its
/// keys, and so on.
class Handler final : public nlohmann::json_sax<json> {
 public:
  Handler(std::string file, const std::uint32_t& line) : file_(std::move(file)), line_(line) {}

  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool number_integer(number_integer_t value) override { return whole(value); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr number_unsigned_t kMost = 999999999;
    return whole(value > kMost ? -1 : static_cast<number_integer_t>(value));
  }
  bool number_float(number_float_t, const string_t&) override { return scalar(); }
  bool binary(binary_t&) override { return scalar(); }

  bool string(string_t& text) override {
    if (section_ == Section::kFlows && depth() == 2) {
      add_flow(text);
    } else if (section_ == Section::kPaths && depth() == 3) {
      add_hop(text, /*in_list=*/false);
    } else if (section_ == Section::kPaths && depth() == 5 && pair_ == 1) {
      add_hop(text, /*in_list=*/true);
      pair_ = 2;
    } else {
      return scalar();
    }
    return true;
  }

  bool start_object(std::size_t) override {
    const bool fits = depth() == 0 || section_ == Section::kOther ||
                      (section_ == Section::kPaths && depth() == 1);
    if (!fits) refuse("an object is not allowed here");
    open(true);
    return true;
  }
  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second)
      refuse(fmt::format("the key \"{}\" occurs twice", shown(key)));
    if (depth() == 1) {
      const std::string plain = plain_key(key);
      section_ = plain == "flows"             ? Section::kFlows
                 : plain == "chunk paths"     ? Section::kPaths
                 : plain == "epochs required" ? Section::kEpochs
                                              : Section::kOther;
      if (section_ != Section::kOther && !known_.insert(plain).second) {
        refuse(fmt::format("the key \"{}\" occurs twice", plain));
      }
      if (section_ == Section::kEpochs) schedule_.epochs_line = line_;
      if (section_ == Section::kOther &&
          std::find(kMeasurements.begin(), kMeasurements.end(), plain) == kMeasurements.end()) {
        schedule_.unused.insert(fmt::format("the key {}", shown(key)));
      }
    } else if (section_ == Section::kPaths) {
      add_demand(key);
    }
    return true;
  }
  bool end_object() override {
    close();
    return true;
  }
  bool start_array(std::size_t) override {
    const bool in_paths = section_ == Section::kPaths && depth() >= 2 && depth() <= 4;
    const bool fits =
        section_ == Section::kOther || in_paths || (section_ == Section::kFlows && depth() == 1);
    if (depth() == 0 || !fits) refuse("a list is not allowed here");
    if (in_paths && depth() == 3) {
      if (listed_ == Listed::kHops) refuse("hops and lists of hops are mixed");
      listed_ = Listed::kPaths;
      schedule_.demands.back().paths.emplace_back();
    }
    if (in_paths && depth() == 4) pair_ = 0;
    open(false);
    return true;
  }
  bool end_array() override {
    if (section_ == Section::kPaths && depth() == 5 && pair_ != 2) {
      refuse("a pair [epoch, hop] is expected");
    }
    close();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    // The library's text without its own id and position.
    std::string cause = error.what();
    const std::size_t at = cause.find(": ");
    if (at != std::string::npos) cause.erase(0, at + 2);
    refuse(fmt::format("not well-formed JSON: {}", shown(cause)));
  }

  [[nodiscard]] TecclSchedule finish() {
    for (const std::string_view needed : {"epochs required", "flows"}) {
      if (known_.count(std::string(needed)) == 0) refuse(fmt::format("no key \"{}\"", needed));
    }
    return std::move(schedule_);
  }

 private:
  enum class Section { kOther, kFlows, kPaths, kEpochs };
  enum class Listed { kNothing, kHops, kPaths };

  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, cause));
  }
  [[nodiscard]] std::size_t depth() const { return keys_.size(); }
  void open(bool) {
    if (depth() == kMaxDepth) refuse(fmt::format("more than {} levels of nesting", kMaxDepth));
    keys_.emplace_back();
  }
  void close() {
    keys_.pop_back();
    if (depth() == 1) section_ = Section::kOther;
  }

  /// A value that only an ignored key may have.
  bool scalar() const {
    if (depth() == 0) refuse("an object is expected");
    if (section_ == Section::kEpochs)
      refuse("epochs required: a whole number of at least 1 is expected");
    if (section_ != Section::kOther) refuse("a sentence of the format is expected");
    return true;
  }

  bool whole(number_integer_t value) {
    constexpr number_integer_t kMost = 999999999;
    const bool small = value >= 0 && value <= kMost;
    if (section_ == Section::kEpochs && depth() == 1) {
      if (!small || value == 0) refuse("epochs required: a whole number of at least 1 is expected");
      schedule_.epochs = static_cast<std::uint32_t>(value);
      return true;
    }
    if (section_ == Section::kPaths && depth() == 5 && pair_ == 0) {
      if (!small) refuse("an epoch is expected");
      pair_epoch_ = static_cast<std::uint32_t>(value);
      pair_ = 1;
      return true;
    }
    return scalar();
  }

  void add_flow(std::string_view text) {
    Sentence sentence(text);
    TecclFlow flow;
    const auto is_flow = [&] {
      if (!sentence.take("Chunk ")) return false;
      const auto chunk = sentence.number();
      if (!chunk || !sentence.take(" from ")) return false;
      const auto source = sentence.number();
      if (!source || !sentence.take(" traveled over ")) return false;
      auto hop = read_hop(sentence, line_);
      if (!hop) return false;
      flow = {*chunk, *source, std::move(*hop)};
      return true;
    };
    if (!is_flow()) {
      refuse(
          fmt::format(R"("{}" is not of the form "Chunk C from S traveled over U->V in epoch E")",
                      shown(text)));
    }
    if (!schedule_.flows.empty() &&
        flow.hop.volume.has_value() != schedule_.flows.front().hop.volume.has_value()) {
      refuse("some flows have a volume and some have none");
    }
    schedule_.flows.push_back(std::move(flow));
  }

  void add_demand(std::string_view text) {
    Sentence sentence(text);
    TecclDemand demand;
    demand.line = line_;
    const auto is_demand = [&] {
      if (!sentence.take("Demand at ")) return false;
      const auto node = sentence.number();
      if (!node || !sentence.take(" for chunk ")) return false;
      const auto chunk = sentence.number();
      if (!chunk || !sentence.take(" from ")) return false;
      const auto source = sentence.number();
      if (!source || !sentence.take(" met by epoch ")) return false;
      const auto epoch = sentence.number();
      if (!epoch || !sentence.done()) return false;
      demand.node = *node;
      demand.chunk = *chunk;
      demand.source = *source;
      demand.epoch = *epoch;
      return true;
    };
    if (!is_demand()) {
      refuse(
          fmt::format(R"("{}" is not of the form "Demand at D for chunk C from S met by epoch E")",
                      shown(text)));
    }
    schedule_.demands.push_back(std::move(demand));
    listed_ = Listed::kNothing;
  }

  void add_hop(std::string_view text, bool in_list) {
    Sentence sentence(text);
    auto hop = read_hop(sentence, line_);
    if (!hop) refuse(fmt::format(R"("{}" is not of the form "U->V in epoch E")", shown(text)));
    auto& paths = schedule_.demands.back().paths;
    if (in_list) {
      if (hop->epoch != pair_epoch_) {
        refuse(fmt::format("epoch {} of a pair differs from epoch {} of its hop", pair_epoch_,
                           hop->epoch));
      }
    } else {
      if (listed_ == Listed::kPaths) refuse("hops and lists of hops are mixed");
      if (listed_ == Listed::kNothing) paths.emplace_back();
      listed_ = Listed::kHops;
    }
    paths.back().push_back(std::move(*hop));
  }

  std::string file_;
  const std::uint32_t& line_;
  TecclSchedule schedule_;
  /// The keys of every open object; an open list has none.
  std::vector<std::unordered_set<std::string>> keys_;
  /// Keys of the document that mean something.
  std::unordered_set<std::string> known_;
  Section section_ = Section::kOther;
  Listed listed_ = Listed::kNothing;
  /// Entries of the present pair [epoch, hop].
  int pair_ = 0;
  std::uint32_t pair_epoch_ = 0;
};

}  // namespace

TecclSchedule read_teccl(std::string_view text, const std::string& file) {
  std::uint32_t line = 1;
  Handler handler(file, line);
  json::sax_parse(LineCounter(text.data(), &line), LineCounter(text.data() + text.size(), &line),
                  &handler);
  return handler.finish();
}

}  // namespace gossamer::foreign
