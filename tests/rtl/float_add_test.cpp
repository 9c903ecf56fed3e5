// SPDX-License-Identifier: Apache-2.0
/// float_add_test PAIRS: the adders of float_adders.sv, Verilated, against the software's sums: all
/// pairs of the 8-bit formats, and PAIRS test words of the others. For all pairs of the 8-bit
/// formats, also the larger and the smaller word.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "Vfloat_adders.h"
#include "gossamer/sim/float_words.hpp"

namespace {

using gossamer::FloatFormat;

using Combine = std::uint64_t(const FloatFormat& format, std::uint64_t a, std::uint64_t b);

struct Adder {
  FloatFormat format;
  std::size_t stages = 0;
  Combine* combine = gossamer::float_sum;
  std::deque<std::array<std::uint64_t, 3>> expected{};
};

std::array<Adder, 18> adders{{{{4, 3}},
                              {{5, 2}},
                              {{3, 4}},
                              {{5, 10}},
                              {{8, 7}},
                              {{11, 52}},
                              {{8, 23}},
                              {{8, 23}, 1},
                              {{8, 23}, 2},
                              {{8, 23}, 3},
                              {{8, 23}, 4},
                              {{4, 3}, 4},
                              {{4, 3}, 0, gossamer::float_larger},
                              {{4, 3}, 0, gossamer::float_smaller},
                              {{5, 2}, 0, gossamer::float_larger},
                              {{5, 2}, 0, gossamer::float_smaller},
                              {{3, 4}, 0, gossamer::float_larger},
                              {{3, 4}, 0, gossamer::float_smaller}}};
Vfloat_adders model;
std::uint64_t compared = 0;
std::uint64_t wrong = 0;

std::uint64_t low_bits(const FloatFormat& format, std::uint64_t word) {
  return word & (~std::uint64_t{0} >> (64 - format.bits()));
}

void add(std::uint64_t a, std::uint64_t b) {
  model.a_i = a;
  model.b_i = b;
  model.clk_i = 0;
  model.eval();
  for (std::size_t i = 0; i < adders.size(); ++i) {
    Adder& adder = adders[i];
    const FloatFormat& format = adder.format;
    const std::uint64_t x = low_bits(format, a);
    const std::uint64_t y = low_bits(format, b);
    adder.expected.push_back({x, y, adder.combine(format, x, y)});
    if (adder.expected.size() <= adder.stages) continue;
    const auto [left, right, sum] = adder.expected.front();
    adder.expected.pop_front();
    ++compared;
    if (model.sum_o[i] == sum || ++wrong > 10) continue;
    std::printf("FAIL adder %zu: %llx with %llx is %llx, not %llx\n", i,
                static_cast<unsigned long long>(left), static_cast<unsigned long long>(right),
                static_cast<unsigned long long>(sum),
                static_cast<unsigned long long>(model.sum_o[i]));
  }
  model.clk_i = 1;
  model.eval();
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
  for (std::uint64_t a = 0; a < 256; ++a) {
    for (std::uint64_t b = 0; b < 256; ++b) add(a, b);
  }
  for (std::uint64_t i = 0; i < pairs; ++i) {
    for (const std::size_t of : {3U, 4U, 5U, 6U}) {
      const FloatFormat& format = adders[of].format;
      add(float_test_word(format, i, 0, i % 61), float_test_word(format, i, 1, i % 61));
    }
  }
  std::printf("%s sums=%llu\n", wrong == 0 ? "PASS" : "FAIL",
              static_cast<unsigned long long>(compared));
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
