// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/tlm_collective.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace gossamer::systemc {

namespace {

constexpr std::uint64_t kWordBytes = 8;
constexpr std::uint64_t kMaxReceivedBytes = std::uint64_t{1} << 30;

std::uint64_t checked_steps(const Plan& plan) {
  if (!std::holds_alternative<StreamProgram>(plan.program) ||
      plan.demand.from != Origin::kEveryNode || !plan.expected.analytic_steps) {
    throw std::invalid_argument(
        "a TLM collective needs a stream plan of an all-gather with a number of steps");
  }
  const std::uint64_t packets = std::uint64_t{plan.topology.nodes()} * packets_per_node(plan);
  if (packets * plan.topology.nodes() > kMaxReceivedBytes / kWordBytes) {
    throw std::invalid_argument("a TLM collective holds at most 1 GiB of received packets");
  }
  return *plan.expected.analytic_steps;
}

}  // namespace

/// A stream router that hands what arrives to the device, and stops when the round is over.
class TlmCollective::Tile final : public StreamRouter {
 public:
  Tile(const sc_core::sc_module_name& name, const Plan& plan, NodeId node, TlmCollective& device)
      : StreamRouter(name, router_table(plan, node)),
        ports_(static_cast<std::size_t>(plan.topology.ports())),
        node_(node),
        device_(&device) {}

  std::uint64_t clock(const PacketEdge& edge) override {
    for (std::size_t port = 0; port < ports_; ++port) {
      if (edge.in(port) != kNoPacket) device_->file(node_, edge.in(port));
    }
    return edge.cycle() < device_->steps_ ? StreamRouter::clock(edge) : kUntilArrival;
  }

 private:
  std::size_t ports_;
  NodeId node_;
  TlmCollective* device_;
};

TlmCollective::TlmCollective(const sc_core::sc_module_name& name, const Plan& plan,
                             sc_core::sc_time access_time)
    : sc_core::sc_module(name),
      plan_(plan),
      packets_(std::holds_alternative<StreamProgram>(plan.program) ? packets_per_node(plan) : 0),
      steps_(checked_steps(plan)),
      access_time_(std::move(access_time)),
      nodes_word_(plan.topology.nodes()),
      packets_word_(packets_),
      own_(nodes_word_ * packets_),
      received_(nodes_word_ * nodes_word_ * packets_),
      known_(received_.size()),
      fabric_("fabric", plan_.topology, [this](const char* tile_name, NodeId node) {
        return std::make_unique<Tile>(tile_name, plan_, node, *this);
      }) {
  fabric_.clk_i(clk_i);
  fabric_.rst_ni(rst_ni);
  fabric_.clear_i(clear_);
  fabric_.start_i(start_);
  target.register_b_transport(this, &TlmCollective::transport);
  target.register_transport_dbg(this, &TlmCollective::debug);

  SC_HAS_PROCESS(TlmCollective);
  SC_THREAD(rounds);
  SC_THREAD(write_memory);
  SC_METHOD(drive_interrupt);
  sensitive << interrupt_changed_;
}

std::uint64_t TlmCollective::received() const {
  return tlm_register::kOwn + own_.size() * kWordBytes;
}

std::uint64_t TlmCollective::size() const { return received() + received_.size() * kWordBytes; }

// --- the bus side -------------------------------------------------------------------------------

std::uint64_t* TlmCollective::word(tlm::tlm_command command, std::uint64_t address) {
  namespace reg = tlm_register;
  const bool reads = command == tlm::TLM_READ_COMMAND;
  switch (address) {
    case reg::kControl:
      return reads ? nullptr : &control_word_;
    case reg::kStatus:
      return reads ? &status_ : nullptr;
    case reg::kNodes:
      return reads ? &nodes_word_ : nullptr;
    case reg::kPackets:
      return reads ? &packets_word_ : nullptr;
    case reg::kSteps:
      return reads ? &steps_ : nullptr;
    case reg::kInterruptEnable:
      return &interrupt_enable_;
    case reg::kMemoryEnable:
      return &memory_enable_;
    case reg::kMemoryBase:
      return &memory_base_;
    default:
      break;
  }
  if (address >= received()) {
    return reads ? &received_[(address - received()) / kWordBytes] : nullptr;
  }
  return address >= reg::kOwn ? &own_[(address - reg::kOwn) / kWordBytes] : nullptr;
}

tlm::tlm_response_status TlmCollective::access(tlm::tlm_command command, std::uint64_t address,
                                               unsigned char* data, std::uint64_t length) {
  if (command == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (length == 0 || length % kWordBytes != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (address % kWordBytes != 0 || address >= size() || length > size() - address) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  // All or nothing: a burst over a register that cannot be accessed so changes none.
  for (std::uint64_t at = 0; at < length; at += kWordBytes) {
    if (word(command, address + at) == nullptr) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  for (std::uint64_t at = 0; at < length; at += kWordBytes) {
    std::uint64_t* const at_word = word(command, address + at);
    if (command == tlm::TLM_READ_COMMAND) {
      std::memcpy(data + at, at_word, kWordBytes);
      continue;
    }
    std::memcpy(at_word, data + at, kWordBytes);
    if (address + at == tlm_register::kControl) control(control_word_);
    if (address + at == tlm_register::kInterruptEnable) {
      interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
    }
  }
  return tlm::TLM_OK_RESPONSE;
}

void TlmCollective::transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (transaction.get_streaming_width() < transaction.get_data_length()) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t length = transaction.get_data_length();
  const auto response = access(transaction.get_command(), transaction.get_address(),
                               transaction.get_data_ptr(), length);
  delay += access_time_ * static_cast<double>(length / kWordBytes);
  transaction.set_response_status(response);
}

unsigned TlmCollective::debug(tlm::tlm_generic_payload& transaction) {
  const std::uint64_t length = transaction.get_data_length() / kWordBytes * kWordBytes;
  const auto response = access(transaction.get_command(), transaction.get_address(),
                               transaction.get_data_ptr(), length);
  return response == tlm::TLM_OK_RESPONSE ? static_cast<unsigned>(length) : 0;
}

void TlmCollective::control(std::uint64_t command) {
  if ((command & tlm_register::kClear) != 0) {
    if ((status_ & tlm_register::kBusy) != 0) {
      abort_requested_.notify(sc_core::SC_ZERO_TIME);
      aborted_ = true;
    }
    set_status(status_ & tlm_register::kBusy);
  } else if ((command & tlm_register::kStart) != 0 && (status_ & tlm_register::kBusy) == 0) {
    set_status(tlm_register::kBusy);
    start_requested_.notify(sc_core::SC_ZERO_TIME);
  }
}

void TlmCollective::set_status(std::uint64_t status) {
  status_ = status;
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
}

void TlmCollective::drive_interrupt() {
  irq_o.write((status_ & tlm_register::kDone) != 0 && interrupt_enable_ != 0);
}

// --- the network side ---------------------------------------------------------------------------

void TlmCollective::rounds() {
  for (;;) {
    wait(start_requested_);
    aborted_ = false;
    const bool finished = one_round();
    if (!finished) {
      writes_.clear();
      clear_.write(true);
      wait(clk_i.posedge_event());
      clear_.write(false);
      set_status(0);
      continue;
    }
    // Done means that memory has everything too.
    while (!writes_.empty()) wait(writes_drained_);
    bool error = (status_ & tlm_register::kError) != 0 || missing_ != 0;
    for (NodeId node = 0; node < nodes_word_; ++node) {
      error = error || fabric_.router(node).error();
    }
    set_status(tlm_register::kDone | (error ? tlm_register::kError : 0));
  }
}

/// False when it was aborted or reset.
bool TlmCollective::one_round() {
  const auto edge = [this] {
    wait(clk_i.posedge_event() | abort_requested_ | rst_ni.negedge_event());
    return rst_ni.read() && !aborted_;
  };
  sent_ = own_;
  std::fill(known_.begin(), known_.end(), false);
  missing_ = known_.size();
  for (PacketId id = 0; id < own_.size(); ++id) file(static_cast<NodeId>(id / packets_), id);
  if (!edge()) return false;
  clear_.write(true);
  if (!edge()) return false;
  clear_.write(false);
  start_.write(true);
  const bool started = edge();
  start_.write(false);
  if (!started) return false;
  for (std::uint64_t step = 1; step <= steps_; ++step) {
    if (!edge()) return false;
  }
  // The tiles act at the last edge too, perhaps after this process.
  wait(sc_core::SC_ZERO_TIME);
  return true;
}

void TlmCollective::file(NodeId node, PacketId id) {
  const std::uint64_t index = std::uint64_t{node} * own_.size() + id;
  if (known_[index]) return;
  known_[index] = true;
  --missing_;
  const std::uint64_t value = sent_[id];
  received_[index] = value;
  if (memory_enable_ == 0) return;
  writes_.push_back({memory_base_ + index * kWordBytes, value});
  write_requested_.notify(sc_core::SC_ZERO_TIME);
}

void TlmCollective::write_memory() {
  for (;;) {
    while (writes_.empty()) wait(write_requested_);
    Write write = writes_.front();
    tlm::tlm_generic_payload transaction;
    transaction.set_command(tlm::TLM_WRITE_COMMAND);
    transaction.set_address(write.address);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&write.value));
    transaction.set_data_length(kWordBytes);
    transaction.set_streaming_width(kWordBytes);
    transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (memory.size() != 0) memory->b_transport(transaction, delay);
    if (transaction.is_response_error()) status_ |= tlm_register::kError;
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    // An aborted round has dropped its writes meanwhile.
    if (!writes_.empty()) writes_.pop_front();
    if (writes_.empty()) writes_drained_.notify(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace gossamer::systemc
