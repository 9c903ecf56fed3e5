// SPDX-License-Identifier: Apache-2.0
/// Bit fields of Verilator's signals, independent of the type that it chooses for their width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gossamer::tb {

/// Puts `value` into bits lsb .. lsb+width-1 (width <= 32) of an input of any Verilator type.
template <typename Signal>
void put(Signal& signal, std::size_t lsb, std::size_t width, std::uint32_t value) {
  for (std::size_t bit = lsb; bit < lsb + width; ++bit, value >>= 1U) {
    if constexpr (std::is_integral_v<Signal>) {
      const std::uint64_t mask = std::uint64_t{1} << bit;
      signal = static_cast<Signal>((value & 1U) != 0 ? signal | mask : signal & ~mask);
    } else {
      const std::uint32_t mask = 1U << (bit % 32);
      std::uint32_t& word = signal[bit / 32];
      word = (value & 1U) != 0 ? word | mask : word & ~mask;
    }
  }
}

}  // namespace gossamer::tb
