// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/document_writer.hpp"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <vector>
#include "gossamer/util/json_text.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

/// Collects bytes and hands them on in large pieces.
class Buffer {
 public:
  explicit Buffer(std::ostream& out) : out_(&out) {}
  [[nodiscard]] std::string& text() { return text_; }
  void pass_on() {
    if (text_.size() >= kBufferBytes) flush();
  }
  void flush() {
    out_->write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  std::ostream* out_;
  std::string text_;
};

class JsonWriter final : public DocumentWriter {
 public:
  explicit JsonWriter(std::ostream& out) : buffer_(out) {}

  void begin_object() override { open('{'); }
  void end_object() override { close('}'); }
  void begin_array() override { open('['); }
  void end_array() override { close(']'); }
  void key(std::string_view name) override {
    separate();
    buffer_.text() += dump_json(nlohmann::ordered_json(name));
    buffer_.text() += ": ";
    after_key_ = true;
  }
  void string(std::string_view text) override { value(dump_json(nlohmann::ordered_json(text))); }
  void number(std::int64_t value_) override { value(fmt::format_int(value_).c_str()); }
  void boolean(bool value_) override { value(value_ ? "true" : "false"); }
  void null() override { value("null"); }
  void row(std::span<const std::int32_t> values) override {
    separate();
    std::string& text = buffer_.text();
    text += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) text += ',';
      const fmt::format_int digits(values[i]);
      text.append(digits.data(), digits.size());
    }
    text += ']';
    buffer_.pass_on();
  }
  void finish() override {
    buffer_.text() += '\n';
    buffer_.flush();
  }

 private:
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (empty_.empty()) return;
    if (!empty_.back()) buffer_.text() += ',';
    empty_.back() = false;
    buffer_.text() += '\n';
    buffer_.text().append(2 * empty_.size(), ' ');
  }
  void value(std::string_view text) {
    separate();
    buffer_.text() += text;
    buffer_.pass_on();
  }
  void open(char bracket) {
    separate();
    buffer_.text() += bracket;
    empty_.push_back(true);
  }
  void close(char bracket) {
    const bool empty = empty_.back();
    empty_.pop_back();
    if (!empty) {
      buffer_.text() += '\n';
      buffer_.text().append(2 * empty_.size(), ' ');
    }
    buffer_.text() += bracket;
  }

  Buffer buffer_;
  /// For each open bracket: whether it is still empty.
  std::vector<bool> empty_;
  bool after_key_ = false;
};

class CborWriter final : public DocumentWriter {
 public:
  explicit CborWriter(std::ostream& out) : buffer_(out) {}

  void begin_object() override { byte(0xBF); }
  void end_object() override { byte(0xFF); }
  void begin_array() override { byte(0x9F); }
  void end_array() override { byte(0xFF); }
  void key(std::string_view name) override { string(name); }
  void string(std::string_view text) override {
    head(kText, text.size());
    buffer_.text() += text;
    buffer_.pass_on();
  }
  void number(std::int64_t value) override {
    if (value >= 0) {
      head(kUnsigned, static_cast<std::uint64_t>(value));
    } else {
      head(kNegative, static_cast<std::uint64_t>(-(value + 1)));
    }
  }
  void boolean(bool value) override { byte(value ? 0xF5 : 0xF4); }
  void null() override { byte(0xF6); }
  void row(std::span<const std::int32_t> values) override {
    head(kArray, values.size());
    for (const std::int32_t value : values) number(value);
    buffer_.pass_on();
  }
  void finish() override { buffer_.flush(); }

 private:
  static constexpr std::uint8_t kUnsigned = 0;
  static constexpr std::uint8_t kNegative = 1;
  static constexpr std::uint8_t kText = 3;
  static constexpr std::uint8_t kArray = 4;

  void byte(unsigned value) { buffer_.text() += static_cast<char>(value); }
  /// Major type and argument in the shortest form.
  void head(std::uint8_t major, std::uint64_t argument) {
    const unsigned type = static_cast<unsigned>(major) << 5U;
    if (argument < 24) {
      byte(type | static_cast<unsigned>(argument));
      return;
    }
    const int bytes = argument <= 0xFF         ? 1
                      : argument <= 0xFFFF     ? 2
                      : argument <= 0xFFFFFFFF ? 4
                                               : 8;
    byte(type | (bytes == 1 ? 24U : bytes == 2 ? 25U : bytes == 4 ? 26U : 27U));
    for (int i = bytes - 1; i >= 0; --i) byte(static_cast<unsigned>(argument >> (8 * i)) & 0xFFU);
  }

  Buffer buffer_;
};

}  // namespace

std::unique_ptr<DocumentWriter> make_json_writer(std::ostream& out) {
  return std::make_unique<JsonWriter>(out);
}
std::unique_ptr<DocumentWriter> make_cbor_writer(std::ostream& out) {
  return std::make_unique<CborWriter>(out);
}

}  // namespace gossamer
