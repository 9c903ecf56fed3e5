// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic/element.hpp"

#include <algorithm>
#include <utility>

#include "gossamer/sim/shown_words.hpp"

namespace gossamer::systemc {

ElasticTiles::ElasticTiles(const Plan& planned, StallScript script, bool crossings)
    : plan(planned),
      stalls(std::move(script)),
      latencies(planned.program.as<ElasticProgram>().elastic.latency.by_link(planned.topology)) {
  if (crossings) std::fill(latencies.begin(), latencies.end(), 1);
  const auto& program = plan.program.as<ElasticProgram>();
  if (program.combine) words.emplace(program);
}

ElasticElement::ElasticElement(std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : tiles_(std::move(tiles)),
      node_(node),
      table_(tiles_->plan, node),
      outs_(table_.outs.size()),
      ins_(table_.outs.size()) {
  const auto& program = tiles_->plan.program.as<ElasticProgram>();
  if (program.combine) sums_.resize(program.combine->cycles());
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const ElasticPort& at = program.at(node_, port);
    if (tiles_->words && table_.takes[p] != 0) {
      ins_[p].lane = program.at(tiles_->plan.topology.neighbor(node_, port), opposite(port)).lane;
      sums_[*ins_[p].lane / 2U].comes[*ins_[p].lane % 2U] = true;
    }
    if (tiles_->words && table_.outs[p].feed) ins_[*table_.outs[p].feed].fed = port;
    if (at.carries == 0) continue;
    outs_[p].lane = at.lane;
    if (!at.preload.empty()) {
      outs_[p].packet = own_piece(tiles_->plan, node_, at.preload.front());
    }
  }
  reset();
}

void ElasticElement::reset() {
  for (OutPort& out : outs_) {
    out.given = out.passed = 0;
    const std::uint64_t copies = out.lane ? table_.legs - 1 : out.packet ? 1 : 0;
    out.left = first_leg(out) + copies * flits();
  }
  for (InPort& in : ins_) in.taken = 0;
  for (OwnSums& sums : sums_) {
    for (auto& side : sums.sides) side.clear();
    sums.complete.clear();
  }
  results_.clear();
}

std::uint64_t ElasticElement::first_leg(const OutPort& out) const {
  if (!out.lane) return 0;
  const Combination& combine = *tiles_->plan.program.as<ElasticProgram>().combine;
  return combine.legs.front().lanes[*out.lane]->steps * flits();
}

ElasticFlit ElasticElement::contributed(PacketId packet, std::uint32_t flit) const {
  const std::uint64_t value =
      tiles_->arithmetic.word(node_, packet * flits() + flit, tiles_->plan.demand.pieces * flits(),
                              tiles_->plan.topology.nodes());
  return {packet, flit, (flit + 1) % table_.chunk == 0, value, 1};
}

std::optional<ElasticFlit> ElasticElement::next_own(Port port) const {
  const OutPort& out = outs_[port];
  if (out.left == 0) return std::nullopt;
  if (!out.lane) {
    const auto number = static_cast<std::uint32_t>(out.given);
    return ElasticFlit{*out.packet, number, (number + 1) % table_.chunk == 0};
  }
  const std::uint64_t sums = first_leg(out);
  if (out.given < sums) {
    const std::uint64_t chunks = out.given / table_.chunk;
    const std::uint64_t of_chunk = out.given % table_.chunk;
    const std::uint64_t round = sums / flits();
    return contributed(tiles_->words->sent(node_, *out.lane, 0, chunks % round),
                       static_cast<std::uint32_t>(chunks / round * table_.chunk + of_chunk));
  }
  const auto number = static_cast<std::uint32_t>(out.given - sums);
  const std::vector<ElasticFlit>& complete = sums_[*out.lane / 2U].complete;
  if (number >= complete.size()) return std::nullopt;
  ElasticFlit flit = complete[number];
  flit.packet = tiles_->words->sent(node_, *out.lane, 1, 0);
  return flit;
}

void ElasticElement::give(Port out) {
  ++outs_[out].given;
  --outs_[out].left;
}

bool ElasticElement::is_adding(Port in) const {
  return ins_[in].lane && ins_[in].taken < table_.takes[in] * flits();
}

bool ElasticElement::adds_to(Port in) const {
  if (!is_adding(in) || !ins_[in].fed) return false;
  const std::uint64_t round = std::uint64_t{table_.takes[in]} * table_.chunk;
  const std::uint64_t passed = std::uint64_t{table_.outs[*ins_[in].fed].passes} * table_.chunk;
  return ins_[in].taken % round < passed;
}

ElasticFlit ElasticElement::added(const ElasticFlit& arriving, const ElasticFlit& own) const {
  ElasticFlit sum = own;
  sum.value = tiles_->arithmetic.combine(arriving.value, own.value);
  sum.terms += arriving.terms;
  return sum;
}

void ElasticElement::deliver(Port in, const ElasticFlit& flit) {
  const auto result = [&](PacketId packet, const ElasticFlit& word) {
    results_.push_back({node_, packet * flits() + word.flit, word.value, word.terms});
  };
  if (!is_adding(in)) return result(flit.packet, flit);
  OwnSums& sums = sums_[*ins_[in].lane / 2U];
  sums.sides[*ins_[in].lane % 2U].push_back(flit);
  for (;;) {
    const std::size_t next = sums.complete.size();
    for (std::size_t side = 0; side < 2; ++side) {
      if (sums.comes[side] && sums.sides[side].size() <= next) return;
    }
    const PacketId packet = tiles_->words->owned(node_, *ins_[in].lane);
    std::optional<ElasticFlit> others;
    for (std::size_t side = 0; side < 2; ++side) {
      if (!sums.comes[side]) continue;
      const ElasticFlit& part = sums.sides[side][next];
      others = others ? added(*others, part) : part;
    }
    const ElasticFlit own = contributed(packet, static_cast<std::uint32_t>(next));
    sums.complete.push_back(added(others.value(), own));
    result(packet, sums.complete.back());
  }
}

void ElasticElement::take(Port in) {
  // The result of an addition replaces an own flit and is counted as such.
  if (!adds_to(in)) {
    const std::uint64_t arrival = ins_[in].taken / table_.chunk % table_.takes[in];
    for (const Port out : table_.passes(in, arrival)) ++outs_[out].passed;
  }
  ++ins_[in].taken;
}

std::optional<ElasticFlit> ElasticElement::garbage(Port in) const {
  const std::uint64_t taken = ins_[in].taken;
  if (ins_[in].broken.value_or(kNoPacket) == kNoPacket || taken == all(in)) return std::nullopt;
  // The numbers are the expected ones: the hardware has no wires for them.
  const std::uint64_t round = std::uint64_t{table_.takes[in]} * table_.chunk;
  const std::uint64_t rounds = tiles_->plan.program.as<ElasticProgram>().elastic.rounds;
  const std::uint64_t flit = taken / round % rounds * table_.chunk + taken % round % table_.chunk;
  return ElasticFlit{*ins_[in].broken, static_cast<std::uint32_t>(flit),
                     (flit + 1) % table_.chunk == 0, kGarbageValue, 1};
}

std::uint64_t ElasticElement::all(Port in) const {
  return table_.takes[in] * flits() * table_.legs;
}

ElasticCounters::ElasticCounters(const ElasticRouterTable& table) : table_(table) {
  for (std::size_t p = 0; p < table.outs.size(); ++p) {
    const std::uint64_t own = std::uint64_t{table.outs[p].own} * table.chunk;
    const std::uint64_t passes = std::uint64_t{table.outs[p].passes} * table.chunk;
    outs_.push_back({own + passes, own});
    ins_.push_back({std::uint64_t{table.takes[p]} * table.chunk});
  }
}

void ElasticCounters::clear() {
  for (Counter& out : outs_) out.at = 0;
  for (Counter& in : ins_) in.at = 0;
}

}  // namespace gossamer::systemc
