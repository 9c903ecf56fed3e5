// SPDX-License-Identifier: Apache-2.0
/// Contexts as SystemVerilog: one gsm_context_tile per node, and a testbench that computes results
/// from the demands.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "../emit/sv_text.hpp"
#include "context_tables.hpp"
#include "emit.hpp"
#include "gossamer/compose/context_schedule.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/util/text.hpp"
#include "members.hpp"

namespace gossamer {

using emit_detail::embedded_file;
using emit_detail::field_bits;
using emit_detail::Literal;
using emit_detail::number_function;

namespace {

/// Ports of gsm_fabric with a word per output port.
std::uint64_t widest_port(const Plan& plan, std::uint64_t width) {
  return plan.topology.link_slots() * width;
}

/// A signed or unsigned number modulo 2^bits.
std::uint64_t field(std::int64_t value, int bits) {
  return static_cast<std::uint64_t>(value) &
         ((std::uint64_t{1} << static_cast<unsigned>(bits)) - 1);
}

/// Appends fields to a literal, from bit 0.
class BitFields {
 public:
  explicit BitFields(std::size_t bits) : literal_(bits) {}
  void add(std::uint64_t value, int bits) {
    literal_.set(at_, value);
    at_ += static_cast<std::size_t>(bits);
  }
  [[nodiscard]] const Literal& literal() const { return literal_; }

 private:
  Literal literal_;
  std::size_t at_ = 0;
};

/// Bits of a node's rows of contexts with memory; 1 without.
std::size_t memory_bits(const ContextTables& tables, const Topology& topology) {
  if (tables.slots == 0) return 1;
  const auto field = static_cast<std::size_t>(2 + 2 * (tables.number_bits + tables.piece_bits) +
                                              2 * field_bits(tables.slots));
  std::size_t rows = 0;
  for (const ContextRow& row : tables.rows) rows += row.memory.edges.size();
  return rows * static_cast<std::size_t>(topology.ports()) * field;
}

class ContextsText {
 public:
  ContextsText(const Plan& plan, ContextTables tables)
      : plan_(plan),
        tables_(std::move(tables)),
        ports_(static_cast<std::size_t>(plan.topology.ports())),
        cycles_(ports_ / 2),
        wiring_bits_(field_bits(tables_.wirings.size() - 1)),
        number_bits_(tables_.number_bits),
        lane_bits_(field_bits(ports_)) {
    for (const ContextRow& row : tables_.rows) {
      runs_ = std::max(runs_, row.runs.size());
      memory_rows_ += row.memory.edges.size();
    }
  }

  std::vector<EmittedFile> files() {
    emit_detail::NetworkBuilder builder(plan_, "gsm_context_tile");
    add_sizes(builder);
    add_nodes(builder);
    add_memories(builder);
    emit_detail::FabricShape shape;
    shape.width = tables_.width;
    shape.own_words = shape.own_stride = shape.delivers = ports_;
    shape.own_total = plan_.topology.link_slots();
    std::vector<std::string_view> modules;
    if (tables_.exponent_bits != 0) modules.emplace_back("gsm_float_add");
    modules.emplace_back("gsm_combine");
    if (tables_.slots != 0) modules.emplace_back("gsm_slots");
    modules.insert(modules.end(), {"gsm_context_router", "gsm_context_tile"});
    emit_detail::NetworkFiles files = builder.finish(shape, "", std::move(modules));
    files.package += root_functions() + demand_functions();
    files.tile_text = embedded_file("context_tile.sv").contents;
    files.top_text = embedded_file("context_fabric.sv").contents;
    files.testbench_text = embedded_file("gsm_fabric_tb.contexts.sv").contents;
    return network_files(files);
  }

 private:
  [[nodiscard]] bool some_run(std::uint8_t operation) const {
    return std::any_of(tables_.rows.begin(), tables_.rows.end(), [&](const ContextRow& row) {
      return std::any_of(row.runs.begin(), row.runs.end(), [&](const ContextRun& run) {
        return std::find(run.operations.begin(), run.operations.end(), operation) !=
               run.operations.end();
      });
    });
  }

  void add_sizes(emit_detail::NetworkBuilder& builder) const {
    const auto number = [&builder](std::string_view comment, std::string_view name, auto value) {
      builder.constant(comment, name, static_cast<std::uint64_t>(value));
    };
    const std::size_t contexts = tables_.rows.size();
    number("Contexts, their wirings, and runs of equal operations.", "Contexts", contexts);
    number("", "Wirings", tables_.wirings.size());
    number("", "Runs", runs_);
    number("Bits of a context's number, a rank, and a lane's number.", "ChoiceBits",
           field_bits(contexts - 1));
    number("", "RankBits", field_bits(plan_.topology.nodes() - 1));
    number("", "LaneBits", lane_bits_);
    number("Bits of a step, and of a packet: its number and its piece.", "StepBits",
           tables_.step_bits);
    number("", "NumberBits", number_bits_);
    number("", "PieceBits", tables_.piece_bits);
    number("", "PacketBits", number_bits_ + tables_.piece_bits);
    number("Slots, and rows of contexts with memory.", "Slots", tables_.slots);
    number("", "MemoryRows", std::max<std::size_t>(memory_rows_, 1));
    number("As in gsm_context_router.", "Operation", tables_.operation);
    number("", "Cross", some_run(static_cast<std::uint8_t>(RegisterSource::kArrivalAndPartner)));
    number("", "Join", some_run(static_cast<std::uint8_t>(RegisterSource::kArrivalsAndOwn)));
    number("", "Flag",
           std::any_of(tables_.rows.begin(), tables_.rows.end(),
                       [](const ContextRow& row) { return row.flags; }));
    number("Testbench: bits of a word, and of the exponent of floats.", "WordBits",
           tables_.word_bits);
    number("", "ExponentBits", tables_.exponent_bits);
    std::uint64_t most = 1;
    for (const PlanMember& member : members_of(plan_)) {
      most = std::max(most, pieces(member.plan) *
                                (has_shares(member.plan) ? members(member.plan) : 1) *
                                (member.plan.demand.is_personal() ? 2 : 1));
    }
    number("Testbench: packets of a group, at most.", "MostWords", most);
    add_rows(builder);
    BitFields lengths(tables_.wirings.size() * cycles_ *
                      static_cast<std::size_t>(number_bits_ + 1));
    for (const WiringLanes& wiring : tables_.wirings) {
      for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
        lengths.add(wiring.open[cycle] ? 0 : wiring.lengths[cycle], number_bits_ + 1);
      }
    }
    builder.literal("By wiring and cycle, its length; 0: a line.", "Length",
                    "Wirings*Ports/2*(NumberBits+1)", lengths.literal());
  }

  void add_rows(emit_detail::NetworkBuilder& builder) const {
    const std::size_t run_bits = static_cast<std::size_t>(tables_.step_bits) + 4 * ports_;
    const int lane_row_bits = 7 + 2 * (number_bits_ + 1) + tables_.piece_bits;
    const std::size_t row_bits =
        static_cast<std::size_t>(wiring_bits_ + 3 + tables_.step_bits) + runs_ * run_bits +
        ports_ * static_cast<std::size_t>(lane_row_bits) + static_cast<std::size_t>(base_bits());
    std::size_t base = 1;
    BitFields rows(tables_.rows.size() * row_bits);
    for (const ContextRow& row : tables_.rows) {
      rows.add(row.wiring, wiring_bits_);
      rows.add(row.has_root ? 1 : 0, 1);
      rows.add(row.to_root ? 1 : 0, 1);
      rows.add(row.flags ? 1 : 0, 1);
      rows.add(row.steps, tables_.step_bits);
      for (std::size_t i = 0; i < runs_; ++i) {
        // Steps end with the last run; later ones are not used.
        const ContextRun& run = row.runs[std::min(i, row.runs.size() - 1)];
        rows.add(run.last, tables_.step_bits);
        for (std::size_t lane = 0; lane < ports_; ++lane) {
          rows.add(run.operations[lane], 3);
          rows.add(run.delivers[lane] ? 1 : 0, 1);
        }
      }
      for (const ContextLane& lane : row.lanes) {
        for (const bool bit : {lane.used, lane.loads, lane.slope > 0, lane.slope<0, lane.growth> 0,
                               lane.growth < 0, lane.from_root}) {
          rows.add(bit ? 1 : 0, 1);
        }
        rows.add(field(lane.start, number_bits_ + 1), number_bits_ + 1);
        rows.add(lane.limit, number_bits_ + 1);
        rows.add(lane.piece, tables_.piece_bits);
      }
      if (tables_.slots == 0) continue;
      rows.add(row.memory.edges.empty() ? 0 : base, base_bits());
      base += row.memory.edges.size();
    }
    builder.literal("The contexts, as gsm_context_tile reads them.", "Rows",
                    fmt::format("{}", tables_.rows.size() * row_bits), rows.literal());
  }

  void add_nodes(emit_detail::NetworkBuilder& builder) const {
    const Topology& topology = plan_.topology;
    builder.of_nodes("Bit (w*Ports + p)*Ports + q: in wiring w, in-port q feeds out-port p.",
                     "Feed", "feed", "Wirings*Ports*Ports", [&](NodeId node) {
                       Literal bits(tables_.wirings.size() * ports_ * ports_);
                       std::size_t at = 0;
                       for (const WiringLanes& wiring : tables_.wirings) {
                         for (const Port port : all_ports(topology.ports())) {
                           bits.set(at + wiring.feed[topology.link(node, port)], 1);
                           at += ports_;
                         }
                       }
                       return bits;
                     });
    builder.of_nodes(
        "By wiring and out-port, its lane; Ports: none.", "Lane", "lane", "Wirings*Ports*LaneBits",
        [&](NodeId node) {
          BitFields lanes(tables_.wirings.size() * ports_ * static_cast<std::size_t>(lane_bits_));
          for (const WiringLanes& wiring : tables_.wirings) {
            for (const Port port : all_ports(topology.ports())) {
              const std::uint32_t lane = wiring.lane[topology.link(node, port)];
              lanes.add(lane == WiringLanes::kNone ? ports_ : lane, lane_bits_);
            }
          }
          return lanes.literal();
        });
    builder.of_nodes("By context and out-port: at the end of a line.", "End", "line_end",
                     "Contexts*Ports", [&](NodeId node) {
                       Literal bits(tables_.rows.size() * ports_);
                       for (std::size_t i = 0; i < tables_.rows.size(); ++i) {
                         const std::vector<bool>& ends = tables_.rows[i].ends;
                         for (const Port port : all_ports(topology.ports())) {
                           const LinkId link = topology.link(node, port);
                           if (link < ends.size() && ends[link]) bits.set(i * ports_ + port, 1);
                         }
                       }
                       return bits;
                     });
    builder.input_of_nodes("By wiring and cycle, the place of a node.", "places_i", "places",
                           "Wirings*Ports/2*NumberBits", [&](NodeId node) {
                             BitFields places(tables_.wirings.size() * cycles_ *
                                              static_cast<std::size_t>(number_bits_));
                             for (const WiringLanes& wiring : tables_.wirings) {
                               for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
                                 const std::uint32_t place = wiring.place[node * cycles_ + cycle];
                                 places.add(place == WiringLanes::kNone ? 0 : place, number_bits_);
                               }
                             }
                             return places.literal();
                           });
  }

  /// Bits of a row's number, from 1 on; none without memory.
  [[nodiscard]] int base_bits() const { return tables_.slots == 0 ? 0 : field_bits(memory_rows_); }
  void add_memories(emit_detail::NetworkBuilder& builder) const {
    const int packet_bits = number_bits_ + tables_.piece_bits;
    const int slot_bits = tables_.slots == 0 ? 1 : field_bits(tables_.slots);
    const std::size_t bits = memory_bits(tables_, plan_.topology);
    builder.input_of_nodes("By row and port, sends and arrivals of contexts with memory.",
                           "memory_i", "memory", fmt::format("{}", bits), [&](NodeId node) {
                             BitFields fields(bits);
                             for (const ContextRow& row : tables_.rows) {
                               for (const auto& edge : row.memory.edges) {
                                 for (std::size_t port = 0; port < ports_; ++port) {
                                   const MemoryField& field =
                                       edge[plan_.topology.link(node, static_cast<Port>(port))];
                                   fields.add(field.own ? 1 : 0, 1);
                                   fields.add(field.own.value_or(0), packet_bits);
                                   fields.add(field.read, slot_bits);
                                   fields.add(field.write, slot_bits);
                                   fields.add(field.delivered ? 1 : 0, 1);
                                   fields.add(field.delivered.value_or(0), packet_bits);
                                 }
                               }
                             }
                             return fields.literal();
                           });
  }

  /// Contexts with equal places of all ranks share a table.
  [[nodiscard]] std::string root_functions() const {
    std::map<std::vector<std::uint32_t>, std::size_t> numbers;
    std::string text;
    std::string cases;
    for (std::size_t i = 0; i < tables_.rows.size(); ++i) {
      const std::vector<std::uint32_t>& ranks = tables_.rows[i].root_places;
      if (ranks.empty()) continue;
      const auto [found, added] = numbers.try_emplace(ranks, numbers.size());
      if (added) {
        std::vector<std::string> literals;
        for (std::size_t rank = 0; rank < ranks.size() / cycles_; ++rank) {
          BitFields places(cycles_ * static_cast<std::size_t>(number_bits_));
          for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
            places.add(ranks[rank * cycles_ + cycle], number_bits_);
          }
          literals.push_back(places.literal().text());
        }
        text += emit_detail::class_function("By cycle, the place of a rank.",
                                            fmt::format("rank_places_{}", found->second),
                                            "Ports/2*NumberBits", literals);
      }
      append_format(cases, "      {}: root_places = rank_places_{}(rank);\n", i, found->second);
    }
    append_format(
        text,
        "  // The places of a context's root: root_i of the tiles.\n"
        "  function automatic logic [Ports/2*NumberBits-1:0] root_places(input int choice, "
        "input int rank);\n    root_places = '0;\n    case (choice)\n{}"
        "      default: ;\n    endcase\n  endfunction\n\n",
        cases);
    return text;
  }

  // The demands, with the numbers that the testbench gives them.

  [[nodiscard]] static std::uint64_t members(const Plan& plan) {
    return plan.demand.members(plan.topology.nodes());
  }
  /// Pieces are numbered by the members of a group.
  [[nodiscard]] static bool has_shares(const Plan& plan) {
    const Demand& demand = plan.demand;
    return demand.from != Origin::kRoot && demand.to != Destination::kRoot &&
           (!demand.combines() || demand.pieces >= members(plan));
  }
  [[nodiscard]] static std::uint64_t pieces(const Plan& plan) {
    const bool blocks = plan.demand.combines() && has_shares(plan);
    return blocks ? plan.demand.pieces / members(plan) : plan.demand.pieces;
  }
  [[nodiscard]] static std::uint32_t kind(const Plan& plan) {
    const Demand& demand = plan.demand;
    if (demand.is_personal()) return 6;
    if (demand.to == Destination::kRoot) return 5;
    if (demand.from == Origin::kRoot) return 4;
    if (!demand.combines()) return 0;
    if (demand.to == Destination::kOwner) return 1;
    return has_shares(plan) ? 2 : 3;
  }

  [[nodiscard]] std::string demand_functions() const {
    std::vector<std::uint32_t> wiring, steps, kinds, count, operation, bits, cycles, shape, stride,
        memory;
    for (std::size_t i = 0; i < tables_.rows.size(); ++i) {
      const Plan& own = members_of(plan_)[i].plan;
      const auto add = [](std::vector<std::uint32_t>& list, std::uint64_t value) {
        list.push_back(static_cast<std::uint32_t>(value));
      };
      add(wiring, tables_.rows[i].wiring);
      add(steps, tables_.rows[i].steps);
      add(kinds, kind(own));
      add(count, pieces(own));
      // Without the fields of floats and lanes, which are constants.
      add(operation, own.demand.combines() ? emit_detail::combine_operation(own) % 16 : 0);
      add(bits, tables_.rows[i].flags ? 1 : tables_.width);
      add(cycles, tables_.rows[i].cycles);
      add(memory, tables_.rows[i].memory.edges.empty() ? 0 : 1);
      for (int dim = 0; dim < plan_.topology.dimensions(); ++dim) {
        const auto at = static_cast<std::size_t>(dim);
        const auto& groups = own.demand.groups;
        add(shape, groups ? groups->shape[at] : plan_.topology.side(dim));
        add(stride, groups ? groups->stride[at] : 1);
      }
    }
    return number_function("By context: its wiring.", "wiring", wiring) +
           number_function("Its steps.", "steps", steps) +
           number_function("Testbench: its demand, as gsm_fabric_tb numbers them.", "demand",
                           kinds) +
           number_function("Packets of a node, or of a message.", "pieces", count) +
           number_function("The operation of a word, as in gsm_combine.", "operation", operation) +
           number_function("Bits of its words.", "word_bits", bits) +
           number_function("Whether its packets have memory and one number each.", "has_memory",
                           memory) +
           number_function("Cycles that a message is dealt to.", "message_cycles", cycles) +
           number_function("By context and dimension: members of a group.", "group_shape", shape) +
           number_function("From one of them to the next.", "group_stride", stride) +
           number_function("Nodes of the network along a dimension.", "side",
                           plan_.topology.sides());
  }

  const Plan& plan_;
  ContextTables tables_;
  std::size_t ports_;
  std::size_t cycles_;
  int wiring_bits_;
  int number_bits_;
  int lane_bits_;
  std::size_t runs_ = 1;
  std::size_t memory_rows_ = 0;
};

}  // namespace

std::string contexts_sv_defect(const Plan& plan) {
  if (plan.topology.nodes() > emit_detail::kMaxRtlNodes ||
      widest_port(plan, 1) > emit_detail::kMaxPortBits) {
    return fmt::format("has more than {} links", emit_detail::kMaxPortBits);
  }
  if (!plan.topology.is_healthy()) return "does not support contexts around faults";
  const ContextTables tables = context_tables(plan);
  if (tables.defect.empty() && widest_port(plan, tables.width) > emit_detail::kMaxPortBits) {
    return fmt::format(
        "{} nodes: port first_data_i of gsm_fabric has {} bits, more than the {} that "
        "every tool takes (IEEE 1800, 6.9.1)",
        plan.topology.nodes(), widest_port(plan, tables.width), emit_detail::kMaxPortBits);
  }
  if (tables.defect.empty() && memory_bits(tables, plan.topology) > emit_detail::kMaxLiteralBits) {
    return fmt::format("its tables of contexts with memory have {} bits per node, more than {}",
                       memory_bits(tables, plan.topology), emit_detail::kMaxLiteralBits);
  }
  return tables.defect;
}

std::vector<EmittedFile> emit_contexts_sv(const Plan& plan) {
  emit_detail::check_nodes(plan, "sv");
  return ContextsText(plan, context_tables(plan)).files();
}

}  // namespace gossamer
