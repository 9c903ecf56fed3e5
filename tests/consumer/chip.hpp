// SPDX-License-Identifier: Apache-2.0
/// A network of Gossamer's for a program of C++17, which sees none of its headers.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

class Chip {
 public:
  virtual ~Chip() = default;
  /// Links that carry something in this cycle.
  virtual std::uint64_t busy_links() = 0;
};

/// An all-gather on a 4x4 torus, bound to clock, reset, clear and start.
std::unique_ptr<Chip> make_chip(sc_core::sc_clock& clk, sc_core::sc_signal<bool>& rst_n,
                                sc_core::sc_signal<bool>& clear, sc_core::sc_signal<bool>& start);
