// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic/tile.hpp"

#include <algorithm>
#include <utility>

namespace gossamer::systemc {

std::ostream& operator<<(std::ostream& out, const ElasticWord& word) {
  if (!word.valid) return out << (word.ready ? "- ready" : "-");
  return out << word.flit.packet << '.' << word.flit.flit << (word.ready ? " ready" : "");
}

void sc_trace(sc_core::sc_trace_file* file, const ElasticWord& word, const std::string& name) {
  sc_core::sc_trace(file, word.valid, name + ".valid");
  sc_core::sc_trace(file, word.ready, name + ".ready_back");
  sc_core::sc_trace(file, word.flit.packet, name + ".packet");
  sc_core::sc_trace(file, word.flit.flit, name + ".flit");
  sc_core::sc_trace(file, word.flit.value, name + ".value");
}

ElasticTile::ElasticTile(const sc_core::sc_module_name& name,
                         std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : RouterModule(name),
      tiles_(std::move(tiles)),
      node_(node),
      element_(tiles_, node),
      table_(element_.table()),
      outs_(table_.outs.size()),
      ins_(table_.outs.size()) {
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    if (table_.outs[p].own + table_.outs[p].passes == 0) continue;
    const LinkId link = tiles_->plan.topology.link(node, static_cast<Port>(p));
    outs_[p].stages.resize(tiles_->latencies[link] - 1, ElasticQueue(2));
  }
  reset_element();
}

void ElasticTile::reset_element() {
  for (OutPort& out : outs_) {
    for (ElasticQueue& stage : out.stages) stage.clear();
    out.offered = false;
  }
  for (InPort& in : ins_) in.shown = false;
  element_.reset();
  open_ = ready_ = PortSet();
  cycle_ = 0;
  moved_ = error_ = false;
}

void ElasticTile::clear() {
  reset_element();
  pins_ = {};
  clear_router();
}

std::uint64_t ElasticTile::clock(const Edge<ElasticWord>& edge) {
  moved_ = false;
  element_.clear_results();
  if (edge.cycle() != 0) {
    // The pins in the cycle that ends.
    show_arrivals(edge);
    offer_own();
    for (std::size_t p = 0; p < outs_.size(); ++p) {
      const auto port = static_cast<Port>(p);
      const bool ready =
          outs_[p].stages.empty() ? takes(edge, port) : outs_[p].stages.front().ready();
      if (ready) pins_.out_ready_i.insert(port);
    }
    settle_router();
    count_handshakes();
    move_along_links(edge);
    clock_router();
    ++cycle_;
  }
  drive(edge);
  return edge.cycle() + 1;
}

ElasticWord ElasticTile::arriving(const Edge<ElasticWord>& edge, Port in) const {
  if (!element_.is_broken(in)) return edge.in(in);
  const auto garbage = element_.garbage(in);
  return {.valid = garbage.has_value(), .flit = garbage.value_or(ElasticFlit())};
}

void ElasticTile::show_arrivals(const Edge<ElasticWord>& edge) {
  pins_.in_valid_i = pins_.m_ready_i = pins_.out_ready_i = pins_.add_i = PortSet();
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (table_.takes[p] == 0) continue;
    if (element_.is_adding(port)) pins_.add_i.insert(port);
    if (tiles_->stalls.is_open(Gate::kAccept, node_, port, cycle_)) pins_.m_ready_i.insert(port);
    const ElasticWord arriving = this->arriving(edge, port);
    if (!arriving.valid) continue;
    ins_[p].shown = ins_[p].shown || tiles_->stalls.is_open(Gate::kShow, node_, port, cycle_);
    if (!ins_[p].shown) continue;
    pins_.in_valid_i.insert(port);
    pins_.in_data_i[p] = arriving.flit;
  }
}

void ElasticTile::offer_own() {
  pins_.s_valid_i = PortSet();
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    OutPort& out = outs_[p];
    const auto port = static_cast<Port>(p);
    if (cycle_ < tiles_->stalls.start(node_)) continue;
    const auto flit = element_.next_own(port);
    if (!flit) continue;
    out.offered = out.offered || tiles_->stalls.is_open(Gate::kOffer, node_, port, cycle_);
    if (!out.offered) continue;
    pins_.s_valid_i.insert(port);
    pins_.s_data_i[p] = *flit;
  }
}

void ElasticTile::count_handshakes() {
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const bool taken = pins_.in_valid_i.contains(port) && pins_.in_ready_o.contains(port);
    const bool delivered = pins_.m_valid_o.contains(port) && pins_.m_ready_i.contains(port);
    // The neighbour has seen this tile's output of the previous edge.
    const bool promised = pins_.in_valid_i.contains(port) && ready_.contains(port);
    error_ = error_ || delivered != (taken && !element_.adds_to(port)) || taken != promised;
    if (delivered) element_.deliver(port, pins_.in_data_i[p]);
    if (taken) {
      element_.take(port);
      ins_[p].shown = false;
      moved_ = true;
    }
    if (pins_.s_valid_i.contains(port) && pins_.s_ready_o.contains(port)) {
      element_.give(port);
      outs_[p].offered = false;
      moved_ = true;
    }
  }
}

void ElasticTile::move_along_links(const Edge<ElasticWord>& edge) {
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    std::vector<ElasticQueue>& stages = outs_[p].stages;
    const bool leaves = pins_.out_valid_o.contains(port) && pins_.out_ready_i.contains(port);
    moved_ = moved_ || leaves;
    // Starting at the far end: the room of a stage does not depend on whether a flit leaves it.
    bool pops = !stages.empty() && stages.back().valid() && takes(edge, port);
    for (std::size_t at = stages.size(); at-- > 0;) {
      std::optional<ElasticFlit> push;
      bool before_pops = false;
      if (at == 0) {
        if (leaves) push = pins_.out_data_o[p];
      } else {
        before_pops = stages[at - 1].valid() && stages[at].ready();
        if (before_pops) push = stages[at - 1].front();
      }
      stages[at].clock(pops, push);
      moved_ = moved_ || pops;
      pops = before_pops;
    }
  }
}

void ElasticTile::drive(const Edge<ElasticWord>& edge) {
  // The in-ports from which the router would take a flit, independent of arrivals.
  if (tiles_->words) offer_own();
  pins_.in_valid_i = pins_.s_valid_i = pins_.out_ready_i = pins_.m_ready_i = pins_.add_i =
      PortSet();
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (table_.takes[p] == 0) continue;
    pins_.m_ready_i.insert(port);
    if (!element_.is_adding(port)) continue;
    pins_.add_i.insert(port);
    if (const auto fed = element_.fed(port)) pins_.s_valid_i.insert(*fed);
  }
  settle_router();
  open_ = pins_.in_ready_o;
  ready_ = PortSet();
  for (const Port port : open_) {
    if (element_.adds_to(port) ? !outs_[*element_.fed(port)].offered
                               : !tiles_->stalls.is_open(Gate::kAccept, node_, port, cycle_)) {
      continue;
    }
    if (ins_[port].shown || tiles_->stalls.is_open(Gate::kShow, node_, port, cycle_)) {
      ready_.insert(port);
    }
  }
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    ElasticWord word;
    word.ready = ready_.contains(port);
    if (outs_[p].stages.empty()) {
      word.valid = pins_.out_valid_o.contains(port);
      if (word.valid) word.flit = pins_.out_data_o[p];
    } else if (outs_[p].stages.back().valid()) {
      word.valid = true;
      word.flit = outs_[p].stages.back().front();
    }
    if (word.valid || word.ready) edge.drive(p, word);
  }
}

bool ElasticTile::can_go() const {
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const std::vector<ElasticQueue>& stages = outs_[p].stages;
    for (std::size_t at = 0; at < stages.size(); ++at) {
      const bool waits = at == 0 ? pins_.out_valid_o.contains(port) : stages[at - 1].valid();
      if (waits && stages[at].ready()) return true;
    }
    if (pins_.s_ready_o.contains(port) && can_offer(port)) return true;
  }
  return false;
}

bool ElasticTile::can_offer(Port port) const {
  return element_.next_own(port) &&
         (outs_[port].offered ||
          tiles_->stalls.next_open(Gate::kOffer, node_, port, cycle_) != kNever);
}

bool ElasticTile::can_take(Port port) const {
  return open_.contains(port) &&
         (element_.adds_to(port)
              ? can_offer(*element_.fed(port))
              : tiles_->stalls.next_open(Gate::kAccept, node_, port, cycle_) != kNever) &&
         (ins_[port].shown || tiles_->stalls.next_open(Gate::kShow, node_, port, cycle_) != kNever);
}

ElasticRouter::ElasticRouter(const sc_core::sc_module_name& name,
                             std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : ElasticTile(name, std::move(tiles), node),
      counters_(table_),
      queues_(table_.outs.size(), ElasticQueue(table_.slots)) {}

void ElasticRouter::clear_router() {
  for (ElasticQueue& queue : queues_) queue.clear();
  counters_.clear();
}

void ElasticRouter::settle_router() {
  pins_.s_ready_o = pins_.m_valid_o = pins_.in_ready_o = pins_.out_valid_o = PortSet();
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (counters_.own_due(port) && queues_[p].ready()) pins_.s_ready_o.insert(port);
    if (!queues_[p].valid()) continue;
    pins_.out_valid_o.insert(port);
    pins_.out_data_o[p] = queues_[p].front();
  }
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const auto port = static_cast<Port>(q);
    bool open = counters_.takes(port);
    const PortSet on = counters_.passes(port);
    for (const Port p : on) open = open && counters_.is_next(port, p) && queues_[p].ready();
    if (!open) continue;
    const bool comes = pins_.in_valid_i.contains(port);
    if (!on.empty() && pins_.add_i.contains(port)) {
      // Arrival and own flit wait for each other.
      bool offered = true;
      for (const Port p : on) {
        if (comes) pins_.s_ready_o.insert(p);
        offered = offered && pins_.s_valid_i.contains(p);
      }
      if (offered) pins_.in_ready_o.insert(port);
      continue;
    }
    if (comes) pins_.m_valid_o.insert(port);
    if (pins_.m_ready_i.contains(port)) pins_.in_ready_o.insert(port);
  }
}

void ElasticRouter::clock_router() {
  std::array<std::optional<ElasticFlit>, kMaxPorts> pushed{};
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const auto port = static_cast<Port>(q);
    if (!pins_.in_valid_i.contains(port) || !pins_.in_ready_o.contains(port)) continue;
    for (const Port p : counters_.passes(port)) {
      pushed[p] = pins_.in_data_i[q];
      if (pins_.add_i.contains(port)) pushed[p] = added(*pushed[p], pins_.s_data_i[p]);
    }
    counters_.count_take(port);
  }
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (!pushed[p] && pins_.s_valid_i.contains(port) && pins_.s_ready_o.contains(port)) {
      pushed[p] = pins_.s_data_i[p];
    }
    queues_[p].clock(queues_[p].valid() && pins_.out_ready_i.contains(port), pushed[p]);
    if (pushed[p]) counters_.count_push(port);
  }
}

}  // namespace gossamer::systemc
