// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of a timetable: a ROM and slots in every tile.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "rows.hpp"

namespace gossamer::emit_detail {

namespace {

/// The ROM as gsm_timetable_node's parameter Rom.
class RomLiteral {
 public:
  explicit RomLiteral(const TimetableProgram& program)
      : program_(program),
        format_(program.format()),
        ports_(static_cast<std::size_t>(program.ports())),
        last_frame_((program.steps() - 1) / format_.words),
        literal_(static_cast<std::size_t>(format_.rom_bits(program.ports()))) {}

  std::string text(const TimetableRom& rom) {
    const std::size_t out_bits = format_.source_bits + repeat_bits();
    const std::size_t in_bits =
        format_.with_bits + format_.slot_bits + format_.deliver_bits + repeat_bits();
    for (const SendRow& row : rom.sends) {
      std::size_t at = word_of(row) + row.port * out_bits;
      put(at, format_.source_bits, code_of(row.source));
      put_repetition(at, row);
    }
    for (const ArrivalRow& row : rom.arrivals) {
      std::size_t at = word_of(row) + ports_ * out_bits + row.port * in_bits;
      put(at, format_.with_bits, code_of(row.with));
      put(at, format_.slot_bits, row.slot == ArrivalRow::kNoSlot ? 0 : row.slot + 1);
      put(at, format_.deliver_bits, row.delivers ? 1 : 0);
      put_repetition(at, row);
    }
    return literal_.text();
  }

 private:
  [[nodiscard]] std::size_t repeat_bits() const { return format_.first_bits + format_.before_bits; }
  [[nodiscard]] std::size_t word_of(const auto& row) const {
    return static_cast<std::size_t>((row.step - 1) % format_.words *
                                    format_.word_bits(program_.ports()));
  }
  [[nodiscard]] std::uint64_t code_of(WordSource source) const {
    if (source.none()) return 0;
    return std::uint64_t{source.index()} + 1 + (source.is_own() ? 0 : program_.own());
  }
  void put(std::size_t& at, std::uint32_t bits, std::uint64_t value) {
    if (bits != 0) literal_.set(at, value);
    at += bits;
  }
  void put_repetition(std::size_t& at, const auto& row) {
    const std::uint64_t first = (row.step - 1) / format_.words;
    put(at, format_.first_bits, first);
    put(at, format_.before_bits, last_frame_ - (first + row.times - 1));
  }

  const TimetableProgram& program_;
  RomFormat format_;
  std::size_t ports_;
  std::uint64_t last_frame_;
  Literal literal_;
};

/// Words on links and deliveries, step by step. A copied word is its packet's number.
class TimetableRecorder final : public Observer {
 public:
  TimetableRecorder(const Plan& plan, const TimetableProgram& program, const Arithmetic& arithmetic,
                    std::size_t width, const StepClock& clock, ExpectedRun& run)
      : topology_(plan.topology),
        program_(program),
        rows_(program),
        combines_(plan.demand.combines()),
        width_(width),
        clock_(clock),
        bits_(arithmetic.mask()),
        mask_(combines_ ? fmt::format("{:x}", bits_) : clock.mask(width)),
        run_(run),
        arrives_(topology_.link_slots(), 0) {}

  bool on_links(const LinkView& view) override {
    if (!view.results.empty()) show_deliveries(view);
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const bool sums = !view.values.empty();
      const std::uint32_t number =
          number_of(view.packets[link], sums ? view.values[link] : 0, sums ? view.terms[link] : 0);
      run_.on_link(view.step, link, number);
      if (program_.delivery() != DeliveryRule::kAll) continue;
      const auto at = static_cast<LinkId>(link);
      const Port port = topology_.link_port(at);
      const NodeId to = topology_.neighbor(topology_.link_from(at), port);
      run_.deliver(view.step + topology_.period(topology_.link_from(at), port) - 1,
                   topology_.link(to, opposite(port)), number);
    }
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const auto at = static_cast<LinkId>(link);
      arrives_[link] =
          view.step + topology_.period(topology_.link_from(at), topology_.link_port(at)) - 1;
    }
    return true;
  }

 private:
  /// The results of the previous step, by the rows that deliver them.
  void show_deliveries(const LinkView& view) {
    std::vector<std::vector<const Result*>> of_node(topology_.nodes());
    for (const Result& result : view.results) of_node[result.node].push_back(&result);
    const std::uint64_t step = view.step - 1;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (of_node[node].empty()) continue;
      PortSet stored;
      PortSet marked;
      rows_.for_each_arrival(program_.rom_of(node), step,
                             [&](const ArrivalRow& row, std::uint64_t) {
                               if (row.slot != ArrivalRow::kNoSlot) stored.insert(row.port);
                               if (row.delivers) marked.insert(row.port);
                             });
      std::size_t next = 0;
      for (const Port port : all_ports(topology_.ports())) {
        const LinkId link = topology_.link_into(node, port);
        if (link == kNoLink || arrives_[link] != step) continue;
        const bool delivers = program_.delivery() == DeliveryRule::kMarked ? marked.contains(port)
                                                                           : !stored.contains(port);
        if (!delivers) continue;
        const Result& result = *of_node[node].at(next++);
        run_.deliver(step, topology_.link(node, port),
                     number_of(result.packet, result.value, result.terms));
      }
    }
  }

  std::uint32_t number_of(PacketId packet, std::uint64_t value, std::uint32_t terms) {
    value = combines_ ? value & bits_ : packet;
    if (!combines_) terms = 0;
    const auto [at, added] = numbers_.try_emplace({packet, value}, 0);
    if (added) {
      at->second = run_.add({combines_ ? fmt::format("{:x}", value) : clock_.data(value, width_),
                             mask_, 0, 0, packet, terms});
    }
    return at->second;
  }

  const Topology& topology_;
  const TimetableProgram& program_;
  ProgramRows rows_;
  bool combines_;
  std::size_t width_;
  const StepClock& clock_;
  std::uint64_t bits_;
  std::string mask_;
  ExpectedRun& run_;
  /// By link, the step in which its last word arrives; 0: it has carried none.
  std::vector<std::uint64_t> arrives_;
  std::map<std::pair<PacketId, std::uint64_t>, std::uint32_t> numbers_;
};

/// Calls visit(sequence, n) for each own word of a tile, in the order of its port own_data_i.
template <typename Visit>
void for_each_own_word(const TimetableProgram& program, const Demand& demand, Visit visit) {
  for (std::uint32_t own = 0; own < program.own(); ++own) {
    const std::uint64_t count = program.repeats() ? program.words_of(own, demand.pieces) : 1;
    for (std::uint64_t n = 0; n < count; ++n) visit(own, n);
  }
}

}  // namespace

std::vector<EmittedFile> emit_timetable_sv(const Plan& plan) {
  const Topology& topology = plan.topology;
  const Demand& demand = plan.demand;
  const auto& program = plan.program.as<TimetableProgram>();
  check_nodes(plan, "sv");
  const std::uint64_t steps = planned_count(program.last_arrival(topology), "steps", "sv");
  const bool combines = demand.combines();
  const RomFormat format = program.format();
  const std::uint64_t rom_bits = format.rom_bits(topology.ports());
  if (rom_bits > kMaxLiteralBits) {
    throw InputError(fmt::format("format sv: a ROM of {} bits per node; it has at most {}",
                                 rom_bits, kMaxLiteralBits));
  }
  std::uint64_t own_words = 0;
  Literal own_base(std::size_t{32} * program.own());
  for_each_own_word(program, demand, [&](std::uint32_t own, std::uint64_t n) {
    if (n == 0) own_base.set(std::size_t{32} * own, own_words);
    ++own_words;
  });
  const StepClock clock{program.flits, 0, 1, program.flits};
  // The packets of one root are there once, and all nodes see them.
  const bool one_root = demand.from == Origin::kRoot;
  const std::uint64_t givers = one_root ? 1 : topology.nodes();
  FabricShape shape;
  shape.serial_words = clock.words;
  shape.own_words = own_words;
  shape.own_stride = one_root ? 0 : own_words;
  shape.own_total = givers * own_words;
  if (demand.is_personal() && !clock.serial()) {
    const std::uint64_t nodes = topology.nodes();
    shape.width = packet_bits(shape.own_total, nodes * nodes * demand.pieces);
  }
  shape.delivers = static_cast<std::uint64_t>(topology.ports());
  if (!topology.has_equal_links()) {
    shape.latencies = periods_by_link(topology);
    shape.slow_links = true;
  }

  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    class_of_node.push_back(program.rom_of(node));
  }
  std::vector<std::string> roms;
  for (const TimetableRom& rom : program.roms()) roms.push_back(RomLiteral(program).text(rom));
  NetworkFiles network;
  network.clock = clock;
  network.package = fabric_package(
      plan, shape,
      {{"Own packets of a node, and sequences that they form.", "Packets", own_words},
       {"", "Own", program.own()},
       {"Steps of a round.", "Steps", steps},
       {"Words of a ROM, and frames in which they are executed.", "Words", format.words},
       {"", "Frames", (program.steps() - 1) / format.words + 1},
       {"Bits of the first frame of a row, and of the frames after its last one.", "FirstBits",
        format.first_bits},
       {"", "BeforeBits", format.before_bits},
       {"Slots of a memory.", "Slots", program.slots()},
       {"1: arrivals are combined; how, as gsm_combine numbers it.", "Sums",
        program.combines() ? 1U : 0U},
       {"", "Operation", combines ? combine_operation(plan) : 0}});
  network.package += node_class_function(class_of_node);
  network.package += fmt::format(
      "  // Bits i*32 +: 32: the first word of own sequence i.\n"
      "  localparam logic [Own*32-1:0] OwnBase = {};\n",
      own_base.text());
  network.package +=
      class_function("The ROM of a class.", "timetable", fmt::format("{}", rom_bits), roms);
  network.tile.node = "gsm_timetable_node";
  network.tile.unused = "coordinates_i, table_write_i, table_data_i";
  network.tile.parameters = {{"Width", "Width"}};
  network.tile.take_constants({"Ports", "Own", "OwnBase", "Slots", "Steps", "Words", "Frames",
                               "FirstBits", "BeforeBits", "Operation"});
  network.tile.parameters.emplace_back("OwnWords", "gsm_plan_pkg::Packets");
  network.tile.parameters.emplace_back("Sums", "gsm_plan_pkg::Sums != 0");
  network.tile.parameters.emplace_back("Delivery",
                                       fmt::format("\"{}\"", delivery_name(program.delivery())));
  network.tile.parameters.emplace_back("Rom", "gsm_plan_pkg::timetable(Class)");
  network.modules = {"gsm_combine",  "gsm_link",  "gsm_slots", "gsm_timetable_router",
                     "gsm_step_rom", "gsm_round", "gsm_error", "gsm_timetable_node"};
  if (shape.slow_links) network.modules.emplace_back("gsm_link_rate");

  const auto width = static_cast<std::size_t>(shape.width);
  auto run = ExpectedRun::make(clock, steps, width, topology.link_slots(), topology.link_slots());
  if (run) {
    const Arithmetic arithmetic{combines ? demand.operation : Operation::kSum, kDataBits};
    std::vector<std::string> own;
    for (std::uint64_t giver = 0; giver < givers; ++giver) {
      const NodeId of = one_root ? demand.root : static_cast<NodeId>(giver);
      for_each_own_word(program, demand, [&](std::uint32_t sequence, std::uint64_t n) {
        const PacketId piece = own_piece(program, topology, demand, of, sequence, n);
        const PacketId known = piece == kNoPacket ? 0 : piece;
        if (!combines) return clock.list(own, known, width);
        own.push_back(fmt::format(
            "{:x}",
            piece == kNoPacket ? 0 : arithmetic.word(of, piece, demand.pieces, topology.nodes())));
      });
    }
    TimetableRecorder recorder(plan, program, arithmetic, width, clock, *run);
    // Steps, not the cycles of longer ones.
    Plan steps_only = plan;
    steps_only.program.edit<TimetableProgram>().flits = 1;
    const auto engine =
        make_timetable_engine(steps_only, steps_only.program.as<TimetableProgram>(), arithmetic);
    watch(*engine, kNoStepLimit, recorder);
    network.expected = run->text(pass_summary(plan, steps, clock.last_cycle(steps)), own,
                                 combines ? "0" : clock.mask(width));
  }
  return network_files(network);
}

}  // namespace gossamer::emit_detail
