// SPDX-License-Identifier: Apache-2.0
#include "hand_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::test {

namespace {

constexpr std::uint32_t kUnlimitedDepth = 60000;
constexpr std::uint64_t kMaxSteps = 100000;

/// Follows an all-gather until every node has every packet.
class Scoreboard final : public Observer {
 public:
  explicit Scoreboard(const Plan& plan)
      : topology_(plan.topology),
        packets_(plan.program.as<StreamProgram>().packets_per_node()),
        total_(std::size_t{topology_.nodes()} * packets_),
        known_(topology_.nodes() * total_, false),
        missing_(topology_.nodes() * (total_ - packets_)) {
    for (std::size_t packet = 0; packet < total_; ++packet) {
      known_[packet / packets_ * total_ + packet] = true;
    }
  }

  bool on_links(const LinkView& view) override {
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const NodeId from = topology_.link_from(static_cast<LinkId>(link));
      const Port port = topology_.link_port(static_cast<LinkId>(link));
      append_format(trace_, "{},0,{},{},{}\n", view.step, from, port, view.packets[link]);
      auto known = known_[topology_.neighbor(from, port) * total_ + view.packets[link]];
      if (known) continue;
      known = true;
      --missing_;
    }
    steps_ = view.step;
    return missing_ > 0;
  }

  [[nodiscard]] bool complete() const { return missing_ == 0; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] const std::string& trace() const { return trace_; }

 private:
  const Topology& topology_;
  std::size_t packets_;
  std::size_t total_;
  std::vector<bool> known_;
  std::size_t missing_;
  std::uint64_t steps_ = 0;
  std::string trace_ = "step,hop,from,port,packet\n";
};

constexpr Port kLeft = 0;
constexpr Port kRight = 1;
constexpr Port kTop = 2;
constexpr Port kBottom = 3;

/// The port that the rule pairs with `port` in column x.
Port paired(std::uint32_t x, std::uint32_t nx, Port port) {
  constexpr std::array<Port, 4> kEven{kBottom, kTop, kRight, kLeft};
  constexpr std::array<Port, 4> kOdd{kTop, kBottom, kLeft, kRight};
  return x % 2 == 0 || x == nx - 1 ? kEven.at(port) : kOdd.at(port);
}

/// Bit n*4 + p: port p of node n lies on the cycle that leaves node 0 to the right.
std::vector<bool> first_cycle(const Topology& torus) {
  std::vector<bool> on_cycle(torus.link_slots(), false);
  NodeId node = 0;
  Port out_port = kRight;
  do {
    on_cycle[torus.link(node, out_port)] = true;
    node = torus.neighbor(node, out_port);
    const Port in_port = opposite(out_port);
    on_cycle[torus.link(node, in_port)] = true;
    out_port = paired(torus.coordinates(node)[0], torus.side(0), in_port);
  } while (node != 0 || out_port != kRight);
  return on_cycle;
}

Plan gossip_plan(const Topology& topology, const std::string& algorithm, std::uint32_t packets) {
  return Plan{topology,
              "gossip",
              algorithm,
              {},
              Demand::all_gather(packets),
              StreamProgram(topology.nodes(), topology.ports(), packets),
              {}};
}

/// Fills in the figures of the fast engine: steps and queue depth.
void measure(Plan& plan) {
  plan.expected.queue_depth = kUnlimitedDepth;
  Scoreboard scoreboard(plan);
  const std::unique_ptr<Engine> engine = make_fast_engine(plan);
  watch(*engine, kMaxSteps, scoreboard);
  if (!scoreboard.complete()) throw std::logic_error("the hand-made plan never completes");
  plan.expected.analytic_steps = scoreboard.steps();
  plan.expected.queue_depth = static_cast<std::uint32_t>(engine->statistics().max_queue);
}

/// The even/even cycles; out-port p of a node sends `lists[cycle][direction]` first, direction 1
/// being the way the first walk goes.
template <typename Preload>
Plan cycles_plan(std::uint32_t nx, std::uint32_t ny, std::uint32_t packets, Preload preload) {
  if (nx % 2 != 0 || ny % 2 != 0) throw InputError("the even/even rule needs even sides");
  const Topology torus = Topology::torus(std::array{nx, ny});
  Plan plan = gossip_plan(torus, "hand-made", packets);
  auto& program = plan.program.edit<StreamProgram>();
  const std::vector<bool> first = first_cycle(torus);
  for (NodeWalk walk(torus); !walk.done(); walk.next()) {
    for (const Port port : {kLeft, kRight, kTop, kBottom}) {
      StreamPort entry;
      entry.feed.insert(paired(walk.coordinates()[0], nx, port));
      entry.preload = preload(first[torus.link(walk.node(), port)] ? 0 : 1,
                              // One of the two ports of a cycle sends the reversed list.
                              port < paired(walk.coordinates()[0], nx, port));
      program.set(walk.node(), port, entry);
    }
  }
  return plan;
}

using PacketList = std::vector<std::uint16_t>;

}  // namespace

Plan even_even_plan(std::uint32_t nx, std::uint32_t ny) {
  Plan plan = cycles_plan(
      nx, ny, 2, [](int cycle, bool) { return PacketList{static_cast<std::uint16_t>(cycle)}; });
  plan.expected.analytic_steps = std::uint64_t{nx} * ny / 2;
  plan.expected.queue_depth = 1;
  return plan;
}

Plan double_packet_plan(std::uint32_t nx, std::uint32_t ny) {
  Plan plan = cycles_plan(nx, ny, 4, [](int cycle, bool reversed) {
    const auto first = static_cast<std::uint16_t>(2 * cycle);
    const auto second = static_cast<std::uint16_t>(2 * cycle + 1);
    return reversed ? PacketList{second, first} : PacketList{first, second};
  });
  measure(plan);
  return plan;
}

Plan flood_first_plan(std::uint32_t nx, std::uint32_t ny) {
  Plan plan = even_even_plan(nx, ny);
  auto& program = plan.program.edit<StreamProgram>();
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (const Port port : {kLeft, kRight, kTop, kBottom}) {
      StreamPort entry = program.at(node, port);
      entry.early_feed = PortSet(0b1111);
      entry.switch_step = 3;
      program.set(node, port, entry);
    }
  }
  measure(plan);
  return plan;
}

Plan mesh_flood_plan(std::uint32_t nx, std::uint32_t ny) {
  const Topology mesh = Topology::mesh(std::array{nx, ny});
  Plan plan = gossip_plan(mesh, "flood", 1);
  auto& program = plan.program.edit<StreamProgram>();
  for (NodeId node = 0; node < mesh.nodes(); ++node) {
    for (const Port port : {kLeft, kRight, kTop, kBottom}) {
      StreamPort entry;
      entry.feed = PortSet(static_cast<std::uint16_t>(0b1111U ^ (1U << port)));
      entry.preload = {0};
      program.set(node, port, entry);
    }
  }
  measure(plan);
  return plan;
}

Plan hand_plan(const std::string& name, std::uint32_t nx, std::uint32_t ny) {
  if (name == "even_even") return even_even_plan(nx, ny);
  if (name == "double_packet") return double_packet_plan(nx, ny);
  if (name == "flood_first") return flood_first_plan(nx, ny);
  if (name == "mesh_flood") return mesh_flood_plan(nx, ny);
  throw InputError(fmt::format("no hand-made plan '{}'", name));
}

std::string fast_trace(const Plan& plan) {
  Scoreboard scoreboard(plan);
  watch(*make_fast_engine(plan), *plan.expected.analytic_steps, scoreboard);
  if (!scoreboard.complete()) throw std::logic_error("the hand-made plan misses its steps");
  return scoreboard.trace();
}

}  // namespace gossamer::test
