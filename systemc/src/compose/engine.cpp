// SPDX-License-Identifier: Apache-2.0
/// The SystemC router of contexts: a register per output port, and the adder before it.
#include <utility>
#include <vector>

#include "gossamer/systemc/compose/context_router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

class ContextRouter final : public ContextNode {
 public:
  ContextRouter(const sc_core::sc_module_name& name,
                std::shared_ptr<const ContextSchedule> schedule, const Topology& topology,
                NodeId node)
      : ContextNode(name, std::move(schedule), topology, node),
        registers_(ports()),
        next_(ports()) {}

 protected:
  void clear_registers() override { registers_.assign(ports(), {}); }
  void clock_registers(const Edge<CombinedWord>& edge, std::span<const RegisterControl> controls,
                       std::span<const std::pair<Port, RegisterControl>> besides,
                       std::span<RegisterWord> beside) override {
    for (std::size_t port = 0; port < ports(); ++port) {
      next_[port] = taken(edge, static_cast<Port>(port), controls[port]);
    }
    for (std::size_t i = 0; i < besides.size(); ++i) {
      beside[i] = taken(edge, besides[i].first, besides[i].second);
    }
    registers_.swap(next_);
  }
  [[nodiscard]] RegisterWord register_word(Port port) const override { return registers_[port]; }

 private:
  [[nodiscard]] RegisterWord taken(const Edge<CombinedWord>& edge, Port port,
                                   const RegisterControl& control) const {
    if (control.source == RegisterSource::kNothing) return {};
    if (control.source == RegisterSource::kOwn) return control.own;
    RegisterWord word = arrival_at(edge, control.feed);
    if (control.source == RegisterSource::kArrival) return word;
    if (control.source == RegisterSource::kArrivalAndPartner) {
      return schedule().combined(word, registers_[control.feed]);
    }
    if (control.source == RegisterSource::kArrivalsAndOwn) {
      word = schedule().combined(word, arrival_at(edge, port));
    }
    return schedule().combined(word, control.own);
  }

  /// By output port.
  std::vector<RegisterWord> registers_;
  std::vector<RegisterWord> next_;
};

std::unique_ptr<ContextNode> make_context_router(const char* name,
                                                 std::shared_ptr<const ContextSchedule> schedule,
                                                 const Topology& topology, NodeId node) {
  return std::make_unique<ContextRouter>(name, std::move(schedule), topology, node);
}

std::unique_ptr<Engine> make_contexts(const Plan& plan, const EngineOptions& options) {
  return make_context_fabric_engine(plan, "systemc", make_context_router, options);
}

const ContextEngineRegistration kContextRegistration("systemc", make_contexts);

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_compose)
