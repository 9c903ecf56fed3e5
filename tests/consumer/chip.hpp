// SPDX-License-Identifier: Apache-2.0
/// A Gossamer network for a C++17 program, which does not include Gossamer's headers.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

class Chip {
 public:
  virtual ~Chip() = default;
  /// Number of busy links in this cycle.
  virtual std::uint64_t busy_links() = 0;
};

/// An all-gather on a 4x4 torus, bound to clock, reset, clear and start.
std::unique_ptr<Chip> make_chip(sc_core::sc_clock& clk, sc_core::sc_signal<bool>& rst_n,
                                sc_core::sc_signal<bool>& clear, sc_core::sc_signal<bool>& start);
