// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/document_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <optional>

#include "gossamer/util/error.hpp"
#include "gossamer/util/printable.hpp"

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

/// The deepest nesting that any of our documents has, with room.
constexpr std::size_t kMaxDepth = 16;
/// The most values outside tables; a dictionary of 65536 port programs stays below.
constexpr std::size_t kMaxTreeValues = std::size_t{1} << 22;
/// The most members of an object; ours have some twenty, and a key is compared with all before it.
constexpr std::size_t kMaxMembers = 256;
/// The most bytes of text in keys and strings.
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 26;

/// The part of `text` after `mark`; empty without it.
std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

/// The JSON library's error, "[..] parse error at line 3, column 7: syntax error while parsing
/// object separator - unexpected number literal; expected ':'", as "line 3, column 7: a colon is
/// expected, not a number". Errors of CBOR have a byte and a cause.
std::string in_plain_words(std::string_view error, std::size_t byte) {
  const std::string_view at = behind(error, "parse error at ");
  const std::string_view detail = behind(error, " - ");
  if (!at.starts_with("line") || detail.empty()) {
    const std::size_t cause = error.rfind(": ");
    return fmt::format(
        "byte {}: {}", byte,
        printable(std::string(cause == std::string_view::npos ? error : error.substr(cause + 2))));
  }
  const std::string_view place = at.substr(0, at.find(": "));
  if (const std::string_view read = behind(detail, "; last read: '"); !read.empty()) {
    const std::string_view cause = detail.substr(0, detail.find("; last read"));
    const std::string text = shown(read.substr(0, read.size() - 1));
    if (cause == "invalid literal") return fmt::format("{}: {} is no JSON value", place, text);
    return fmt::format("{}: {} in {}", place, cause, text);
  }
  std::string_view wanted = behind(detail, "; expected ");
  if (wanted.starts_with("string literal")) wanted = "a key in quotes";
  if (wanted == "':'") wanted = "a colon";
  if (wanted == "']'" || wanted == "'}'")
    wanted = wanted == "']'" ? "a comma or ]" : "a comma or }";
  if (wanted.empty() || wanted.starts_with("'['")) wanted = "a value";
  if (wanted == "end of input") wanted = "the end of the file";
  std::string_view found = behind(detail, "unexpected ");
  found = found.substr(0, found.find("; "));
  if (found == "end of input")
    return fmt::format("{}: {} is expected, the file ends", place, wanted);
  if (found.ends_with(" literal")) found.remove_suffix(std::string_view(" literal").size());
  return fmt::format("{}: {} is expected, not {}{}", place, wanted,
                     found.starts_with('\'') ? "" : "a ", found);
}

class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view name, const std::set<std::string>& table_paths)
      : name_(name), table_paths_(&table_paths) {}

  bool null() override { return add(json(nullptr)); }
  bool boolean(bool value) override { return add(json(value)); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(fmt::format("{} is out of range", value));
    }
    return number(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    fail(fmt::format("{} is not a whole number", text.empty() ? "a fraction" : text));
  }
  bool string(string_t& text) override {
    check_text(text);
    return add(json(std::move(text)));
  }
  bool binary(binary_t&) override { fail("byte strings are not allowed here"); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    if (table_ != nullptr) {
      if (table_depth_ == 2) fail("a table row holds numbers only");
      table_depth_ = 2;
      row_begin_ = table_->values.size();
      return true;
    }
    if (const std::string path = this->path(); table_paths_->contains(path)) {
      table_ = &tables()[path];
      table_depth_ = 1;
      return add(json(nullptr), true);
    }
    return open(json::array());
  }
  bool end_array() override {
    if (table_ == nullptr) return close();
    if (--table_depth_ == 1) {
      const std::size_t length = table_->values.size() - row_begin_;
      if (table_->rows == 0) table_->row_length = length;
      if (length != table_->row_length) {
        fail(fmt::format("row {} has {} entries, row 0 has {}", table_->rows, length,
                         table_->row_length));
      }
      ++table_->rows;
    } else {
      table_ = nullptr;
    }
    return true;
  }
  bool key(string_t& name) override {
    check_text(name);
    key_ = std::move(name);
    if (open_.back()->contains(key_)) fail("the key occurs twice");
    if (open_.back()->size() == kMaxMembers) fail("too many members for a plan");
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InputError(fmt::format("{}: {}", name_, in_plain_words(error.what(), position)));
  }

  Document take() { return std::move(document_); }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    std::string place;
    if (!key_.empty()) place = fmt::format(" near {}", shown(key_));
    throw InputError(fmt::format("{}:{} {}", name_, place, cause));
  }
  void check_text(const std::string& text) {
    text_bytes_ += text.size();
    if (text_bytes_ > kMaxTextBytes) fail("too much text for a plan");
    // The library checks the strings of JSON when it reads them, those of CBOR when it writes them.
    try {
      static_cast<void>(json(text).dump());
    } catch (const json::type_error&) {
      fail("a text is not valid UTF-8");
    }
  }
  bool number(std::int64_t value) {
    if (table_ == nullptr) return add(json(value));
    if (table_depth_ != 2) fail("a table is an array of rows");
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max()) {
      fail(fmt::format("row {}: {} is out of range", table_->rows, value));
    }
    table_->values.push_back(static_cast<std::int32_t>(value));
    return true;
  }
  json* place_value(json value) {
    if (++tree_values_ > kMaxTreeValues) fail("too many values for a plan");
    if (open_.empty()) {
      document_.root = std::move(value);
      return &document_.root;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  /// The path of a member of the innermost object; empty elsewhere.
  [[nodiscard]] std::string path() const {
    if (open_.empty() || !open_.back()->is_object()) return {};
    return fmt::format("{}/{}", names_.back(), key_);
  }
  /// Those of the innermost member, or of the whole document outside of them.
  [[nodiscard]] std::map<std::string, NumberTable>& tables() {
    if (open_.size() < 3 || names_[1] != kMembersKey || !open_[1]->is_array()) {
      return document_.tables;
    }
    document_.member_tables.resize(open_[1]->size());
    return document_.member_tables.back();
  }
  bool add(json value, bool table_place = false) {
    if (table_ != nullptr && !table_place) fail("a table holds rows of numbers only");
    place_value(std::move(value));
    return true;
  }
  bool open(json value) {
    if (table_ != nullptr) fail("a table holds rows of numbers only");
    if (open_.size() == kMaxDepth) fail(fmt::format("nested more than {} deep", kMaxDepth));
    open_.push_back(place_value(std::move(value)));
    names_.push_back(key_);
    return true;
  }
  bool close() {
    open_.pop_back();
    names_.pop_back();
    return true;
  }

  std::string name_;
  const std::set<std::string>* table_paths_;
  Document document_;
  /// Open objects and arrays; pointers stay valid since only the innermost one grows.
  std::vector<json*> open_;
  /// The keys of the enclosing objects.
  std::vector<std::string> names_;
  std::string key_;
  NumberTable* table_ = nullptr;
  int table_depth_ = 0;
  std::size_t row_begin_ = 0;
  std::size_t tree_values_ = 0;
  std::size_t text_bytes_ = 0;
};

/// A plan is a map: CBOR's major types 4 to 6 start with 0x80..0xDF, which no JSON text does.
bool starts_like_cbor(std::istream& in) {
  const int first = in.peek();
  return first >= 0x80 && first <= 0xDF;
}

}  // namespace

Document Document::member(std::size_t element) const {
  Document document;
  document.root = root.at(kMembersKey).at(element);
  if (element < member_tables.size()) document.tables = member_tables[element];
  return document;
}

Document read_document(std::istream& in, std::string_view name,
                       const std::set<std::string>& table_paths) {
  TreeBuilder builder(name, table_paths);
  const auto format =
      starts_like_cbor(in) ? json::input_format_t::cbor : json::input_format_t::json;
  json::sax_parse(in, &builder, format);
  return builder.take();
}

Fields::Fields(const json& value, std::string place) : value_(&value), place_(std::move(place)) {
  if (!value.is_object()) throw InputError(fmt::format("{}: an object is expected", place_));
}

bool Fields::has(std::string_view key) const { return value_->contains(key); }

const json& Fields::any(std::string_view key) {
  const auto found = value_->find(key);
  if (found == value_->end()) throw InputError(fmt::format("{}: \"{}\" is missing", place_, key));
  seen_.emplace(key);
  return *found;
}

std::int64_t Fields::whole(std::string_view key, std::int64_t min, std::int64_t max) {
  return checked_number(any(key), fmt::format("{}: {}", place_, key), min, max);
}

std::optional<std::uint64_t> Fields::optional_number(std::string_view key, std::uint64_t max) {
  const json& value = any(key);
  if (value.is_null()) return std::nullopt;
  return static_cast<std::uint64_t>(
      checked_number(value, fmt::format("{}: {}", place_, key), 0, static_cast<std::int64_t>(max)));
}

std::string Fields::string(std::string_view key) {
  return checked_string(any(key), fmt::format("{}: {}", place_, key));
}

bool Fields::flag(std::string_view key) {
  if (!has(key)) return false;
  const json& value = any(key);
  if (!value.is_boolean()) {
    throw InputError(fmt::format("{}: {}: true or false is expected", place_, key));
  }
  return value.get<bool>();
}

const json& Fields::array(std::string_view key) {
  const json& value = any(key);
  if (!value.is_array()) {
    throw InputError(fmt::format("{}: {}: an array is expected", place_, key));
  }
  return value;
}

Fields Fields::object(std::string_view key) {
  return {any(key), fmt::format("{}: {}", place_, key)};
}

void Fields::done() const {
  for (const auto& [key, value] : value_->items()) {
    if (seen_.find(key) == seen_.end()) {
      throw InputError(fmt::format("{}: unknown key {}", place_, shown(key)));
    }
  }
}

std::int64_t checked_number(const json& value, const std::string& place, std::int64_t min,
                            std::int64_t max) {
  if (!value.is_number_integer()) {
    throw InputError(fmt::format("{}: a whole number is expected", place));
  }
  const auto number = value.get<std::int64_t>();
  if (number < min || number > max) {
    throw InputError(fmt::format("{}: {} is outside {}..{}", place, number, min, max));
  }
  return number;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMostShown = 40;
  return json(text.substr(0, kMostShown)).dump(-1, ' ', true, json::error_handler_t::replace);
}

void check_name(std::string_view name, const std::string& place) {
  constexpr std::size_t kMostCharacters = 64;
  const bool printable =
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (printable && !name.empty() && name.size() <= kMostCharacters) return;
  throw InputError(fmt::format("{}: {} is not a name of 1 to {} printable characters", place,
                               shown(name), kMostCharacters));
}

std::string checked_string(const json& value, const std::string& place) {
  if (!value.is_string()) throw InputError(fmt::format("{}: a string is expected", place));
  return value.get<std::string>();
}

}  // namespace gossamer
