// SPDX-License-Identifier: Apache-2.0
/// A virtual platform with a collective engine: a user's bus master, a memory and a TlmNetwork.
///
/// The master lays 12-byte packets of a 4x4 torus into memory, has the engine exchange them by DMA,
/// and compares what each node got; then it does a second round by hand, through the windows.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <iostream>
#include <systemc>
#include <tlm>
#include <vector>

#include "gossamer/planner/planner.hpp"
#include "gossamer/systemc/tlm_network.hpp"

namespace {

using gossamer::systemc::TlmNetwork;

constexpr std::uint32_t kPacketBytes = 12;

/// Takes every access, 10 ns each.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket{"socket"};

  Memory(const sc_core::sc_module_name& name, std::size_t bytes)
      : sc_core::sc_module(name), bytes_(bytes, 0) {
    socket.register_b_transport(this, &Memory::transport);
  }
  [[nodiscard]] std::vector<unsigned char>& bytes() { return bytes_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    const std::size_t length = payload.get_data_length();
    if (payload.get_address() + length > bytes_.size()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    unsigned char* const at = bytes_.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), at, length);
    if (payload.is_write()) std::memcpy(at, payload.get_data_ptr(), length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::vector<unsigned char> bytes_;
};

class Master : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Master> socket{"socket"};
  sc_core::sc_in<bool> interrupt_i{"interrupt_i"};

  Master(const sc_core::sc_module_name& name, const TlmNetwork& engine, Memory& memory)
      : sc_core::sc_module(name), engine_(&engine), memory_(&memory) {
    SC_HAS_PROCESS(Master);
    SC_THREAD(run);
  }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, void* data,
                                     std::size_t length) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned int>(length));
    payload.set_streaming_width(static_cast<unsigned int>(length));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  std::uint64_t read(std::uint64_t address) {
    std::uint64_t value = 0;
    expect(transport(tlm::TLM_READ_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE, "read");
    return value;
  }
  tlm::tlm_response_status write(std::uint64_t address, std::uint64_t value) {
    return transport(tlm::TLM_WRITE_COMMAND, address, &value, 8);
  }
  void expect(bool condition, const char* what) {
    if (condition) return;
    std::cout << "FAIL " << what << "\n";
    ++failures_;
  }

  void run() {
    const std::uint64_t nodes = read(TlmNetwork::kNodes);
    const std::uint64_t packets = read(TlmNetwork::kPackets);
    const std::size_t all = nodes * packets * kPacketBytes;
    std::vector<unsigned char>& memory = memory_->bytes();
    for (std::size_t i = 0; i < all; ++i) memory[i] = static_cast<unsigned char>(31 * i + 7);

    expect(write(TlmNetwork::kSource, 0) == tlm::TLM_OK_RESPONSE, "source");
    expect(write(TlmNetwork::kDestination, all) == tlm::TLM_OK_RESPONSE, "destination");
    expect(
        write(TlmNetwork::kControl, TlmNetwork::kStart | TlmNetwork::kDma) == tlm::TLM_OK_RESPONSE,
        "start");
    expect(read(TlmNetwork::kStatus) == TlmNetwork::kBusy, "busy");
    expect(write(TlmNetwork::kControl, TlmNetwork::kStart) == tlm::TLM_GENERIC_ERROR_RESPONSE,
           "a start while a round is running");
    wait(interrupt_i.posedge_event());
    expect(read(TlmNetwork::kStatus) == TlmNetwork::kDone, "done");
    for (std::size_t node = 0; node < nodes; ++node) {
      expect(std::memcmp(memory.data(), memory.data() + all + node * all, all) == 0, "DMA");
    }
    const std::uint64_t cycles = read(TlmNetwork::kCycles);

    // By hand: another packet for node 5, seen by node 10.
    unsigned char mine[kPacketBytes] = "by hand";
    unsigned char seen[kPacketBytes] = "";
    const std::uint64_t from = engine_->window(5) + kPacketBytes;
    const std::uint64_t to = engine_->window(10) + (packets + 5 * packets + 1) * kPacketBytes;
    expect(transport(tlm::TLM_WRITE_COMMAND, from, mine, sizeof mine) == tlm::TLM_OK_RESPONSE,
           "own packet");
    expect(write(TlmNetwork::kControl, TlmNetwork::kStart) == tlm::TLM_OK_RESPONSE, "start");
    wait(interrupt_i.posedge_event());
    expect(transport(tlm::TLM_READ_COMMAND, to, seen, sizeof seen) == tlm::TLM_OK_RESPONSE,
           "received packet");
    expect(std::memcmp(mine, seen, sizeof mine) == 0, "the packet of node 5 at node 10");

    // What is not allowed.
    expect(
        transport(tlm::TLM_WRITE_COMMAND, to, mine, sizeof mine) == tlm::TLM_COMMAND_ERROR_RESPONSE,
        "a write to a received packet");
    expect(transport(tlm::TLM_READ_COMMAND, engine_->window(static_cast<std::uint32_t>(nodes)),
                     seen, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE,
           "a window beyond the last");
    expect(transport(tlm::TLM_READ_COMMAND, 4, seen, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE,
           "half a register");
    expect(write(TlmNetwork::kDestination, ~std::uint64_t{0} / 2) == tlm::TLM_OK_RESPONSE,
           "destination");
    expect(
        write(TlmNetwork::kControl, TlmNetwork::kStart | TlmNetwork::kDma) == tlm::TLM_OK_RESPONSE,
        "start");
    wait(interrupt_i.posedge_event());
    expect(read(TlmNetwork::kStatus) == (TlmNetwork::kDone | TlmNetwork::kError), "DMA error");

    std::cout << nodes << " nodes exchanged " << nodes * packets << " packets in " << cycles
              << " cycles, by DMA and by hand\n";
    sc_core::sc_stop();
  }

  const TlmNetwork* engine_;
  Memory* memory_;
  int failures_ = 0;
};

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  const std::vector<std::uint32_t> sides{4, 4};
  const gossamer::Plan plan =
      gossamer::make_plan({gossamer::Topology::torus(sides), "gossip", "hamiltonian", {}, {}});

  const sc_core::sc_clock clk("clk", 2, sc_core::SC_NS);
  sc_core::sc_signal<bool> interrupt("interrupt");
  TlmNetwork engine("engine", plan, kPacketBytes);
  Memory memory("memory", 1U << 16U);
  Master master("master", engine, memory);
  engine.clk_i(clk);
  engine.done_o(interrupt);
  engine.initiator.bind(memory.socket);
  master.socket.bind(engine.target);
  master.interrupt_i(interrupt);
  sc_core::sc_start(1, sc_core::SC_MS);
  return master.failures() == 0 && sc_core::sc_get_status() == sc_core::SC_STOPPED ? 0 : 1;
}
