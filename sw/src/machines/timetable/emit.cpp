// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of a timetable: a ROM and slots in every tile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "../../emit/expected_run.hpp"
#include "../../emit/stream_top.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/own_value.hpp"
#include "gossamer/util/error.hpp"
#include "rows.hpp"

namespace gossamer::emit_detail {

namespace {

/// The ROM as gsm_timetable_node's parameter Rom.
class RomLiteral {
 public:
  RomLiteral(const TimetableProgram& program, const RomFormat& format)
      : program_(program),
        format_(format),
        ports_(static_cast<std::size_t>(program.ports())),
        last_frame_((program.steps() - 1) / format_.words),
        literal_(static_cast<std::size_t>(format_.rom_bits(program.ports()))) {}

  /// `delivered`: by arrival row the delivered sequence, or empty where deliveries have no numbers.
  std::string text(const TimetableRom& rom, std::span<const std::uint32_t> delivered) {
    const std::size_t out_bits = format_.source_bits + repeat_bits();
    const std::size_t in_bits =
        format_.with_bits + format_.slot_bits + format_.deliver_bits + repeat_bits();
    for (const SendRow& row : rom.sends) {
      std::size_t at = word_of(row) + row.port * out_bits;
      put(at, format_.source_bits, code_of(row.source));
      put_repetition(at, row);
    }
    for (std::size_t i = 0; i < rom.arrivals.size(); ++i) {
      const ArrivalRow& row = rom.arrivals[i];
      std::size_t at = word_of(row) + ports_ * out_bits + row.port * in_bits;
      put(at, format_.with_bits, code_of(row.with));
      put(at, format_.slot_bits, row.slot == ArrivalRow::kNoSlot ? 0 : row.slot + 1);
      put(at, format_.deliver_bits,
          !row.delivers       ? 0
          : delivered.empty() ? 1
                              : delivered[i] + std::uint64_t{1});
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

/// Words of the packets that tiles move one by one. Tiles with flat ports move whole packets where
/// steps do not wait for additions, and the parts of gsm_serial_steps cut them.
std::uint64_t words_of_packet(const TimetableProgram& program, ElementSide side) {
  return side == ElementSide::kStreams ? program.flits : program.packet_words();
}
StepClock clock_of(const TimetableProgram& program, ElementSide side) {
  const std::uint64_t parts = program.flits / words_of_packet(program, side);
  return {parts, 0, 1, parts};
}

/// The results of additions that take several cycles, or of packets, in the cycles in which they
/// are delivered. Program and rows must outlive it.
class LateResults {
 public:
  LateResults(const Topology& topology, const TimetableProgram& program, const ProgramRows& rows)
      : program_(program),
        rows_(rows),
        pipeline_(program.pipeline()),
        steps_(program.last_arrival(topology)),
        most_(program.additions_in_series()),
        waits_(program.waits_of_ports()) {}

  /// Calls visit(port, step) for each result that a ROM delivers in `cycle`: those that began
  /// first, and of a step the lower input ports.
  template <typename Visit>
  void for_each(std::uint32_t rom, std::uint64_t cycle, Visit visit) const {
    const std::uint64_t ended = cycle - 1 - pipeline_.result_cycles;
    const auto visit_step = [&](std::uint64_t step, std::uint64_t series) {
      rows_.for_each_arrival(rom, step, [&](const ArrivalRow& row, std::uint64_t) {
        if (row.delivers && waits_[rom][row.port] == series) visit(row.port, step);
      });
    };
    if (program_.has_packets()) return visit_step(pipeline_.place(ended, steps_).step, most_);
    for (std::uint64_t series = most_ + std::uint64_t{1}; series-- > 0;) {
      const std::uint64_t before = series * program_.adder_cycles;
      if (before <= ended) visit_step(ended + 1 - before, series);
    }
  }

 private:
  const TimetableProgram& program_;
  const ProgramRows& rows_;
  StepPipeline pipeline_;
  std::uint64_t steps_;
  std::uint32_t most_;
  std::vector<std::array<std::uint32_t, kMaxPorts>> waits_;
};

/// Relates the results of a run to the input ports that deliver them.
class ResultPorts : public Observer {
 public:
  ResultPorts(const Topology& topology, const TimetableProgram& program)
      : topology_(topology),
        program_(program),
        rows_(program),
        of_node_(topology.nodes()),
        arrives_(topology.link_slots(), 0) {
    if (program.is_late()) late_.emplace(topology, program, rows_);
  }

  bool on_links(const LinkView& view) override {
    if (!view.results.empty()) find_ports(view);
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const auto at = static_cast<LinkId>(link);
      arrives_[link] =
          view.step + topology_.period(topology_.link_from(at), topology_.link_port(at)) - 1;
    }
    return true;
  }

 protected:
  /// A node's input port delivers a result at the end of `cycle`, a cycle or a step, by a row that
  /// began in `step`.
  struct Place {
    std::uint64_t cycle;
    std::uint64_t step;
    NodeId node;
    Port port;
  };
  virtual void on_result(const Place& place, const Result& result) = 0;
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const TimetableProgram& program() const { return program_; }

 private:
  /// The results of the previous step or cycle, by the rows that deliver them.
  void find_ports(const LinkView& view) {
    for (auto& results : of_node_) results.clear();
    for (const Result& result : view.results) of_node_[result.node].push_back(&result);
    const std::uint64_t step = view.step - 1;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (of_node_[node].empty()) continue;
      std::size_t next = 0;
      if (late_) {
        late_->for_each(program_.rom_of(node), view.cycle, [&](Port port, std::uint64_t begun) {
          on_result({view.cycle, begun, node, port}, *of_node_[node].at(next++));
        });
        continue;
      }
      PortSet stored;
      PortSet marked;
      rows_.for_each_arrival(program_.rom_of(node), step,
                             [&](const ArrivalRow& row, std::uint64_t) {
                               if (row.slot != ArrivalRow::kNoSlot) stored.insert(row.port);
                               if (row.delivers) marked.insert(row.port);
                             });
      for (const Port port : all_ports(topology_.ports())) {
        const LinkId link = topology_.link_into(node, port);
        if (link == kNoLink || arrives_[link] != step) continue;
        const bool delivers = program_.delivery() == DeliveryRule::kMarked ? marked.contains(port)
                                                                           : !stored.contains(port);
        if (delivers) on_result({step, step, node, port}, *of_node_[node].at(next++));
      }
    }
  }

  const Topology& topology_;
  const TimetableProgram& program_;
  ProgramRows rows_;
  std::optional<LateResults> late_;
  /// By node, the results of the present cycle.
  std::vector<std::vector<const Result*>> of_node_;
  /// By link, the step in which its last word arrives; 0: it has carried none.
  std::vector<std::uint64_t> arrives_;
};

/// Words on links and deliveries, step by step. A copied word is its packet's number.
class TimetableRecorder final : public ResultPorts {
 public:
  /// `words`: those of a reduction; otherwise null. `flits`: words of a packet that a step shows
  /// one by one, although the program, which has steps alone, moves the packet as a whole.
  TimetableRecorder(const Plan& plan, const TimetableProgram& program, const LaneWords* words,
                    std::size_t width, const StepClock& clock, std::uint64_t flits,
                    ExpectedRun& run)
      : ResultPorts(plan.topology, program),
        words_(words),
        width_(width),
        clock_(clock),
        flits_(flits),
        mask_(words_ != nullptr ? words_->all_ones() : clock.mask(width)),
        run_(run) {}

  bool on_links(const LinkView& view) override {
    ResultPorts::on_links(view);
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const bool sums = !view.values.empty();
      if (program().has_packets()) {
        // A packet has a row with its first word.
        const std::int64_t row = view.flit == 0 ? static_cast<std::int64_t>(view.step) : -1;
        run_.on_link(view.cycle + 1, link,
                     run_.add({words_->digits(view.values[link]), mask_, row, 0, view.packets[link],
                               view.terms[link]}));
        continue;
      }
      for (std::uint64_t flit = 0; flit < flits_; ++flit) {
        const std::uint32_t number = number_of(view.packets[link], sums ? view.values[link] : 0,
                                               sums ? view.terms[link] : 0, flit);
        // A packet has a row with its first word.
        run_.on_link(cycle_of(view.step, flit), link,
                     flits_ == 1 ? number
                                 : run_.add({data(view.packets[link], flit), mask_,
                                             flit == 0 ? static_cast<std::int64_t>(view.step) : -1,
                                             0, view.packets[link]}));
        if (program().delivery() != DeliveryRule::kAll) continue;
        const auto at = static_cast<LinkId>(link);
        const Port port = topology().link_port(at);
        const NodeId to = topology().neighbor(topology().link_from(at), port);
        run_.deliver(
            cycle_of(view.step + topology().period(topology().link_from(at), port) - 1, flit),
            topology().link(to, opposite(port)), number);
      }
    }
    return true;
  }

 private:
  void on_result(const Place& place, const Result& result) override {
    for (std::uint64_t flit = 0; flit < flits_; ++flit) {
      run_.deliver(cycle_of(place.cycle, flit), topology().link(place.node, place.port),
                   number_of(result.packet, result.value, result.terms, flit));
    }
  }

  [[nodiscard]] std::uint64_t cycle_of(std::uint64_t step, std::uint64_t flit) const {
    return (step - 1) * flits_ + 1 + flit;
  }
  [[nodiscard]] std::string data(PacketId packet, std::uint64_t flit) const {
    return clock_.data(packet + flit * kFlitStride, width_);
  }

  /// Words are numbered packet by packet, as results of packets are.
  std::uint32_t number_of(PacketId packet, std::uint64_t value, std::uint32_t terms,
                          std::uint64_t flit) {
    if (words_ == nullptr) {
      value = packet;
      terms = 0;
    }
    const std::uint64_t word = packet * flits_ + flit;
    const auto [at, added] = numbers_.try_emplace({word, value, terms}, 0);
    if (added) {
      at->second = run_.add({words_ != nullptr ? words_->digits(value) : data(packet, flit), mask_,
                             0, 0, word, terms});
    }
    return at->second;
  }

  const LaneWords* words_;
  std::size_t width_;
  const StepClock& clock_;
  std::uint64_t flits_;
  std::string mask_;
  ExpectedRun& run_;
  /// By word, value and contributions.
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>, std::uint32_t> numbers_;
};

/// The own sequences that marked rows deliver, by ROM and arrival row. The n-th result of a row is
/// the n-th word of its sequence, so a run until all rows have been executed once shows them.
class DeliveredSequences final : public ResultPorts {
 public:
  /// `program` has no packets: their words do not differ in this.
  DeliveredSequences(const Plan& plan, const TimetableProgram& program)
      : ResultPorts(plan.topology, program) {
    for (std::uint32_t own = 0; own < program.own(); ++own) {
      sequence_of_[program.word_number(own, 0)] = own;
    }
    std::uint64_t last = 0;
    for (const TimetableRom& rom : program.roms()) {
      of_rom_.emplace_back(rom.arrivals.size(), 0);
      for (const ArrivalRow& row : rom.arrivals) last = std::max<std::uint64_t>(last, row.step);
    }
    const auto engine = make_timetable_engine(plan, program, {});
    watch(*engine, last + 1 + std::uint64_t{program.additions_in_series()} * program.adder_cycles,
          *this);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& of_rom(std::size_t rom) const {
    return of_rom_[rom];
  }

 private:
  void on_result(const Place& place, const Result& result) override {
    const std::uint32_t rom = program().rom_of(place.node);
    const std::vector<ArrivalRow>& rows = program().roms()[rom].arrivals;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].step != place.step || rows[i].port != place.port) continue;
      const auto sequence = sequence_of_.find(result.packet);
      if (sequence == sequence_of_.end()) {
        throw InputError(
            fmt::format("format sv: node {} delivers word {} before the first of its sequence",
                        place.node, result.packet));
      }
      of_rom_[rom][i] = sequence->second;
    }
  }

  std::map<PacketId, std::uint32_t> sequence_of_;
  std::vector<std::vector<std::uint32_t>> of_rom_;
};

/// Calls visit(sequence, n) for each own word of a tile, in the order of its port own_data_i.
template <typename Visit>
void for_each_own_word(const TimetableProgram& program, const Demand& demand, Visit visit) {
  for (std::uint32_t own = 0; own < program.own(); ++own) {
    const std::uint64_t count = program.repeats() ? program.words_of(own, demand.pieces) : 1;
    for (std::uint64_t n = 0; n < count; ++n) visit(own, n);
  }
}

/// Bits of a word on a link.
std::uint64_t width_of(const Plan& plan) {
  if (!plan.demand.combines()) return data_bits(plan);
  return static_cast<std::uint64_t>(link_words(plan).link_bits);
}

/// Words of the processing elements, and the ports of the flat fabric.
struct OwnWords {
  /// Of each node that has words; they are there once where all nodes see those of one root.
  std::uint64_t each = 0;
  std::uint64_t givers = 1;
  bool one_root = false;
};
OwnWords own_words_of(const Plan& plan, const TimetableProgram& program) {
  OwnWords own;
  if (program.rotation != 0) {
    own.each = plan.demand.pieces;
  } else {
    for (std::uint32_t sequence = 0; sequence < program.own(); ++sequence) {
      own.each += program.repeats() ? program.words_of(sequence, plan.demand.pieces) : 1;
    }
  }
  own.one_root = plan.demand.from == Origin::kRoot;
  own.givers = own.one_root ? 1 : plan.topology.nodes();
  return own;
}
FabricShape flat_shape(const Plan& plan, const TimetableProgram& program) {
  const Topology& topology = plan.topology;
  const OwnWords own = own_words_of(plan, program);
  const StepClock clock = clock_of(program, ElementSide::kFlat);
  FabricShape shape;
  shape.width = width_of(plan);
  shape.serial_words = clock.words;
  const std::uint64_t each = own.each * words_of_packet(program, ElementSide::kFlat);
  shape.own_words = each;
  shape.own_stride = own.one_root ? 0 : each;
  shape.own_total = own.givers * each;
  if (plan.demand.is_personal() && !clock.serial()) {
    const std::uint64_t nodes = topology.nodes();
    shape.width = packet_bits(plan, shape.own_total, nodes * nodes * plan.demand.pieces);
  }
  shape.delivers = static_cast<std::uint64_t>(topology.ports());
  if (!topology.has_equal_links()) {
    shape.latencies = periods_by_link(topology);
    shape.slow_links = true;
  }
  return shape;
}

/// Results have the numbers of their words: those of the own words that they combine.
bool numbers_deliveries(const Plan& plan, const TimetableProgram& program) {
  return program.repeats() && program.delivery() == DeliveryRule::kMarked &&
         plan.demand.combines() && plan.demand.to != Destination::kOwner && !program.relative;
}

/// The classes of tiles of a rotated program: the place of a node in the blocks, and its parities.
struct TilePlaces {
  std::vector<int> dimensions;
  /// Coordinates recur after so many nodes.
  std::uint32_t period = 1;

  TilePlaces(const TimetableProgram& program, const Topology& topology)
      : dimensions(rotated_dimensions(topology)), period(program.rotation) {
    if (!program.parity_roms().empty() && period % 2 != 0) period *= 2;
  }
  [[nodiscard]] std::size_t class_of(const Topology& topology, NodeId node) const {
    const Coordinates at = topology.coordinates(node);
    std::size_t number = 0;
    for (auto dim = dimensions.rbegin(); dim != dimensions.rend(); ++dim) {
      number = number * period + at[static_cast<std::size_t>(*dim)] % period;
    }
    return number;
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t count = 1;
    for (std::size_t c = 0; c < dimensions.size(); ++c) count *= period;
    return count;
  }
  /// The coordinate of a class in the c-th dimension, modulo the period.
  [[nodiscard]] std::uint32_t coordinate(std::size_t number, std::size_t c) const {
    for (std::size_t i = 0; i < c; ++i) number /= period;
    return static_cast<std::uint32_t>(number % period);
  }
};

/// Functions of the package of a rotated program: by class of tiles the ROM, and the numbers of own
/// packets times `words` in fields of `bits` bits. They are lists, which tools evaluate faster than
/// the formula.
std::string rotation_functions(const TimetableProgram& program, const TilePlaces& places,
                               std::uint64_t bits, std::uint64_t words) {
  const std::size_t dimensions = places.dimensions.size();
  std::vector<std::uint32_t> variants;
  std::vector<std::string> bases;
  for (std::size_t number = 0; number < places.count(); ++number) {
    std::uint32_t variant = 0;
    Literal base(static_cast<std::size_t>(program.own() * bits));
    for (std::size_t c = 0; c < dimensions; ++c) {
      const std::uint32_t at = places.coordinate(number, c);
      if (!program.parity_roms().empty()) variant |= (at % 2) << c;
      for (std::uint32_t i = 0; i < program.rotation; ++i) {
        base.set((c + dimensions * i) * static_cast<std::size_t>(bits),
                 words * (c + dimensions * ((i + at) % program.rotation)));
      }
    }
    variants.push_back(variant);
    bases.push_back(base.text());
  }
  return number_function("The ROM of a class: bit k is the parity of coordinate k.", "variant",
                         variants) +
         class_function(fmt::format("Bits c*{0} +: {0}: the word that own word c of a class is, "
                                    "which counts from the position.",
                                    bits),
                        "word_base", fmt::format("Own*{}", bits), bases);
}

/// The numbers of the first words of own packets by sequence: n * stride + base, except for the
/// first packets.
struct WordIndex {
  std::uint64_t bits = 1;
  std::uint64_t stride = 0;
  /// Empty: the base of sequence c is that of packet c.
  std::vector<std::uint64_t> bases;
  /// By sequence, then packet: the first `ramp` of each sequence.
  std::uint64_t ramp = 0;
  std::vector<std::uint64_t> first;
};
WordIndex word_index(const Plan& plan, const TimetableProgram& program) {
  WordIndex index;
  const std::uint64_t words = program.flits;
  const std::uint64_t packets = program.repeats() ? plan.demand.pieces : program.own();
  index.bits =
      static_cast<std::uint64_t>(field_bits(std::max<std::uint64_t>(packets * words, 1) - 1));
  if (!program.repeats()) return index;
  index.stride = program.own() * words;
  const std::vector<std::uint32_t>& done = program.repetition().first_done;
  const auto [least, most] = std::minmax_element(done.begin(), done.end());
  // From then on every period finishes a packet of each sequence.
  const std::uint64_t steady = (*most - *least + program.period() - 1) / program.period();
  const std::uint64_t mask = (std::uint64_t{1} << index.bits) - 1;
  const auto number = [&](std::uint32_t own, std::uint64_t n) {
    return program.word_number(own, n) * words & mask;
  };
  bool plain = true;
  for (std::uint32_t own = 0; own < program.own(); ++own) {
    index.bases.push_back((number(own, steady) - steady * index.stride) & mask);
    plain = plain && index.bases.back() == (own * words & mask);
  }
  for (std::uint64_t n = 0; n < steady; ++n) {
    for (std::uint32_t own = 0; own < program.own(); ++own) {
      const std::uint64_t regular = (index.bases[own] + n * index.stride) & mask;
      if (regular != number(own, n)) index.ramp = n + 1;
    }
  }
  for (std::uint32_t own = 0; own < program.own(); ++own) {
    for (std::uint64_t n = 0; n < index.ramp; ++n) index.first.push_back(number(own, n));
  }
  if (plain) index.bases.clear();
  return index;
}

/// A constant of fields of `bits` bits; one 0 bit without any.
std::string fields_constant(std::string_view comment, std::string_view name, std::string_view range,
                            std::uint64_t bits, std::span<const std::uint64_t> values) {
  if (values.size() * bits > kMaxLiteralBits) {
    throw InputError(fmt::format("format sv: constant {} of {} bits; it has at most {}", name,
                                 values.size() * bits, kMaxLiteralBits));
  }
  Literal literal(static_cast<std::size_t>(std::max<std::size_t>(values.size(), 1) * bits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    literal.set(i * static_cast<std::size_t>(bits), values[i]);
  }
  return fmt::format("  // {}\n  localparam logic [{}-1:0] {} = {};\n", comment, range, name,
                     literal.text());
}

}  // namespace

bool has_streams(const Plan& plan) {
  const auto& program = plan.program.as<TimetableProgram>();
  return program.flits == program.packet_words() ||
         (!program.combines() && plan.topology.has_equal_links());
}

ElementSide element_side(const Plan& plan) {
  const auto& program = plan.program.as<TimetableProgram>();
  const bool flat = fits_flat_top(plan.topology, flat_shape(plan, program)) || !has_streams(plan);
  return flat ? ElementSide::kFlat : ElementSide::kStreams;
}

RomFormat rom_format(const Plan& plan, ElementSide side) {
  const auto& program = plan.program.as<TimetableProgram>();
  RomFormat format =
      program.format(side == ElementSide::kStreams && numbers_deliveries(plan, program));
  if (program.rotation != 0) {
    // Sources are words that exist.
    format.source_bits =
        static_cast<std::uint32_t>(std::bit_width(plan.demand.pieces + program.slots()));
    format.with_bits = format.source_bits;
  }
  return format;
}

std::vector<EmittedFile> emit_timetable_sv(const Plan& plan, ElementSide side) {
  const Topology& topology = plan.topology;
  const Demand& demand = plan.demand;
  const auto& program = plan.program.as<TimetableProgram>();
  check_nodes(plan, "sv");
  if (program.rotation != 0 && demand.pieces < program.own()) {
    // Nodes skip different rows, so they do not share ROMs.
    Plan plain = plan;
    plain.program = SharedProgram(unrotated(program, topology, demand));
    return emit_timetable_sv(plain, side);
  }
  const bool combines = demand.combines();
  const bool streams = side == ElementSide::kStreams;
  const std::uint64_t flits = words_of_packet(program, side);
  // Packets whose words move one by one, in steps that do not wait.
  const bool cut = flits > 1 && !program.has_packets();
  const std::uint64_t planned = program.last_arrival(topology);
  const std::uint64_t steps = planned_count(
      program.has_packets() ? program.pipeline().cycles(planned) : planned * (cut ? flits : 1),
      "steps", "sv");
  const RomFormat format = rom_format(plan, side);
  const std::uint64_t rom_bits = format.rom_bits(topology.ports());
  if (rom_bits > kMaxLiteralBits) {
    throw InputError(fmt::format("format sv: a ROM of {} bits per node; it has at most {}",
                                 rom_bits, kMaxLiteralBits));
  }
  if (program.slots() * flits > kMaxTimetableSlots) {
    throw InputError(
        fmt::format("format sv: {} slots of {} words per node; it has at most {} words",
                    program.slots(), flits, kMaxTimetableSlots));
  }
  const OwnWords own = own_words_of(plan, program);
  const StepClock clock = clock_of(program, side);
  FabricShape shape = flat_shape(plan, program);
  const WordIndex index = word_index(plan, program);
  const bool numbered = streams && numbers_deliveries(plan, program);
  if (streams) {
    const auto ports = static_cast<std::uint64_t>(topology.ports());
    shape.width = width_of(plan);
    shape.serial_words = 1;
    shape.own_stride = own.one_root ? 0 : own.each * flits;
    shape.own_total = own.givers * own.each * flits;
    shape.streams = true;
    shape.ahead = true;
    shape.own_words = program.combines() ? 2 * ports : ports;
    shape.index_bits = index.bits;
    shape.indexed = numbered;
  }

  const bool rotated = program.rotation != 0;
  const TilePlaces places(program, topology);
  std::vector<std::size_t> class_of_node;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    class_of_node.push_back(rotated ? places.class_of(topology, node) : program.rom_of(node));
  }
  std::optional<DeliveredSequences> delivered;
  // One word of each packet.
  TimetableProgram word = program;
  if (program.has_packets()) word.move_packets(1, 0);
  if (numbered) delivered.emplace(plan, word);
  std::vector<std::string> roms;
  std::vector<std::uint32_t> numbers(program.parity_roms().begin(), program.parity_roms().end());
  if (numbers.empty()) {
    numbers.resize(program.roms().size());
    std::iota(numbers.begin(), numbers.end(), 0U);
  }
  for (const std::uint32_t i : numbers) {
    roms.push_back(RomLiteral(program, format)
                       .text(program.roms()[i],
                             delivered ? std::span<const std::uint32_t>(delivered->of_rom(i))
                                       : std::span<const std::uint32_t>()));
  }
  std::vector<PackageConstant> constants{
      {"Own packets of a node, and sequences that they form.", "Packets", own.each},
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
      {"", "Operation", combines ? combine_operation(plan) : 0}};
  const bool late = program.is_late();
  const auto ports_of_tile = static_cast<std::size_t>(topology.ports());
  const auto wait_bits = static_cast<std::size_t>(std::bit_width(ports_of_tile));
  std::vector<std::string> waits;
  std::vector<std::string> adders;
  if (late) {
    const auto waits_of_roms = program.waits_of_ports();
    for (const std::uint32_t i : numbers) {
      const auto additions = program.additions_of_ports(i);
      Literal wait(ports_of_tile * wait_bits);
      Literal adder(ports_of_tile * ports_of_tile);
      for (std::size_t port = 0; port < ports_of_tile; ++port) {
        wait.set(port * wait_bits, waits_of_roms[i][port]);
        // Bit 0 of the additions is for words that pass.
        adder.set(port * ports_of_tile, additions[port] >> 1U);
      }
      waits.push_back(wait.text());
      adders.push_back(adder.text());
    }
    constants.insert(constants.end(),
                     {{"Cycles of an adder, its inner registers, and additions in series.",
                       "AdderCycles", program.adder_cycles},
                      {"", "Stages", inner_stages(plan, program.adder_cycles)},
                      {"", "Depth", program.additions_in_series()}});
  }
  if (late || cut) {
    constants.insert(constants.end(),
                     {{"Words of a packet; cycles of a step, or 0.", "Flits", flits},
                      {"", "StepCycles", cut ? flits : program.step_cycles}});
  }
  if (streams) {
    constants.insert(constants.end(),
                     {{"Bits of the delivery field of a row.", "DeliverBits", format.deliver_bits},
                      {"Own words of a frame.", "Stride", index.stride},
                      {"1: the first numbers of sequences are listed.", "Bases",
                       index.bases.empty() && !rotated ? 0U : 1U},
                      {"Words of each sequence whose numbers are listed.", "Ramp", index.ramp}});
  }
  NetworkFiles network;
  network.clock = clock;
  network.package = fabric_package(plan, shape, constants);
  network.package += node_class_function(class_of_node);
  if (rotated) {
    network.package += rotation_functions(program, places, streams ? index.bits : 32, flits);
  } else if (streams) {
    network.package += fields_constant(
        "Bits c*IndexBits +: IndexBits: the number of the first word of own sequence c.", "Base",
        "(Bases != 0 ? Own : 1)*IndexBits", index.bits, index.bases);
  }
  if (streams) {
    network.package +=
        fields_constant("Bits (c*Ramp + n)*IndexBits and up: that of its packet n.", "RampIndex",
                        "(Ramp > 0 ? Own*Ramp : 1)*IndexBits", index.bits, index.first);
  } else if (!rotated) {
    std::vector<std::uint64_t> bases;
    std::uint64_t words = 0;
    for (std::uint32_t sequence = 0; sequence < program.own(); ++sequence) {
      bases.push_back(words);
      words += flits * (program.repeats() ? program.words_of(sequence, demand.pieces) : 1);
    }
    network.package += fields_constant("Bits i*32 +: 32: the first word of own sequence i.", "Base",
                                       "Own*32", 32, bases);
  }
  network.package += class_function(rotated ? "The ROM of a variant." : "The ROM of a class.",
                                    "timetable", fmt::format("{}", rom_bits), roms);
  if (late) {
    network.package += class_function("By in-port: the additions after which its results leave.",
                                      "waits", fmt::format("{}", ports_of_tile * wait_bits), waits);
    network.package += class_function("Bit p*Ports + k: in-port p adds in place k.", "adders",
                                      "Ports*Ports", adders);
  }
  network.tile.node = "gsm_timetable_node";
  network.tile.unused = "coordinates_i, table_write_i, table_data_i";
  network.tile.parameters = {{"Width", "Width"}};
  network.tile.take_constants({"Ports", "Own", "Slots", "Steps", "Words", "Frames", "FirstBits",
                               "BeforeBits", "Operation"});
  if (rotated) {
    network.tile.parameters.emplace_back("Base", "gsm_plan_pkg::word_base(Class)");
  } else {
    network.tile.take_constants({"Base"});
  }
  if (streams) {
    network.tile.take_constants({"DeliverBits", "IndexBits", "Stride", "Ramp", "RampIndex"});
    network.tile.parameters.insert(
        network.tile.parameters.end(),
        {{"Streams", "1'b1"}, {"Ahead", "Ahead"}, {"Bases", "gsm_plan_pkg::Bases != 0"}});
  } else {
    network.tile.parameters.insert(network.tile.parameters.end(),
                                   {{"OwnPackets", "gsm_plan_pkg::Packets"},
                                    {"Stride", fmt::format("{}", flits)},
                                    {"Bases", "1'b1"}});
    network.tile.leave_out_streams(program.combines() ? 2 * ports_of_tile : ports_of_tile,
                                   ports_of_tile, 32);
  }
  network.tile.parameters.emplace_back("Sums", "gsm_plan_pkg::Sums != 0");
  network.tile.parameters.emplace_back("Delivery",
                                       fmt::format("\"{}\"", delivery_name(program.delivery())));
  network.tile.parameters.emplace_back(
      "Rom", rotated ? "gsm_plan_pkg::timetable(gsm_plan_pkg::variant(Class))"
                     : "gsm_plan_pkg::timetable(Class)");
  network.modules =
      with_combine(plan, {"gsm_link", "gsm_slots", "gsm_timetable_router", "gsm_round", "gsm_error",
                          "gsm_timetable_rows", "gsm_timetable_node"});
  if (late) {
    network.tile.take_constants({"AdderCycles", "Stages", "Depth"});
    const std::string_view of = rotated ? "gsm_plan_pkg::variant(Class)" : "Class";
    network.tile.parameters.emplace_back("Late", "1'b1");
    network.tile.parameters.emplace_back("Waits", fmt::format("gsm_plan_pkg::waits({})", of));
    network.tile.parameters.emplace_back("Adders", fmt::format("gsm_plan_pkg::adders({})", of));
    network.modules.insert(network.modules.end(), {"gsm_delay", "gsm_adder"});
  }
  if (late || cut) network.tile.take_constants({"Flits", "StepCycles"});
  if (shape.slow_links) network.modules.emplace_back("gsm_link_rate");
  if (streams) {
    use_streams(topology, shape, network);
  }

  const auto width = static_cast<std::size_t>(shape.width);
  auto run = ExpectedRun::make(clock, steps, width, topology.link_slots(), topology.link_slots());
  if (run) {
    std::optional<LaneWords> lanes;
    if (combines) lanes.emplace(plan);
    const Arithmetic arithmetic = lanes ? lanes->arithmetic() : Arithmetic();
    std::vector<std::string> words;
    for (std::uint64_t giver = 0; giver < own.givers; ++giver) {
      const NodeId of = own.one_root ? demand.root : static_cast<NodeId>(giver);
      std::vector<std::pair<std::uint64_t, PacketId>> pieces;
      for_each_own_word(program, demand, [&](std::uint32_t sequence, std::uint64_t n) {
        const PacketId piece = own_piece(program, topology, demand, of, sequence, n);
        pieces.emplace_back(rotated   ? piece
                            : streams ? program.word_number(sequence, n)
                                      : pieces.size(),
                            piece);
      });
      // Elements know words by their numbers.
      std::sort(pieces.begin(), pieces.end());
      for (const auto& [number, piece] : pieces) {
        const PacketId known = piece == kNoPacket ? 0 : piece;
        if (!combines) {
          StepClock{.words = program.flits}.list(words, known, width);
          continue;
        }
        for (std::uint64_t flit = 0; flit < flits; ++flit) {
          words.push_back(lanes->digits(piece == kNoPacket ? 0
                                                           : own_value(arithmetic, topology, demand,
                                                                       of, piece, flit, flits)));
        }
      }
    }
    TimetableRecorder recorder(plan, program, lanes ? &*lanes : nullptr, width, clock,
                               cut ? flits : 1, *run);
    // Steps, not the cycles of longer ones.
    Plan steps_only = plan;
    if (!late) steps_only.program.edit<TimetableProgram>().flits = 1;
    const auto engine =
        make_timetable_engine(steps_only, steps_only.program.as<TimetableProgram>(), arithmetic);
    watch(*engine, kNoStepLimit, recorder);
    network.expected = run->text(pass_summary(plan, planned, clock.last_cycle(steps)), words,
                                 combines ? "0" : clock.mask(width));
  }
  return network_files(network);
}

}  // namespace gossamer::emit_detail
