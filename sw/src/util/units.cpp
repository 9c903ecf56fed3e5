// SPDX-License-Identifier: Apache-2.0
#include "gossamer/util/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};
constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t kKibi = 1024;
constexpr std::array kByteUnits{Unit{"", 1},
                                Unit{"B", 1},
                                Unit{"kB", kKilo},
                                Unit{"MB", kKilo* kKilo},
                                Unit{"GB", kKilo* kKilo* kKilo},
                                Unit{"KiB", kKibi},
                                Unit{"MiB", kKibi* kKibi},
                                Unit{"GiB", kKibi* kKibi* kKibi}};
constexpr std::array kHertzUnits{Unit{"", 1}, Unit{"Hz", 1}, Unit{"kHz", kKilo},
                                 Unit{"MHz", kKilo* kKilo}, Unit{"GHz", kKilo* kKilo* kKilo}};
constexpr std::array kTimeUnits{Unit{"ps", 1}, Unit{"ns", kKilo}, Unit{"us", kKilo* kKilo},
                                Unit{"ms", kKilo* kKilo* kKilo},
                                Unit{"s", kKilo* kKilo* kKilo* kKilo}};

/// Equal except for the case of the first letter: KHz and kHz, Kib and KiB are unambiguous; bits
/// (b) and bytes (B) are distinguished.
bool same_unit(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool first = i == 0 && a.size() > 1;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (first ? lower(a[i]) != lower(b[i]) : a[i] != b[i]) return false;
  }
  return true;
}

/// A decimal number times a unit, exactly; whole and at least 1.
std::uint64_t parse(std::string_view what, std::string_view text, std::span<const Unit> units,
                    std::string_view example) {
  const auto refuse = [&](std::string_view why) {
    throw InputError(fmt::format("{}: \"{}\" {}, such as {}", what, text, why, example));
  };
  std::string_view rest = text;
  std::uint64_t digits = 0;
  std::uint64_t scale = 1;  // behind the point
  bool point = false;
  bool any = false;
  constexpr std::uint64_t kRoom = std::numeric_limits<std::uint64_t>::max() / 10 - 10;
  while (!rest.empty() &&
         ((rest.front() >= '0' && rest.front() <= '9') || (rest.front() == '.' && !point))) {
    if (rest.front() == '.') {
      point = true;
    } else {
      if (digits > kRoom || scale > kRoom) refuse("is too long; a number and a unit are expected");
      digits = digits * 10 + static_cast<std::uint64_t>(rest.front() - '0');
      if (point) scale *= 10;
      any = true;
    }
    rest.remove_prefix(1);
  }
  if (!any) refuse("is not a number and a unit");
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  for (const Unit& unit : units) {
    if (!same_unit(rest, unit.name)) continue;
    // digits * unit / scale, exactly: common factors are cancelled first.
    std::uint64_t size = unit.size;
    while (scale % 10 == 0 && scale > 1 && size % 10 == 0) {
      scale /= 10;
      size /= 10;
    }
    while (scale > 1 && scale % 2 == 0 && size % 2 == 0) {
      scale /= 2;
      size /= 2;
    }
    if (digits > std::numeric_limits<std::uint64_t>::max() / size) refuse("is too large");
    const std::uint64_t product = digits * size;
    if (product % scale != 0) refuse("is not a whole number");
    if (product == 0) refuse("is 0; at least 1 is expected");
    return product / scale;
  }
  refuse("has an unknown unit");
  return 0;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view what, std::string_view text) {
  return parse(what, text, kByteUnits, "64KiB or 4096");
}

std::uint64_t parse_hertz(std::string_view what, std::string_view text) {
  return parse(what, text, kHertzUnits, "1GHz or 800MHz");
}

std::uint64_t parse_picoseconds(std::string_view what, std::string_view text) {
  return parse(what, text, kTimeUnits, "12.5us or 800ns");
}

std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 10> kPrefixes{"f", "p", "n", "u", "m",
                                                       "",  "k", "M", "G", "T"};
  if (value == 0) return fmt::format("0 {}", unit);
  int prefix = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3.0));
  prefix = std::min(std::max(prefix, -5), 4);
  const double scaled = value / std::pow(10.0, 3 * prefix);
  return fmt::format("{:.4g} {}{}", scaled, kPrefixes.begin()[prefix + 5], unit);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kPrefixes{"B", "KiB", "MiB", "GiB"};
  std::size_t prefix = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && prefix + 1 < kPrefixes.size()) {
    value /= 1024;
    ++prefix;
  }
  return fmt::format("{:g} {}", value, kPrefixes[prefix]);
}

}  // namespace gossamer
