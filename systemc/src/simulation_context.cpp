// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/simulation_context.hpp"

#include <systemc>

// libsystemc.so refers to sc_main even when the program has a main() of its own. Weak, so that a
// program written around sc_main brings its own.
extern "C" __attribute__((weak)) int sc_main(int /*argc*/, char** /*argv*/) { return 0; }

namespace gossamer::systemc {

SimulationContext::Scope::Scope(SimulationContext* context)
    : previous_current_(sc_core::sc_curr_simcontext),
      previous_default_(sc_core::sc_default_global_context) {
  if (context == nullptr) return;
  sc_core::sc_curr_simcontext = context->context_;
  sc_core::sc_default_global_context = context->context_;
}

SimulationContext::Scope::~Scope() {
  sc_core::sc_curr_simcontext = previous_current_;
  sc_core::sc_default_global_context = previous_default_;
}

SimulationContext::SimulationContext() : context_(new sc_core::sc_simcontext) {}

SimulationContext::~SimulationContext() {
  const Scope scope(*this);
  delete context_;
}

namespace {
thread_local unsigned shared_scopes = 0;
}  // namespace

SharedSimulation::SharedSimulation() { ++shared_scopes; }
SharedSimulation::~SharedSimulation() { --shared_scopes; }
bool SharedSimulation::is_open() { return shared_scopes != 0; }

}  // namespace gossamer::systemc
