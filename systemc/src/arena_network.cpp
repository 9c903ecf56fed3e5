// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/arena_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "gossamer/systemc/network.hpp"
#include "gossamer/systemc/schedule_router.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

namespace {

/// A plain program is stepped link by link while fewer than one link in kSparseBelow is busy, and
/// as a whole again above one in kDenseAbove. The gap keeps a constant load from switching to and
/// fro. A listed link costs about eight times one of a sweep.
constexpr std::size_t kSparseBelow = 16;
constexpr std::size_t kDenseAbove = 8;

}  // namespace

ArenaNetwork::ArenaNetwork(const sc_core::sc_module_name& name, const Plan& plan,
                           const RouterFactory& make_router)
    : sc_core::sc_module(name),
      plan_(&plan),
      program_(std::get_if<StreamProgram>(&plan.program)),
      schedule_(std::get_if<ScheduleProgram>(&plan.program)),
      frame_(frame_of(plan)),
      depth_(plan.expected.queue_depth),
      plain_(!make_router && program_ != nullptr && program_->is_plain()),
      ports_(static_cast<std::size_t>(plan.topology.ports())),
      arena_(static_cast<std::size_t>(plan.topology.link_slots())),
      links_(arena_.slots()) {
  if (depth_ == 0) throw std::invalid_argument("a router's queue depth is at least 1");
  if (program_ == nullptr && schedule_ == nullptr) throw std::bad_variant_access();
  const Topology& topology = plan.topology;
  if (schedule_ != nullptr && !topology.is_torus()) {
    throw InputError("program: a schedule runs on a torus only; this plan's topology is a mesh");
  }
  routers_.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      if (topology.neighbor(node, port) == kNoNode) continue;
      const LinkId link = topology.link(node, port);
      links_[link] =
          std::make_unique<ArenaLink>(fmt::format("link_{}", link).c_str(), arena_, link);
      for (std::uint32_t slot = 0; program_ != nullptr && slot < frame_; ++slot) {
        const PortProgram& at = program_->at(node, static_cast<Port>(p * frame_ + slot));
        longest_preload_ = std::max(longest_preload_, at.preload.size());
      }
    }
    const std::string router_name = fmt::format("router_{}", node);
    routers_.push_back(make_router ? make_router(router_name.c_str(), plan, node)
                                   : make_model_router(router_name.c_str(), node));
  }
  injections_end_ = schedule_ != nullptr ? schedule_->steps() : longest_preload_ * frame_;
  const auto idle = static_cast<LinkId>(arena_.slots());
  for (std::size_t port = 0; port < ports_; ++port) {
    border_.push_back(
        std::make_unique<ArenaLink>(fmt::format("border_{}", port).c_str(), arena_, idle));
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      const auto& leaving = links_[topology.link(node, port)];
      routers_[node]->out.bind(leaving != nullptr ? *leaving : *border_[p]);
      const LinkId entering = topology.link_into(node, port);
      routers_[node]->in.bind(entering != kNoLink ? *links_[entering] : *border_[p]);
    }
  }

  SC_HAS_PROCESS(ArenaNetwork);
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

ArenaNetwork::~ArenaNetwork() = default;

std::unique_ptr<ArenaRouter> ArenaNetwork::make_model_router(const char* name, NodeId node) const {
  if (schedule_ != nullptr) return std::make_unique<ScheduleRouter>(name, *schedule_);
  return std::make_unique<ModelRouter>(name, router_table(*plan_, node));
}

void ArenaNetwork::end_of_elaboration() {
  const auto idle = static_cast<LinkId>(arena_.slots());
  in_slot_.reserve(arena_.slots());
  out_slot_.reserve(arena_.slots());
  receiver_.assign(arena_.slots(), kNoNode);
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    for (std::size_t port = 0; port < ports_; ++port) {
      const LinkId entering = routers_[node]->in[static_cast<int>(port)]->slot();
      in_slot_.push_back(entering);
      out_slot_.push_back(routers_[node]->out[static_cast<int>(port)]->slot());
      if (entering != idle) receiver_[entering] = static_cast<NodeId>(node);
    }
  }
  if (!plain_) {
    is_next_active_.assign(routers_.size(), 0);
    return;
  }

  source_.assign(arena_.slots(), idle);
  fed_begin_.assign(arena_.slots() + 2, 0);
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    for (std::size_t port = 0; port < ports_; ++port) {
      const LinkId leaving = out_slot_[node * ports_ + port];
      if (leaving == idle) continue;
      const PortSet feed = program_->at(static_cast<NodeId>(node), static_cast<Port>(port)).feed;
      if (!feed.empty()) source_[leaving] = in_slot_[node * ports_ + feed.front()];
      ++fed_begin_[source_[leaving] + 1];
    }
  }
  // Counting sort of the links by their source; the idle slot's share stands last and is not used.
  for (std::size_t slot = 1; slot < fed_begin_.size(); ++slot) {
    fed_begin_[slot] += fed_begin_[slot - 1];
  }
  fed_.resize(fed_begin_.back());
  std::vector<std::uint32_t> fill(fed_begin_.begin(), fed_begin_.end() - 1);
  for (const LinkId leaving : out_slot_) {
    if (leaving != idle) fed_[fill[source_[leaving]]++] = leaving;
  }
  // Only the other programs need these from here on.
  in_slot_ = {};
  out_slot_ = {};
  receiver_ = {};
}

PacketId ArenaNetwork::own_packet(NodeId node, std::size_t port, std::uint64_t step) const {
  if (schedule_ != nullptr) {
    const PacketSource source = schedule_->source(step + 1, static_cast<Port>(port));
    if (source.kind != PacketSource::Kind::kOwn) return kNoPacket;
    return PacketId{node} * schedule_->packets_per_node() + source.index;
  }
  if (plan_->topology.neighbor(node, static_cast<Port>(port)) == kNoNode) return kNoPacket;
  // In frames, the index-th packet of a slot's list goes in its index-th turn.
  const std::uint64_t index = step / frame_;
  const auto in_slot = static_cast<Port>(port * frame_ + step % frame_);
  const std::vector<std::uint16_t>& preload = program_->at(node, in_slot).preload;
  // What the queue has no room for is lost at once (OutPort::injections).
  if (index >= std::min<std::size_t>(depth_, preload.size())) return kNoPacket;
  return PacketId{node} * program_->packets_per_node() + preload[static_cast<std::size_t>(index)];
}

void ArenaNetwork::empty() {
  std::fill_n(arena_.now(), arena_.slots(), kNoPacket);
  std::fill_n(arena_.next(), arena_.slots(), kNoPacket);
  step_ = 0;
  busy_ = 0;
  sparse_ = false;
  active_.clear();
  for (const auto& router : routers_) router->clear();
}

void ArenaNetwork::start() {
  empty();
  if (plain_) {
    for (NodeId node = 0; node < routers_.size(); ++node) {
      for (std::size_t port = 0; port < ports_; ++port) {
        const PacketId packet = own_packet(node, port, 0);
        arena_.now()[node * ports_ + port] = packet;
        if (packet != kNoPacket) ++busy_;
      }
    }
  } else {
    for (NodeId node = 0; node < routers_.size(); ++node) active_.push_back(node);
    step_routers();
  }
  step_ = 1;
}

void ArenaNetwork::clock() {
  ++activations_;
  if (asleep_) {
    // Woken by start_i rising, not by an edge: from here on the clock counts again.
    asleep_ = false;
    return;
  }
  if (!rst_ni.read() || clear_i.read()) {
    empty();
  } else if (start_i.read()) {
    start();
  } else if (!idle()) {
    if (!plain_) {
      step_routers();
    } else if (sparse_) {
      step_sparse();
    } else {
      step_dense();
    }
    ++step_;
  }
  if (!wave_.empty()) update_wave();
  if (idle()) {
    asleep_ = true;
    next_trigger(start_i.posedge_event());
  }
}

bool ArenaNetwork::idle() const { return plain_ ? busy_ == 0 : active_.empty(); }

void ArenaNetwork::step_dense() {
  const std::size_t slots = arena_.slots();
  const LinkId* source = source_.data();
  const PacketId* now = arena_.now();
  PacketId* next = arena_.next();
  std::size_t busy = 0;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const PacketId packet = now[source[slot]];
    next[slot] = packet;
    busy += packet != kNoPacket ? 1U : 0U;
  }
  arena_.swap();
  busy_ = busy;
  if (busy_ < slots / kSparseBelow) {
    sparse_ = true;
    busy_links_.clear();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (arena_.now()[slot] != kNoPacket) busy_links_.push_back(static_cast<LinkId>(slot));
    }
    std::fill_n(arena_.next(), slots, kNoPacket);
  }
}

void ArenaNetwork::step_sparse() {
  PacketId* now = arena_.now();
  PacketId* next = arena_.next();
  next_busy_links_.clear();
  for (const LinkId slot : busy_links_) {
    const PacketId packet = now[slot];
    now[slot] = kNoPacket;
    if (packet == kNoPacket) continue;  // upset() dropped it
    for (std::uint32_t at = fed_begin_[slot]; at < fed_begin_[slot + 1]; ++at) {
      next[fed_[at]] = packet;
      next_busy_links_.push_back(fed_[at]);
    }
  }
  arena_.swap();
  busy_links_.swap(next_busy_links_);
  busy_ = busy_links_.size();
  if (busy_ > arena_.slots() / kDenseAbove) sparse_ = false;
}

void ArenaNetwork::activate(NodeId node) {
  if (is_next_active_[node] != 0) return;
  is_next_active_[node] = 1;
  next_active_.push_back(node);
}

void ArenaNetwork::step_routers() {
  const auto idle = static_cast<LinkId>(arena_.slots());
  PacketId* now = arena_.now();
  PacketId* next = arena_.next();
  std::array<PacketId, kMaxPorts> injected;
  injected.fill(kNoPacket);
  std::array<PacketId, kMaxPorts> arrivals;
  std::array<PacketId, kMaxPorts> taken;
  next_active_.clear();
  for (const NodeId node : active_) {
    const std::size_t first = std::size_t{node} * ports_;
    for (std::size_t port = 0; port < ports_; ++port) {
      arrivals[port] = now[in_slot_[first + port]];
      if (step_ < injections_end_) injected[port] = own_packet(node, port, step_);
    }
    ArenaRouter& router = *routers_[node];
    router.clock(step_, {injected.data(), ports_}, {arrivals.data(), ports_},
                 {taken.data(), ports_});
    if (!router.drained()) activate(node);
    for (std::size_t port = 0; port < ports_; ++port) {
      const LinkId leaving = out_slot_[first + port];
      if (taken[port] == kNoPacket || leaving == idle) continue;
      next[leaving] = taken[port];
      // The register has to be emptied, and its packet received, at the next edge.
      activate(node);
      activate(receiver_[leaving]);
    }
  }
  for (const NodeId node : active_) {
    for (std::size_t port = 0; port < ports_; ++port) {
      now[out_slot_[std::size_t{node} * ports_ + port]] = kNoPacket;
    }
  }
  arena_.swap();
  active_.swap(next_active_);
  if (active_.size() > routers_.size() / kDenseAbove) {
    // Many: in node order, in which they lie in memory.
    active_.clear();
    for (NodeId node = 0; node < routers_.size(); ++node) {
      if (is_next_active_[node] != 0) active_.push_back(node);
    }
  }
  for (const NodeId node : active_) is_next_active_[node] = 0;
}

bool ArenaNetwork::upset(LinkId link, const Upset& upset) {
  PacketId& packet = arena_.now()[link];
  if (packet == kNoPacket) return false;
  packet = upset.apply(packet);
  return true;
}

std::uint64_t ArenaNetwork::conflicts() const {
  std::uint64_t sum = 0;
  if (plain_) return sum;
  for (const auto& router : routers_) sum += router->conflicts();
  return sum;
}

std::uint64_t ArenaNetwork::max_queue() const {
  if (plain_) return longest_preload_;  // 0 or 1: nothing ever waits
  std::uint64_t longest = 0;
  for (const auto& router : routers_) {
    longest = std::max<std::uint64_t>(longest, router->max_queue());
  }
  return longest;
}

void ArenaNetwork::trace(sc_core::sc_trace_file* file) {
  wave_.clear();
  for (LinkId slot = 0; slot < arena_.slots(); ++slot) {
    if (links_[slot] != nullptr) wave_.push_back({slot, false, 0});
  }
  // No growth from here on: the file keeps the addresses.
  for (const WaveLink& link : wave_) {
    const std::string name = link_wave_name(plan_->topology, link.slot);
    sc_core::sc_trace(file, link.valid, name + ".valid");
    sc_core::sc_trace(file, link.packet, name + ".packet");
  }
  sc_core::sc_trace(file, step_, "step");
}

void ArenaNetwork::update_wave() {
  for (WaveLink& link : wave_) {
    const PacketId packet = arena_.now()[link.slot];
    link.valid = packet != kNoPacket;
    if (link.valid) link.packet = packet;
  }
}

}  // namespace gossamer::systemc
