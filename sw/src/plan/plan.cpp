// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {
constexpr std::size_t kNarrowEntries = 256;
constexpr std::size_t kWideEntries = 65536;

/// FNV-1a over the fields of a port program.
std::uint64_t hash_of(const PortProgram& program) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  mix(program.feed.bits());
  mix(program.early_feed.bits());
  mix(program.switch_step);
  mix(program.lane ? *program.lane + 1U : 0U);
  mix(program.carries);
  for (const std::uint16_t packet : program.preload) mix(packet);
  return hash;
}
}  // namespace

Plan::Plan(Topology network, std::string what, std::string how,
           std::map<std::string, ParameterValue> options, Demand wanted, Program told,
           ExpectedFigures figures)
    : topology(std::move(network)),
      collective(std::move(what)),
      algorithm(std::move(how)),
      parameters(std::move(options)),
      demand(std::move(wanted)),
      program(std::move(told)),
      expected(figures) {}
Plan::Plan(const Plan& other) = default;
Plan::Plan(Plan&& other) noexcept = default;
Plan& Plan::operator=(const Plan& other) = default;
Plan& Plan::operator=(Plan&& other) noexcept = default;
Plan::~Plan() = default;

StreamProgram::StreamProgram(std::uint32_t nodes, int ports, std::uint32_t packets_per_node,
                             std::uint32_t frame)
    : nodes_(nodes),
      ports_(ports),
      packets_per_node_(packets_per_node),
      frame_(frame),
      dictionary_(1),
      index_{{hash_of(PortProgram{}), 0}},
      narrow_(std::size_t{nodes} * static_cast<std::size_t>(ports), std::uint8_t{0}) {}

std::uint32_t StreamProgram::intern(const PortProgram& program) {
  const std::uint64_t hash = hash_of(program);
  const auto [first, last] = index_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (dictionary_[entry->second] == program) return entry->second;
  }
  if (dictionary_.size() == kWideEntries) {
    throw std::length_error("a plan has at most 65536 distinct port programs");
  }
  dictionary_.push_back(program);
  index_.emplace(hash, static_cast<std::uint32_t>(dictionary_.size() - 1));
  if (dictionary_.size() == kNarrowEntries + 1) {
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
  }
  return static_cast<std::uint32_t>(dictionary_.size() - 1);
}

void StreamProgram::set_code(NodeId node, Port out_port, std::uint32_t code) {
  if (code >= dictionary_.size()) throw std::out_of_range("no such dictionary entry");
  const std::size_t at = slot(node, out_port);
  if (wide_.empty()) {
    narrow_[at] = static_cast<std::uint8_t>(code);
  } else {
    wide_[at] = static_cast<std::uint16_t>(code);
  }
}

bool StreamProgram::is_plain() const {
  return frame_ == 1 &&
         std::all_of(dictionary_.begin(), dictionary_.end(), [](const PortProgram& program) {
           return program.switch_step == 0 && !program.has_fan_in() && program.preload.size() <= 1;
         });
}

std::uint64_t StreamProgram::memory_bytes() const {
  std::uint64_t bytes = narrow_.capacity() + wide_.capacity() * sizeof(std::uint16_t) +
                        dictionary_.capacity() * sizeof(PortProgram);
  for (const PortProgram& program : dictionary_) {
    bytes += program.preload.capacity() * sizeof(std::uint16_t);
  }
  if (combine) bytes += combine->ranks.capacity() * sizeof(std::uint32_t);
  if (elastic) bytes += elastic->latency.table.capacity() * sizeof(std::uint32_t);
  return bytes;
}

bool StreamProgram::operator==(const StreamProgram& other) const {
  if (nodes_ != other.nodes_ || ports_ != other.ports_ ||
      packets_per_node_ != other.packets_per_node_ || frame_ != other.frame_ ||
      combine != other.combine || elastic != other.elastic) {
    return false;
  }
  for (NodeId node = 0; node < nodes_; ++node) {
    for (int port = 0; port < ports_; ++port) {
      const auto p = static_cast<Port>(port);
      if (at(node, p) != other.at(node, p)) return false;
    }
  }
  return true;
}

std::uint32_t frame_of(const Plan& plan) {
  const auto* streams = std::get_if<StreamProgram>(&plan.program);
  return streams != nullptr ? streams->frame() : 1;
}

const Elastic* elastic_of(const Plan& plan) {
  const auto* streams = std::get_if<StreamProgram>(&plan.program);
  return streams != nullptr && streams->elastic ? &*streams->elastic : nullptr;
}

std::uint32_t packets_per_node(const Plan& plan) {
  return static_cast<std::uint32_t>(plan.demand.ids_per_node(plan.topology.nodes()).value_or(1));
}

PacketId own_piece(const Plan& plan, NodeId node, std::uint32_t index) {
  if (plan.demand.from == Origin::kRoot) return index;
  return PacketId{node} * plan.demand.pieces + index;
}

}  // namespace gossamer
