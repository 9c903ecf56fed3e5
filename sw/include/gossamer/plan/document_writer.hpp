// SPDX-License-Identifier: Apache-2.0
/// Writes one document, value by value, as JSON or CBOR, without holding it in memory.
///
/// nlohmann::ordered_json would hold the whole tree in memory, at least 16 bytes per table entry; a
/// plan of 10^6 nodes has millions of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

class DocumentWriter {
 public:
  DocumentWriter() = default;
  DocumentWriter(const DocumentWriter&) = delete;
  DocumentWriter& operator=(const DocumentWriter&) = delete;
  virtual ~DocumentWriter() = default;

  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void key(std::string_view name) = 0;
  virtual void string(std::string_view text) = 0;
  virtual void number(std::int64_t value) = 0;
  virtual void boolean(bool value) = 0;
  virtual void null() = 0;
  /// One inner array of a table of numbers.
  virtual void row(std::span<const std::int32_t> values) = 0;
  /// Flushes the document to the stream.
  virtual void finish() = 0;

  /// A row of integers that fit in 32 bits.
  void list(const std::ranges::range auto& values) {
    row(std::vector<std::int32_t>(std::ranges::begin(values), std::ranges::end(values)));
  }

  // The same as members of the open object.
  void begin_object(std::string_view name) { member(name).begin_object(); }
  void begin_array(std::string_view name) { member(name).begin_array(); }
  void string(std::string_view name, std::string_view text) { member(name).string(text); }
  void boolean(std::string_view name, bool value) { member(name).boolean(value); }
  void number(std::string_view name, std::integral auto value) {
    member(name).number(static_cast<std::int64_t>(value));
  }
  void optional_number(std::string_view name, std::optional<std::uint64_t> value) {
    if (value) return number(name, *value);
    member(name).null();
  }
  void list(std::string_view name, const std::ranges::range auto& values) {
    member(name).list(values);
  }

 private:
  DocumentWriter& member(std::string_view name) {
    key(name);
    return *this;
  }
};

/// JSON: objects and arrays of objects with one value per line, rows of numbers with one row per
/// line.
[[nodiscard]] std::unique_ptr<DocumentWriter> make_json_writer(std::ostream& out);
/// CBOR (RFC 8949): maps and arrays of indefinite length, rows of definite length.
[[nodiscard]] std::unique_ptr<DocumentWriter> make_cbor_writer(std::ostream& out);

}  // namespace gossamer
