// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic_schedule_router.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gossamer::systemc {

ElasticScheduleRouter::ElasticScheduleRouter(const sc_core::sc_module_name& name,
                                             std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : ElasticTile(name, std::move(tiles), node),
      program_(std::get<ScheduleProgram>(this->tiles().plan.program)),
      rom_(program_.class_of(node)),
      rounds_(program_.elastic->rounds),
      words_(program_.steps()),
      queues_(table_.outs.size(), ElasticQueue(table_.slots)),
      slots_(std::uint64_t{program_.slots()} * table_.chunk),
      arrivals_(table_.outs.size() * table_.chunk) {
  const Topology& topology = this->tiles().plan.topology;
  const auto& steps = this->tiles().steps;
  for (std::size_t p = 0; p < table_.outs.size(); ++p) {
    const auto port = static_cast<Port>(p);
    for (const std::uint64_t step : steps[topology.link(node, port)]) {
      words_[step - 1].sends.insert(port);
      words_[step - 1].sources[p] = program_.source(step, port, rom_);
    }
    const LinkId into = topology.link_into(node, port);
    if (into == kNoLink) continue;
    for (const std::uint64_t step : steps[into]) words_[step - 1].brings.insert(port);
  }
  ElasticScheduleRouter::clear_router();
}

void ElasticScheduleRouter::clear_router() {
  for (ElasticQueue& queue : queues_) queue.clear();
  at_ = {};
  // A step with nothing to do takes no time; the rest of a round may be one.
  go_through(
      at_, [](auto...) { return false; }, [](std::size_t) {});
}

bool ElasticScheduleRouter::is_complete(const Progress& at) const {
  const Word& word = words_[at.step];
  for (const Port p : word.sends) {
    if (at.pushed[p] != table_.chunk) return false;
  }
  for (const Port q : word.brings) {
    if (at.taken[q] != table_.chunk) return false;
  }
  return true;
}

template <typename Push, typename End>
void ElasticScheduleRouter::go_through(Progress& at, const Push& push, const End& end) const {
  if (words_.empty()) at.round = rounds_;
  PortSet used;
  while (at.round != rounds_) {
    const Word& word = words_[at.step];
    for (const Port p : word.sends) {
      if (used.contains(p) || at.pushed[p] == table_.chunk || !queues_[p].ready()) continue;
      if (!push(p, word.sources[p], at.pushed[p])) continue;
      used.insert(p);
      ++at.pushed[p];
    }
    if (!is_complete(at)) return;
    end(at.step);
    at = {.step = (at.step + 1) % words_.size(),
          .round = at.round + (at.step + 1 == words_.size() ? 1U : 0U)};
  }
}

void ElasticScheduleRouter::settle_router() {
  pins_.s_ready_o = pins_.m_valid_o = pins_.in_ready_o = pins_.out_valid_o = PortSet();
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    if (!queues_[p].valid()) continue;
    pins_.out_valid_o.insert(static_cast<Port>(p));
    pins_.out_data_o[p] = queues_[p].front();
  }
  if (at_end()) return;
  Progress next = at_;
  for (const Port q : words_[at_.step].brings) {
    if (at_.taken[q] == table_.chunk) continue;
    const bool comes = pins_.in_valid_i.contains(q);
    const bool accepts = pins_.m_ready_i.contains(q);
    if (comes) pins_.m_valid_o.insert(q);
    if (accepts) pins_.in_ready_o.insert(q);
    if (comes && accepts) ++next.taken[q];
  }
  go_through(
      next,
      [this](Port p, const PacketSource& source, std::uint32_t /*flit*/) {
        if (source.kind != PacketSource::Kind::kOwn) return true;
        pins_.s_ready_o.insert(p);
        return pins_.s_valid_i.contains(p);
      },
      [](std::size_t /*step*/) {});
}

void ElasticScheduleRouter::keep_arrivals(std::size_t step) {
  // Of two that are written to one slot the higher port's stays.
  for (const Port q : words_[step].brings) {
    const auto slot = program_.store(step + 1, q, rom_);
    if (!slot) continue;
    std::copy_n(arrivals_.begin() + q * std::ptrdiff_t{table_.chunk}, table_.chunk,
                slots_.begin() + *slot * std::ptrdiff_t{table_.chunk});
  }
}

void ElasticScheduleRouter::clock_router() {
  std::array<std::optional<ElasticFlit>, kMaxPorts> pushed{};
  if (!at_end()) {
    for (const Port q : words_[at_.step].brings) {
      if (!pins_.in_valid_i.contains(q) || !pins_.in_ready_o.contains(q)) continue;
      arrivals_[q * std::size_t{table_.chunk} + at_.taken[q]++] = pins_.in_data_i[q];
    }
    go_through(
        at_,
        [&](Port p, const PacketSource& source, std::uint32_t flit) {
          if (source.kind == PacketSource::Kind::kOwn) {
            if (!pins_.s_valid_i.contains(p)) return false;
            pushed[p] = pins_.s_data_i[p];
            return true;
          }
          pushed[p] = slots_[source.index * std::size_t{table_.chunk} + flit];
          count_kept(p);
          return true;
        },
        [this](std::size_t step) { keep_arrivals(step); });
  }
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    queues_[p].clock(queues_[p].valid() && pins_.out_ready_i.contains(port), pushed[p]);
  }
}

}  // namespace gossamer::systemc
