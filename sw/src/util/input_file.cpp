// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/input_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "gossamer/util/error.hpp"

namespace gossamer {

InputFile::InputFile(const std::string& path, const std::string& refusal)
    : name_(path == "-" ? "standard input" : path), stream_(&file_) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (path == "-") {
    stream_ = &std::cin;
    if (!std::cin.good()) throw InputError("standard input: can be read only once");
  } else {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      throw InputError(fmt::format("{}: is a directory", name_));
    }
    file_.open(path, std::ios::binary);
    if (!file_) {
      throw InputError(refusal.empty() ? fmt::format("{}: cannot be opened for reading", name_)
                                       : refusal);
    }
  }
  // No format begins with another character of this first byte, so no character needs to be put
  // back.
  for (const char c : kByteOrderMark) {
    if (stream_->peek() != std::char_traits<char>::to_int_type(c)) break;
    stream_->get();
  }
  // peek() of an empty file reaches its end; readers begin with a clean stream.
  stream_->clear();
}

std::string InputFile::text(std::size_t most) {
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (*stream_) {
    stream_->read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream_->gcount()));
    if (text.size() > most) {
      throw InputError(fmt::format("{}: has more than {} bytes", name_, most));
    }
  }
  if (stream_->bad()) throw InputError(fmt::format("{}: cannot be read", name_));
  return text;
}

}  // namespace gossamer
