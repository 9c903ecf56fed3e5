// SPDX-License-Identifier: Apache-2.0
/// Arrays of NumPy's file format (.npy, versions 1 to 3): numbers of one or two dimensions in the
/// byte order of this machine, little-endian.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

struct NpyArray {
  /// NumPy's type without the byte order: "f4", "u2", "V2", ...
  std::string type;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  /// Elements row by row, each in the low bits of its word.
  std::vector<std::uint64_t> words;

  /// Bytes of an element; the type's last digit.
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(type.at(1) - '0'); }
};

/// Reads an array of two dimensions. Throws InputError, beginning with `name`, for another file,
/// for elements that are not numbers of 1, 2, 4 or 8 bytes, and for a truncated file.
[[nodiscard]] NpyArray read_npy(std::istream& in, std::string_view name);
/// Writes the words as an array of one dimension.
void write_npy(const std::string& type, const std::vector<std::uint64_t>& words, std::ostream& out);

}  // namespace gossamer
