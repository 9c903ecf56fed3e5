// SPDX-License-Identifier: Apache-2.0
/// The words on all lanes of a reduction's links, as one value of an engine.
///
/// An engine's value has 64 bits. The words of links of up to 64 bits are side by side in it, lane
/// 0 in the low bits. The value of a wider link is the number of its words in this object; equal
/// words have equal numbers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "gossamer/plan/link_words.hpp"
#include "gossamer/sim/arithmetic.hpp"

namespace gossamer {

/// Some neighbouring lanes of a link.
struct LaneRange {
  int first = 0;
  int count = 1;
};

class LaneWords final : public WordMaker {
 public:
  /// All lanes of a reduction plan's links. Throws like link_words().
  explicit LaneWords(const Plan& plan);
  /// Some of them, with other arithmetic of a word, e.g. with other test words.
  LaneWords(const Plan& plan, LaneRange lanes, const Arithmetic& word);

  [[nodiscard]] int lanes() const { return range_.count; }
  /// Bits of a word, and of all lanes.
  [[nodiscard]] int word_bits() const { return lane_.bits; }
  [[nodiscard]] int width() const { return range_.count * lane_.bits; }
  /// The combination of the words of a lane.
  [[nodiscard]] const Arithmetic& lane_arithmetic() const { return lane_; }
  /// The arithmetic for engines, which this object must outlive. If the link has one lane, it is
  /// lane_arithmetic().
  [[nodiscard]] Arithmetic arithmetic();

  /// The word that `node` contributes to a piece on lane `lane`.
  [[nodiscard]] std::uint64_t contributed(NodeId node, PacketId piece, int lane) const;
  /// The words of a value, by lane.
  [[nodiscard]] std::vector<std::uint64_t> words(std::uint64_t value) const;
  /// The value of a word per lane.
  [[nodiscard]] std::uint64_t value(const std::vector<std::uint64_t>& words);

  /// The hexadecimal digits of a link with this value, and of a link with all bits 1.
  [[nodiscard]] std::string digits(std::uint64_t value) const;
  [[nodiscard]] std::string all_ones() const;

  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece) override;
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const;
  };
  [[nodiscard]] bool side_by_side() const { return width() <= 64; }

  LaneRange range_;
  Arithmetic lane_;
  std::uint64_t all_lanes_;
  std::uint64_t pieces_;
  NodeId nodes_;
  /// Words of wide links by number, and their numbers.
  std::unordered_map<std::vector<std::uint64_t>, std::uint64_t, Hash> numbers_;
  std::vector<const std::vector<std::uint64_t>*> known_;
};

}  // namespace gossamer
