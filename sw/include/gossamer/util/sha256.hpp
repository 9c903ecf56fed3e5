// SPDX-License-Identifier: Apache-2.0
/// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gossamer {

using Sha256Digest = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256Digest sha256(std::span<const std::uint8_t> bytes);
[[nodiscard]] Sha256Digest sha256(std::string_view text);

/// 64 hexadecimal digits in lower case.
[[nodiscard]] std::string hex_text(const Sha256Digest& digest);

}  // namespace gossamer
