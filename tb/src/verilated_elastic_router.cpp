// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/verilated_elastic_router.hpp"

#include <Vgsm_elastic_router_p4_s4.h>
#include <Vgsm_elastic_router_p8_s4.h>
#include <Vgsm_elastic_router_p8_s64.h>

#include <stdexcept>

#include "clocked_model.hpp"
#include "verilated_signal.hpp"

namespace gossamer::tb {

namespace {

/// Data bits of the models, and of the number of an arrival. Above the data a link has the bit that
/// ends a chunk, so that a flit there is three words of 32 bits.
constexpr std::size_t kFlitBits = 95;
constexpr std::size_t kNumberBits = 16;

/// `Model` has `kPorts` ports and queues of `kSlots` flits at most.
template <typename Model, std::size_t kPorts, std::uint32_t kSlots>
class ElasticRouterOf final : public VerilatedElasticRouter {
 public:
  explicit ElasticRouterOf(const ElasticRouterTable& table)
      : ports_(table.outs.size()), model_("elastic_router") {
    if (ports_ > kPorts || table.slots > kSlots) {
      throw std::invalid_argument("no Verilated elastic router is large enough");
    }
    put(model_.slots_i, 0, 8, table.slots);
    for (std::size_t p = 0; p < ports_; ++p) {
      const ElasticRouterTable::Out& out = table.outs[p];
      put(model_.own_i, p, 1, out.own ? 1 : 0);
      put(model_.take_i, p, 1, table.takes[p] != 0 ? 1 : 0);
      if (table.takes[p] != 0) {
        put(model_.take_last_i, p * kNumberBits, kNumberBits, table.takes[p] - 1);
      }
      if (!out.feed) continue;
      put(model_.feed_i, p * kPorts + *out.feed, 1, 1);
      put(model_.pass_i, p, 1, 1);
      put(model_.pass_last_i, p * kNumberBits, kNumberBits, out.passes - 1);
    }
    clear();
  }

  void clear() override {
    model_.s_valid_i = model_.m_ready_i = model_.in_valid_i = model_.out_ready_i = 0;
    model_.reset();
    clock();
  }

  void settle(ElasticRouterPins& pins) override {
    model_.s_valid_i = static_cast<CData>(pins.s_valid_i.bits());
    model_.m_ready_i = static_cast<CData>(pins.m_ready_i.bits());
    model_.in_valid_i = static_cast<CData>(pins.in_valid_i.bits());
    model_.out_ready_i = static_cast<CData>(pins.out_ready_i.bits());
    for (const Port p : pins.s_valid_i) {
      const ElasticFlit& flit = pins.s_data_i[p];
      const std::size_t at = p * kFlitBits;
      put(model_.s_data_i, at, 32, static_cast<std::uint32_t>(flit.packet));
      put(model_.s_data_i, at + 32, 32, static_cast<std::uint32_t>(flit.packet >> 32U));
      put(model_.s_data_i, at + 64, kFlitBits - 64, flit.flit);
      put(model_.s_last_i, p, 1, flit.last ? 1 : 0);
    }
    for (const Port p : pins.in_valid_i) {
      const ElasticFlit& flit = pins.in_data_i[p];
      model_.in_data_i[3 * p] = static_cast<std::uint32_t>(flit.packet);
      model_.in_data_i[3 * p + 1] = static_cast<std::uint32_t>(flit.packet >> 32U);
      model_.in_data_i[3 * p + 2] = flit.flit | (flit.last ? 1U << 31U : 0U);
    }
    model_.eval();
    pins.s_ready_o = PortSet(model_.s_ready_o);
    pins.m_valid_o = PortSet(model_.m_valid_o);
    pins.in_ready_o = PortSet(model_.in_ready_o);
    pins.out_valid_o = PortSet(model_.out_valid_o);
    for (const Port p : pins.out_valid_o) {
      const std::uint32_t high = model_.out_data_o[3 * p + 2];
      pins.out_data_o[p] = {
          model_.out_data_o[3 * p] | std::uint64_t{model_.out_data_o[3 * p + 1]} << 32U,
          high & ~(1U << 31U), (high >> 31U) != 0};
    }
  }

  void clock() override { model_.edge(); }

 private:
  std::size_t ports_;
  ClockedModel<Model> model_;
};

}  // namespace

std::unique_ptr<VerilatedElasticRouter> make_verilated_elastic_router(
    const ElasticRouterTable& table) {
  if (table.slots > 4) {
    return std::make_unique<ElasticRouterOf<Vgsm_elastic_router_p8_s64, 8, 64>>(table);
  }
  if (table.outs.size() > 4) {
    return std::make_unique<ElasticRouterOf<Vgsm_elastic_router_p8_s4, 8, 4>>(table);
  }
  return std::make_unique<ElasticRouterOf<Vgsm_elastic_router_p4_s4, 4, 4>>(table);
}

}  // namespace gossamer::tb
