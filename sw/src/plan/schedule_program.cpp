// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/schedule_program.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gossamer {

ScheduleProgram::ScheduleProgram(int ports, std::uint32_t packets_per_node, std::uint32_t slots,
                                 std::uint64_t steps, std::vector<std::uint32_t> classes)
    : ports_(ports),
      packets_per_node_(packets_per_node),
      slots_(slots),
      steps_(steps),
      classes_(std::move(classes)),
      roms_(classes_.empty() ? 1 : *std::max_element(classes_.begin(), classes_.end()) + 1),
      rom_(roms_ * steps * 2 * static_cast<std::size_t>(ports), 0) {}

PacketSource ScheduleProgram::source(std::uint64_t step, Port out_port, std::uint32_t rom) const {
  const std::uint32_t code = source_code(step, out_port, rom);
  if (code == 0) return {};
  if (code <= packets_per_node_) return {PacketSource::Kind::kOwn, code - 1};
  return {PacketSource::Kind::kSlot, code - packets_per_node_ - 1};
}

std::optional<std::uint32_t> ScheduleProgram::store(std::uint64_t step, Port in_port,
                                                    std::uint32_t rom) const {
  const std::uint32_t code = store_code(step, in_port, rom);
  if (code == 0) return std::nullopt;
  return code - 1;
}

void ScheduleProgram::set_source(std::uint64_t step, Port out_port, PacketSource source,
                                 std::uint32_t rom) {
  std::uint32_t code = 0;
  if (source.kind == PacketSource::Kind::kOwn) {
    if (source.index >= packets_per_node_) throw std::out_of_range("no such own packet");
    code = 1 + source.index;
  } else if (source.kind == PacketSource::Kind::kSlot) {
    code = 1 + packets_per_node_ + source.index;
  }
  set_source_code(step, out_port, code, rom);
}

void ScheduleProgram::set_store(std::uint64_t step, Port in_port, std::optional<std::uint32_t> slot,
                                std::uint32_t rom) {
  set_store_code(step, in_port, slot ? *slot + 1 : 0, rom);
}

void ScheduleProgram::set_source_code(std::uint64_t step, Port out_port, std::uint32_t code,
                                      std::uint32_t rom) {
  if (code > packets_per_node_ + slots_) throw std::out_of_range("no such packet source");
  rom_.at(word(step, rom) + out_port) = code;
}

void ScheduleProgram::set_store_code(std::uint64_t step, Port in_port, std::uint32_t code,
                                     std::uint32_t rom) {
  if (code > slots_) throw std::out_of_range("no such slot");
  rom_.at(word(step, rom) + static_cast<std::size_t>(ports_) + in_port) = code;
}

std::uint64_t ScheduleProgram::word_bits() const {
  const auto field = [](std::uint64_t largest) {
    return static_cast<std::uint64_t>(std::bit_width(largest));
  };
  return static_cast<std::uint64_t>(ports_) *
         (field(std::uint64_t{packets_per_node_} + slots_) + field(slots_));
}

}  // namespace gossamer
