// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of a timetable, which packed trees are told too: a ROM and slots in every tile.
#include <fmt/format.h>

#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "expected_run.hpp"
#include "formats.hpp"
#include "gossamer/hardware/tree_timetable.hpp"
#include "gossamer/sim/combining_engine.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

namespace {

/// The ROMs of all nodes, as gsm_timetable_node's parameter Rom.
std::vector<std::string> timetable_roms(const Topology& topology, const TimetableProgram& program,
                                        std::size_t rom_bits) {
  const auto ports = static_cast<std::size_t>(topology.ports());
  const auto field = static_cast<std::size_t>(std::bit_width(program.slots()));
  const std::size_t word = ports * (2 * field + 2);
  std::vector<Literal> roms(topology.nodes(), Literal(rom_bits));
  for (const TimetableRow& row : program.rows()) {
    const std::size_t first = (row.step - 1) * word;
    roms[row.from].set(first + row.out_port * field, std::uint64_t{row.read} + 1);
    Literal& receiver = roms[topology.neighbor(row.from, row.out_port)];
    const std::size_t q = opposite(row.out_port);
    const std::size_t modes = first + 2 * ports * field;
    if (row.write) receiver.set(first + (ports + q) * field, std::uint64_t{*row.write} + 1);
    if (row.adds) receiver.set(modes + q, 1);
    if (row.hands_over) receiver.set(modes + ports + q, 1);
  }
  std::vector<std::string> texts;
  for (const Literal& rom : roms) texts.push_back(rom.text());
  return texts;
}

/// Words on links and what nodes are handed, step by step. What is copied is its packet's number.
class TimetableRecorder final : public Observer {
 public:
  TimetableRecorder(const Plan& plan, const Arithmetic& arithmetic, const StepClock& clock,
                    ExpectedRun& run)
      : topology_(plan.topology),
        program_(std::get<TimetableProgram>(plan.program)),
        combines_(plan.demand.combines()),
        clock_(clock),
        bits_(arithmetic.mask()),
        mask_(combines_ ? fmt::format("{:x}", arithmetic.mask()) : clock.mask(kDataBits)),
        run_(run) {}

  bool on_links(const LinkView& view) override {
    // What was handed over at the end of the step before, by the rows that say so.
    if (!view.results.empty()) {
      for (const TimetableRow& row : program_.rows_in(view.step - 1)) {
        if (!row.hands_over) continue;
        const NodeId to = topology_.neighbor(row.from, row.out_port);
        for (const Result& result : view.results) {
          if (result.node != to || result.packet != row.packet) continue;
          run_.deliver(view.step - 1, topology_.link(to, opposite(row.out_port)),
                       number_of(result.packet, result.value, result.terms));
        }
      }
    }
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      run_.on_link(view.step, link,
                   number_of(view.packets[link], view.values[link], view.terms[link]));
    }
    return true;
  }

 private:
  std::uint32_t number_of(PacketId packet, std::uint64_t value, std::uint32_t terms) {
    value &= bits_;
    if (!combines_) {
      value = packet;
      terms = 0;
    }
    const auto [at, added] = numbers_.try_emplace({packet, value});
    if (added) {
      at->second = run_.add({combines_ ? fmt::format("{:x}", value) : clock_.data(value, kDataBits),
                             mask_, 0, 0, packet, terms});
    }
    return at->second;
  }

  const Topology& topology_;
  const TimetableProgram& program_;
  bool combines_;
  const StepClock& clock_;
  std::uint64_t bits_;
  std::string mask_;
  ExpectedRun& run_;
  std::map<std::pair<PacketId, std::uint64_t>, std::uint32_t> numbers_;
};

/// The network of a timetable; `make_run` makes the engine whose run the testbench compares with.
std::vector<EmittedFile> timetable_network(
    const Plan& plan, const StepClock& clock,
    const std::function<std::unique_ptr<Engine>(const Arithmetic&)>& make_run) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<TimetableProgram>(plan.program);
  check_nodes(plan, "sv");
  const std::uint64_t steps = planned_count(program.steps(), "steps", "sv");
  const bool combines = plan.demand.combines();
  if (combines && plan.demand.operation != Operation::kSum) {
    throw InputError("format sv: routers of timetables add, and have no other operation");
  }
  const std::uint64_t rom_bits = program.bits_of_a_rom(topology);
  if (rom_bits > kMaxLiteralBits) {
    throw InputError(fmt::format("format sv: a ROM of {} bits a node; it has at most {}", rom_bits,
                                 kMaxLiteralBits));
  }
  const std::uint32_t packets = program.packets_per_node();
  const auto ports = static_cast<std::uint64_t>(topology.ports());
  // The packets of one root are there once, and all nodes see them.
  const bool one_root = plan.demand.from == Origin::kRoot;
  const std::uint64_t givers = one_root ? 1 : topology.nodes();
  FabricShape shape;
  shape.serial_words = clock.words;
  shape.own_words = packets;
  shape.own_stride = one_root ? 0 : packets;
  shape.own_total = givers * packets;
  shape.delivers = ports;

  // A class is a ROM; who has words has one of its own: the root of a broadcast, and live cores.
  std::vector<std::string> roms;
  std::map<std::pair<bool, std::string>, std::size_t> index;
  std::vector<std::size_t> class_of_node;
  std::vector<std::string> owns;
  NodeId node = 0;
  for (std::string& rom : timetable_roms(topology, program, rom_bits)) {
    const bool own = topology.has_core(node) && (!one_root || node == plan.demand.root);
    const auto [at, added] = index.try_emplace({own, rom}, roms.size());
    if (added) {
      roms.push_back(std::move(rom));
      owns.emplace_back(own ? "1" : "0");
    }
    class_of_node.push_back(at->second);
    ++node;
  }
  NetworkFiles network;
  network.package = fabric_package(plan, shape,
                                   {{"Own words of a node that has any.", "Packets", packets},
                                    {"Steps of a round.", "Steps", steps},
                                    {"Slots of a memory.", "Slots", program.slots()},
                                    {"1: arrivals are added.", "Sums", combines ? 1U : 0U}});
  network.package += node_class_function(class_of_node);
  network.package +=
      class_function("The ROM of a class.", "timetable", fmt::format("{}", rom_bits), roms);
  network.package += int_function("1: nodes of the class have own words.", "own", owns);
  network.tile.node = "gsm_timetable_node";
  network.tile.unused = "coordinates_i, table_write_i, table_data_i";
  network.tile.parameters = {{"Width", "Width"}};
  for (const std::string_view name : {"Ports", "Packets", "Steps", "Slots"}) {
    network.tile.parameters.emplace_back(name, fmt::format("gsm_plan_pkg::{}", name));
  }
  network.tile.parameters.emplace_back("Sums", "gsm_plan_pkg::Sums != 0");
  network.tile.parameters.emplace_back("Own", "gsm_plan_pkg::own(Class) != 0");
  network.tile.parameters.emplace_back("Rom", "gsm_plan_pkg::timetable(Class)");
  network.modules = {"gsm_link",  "gsm_slots", "gsm_timetable_router_table", "gsm_step_rom",
                     "gsm_round", "gsm_error", "gsm_timetable_node"};

  network.clock = clock;
  auto run =
      ExpectedRun::make(clock, steps, kDataBits, topology.link_slots(), topology.link_slots());
  if (run) {
    const Arithmetic arithmetic{Operation::kSum, kDataBits};
    std::vector<std::string> own;
    for (std::uint64_t giver = 0; giver < givers; ++giver) {
      const NodeId of = one_root ? plan.demand.root : static_cast<NodeId>(giver);
      for (std::uint32_t slot = 0; slot < packets; ++slot) {
        const PacketId piece = piece_at_start(program, topology, plan.demand, of, slot);
        const bool none = !topology.has_core(of);
        if (combines) {
          own.push_back(fmt::format(
              "{:x}", none ? 0 : arithmetic.word(of, piece, plan.demand.pieces, topology.nodes())));
        } else {
          clock.list(own, none ? 0 : piece, kDataBits);
        }
      }
    }
    TimetableRecorder recorder(plan, arithmetic, clock, *run);
    watch(*make_run(arithmetic), kNoStepLimit, recorder);
    network.expected = run->text(pass_summary(plan, steps, clock.last_cycle(steps)), own,
                                 combines ? "0" : clock.mask(kDataBits));
  }
  return network_files(network);
}

}  // namespace

std::vector<EmittedFile> emit_timetable_sv(const Plan& plan, const StepClock& clock) {
  return timetable_network(plan, clock, [&plan](const Arithmetic& arithmetic) {
    return make_timetable_engine(plan, arithmetic);
  });
}

std::vector<EmittedFile> emit_tree_sv(const Plan& plan) {
  Plan timetable = plan;
  timetable.program = timetable_of_trees(plan);
  // The trees' own engine, which knows no timetable; it adds words of 64 bits.
  return timetable_network(timetable, {},
                           [&plan](const Arithmetic&) { return make_fast_engine(plan); });
}

}  // namespace gossamer::emit_detail
