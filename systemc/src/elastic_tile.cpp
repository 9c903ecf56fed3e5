// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/elastic_tile.hpp"

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
}

ElasticRouter::ElasticRouter(const StreamProgram& program, const Topology& topology, NodeId node)
    : outs_(static_cast<std::size_t>(topology.ports())), ins_(outs_.size()) {
  const std::uint64_t chunk = program.elastic->chunk;
  for (std::size_t p = 0; p < outs_.size(); ++p) {
    const auto port = static_cast<Port>(p);
    const PortProgram& at = program.at(node, port);
    outs_[p].round = at.carries * chunk;
    outs_[p].own = at.preload.size() * chunk;
    if (outs_[p].round > outs_[p].own) ins_[at.feed.front()].feeds.insert(port);
    if (const NodeId from = topology.neighbor(node, port); from != kNoNode) {
      ins_[p].round = program.at(from, opposite(port)).carries * chunk;
    }
  }
}

void ElasticRouter::clear() {
  for (Out& out : outs_) out.sent = 0;
  for (In& in : ins_) in.taken = 0;
}

PortSet ElasticRouter::passes(Port in) const {
  PortSet ports;
  for (const Port out : ins_[in].feeds) {
    if (ins_[in].taken < outs_[out].round - outs_[out].own) ports.insert(out);
  }
  return ports;
}

bool ElasticRouter::takes(Port in, PortSet room) const {
  for (const Port out : passes(in)) {
    if (own_is_due(out) || !room.contains(out)) return false;
  }
  return true;
}

void ElasticRouter::sent(Port out) {
  if (++outs_[out].sent == outs_[out].round) outs_[out].sent = 0;
}

void ElasticRouter::took(Port in) {
  if (++ins_[in].taken == ins_[in].round) ins_[in].taken = 0;
}

ElasticTiles::ElasticTiles(const Plan& planned, StallScript script)
    : plan(planned),
      stalls(std::move(script)),
      latencies(elastic_of(planned)->latency.by_link(planned.topology)) {}

ElasticTile::ElasticTile(const sc_core::sc_module_name& name,
                         std::shared_ptr<const ElasticTiles> tiles, NodeId node)
    : RouterModule(name),
      tiles_(std::move(tiles)),
      node_(node),
      router_(std::get<StreamProgram>(tiles_->plan.program), tiles_->plan.topology, node) {
  const Topology& topology = tiles_->plan.topology;
  const auto& program = std::get<StreamProgram>(tiles_->plan.program);
  for (int p = 0; p < topology.ports(); ++p) {
    const auto port = static_cast<Port>(p);
    const PortProgram& at = program.at(node, port);
    if (at.carries != 0) {
      OutPort& out = outs_.emplace_back();
      out.port = port;
      if (!at.preload.empty()) {
        out.packet = PacketId{node} * program.packets_per_node() + at.preload.front();
      }
      out.stages.emplace_back(program.elastic->slots);
      const std::uint32_t latency = tiles_->latencies[topology.link(node, port)];
      out.stages.resize(latency, ElasticQueue(2));
    }
    const NodeId from = topology.neighbor(node, port);
    if (from != kNoNode && program.at(from, opposite(port)).carries != 0) {
      ins_.emplace_back().port = port;
    }
  }
  clear();
}

void ElasticTile::clear() {
  router_.clear();
  for (OutPort& out : outs_) {
    for (ElasticQueue& stage : out.stages) stage.clear();
    out.next_flit = 0;
    out.left = out.packet == kNoPacket ? 0 : elastic_of(tiles_->plan)->flits();
    out.offered = false;
  }
  for (InPort& in : ins_) in.shown = in.ready = false;
  cycle_ = 0;
  moved_ = false;
}

PortSet ElasticTile::room() const {
  PortSet ports;
  for (const OutPort& out : outs_) {
    if (out.stages.front().ready()) ports.insert(out.port);
  }
  return ports;
}

std::uint64_t ElasticTile::clock(const Edge<ElasticWord>& edge) {
  moved_ = false;
  if (edge.cycle() != 0) {
    // All of them look at the registers as they are in the cycle that ends.
    for (OutPort& out : outs_) out.pushed.reset();
    take_arrivals(edge);
    offer_own();
    move_along_links(edge);
    ++cycle_;
  }
  drive(edge);
  return edge.cycle() + 1;
}

void ElasticTile::take_arrivals(const Edge<ElasticWord>& edge) {
  for (InPort& in : ins_) {
    const ElasticWord& arriving = edge.in(in.port);
    if (!arriving.valid) continue;
    in.shown = in.shown || tiles_->stalls.is_open(Gate::kShow, node_, in.port, cycle_);
    if (!in.ready) continue;
    const PortSet passing = router_.passes(in.port);
    for (OutPort& out : outs_) {
      if (passing.contains(out.port)) out.pushed = arriving.flit;
    }
    router_.took(in.port);
    in.shown = false;
    moved_ = true;
  }
}

void ElasticTile::offer_own() {
  for (OutPort& out : outs_) {
    if (out.left == 0 || cycle_ < tiles_->stalls.start(node_)) continue;
    out.offered = out.offered || tiles_->stalls.is_open(Gate::kOffer, node_, out.port, cycle_);
    if (!out.offered || !router_.own_is_due(out.port) || !out.stages.front().ready()) continue;
    out.pushed = ElasticFlit{out.packet, out.next_flit++};
    out.offered = false;
    --out.left;
  }
}

void ElasticTile::move_along_links(const Edge<ElasticWord>& edge) {
  for (OutPort& out : outs_) {
    if (out.pushed) {
      router_.sent(out.port);
      moved_ = true;
    }
    // From the far end on: whether a stage has room does not depend on whether it loses a flit.
    bool pops = out.stages.back().valid() && edge.in(out.port).ready;
    for (std::size_t at = out.stages.size(); at-- > 0;) {
      ElasticQueue& stage = out.stages[at];
      const bool first = at == 0;
      std::optional<ElasticFlit> push;
      bool before_pops = false;
      if (first) {
        push = out.pushed;
      } else {
        before_pops = out.stages[at - 1].valid() && stage.ready();
        if (before_pops) push = out.stages[at - 1].front();
      }
      stage.clock(pops, push);
      moved_ = moved_ || pops;
      pops = before_pops;
    }
  }
}

void ElasticTile::drive(const Edge<ElasticWord>& edge) {
  const PortSet with_room = room();
  for (InPort& in : ins_) {
    in.ready = router_.takes(in.port, with_room) &&
               tiles_->stalls.is_open(Gate::kAccept, node_, in.port, cycle_) &&
               (in.shown || tiles_->stalls.is_open(Gate::kShow, node_, in.port, cycle_));
  }
  for (const InPort& in : ins_) {
    if (in.ready) edge.drive(in.port, {.valid = false, .ready = true, .flit = {}});
  }
  for (const OutPort& out : outs_) {
    const ElasticQueue& last = out.stages.back();
    if (!last.valid()) continue;
    const bool ready = edge.out(out.port).ready;
    edge.drive(out.port, {.valid = true, .ready = ready, .flit = last.front()});
  }
}

bool ElasticTile::can_go() const {
  return std::any_of(outs_.begin(), outs_.end(), [this](const OutPort& out) {
    for (std::size_t at = 1; at < out.stages.size(); ++at) {
      if (out.stages[at - 1].valid() && out.stages[at].ready()) return true;
    }
    return out.left != 0 && router_.own_is_due(out.port) && out.stages.front().ready() &&
           (out.offered ||
            tiles_->stalls.next_open(Gate::kOffer, node_, out.port, cycle_) != kNever);
  });
}

bool ElasticTile::can_take(Port port) const {
  const auto in = std::find_if(ins_.begin(), ins_.end(),
                               [port](const InPort& one) { return one.port == port; });
  return in != ins_.end() && router_.takes(port, room()) &&
         tiles_->stalls.next_open(Gate::kAccept, node_, port, cycle_) != kNever &&
         (in->shown || tiles_->stalls.next_open(Gate::kShow, node_, port, cycle_) != kNever);
}

std::size_t ElasticTile::held(Port port) const {
  std::size_t flits = 0;
  for (const OutPort& out : outs_) {
    if (out.port != port) continue;
    for (const ElasticQueue& stage : out.stages) flits += stage.held();
  }
  return flits;
}

}  // namespace gossamer::systemc
