// SPDX-License-Identifier: Apache-2.0
/// The words of a combining program, and the result when two of them meet.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/contribution.hpp"

namespace gossamer {

/// Makes custom words, to observe which words a program combines.
class WordMaker {
 public:
  WordMaker() = default;
  WordMaker(const WordMaker&) = delete;
  WordMaker& operator=(const WordMaker&) = delete;
  virtual ~WordMaker() = default;

  [[nodiscard]] virtual std::uint64_t word(NodeId node, PacketId piece) = 0;
  [[nodiscard]] virtual std::uint64_t combine(std::uint64_t a, std::uint64_t b) = 0;
};

/// By default engines add the 64-bit words of contribution(), regardless of the demand's operation;
/// the judge expects this. With another operation and width they compute the result of the plan's
/// hardware for words of that width. The words are then chosen so that the operation's result shows
/// the contributors.
struct Arithmetic {
  /// kCopy: `maker` combines two words.
  Operation operation = Operation::kSum;
  /// Bits of a word, 1..64.
  int bits = 64;
  WordMaker* maker = nullptr;
  /// Words of links and operands. Floats: `bits` are those of the type, and nodes contribute the
  /// words of float_test_word() (sim/float_words.hpp).
  WordType type = WordType::kUint;
  /// Floats: the type that nodes contribute, which is widened to `type`.
  WordType own = WordType::kUint;
  /// Floats: selects other test words.
  std::uint64_t seed = 0;

  /// Sums of floats: each addition rounds.
  [[nodiscard]] bool rounds() const {
    return operation == Operation::kSum && type > WordType::kInt;
  }
  /// A word with all bits 1.
  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits); }
  /// a (+) b, modulo 2^bits where the operation does not saturate.
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) const {
    return operation == Operation::kSum && type <= WordType::kInt ? (a + b) & mask()
                                                                  : combine_otherwise(a, b);
  }
  /// The word that `node` of `nodes` contributes to piece `piece` of `pieces`.
  [[nodiscard]] std::uint64_t word(NodeId node, PacketId piece, std::uint64_t pieces,
                                   std::uint64_t nodes) const {
    if (maker != nullptr) return maker->word(node, piece);
    if (type > WordType::kInt) return float_word(node, piece);
    const std::uint64_t any = contribution(node, piece, pieces) & mask();
    return operation == Operation::kSum ? any : telling_word(any, piece, nodes);
  }

  /// The word on a link for a node's own word: modulo 2^bits, or widened from `own` to `type`.
  [[nodiscard]] std::uint64_t widened(std::uint64_t word) const;
  /// The word that a node keeps of a sum on a link: rounded to `own`.
  [[nodiscard]] std::uint64_t result(std::uint64_t sum) const;

 private:
  [[nodiscard]] std::uint64_t float_word(NodeId node, PacketId piece) const;
  [[nodiscard]] std::uint64_t telling_word(std::uint64_t any, PacketId piece,
                                           std::uint64_t nodes) const;
  [[nodiscard]] std::uint64_t combine_otherwise(std::uint64_t a, std::uint64_t b) const;
};

/// Sums of floats: each addition rounds.
[[nodiscard]] inline bool sums_round(const Demand& demand) {
  return demand.operation == Operation::kSum && is_float(demand.accumulate);
}

/// The arithmetic of a lane of a reduction plan's hardware: its operation, on words of its type
/// and width. Throws what link_words() throws (plan/link_words.hpp); sim/lane_words.hpp has the
/// words of all lanes.
[[nodiscard]] Arithmetic hardware_arithmetic(const Plan& plan);

}  // namespace gossamer
