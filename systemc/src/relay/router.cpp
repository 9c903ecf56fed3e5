// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/relay/router.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace gossamer::systemc {

std::ostream& operator<<(std::ostream& out, const RelayWord& word) {
  return out << (word.flit.head ? "head " : "") << word.flit.data[0];
}

void sc_trace(sc_core::sc_trace_file* file, const RelayWord& word, const std::string& name) {
  sc_core::sc_trace(file, word.flit.valid, name + ".valid");
  sc_core::sc_trace(file, word.flit.head, name + ".head");
  sc_core::sc_trace(file, word.flit.data[0], name + ".data");
}

namespace {

constexpr PacketId kHeadBit = PacketId{1} << 63;
constexpr Port kNoPort = RelayRouterConfig::kNoPort;

/// Flit `index` of the message: a value in which any lost or exchanged bit is visible. The top bits
/// are reserved for the stream router's marks.
RelayData message_flit(std::uint32_t index, int words) {
  RelayData data{};
  for (int word = 0; word < words; ++word) {
    std::uint64_t mixed = (std::uint64_t{index} * 4 + static_cast<unsigned>(word) + 1);
    mixed *= 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29U;
    data[static_cast<std::size_t>(word)] = mixed >> 2U;
  }
  return data;
}

}  // namespace

RelayTiles::RelayTiles(const Plan& plan)
    : topology(plan.topology),
      program(plan.program.as<RelayProgram>()),
      configs(plan),
      format(RelayFormat::of(configs.kind(), plan.topology.ports())) {
  if (configs.kind() == RelayRouterKind::kTree || program.clock.timing != MessageTiming::kStep) {
    return;
  }
  std::uint64_t start = 0;
  for (const std::uint64_t length : configs.step_lengths()) {
    step_starts.push_back(start);
    start += length;
  }
}

RelayTile::RelayTile(const sc_core::sc_module_name& name, std::shared_ptr<RelayTiles> tiles,
                     NodeId node)
    : RouterModule(name),
      config_(tiles->configs.config(node)),
      tiles_(std::move(tiles)),
      node_(node) {
  for (int p = 0; p < config_.ports; ++p) {
    const auto port = static_cast<Port>(p);
    if (tiles_->topology.neighbor(node, port) != kNoNode) open_.insert(port);
  }
}

void RelayTile::clear() {
  pins_.clear_i = true;
  pins_.start_i = pins_.step_start_i = false;
  pins_.in_i.fill({});
  clock_router();
  pins_.clear_i = false;
  memory_.clear();
  received_ = 0;
}

std::uint64_t RelayTile::clock(const Edge<RelayWord>& edge) {
  const auto ports = static_cast<std::size_t>(config_.ports);
  const bool combines = tiles_->combines();
  pins_.start_i = edge.cycle() == 0 && (combines || node_ == tiles_->program.source());
  if (pins_.start_i) {
    for (std::uint32_t i = 0; i < config_.clock.flits; ++i) {
      memory_.push_back(message_flit(i, tiles_->format.words));
      if (combines) RelaySum{own_word(i), 1}.put(memory_.back());
    }
  }
  for (std::size_t port = 0; port < ports; ++port) pins_.in_i[port] = edge.in(port).flit;
  if (pins_.flit_o < memory_.size()) pins_.own_data_i = memory_[pins_.flit_o];
  if (combines && pins_.store_o < memory_.size()) pins_.stored_i = memory_[pins_.store_o];
  const std::uint32_t store = pins_.write_o;
  if (config_.list) {
    pins_.entry_i = tiles_->configs.entry(node_, pins_.entry_o);
  }
  tell_step(edge.cycle());
  clock_router();
  if (pins_.deliver_o.valid) deliver(edge, store);
  for (std::size_t p = 0; p < ports; ++p) {
    if (!pins_.out_o[p].valid) continue;
    const auto port = static_cast<Port>(p);
    if (!open_.contains(port)) {
      throw ModelAssertion(
          fmt::format("node {} sends out of the mesh at port {}", node_, port_name(port)));
    }
    edge.drive(p, sent(edge, port));
  }
  return next_act(edge.cycle());
}

/// The node's word in a flit. Every flit has a different one, so that an exchange is visible.
std::uint64_t RelayTile::own_word(std::uint32_t flit) const {
  const Arithmetic& arithmetic = tiles_->arithmetic;
  const NodeId nodes = tiles_->topology.nodes();
  if (tiles_->has_own_words()) return arithmetic.word(node_, flit, config_.clock.flits, nodes);
  return arithmetic.word(node_, 0, 1, nodes) + flit;
}

/// The common counter of step mode, at the edge that ends `cycle`.
void RelayTile::tell_step(std::uint64_t cycle) {
  // The last step that starts then: a step without sends takes no time.
  const auto& starts = tiles_->step_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), cycle);
  pins_.step_start_i = after != starts.begin() && *std::prev(after) == cycle;
  if (pins_.step_start_i) pins_.step_i = static_cast<std::uint32_t>(after - starts.begin()) - 1;
}

RelayWord RelayTile::sent(const Edge<RelayWord>& edge, Port out_port) const {
  RelayWord word{pins_.out_o[out_port]};
  if (!word.flit.head) return word;
  const bool fan_out = config_.kind == RelayRouterKind::kTree;
  word.step = fan_out ? 1 : tiles_->format.step(word.flit.data) + 1;
  for (int p = 0; p < config_.ports; ++p) {
    const auto in_port = static_cast<Port>(p);
    const RelayWord& in = edge.in(in_port);
    if (!in.flit.valid || !in.flit.head) continue;
    if (fan_out) {
      word.step = in.step + 1;
      break;
    }
    if (tiles_->format.next_port(in.flit.data, in_port) == out_port) {
      word.hop = in.hop + 1;
      break;
    }
  }
  return word;
}

void RelayTile::deliver(const Edge<RelayWord>& edge, std::uint32_t store) {
  const PinFlit& flit = pins_.deliver_o;
  if (flit.head) {
    received_ = 0;
    receiving_step_ = config_.kind == RelayRouterKind::kTree ? edge.in(config_.fan_in).step
                                                             : tiles_->format.step(flit.data) + 1;
  }
  if (tiles_->combines()) {
    RelaySum::of(flit.data).put(memory_.at(store));
  } else if (memory_.size() == received_) {
    // A node that has the message keeps its words.
    memory_.push_back(flit.data);
  }
  if (++received_ == config_.clock.flits) {
    tiles_->deliveries.push_back({node_, receiving_step_, 0});
    if (!tiles_->combines()) return;
    if (!tiles_->has_own_words()) tiles_->results.push_back(sum());
    for (std::uint32_t i = 0; i < memory_.size() && tiles_->has_own_words(); ++i) {
      const RelaySum word = RelaySum::of(memory_[i]);
      tiles_->results.push_back({node_, i, word.value, word.terms});
    }
  }
}

/// The node's word: that of its first flit, unless another flit has a different number of terms.
Result RelayTile::sum() const {
  const RelaySum first = RelaySum::of(memory_.front());
  for (std::uint32_t i = 1; i < memory_.size(); ++i) {
    const RelaySum flit = RelaySum::of(memory_[i]);
    const std::uint64_t value = flit.value - std::uint64_t{i} * flit.terms;
    if (value != first.value || flit.terms != first.terms) return {node_, 0, value, flit.terms};
  }
  return {node_, 0, first.value, first.terms};
}

std::uint64_t RelayTile::next_act(std::uint64_t cycle) const {
  if (pins_.busy_o) return cycle + 1;
  const auto& starts = tiles_->step_starts;
  if (starts.empty() || memory_.empty()) return kUntilArrival;
  if (config_.kind == RelayRouterKind::kRule) {
    // It sends in every remaining step.
    const auto next = std::upper_bound(starts.begin(), starts.end(), cycle);
    return next == starts.end() ? kUntilArrival : *next;
  }
  const RelayEntry entry = tiles_->configs.entry(node_, pins_.entry_o);
  const bool waits = entry.valid && starts[entry.step] > cycle;
  return waits ? starts[entry.step] : kUntilArrival;
}

std::unique_ptr<RelayTile> make_model_relay_tile(const char* name,
                                                 const std::shared_ptr<RelayTiles>& tiles,
                                                 NodeId node) {
  if (tiles->configs.kind() == RelayRouterKind::kTree) {
    return std::make_unique<FanOutRouter>(name, tiles, node);
  }
  return std::make_unique<RelayRouter>(name, tiles, node);
}

void RelayRouter::start_over() {
  way_.fill(kNoPort);
  held_ = false;
  timer_ = 0;
  flits_left_ = 0;
  entry_ = 0;
  adds_ = false;
  adder_.assign(config_.adder_cycles, {});
  adding_ = 0;
  pins_.store_o = 0;
  pins_.write_o = 0;
  pins_.out_o.fill({});
  pins_.deliver_o = {};
  pins_.entry_o = 0;
  pins_.flit_o = 0;
  pins_.busy_o = false;
  pins_.error_o = false;
}

RelayRouter::RuleSend RelayRouter::rule_send(std::uint32_t step, std::uint32_t tag,
                                             std::uint32_t order_level) const {
  const int d = config_.ports / 2;
  for (std::uint32_t level = 15; level >= 1; --level) {
    for (int i = 0; i < d; ++i) {
      if (config_.levels[static_cast<std::size_t>(i)] < level || step-- != 0) continue;
      int dim = i;
      const std::uint32_t order = level == order_level ? tag >> config_.format.dimensions : 0;
      if (order == 1) dim = d == 2 ? 1 - i : (3 - i) % 3;
      if (order == 2) dim = (i + 1) % 3;
      const std::uint32_t odd = (level ^ std::uint32_t{config_.parity} >> dim ^ tag >> dim) & 1U;
      const std::uint32_t power = std::uint32_t{1} << level;
      const std::uint32_t distance = (level % 2 == 0 ? power - 1 : power + 1) / 3;
      return {true, level, make_port(dim, odd == 1), distance - 1};
    }
  }
  return {};
}

RelayEntry RelayRouter::next_entry() const {
  if (config_.list) return pins_.entry_i;
  const RuleSend send = rule_send(step_, tag_, level_);
  RelayEntry entry;
  entry.valid = send.valid;
  entry.port = send.port;
  entry.hops = send.hops;
  entry.step = step_;
  const std::uint32_t side_mask = (std::uint32_t{1} << config_.format.dimensions) - 1;
  entry.tag = send.level == level_ ? tag_ : tag_ & side_mask;
  return entry;
}

void RelayRouter::put(std::array<PinFlit, kMaxPorts>& next, Port port, const PinFlit& flit) {
  if (next[port].valid) {
    pins_.error_o = true;
    throw ModelAssertion(fmt::format("{}: two messages on one link at once, out-port {}",
                                     static_cast<const char*>(name()), port_name(port)));
  }
  next[port] = flit;
}

void RelayRouter::route(std::array<PinFlit, kMaxPorts>& next) {
  pins_.deliver_o = {};
  for (int q = 0; q < config_.ports; ++q) {
    const auto in_port = static_cast<Port>(q);
    PinFlit flit = pins_.in_i[in_port];
    if (!flit.valid) continue;
    if (flit.head) {
      way_[in_port] = config_.format.next_port(flit.data, in_port).value_or(kNoPort);
      if (way_[in_port] != kNoPort) config_.format.advance(flit.data);
    }
    if (way_[in_port] != kNoPort) {
      put(next, way_[in_port], flit);
      continue;
    }
    if (pins_.deliver_o.valid || (flits_left_ != 0 && !config_.duplex)) {
      pins_.error_o = true;
      throw ModelAssertion(
          fmt::format("{}: the node {} at once", static_cast<const char*>(name()),
                      pins_.deliver_o.valid ? "gets two messages" : "receives and sends"));
    }
    pins_.deliver_o = flit;
  }
}

/// A delivered word is combined with the memory's word, or replaces it.
void RelayRouter::add_up() {
  PinFlit& flit = pins_.deliver_o;
  if (!flit.valid) return;
  if (flit.head) adds_ = config_.format.step(flit.data) < config_.adding_steps;
  pins_.store_o = (pins_.store_o + 1) % config_.clock.flits;
  if (!adds_) return;
  const RelaySum own = RelaySum::of(pins_.stored_i);
  const RelaySum come = RelaySum::of(flit.data);
  RelaySum{arithmetic().combine(own.value, come.value), own.terms + come.terms}.put(flit.data);
}

/// A sum leaves the adder some cycles after its word has arrived; a word that replaces another one
/// goes past it.
void RelayRouter::through_adder() {
  const PinFlit flit = pins_.deliver_o;
  const bool added = flit.valid && adds_;
  adder_.push_back(added ? flit : PinFlit{});
  const PinFlit sum = adder_.front();
  adder_.pop_front();
  if (added) {
    adding_ = config_.adder_cycles;
  } else if (adding_ != 0) {
    --adding_;
  }
  if (sum.valid && flit.valid && !added) {
    pins_.error_o = true;
    throw ModelAssertion(
        fmt::format("{}: two words for the memory at once", static_cast<const char*>(name())));
  }
  if (sum.valid || added) pins_.deliver_o = sum;
}

void RelayRouter::clock_router() {
  if (pins_.clear_i) {
    start_over();
    return;
  }
  std::array<PinFlit, kMaxPorts> next{};
  route(next);
  const bool combines = config_.kind == RelayRouterKind::kSums;
  const bool first = pins_.deliver_o.valid && pins_.deliver_o.head;
  if (combines) {
    add_up();
    through_adder();
    // A step may begin at the edge at which the memory stores its first sum: sums bypass the
    // memory.
    if (pins_.deliver_o.valid && pins_.write_o == pins_.flit_o &&
        config_.clock.flits + config_.clock.relay_cycles <= config_.adder_cycles + 1) {
      RelaySum::of(pins_.deliver_o.data).put(pins_.own_data_i);
    }
  }

  const MessageClock& clock = config_.clock;
  const std::uint32_t period = clock.flits + clock.relay_cycles;
  const bool informed = first && !held_;
  if (first || pins_.start_i) {
    // By the rule, the node sends in every step after the message's.
    step_ = pins_.start_i ? 0 : config_.format.step(pins_.deliver_o.data) + 1;
    tag_ = pins_.start_i ? config_.start_side : config_.format.tag(pins_.deliver_o.data);
    level_ = pins_.start_i ? 0 : rule_send(step_ - 1, 0, 0).level;
  }
  const bool at_once = informed && period == 1;
  const bool ripe = pins_.start_i || timer_ == 1 || at_once;
  RelayEntry entry = next_entry();
  bool sends = entry.valid && ripe;
  if (clock.timing == MessageTiming::kStep) {
    const bool due = entry.valid && pins_.step_start_i && entry.step == pins_.step_i;
    sends = due && (ripe || (held_ && timer_ == 0));
    if (due && held_ && !sends) {
      pins_.error_o = true;
      throw ModelAssertion(fmt::format("{}: step {} starts before the node is ready to send",
                                       static_cast<const char*>(name()), pins_.step_i + 1));
    }
  }

  if (sends) {
    PinFlit flit{true, true, at_once ? pins_.deliver_o.data : pins_.own_data_i};
    config_.format.put_header(flit.data, entry);
    put(next, entry.port, flit);
    send_port_ = entry.port;
    flits_left_ = clock.flits - 1;
    timer_ = period;
    ++entry_;
    step_ = entry.step + 1;
  } else {
    if (flits_left_ != 0) {
      put(next, send_port_, {true, false, pins_.own_data_i});
      --flits_left_;
    }
    if (informed) {
      timer_ = period - 1;
    } else if (timer_ != 0) {
      --timer_;
    }
  }
  held_ = held_ || first || pins_.start_i;
  if (pins_.deliver_o.valid) pins_.write_o = (pins_.write_o + 1) % clock.flits;
  pins_.out_o = next;
  pins_.entry_o = entry_;
  pins_.flit_o = flits_left_ == 0 ? 0 : clock.flits - flits_left_;
  pins_.busy_o = timer_ != 0 || adding_ != 0;
}

PacketId FanOutSource::inject(RelayRouterPins& pins, std::uint32_t flits) {
  if (pins.start_i) {
    flits_left = flits;
    pins.flit_o = 0;
  }
  if (flits_left == 0) return kNoPacket;
  const bool head = flits_left == flits;
  --flits_left;
  pins.flit_o = flits_left == 0 ? 0 : flits - flits_left;
  return fan_out_packet({true, head, pins.own_data_i});
}

PinFlit fan_out_flit(PacketId packet) {
  if (packet == kNoPacket) return {};
  return {true, (packet & kHeadBit) != 0, {packet & ~kHeadBit}};
}

PacketId fan_out_packet(const PinFlit& flit) {
  if (!flit.valid) return kNoPacket;
  return (flit.data[0] & ~kHeadBit) | (flit.head ? kHeadBit : 0);
}

FanOutRouter::FanOutRouter(const sc_core::sc_module_name& name, std::shared_ptr<RelayTiles> tiles,
                           NodeId node)
    : RelayTile(name, std::move(tiles), node) {
  OutPortTable feeding;
  if (config_.fan_in != kNoPort) feeding.feed = PortSet::of(config_.fan_in);
  for (int port = 0; port < config_.ports; ++port) {
    const bool copies = config_.fan_out.contains(static_cast<Port>(port));
    out_ports_.emplace_back(copies ? feeding : OutPortTable(), 1);
  }
}

void FanOutRouter::clock_router() {
  if (pins_.clear_i) {
    for (OutPort& out_port : out_ports_) out_port.clear();
    source_ = {};
    pins_.out_o.fill({});
    pins_.flit_o = 0;
    pins_.deliver_o = {};
    pins_.busy_o = false;
    pins_.error_o = false;
    return;
  }
  const PacketId own = source_.inject(pins_, config_.clock.flits);
  std::array<PacketId, kMaxPorts> arrivals{};
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    arrivals[port] = fan_out_packet(pins_.in_i[port]);
  }
  pins_.deliver_o = config_.fan_in == kNoPort ? PinFlit{} : pins_.in_i[config_.fan_in];
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    const bool copies = config_.fan_out.contains(static_cast<Port>(port));
    const PacketId taken = out_ports_[port].clock(1, copies ? own : kNoPacket,
                                                  std::span(arrivals).first(out_ports_.size()));
    pins_.out_o[port] = fan_out_flit(taken);
  }
  pins_.busy_o = source_.flits_left != 0;
}

}  // namespace gossamer::systemc
