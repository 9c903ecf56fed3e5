// SPDX-License-Identifier: Apache-2.0
/// Several SystemC simulations, sequential or concurrent, in one process.
///
/// SystemC elaborates once per process and rejects new modules after the start (error E113).
/// However, the kernel keeps all of its state in one context object, and this class gives each
/// simulation its own. This is not a documented feature of SystemC: it was established for 2.3.4,
/// and only this class relies on it.
#pragma once

namespace sc_core {
class sc_simcontext;
}

namespace gossamer::systemc {

class SimulationContext {
 public:
  /// A fresh kernel at time 0, nothing elaborated. It becomes current only in a Scope.
  SimulationContext();
  /// All modules and signals of this context must have been destroyed.
  ~SimulationContext();
  SimulationContext(const SimulationContext&) = delete;
  SimulationContext& operator=(const SimulationContext&) = delete;

  /// While it lives, this thread's SystemC calls use `context`: construction and destruction of
  /// modules, sc_start, tracing. Scopes nest.
  class Scope {
   public:
    explicit Scope(SimulationContext& context) : Scope(&context) {}
    /// Null: the current one remains.
    explicit Scope(SimulationContext* context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    sc_core::sc_simcontext* previous_current_;
    sc_core::sc_simcontext* previous_default_;
  };

 private:
  sc_core::sc_simcontext* context_;
};

/// While it lives, the engines that this thread creates join the current simulation, which is being
/// elaborated: their modules become children of the module under construction. Their clock() and
/// restart() (sim/restartable.hpp) are called from an SC_THREAD of it, and take no simulated time.
/// They begin with restart(). Scopes nest.
class SharedSimulation {
 public:
  SharedSimulation();
  ~SharedSimulation();
  SharedSimulation(const SharedSimulation&) = delete;
  SharedSimulation& operator=(const SharedSimulation&) = delete;

  [[nodiscard]] static bool is_open();
};

}  // namespace gossamer::systemc
