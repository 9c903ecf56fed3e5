// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <regex>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMostNpyElements = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostHeaderBytes = 65535;
/// Bytes that a header's end is aligned to.
constexpr std::size_t kAlignment = 64;

class NpyReader {
 public:
  NpyReader(std::istream& in, std::string_view name) : in_(in), name_(name) {}

  NpyArray read() {
    if (bytes(kMagic.size()) != kMagic) refuse("is not a .npy file");
    const std::uint64_t version = number(2) & 0xffU;
    if (version < 1 || version > 3)
      refuse(fmt::format("has version {}; versions 1 to 3 are supported", version));
    const std::uint64_t size = number(version == 1 ? 2 : 4);
    if (size > kMostHeaderBytes)
      refuse(fmt::format("has a header of {} bytes, which is too long", size));
    NpyArray array = described(bytes(size));
    const std::uint64_t count = array.rows * array.columns;
    array.words.resize(count);
    const std::size_t each = array.bytes();
    std::vector<char> data(each * std::min<std::uint64_t>(count, 1U << 16U));
    for (std::uint64_t done = 0; done < count;) {
      const auto now = std::min<std::uint64_t>(count - done, data.size() / each);
      in_.read(data.data(), static_cast<std::streamsize>(now * each));
      if (static_cast<std::uint64_t>(in_.gcount()) != now * each) {
        refuse(fmt::format("ends after {} of {} elements",
                           done + static_cast<std::uint64_t>(in_.gcount()) / each, count));
      }
      for (std::uint64_t i = 0; i < now; ++i, ++done) {
        // Columns first: the file's order of elements is another one.
        const std::uint64_t at =
            fortran_ ? done % array.rows * array.columns + done / array.rows : done;
        for (std::size_t byte = each; byte-- > 0;) {
          array.words[at] =
              array.words[at] << 8U | static_cast<std::uint8_t>(data[i * each + byte]);
        }
      }
    }
    if (in_.peek() != std::istream::traits_type::eof()) refuse("has data after its last element");
    return array;
  }

 private:
  [[noreturn]] void refuse(std::string_view cause) const {
    throw InputError(fmt::format("{}: {}", name_, cause));
  }
  std::string bytes(std::size_t count) {
    std::string text(count, '\0');
    in_.read(text.data(), static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(in_.gcount()) != count) refuse("ends within its header");
    return text;
  }
  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    const std::string text = bytes(count);
    for (std::size_t i = count; i-- > 0;) value = value << 8U | static_cast<std::uint8_t>(text[i]);
    return value;
  }

  /// The array without its words.
  NpyArray described(const std::string& header) {
    static const std::regex kType("'descr': *'([<>|=])([a-zA-Z])([0-9]+)'");
    static const std::regex kOrder("'fortran_order': *(True|False)");
    static const std::regex kShape("'shape': *\\(([0-9, ]*)\\)");
    std::smatch type;
    std::smatch order;
    std::smatch shape;
    if (!std::regex_search(header, type, kType) || !std::regex_search(header, order, kOrder) ||
        !std::regex_search(header, shape, kShape)) {
      refuse("its header does not describe an array of numbers");
    }
    if (type[1] == ">") refuse("its numbers are big-endian; little-endian is expected");
    NpyArray array;
    array.type = type[2].str() + type[3].str();
    constexpr std::array<std::string_view, 4> kSizes{"1", "2", "4", "8"};
    if (std::find(kSizes.begin(), kSizes.end(), type[3].str()) == kSizes.end()) {
      refuse(fmt::format("its dtype {} is not supported", array.type));
    }
    fortran_ = order[1] == "True";
    std::vector<std::uint64_t> sides;
    const std::string text = shape[1];
    static const std::regex kNumber("[0-9]+");
    for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
      if (at->length() > 10) refuse("its shape is too large");
      sides.push_back(std::stoull(at->str()));
    }
    if (sides.size() != 2) {
      refuse(fmt::format("has {} dimensions; two are expected, nodes and words", sides.size()));
    }
    array.rows = sides[0];
    array.columns = sides[1];
    if (array.columns != 0 && array.rows > kMostNpyElements / array.columns) {
      refuse("its shape is too large");
    }
    return array;
  }

  std::istream& in_;
  std::string_view name_;
  bool fortran_ = false;
};

}  // namespace

NpyArray read_npy(std::istream& in, std::string_view name) { return NpyReader(in, name).read(); }

void write_npy(const std::string& type, const std::vector<std::uint64_t>& words,
               std::ostream& out) {
  const std::size_t each = static_cast<std::size_t>(type.at(1) - '0');
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({},), }}",
                                   each == 1 ? '|' : '<', type, words.size());
  const std::size_t before = kMagic.size() + 4;
  header.append(kAlignment - (before + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  const auto number = [&out](std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out.put(static_cast<char>(value >> (8 * i) & 0xffU));
  };
  out << kMagic;
  number(1, 2);
  number(header.size(), 2);
  out << header;
  for (const std::uint64_t word : words) number(word, each);
}

}  // namespace gossamer
