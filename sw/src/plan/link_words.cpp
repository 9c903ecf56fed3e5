// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/link_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr const char* kLinkBits = "link-bits";
constexpr const char* kWordBits = "word-bits";
constexpr int kUsualBits = 32;

/// A parameter of the plan; `standard` without it.
std::int64_t bits_of(const Plan& plan, const char* name, std::int64_t standard) {
  const auto at = plan.parameters.find(name);
  if (at == plan.parameters.end()) return standard;
  const auto* given = std::get_if<std::int64_t>(&at->second);
  if (given == nullptr || *given < 1) {
    throw InputError(fmt::format("plan: parameter {} is not a positive number", name));
  }
  return *given;
}

std::int64_t link_bits_of(const Plan& plan) {
  const auto format = float_format(plan.demand.accumulate);
  return bits_of(plan, kLinkBits, format ? format->bits() : kUsualBits);
}

/// The number of bits nearest to `link_bits` that words of `word_bits` fill.
std::int64_t nearest_link(std::int64_t link_bits, std::int64_t word_bits) {
  return std::max<std::int64_t>((link_bits + word_bits / 2) / word_bits, 1) * word_bits;
}

}  // namespace

std::optional<std::uint64_t> planned_link_bits(const Plan& plan) {
  if (!plan.parameters.contains(kLinkBits)) return std::nullopt;
  return static_cast<std::uint64_t>(bits_of(plan, kLinkBits, kUsualBits));
}

int nearest_word_bits(std::int64_t link_bits, std::int64_t wanted) {
  int nearest = 1;
  for (int bits = 1; bits <= kMostWordBits && bits <= link_bits; ++bits) {
    if (link_bits % bits != 0) continue;
    if (std::abs(bits - wanted) <= std::abs(nearest - wanted)) nearest = bits;
  }
  return nearest;
}

int usual_word_bits(WordType accumulate, int link_bits) {
  if (const auto format = float_format(accumulate)) return format->bits();
  return std::min(link_bits, kUsualBits);
}

LinkWords link_words(const Plan& plan) {
  const std::int64_t link_bits = link_bits_of(plan);
  if (link_bits > kMostCombinedLinkBits) {
    throw InfeasibleError(
        fmt::format("links of {} bits: routers combine words on links of up to {} bits", link_bits,
                    kMostCombinedLinkBits));
  }
  LinkWords words;
  words.link_bits = static_cast<int>(link_bits);
  words.word_bits = usual_word_bits(plan.demand.accumulate, words.link_bits);
  const std::int64_t word_bits = bits_of(plan, kWordBits, words.word_bits);
  if (word_bits > kMostWordBits || link_bits % word_bits != 0) {
    throw InputError(fmt::format("plan: parameter {}: {} is no divisor of {} {}, or above {}",
                                 kWordBits, word_bits, kLinkBits, link_bits, kMostWordBits));
  }
  words.word_bits = static_cast<int>(word_bits);
  return words;
}

void set_word_bits(Plan& plan, int asked) {
  const WordType type = plan.demand.accumulate;
  const std::int64_t link_bits = link_bits_of(plan);
  const int usual =
      usual_word_bits(type, static_cast<int>(std::min<std::int64_t>(link_bits, kUsualBits)));
  const int bits = asked == 0 ? usual : asked;
  const bool fits = link_bits % bits == 0;
  if (is_float(type)) {
    const std::string_view name = word_type_name(type);
    if (bits != usual) {
      throw InputError(
          fmt::format("--word-bits: {} words have {} bits, not {}", name, usual, bits));
    }
    if (!fits) {
      const std::string nearest = link_bits < usual ? ""
                                                    : fmt::format("; nearest: --link-bits {}",
                                                                  nearest_link(link_bits, usual));
      throw InputError(fmt::format("--link-bits: {} words have {} bits, not {}{}", name, usual,
                                   link_bits, nearest));
    }
  } else if (!fits) {
    throw InputError(fmt::format(
        "--word-bits: {} does not divide --link-bits {}; nearest: --word-bits {}, or "
        "--link-bits {}",
        bits, link_bits, nearest_word_bits(link_bits, bits), nearest_link(link_bits, bits)));
  }
  plan.parameters.erase(kWordBits);
  if (bits != usual) plan.parameters[kWordBits] = std::int64_t{bits};
}

}  // namespace gossamer
