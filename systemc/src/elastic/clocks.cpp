// SPDX-License-Identifier: Apache-2.0
/// Elastic tiles, each with its own clock.
#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/systemc/vcd_wave.hpp"
#include "network.hpp"

namespace gossamer::systemc {

namespace {

using ElasticSignal = LinkSignal<ElasticWord>;

/// One end of the crossings on a pair of opposite links, `gsm_elastic_crossing` twice: the entry of
/// the outgoing FIFO and the exit of the incoming one. The tile's clock drives all of it; only the
/// pointers of the other end come from another clock, through two flip-flops.
class CrossingEnd : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};

  /// Connects the tile's output and input on a port.
  CrossingEnd(const sc_core::sc_module_name& name, const ElasticSignal& driven,
              ElasticSignal& shown)
      : sc_core::sc_module(name), driven_(driven), shown_(shown) {
    SC_HAS_PROCESS(CrossingEnd);
    SC_METHOD(clock);
    dont_initialize();
    sensitive << clk_i.pos();
  }

  void connect(const CrossingEnd& other) { other_ = &other; }

  /// A flit enters at the next edge, or a pointer has not passed the flip-flops.
  [[nodiscard]] bool moves() const {
    return (driven_.read().valid && word_.ready) || other_->pushed_.read() != comes_.back() ||
           other_->popped_.read() != gone_.back();
  }

 private:
  static constexpr std::uint64_t kSlots = 8;
  static constexpr std::size_t kFlipFlops = 2;
  using Synchronizer = std::array<std::uint64_t, kFlipFlops>;

  static void shift(Synchronizer& synchronizer, std::uint64_t pointer) {
    for (std::size_t at = kFlipFlops; --at > 0;) synchronizer[at] = synchronizer[at - 1];
    synchronizer.front() = pointer;
  }

  void clock() {
    const ElasticWord& tile = driven_.read();
    std::uint64_t pushed = pushed_.read();
    std::uint64_t popped = popped_.read();
    if (tile.valid && word_.ready) flits_[pushed++ % kSlots] = tile.flit;
    if (tile.ready && word_.valid) ++popped;
    shift(comes_, other_->pushed_.read());
    shift(gone_, other_->popped_.read());
    pushed_.write(pushed);
    popped_.write(popped);
    word_ = {};
    word_.ready = pushed - gone_.back() < kSlots;
    word_.valid = comes_.back() != popped;
    // It has been there for at least two edges, and stays until it is popped.
    if (word_.valid) word_.flit = other_->flits_[popped % kSlots];
    shown_.write(word_);
  }

  const ElasticSignal& driven_;
  ElasticSignal& shown_;
  const CrossingEnd* other_ = nullptr;
  /// The outgoing FIFO; flits that have entered it, and flits that have left the incoming one.
  std::array<ElasticFlit, kSlots> flits_{};
  sc_core::sc_signal<std::uint64_t> pushed_{"pushed"};
  sc_core::sc_signal<std::uint64_t> popped_{"popped"};
  /// The other end's pointers, the newest first.
  Synchronizer comes_{};
  Synchronizer gone_{};
  /// The tile's input in this cycle.
  ElasticWord word_;
};

/// A tile's clock, and the start signal, which is high at its first edge only.
class TileClock : public sc_core::sc_module {
 public:
  TileClock(const sc_core::sc_module_name& name, const sc_core::sc_time& period,
            const sc_core::sc_time& first)
      : sc_core::sc_module(name), clk("clk", period, 0.5, first, true) {
    start.write(true);
    SC_HAS_PROCESS(TileClock);
    SC_METHOD(begun);
    dont_initialize();
    sensitive << clk.posedge_event();
  }

  sc_core::sc_clock clk;
  sc_core::sc_signal<bool> start{"start"};

 private:
  void begun() { start.write(false); }
};

class ElasticClockNetwork final : public ElasticNetwork {
 public:
  ElasticClockNetwork(const Topology& topology, const Fabric<ElasticWord>::RouterFactory& make_tile,
                      const std::vector<std::uint32_t>& periods, const std::string& wave_file)
      : periods_(periods) {
    const SimulationContext::Scope scope(context_);
    modules_ = std::make_unique<Modules>(topology, make_tile, periods);
    if (!wave_file.empty()) trace(topology, wave_file);
    driven_.resize(topology.link_slots());
    shown_.resize(topology.link_slots());
    // All edges are in the middle of a cycle; the first ones, which start the tiles, come before
    // cycle 0.
    sc_core::sc_start(one_cycle());
  }
  ~ElasticClockNetwork() override {
    const SimulationContext::Scope scope(context_);
    wave_.reset();
    modules_.reset();
  }

  void clock() override {
    const SimulationContext::Scope scope(context_);
    sc_core::sc_start(one_cycle());
    ++cycle_;
    for (const auto& tile : modules_->tiles) {
      if (tile->failure()) std::rethrow_exception(tile->failure());
    }
  }
  [[nodiscard]] const ElasticTile& tile(NodeId node) const override {
    return static_cast<const ElasticTile&>(modules_->tiles[node]->router());
  }
  [[nodiscard]] ElasticTile& tile(NodeId node) override {
    return static_cast<ElasticTile&>(modules_->tiles[node]->router());
  }
  [[nodiscard]] std::span<const ElasticWord> driven() override {
    return read(modules_->driven, driven_);
  }
  [[nodiscard]] std::span<const ElasticWord> shown() override {
    return read(modules_->shown, shown_);
  }
  [[nodiscard]] bool has_edge(NodeId node) const override {
    return (cycle_ + 1) % periods_[node] == 0;
  }
  [[nodiscard]] bool had_edge(NodeId node) const override { return cycle_ % periods_[node] == 0; }
  [[nodiscard]] bool moves() override {
    return std::any_of(modules_->ends.begin(), modules_->ends.end(),
                       [](const auto& end) { return end != nullptr && end->moves(); });
  }
  bool upset(LinkId /*link*/, const Upset& /*upset*/) override {
    throw std::logic_error("links between clocks cannot be damaged");
  }

 private:
  using Signals = std::vector<std::unique_ptr<ElasticSignal>>;
  [[nodiscard]] static sc_core::sc_time one_cycle() { return {1, sc_core::SC_NS}; }

  struct Modules {
    Modules(const Topology& topology, const Fabric<ElasticWord>::RouterFactory& make_tile,
            const std::vector<std::uint32_t>& periods)
        : ends(topology.link_slots()) {
      high.write(true);
      const auto ports = static_cast<std::size_t>(topology.ports());
      for (LinkId link = 0; link < topology.link_slots(); ++link) {
        const std::string number = std::to_string(link);
        driven.push_back(std::make_unique<ElasticSignal>(("driven_" + number).c_str()));
        shown.push_back(std::make_unique<ElasticSignal>(("shown_" + number).c_str()));
      }
      for (std::size_t port = 0; port < ports; ++port) {
        border.push_back(
            std::make_unique<ElasticSignal>(("border_" + std::to_string(port)).c_str()));
      }
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        const std::string number = std::to_string(node);
        clocks.push_back(std::make_unique<TileClock>(("clock_" + number).c_str(),
                                                     one_cycle() * periods[node], one_cycle() / 2));
        tiles.push_back(std::make_unique<PinnedRouter<ElasticWord>>(
            ("tile_" + number).c_str(), ports, 1, [&] { return make_tile("core", node); }));
        PinnedRouter<ElasticWord>& tile = *tiles.back();
        tile.clk_i(clocks.back()->clk);
        tile.rst_ni(high);
        tile.clear_i(low);
        tile.start_i(clocks.back()->start);
        for (std::size_t p = 0; p < ports; ++p) {
          const auto port = static_cast<Port>(p);
          const LinkId leaving = topology.link(node, port);
          const LinkId entering = topology.link_into(node, port);
          tile.out.bind(*driven[leaving]);
          tile.in.bind(entering == kNoLink ? *border[p] : *shown[entering]);
          if (entering == kNoLink) continue;
          ends[leaving] = std::make_unique<CrossingEnd>(
              ("crossing_" + std::to_string(leaving)).c_str(), *driven[leaving], *shown[entering]);
          ends[leaving]->clk_i(clocks.back()->clk);
        }
      }
      for (LinkId link = 0; link < ends.size(); ++link) {
        if (ends[link] == nullptr) continue;
        const NodeId far = topology.neighbor(topology.link_from(link), topology.link_port(link));
        ends[link]->connect(*ends[topology.link(far, opposite(topology.link_port(link)))]);
      }
    }

    sc_core::sc_signal<bool> high{"high"};
    sc_core::sc_signal<bool> low{"low"};
    /// By link slot: the output of its out-port, and the input at its far end; by port, the input
    /// at the border of a mesh.
    Signals driven;
    Signals shown;
    Signals border;
    std::vector<std::unique_ptr<TileClock>> clocks;
    std::vector<std::unique_ptr<PinnedRouter<ElasticWord>>> tiles;
    /// By link slot, at the end of its out-port.
    std::vector<std::unique_ptr<CrossingEnd>> ends;
  };

  /// Every clock, and for every link the output of its out-port and the input at its far end.
  void trace(const Topology& topology, const std::string& wave_file) {
    sc_core::sc_trace_file* const file = wave_.emplace(wave_file).file();
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      const std::string node = "node_" + std::to_string(walk.node());
      sc_core::sc_trace(file, modules_->clocks[walk.node()]->clk, node + ".clk");
      for (const Port port : all_ports(topology.ports())) {
        if (walk.neighbor(port) == kNoNode) continue;
        const LinkId link = topology.link(walk.node(), port);
        const std::string name = link_wave_name(topology, link);
        sc_core::sc_trace(file, *modules_->driven[link], name);
        sc_core::sc_trace(file, *modules_->shown[link], name + ".far");
      }
    }
  }

  [[nodiscard]] static std::span<const ElasticWord> read(const Signals& signals,
                                                         std::vector<ElasticWord>& words) {
    for (LinkId link = 0; link < signals.size(); ++link) words[link] = signals[link]->read();
    return words;
  }

  std::vector<std::uint32_t> periods_;
  SimulationContext context_;
  std::unique_ptr<Modules> modules_;
  std::vector<ElasticWord> driven_;
  std::vector<ElasticWord> shown_;
  std::uint64_t cycle_ = 0;
  std::optional<VcdWave> wave_;
};

}  // namespace

std::unique_ptr<ElasticNetwork> make_elastic_clock_network(
    const Topology& topology, const Fabric<ElasticWord>::RouterFactory& make_tile,
    const std::vector<std::uint32_t>& periods, const std::string& wave_file) {
  if (periods.size() != topology.nodes() ||
      std::find(periods.begin(), periods.end(), 0) != periods.end()) {
    throw std::invalid_argument("every tile's clock must have a period of at least 1");
  }
  return std::make_unique<ElasticClockNetwork>(topology, make_tile, periods, wave_file);
}

}  // namespace gossamer::systemc
