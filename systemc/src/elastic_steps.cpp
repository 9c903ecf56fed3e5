// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic_steps.hpp"

#include <algorithm>

namespace gossamer::systemc {

ElasticSteps::ElasticSteps(const ElasticTiles& tiles, NodeId node)
    : program_(std::get<ScheduleProgram>(tiles.plan.program)),
      rom_(program_.class_of(node)),
      chunk_(program_.elastic->chunk),
      rounds_(program_.steps() == 0 ? 0 : program_.elastic->rounds),
      words_(program_.steps()),
      slots_(program_.slots() * chunk_),
      arrivals_(static_cast<std::size_t>(tiles.plan.topology.ports()) * chunk_) {
  const Topology& topology = tiles.plan.topology;
  for (const Port port : all_ports(topology.ports())) {
    for (const std::uint64_t step : tiles.steps[topology.link(node, port)]) {
      words_[step - 1].sends.insert(port);
      words_[step - 1].sources[port] = program_.source(step, port, rom_);
    }
    const LinkId into = topology.link_into(node, port);
    if (into == kNoLink) continue;
    for (const std::uint64_t step : tiles.steps[into]) words_[step - 1].brings.insert(port);
  }
  clear();
}

void ElasticSteps::clear() {
  at_ = {};
  // A step with nothing to do takes no time; the rest of a round may be one.
  go([](auto...) { return false; });
}

bool ElasticSteps::is_complete(const Progress& at) const {
  const Word& word = words_[at.step];
  for (const Port p : word.sends) {
    if (at.pushed[p] != chunk_) return false;
  }
  for (const Port q : word.brings) {
    if (at.taken[q] != chunk_) return false;
  }
  return true;
}

PortSet ElasticSteps::brings() const {
  PortSet due;
  if (at_.round == rounds_) return due;
  for (const Port q : words_[at_.step].brings) {
    if (at_.taken[q] != chunk_) due.insert(q);
  }
  return due;
}

void ElasticSteps::take(Port in, const ElasticFlit& flit) {
  arrivals_[in * chunk_ + at_.taken[in]++] = flit;
}

void ElasticSteps::keep_arrivals(std::size_t step) {
  // Of two that are written to one slot the higher port's stays.
  for (const Port q : words_[step].brings) {
    const auto slot = program_.store(step + 1, q, rom_);
    if (!slot) continue;
    const auto arrivals = arrivals_.begin() + static_cast<std::ptrdiff_t>(q * chunk_);
    std::copy_n(arrivals, chunk_, slots_.begin() + static_cast<std::ptrdiff_t>(*slot * chunk_));
  }
}

}  // namespace gossamer::systemc
