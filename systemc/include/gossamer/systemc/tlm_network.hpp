// SPDX-License-Identifier: Apache-2.0
/// A Network behind TLM-2.0 sockets: the collective engine of a virtual platform.
///
/// A bus master writes the own packets of the nodes, starts a round and reads what each node got;
/// or it names two addresses and the engine fetches and stores the packets itself, through its
/// initiator socket. Routers and links run cycle by cycle (network.hpp); a packet's bytes stay in
/// this module while the network carries its number, so a packet may have any size and still
/// arrives in the cycle in which the hardware would deliver it. A node's window shows a packet only
/// after it has arrived there; before that it reads as zeros.
///
/// Loosely timed: blocking transport adds no delay of its own, a round takes its clock cycles.
///
/// Address map, 64-bit little-endian registers:
///   kControl      write kStart, or kStart | kDma to fetch and store the packets as well
///   kStatus       kBusy, kDone (since the last start), kError (a packet was lost, or a transport
///   of
///                 the engine's own failed)
///   kSource       DMA: address of all own packets, node after node
///   kDestination  DMA: address of what the nodes get, node after node, each all packets
///   kNodes, kPackets, kPacketBytes, kCycles    sizes, and clock cycles of the last round
///   window(n) + c * packet_bytes               own packet c of node n, to read and write
///   window(n) + (packets + i) * packet_bytes   packet i of the network as node n got it, to read
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/systemc/network.hpp"

namespace gossamer::systemc {

class TlmNetwork : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kControl = 0x00;
  static constexpr std::uint64_t kStatus = 0x08;
  static constexpr std::uint64_t kSource = 0x10;
  static constexpr std::uint64_t kDestination = 0x18;
  static constexpr std::uint64_t kNodes = 0x20;
  static constexpr std::uint64_t kPackets = 0x28;
  static constexpr std::uint64_t kPacketBytes = 0x30;
  static constexpr std::uint64_t kCycles = 0x38;

  static constexpr std::uint64_t kStart = 1;
  static constexpr std::uint64_t kDma = 2;
  static constexpr std::uint64_t kBusy = 1;
  static constexpr std::uint64_t kDone = 2;
  static constexpr std::uint64_t kError = 4;

  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// High from the end of a round to the next start: an interrupt.
  sc_core::sc_out<bool> done_o{"done_o"};
  /// Registers and windows.
  tlm_utils::simple_target_socket<TlmNetwork> target{"target"};
  /// DMA.
  tlm_utils::simple_initiator_socket<TlmNetwork> initiator{"initiator"};

  /// The network of `plan`, a stream program that names its number of steps (InputError otherwise);
  /// it need not outlive the module. `packet_bytes` >= 1.
  TlmNetwork(const sc_core::sc_module_name& name, const Plan& plan, std::uint32_t packet_bytes);

  /// Address of a node's window; windows are a power of two apart, from one on.
  [[nodiscard]] std::uint64_t window(NodeId node) const { return window_bytes_ * (node + 1ULL); }
  /// Bytes of a packet.
  [[nodiscard]] std::uint32_t packet_bytes() const { return packet_bytes_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int debug(tlm::tlm_generic_payload& payload);
  /// Does what the payload says; the response for it.
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload, bool side_effects);
  tlm::tlm_response_status access_register(tlm::tlm_generic_payload& payload, bool side_effects);
  tlm::tlm_response_status access_window(tlm::tlm_generic_payload& payload);

  /// Waits for starts and runs rounds.
  void run();
  void round();
  /// One transport of the engine's own; notes an error.
  void move(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
            std::size_t length);

  std::uint32_t nodes_;
  std::uint32_t packets_;
  std::size_t ports_;
  std::uint32_t packet_bytes_;
  std::uint64_t window_bytes_;

  std::uint64_t source_ = 0;
  std::uint64_t destination_ = 0;
  std::uint64_t cycles_ = 0;
  bool dma_ = false;
  bool busy_ = false;
  bool finished_ = false;
  bool failed_ = false;
  sc_core::sc_event start_event_;

  /// All own packets, by number.
  std::vector<unsigned char> own_;
  /// By node, what it got: all packets by number.
  std::vector<unsigned char> received_;

  Network network_;
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  sc_core::sc_signal<bool> clear_{"clear"};
  sc_core::sc_signal<bool> start_{"start"};
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> own_number_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> deliver_valid_;
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> deliver_number_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> network_busy_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> network_done_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> network_error_;
};

}  // namespace gossamer::systemc
