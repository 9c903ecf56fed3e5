// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/lane_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/plan/run_facts.hpp"

namespace gossamer {

namespace {

constexpr unsigned kValueBits = 64;
/// Test words of floats differ by lane: the seeds of runs are below.
constexpr unsigned kLaneOfSeed = 32;

/// Bits from `lsb` on become `word`.
void put_lane(std::vector<std::uint64_t>& bits, unsigned lsb, unsigned width, std::uint64_t word) {
  const unsigned shift = lsb % kValueBits;
  bits[lsb / kValueBits] |= word << shift;
  if (shift + width > kValueBits) bits[lsb / kValueBits + 1] |= word >> (kValueBits - shift);
}

std::string digits_of(const std::vector<std::uint64_t>& words, unsigned word_bits) {
  std::vector<std::uint64_t> bits((words.size() * word_bits + kValueBits - 1) / kValueBits, 0);
  for (std::size_t lane = 0; lane < words.size(); ++lane) {
    put_lane(bits, static_cast<unsigned>(lane) * word_bits, word_bits, words[lane]);
  }
  while (bits.size() > 1 && bits.back() == 0) bits.pop_back();
  std::string digits = fmt::format("{:x}", bits.back());
  for (std::size_t i = bits.size() - 1; i-- > 0;) digits += fmt::format("{:016x}", bits[i]);
  return digits;
}

}  // namespace

LaneWords::LaneWords(const Plan& plan)
    : LaneWords(plan, {0, link_words(plan).lanes()}, hardware_arithmetic(plan)) {}

LaneWords::LaneWords(const Plan& plan, LaneRange lanes, const Arithmetic& word)
    : range_(lanes),
      lane_(word),
      all_lanes_(static_cast<std::uint64_t>(link_words(plan).lanes())),
      pieces_(plan.demand.pieces),
      nodes_(plan.topology.nodes()) {
  const RunFacts facts = run_facts(plan);
  pieces_ *= std::max(facts.words_per_piece, facts.flits_per_piece);
  // A link without a word has the value 0.
  if (!side_by_side())
    static_cast<void>(value(std::vector<std::uint64_t>(static_cast<std::size_t>(lanes.count), 0)));
}

Arithmetic LaneWords::arithmetic() {
  if (lanes() == 1) {
    Arithmetic one = lane_;
    one.seed += static_cast<std::uint64_t>(range_.first) << kLaneOfSeed;
    return one;
  }
  Arithmetic all;
  all.operation = Operation::kCopy;
  all.maker = this;
  return all;
}

std::uint64_t LaneWords::contributed(NodeId node, PacketId piece, int lane) const {
  const auto number = static_cast<std::uint64_t>(range_.first + lane);
  Arithmetic one = lane_;
  if (is_float(one.type)) {
    one.seed += number << kLaneOfSeed;
    return one.word(node, piece, pieces_, nodes_);
  }
  if (lanes() == 1) return one.word(node, piece, pieces_, nodes_);
  return one.word(node, number * pieces_ + piece, all_lanes_ * pieces_, nodes_);
}

std::vector<std::uint64_t> LaneWords::words(std::uint64_t value) const {
  if (lanes() == 1) return {value};
  // Values that no node made are words of a broken link.
  if (!side_by_side() && value < known_.size()) return *known_[value];
  std::vector<std::uint64_t> words;
  for (int lane = 0; lane < lanes(); ++lane) {
    const auto at = static_cast<unsigned>(lane * word_bits());
    words.push_back((value >> at % kValueBits) & lane_.mask());
  }
  return words;
}

std::uint64_t LaneWords::value(const std::vector<std::uint64_t>& words) {
  if (lanes() == 1) return words.front();
  if (side_by_side()) {
    std::uint64_t value = 0;
    for (std::size_t lane = 0; lane < words.size(); ++lane) {
      value |= words[lane] << (lane * static_cast<unsigned>(word_bits()));
    }
    return value;
  }
  const auto [at, is_new] = numbers_.try_emplace(words, known_.size());
  if (is_new) known_.push_back(&at->first);
  return at->second;
}

std::string LaneWords::digits(std::uint64_t value) const {
  return digits_of(words(value), static_cast<unsigned>(word_bits()));
}

std::string LaneWords::all_ones() const {
  return digits_of(std::vector<std::uint64_t>(static_cast<std::size_t>(lanes()), lane_.mask()),
                   static_cast<unsigned>(word_bits()));
}

std::uint64_t LaneWords::word(NodeId node, PacketId piece) {
  std::vector<std::uint64_t> own;
  for (int lane = 0; lane < lanes(); ++lane) own.push_back(contributed(node, piece, lane));
  return value(own);
}

std::uint64_t LaneWords::combine(std::uint64_t a, std::uint64_t b) {
  std::vector<std::uint64_t> result = words(a);
  const std::vector<std::uint64_t> other = words(b);
  for (std::size_t lane = 0; lane < result.size(); ++lane) {
    result[lane] = lane_.combine(result[lane], other[lane]);
  }
  return value(result);
}

std::size_t LaneWords::Hash::operator()(const std::vector<std::uint64_t>& words) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace gossamer
