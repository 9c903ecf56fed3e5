// SPDX-License-Identifier: Apache-2.0
/// Reads one JSON or CBOR document that may be damaged or hostile.
///
/// Small parts become a tree; the values of keys named as tables (long arrays of rows of numbers)
/// are read directly into flat storage. Nesting and the size of tree and text are limited during
/// reading. Memory is never reserved on the basis of the file's claims, so a file can cost no more
/// than a small multiple of its own length.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

/// A table of whole numbers whose rows all have the same length.
struct NumberTable {
  std::size_t rows = 0;
  std::size_t row_length = 0;
  std::vector<std::int32_t> values;
};

struct Document {
  /// The tree; a table's place holds null.
  nlohmann::ordered_json root;
  /// Tables by path: the key of the enclosing object, a slash and the table's key.
  std::map<std::string, NumberTable> tables;
  /// The tables inside the elements of the root's array `members`, by element.
  std::vector<std::map<std::string, NumberTable>> member_tables;

  /// An element of that array as a separate document, with its tables.
  [[nodiscard]] Document member(std::size_t element) const;
};
/// The key of that array.
inline constexpr std::string_view kMembersKey = "members";

/// Reads a document; CBOR when it does not start like JSON. `name` is used in messages. Throws
/// InputError.
[[nodiscard]] Document read_document(std::istream& in, std::string_view name,
                                     const std::set<std::string>& table_paths);

/// The fields of one object, each read once; keys that were not read are unknown keys.
class Fields {
 public:
  /// `place` names the object in messages, e.g. "plan.json: program".
  Fields(const nlohmann::ordered_json& value, std::string place);

  [[nodiscard]] const std::string& place() const { return place_; }
  /// Any value; InputError when the key is missing.
  const nlohmann::ordered_json& any(std::string_view key);
  /// True when the key exists.
  [[nodiscard]] bool has(std::string_view key) const;
  /// A whole number in min..max, a range that `Number` can represent.
  template <std::integral Number = std::int64_t>
  Number number(std::string_view key, std::int64_t min, std::int64_t max) {
    return static_cast<Number>(whole(key, min, max));
  }
  /// A number or null.
  std::optional<std::uint64_t> optional_number(std::string_view key, std::uint64_t max);
  std::string string(std::string_view key);
  /// True or false; false when the key is missing.
  bool flag(std::string_view key);
  /// An array; the caller checks each element.
  const nlohmann::ordered_json& array(std::string_view key);
  Fields object(std::string_view key);
  /// InputError when a key was not read.
  void done() const;

 private:
  std::int64_t whole(std::string_view key, std::int64_t min, std::int64_t max);

  const nlohmann::ordered_json* value_;
  std::string place_;
  std::set<std::string, std::less<>> seen_;
};

/// A whole number in min..max, or an InputError that names the place.
[[nodiscard]] std::int64_t checked_number(const nlohmann::ordered_json& value,
                                          const std::string& place, std::int64_t min,
                                          std::int64_t max);
/// Text of a document in quotes for a message: its beginning, with characters other than printable
/// ASCII escaped.
[[nodiscard]] std::string shown(std::string_view text);
/// InputError when `name` is not 1 to 64 printable ASCII characters without blanks: names appear on
/// terminals and in file names.
void check_name(std::string_view name, const std::string& place);
/// A string, or an InputError that names the place.
[[nodiscard]] std::string checked_string(const nlohmann::ordered_json& value,
                                         const std::string& place);

}  // namespace gossamer
