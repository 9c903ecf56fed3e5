// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic/tlm.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace gossamer::systemc {

tlm::tlm_generic_payload& TlmFlitPool::make(std::uint64_t address, const TlmFlitData& data) {
  if (free_.empty()) {
    Owned& owned = owned_.emplace_back();
    owned.transaction.set_mm(this);
    owned.transaction.set_command(tlm::TLM_WRITE_COMMAND);
    owned.transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&owned.data));
    owned.transaction.set_data_length(sizeof(TlmFlitData));
    owned.transaction.set_streaming_width(sizeof(TlmFlitData));
    free_.push_back(&owned.transaction);
  }
  tlm::tlm_generic_payload& transaction = *free_.back();
  free_.pop_back();
  transaction.acquire();
  transaction.set_address(address);
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  std::memcpy(transaction.get_data_ptr(), &data, sizeof data);
  return transaction;
}

void TlmFlitPool::free(tlm::tlm_generic_payload* transaction) {
  transaction->reset();
  free_.push_back(transaction);
}

namespace {

/// Numbers that are not packets come after the addresses of all packets.
std::uint64_t address_of(const ElasticFlit& flit, std::uint64_t flits) {
  return (flit.packet == kGarbage ? 0 - flits : flit.packet * flits) + flit.flit;
}

PacketId packet_at(std::uint64_t address, std::uint64_t flits) {
  return address >= 0 - flits ? kGarbage : address / flits;
}

}  // namespace

TlmElasticNode::TlmElasticNode(const sc_core::sc_module_name& name,
                               std::shared_ptr<const ElasticTiles> tiles, NodeId node,
                               const sc_core::sc_time& cycle)
    : sc_core::sc_module(name),
      in("in", static_cast<std::size_t>(tiles->plan.topology.ports())),
      out("out", static_cast<std::size_t>(tiles->plan.topology.ports())),
      tiles_(std::move(tiles)),
      node_(node),
      cycle_(cycle),
      element_(tiles_, node),
      counters_(element_.table()),
      push_gap_(element_.table().slots == 1 ? 2 : 1),
      outs_(out.size()),
      ins_(in.size()) {
  SC_HAS_PROCESS(TlmElasticNode);
  SC_METHOD(act);
  dont_initialize();
  sensitive << wake_;
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto tag = static_cast<int>(p);
    in[p].register_nb_transport_fw(this, &TlmElasticNode::forward, tag);
    out[p].register_nb_transport_bw(this, &TlmElasticNode::backward, tag);
    ins_[p].on_link = std::make_unique<tlm_utils::peq_with_get<Transaction>>(
        ("on_link_" + std::to_string(p)).c_str());
    sensitive << ins_[p].on_link->get_event();
    const LinkId link = tiles_->plan.topology.link_into(node, static_cast<Port>(p));
    if (link == kNoLink) continue;
    ins_[p].latency = tiles_->latencies[link];
    ins_[p].fresh =
        tiles_->plan.program.as<ElasticProgram>().elastic.capacity(tiles_->latencies[link]);
  }
}

TlmElasticNode::~TlmElasticNode() = default;

void TlmElasticNode::start() {
  begin_ = sc_core::sc_time_stamp();
  look_at_own(0);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

// --- an incoming link: its queue, its stages and its latency ------------------------------------

tlm::tlm_sync_enum TlmElasticNode::forward(int port, Transaction& transaction,
                                           tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  if (!transaction.is_write() || transaction.get_data_length() != sizeof(TlmFlitData)) {
    transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  InPort& at = ins_[static_cast<std::size_t>(port)];
  const std::uint64_t pushed = cycle_of(sc_core::sc_time_stamp() + delay - begin_);
  transaction.acquire();
  at.on_link->notify(transaction, delay + cycles(at.latency));
  if (at.fresh != 0) {
    --at.fresh;
  } else {
    at.freed.pop_front();
  }
  std::uint64_t next = pushed + push_gap_;
  if (at.fresh == 0) {
    if (at.freed.empty()) {
      at.withheld = &transaction;
      at.withheld_since = pushed;
      return tlm::TLM_ACCEPTED;
    }
    next = std::max(next, at.freed.front());
  }
  phase = tlm::END_REQ;
  delay = cycles(next - now());
  return tlm::TLM_UPDATED;
}

/// The flit has been taken in this cycle.
void TlmElasticNode::free_place(Port port, Transaction& transaction) {
  InPort& at = ins_[port];
  const std::uint64_t free = now() + at.latency;
  at.freed.push_back(free);
  if (at.withheld != nullptr) {
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = cycles(std::max(free, at.withheld_since + push_gap_) - now());
    Transaction& withheld = *std::exchange(at.withheld, nullptr);
    in[port]->nb_transport_bw(withheld, phase, delay);
  }
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = cycles(at.latency);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  in[port]->nb_transport_bw(transaction, phase, delay);
  transaction.release();
}

// --- an outgoing link ---------------------------------------------------------------------------

tlm::tlm_sync_enum TlmElasticNode::backward(int port, Transaction& /*transaction*/,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  OutPort& at = outs_[static_cast<std::size_t>(port)];
  if (phase == tlm::END_REQ || at.free_from == kNever) {
    // A response ends its request.
    at.free_from = cycle_of(sc_core::sc_time_stamp() + delay - begin_);
    wake_.notify(delay);
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  at.sent.front()->release();
  at.sent.pop_front();
  return tlm::TLM_COMPLETED;
}

void TlmElasticNode::push(Port port, const ElasticFlit& flit) {
  OutPort& at = outs_[port];
  if (at.broken) {
    at.free_from = now() + push_gap_;
    return;
  }
  const std::uint64_t address =
      address_of(flit, tiles_->plan.program.as<ElasticProgram>().elastic.flits());
  Transaction& transaction = pool_.make(address, {flit.value, flit.terms});
  at.sent.push_back(&transaction);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  at.free_from = kNever;
  switch (out[port]->nb_transport_fw(transaction, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      return;
    case tlm::TLM_UPDATED:
      at.free_from = now() + cycle_of(delay);
      return;
    case tlm::TLM_COMPLETED:
      throw std::logic_error("a link rejects a flit");
  }
}

// --- the node -----------------------------------------------------------------------------------

ElasticFlit TlmElasticNode::flit_of(const Transaction& transaction) const {
  const std::uint64_t flits = tiles_->plan.program.as<ElasticProgram>().elastic.flits();
  TlmFlitData data;
  std::memcpy(&data, transaction.get_data_ptr(), sizeof data);
  const PacketId packet = packet_at(transaction.get_address(), flits);
  const auto flit =
      static_cast<std::uint32_t>(transaction.get_address() - address_of({.packet = packet}, flits));
  return {packet, flit, (flit + 1) % element_.table().chunk == 0, data.value,
          static_cast<std::uint32_t>(data.terms)};
}

void TlmElasticNode::collect_results(std::vector<Result>& results) {
  results.insert(results.end(), element_.results().begin(), element_.results().end());
  element_.clear_results();
}

void TlmElasticNode::act() {
  if (std::exchange(acted_, now()) != now()) element_.clear_results();
  for (InPort& at : ins_) {
    while (Transaction* transaction = at.on_link->get_next_transaction()) {
      at.arrived.push_back(transaction);
    }
  }
  for (std::size_t p = 0; p < ins_.size(); ++p) show(static_cast<Port>(p));
  move();
  // Arrivals and departures of this cycle let the element continue in the next.
  look_at_own(now() + 1);
  wake_when_due();
}

void TlmElasticNode::look_at_own(std::uint64_t from) {
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    OutPort& at = outs_[p];
    if (at.is_offered || !element_.next_own(port)) continue;
    at.is_offered = true;
    at.offered_from = tiles_->stalls.next_open(Gate::kOffer, node_, port,
                                               std::max(from, tiles_->stalls.start(node_)));
  }
}

void TlmElasticNode::move() {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t p = 0; p < ins_.size(); ++p) {
      const auto port = static_cast<Port>(p);
      if (counters_.own_due(port) && push_own(port)) {
        counters_.count_push(port);
        again = true;
      }
      again = take(port) || again;
    }
  }
}

bool TlmElasticNode::push_own(Port port) {
  OutPort& at = outs_[port];
  if (at.free_from > now() || at.offered_from > now()) return false;
  const ElasticFlit flit = *element_.next_own(port);
  element_.give(port);
  at.is_offered = false;
  at.offered_from = kNever;
  push(port, flit);
  return true;
}

void TlmElasticNode::show(Port port) {
  InPort& at = ins_[port];
  at.accepted_from = kNever;
  if (at.is_shown || (at.arrived.empty() && !element_.garbage(port))) return;
  at.is_shown = true;
  const std::uint64_t from = now() == at.last_take ? now() + 1 : now();
  at.shown_from = tiles_->stalls.next_open(Gate::kShow, node_, port, from);
}

bool TlmElasticNode::accepts(Port port) {
  InPort& at = ins_[port];
  if (at.shown_from > now()) return false;
  if (tiles_->stalls.is_open(Gate::kAccept, node_, port, now())) return true;
  at.accepted_from = tiles_->stalls.next_open(Gate::kAccept, node_, port, now() + 1);
  return false;
}

ElasticFlit TlmElasticNode::take_shown(Port port) {
  InPort& at = ins_[port];
  at.is_shown = false;
  at.shown_from = kNever;
  at.last_take = now();
  if (const auto garbage = element_.garbage(port)) return *garbage;
  Transaction& transaction = *at.arrived.front();
  at.arrived.pop_front();
  const ElasticFlit flit = flit_of(transaction);
  free_place(port, transaction);
  return flit;
}

bool TlmElasticNode::take(Port port) {
  if (ins_[port].shown_from > now()) return false;
  const bool adds = element_.adds_to(port);
  const PortSet on = counters_.passes(port);
  for (const Port p : on) {
    if (!counters_.is_next(port, p) || outs_[p].free_from > now() ||
        (adds && outs_[p].offered_from > now())) {
      return false;
    }
  }
  if (!adds && !accepts(port)) return false;
  const ElasticFlit flit = take_shown(port);
  for (const Port p : on) {
    ElasticFlit passed = flit;
    if (adds) {
      passed = element_.added(flit, *element_.next_own(p));
      element_.give(p);
      outs_[p].is_offered = false;
      outs_[p].offered_from = kNever;
    }
    counters_.count_push(p);
    push(p, passed);
  }
  if (!adds) element_.deliver(port, flit);
  element_.take(port);
  counters_.count_take(port);
  show(port);
  if (on_take) on_take(port, flit);
  return true;
}

void TlmElasticNode::wake_when_due() {
  const std::uint64_t cycle = now();
  std::uint64_t next = kNever;
  const auto due = [&](std::uint64_t at) {
    if (at > cycle) next = std::min(next, at);
  };
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    due(outs_[p].free_from);
    due(outs_[p].offered_from);
    due(ins_[p].shown_from);
    due(ins_[p].accepted_from);
  }
  if (next != kNever) wake_.notify(cycles(next - cycle));
}

TlmElasticNetwork::TlmElasticNetwork(const sc_core::sc_module_name& name,
                                     const std::shared_ptr<const ElasticTiles>& tiles,
                                     const sc_core::sc_time& cycle)
    : sc_core::sc_module(name) {
  const Topology& topology = tiles->plan.topology;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    nodes_.push_back(std::make_unique<TlmElasticNode>(("node_" + std::to_string(node)).c_str(),
                                                      tiles, node, cycle));
  }
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      if (walk.neighbor(port) == kNoNode) continue;
      nodes_[walk.node()]->out[port].bind(nodes_[walk.neighbor(port)]->in[opposite(port)]);
    }
  }
}

void TlmElasticNetwork::start() {
  for (const auto& node : nodes_) node->start();
}

}  // namespace gossamer::systemc
