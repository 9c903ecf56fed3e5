// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic_tile.hpp"

#include <algorithm>
#include <utility>

#include "gossamer/sim/shown_words.hpp"

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

ElasticTiles::ElasticTiles(const Plan& planned, StallScript script, bool crossings)
    : plan(planned),
      stalls(std::move(script)),
      latencies(elastic_of(planned)->latency.by_link(planned.topology)) {
  if (crossings) std::fill(latencies.begin(), latencies.end(), 1);
  const auto& program = std::get<StreamProgram>(plan.program);
  if (program.combine) words.emplace(program);
}

ElasticTile::ElasticTile(const sc_core::sc_module_name& name,
                         std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : RouterModule(name),
      table_(tiles->plan, node),
      tiles_(std::move(tiles)),
      node_(node),
      outs_(table_.outs.size()),
      ins_(table_.outs.size()) {
  const Topology& topology = tiles_->plan.topology;
  const auto& program = std::get<StreamProgram>(tiles_->plan.program);
  if (program.combine) sums_.resize(program.combine->cycles());
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const PortProgram& at = program.at(node, port);
    if (tiles_->words && table_.takes[p] != 0) {
      ins_[p].lane = program.at(topology.neighbor(node, port), opposite(port)).lane;
      sums_[*ins_[p].lane / 2U].comes[*ins_[p].lane % 2U] = true;
    }
    if (tiles_->words && table_.outs[p].feed) ins_[*table_.outs[p].feed].fed = port;
    if (at.carries == 0) continue;
    outs_[p].lane = at.lane;
    for (const std::uint16_t packet : at.preload) {
      outs_[p].packets.push_back(PacketId{node} * program.packets_per_node() + packet);
    }
    outs_[p].stages.resize(tiles_->latencies[topology.link(node, port)] - 1, ElasticQueue(2));
  }
  reset_element();
}

void ElasticTile::reset_element() {
  for (OutPort& out : outs_) {
    for (ElasticQueue& stage : out.stages) stage.clear();
    out.given = out.passed = 0;
    out.left = added(out);
    const std::size_t copies = out.lane ? table_.legs - 1 : out.packets.size();
    out.left += copies * elastic_of(tiles_->plan)->flits();
    out.offered = false;
  }
  for (InPort& in : ins_) {
    in.taken = 0;
    in.shown = false;
  }
  for (OwnSums& sums : sums_) {
    for (auto& side : sums.sides) side.clear();
    sums.complete.clear();
  }
  results_.clear();
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
  results_.clear();
  if (edge.cycle() != 0) {
    // The pins as they are in the cycle that ends.
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

bool ElasticTile::brings_garbage(Port in) const {
  const std::uint64_t flits =
      std::uint64_t{table_.takes[in]} * elastic_of(tiles_->plan)->flits() * table_.legs;
  return ins_[in].broken && ins_[in].broken != kNoPacket && ins_[in].taken < flits;
}

ElasticWord ElasticTile::arriving(const Edge<ElasticWord>& edge, Port in) const {
  if (!ins_[in].broken) return edge.in(in);
  ElasticWord word;
  word.valid = brings_garbage(in);
  if (!word.valid) return word;
  // Numbers are those that are due: they are on no wire.
  const std::uint64_t round = std::uint64_t{table_.takes[in]} * table_.chunk;
  const std::uint64_t rounds = elastic_of(tiles_->plan)->rounds;
  const std::uint64_t taken = ins_[in].taken;
  const std::uint64_t flit = taken / round % rounds * table_.chunk + taken % round % table_.chunk;
  word.flit = {*ins_[in].broken, static_cast<std::uint32_t>(flit), (flit + 1) % table_.chunk == 0,
               kGarbageValue, 1};
  return word;
}

void ElasticTile::show_arrivals(const Edge<ElasticWord>& edge) {
  pins_.in_valid_i = pins_.m_ready_i = pins_.out_ready_i = pins_.add_i = PortSet();
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (table_.takes[p] == 0) continue;
    if (is_adding(port)) pins_.add_i.insert(port);
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
    if (out.left == 0 || cycle_ < tiles_->stalls.start(node_)) continue;
    const auto flit = next_own(out);
    if (!flit) continue;
    out.offered = out.offered || tiles_->stalls.is_open(Gate::kOffer, node_, port, cycle_);
    if (!out.offered) continue;
    pins_.s_valid_i.insert(port);
    pins_.s_data_i[p] = *flit;
  }
}

std::uint64_t ElasticTile::added(const OutPort& out) const {
  if (!out.lane) return 0;
  const Combination& combine = *std::get<StreamProgram>(tiles_->plan.program).combine;
  return combine.legs.front().lanes[*out.lane]->steps * elastic_of(tiles_->plan)->flits();
}

ElasticFlit ElasticTile::contributed(PacketId packet, std::uint32_t flit) const {
  const std::uint64_t flits = elastic_of(tiles_->plan)->flits();
  const std::uint64_t value =
      tiles_->arithmetic.word(node_, packet * flits + flit, tiles_->plan.demand.pieces * flits,
                              tiles_->plan.topology.nodes());
  return {packet, flit, (flit + 1) % table_.chunk == 0, value, 1};
}

std::optional<ElasticFlit> ElasticTile::next_own(const OutPort& out) const {
  const std::uint64_t sums = added(out);
  if (out.given < sums) {
    const std::uint64_t chunks = out.given / table_.chunk;
    const std::uint64_t round = sums / elastic_of(tiles_->plan)->flits();
    const std::uint64_t flit = chunks / round * table_.chunk + out.given % table_.chunk;
    return contributed(tiles_->words->sent(node_, *out.lane, 0, chunks % round),
                       static_cast<std::uint32_t>(flit));
  }
  if (!out.lane) {
    const std::uint64_t chunks = out.given / table_.chunk;
    const std::uint64_t number =
        chunks / out.packets.size() * table_.chunk + out.given % table_.chunk;
    return ElasticFlit{out.packets[chunks % out.packets.size()], static_cast<std::uint32_t>(number),
                       (number + 1) % table_.chunk == 0};
  }
  const auto number = static_cast<std::uint32_t>(out.given - sums);
  const std::vector<ElasticFlit>& complete = sums_[*out.lane / 2U].complete;
  if (number >= complete.size()) return std::nullopt;
  ElasticFlit flit = complete[number];
  flit.packet = tiles_->words->sent(node_, *out.lane, 1, 0);
  return flit;
}

bool ElasticTile::is_adding(Port in) const {
  return ins_[in].lane && ins_[in].taken < table_.takes[in] * elastic_of(tiles_->plan)->flits();
}

bool ElasticTile::adds_to(Port in) const {
  if (!is_adding(in) || !ins_[in].fed) return false;
  const std::uint64_t round = std::uint64_t{table_.takes[in]} * table_.chunk;
  const std::uint64_t passed = std::uint64_t{table_.outs[*ins_[in].fed].passes} * table_.chunk;
  return ins_[in].taken % round < passed;
}

/// The element gets what is at an in-port.
void ElasticTile::deliver(Port in) {
  const ElasticFlit& flit = pins_.in_data_i[in];
  const std::uint64_t flits = elastic_of(tiles_->plan)->flits();
  const auto result = [&](PacketId packet, const ElasticFlit& word) {
    results_.push_back({node_, packet * flits + word.flit, word.value, word.terms});
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
    ElasticFlit sum = contributed(packet, static_cast<std::uint32_t>(next));
    std::optional<std::uint64_t> others;
    for (std::size_t side = 0; side < 2; ++side) {
      if (!sums.comes[side]) continue;
      const ElasticFlit& part = sums.sides[side][next];
      others = others ? this->sum(*others, part.value) : part.value;
      sum.terms += part.terms;
    }
    sum.value = this->sum(others.value(), sum.value);
    sums.complete.push_back(sum);
    result(packet, sum);
  }
}

void ElasticTile::count_handshakes() {
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const bool taken = pins_.in_valid_i.contains(port) && pins_.in_ready_o.contains(port);
    const bool delivered = pins_.m_valid_o.contains(port) && pins_.m_ready_i.contains(port);
    // The neighbour has seen what this tile drove at the edge before.
    const bool promised = pins_.in_valid_i.contains(port) && ready_.contains(port);
    error_ = error_ || delivered != (taken && !adds_to(port)) || taken != promised;
    if (delivered) deliver(port);
    if (taken) {
      count_passed(port);
      ++ins_[p].taken;
      ins_[p].shown = false;
      moved_ = true;
    }
    if (pins_.s_valid_i.contains(port) && pins_.s_ready_o.contains(port)) {
      ++outs_[p].given;
      --outs_[p].left;
      outs_[p].offered = false;
      moved_ = true;
    }
  }
}

void ElasticTile::count_passed(Port in) {
  // What is added to is an own flit, which is counted as such.
  if (adds_to(in)) return;
  const std::uint64_t arrival = ins_[in].taken / table_.chunk % table_.takes[in];
  for (const Port out : table_.feeds[in]) {
    if (table_.place(in, arrival, out) != ElasticRouterTable::kNotPassed) ++outs_[out].passed;
  }
}

void ElasticTile::move_along_links(const Edge<ElasticWord>& edge) {
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    std::vector<ElasticQueue>& stages = outs_[p].stages;
    const bool leaves = pins_.out_valid_o.contains(port) && pins_.out_ready_i.contains(port);
    moved_ = moved_ || leaves;
    // From the far end on: whether a stage has room does not depend on whether it loses a flit.
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
  // What the router would take from whom it may; it says so without seeing what arrives.
  if (tiles_->words) offer_own();
  pins_.in_valid_i = pins_.s_valid_i = pins_.out_ready_i = pins_.m_ready_i = pins_.add_i =
      PortSet();
  for (std::size_t p = 0; p < ins_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (table_.takes[p] == 0) continue;
    pins_.m_ready_i.insert(port);
    if (!is_adding(port)) continue;
    pins_.add_i.insert(port);
    if (ins_[p].fed) pins_.s_valid_i.insert(*ins_[p].fed);
  }
  settle_router();
  open_ = pins_.in_ready_o;
  ready_ = PortSet();
  for (const Port port : open_) {
    if (adds_to(port) ? !outs_[*ins_[port].fed].offered
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
  return outs_[port].left != 0 && next_own(outs_[port]) &&
         (outs_[port].offered ||
          tiles_->stalls.next_open(Gate::kOffer, node_, port, cycle_) != kNever);
}

bool ElasticTile::can_take(Port port) const {
  return open_.contains(port) &&
         (adds_to(port) ? can_offer(*ins_[port].fed)
                        : tiles_->stalls.next_open(Gate::kAccept, node_, port, cycle_) != kNever) &&
         (ins_[port].shown || tiles_->stalls.next_open(Gate::kShow, node_, port, cycle_) != kNever);
}

std::uint64_t ElasticTile::pushed(Port port) const {
  return outs_[port].given + outs_[port].passed;
}

ElasticRouter::ElasticRouter(const sc_core::sc_module_name& name,
                             std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : ElasticTile(name, std::move(tiles), node), ins_(table_.takes.size()) {
  for (std::size_t p = 0; p < table_.outs.size(); ++p) {
    const ElasticRouterTable::Out& told = table_.outs[p];
    const std::uint64_t own = std::uint64_t{told.own} * table_.chunk;
    outs_.push_back(
        {ElasticQueue(table_.slots), own + std::uint64_t{told.passes} * table_.chunk, own, 0});
    ins_[p].round = std::uint64_t{table_.takes[p]} * table_.chunk;
  }
}

void ElasticRouter::clear_router() {
  for (Out& out : outs_) {
    out.queue.clear();
    out.sent = 0;
  }
  for (In& in : ins_) in.taken = 0;
}

PortSet ElasticRouter::passes(Port in) const {
  PortSet ports;
  const std::uint64_t arrival = ins_[in].taken / table_.chunk;
  for (const Port out : table_.feeds[in]) {
    if (table_.place(in, arrival, out) != ElasticRouterTable::kNotPassed) ports.insert(out);
  }
  return ports;
}

bool ElasticRouter::is_next(Port in, Port out) const {
  const std::uint64_t taken = ins_[in].taken;
  const std::uint64_t place = table_.place(in, taken / table_.chunk, out);
  return outs_[out].sent == place * table_.chunk + taken % table_.chunk;
}

void ElasticRouter::settle_router() {
  pins_.s_ready_o = pins_.m_valid_o = pins_.in_ready_o = pins_.out_valid_o = PortSet();
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const Out& out = outs_[p];
    if (out.sent < out.own && out.queue.ready()) pins_.s_ready_o.insert(port);
    if (!out.queue.valid()) continue;
    pins_.out_valid_o.insert(port);
    pins_.out_data_o[p] = out.queue.front();
  }
  for (std::size_t q = 0; q < ins_.size(); ++q) {
    const auto port = static_cast<Port>(q);
    bool open = ins_[q].round != 0;
    const PortSet on = passes(port);
    for (const Port p : on) open = open && is_next(port, p) && outs_[p].queue.ready();
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
  for (std::size_t q = 0; q < ins_.size(); ++q) {
    const auto port = static_cast<Port>(q);
    if (!pins_.in_valid_i.contains(port) || !pins_.in_ready_o.contains(port)) continue;
    for (const Port p : passes(port)) {
      pushed[p] = pins_.in_data_i[q];
      if (!pins_.add_i.contains(port)) continue;
      pushed[p] = pins_.s_data_i[p];
      pushed[p]->value = sum(pins_.in_data_i[q].value, pins_.s_data_i[p].value);
      pushed[p]->terms += pins_.in_data_i[q].terms;
    }
    if (++ins_[q].taken == ins_[q].round) ins_[q].taken = 0;
  }
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    if (!pushed[p] && pins_.s_valid_i.contains(port) && pins_.s_ready_o.contains(port)) {
      pushed[p] = pins_.s_data_i[p];
    }
    outs_[p].queue.clock(outs_[p].queue.valid() && pins_.out_ready_i.contains(port), pushed[p]);
    if (pushed[p] && ++outs_[p].sent == outs_[p].round) outs_[p].sent = 0;
  }
}

}  // namespace gossamer::systemc
