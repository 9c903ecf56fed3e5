// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of a reduction: nodes differ by their wiring and their ranks, and all are
/// configured with the same legs.
#include <fmt/format.h>

#include <compare>
#include <map>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/machines/ring/tables.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

/// The part of a tile's configuration that differs between tiles, as literals.
struct CombiningClass {
  std::string lane_in;
  std::string lane_out;
  std::string relay;
  /// The rank on each cycle; of nodes that learn it, on which it is 0.
  std::string ranks;

  auto operator<=>(const CombiningClass&) const = default;
};

const Combination& combination_of(const Plan& plan) {
  return plan.program.as<RingProgram>().combine;
}

/// Bits of the longest vector of a node, as one port of the tile.
constexpr std::uint64_t kMostVectorBits = std::uint64_t{1} << 24U;

PutBits into(Literal& literal) {
  return [&literal](std::size_t lsb, std::size_t, std::uint32_t value) { literal.set(lsb, value); };
}

CombiningClass combining_class(const Plan& plan, const LegFormat& format, bool learns,
                               NodeId node) {
  const auto& program = plan.program.as<RingProgram>();
  const Combination& combine = program.combine;
  const auto columns = static_cast<std::size_t>(program.ports());
  const CombiningWiring wiring = combining_wiring(plan.topology, program, node);
  Literal in(wiring.in.size() * columns);
  Literal out(wiring.in.size() * columns);
  Literal relay(columns * columns);
  Literal ranks(combine.cycles() * (learns ? 1 : format.block_bits));
  for (std::size_t l = 0; l < wiring.in.size(); ++l) {
    if (wiring.in[l]) in.set(l * columns + *wiring.in[l], 1);
    if (wiring.out[l]) out.set(l * columns + *wiring.out[l], 1);
  }
  for (const auto& [to, from] : wiring.relays) relay.set(to * columns + from, 1);
  for (std::size_t c = 0; c < combine.cycles(); ++c) {
    const std::uint32_t rank = combine.ranks[node * combine.cycles() + c];
    if (learns) {
      ranks.set(c, rank == 0 ? 1 : 0);
    } else {
      ranks.set(c * format.block_bits, rank);
    }
  }
  return {in.text(), out.text(), relay.text(), ranks.text()};
}

/// The words of a node's memory: part by part, block by block.
class VectorMap {
 public:
  /// Throws InputError when a part has its blocks in different places on different cycles.
  explicit VectorMap(const Plan& plan)
      : combine_(combination_of(plan)),
        nodes_(plan.topology.nodes()),
        cycle_of_part_(combine_.parts, kNone) {
    if (combine_.blocks == nodes_) {
      node_of_rank_.resize(combine_.cycles() * nodes_);
      for (NodeId node = 0; node < nodes_; ++node) {
        for (std::size_t c = 0; c < combine_.cycles(); ++c) {
          node_of_rank_[c * nodes_ + combine_.ranks[node * combine_.cycles() + c]] = node;
        }
      }
    }
    for (const CombineLeg& leg : combine_.legs) {
      for (std::size_t l = 0; l < leg.lanes.size(); ++l) {
        if (!leg.lanes[l]) continue;
        std::size_t& cycle = cycle_of_part_[leg.lanes[l]->part];
        if (cycle != kNone && cycle != l / 2 && !node_of_rank_.empty()) {
          throw InputError(fmt::format(
              "format sv: part {} of the vector runs on two cycles, whose ranks name its words "
              "differently",
              leg.lanes[l]->part));
        }
        cycle = l / 2;
      }
    }
  }

  [[nodiscard]] PacketId piece(std::uint64_t address) const {
    const std::uint64_t part = address / combine_.blocks;
    const std::uint64_t block = address % combine_.blocks;
    const std::size_t cycle = cycle_of_part_[part];
    const bool named = !node_of_rank_.empty() && cycle != kNone;
    return (named ? node_of_rank_[cycle * nodes_ + block] : block) * combine_.parts + part;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  const Combination& combine_;
  std::uint64_t nodes_;
  /// By cycle, then rank; empty where blocks belong to no nodes.
  std::vector<NodeId> node_of_rank_;
  std::vector<std::size_t> cycle_of_part_;
};

/// Words on links and writes to the vectors, cycle by cycle.
class CombiningRecorder final : public Observer {
 public:
  CombiningRecorder(const Plan& plan, const VectorMap& map, const LegFormat& format,
                    const LaneWords& words, ExpectedRun& run)
      : topology_(plan.topology),
        combine_(combination_of(plan)),
        frame_(plan.program.as<RingProgram>().frame()),
        flits_(plan.program.as<RingProgram>().flits),
        pipeline_(plan.program.as<RingProgram>().pipeline()),
        nodes_(plan.topology.nodes()),
        words_(words),
        address_bits_(format.address_bits),
        run_(run),
        link_mask_(words.all_ones()),
        deliver_mask_(
            digits_of_ones(static_cast<std::size_t>(words.width()) + format.address_bits)) {
    for (std::uint64_t address = 0; address < combine_.words(); ++address) {
      address_of_[map.piece(address)] = address;
    }
  }

  bool on_links(const LinkView& view) override {
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      // A packet has a row with its first word.
      const std::int64_t row = pipeline_.plain() ? 0 : view.flit == 0 ? signed_step(view.step) : -1;
      run_.on_link(view.cycle + 1, link,
                   run_.add({words_.digits(view.values[link]), link_mask_, row, 0,
                             view.packets[link], view.terms[link]}));
    }
    // Words written at the end of the previous cycle.
    if (!view.results.empty()) note_results(view.cycle, view.results);
    return true;
  }

 private:
  [[nodiscard]] static std::int64_t signed_step(std::uint64_t step) {
    return static_cast<std::int64_t>(step);
  }
  /// An address above a word, in hexadecimal digits.
  [[nodiscard]] std::string hex_of(std::uint64_t address, std::uint64_t word) const {
    const auto width = static_cast<std::size_t>(words_.width());
    Literal both(width + address_bits_);
    put_value(both, 0, words_, word);
    both.set(width, address);
    return both.digits();
  }
  [[nodiscard]] static std::string digits_of_ones(std::size_t bits) {
    Literal ones(bits);
    ones.fill(0, bits);
    return ones.digits();
  }

  /// In a turning leg every writing lane of every live node, lane by lane. Where arrivals are
  /// added, only arrived words; the hardware then writes both words of a cycle at once.
  void note_results(std::uint64_t cycle, std::span<const Result> results) {
    std::uint64_t first = 0;
    const CombineLeg* leg = &combine_.legs.front();
    // The last step whose words had arrived when the first of these results was due.
    const std::uint64_t step =
        pipeline_.plain()
            ? cycle
            : pipeline_.place(cycle - 1 - pipeline_.result_cycles, combine_.steps()).step;
    for (const CombineLeg& candidate : combine_.legs) {
      leg = &candidate;
      if (step <= first + std::uint64_t{leg->steps} * frame_) break;
      first += std::uint64_t{leg->steps} * frame_;
    }
    const std::size_t lanes = leg->lanes.size();
    if (leg->turn == 0) {
      std::map<std::pair<NodeId, std::size_t>, Result> last;
      for (const Result& result : results) {
        for (std::size_t l = 0; l < lanes; ++l) {
          if (!leg->lanes[l] || leg->lanes[l]->part != result.packet % combine_.parts) continue;
          last[{result.node, l}] = result;
          break;
        }
      }
      for (const auto& [at, result] : last) deliver(cycle, at.first * lanes + at.second, result);
      return;
    }
    std::size_t next = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      if (!leg->lanes[l] || !leg->lanes[l]->writes) continue;
      for (NodeId node = 0; node < nodes_; ++node) {
        // A dead node has no tile.
        if (topology_.is_live(node)) deliver(cycle, node * lanes + l, results[next++]);
      }
    }
  }

  void deliver(std::uint64_t cycle, std::size_t index, const Result& result) {
    run_.deliver(
        cycle, index,
        run_.add({hex_of(address_of_.at(result.packet / flits_) * flits_ + result.packet % flits_,
                         result.value),
                  deliver_mask_, -1, 0, result.packet, result.terms}));
  }

  const Topology& topology_;
  const Combination& combine_;
  std::uint64_t frame_;
  std::uint64_t flits_;
  StepPipeline pipeline_;
  NodeId nodes_;
  const LaneWords& words_;
  std::size_t address_bits_;
  ExpectedRun& run_;
  std::string link_mask_;
  std::string deliver_mask_;
  std::map<PacketId, std::uint64_t> address_of_;
};

/// `learns`: nodes find their ranks in a round of their own.
std::vector<EmittedFile> combining_network(const Plan& plan, bool learns) {
  const auto& program = plan.program.as<RingProgram>();
  const Combination& combine = program.combine;
  const Topology& topology = plan.topology;
  check_nodes(plan, "sv");
  const StepPipeline pipeline = program.pipeline();
  const std::uint64_t cycles = pipeline.cycles(combine.steps() * program.frame());
  static_cast<void>(planned_count(cycles, "steps", "sv"));
  LegFormat format = LegFormat::of(combine, program.flits);
  if (learns) {
    if (program.has_packets()) {
      throw InputError("format sv-rank: supports packets of 1 word and adders of 0 cycles; use sv");
    }
    if (combine.blocks == 1) {
      throw InputError("format sv-rank: nodes of this plan have no ranks; use sv");
    }
    // As long as a cycle is the round in which they are found.
    format.step_bits = std::max(format.step_bits, format.block_bits);
  }
  const CombiningFeatures features = combining_features(combine);
  const std::uint64_t words = combine.words() * program.flits;
  LaneWords lanes(plan);
  const std::size_t leg_bits = format.bits();
  FabricShape shape;
  const Arithmetic arithmetic = lanes.arithmetic();
  shape.width = static_cast<std::uint64_t>(lanes.width());
  if (leg_bits * combine.legs.size() > kMaxLiteralBits || words > kMostVectorBits / shape.width) {
    throw InputError(fmt::format(
        "format sv: a vector of {} words in {} legs; legs have at most {} bits, here {} "
        "each, vectors at most {} words",
        words, combine.legs.size(), kMaxLiteralBits, leg_bits, kMostVectorBits / shape.width));
  }
  const VectorMap map(plan);
  const std::uint64_t stages = inner_stages(plan, program.adder_cycles);

  std::map<CombiningClass, std::size_t> index;
  std::vector<const CombiningClass*> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const auto [at, added] =
        index.try_emplace(combining_class(plan, format, learns, node), classes.size());
    if (added) classes.push_back(&at->first);
    class_of_node.push_back(at->second);
  }
  Literal legs(leg_bits * combine.legs.size());
  for (std::size_t i = 0; i < combine.legs.size(); ++i) {
    put_leg(combine, combine.legs[i], format, i * leg_bits, into(legs));
  }

  // Vectors too large for one port are loaded word by word.
  const bool loads = words * topology.nodes() > kMaxPortBits / shape.width;
  shape.own_words = loads ? 1 : words;
  shape.own_stride = loads ? 0 : words;
  shape.own_total = loads ? 1 : words * topology.nodes();
  shape.load_words = loads ? words : 0;
  if (loads) shape.table_bits = shape.width + format.address_bits;
  if (learns) shape.learn_cycles = (combine.blocks - std::uint64_t{1}) * program.frame();
  shape.delivers = format.lanes;
  shape.deliver_extra = format.address_bits;
  const auto flag = [](bool value) { return std::uint64_t{value ? 1U : 0U}; };
  NetworkFiles network;
  std::vector<PackageConstant> constants = {
      {"Words of a node's vector, and blocks of each of its parts.", "Words", words},
      {"", "Blocks", combine.blocks},
      {"Lanes, two for each cycle; slots of a frame.", "Lanes", format.lanes},
      {"", "Frame", program.frame()},
      {"The operation, as gsm_combine numbers them.", "Operation", combine_operation(plan)},
      {"Features of router and memory that the plan requires.", "Cross", flag(features.cross)},
      {"", "Join", flag(features.join)},
      {"", "Apart", flag(features.apart || program.has_packets())},
      {"", "Keep", flag(features.keep)},
      {"", "Load", flag(loads)},
      {"Bits of step numbers, blocks and addresses.", "StepBits", format.step_bits},
      {"", "BlockBits", format.block_bits},
      {"", "AddressBits", format.address_bits},
      {"Runs of operations in a leg, legs, and steps of all.", "Runs", format.runs},
      {"", "Legs", combine.legs.size()},
      {"", "Steps", combine.steps()}};
  if (program.has_packets()) {
    constants.insert(constants.end(),
                     {{"Words of a packet; cycles of an adder, and its inner registers.", "Flits",
                       program.flits},
                      {"", "AdderCycles", program.adder_cycles},
                      {"", "Stages", stages},
                      {"Cycles of a step, and from an arrival to its result.", "StepCycles",
                       pipeline.step_cycles},
                      {"", "ResultCycles", pipeline.result_cycles}});
  }
  network.package = fabric_package(plan, shape, constants);
  network.package += node_class_function(class_of_node);
  network.package += fmt::format(
      "  // What the legs do, the first in the low bits.\n"
      "  localparam logic [{}-1:0] LegWords = {};\n\n",
      leg_bits * combine.legs.size(), legs.text());
  const auto of_classes = [&](std::string_view comment, std::string_view name,
                              std::string_view range, std::string CombiningClass::*member) {
    std::vector<std::string> literals;
    for (const CombiningClass* one : classes) literals.push_back(one->*member);
    network.package += class_function(comment, name, range, literals);
  };
  of_classes("Bit l*Ports*Frame + q: in-column q feeds lane l.", "lane_in", "Lanes*Ports*Frame",
             &CombiningClass::lane_in);
  of_classes("Bit l*Ports*Frame + p: lane l sends by out-column p.", "lane_out",
             "Lanes*Ports*Frame", &CombiningClass::lane_out);
  of_classes("Bit p*Ports*Frame + q: out-column p passes on in-column q.", "relay",
             "Ports*Frame*Ports*Frame", &CombiningClass::relay);
  if (learns) {
    of_classes("Bit c: the node has rank 0 on cycle c.", "heads", "Lanes/2",
               &CombiningClass::ranks);
  } else {
    of_classes("The rank on each cycle.", "ranks", "Lanes/2*BlockBits", &CombiningClass::ranks);
  }

  network.tile.node = "gsm_vector_node";
  network.tile.unused = "coordinates_i";
  network.tile.parameters = {{"Width", "Width"}};
  network.tile.take_constants({"Ports", "Words", "Lanes", "Frame", "Operation", "StepBits",
                               "BlockBits", "AddressBits", "Runs", "Blocks", "Legs", "LegWords",
                               "OwnWords", "TableBits"});
  if (program.has_packets()) {
    network.tile.take_constants({"Flits", "AdderCycles", "Stages", "StepCycles", "ResultCycles"});
  }
  for (const std::string_view name : {"Cross", "Join", "Apart", "Keep", "Load"}) {
    network.tile.parameters.emplace_back(name, fmt::format("gsm_plan_pkg::{} != 0", name));
  }
  for (const auto& [parameter, function] :
       {learns ? std::pair{"Heads", "heads"} : std::pair{"Ranks", "ranks"},
        {"LaneIn", "lane_in"},
        {"LaneOut", "lane_out"},
        {"Relay", "relay"}}) {
    network.tile.parameters.emplace_back(parameter,
                                         fmt::format("gsm_plan_pkg::{}(Class)", function));
  }
  network.modules =
      with_combine(plan, {"gsm_combining_pair", "gsm_combining_router", "gsm_combining_interface",
                          "gsm_combining_node", "gsm_vector_memory", "gsm_error"});
  if (program.has_packets()) {
    network.modules.insert(network.modules.end(), {"gsm_delay", "gsm_adder"});
  }
  if (learns) {
    network.modules.emplace_back("gsm_rank_discovery");
    network.tile.parameters.emplace_back("Discover", "1'b1");
  }
  network.modules.emplace_back("gsm_vector_node");

  auto run = ExpectedRun::make(cycles, topology.link_slots(),
                               std::size_t{topology.nodes()} * format.lanes);
  if (run) {
    std::vector<std::string> own;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (std::uint64_t address = 0; address < words; ++address) {
        own.push_back(lanes.digits(arithmetic.word(
            node, map.piece(address / program.flits) * program.flits + address % program.flits,
            words, topology.nodes())));
      }
    }
    CombiningRecorder recorder(plan, map, format, lanes, *run);
    watch(*make_ring_engine(topology, program, arithmetic), kNoStepLimit, recorder);
    network.expected = run->text(
        fmt::format("steps={} cycles={}", combine.steps() * program.frame(), cycles), own, "0");
  }
  return network_files(network);
}

}  // namespace

std::vector<EmittedFile> emit_ring_sv(const Plan& plan) { return combining_network(plan, false); }

std::vector<EmittedFile> emit_sv_rank(const Plan& plan) { return combining_network(plan, true); }

}  // namespace gossamer::emit_detail
