// SPDX-License-Identifier: Apache-2.0
/// Timetables in the plan document.
#include "document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::int64_t kMost = 0x7fffffff;

/// The columns of a row of the table. A row has the fields of a ROM word: `rom` where there are
/// several, `step`, `times` where rows repeat; by out-port a source; by in-port a source where
/// words are combined, a slot, and where results are marked a 1 for delivery. Where rows name
/// words, both have 1 more than the own word at the end, or 0.
struct Columns {
  bool rom = false;
  bool times = false;
  bool with = false;
  bool delivers = false;
  bool words = false;
  std::size_t ports = 0;

  [[nodiscard]] std::size_t heads() const { return (rom ? 1U : 0U) + 1 + (times ? 1U : 0U); }
  [[nodiscard]] std::size_t per_arrival() const {
    return 1 + (with ? 1U : 0U) + (delivers ? 1U : 0U) + (words ? 1U : 0U);
  }
  [[nodiscard]] std::size_t per_send() const { return words ? 2 : 1; }
  [[nodiscard]] std::size_t count() const { return heads() + ports * (per_send() + per_arrival()); }
  [[nodiscard]] std::size_t send(std::size_t port) const { return heads() + port * per_send(); }
  [[nodiscard]] std::size_t arrival(std::size_t port) const {
    return heads() + ports * per_send() + port * per_arrival();
  }
};

Columns columns_of(const TimetableProgram& program) {
  return {!program.one_rom(),    program.repeats(),
          program.combines(),    program.delivery() == DeliveryRule::kMarked,
          program.names_words(), static_cast<std::size_t>(program.ports())};
}

/// A source as a number: 0 for none, 1 .. own for an own word, then the slots.
std::int32_t code_of(WordSource source, std::uint32_t own) {
  if (source.none()) return 0;
  return static_cast<std::int32_t>(source.index() + 1 + (source.is_own() ? 0 : own));
}

WordSource source_of(std::uint32_t code, std::uint32_t own) {
  if (code == 0) return {};
  return code <= own ? WordSource::own(code - 1) : WordSource::slot(code - 1 - own);
}

/// The word that a row names: 0 for none.
std::int32_t code_of(std::uint32_t word) {
  return word == kAnyWord ? 0 : static_cast<std::int32_t>(word + 1);
}
std::uint32_t word_of(std::uint32_t code) { return code == 0 ? kAnyWord : code - 1; }

/// Writes the rows of a ROM, one row of the table for each step and number of times.
void write_rom(const TimetableProgram& program, std::uint32_t number, DocumentWriter& out) {
  const Columns columns = columns_of(program);
  const TimetableRom& rom = program.roms()[number];
  const auto key = [](const auto& row) { return std::tie(row.step, row.times); };
  std::vector<SendRow> sends = rom.sends;
  std::vector<ArrivalRow> arrivals = rom.arrivals;
  const auto by_key = [&](const auto& a, const auto& b) { return key(a) < key(b); };
  if (program.repeats()) {
    std::stable_sort(sends.begin(), sends.end(), by_key);
    std::stable_sort(arrivals.begin(), arrivals.end(), by_key);
  }
  std::vector<std::int32_t> row(columns.count());
  auto send = sends.begin();
  auto arrival = arrivals.begin();
  while (send != sends.end() || arrival != arrivals.end()) {
    const bool send_first =
        arrival == arrivals.end() || (send != sends.end() && key(*send) <= key(*arrival));
    const auto [step, times] =
        send_first ? std::pair(send->step, send->times) : std::pair(arrival->step, arrival->times);
    const auto here = [&, step = step, times = times](const auto& at) {
      return at.step == step && at.times == times;
    };
    std::fill(row.begin(), row.end(), 0);
    std::size_t head = 0;
    if (columns.rom) row[head++] = static_cast<std::int32_t>(number);
    row[head++] = static_cast<std::int32_t>(step);
    if (columns.times) row[head++] = static_cast<std::int32_t>(times);
    for (; send != sends.end() && here(*send); ++send) {
      const std::size_t at = columns.send(send->port);
      row[at] = code_of(send->source, program.own());
      if (columns.words) row[at + 1] = code_of(send->word);
    }
    for (; arrival != arrivals.end() && here(*arrival); ++arrival) {
      std::size_t at = columns.arrival(arrival->port);
      if (columns.with) row[at++] = code_of(arrival->with, program.own());
      row[at++] =
          arrival->slot == ArrivalRow::kNoSlot ? 0 : static_cast<std::int32_t>(arrival->slot + 1);
      if (columns.delivers) row[at++] = arrival->delivers ? 1 : 0;
      if (columns.words) row[at] = code_of(arrival->word);
    }
    out.row(row);
  }
}

/// Reads the rows of the table into ROMs.
class TableReader {
 public:
  TableReader(const NumberTable& table, const Columns& columns, std::uint32_t own,
              std::uint32_t slots, std::uint32_t roms, std::string place)
      : table_(table),
        columns_(columns),
        own_(own),
        slots_(slots),
        place_(std::move(place)),
        roms_(roms) {}

  std::vector<TimetableRom> read() {
    if (table_.rows != 0 && table_.row_length != columns_.count()) {
      throw InputError(fmt::format("{}: table: rows of {} entries, {} expected", place_,
                                   table_.row_length, columns_.count()));
    }
    for (row_ = 0; row_ < table_.rows; ++row_) read_row();
    for (TimetableRom& rom : roms_) {
      const auto order = [](const auto& a, const auto& b) {
        return std::tie(a.step, a.port) < std::tie(b.step, b.port);
      };
      if (!columns_.times) continue;
      std::sort(rom.sends.begin(), rom.sends.end(), order);
      std::sort(rom.arrivals.begin(), rom.arrivals.end(), order);
    }
    return std::move(roms_);
  }

 private:
  std::uint32_t number(std::size_t column, std::string_view name, std::int64_t least,
                       std::int64_t most) const {
    const std::int64_t value = table_.values[row_ * table_.row_length + column];
    if (value < least || value > most) {
      throw InputError(fmt::format("{}: table: row {}: {} {} is outside {}..{}", place_, row_, name,
                                   value, least, most));
    }
    return static_cast<std::uint32_t>(value);
  }

  void read_row() {
    std::size_t head = 0;
    const std::uint32_t rom =
        columns_.rom ? number(head++, "ROM", 0, static_cast<std::int64_t>(roms_.size()) - 1) : 0;
    const std::uint32_t step = number(head++, "step", 1, kMost);
    const std::uint32_t times = columns_.times ? number(head++, "times", 1, kMost) : 1;
    const auto key = std::make_tuple(rom, step, times);
    if (row_ > 0 && key <= last_) {
      throw InputError(fmt::format(
          "{}: table: row {}: is not in ascending order of ROM, step and times", place_, row_));
    }
    last_ = key;
    const std::int64_t sources = std::int64_t{own_} + slots_;
    for (std::size_t p = 0; p < columns_.ports; ++p) {
      const auto port = static_cast<Port>(p);
      const std::size_t out = columns_.send(p);
      const WordSource source = source_of(number(out, "source", 0, sources), own_);
      const std::uint32_t word =
          columns_.words ? word_of(number(out + 1, "word", 0, own_)) : kAnyWord;
      if (!source.none()) roms_[rom].sends.push_back({step, times, source, port, word});
      std::size_t at = columns_.arrival(p);
      ArrivalRow arrival;
      arrival.step = step;
      arrival.times = times;
      arrival.port = port;
      if (columns_.with) arrival.with = source_of(number(at++, "source", 0, sources), own_);
      const std::uint32_t slot = number(at++, "slot", 0, slots_);
      if (slot != 0) arrival.slot = slot - 1;
      if (columns_.delivers) arrival.delivers = number(at++, "delivery", 0, 1) == 1;
      if (columns_.words) arrival.word = word_of(number(at, "word", 0, own_));
      if (slot != 0 || arrival.delivers || !arrival.with.none()) {
        roms_[rom].arrivals.push_back(arrival);
      }
    }
  }

  const NumberTable& table_;
  Columns columns_;
  std::uint32_t own_;
  std::uint32_t slots_;
  std::string place_;
  std::vector<TimetableRom> roms_;
  std::size_t row_ = 0;
  std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> last_;
};

/// Rejects two rows of one port in a step of the period, and steps beyond the limit.
template <typename Row>
void check_rows(const std::vector<Row>& rows, std::uint32_t period, std::string_view side,
                const std::string& place) {
  std::vector<std::tuple<std::uint32_t, Port>> used;
  for (const Row& row : rows) {
    if (period != 0) used.emplace_back((row.step - 1) % period, row.port);
    const std::uint64_t last = row.step + std::uint64_t{row.times - 1U} * period;
    if (last > static_cast<std::uint64_t>(kMost)) {
      throw InputError(fmt::format("{}: table: step {}: {} repetitions end beyond step {}", place,
                                   row.step, row.times, kMost));
    }
  }
  std::sort(used.begin(), used.end());
  const auto twice = std::adjacent_find(used.begin(), used.end());
  if (twice == used.end()) return;
  throw InputError(fmt::format("{}: table: two rows for {}-port {} in step {} of the period", place,
                               side, port_name(std::get<1>(*twice)), std::get<0>(*twice) + 1));
}

}  // namespace

void write_timetable(const TimetableProgram& program, DocumentWriter& out) {
  out.number("own_words", program.own());
  out.number("slots", program.slots());
  out.string("delivery", delivery_name(program.delivery()));
  if (program.relative) out.boolean("relative", true);
  if (program.flits != 1) out.number("flits", program.flits);
  if (program.adder_cycles != 0) out.number("adder_cycles", program.adder_cycles);
  if (program.step_cycles != 0) out.number("step_cycles", program.step_cycles);
  if (program.combines()) out.boolean("combines", true);
  if (program.rotation != 0) out.number("rotation", program.rotation);
  if (program.names_words()) out.boolean("names_words", true);
  if (program.repeats()) {
    out.number("period", program.period());
    out.list("first_done", program.repetition().first_done);
  }
  if (!program.one_rom()) {
    out.number("roms", program.roms().size());
  }
  if (!program.parity_roms().empty()) {
    out.list("parities", program.parity_roms());
  } else if (!program.one_rom()) {
    out.begin_array("classes");
    for (NodeId node = 0; node < program.nodes(); ++node) {
      const std::array<std::int32_t, 1> row = {static_cast<std::int32_t>(program.rom_of(node))};
      out.row(row);
    }
    out.end_array();
  }
  out.begin_array(kProgramTable);
  for (std::uint32_t rom = 0; rom < program.roms().size(); ++rom) write_rom(program, rom, out);
  out.end_array();
}

void check_links(const TimetableProgram& program, const Topology& topology,
                 const std::string& place) {
  std::vector<PortSet> sends(program.roms().size());
  std::vector<PortSet> arrivals(program.roms().size());
  for (std::size_t rom = 0; rom < program.roms().size(); ++rom) {
    for (const SendRow& row : program.roms()[rom].sends) sends[rom].insert(row.port);
    for (const ArrivalRow& row : program.roms()[rom].arrivals) arrivals[rom].insert(row.port);
  }
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t rom = program.rom_of(walk.node());
    for (const Port port : all_ports(topology.ports())) {
      const bool out = sends[rom].contains(port) && walk.neighbor(port) == kNoNode;
      const bool in = arrivals[rom].contains(port) && walk.sender(port) == kNoNode;
      if (!out && !in) continue;
      throw InputError(fmt::format("{}: table: node {} {} port {}, which has no live link", place,
                                   walk.node(), out ? "sends by" : "takes arrivals of",
                                   port_name(port)));
    }
  }
}

namespace {

/// Positions repeat along every dimension.
std::uint32_t read_rotation(Fields& fields, const Topology& topology, std::uint32_t own) {
  if (!fields.has("rotation")) return 0;
  const auto rotation = fields.number<std::uint32_t>("rotation", 1, kMaxTimetableSlots);
  const bool divides = std::ranges::all_of(
      topology.sides(), [&](std::uint32_t side) { return side == 1 || side % rotation == 0; });
  if (!topology.routers_are_alike() || !divides ||
      own != rotation * rotated_dimensions(topology).size()) {
    throw InputError(
        fmt::format("{}: rotation: {} with {} own words; it must divide all sides of a healthy "
                    "torus, and d times it must equal the own words",
                    fields.place(), rotation, own));
  }
  if (fields.flag("relative") || fields.has("period")) {
    throw InputError(
        fmt::format("{}: rotation: is not supported with relative or period", fields.place()));
  }
  return rotation;
}

/// The ROM of each class of parities.
std::vector<std::uint32_t> read_parities(Fields& fields, const Topology& topology,
                                         std::uint32_t roms) {
  std::vector<std::uint32_t> numbers;
  for (const auto& rom : fields.array("parities")) {
    numbers.push_back(static_cast<std::uint32_t>(
        checked_number(rom, fields.place() + ": parities", 0, std::int64_t{roms} - 1)));
  }
  const bool even = std::ranges::all_of(
      topology.sides(), [](std::uint32_t side) { return side == 1 || side % 2 == 0; });
  const std::size_t classes = std::size_t{1} << rotated_dimensions(topology).size();
  if (!even || numbers.size() != classes) {
    throw InputError(
        fmt::format("{}: parities: {} ROMs; one is required for each of the {} parities of "
                    "coordinates, and sides must be even",
                    fields.place(), numbers.size(), classes));
  }
  return numbers;
}

}  // namespace

TimetableProgram read_timetable(ProgramSource& source) {
  Fields& fields = source.fields;
  const Topology& topology = source.topology;
  const NumberTable& table = source.table(kProgramTablePath);
  const NumberTable& classes = source.table(kClassesTablePath);
  const auto own = fields.number<std::uint32_t>("own_words", 1, kMaxTimetableSlots);
  const auto slots = fields.number<std::uint32_t>("slots", 1, kMaxTimetableSlots);
  const auto delivery = read_name<DeliveryRule>(fields, "delivery", kDeliveryNames);
  const bool relative = fields.flag("relative");
  const bool combines = fields.flag("combines");
  std::uint32_t flits = 1;
  if (fields.has("flits")) flits = fields.number<std::uint32_t>("flits", 1, kMaxTimetableFlits);
  std::uint32_t adder_cycles = 0;
  if (fields.has("adder_cycles")) {
    adder_cycles = fields.number<std::uint32_t>("adder_cycles", 0, kMaxAdderCycles);
  }
  std::uint32_t step_cycles = 0;
  if (fields.has("step_cycles")) {
    step_cycles = fields.number<std::uint32_t>("step_cycles", 1, kMaxStepFlits);
  }
  Repetition repetition;
  if (fields.has("period")) {
    repetition.period = fields.number<std::uint32_t>("period", 1, kMost);
    const auto& first = fields.array("first_done");
    for (const auto& step : first) {
      repetition.first_done.push_back(static_cast<std::uint32_t>(
          checked_number(step, fields.place() + ": first_done", 0, kMost)));
    }
    if (repetition.first_done.size() != own) {
      throw InputError(fmt::format("{}: first_done: {} steps for {} sequences", fields.place(),
                                   repetition.first_done.size(), own));
    }
  }
  const std::uint32_t rotation = read_rotation(fields, topology, own);
  const bool names_words = rotation != 0 && fields.flag("names_words");
  const bool one_rom = !fields.has("roms");
  // Nodes at the same place of their chiplets, or of a wrapped axis, may share a ROM.
  const bool unequal = topology.is_healthy() && !topology.has_equal_links();
  // Nodes are alike along the axes of their groups, and rows use no other links.
  const bool alike = topology.routers_are_alike() ||
                     (source.demand.groups && topology.is_healthy() && topology.has_equal_links());
  if ((one_rom || (relative && !unequal)) && !alike) {
    throw InputError(fmt::format("{}: {}: runs on a healthy torus only, not on a {}{}",
                                 fields.place(), one_rom ? "one ROM for all routers" : "relative",
                                 topology.is_healthy() ? "" : "damaged ", topology.kind()));
  }
  std::uint32_t roms = 1;
  std::vector<std::uint32_t> parities;
  if (!one_rom) {
    roms = fields.number<std::uint32_t>("roms", 1, std::int64_t{topology.nodes()} + 1);
    if (fields.has("parities")) {
      parities = read_parities(fields, topology, roms);
    } else if (classes.rows != topology.nodes() || classes.row_length != 1) {
      throw InputError(fmt::format(
          "{}: classes: {} rows of {} for {} nodes; one row of one number per node is expected",
          fields.place(), classes.rows, classes.row_length, topology.nodes()));
    }
  }
  const Columns columns{!one_rom,    repetition.period != 0,
                        combines,    delivery == DeliveryRule::kMarked,
                        names_words, static_cast<std::size_t>(topology.ports())};
  std::vector<TimetableRom> read =
      TableReader(table, columns, own, slots, roms, fields.place()).read();
  for (const TimetableRom& rom : read) {
    check_rows(rom.sends, repetition.period, "out", fields.place());
    check_rows(rom.arrivals, repetition.period, "in", fields.place());
  }
  TimetableProgram program(topology.nodes(), topology.ports(), own, delivery,
                           std::move(repetition));
  program.relative = relative;
  program.rotation = rotation;
  program.flits = flits;
  program.adder_cycles = adder_cycles;
  program.step_cycles = step_cycles;
  std::vector<std::uint32_t> numbers;
  for (TimetableRom& rom : read) numbers.push_back(program.intern(std::move(rom)));
  if (!parities.empty()) {
    for (std::uint32_t& rom : parities) rom = numbers[rom];
    program.assign_by_parity(topology, std::move(parities));
  } else if (!one_rom) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const std::int32_t rom = classes.values[node];
      if (rom < 0 || static_cast<std::uint32_t>(rom) >= roms) {
        throw InputError(
            fmt::format("{}: classes: {} is outside 0..{}", fields.place(), rom, roms - 1));
      }
      program.assign(node, numbers[static_cast<std::size_t>(rom)]);
    }
  }
  check_links(program, topology, fields.place());
  return program;
}

namespace {

/// One ROM for all nodes, of all groups.
void check_groups(const TimetableProgram& program, const Topology& topology, const Demand& demand,
                  const std::string& place) {
  const bool rooted = demand.from != Origin::kEveryNode || demand.to == Destination::kRoot;
  const bool by_owner = !demand.combines() || demand.numbers_by_owner();
  const bool personal = demand.combines() || demand.is_personal();
  if (rooted || !by_owner || !has_closed_axes(topology, *demand.groups)) {
    throw InputError(
        fmt::format("{}: one program for all groups: for all-gather, all-to-all and sums with an "
                    "owner each, in groups whose members form rings along all axes",
                    place));
  }
  if (program.one_rom() && !program.repeats() && program.rotation == 0 && program.flits == 1 &&
      program.relative == personal && program.delivery() != DeliveryRule::kAll) {
    return;
  }
  throw InputError(
      fmt::format("{}: one program for all groups: one ROM whose rows do not repeat, own words {}, "
                  "and a delivery of words that a node requires",
                  place, personal ? "numbered by displacement" : "numbered from 0"));
}

}  // namespace

void check_timetable(const TimetableProgram& program, const Topology& topology,
                     const Demand& demand, const std::string& place) {
  if (const std::string defect = program.packet_defect(topology); !defect.empty()) {
    throw InputError(fmt::format("{}: {}", place, defect));
  }
  const bool rooted = demand.from == Origin::kRoot || demand.to == Destination::kRoot;
  const bool gathers = demand.to == Destination::kEachSource && demand.pieces == 1;
  const bool served =
      demand.combines()
          ? demand.from == Origin::kEveryNode && demand.to <= Destination::kOwner
          : gathers || (demand.from != Origin::kSources && demand.to == Destination::kEveryNode) ||
                demand.to == Destination::kEachNode;
  if (!served) {
    throw InputError(
        fmt::format("{}: timetables support all-gather, broadcast, all-to-all, gather to "
                    "listed nodes and reductions, not this demand",
                    place));
  }
  if (rooted && !topology.has_core(demand.root)) {
    throw InputError(fmt::format("{}: the demand's root, node {}, is dead", place, demand.root));
  }
  if (program.delivery() == DeliveryRule::kAll && (demand.combines() || demand.is_personal())) {
    throw InputError(
        fmt::format("{}: delivery: \"all\" is for packets that every node wants; say "
                    "\"unstored\" or \"marked\"",
                    place));
  }
  if (demand.groups) check_groups(program, topology, demand, place);
  if (program.relative && (rooted || gathers)) {
    throw InputError(
        fmt::format("{}: relative: own words are numbered by displacement in reduce-scatter, "
                    "all-reduce and all-to-all only",
                    place));
  }
  if (program.rotation != 0) {
    if (demand.combines() && !rooted && demand.to == Destination::kEveryNode &&
        demand.pieces <= program.own()) {
      return;
    }
    throw InputError(
        fmt::format("{}: rotation: is supported only in an all-reduce of up to {} words", place,
                    program.own()));
  }
  if (program.repeats()) {
    const bool gossips = demand == Demand::all_gather(demand.pieces);
    if (!demand.combines() && demand.from != Origin::kRoot && !gossips) {
      throw InputError(fmt::format(
          "{}: period: rows can repeat only in all-gathers, broadcasts and reductions", place));
    }
    const bool owners = demand.combines() && demand.to == Destination::kOwner;
    if (owners && program.own() % topology.nodes() != 0) {
      throw InputError(fmt::format("{}: own_words: {} is not a multiple of the {} owners", place,
                                   program.own(), topology.nodes()));
    }
    if (!program.relative || owners) return;
    throw InputError(fmt::format(
        "{}: relative: in a program that repeats, it is supported only in a reduce-scatter",
        place));
  }
  std::uint64_t own = demand.pieces;
  if (gathers) own = demand.sources.size();
  if (demand.to == Destination::kEachNode) {
    own = (demand.members(topology.nodes()) - (program.relative ? std::uint64_t{1} : 0U)) *
          demand.pieces;
  }
  if (program.own() == own) return;
  throw InputError(fmt::format("{}: own_words: {}, but by the demand a node starts with {}", place,
                               program.own(), own));
}

}  // namespace gossamer
