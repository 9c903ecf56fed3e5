// SPDX-License-Identifier: Apache-2.0
/// Routers that go through a schedule's ROM by a step counter of their own (elastic_steps.hpp).
#pragma once

#include <memory>
#include <vector>

#include "gossamer/systemc/elastic_steps.hpp"
#include "gossamer/systemc/elastic_tile.hpp"

namespace gossamer::systemc {

class ElasticScheduleRouter : public ElasticTile {
 public:
  ElasticScheduleRouter(const sc_core::sc_module_name& name,
                        std::shared_ptr<const ElasticTiles> tiles, NodeId node);

 private:
  void clear_router() override;
  void settle_router() override;
  void clock_router() override;

  ElasticSteps steps_;
  std::vector<ElasticQueue> queues_;
};

}  // namespace gossamer::systemc
