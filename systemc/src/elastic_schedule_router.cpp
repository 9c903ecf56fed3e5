// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic_schedule_router.hpp"

#include <array>
#include <optional>
#include <utility>

namespace gossamer::systemc {

ElasticScheduleRouter::ElasticScheduleRouter(const sc_core::sc_module_name& name,
                                             std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : ElasticTile(name, std::move(tiles), node),
      steps_(this->tiles(), node),
      queues_(table_.outs.size(), ElasticQueue(table_.slots)) {}

void ElasticScheduleRouter::clear_router() {
  for (ElasticQueue& queue : queues_) queue.clear();
  steps_.clear();
}

void ElasticScheduleRouter::settle_router() {
  pins_.s_ready_o = pins_.m_valid_o = pins_.in_ready_o = pins_.out_valid_o = PortSet();
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    if (!queues_[p].valid()) continue;
    pins_.out_valid_o.insert(static_cast<Port>(p));
    pins_.out_data_o[p] = queues_[p].front();
  }
  PortSet takes;
  for (const Port q : steps_.brings()) {
    const bool comes = pins_.in_valid_i.contains(q);
    const bool accepts = pins_.m_ready_i.contains(q);
    if (comes) pins_.m_valid_o.insert(q);
    if (accepts) pins_.in_ready_o.insert(q);
    if (comes && accepts) takes.insert(q);
  }
  steps_.foresee(takes, [this](Port p, const ElasticFlit* kept) {
    if (!queues_[p].ready()) return false;
    if (kept != nullptr) return true;
    pins_.s_ready_o.insert(p);
    return pins_.s_valid_i.contains(p);
  });
}

void ElasticScheduleRouter::clock_router() {
  std::array<std::optional<ElasticFlit>, kMaxPorts> pushed{};
  for (const Port q : steps_.brings()) {
    if (pins_.in_valid_i.contains(q) && pins_.in_ready_o.contains(q)) {
      steps_.take(q, pins_.in_data_i[q]);
    }
  }
  steps_.go([&](Port p, const ElasticFlit* kept) {
    if (!queues_[p].ready() || (kept == nullptr && !pins_.s_valid_i.contains(p))) return false;
    pushed[p] = kept != nullptr ? *kept : pins_.s_data_i[p];
    if (kept != nullptr) count_kept(p);
    return true;
  });
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    queues_[p].clock(queues_[p].valid() && pins_.out_ready_i.contains(port), pushed[p]);
  }
}

}  // namespace gossamer::systemc
