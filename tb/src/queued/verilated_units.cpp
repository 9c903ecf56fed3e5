// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/queued/verilated_units.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "../models/library.hpp"

namespace gossamer::tb {

std::unique_ptr<VerilatedPrefixUnit> make_verilated_prefix_unit() {
  return model_maker<UnitMaker<PrefixUnitPins>>("gsm_prefix_unit")();
}

std::unique_ptr<VerilatedLineStage> make_verilated_line_stage(std::uint32_t entries) {
  if (entries > kMaxVerilatedOwnPackets) {
    throw std::invalid_argument(
        fmt::format("a Verilated line stage has room for {} packets, not {}",
                    kMaxVerilatedOwnPackets, entries));
  }
  return model_maker<UnitMaker<LineStagePins>>(entries <= 64 ? "gsm_line_stage_e64"
                                                             : "gsm_line_stage_e1024")();
}

std::unique_ptr<VerilatedClassUnit> make_verilated_class_unit(std::uint32_t keys) {
  if (keys > kMaxVerilatedKeys) {
    throw std::invalid_argument(fmt::format(
        "a Verilated class unit has room for {} packets, not {}", kMaxVerilatedKeys, keys));
  }
  return model_maker<UnitMaker<ClassUnitPins>>(keys <= 64 ? "gsm_class_unit_k64"
                                                          : "gsm_class_unit_k512")();
}

std::unique_ptr<VerilatedExchangeUnit> make_verilated_exchange_unit(std::uint32_t own) {
  if (own > kMaxVerilatedExchange) {
    throw std::invalid_argument(
        fmt::format("a Verilated exchange unit has room for {} own packets, not {}",
                    kMaxVerilatedExchange, own));
  }
  return model_maker<UnitMaker<ExchangeUnitPins>>(own <= 64 ? "gsm_exchange_unit_o64"
                                                            : "gsm_exchange_unit_o256")();
}

}  // namespace gossamer::tb
