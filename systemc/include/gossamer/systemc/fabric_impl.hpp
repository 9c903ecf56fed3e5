// SPDX-License-Identifier: Apache-2.0
/// The definitions of Fabric's members; fabric.hpp includes it.
#pragma once

#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

template <typename Word>
Fabric<Word>::Fabric(const sc_core::sc_module_name& name, const Topology& topology,
                     const RouterFactory& make_router, const FabricOptions& options)
    : sc_core::sc_module(name),
      topology_(topology),
      ports_(static_cast<std::size_t>(topology.ports())),
      latency_(options.latency),
      barriers_(options.barriers),
      next_barrier_(barriers_.size()) {
  if (latency_ == 0) throw std::invalid_argument("a link's latency is at least 1");
  routers_.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const std::string router_name = "router_" + std::to_string(node);
    if (options.pins) {
      pinned_routers_.push_back(std::make_unique<PinnedRouter<Word>>(
          router_name.c_str(), ports_, latency_, [&] { return make_router("core", node); }));
      routers_.push_back(&pinned_routers_.back()->router());
    } else {
      own_routers_.push_back(make_router(router_name.c_str(), node));
      routers_.push_back(own_routers_.back().get());
    }
  }
  receiver_.reserve(topology.link_slots());
  for (LinkId link = 0; link < topology.link_slots(); ++link) {
    receiver_.push_back(topology.neighbor(topology.link_from(link), topology.link_port(link)));
    if (receiver_.back() == kNoNode) border_.push_back(link);
  }

  SC_HAS_PROCESS(Fabric);
  if (options.pins) {
    wire_pins(topology);
    SC_METHOD(update_wave);
    dont_initialize();
    sensitive << settled_;
  } else {
    wire(topology);
  }
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

template <typename Word>
void Fabric<Word>::wire(const Topology& topology) {
  const auto idle_slot = static_cast<LinkId>(topology.link_slots());
  for (Registers& registers : registers_) registers.words.assign(idle_slot + 1, Traits::kIdle);
  wires_.resize(latency_ - std::size_t{1});
  if (latency_ != 1) arriving_.words.assign(idle_slot + 1, Traits::kIdle);
  in_slots_.reserve((ports_ + 1) * topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::size_t port = 0; port < ports_; ++port) {
      const LinkId entering = topology.link_into(node, static_cast<Port>(port));
      in_slots_.push_back(entering == kNoLink ? idle_slot : entering);
    }
    in_slots_.push_back(idle_slot);
  }
  find_runs();
  wish_.assign(topology.nodes(), kUntilArrival);
  is_touched_.assign(topology.nodes(), 0);
}

template <typename Word>
void Fabric<Word>::wire_pins(const Topology& topology) {
  for (LinkId link = 0; link < topology.link_slots(); ++link) {
    signals_.emplace_back(("link_" + std::to_string(link)).c_str(), Traits::kIdle);
  }
  for (std::size_t port = 0; port < ports_; ++port) {
    border_signals_.emplace_back(("border_" + std::to_string(port)).c_str(), Traits::kIdle);
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    PinnedRouter<Word>& router = *pinned_routers_[node];
    router.clk_i(clk_i);
    router.rst_ni(rst_ni);
    router.clear_i(clear_i);
    router.start_i(start_i);
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      const LinkId entering = topology.link_into(node, port);
      router.in.bind(entering == kNoLink ? border_signals_[p] : signals_[entering]);
      router.out.bind(signals_[topology.link(node, port)]);
    }
  }
  signal_words_.assign(topology.link_slots(), Traits::kIdle);
}

template <typename Word>
std::span<const Word> Fabric<Word>::links() {
  if (signals_.empty()) return {now().words.data(), receiver_.size()};
  for (LinkId link = 0; link < signals_.size(); ++link) {
    if (receiver_[link] != kNoNode) signal_words_[link] = signals_[link].read();
  }
  return signal_words_;
}

template <typename Word>
bool Fabric<Word>::upset(LinkId link, const Upset& upset) {
  Word word = links()[link];
  if (Traits::is_idle(word)) return false;
  Traits::upset(word, upset);
  if (signals_.empty()) {
    now().words[link] = word;
  } else {
    signals_[link].write(word);
  }
  return true;
}

template <typename Word>
bool Fabric<Word>::force(LinkId link, const Word& word) {
  if (!signals_.empty()) {
    if (signals_[link].read() == word) return false;
    signals_[link].write(word);
    return true;
  }
  const bool appears = Traits::is_idle(now().words[link]) && !Traits::is_idle(word);
  now().words[link] = word;
  if (!appears) return false;
  ++now().count;
  if (now().listed) now().busy.push_back(link);
  forced_.notify(sc_core::SC_ZERO_TIME);
  return false;
}

template <typename Word>
void Fabric<Word>::check() const {
  if (failure_) std::rethrow_exception(failure_);
  for (const auto& router : pinned_routers_) {
    if (router->failure()) std::rethrow_exception(router->failure());
  }
}

template <typename Word>
bool Fabric<Word>::idle() const {
  if (failure_) return true;
  return signals_.empty() && ready_.empty() && alarms_.empty() &&
         next_barrier_ == barriers_.size() && registers_[now_].count == 0 && on_wires_ == 0;
}

template <typename Word>
template <typename Visit>
void Fabric<Word>::for_each_busy(const Registers& registers, Visit visit) const {
  if (registers.listed) {
    for (const LinkId link : registers.busy) {
      // An upset word may have vanished.
      if (!Traits::is_idle(registers.words[link])) visit(link);
    }
    return;
  }
  for (LinkId link = 0; link < receiver_.size(); ++link) {
    if (!Traits::is_idle(registers.words[link])) visit(link);
  }
}

template <typename Word>
void Fabric<Word>::make_idle(Registers& registers) const {
  if (registers.listed) {
    for (const LinkId link : registers.busy) registers.words[link] = Traits::kIdle;
  } else {
    std::fill(registers.words.begin(), registers.words.end(), Traits::kIdle);
  }
  registers.busy.clear();
  registers.listed = true;
  registers.count = 0;
}

template <typename Word>
void Fabric<Word>::clear() {
  for (Registers& registers : registers_) make_idle(registers);
  for (auto& wire : wires_) wire.clear();
  on_wires_ = 0;
  ready_.clear();
  alarms_ = {};
  next_barrier_ = barriers_.size();
  std::fill(wish_.begin(), wish_.end(), kUntilArrival);
  cycle_ = 0;
  failure_ = nullptr;
  for (Router* const router : routers_) {
    if (rst_ni.read()) {
      router->clear();
    } else {
      router->reset();
    }
  }
}

template <typename Word>
void Fabric<Word>::clock() {
  ++activations_;
  if (!signals_.empty()) {
    // The routers clock themselves.
    router_edges_ += routers_.size();
    if (!wave_.empty()) settled_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  const bool woken = asleep_;
  asleep_ = false;
  if (!rst_ni.read() || (clear_i.read() && !woken)) {
    clear();
  } else if (woken) {
    // A control pin that has changed or a forced link caused this activation, not an edge: from now
    // on the clock matters again.
    return;
  } else if (start_i.read()) {
    clear();
    next_barrier_ = 0;
    edge();
  } else if (!idle()) {
    edge();
  }
  if (!wave_.empty()) update_wave();
  if (idle()) {
    asleep_ = true;
    if (wakes_.size() == 0) {
      wakes_ |= start_i.posedge_event();
      wakes_ |= clear_i.posedge_event();
      wakes_ |= rst_ni.negedge_event();
      wakes_ |= forced_;
    }
    next_trigger(wakes_);
  }
}

template <typename Word>
void Fabric<Word>::move_along_wires() {
  auto& wire = wires_[cycle_ % wires_.size()];
  on_wires_ -= wire.size();
  make_idle(arriving_);
  for (const auto& [link, word] : wire) {
    arriving_.words[link] = word;
    arriving_.busy.push_back(link);
  }
  arriving_.count = wire.size();
  wire.clear();
  for_each_busy(now(), [&](LinkId link) { wire.emplace_back(link, now().words[link]); });
  on_wires_ += wire.size();
}

template <typename Word>
void Fabric<Word>::edge() {
  if (latency_ != 1) move_along_wires();
  while (!alarms_.empty() && alarms_.top().first <= cycle_) {
    const auto [cycle, node] = alarms_.top();
    alarms_.pop();
    if (wish_[node] == cycle) ready_.push_back(node);
  }
  const bool barrier = next_barrier_ < barriers_.size() && barriers_[next_barrier_] == cycle_;
  if (barrier) ++next_barrier_;
  try {
    // With one word per router on average, skipping idle routers costs more than an edge at which
    // they do nothing.
    if (cycle_ == 0 || barrier || arriving().count + ready_.size() >= routers_.size()) {
      edge_of_all(next());
    } else {
      edge_of_touched(arriving(), next());
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  ready_.swap(next_ready_);
  next_ready_.clear();
  now_ = 1 - now_;
  ++cycle_;
}

template <typename Word>
inline Edge<Word> Fabric<Word>::edge_at(NodeId node) {
  return {cycle_, arriving().words.data(), &in_slots_[node * (ports_ + 1)],
          &next().words[node * ports_]};
}

template <typename Word>
inline void Fabric<Word>::note_wish(NodeId node, std::uint64_t wish) {
  if (wish <= cycle_ + 1) {
    next_ready_.push_back(node);
  } else if (wish_[node] != wish) {
    alarms_.emplace(wish, node);
  }
  wish_[node] = wish;
}

template <typename Word>
template <typename Router>
void RouterRun<Word>::clock_as() {
  Fabric<Word>& fabric = *fabric_;
  RouterModule<Word>* const* const routers = fabric.routers_.data();
  const auto each = [&](auto clock) {
    const Edge<Word> first = fabric.edge_at(first_);
    for (NodeId node = first_; node < end_; ++node) {
      // A router's state follows the module's state, far from that of the previous router. It is
      // fetched from memory while a few others are clocked.
      constexpr NodeId kAhead = 6;
      __builtin_prefetch(routers[std::min(node + kAhead, end_ - 1)] + 1);
      const std::uint64_t wish = clock(*routers[node], first.ahead(node - first_, fabric.ports_));
      if (wish != kUntilArrival) fabric.note_wish(node, wish);
    }
  };
  if constexpr (!std::is_abstract_v<Router>) {
    if (typeid(*routers[first_]) == typeid(Router)) {
      each([](RouterModule<Word>& router, const Edge<Word>& edge) {
        return static_cast<Router&>(router).Router::clock(edge);
      });
      return;
    }
  }
  each([](RouterModule<Word>& router, const Edge<Word>& edge) { return router.clock(edge); });
}

template <typename Word>
void Fabric<Word>::find_runs() {
  for (NodeId node = 0; node < routers_.size(); ++node) {
    const Router& router = *routers_[node];
    if (node == 0 || typeid(router) != typeid(*routers_[node - 1])) {
      runs_.push_back({});
      runs_.back().first_ = node;
      runs_.back().fabric_ = this;
    }
    runs_.back().end_ = node + 1;
  }
}

template <typename Word>
void Fabric<Word>::edge_of_all(Registers& next) {
  router_edges_ += routers_.size();
  next.listed = false;
  next.busy.clear();
  std::fill(next.words.begin(), next.words.end(), Traits::kIdle);
  for (RouterRun<Word>& run : runs_) routers_[run.first_]->clock_run(run);
  for (const LinkId link : border_) next.words[link] = Traits::kIdle;
  std::size_t busy = 0;
  for (const Word& word : next.words) {
    if (!Traits::is_idle(word) && ++busy == routers_.size()) break;
  }
  next.count = busy;
}

template <typename Word>
void Fabric<Word>::touch(NodeId node) {
  if (is_touched_[node] != 0) return;
  is_touched_[node] = 1;
  touched_.push_back(node);
}

template <typename Word>
void Fabric<Word>::edge_of_touched(const Registers& arriving, Registers& next) {
  make_idle(next);
  for (const NodeId node : ready_) touch(node);
  for_each_busy(arriving, [this](LinkId link) { touch(receiver_[link]); });
  // In node order, which is their order in memory.
  if (touched_.size() < routers_.size() / 16) {
    std::sort(touched_.begin(), touched_.end());
  } else {
    touched_.clear();
    for (NodeId node = 0; node < routers_.size(); ++node) {
      if (is_touched_[node] != 0) touched_.push_back(node);
    }
  }
  router_edges_ += touched_.size();
  for (const NodeId node : touched_) {
    is_touched_[node] = 0;
    const std::uint64_t wish = routers_[node]->clock(edge_at(node));
    if (wish != kUntilArrival) note_wish(node, wish);
    for (std::size_t port = 0; port < ports_; ++port) {
      const auto link = static_cast<LinkId>(node * ports_ + port);
      if (Traits::is_idle(next.words[link])) continue;
      if (receiver_[link] == kNoNode) {
        next.words[link] = Traits::kIdle;
      } else {
        next.busy.push_back(link);
      }
    }
  }
  touched_.clear();
  next.count = next.busy.size();
}

template <typename Word>
void Fabric<Word>::trace_links(sc_core::sc_trace_file* file) {
  for (LinkId link = 0; link < receiver_.size(); ++link) {
    if (receiver_[link] != kNoNode) wave_.emplace_back(link, typename Traits::Wave{});
  }
  // No growth after this point: the file keeps the addresses.
  for (const auto& [link, wave] : wave_) wave.trace(file, link_wave_name(topology_, link));
  if (signals_.empty()) sc_core::sc_trace(file, cycle_, "step");
}

template <typename Word>
void Fabric<Word>::update_wave() {
  const std::span<const Word> words = links();
  for (auto& [link, wave] : wave_) wave.show(words[link]);
}

}  // namespace gossamer::systemc
