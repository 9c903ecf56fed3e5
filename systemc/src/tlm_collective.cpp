// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/tlm_collective.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/lane_words.hpp"

namespace gossamer::systemc {

namespace {

constexpr std::uint64_t kWordBytes = 8;
constexpr unsigned kWordBits = 64;
constexpr std::uint64_t kMaxReceivedBytes = std::uint64_t{1} << 30;

const TlmNetworkMaker& maker_for(const Plan& plan) {
  const TlmNetworkMaker* maker = find_tlm_network(plan.machine().name());
  if (maker == nullptr || plan.demand.from != Origin::kEveryNode) {
    throw std::invalid_argument(
        "a TLM collective requires a plan of a reduction or an all-gather, on a machine with "
        "networks for it");
  }
  return *maker;
}

std::uint64_t steps_of(const Plan& plan) {
  const std::uint64_t steps = maker_for(plan).steps(plan);
  if (steps != 0) return steps;
  throw std::invalid_argument(
      "a TLM collective requires a plan with a known length of a round; proved() computes it");
}

/// The contribution of a node.
std::uint64_t own_packets(const Plan& plan) {
  const std::uint64_t flits = run_facts(plan).flits_per_piece;
  return flits * (plan.demand.combines() ? plan.demand.pieces : packets_per_node(plan));
}

/// The words that a node has at the end.
std::uint64_t final_packets(const Plan& plan) {
  const std::uint64_t nodes = plan.topology.nodes();
  const std::uint64_t each = own_packets(plan) * (plan.demand.combines() ? 1 : nodes);
  if (each > kMaxReceivedBytes / kWordBytes / nodes) {
    throw std::invalid_argument("a TLM collective holds at most 1 GiB of received packets");
  }
  return each;
}

/// A function-local object, since registrations are static objects of other files.
std::vector<TlmNetworkMaker>& makers() {
  static std::vector<TlmNetworkMaker> all;
  return all;
}

}  // namespace

const TlmNetworkMaker* find_tlm_network(std::string_view machine) {
  const auto found =
      std::find_if(makers().begin(), makers().end(),
                   [machine](const TlmNetworkMaker& maker) { return maker.machine == machine; });
  return found == makers().end() ? nullptr : &*found;
}

TlmNetworkRegistration::TlmNetworkRegistration(const TlmNetworkMaker& maker) {
  makers().push_back(maker);
}

/// The vectors of the current round.
class TlmCollective::OwnWords final : public WordMaker {
 public:
  explicit OwnWords(const TlmCollective& device)
      : device_(&device),
        lanes_(device.plan_),
        mask_(~std::uint64_t{0} >> (kWordBits - static_cast<unsigned>(lanes_.width()))) {}
  /// The combination of the words on links.
  [[nodiscard]] Arithmetic arithmetic() {
    Arithmetic combines = lanes_.arithmetic();
    combines.maker = this;
    return combines;
  }
  std::uint64_t word(NodeId node, PacketId piece) override {
    return device_->sent_[node * device_->packets_ + piece] & mask_;
  }
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) override { return lanes_.combine(a, b); }

 private:
  const TlmCollective* device_;
  LaneWords lanes_;
  std::uint64_t mask_;
};

TlmCollective::TlmCollective(const sc_core::sc_module_name& name, const Plan& plan,
                             const sc_core::sc_time& access_time)
    : sc_core::sc_module(name),
      plan_(plan),
      packets_(own_packets(plan)),
      each_(final_packets(plan)),
      steps_(steps_of(plan)),
      access_time_(access_time),
      nodes_word_(plan.topology.nodes()),
      packets_word_(packets_),
      own_(nodes_word_ * packets_),
      received_(nodes_word_ * each_),
      known_(received_.size()) {
  Arithmetic arithmetic;
  if (plan_.demand.combines()) {
    if (link_words(plan_).link_bits > static_cast<int>(kWordBits)) {
      throw std::invalid_argument("a TLM collective has words on links of up to 64 bits");
    }
    own_words_ = std::make_unique<OwnWords>(*this);
    arithmetic = own_words_->arithmetic();
  }
  network_ = maker_for(plan_).make(std::make_shared<const TlmRound>(
      TlmRound{plan_, arithmetic, steps_, [this](PacketId id) { return sent_[id]; },
               [this](NodeId node, PacketId id, std::uint64_t value) { file(node, id, value); },
               clk_i, rst_ni, clear_, start_}));
  for (NodeId node = 0; node < nodes_word_; ++node) {
    for (PacketId id = 0; id < each_; ++id) wanted_ += wants(node, id) ? 1U : 0U;
  }
  target.register_b_transport(this, &TlmCollective::transport);
  target.register_transport_dbg(this, &TlmCollective::debug);

  SC_HAS_PROCESS(TlmCollective);
  SC_THREAD(rounds);
  SC_THREAD(write_memory);
  SC_METHOD(drive_interrupt);
  sensitive << interrupt_changed_;
}

TlmCollective::~TlmCollective() = default;

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
  // All or nothing: a burst that includes an inaccessible register changes none.
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
  const std::uint64_t words = length / kWordBytes;
  delay += access_time_ * static_cast<double>(words);
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
    // Done means that the memory also has all packets.
    while (!writes_.empty()) wait(writes_drained_);
    bool error = (status_ & tlm_register::kError) != 0 || missing_ != 0;
    for (NodeId node = 0; node < nodes_word_; ++node) {
      error = error || network_.has_error(node);
    }
    set_status(tlm_register::kDone | (error ? tlm_register::kError : 0));
  }
}

/// False if it was aborted or reset.
bool TlmCollective::one_round() {
  const auto edge = [this] {
    wait(round_goes_on_);
    return rst_ni.read() && !aborted_;
  };
  // A member, since a simulation that ends during the wait would leak the expression.
  if (round_goes_on_.size() == 0) {
    round_goes_on_ |= clk_i.posedge_event();
    round_goes_on_ |= abort_requested_;
    round_goes_on_ |= rst_ni.negedge_event();
  }
  sent_ = own_;
  std::fill(known_.begin(), known_.end(), false);
  missing_ = wanted_;
  if (!plan_.demand.combines()) {
    for (PacketId id = 0; id < own_.size(); ++id) {
      file(static_cast<NodeId>(id / packets_), id, sent_[id]);
    }
  }
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
  // The tiles also act at the last edge, perhaps after this process.
  wait(sc_core::SC_ZERO_TIME);
  return true;
}

bool TlmCollective::wants(NodeId node, PacketId id) const {
  const Demand& demand = plan_.demand;
  if (!plan_.topology.has_core(node)) return false;
  if (demand.combines()) return demand.wants_word(node, id, each_, nodes_word_);
  return plan_.topology.has_core(static_cast<NodeId>(id / packets_));
}

void TlmCollective::file(NodeId node, PacketId id, std::uint64_t value) {
  // Remaining words at other nodes are not part of the result.
  if (!wants(node, id)) return;
  const std::uint64_t index = std::uint64_t{node} * each_ + id;
  if (known_[index]) return;
  known_[index] = true;
  --missing_;
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
    // Meanwhile an aborted round has dropped its writes.
    if (!writes_.empty()) writes_.pop_front();
    if (writes_.empty()) writes_drained_.notify(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace gossamer::systemc
