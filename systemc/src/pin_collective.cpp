// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/pin_collective.hpp"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/node_pins.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

namespace {

Plan plan_of(std::string_view document) {
  std::istringstream in{std::string(document)};
  return read_plan(in, "plan");
}

}  // namespace

/// The plan, its engine in this simulation, and the present deliveries.
struct PinCollective::Network {
  explicit Network(std::string_view document) : plan(plan_of(document)), pins(plan) {
    const SharedSimulation scope;
    engine = make_engine("systemc", plan, {.arithmetic = pins.arithmetic()});
    rounds = dynamic_cast<Restartable*>(engine.get());
    if (rounds == nullptr) {
      throw InputError("plan: the SystemC engine of this machine cannot repeat a round");
    }
  }
  [[nodiscard]] bool error() const {
    for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
      if (engine->error(node)) return true;
    }
    return false;
  }

  Plan plan;
  NodePins pins;
  std::unique_ptr<Engine> engine;
  Restartable* rounds = nullptr;
  /// Indices of the delivery pins that are high.
  std::vector<std::size_t> high;
};

PinCollective::PinCollective(const sc_core::sc_module_name& name, std::string_view plan,
                             const PinCollectiveSizes& sizes)
    : sc_core::sc_module(name),
      own_data_i("own_data_i", sizes.own_words),
      deliver_valid_o("deliver_valid_o", sizes.nodes * sizes.places),
      deliver_number_o("deliver_number_o", sizes.nodes * sizes.places),
      deliver_data_o("deliver_data_o", sizes.nodes * sizes.places * sizes.lanes),
      sizes_(sizes),
      network_(std::make_unique<Network>(plan)) {
  const NodePins& pins = network_->pins;
  if (sizes.cycles == 0 || sizes.nodes != network_->plan.topology.nodes() ||
      sizes.own_words != pins.own_words() || sizes.lanes != pins.lanes()) {
    throw InputError("plan: the sizes of the pins are those of another plan");
  }
  SC_HAS_PROCESS(PinCollective);
  SC_THREAD(run);
  sensitive << clk_i.pos() << rst_ni.neg();
  dont_initialize();
}

PinCollective::~PinCollective() = default;

void PinCollective::run() {
  for (;;) {
    edge();
    wait();
  }
}

void PinCollective::edge() {
  bool done = false;
  if (!rst_ni.read() || clear_i.read()) {
    cycle_ = 0;
    failed_ = false;
    lower_deliveries();
  } else if (cycle_ != 0 || start_i.read()) {
    try {
      if (cycle_ == 0) {
        std::vector<std::uint64_t> own;
        own.reserve(own_data_i.size());
        // Iterators of sc_vector compare ambiguously in C++20.
        for (std::size_t i = 0; i < own_data_i.size(); ++i) own.push_back(own_data_i[i].read());
        network_->pins.set_own(std::move(own));
        failed_ = false;
        network_->rounds->restart();
      } else if (!failed_) {
        network_->engine->clock(1);
      }
      done = cycle_ == sizes_.cycles;
      cycle_ = done ? 0 : cycle_ + 1;
      lower_deliveries();
      if (!failed_) show(done);
    } catch (const ModelAssertion&) {
      failed_ = true;
    }
    failed_ = failed_ || network_->error();
  } else {
    lower_deliveries();
  }
  busy_o.write(cycle_ != 0);
  done_o.write(done);
  error_o.write(failed_);
}

void PinCollective::show(bool after) {
  const auto deliveries = network_->pins.look(*network_->engine, after);
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const NodeDelivery& delivery = deliveries[i];
    if (delivery.place >= sizes_.places) {
      failed_ = true;
      continue;
    }
    const std::size_t at = delivery.node * sizes_.places + delivery.place;
    deliver_valid_o[at].write(true);
    deliver_number_o[at].write(delivery.number);
    const auto data = network_->pins.data(i);
    for (std::size_t lane = 0; lane < data.size(); ++lane) {
      deliver_data_o[at * sizes_.lanes + lane].write(data[lane]);
    }
    network_->high.push_back(at);
  }
}

void PinCollective::lower_deliveries() {
  for (const std::size_t at : network_->high) deliver_valid_o[at].write(false);
  network_->high.clear();
}

}  // namespace gossamer::systemc
