// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/tree_program.hpp"

#include <algorithm>

namespace gossamer {

TreeProgram::TreeProgram(std::uint32_t nodes, std::uint32_t frame, std::uint32_t streams,
                         std::uint64_t words)
    : frame_(frame),
      streams_(streams),
      words_(words),
      places_(std::size_t{nodes} * streams, TreePlace{kTreeRoot, 0, 0}) {}

TreeWords::TreeWords(const TreeProgram& program)
    : frame_(program.frame()), first_done_(program.streams(), 0), count_(program.streams(), 0) {
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
      const TreePlace& place = program.at(node, stream);
      std::uint64_t& done = first_done_[stream];
      if (place.parent == kTreeRoot) done = std::max<std::uint64_t>(done, place.up);
      done = std::max<std::uint64_t>(done, place.down);
    }
  }
  // The first step at whose end all words are done.
  std::uint64_t low = 0;
  std::uint64_t high =
      *std::max_element(first_done_.begin(), first_done_.end()) + program.words() * frame_;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (before(middle + 1, 0) >= program.words()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  steps_ = low;
  for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
    if (first_done_[stream] > steps_) continue;
    count_[stream] = (steps_ - first_done_[stream]) / frame_ + 1;
    // In the last step there may be more streams than words left.
    if ((steps_ - first_done_[stream]) % frame_ == 0 && before(steps_, stream) >= program.words()) {
      --count_[stream];
    }
  }
}

std::uint64_t TreeWords::before(std::uint64_t step, std::uint32_t stream) const {
  std::uint64_t words = 0;
  for (std::uint32_t other = 0; other < first_done_.size(); ++other) {
    const std::uint64_t end = other < stream ? step + 1 : step;
    if (end > first_done_[other]) words += (end - first_done_[other] - 1) / frame_ + 1;
  }
  return words;
}

}  // namespace gossamer
