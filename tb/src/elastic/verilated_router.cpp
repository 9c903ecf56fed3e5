// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/elastic/verilated_router.hpp"

#include "../models/library.hpp"

namespace gossamer::tb {

std::unique_ptr<VerilatedElasticRouter> make_verilated_elastic_router(
    const ElasticRouterTable& table, const ModelWords& words) {
  // The models of rtl/CMakeLists.txt. There are fewer for other words than 64-bit integers.
  const bool many = !words.is_special();
  const char* model = "gsm_elastic_router_p4_s4";
  if (table.outs.size() > 4)
    model = many ? "gsm_elastic_router_p8_s4" : "gsm_elastic_router_p8_s64";
  if (table.slots > 4) model = "gsm_elastic_router_p8_s64";
  return model_maker<ElasticRouterMaker>(words.model(model))(table);
}

}  // namespace gossamer::tb
