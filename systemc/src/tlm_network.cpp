// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/tlm_network.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

namespace {

std::uint64_t steps_of(const Plan& plan) {
  if (!std::holds_alternative<StreamProgram>(plan.program) || !plan.expected.analytic_steps ||
      *plan.expected.analytic_steps == 0) {
    throw InputError("a TLM network needs a stream plan that names its number of steps");
  }
  return *plan.expected.analytic_steps;
}

}  // namespace

TlmNetwork::TlmNetwork(const sc_core::sc_module_name& name, const Plan& plan,
                       std::uint32_t packet_bytes)
    : sc_core::sc_module(name),
      nodes_(plan.topology.nodes()),
      packets_(packets_per_node(plan)),
      ports_(static_cast<std::size_t>(plan.topology.ports())),
      packet_bytes_(packet_bytes),
      window_bytes_(0),
      network_("network", plan, steps_of(plan)),
      own_number_("own_number", std::size_t{nodes_} * packets_),
      deliver_valid_("deliver_valid", nodes_ * ports_),
      deliver_number_("deliver_number", nodes_ * ports_),
      network_busy_("network_busy", nodes_),
      network_done_("network_done", nodes_),
      network_error_("network_error", nodes_) {
  if (packet_bytes_ == 0) throw std::invalid_argument("a packet has at least one byte");
  const std::uint64_t total = std::uint64_t{nodes_} * packets_;
  // The registers take the place of a window before the first.
  window_bytes_ = std::bit_ceil(std::max<std::uint64_t>(64, (packets_ + total) * packet_bytes_));
  own_.assign(total * packet_bytes_, 0);
  received_.assign(nodes_ * total * packet_bytes_, 0);

  network_.clk_i(clk_i);
  network_.rst_ni(rst_n_);
  network_.clear_i(clear_);
  network_.start_i(start_);
  network_.own_data_i.bind(own_number_);
  network_.deliver_valid_o.bind(deliver_valid_);
  network_.deliver_data_o.bind(deliver_number_);
  network_.busy_o.bind(network_busy_);
  network_.done_o.bind(network_done_);
  network_.error_o.bind(network_error_);
  target.register_b_transport(this, &TlmNetwork::transport);
  target.register_transport_dbg(this, &TlmNetwork::debug);

  SC_HAS_PROCESS(TlmNetwork);
  SC_THREAD(run);
}

void TlmNetwork::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  payload.set_dmi_allowed(false);
  payload.set_response_status(access(payload, true));
}

unsigned int TlmNetwork::debug(tlm::tlm_generic_payload& payload) {
  return access(payload, false) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

tlm::tlm_response_status TlmNetwork::access(tlm::tlm_generic_payload& payload, bool side_effects) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_streaming_width() < payload.get_data_length()) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  return payload.get_address() < window_bytes_ ? access_register(payload, side_effects)
                                               : access_window(payload);
}

tlm::tlm_response_status TlmNetwork::access_register(tlm::tlm_generic_payload& payload,
                                                     bool side_effects) {
  const std::uint64_t address = payload.get_address();
  if (address > kCycles || address % 8 != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_data_length() != 8) return tlm::TLM_BURST_ERROR_RESPONSE;
  std::uint64_t value = 0;
  if (payload.is_read()) {
    switch (address) {
      case kStatus:
        value = (busy_ ? kBusy : 0) | (finished_ ? kDone : 0) | (failed_ ? kError : 0);
        break;
      case kSource:
        value = source_;
        break;
      case kDestination:
        value = destination_;
        break;
      case kNodes:
        value = nodes_;
        break;
      case kPackets:
        value = packets_;
        break;
      case kPacketBytes:
        value = packet_bytes_;
        break;
      case kCycles:
        value = cycles_;
        break;
      default:  // kControl reads as 0.
        break;
    }
    std::memcpy(payload.get_data_ptr(), &value, 8);
    return tlm::TLM_OK_RESPONSE;
  }
  std::memcpy(&value, payload.get_data_ptr(), 8);
  switch (address) {
    case kControl:
      if (!side_effects || value == 0) return tlm::TLM_OK_RESPONSE;
      if (busy_ || (value & ~(kStart | kDma)) != 0 || (value & kStart) == 0) {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
      }
      busy_ = true;
      finished_ = false;
      failed_ = false;
      dma_ = (value & kDma) != 0;
      start_event_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_OK_RESPONSE;
    case kSource:
      source_ = value;
      return tlm::TLM_OK_RESPONSE;
    case kDestination:
      destination_ = value;
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
}

tlm::tlm_response_status TlmNetwork::access_window(tlm::tlm_generic_payload& payload) {
  const std::uint64_t node = payload.get_address() / window_bytes_ - 1;
  const std::uint64_t begin = payload.get_address() % window_bytes_;
  const std::uint64_t end = begin + payload.get_data_length();
  const std::uint64_t own_bytes = std::uint64_t{packets_} * packet_bytes_;
  if (node >= nodes_ || end > own_bytes + own_.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (end <= own_bytes) {
    unsigned char* const at = own_.data() + node * own_bytes + begin;
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), at, payload.get_data_length());
    } else if (busy_) {
      // The packets are on their way.
      return tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else {
      std::memcpy(at, payload.get_data_ptr(), payload.get_data_length());
    }
    return tlm::TLM_OK_RESPONSE;
  }
  if (begin < own_bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  std::memcpy(payload.get_data_ptr(), received_.data() + node * own_.size() + begin - own_bytes,
              payload.get_data_length());
  return tlm::TLM_OK_RESPONSE;
}

void TlmNetwork::move(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                      std::size_t length) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(static_cast<unsigned int>(length));
  payload.set_streaming_width(static_cast<unsigned int>(length));
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  initiator->b_transport(payload, delay);
  wait(delay);
  failed_ = failed_ || payload.is_response_error();
}

void TlmNetwork::round() {
  for (std::size_t i = 0; i < own_number_.size(); ++i) own_number_[i].write(i);
  std::fill(received_.begin(), received_.end(), static_cast<unsigned char>(0));
  const std::size_t all = own_.size();
  const std::size_t mine = std::size_t{packets_} * packet_bytes_;
  for (std::size_t node = 0; node < nodes_; ++node) {
    std::copy_n(own_.begin() + static_cast<std::ptrdiff_t>(node * mine), mine,
                received_.begin() + static_cast<std::ptrdiff_t>(node * all + node * mine));
  }
  rst_n_.write(true);
  clear_.write(true);
  wait(clk_i.posedge_event());
  clear_.write(false);
  start_.write(true);
  wait(clk_i.posedge_event());
  start_.write(false);
  // The signals at an edge are those of the cycle that it ends, the first time that of step 1.
  for (cycles_ = 0;; ++cycles_) {
    wait(clk_i.posedge_event());
    if (network_done_[0].read()) break;
    for (std::size_t link = 0; link < deliver_valid_.size(); ++link) {
      if (!deliver_valid_[link].read()) continue;
      const std::size_t node = link / ports_;
      const std::size_t at = deliver_number_[link].read() * packet_bytes_;
      std::copy_n(own_.begin() + static_cast<std::ptrdiff_t>(at), packet_bytes_,
                  received_.begin() + static_cast<std::ptrdiff_t>(node * all + at));
    }
  }
  for (const auto& error : network_error_) failed_ = failed_ || error.read();
}

void TlmNetwork::run() {
  for (;;) {
    done_o.write(finished_);
    wait(start_event_);
    done_o.write(false);
    if (dma_) move(tlm::TLM_READ_COMMAND, source_, own_.data(), own_.size());
    if (!failed_) round();
    if (dma_ && !failed_) {
      move(tlm::TLM_WRITE_COMMAND, destination_, received_.data(), received_.size());
    }
    busy_ = false;
    finished_ = true;
  }
}

}  // namespace gossamer::systemc
