// SPDX-License-Identifier: Apache-2.0
/// A virtual platform whose bus master uses a Network as its collective engine.
///
/// The master of a bus writes two readings for each node of a 4x4 torus into the device, starts a
/// round, sleeps until the interrupt, and reads the packets of node 5. Meanwhile the device has
/// written the packets of every node to the platform's memory, where the master adds them all up.
#include <array>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <systemc>
#include <vector>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/systemc/tlm_collective.hpp"

namespace {

namespace reg = gossamer::systemc::tlm_register;

constexpr std::uint64_t kDevice = 0x4000'0000;

/// The platform's memory.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> bus{"bus"};

  Memory(const sc_core::sc_module_name& name, std::size_t words)
      : sc_core::sc_module(name), words_(words) {
    bus.register_b_transport(this, &Memory::transport);
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t address) const { return words_.at(address / 8); }

 private:
  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    const std::uint64_t address = transaction.get_address();
    if (address / 8 >= words_.size() || transaction.get_data_length() != 8) {
      transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (transaction.is_write()) {
      std::memcpy(&words_[address / 8], transaction.get_data_ptr(), 8);
    } else {
      std::memcpy(transaction.get_data_ptr(), &words_[address / 8], 8);
    }
    delay += sc_core::sc_time(2, sc_core::SC_NS);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::vector<std::uint64_t> words_;
};

class Master : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Master> bus{"bus"};
  sc_core::sc_in<bool> irq_i{"irq_i"};

  Master(const sc_core::sc_module_name& name, std::uint64_t received)
      : sc_core::sc_module(name), received_(received) {
    SC_HAS_PROCESS(Master);
    SC_THREAD(work);
  }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(static_cast<unsigned char*>(data));
    transaction.set_data_length(bytes);
    transaction.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->b_transport(transaction, delay);
    sc_assert(transaction.is_response_ok());
    wait(delay);
  }
  void write(std::uint64_t address, std::uint64_t value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, 8);
  }
  std::uint64_t read(std::uint64_t address) {
    std::uint64_t value = 0;
    access(tlm::TLM_READ_COMMAND, address, &value, 8);
    return value;
  }
  void work() {
    wait(20, sc_core::SC_NS);
    const std::uint64_t packets = read(reg::kNodes) * read(reg::kPackets);
    std::vector<std::uint64_t> readings;
    for (std::uint64_t i = 0; i < packets; ++i) readings.push_back(100 + i);
    access(tlm::TLM_WRITE_COMMAND, reg::kOwn, readings.data(), static_cast<unsigned>(8 * packets));
    write(reg::kMemoryEnable, 1);
    write(reg::kMemoryBase, kDevice);
    write(reg::kInterruptEnable, 1);
    write(reg::kControl, reg::kStart);
    wait(irq_i.posedge_event());
    sc_assert(read(reg::kStatus) == reg::kDone);
    access(tlm::TLM_READ_COMMAND, received_ + std::uint64_t{8} * 5 * packets, readings.data(),
           static_cast<unsigned>(8 * packets));
    for (const std::uint64_t reading : readings) sum_ += reading;
    finished_ = true;
  }

  std::uint64_t received_;
  std::uint64_t sum_ = 0;
  bool finished_ = false;
};

/// The device accesses the memory at kDevice.
class Window : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Window> in{"in"};
  tlm_utils::simple_initiator_socket<Window> out{"out"};

  explicit Window(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    in.register_b_transport(this, &Window::transport);
  }

 private:
  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    transaction.set_address(transaction.get_address() - kDevice);
    out->b_transport(transaction, delay);
  }
};

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  const auto torus = gossamer::Topology::torus(std::array{4U, 4U});
  const gossamer::Plan plan = gossamer::plan_hamiltonian(torus, {});
  const std::uint64_t nodes = torus.nodes();
  const std::uint64_t packets = nodes * packets_per_node(plan);

  const sc_core::sc_clock clk("clk", 1, sc_core::SC_NS);
  sc_core::sc_signal<bool> rst_n("rst_n");
  sc_core::sc_signal<bool> irq("irq");
  gossamer::systemc::TlmCollective device("device", plan, sc_core::sc_time(1, sc_core::SC_NS));
  Memory memory("memory", nodes * packets);
  Window window("window");
  Master master("master", device.received());
  device.clk_i(clk);
  device.rst_ni(rst_n);
  device.irq_o(irq);
  master.irq_i(irq);
  master.bus.bind(device.target);
  device.memory.bind(window.in);
  window.out.bind(memory.bus);

  sc_core::sc_start(10, sc_core::SC_NS);
  rst_n.write(true);
  sc_core::sc_start(10, sc_core::SC_US);

  std::uint64_t equal = 0;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    std::uint64_t sum = 0;
    for (std::uint64_t id = 0; id < packets; ++id) sum += memory.at(8 * (node * packets + id));
    if (sum == master.sum()) ++equal;
  }
  std::cout << "the master read readings that add up to " << master.sum() << "; so do those of "
            << equal << " of " << nodes << " nodes in memory\n";
  return master.finished() && equal == nodes ? 0 : 1;
}
