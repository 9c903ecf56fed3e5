// SPDX-License-Identifier: Apache-2.0
/// Input files: every reader of the program opens them here.
#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <limits>
#include <string>

namespace gossamer {

/// A file, or standard input for "-", without the leading byte order mark of editors on Windows.
class InputFile {
 public:
  /// Throws InputError for a directory, for a file that cannot be opened (with the text `refusal`
  /// if given), and when standard input has already been read.
  explicit InputFile(const std::string& path, const std::string& refusal = {});
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] std::istream& stream() { return *stream_; }
  /// The path, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The whole text. Throws InputError when it has more than `most` bytes or cannot be read.
  [[nodiscard]] std::string text(std::size_t most = std::numeric_limits<std::size_t>::max());

 private:
  std::string name_;
  std::ifstream file_;
  std::istream* stream_;
};

}  // namespace gossamer
