// SPDX-License-Identifier: Apache-2.0
/// Bytes, hertz and times in input notation, and times and rates in readable form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gossamer {

/// "65536", "64KiB", "64 kB", "1MiB": a whole number of bytes, at least 1. The units are B, kB, MB,
/// GB (powers of 1000) and KiB, MiB, GiB (powers of 1024), in any letter case except for the b.
/// `what` names the place in an InputError.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view what, std::string_view text);

/// "1GHz", "800 MHz", "1.25GHz", "1000000000": a whole number of hertz, at least 1. The units are
/// Hz, kHz, MHz, GHz.
[[nodiscard]] std::uint64_t parse_hertz(std::string_view what, std::string_view text);

/// "12.5us", "3 ms", "800ns": a time as a whole number of picoseconds, at least 1. The units are
/// ps, ns, us, ms, s; there is no default.
[[nodiscard]] std::uint64_t parse_picoseconds(std::string_view what, std::string_view text);

/// "64.5 us": four significant digits with the suitable prefix; unit as given ("s", "B/s").
[[nodiscard]] std::string with_prefix(double value, std::string_view unit);

/// "64 KiB", "4096 B", "1.5 KiB": bytes with the largest binary prefix whose value is at least 1.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace gossamer
