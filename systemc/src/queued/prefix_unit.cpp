// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/queued/prefix_unit.hpp"

namespace gossamer::systemc {

PrefixPlace prefix_place(const Topology& topology, const QueuedPhase& phase, NodeId node) {
  const Coordinates coordinates = topology.coordinates(node);
  const auto digit = [&](int dim) { return coordinates[static_cast<std::size_t>(dim)]; };
  const int d = topology.dimensions();
  const int first_dimension = phase.class_round ? 0 : phase.class_index;
  const int level = (phase.dimension - first_dimension + d) % d;
  PrefixPlace place;
  place.kind = phase.kind;
  place.digit = digit(phase.dimension);
  place.side = topology.side(phase.dimension);
  place.level = static_cast<std::uint32_t>(level);
  place.root_level = level + 1 == d;
  place.on_tree = true;
  for (int j = 0; j < level; ++j) {
    const int dim = (j + first_dimension) % d;
    if (digit(dim) != topology.side(dim) - 1) place.on_tree = false;
  }
  return place;
}

void PrefixUnit::start(std::uint32_t own, bool lost) {
  clear();
  started_ = true;
  lost_ = lost;
  count_ = own;
  total_ = own;
}

void PrefixUnit::begin(const PrefixPlace& place) {
  lost_ = missing();
  place_ = place;
  out_ = {};
  const std::uint32_t last = place.side - 1;
  const std::uint32_t middle = place.side / 2;
  const std::uint32_t digit = place.digit;
  // From each existing end; on a tree from the previous node in the direction of the messages.
  due_[0] = digit < last;
  due_[1] = digit > 0;
  switch (place.kind) {
    case QueuedPhaseKind::kPrefixForward:
      due_ = {false, place.on_tree && digit > 0};
      if (place.on_tree && digit == 0) send(true, count_);
      break;
    case QueuedPhaseKind::kPrefixReverse:
      due_ = {place.on_tree && digit < last, false};
      if (!place.on_tree || digit != last) break;
      // before_ is the count before the whole line, from one level up.
      if (place.root_level) total_ = count_;
      send(false, before_, total_);
      before_ += from_left_[place.level];
      break;
    case QueuedPhaseKind::kPrefixTwoWay:
      left_ = 0;
      right_ = 0;
      if (digit == 0) send(true, count_);
      if (digit == last) send(false, count_);
      break;
    default:
      if (digit == 0) send(true, count_);
      if (digit == last && last > middle) send(false, count_);
  }
}

void PrefixUnit::receive(bool positive, const PrefixMessage& message) {
  due_[positive ? 1 : 0] = false;
  switch (place_.kind) {
    case QueuedPhaseKind::kPrefixForward:
      from_left_[place_.level] = message.count;
      count_ += message.count;
      if (place_.digit + 1 < place_.side) send(true, count_);
      break;
    case QueuedPhaseKind::kPrefixReverse:
      before_ = message.count + from_left_[place_.level];
      total_ = message.total;
      if (place_.digit > 0) send(false, message.count, message.total);
      break;
    case QueuedPhaseKind::kPrefixTwoWay:
      receive_two_way(positive, message.count);
      break;
    default:
      receive_line_sum(positive, message.count);
  }
}

void PrefixUnit::receive_two_way(bool positive, std::uint32_t count) {
  (positive ? left_ : right_) = count;
  const bool goes_on = positive ? place_.digit + 1 < place_.side : place_.digit > 0;
  // Until the counts of both ends have arrived, count_ is that of the previous dimensions.
  if (goes_on) send(positive, count + count_);
  if (due_[0] || due_[1]) return;
  before_ += left_;
  count_ += left_ + right_;
  total_ = count_;
}

void PrefixUnit::receive_line_sum(bool positive, std::uint32_t count) {
  const std::uint32_t middle = place_.side / 2;
  const bool goes_on = positive ? place_.digit + 1 < place_.side : place_.digit > 0;
  const bool inward = positive ? place_.digit < middle : place_.digit > middle;
  if (place_.digit == middle) {
    count_ += count;
    if (due_[0] || due_[1]) return;
    total_ = count_;
    send(false, total_);
    if (middle + 1 < place_.side) send(true, total_);
  } else if (inward) {
    count_ += count;
    send(positive, count_);
  } else {
    total_ = count;
    if (goes_on) send(positive, total_);
  }
}

}  // namespace gossamer::systemc
