// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/pipelined_module.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gossamer::systemc {

PipelinedModule::PipelinedModule(const sc_core::sc_module_name& name, const StepPipeline& pipeline,
                                 std::uint64_t steps, int ports, const WordFactory& make_word)
    : CombiningModule(name),
      pipeline_(pipeline),
      steps_(steps),
      ports_(static_cast<std::size_t>(ports)),
      arrivals_(ports_ + 1),
      driven_(ports_) {
  for (std::uint32_t flit = 0; flit < pipeline.flits; ++flit) {
    words_.push_back(make_word(fmt::format("word_{}", flit).c_str(), flit));
  }
  for (std::size_t port = 0; port <= ports_; ++port) slots_.push_back(static_cast<LinkId>(port));
}

void PipelinedModule::clear() {
  for (const auto& word : words_) word->clear();
  sent_.clear();
  written_.clear();
}

std::uint64_t PipelinedModule::clock(const Edge<CombinedWord>& edge) {
  const std::uint64_t now = edge.cycle();
  // The edge that ends cycle c: word f of step s is on the links in cycle (s - 1) S + f + 1. Before
  // the first step the modules of the words begin one after the other.
  while (!written_.empty() && written_.front().cycle < now) written_.pop_front();
  const auto step = [&](std::uint64_t flit, std::uint64_t ended) {
    std::fill(driven_.begin(), driven_.end(), CombinedWord{});
    CombiningModule& word = *words_[flit];
    (void)word.clock(Edge<CombinedWord>(ended, arrivals_.data(), slots_.data(), driven_.data()));
    for (std::size_t port = 0; port < ports_; ++port) {
      if (WordTraits<CombinedWord>::is_idle(driven_[port])) continue;
      sent_.push_back({ended * pipeline_.step_cycles + flit, port, driven_[port]});
    }
    if (ended == 0) return;
    const auto results = word.results(ended);
    if (results.empty()) return;
    written_.push_back({now + pipeline_.result_cycles, {results.begin(), results.end()}});
    for (Result& result : written_.back().results) {
      result.packet = result.packet * pipeline_.flits + flit;
    }
  };
  if (now > 0) {
    const auto [at, flit] = pipeline_.place(now - 1, steps_);
    if (at <= steps_ && flit < pipeline_.flits) {
      for (std::size_t port = 0; port < ports_; ++port) arrivals_[port] = edge.in(port);
      step(flit, at);
    }
  }
  if (now < pipeline_.flits) step(now, 0);
  // Words of a step and first words of packets do not come in order of time.
  for (auto each = sent_.begin(); each != sent_.end();) {
    if (each->cycle != now) {
      ++each;
      continue;
    }
    edge.drive(each->port, each->word);
    each = sent_.erase(each);
  }
  return now < pipeline_.cycles(steps_) ? now + 1 : kUntilArrival;
}

bool PipelinedModule::error() const {
  return std::any_of(words_.begin(), words_.end(), [](const auto& word) { return word->error(); });
}

std::span<const Result> PipelinedModule::results(std::uint64_t cycle) const {
  for (const Written& each : written_) {
    if (each.cycle == cycle) return each.results;
  }
  return {};
}

}  // namespace gossamer::systemc
