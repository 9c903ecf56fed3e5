// SPDX-License-Identifier: Apache-2.0
#include "gossamer/foreign/flow.hpp"

#include <algorithm>

namespace gossamer::foreign {

std::vector<FlowUse> uses_of(const Flow& flow) {
  std::vector<FlowUse> uses(flow.values.size());
  for (const FlowOutput& output : flow.outputs) {
    uses[output.value].needed = true;
    uses[output.value].is_output = true;
  }
  for (auto index = static_cast<std::uint32_t>(uses.size()); index-- > 0;) {
    if (!uses[index].needed) continue;
    const FlowValue& value = flow.values[index];
    if (value.kind == FlowValue::Kind::kArrival) {
      FlowUse& sent = uses[value.a];
      sent.needed = true;
      ++sent.sends;
      sent.last_send = std::max(sent.last_send, value.step);
    } else if (value.kind == FlowValue::Kind::kSum) {
      for (const std::uint32_t term : {value.a, value.b}) {
        uses[term].needed = true;
        ++uses[term].sums;
      }
    }
  }
  for (std::uint32_t index = 0; index < uses.size(); ++index) {
    FlowUse& use = uses[index];
    use.dissolved =
        flow.is_sum(index) && use.needed && use.sums == 1 && use.sends == 0 && !use.is_output;
  }
  return uses;
}

FlowTerms terms_of(const Flow& flow, const std::vector<FlowUse>& uses, std::uint32_t sum) {
  FlowTerms terms;
  std::vector<std::uint32_t> open{sum};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const FlowUse& use = uses[at];
    if (flow.is_sum(at) && (at == sum || use.dissolved)) {
      open.push_back(flow.values[at].a);
      open.push_back(flow.values[at].b);
    } else if (flow.is_arrival(at) && use.sums == 1 && use.sends == 0 && !use.is_output) {
      terms.arrivals.push_back(at);
    } else {
      terms.others.push_back(at);
    }
  }
  return terms;
}

}  // namespace gossamer::foreign
