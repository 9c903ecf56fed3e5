// SPDX-License-Identifier: Apache-2.0
#include "embedded.hpp"

#include <utility>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/embedded_ports.hpp"

namespace gossamer {

namespace {

PortSet moved_ports(PortSet ports, const std::vector<Port>& columns) {
  PortSet moved;
  for (const Port port : ports) {
    if (columns[port] != kNoColumn) moved.insert(columns[port]);
  }
  return moved;
}

}  // namespace

EmbeddedProgram embedded_stream(const StreamProgram& guest, const Embedding& embedding) {
  if (embedding.frame > 1) {
    if (guest.frame() > 1)
      throw InfeasibleError("a program with frames cannot be embedded in frames");
    for (const StreamPort& entry : guest.dictionary()) {
      if ((!entry.has_fan_in() && entry.switch_step == 0) || embedding.arrives_together()) continue;
      throw InfeasibleError(
          "streams join or switch at an output port; several host steps per step would change "
          "their order");
    }
  }
  StreamProgram host(embedding.host.nodes(), embedded_columns(embedding, guest.frame()),
                     guest.packets_per_node(), embedding.frame * guest.frame());
  const std::uint32_t depth = embed_ports(
      guest, guest.frame(), embedding, host,
      [&](StreamPort entry, const std::vector<Port>& columns) {
        entry.feed = moved_ports(entry.feed, columns);
        entry.early_feed = moved_ports(entry.early_feed, columns);
        if (entry.switch_step != 0) {
          entry.switch_step = (entry.switch_step - 1) * embedding.frame + 1;
        }
        return entry;
      },
      [](Port in) {
        return StreamPort{
            .feed = PortSet::of(in), .early_feed = {}, .switch_step = 0, .preload = {}};
      },
      [](const StreamPort& entry) { return static_cast<std::uint32_t>(entry.preload.size()); });
  return {std::move(host), embedding.frame == 1 ? 0 : depth};
}

}  // namespace gossamer
