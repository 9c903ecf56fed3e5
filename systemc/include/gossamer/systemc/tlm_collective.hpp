// SPDX-License-Identifier: Apache-2.0
/// A fabric of streams as a device of a virtual platform: TLM-2.0, loosely timed on the bus side,
/// cycle-accurate inside.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/systemc/tlm_network.hpp"

namespace gossamer::systemc {

/// Byte addresses of TlmCollective's registers, each 8 bytes, little endian.
namespace tlm_register {
/// Write: kStart begins a round, kClear ends one and lowers done and error.
inline constexpr std::uint64_t kControl = 0x00;
/// Read: kBusy, kDone, kError.
inline constexpr std::uint64_t kStatus = 0x08;
/// Read: number of nodes P, own packets per node k (reductions: words of a node's vector), steps of
/// a round.
inline constexpr std::uint64_t kNodes = 0x10;
inline constexpr std::uint64_t kPackets = 0x18;
inline constexpr std::uint64_t kSteps = 0x20;
/// Read and write: with 1, irq_o follows done.
inline constexpr std::uint64_t kInterruptEnable = 0x28;
/// Read and write: with 1, every packet that a node receives, and its own, is also written to
/// memory: packet id of node n to kMemoryBase + 8 (n P k + id). Reductions: every result at the
/// nodes that need it, word a of node n to kMemoryBase + 8 (n k + a).
inline constexpr std::uint64_t kMemoryEnable = 0x30;
inline constexpr std::uint64_t kMemoryBase = 0x38;
/// Read and write: own packet c of node n at kOwn + 8 (n k + c). The addresses from received()
/// follow.
inline constexpr std::uint64_t kOwn = 0x1000;

inline constexpr std::uint64_t kStart = 1;
inline constexpr std::uint64_t kClear = 2;
inline constexpr std::uint64_t kBusy = 1;
inline constexpr std::uint64_t kDone = 2;
inline constexpr std::uint64_t kError = 4;
}  // namespace tlm_register

/// The links carry packets by their numbers; the device stores their owners and data. A packet that
/// is missing at a node at the end of the round is an error.
///
/// Reductions carry values. A node's vector is its own packets, one word in the low bits of each,
/// of the width of the plan's link-bits (default 32); the plan's operation combines them. A result
/// is a word with the contributions of all nodes. A missing result at the end is an error.
///
/// In elastic plans every flit is a packet here: flit f of packet c of a node is its own packet c F
/// + f. All nodes start together without stalls, so that a round takes the number of cycles in the
/// plan.
class TlmCollective : public sc_core::sc_module {
 public:
  /// Clock, rising edge. The device is inactive in cycles outside a round.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// High while a round is done and the interrupt enabled.
  sc_core::sc_out<bool> irq_o{"irq_o"};
  /// Registers and packets. Whole registers only, any number of them per transaction; no byte
  /// enables. Adds the access time for each register to the transaction's delay.
  tlm_utils::simple_target_socket<TlmCollective> target{"target"};
  /// Writes arrivals to memory, if enabled. May be left unbound.
  tlm_utils::simple_initiator_socket_optional<TlmCollective> memory{"memory"};

  /// A device for `plan`: an all-gather or a reduction on a machine with networks for it
  /// (tlm_network.hpp), which define the length of a round. It holds 8 P^2 k bytes of received
  /// packets, 8 P k of results. Throws std::invalid_argument for another plan, or if that exceeds 1
  /// GiB.
  TlmCollective(const sc_core::sc_module_name& name, const Plan& plan,
                const sc_core::sc_time& access_time = sc_core::SC_ZERO_TIME);
  ~TlmCollective() override;

  /// Address of packet id at node n: received() + 8 (n P k + id); of its result a: received() + 8
  /// (n k + a).
  [[nodiscard]] std::uint64_t received() const;
  /// First address after the device.
  [[nodiscard]] std::uint64_t size() const;

 private:
  class OwnWords;
  struct Write {
    std::uint64_t address;
    std::uint64_t value;
  };

  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& transaction);
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  unsigned char* data, std::uint64_t length);
  /// The word at an address, nullptr if no accessible word is there.
  std::uint64_t* word(tlm::tlm_command command, std::uint64_t address);
  void control(std::uint64_t command);

  void rounds();
  bool one_round();
  /// The node must have the packet, or the result, at the end; a dead core needs none.
  [[nodiscard]] bool wants(NodeId node, PacketId id) const;
  /// The node has the packet, or the result.
  void file(NodeId node, PacketId id, std::uint64_t value);
  void write_memory();
  void set_status(std::uint64_t status);
  void drive_interrupt();

  Plan plan_;
  std::uint64_t packets_;
  /// Packets, or words of its vector, that a node has at the end.
  std::uint64_t each_;
  std::uint64_t steps_;
  sc_core::sc_time access_time_;

  std::uint64_t status_ = 0;
  std::uint64_t nodes_word_;
  std::uint64_t packets_word_;
  std::uint64_t interrupt_enable_ = 0;
  std::uint64_t memory_enable_ = 0;
  std::uint64_t memory_base_ = 0;
  std::uint64_t control_word_ = 0;
  std::vector<std::uint64_t> own_;
  std::vector<std::uint64_t> received_;
  /// The own packets of the current round, and the arrivals at each node.
  std::vector<std::uint64_t> sent_;
  std::vector<bool> known_;
  /// (node, packet) pairs that a round must deliver, and missing ones.
  std::uint64_t wanted_ = 0;
  std::uint64_t missing_ = 0;
  std::deque<Write> writes_;
  bool aborted_ = false;

  sc_core::sc_event start_requested_;
  sc_core::sc_event abort_requested_;
  /// Clock, abort or reset.
  sc_core::sc_event_or_list round_goes_on_;
  sc_core::sc_event write_requested_;
  sc_core::sc_event writes_drained_;
  sc_core::sc_event interrupt_changed_;
  sc_core::sc_signal<bool> clear_{"clear"};
  sc_core::sc_signal<bool> start_{"start"};
  std::unique_ptr<OwnWords> own_words_;
  TlmNetwork network_;
};

}  // namespace gossamer::systemc
