// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog of queued plans: the parts that all share, prefixes, and all broadcasts of a line
/// or ring.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "../../emit/stream_top.hpp"
#include "../../emit/sv_text.hpp"
#include "emit.hpp"
#include "emit_sv.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/machines/queued/rules.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

std::vector<EmittedFile> emit_line(const Plan& plan, bool streams) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<QueuedProgram>();
  const QueuedPhase& phase = program.phases.front();
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", "sv");
  const StepClock clock = clock_of(program, plan.demand);
  if (phase.start != 1) {
    throw InputError(fmt::format(
        "format sv: the broadcast begins in step {}, that of its network in step 1", phase.start));
  }

  // By node and port: number of the part and links to go.
  struct Own {
    std::uint32_t part = 0;
    std::uint32_t hops = 0;
  };
  std::vector<std::vector<Own>> lists(topology.link_slots());
  std::size_t longest = 1;
  std::uint32_t most_hops = 1;
  for (const DemandSource& source : plan.demand.sources_in(topology)) {
    for (std::uint32_t i = 0; i < source.pieces; ++i) {
      for (const bool positive : {false, true}) {
        const Port port = make_port(0, positive);
        const std::uint32_t hops = broadcast_hops(program, phase, i, i, positive);
        if (hops == 0 || topology.neighbor(source.node, port) == kNoNode) continue;
        auto& list = lists[topology.link(source.node, port)];
        list.push_back({i, hops});
        longest = std::max(longest, list.size());
        most_hops = std::max(most_hops, hops);
      }
    }
  }
  const int number_bits = field_bits(plan.demand.pieces - 1);
  const int hop_bits = field_bits(most_hops);
  const std::size_t list_bits = longest * static_cast<std::size_t>(number_bits + hop_bits);
  const std::uint64_t own_bits =
      std::uint64_t{topology.nodes()} * plan.demand.pieces * clock.words * data_bits(plan);
  if (list_bits > kMaxLiteralBits || own_bits > (1U << 24U)) {
    throw InputError(
        fmt::format("format sv: {} packets at a node are more than its lists hold", longest));
  }
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  FabricShape shape = queued_shape(plan, plan.demand.pieces);
  shape.link_extra = number(hop_bits);
  shape.delivers = 2;
  streams = streams || !fits_flat_top(topology, shape);
  NetworkBuilder network = queued_network(plan, "line");
  network.input("place_i", "1'b0");
  network.number("Steps of a round.", "Steps", steps);
  network.number("Parts of packets that a node may have.", "Own", plan.demand.pieces);
  network.number("Bits of a number of links.", "HopBits", number(hop_bits));
  network.number("Entries of the longest list.", "Entries", longest);
  const std::array<Port, 2> ports{make_port(0, false), make_port(0, true)};
  network.of_nodes("Bit p: port p leads to a neighbour.", "Linked", "linked", "2",
                   [&](NodeId node) {
                     Literal linked(2);
                     for (const Port port : ports) {
                       if (topology.neighbor(node, port) != kNoNode) linked.set(port, 1);
                     }
                     return linked;
                   });
  network.of_nodes("Bits p*16 +: 16: own packets that leave by port p.", "ListLength",
                   "list_length", "2*16", [&](NodeId node) {
                     Literal lengths(2UL * 16);
                     for (const Port port : ports) {
                       lengths.set(std::size_t{port} * 16, lists[topology.link(node, port)].size());
                     }
                     return lengths;
                   });
  network.of_nodes("They in their order, each with its number and the links that it goes.", "List",
                   "list", fmt::format("2*{}", list_bits), [&](NodeId node) {
                     Literal literal(2 * list_bits);
                     for (const Port port : ports) {
                       std::size_t at = port * list_bits;
                       for (const Own& own : lists[topology.link(node, port)]) {
                         literal.set(at, own.part);
                         literal.set(at + static_cast<std::size_t>(number_bits), own.hops);
                         at += static_cast<std::size_t>(number_bits + hop_bits);
                       }
                     }
                     return literal;
                   });
  // An arrival is sent on in the next step.
  if (streams) use_packet_streams(network, plan, {.own = plan.demand.pieces}, shape);
  return queued_files(
      network, plan, shape,
      expected_packets(plan, steps, static_cast<std::uint32_t>(plan.demand.pieces), shape.width,
                       fmt::format("steps={} cycles={}", steps, clock.last_cycle(steps)), clock,
                       streams));
}

/// The expected run for the testbench of a prefix: a message with any contents on each link in its
/// step, and finally ranks and sums, counted here from the nodes' numbers.
std::optional<std::string> expected_ranks(const Plan& plan, std::uint64_t steps, int count_bits) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<QueuedProgram>();
  const auto classes = static_cast<std::size_t>(program.classes);
  const auto bits = static_cast<std::size_t>(count_bits);
  const StepClock clock = clock_of(program, plan.demand);
  auto run =
      ExpectedRun::make(clock, steps, bits, topology.link_slots(), topology.nodes() * classes);
  if (!run) return std::nullopt;
  for (std::size_t i = 0; i < topology.nodes() * classes; ++i) run->add({"0", "0", 0, 0, i});
  observe_links(plan, steps, [&run](std::uint64_t step, std::size_t link, PacketId packet) {
    run->on_link(step, link, static_cast<std::uint32_t>(packet + 1));
  });

  std::vector<std::uint64_t> counts(topology.nodes(), 0);
  std::uint64_t total = 0;
  for (const DemandSource& source : plan.demand.sources_in(topology)) {
    counts[source.node] = source.pieces;
    total += source.pieces;
  }
  for (int index = 0; index < program.classes; ++index) {
    std::uint64_t before = 0;
    for (NodeId place = 0; place < topology.nodes(); ++place) {
      const NodeId node = rotated_node(topology, place, index);
      Literal data(2 * bits);
      data.set(0, before);
      data.set(bits, total);
      Literal mask(2 * bits);
      mask.fill(counts[node] != 0 ? 0 : bits, 2 * bits);
      run->deliver(steps + 1, node * classes + static_cast<std::size_t>(index),
                   run->add({data.digits(), mask.digits(), 0, 0, 0}));
      before += counts[node];
    }
  }
  std::vector<std::string> own;
  for (const std::uint64_t count : counts) own.push_back(fmt::format("{:x}", count));
  return run->text(fmt::format("steps={} cycles={}", steps, clock.last_cycle(steps)), own, "0");
}

std::vector<EmittedFile> emit_prefix(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<QueuedProgram>();
  const std::uint64_t steps = planned_count(plan.expected.analytic_steps, "steps", "sv");
  const PrefixTables prefix = prefix_tables(plan);
  if (prefix.deals)
    throw InputError("format sv: the prefix deals packets to classes, but no phase moves packets");
  const int count_bits = field_bits(topology.nodes());
  FabricShape shape = queued_shape(plan, 1);
  shape.width = static_cast<std::uint64_t>(count_bits);
  shape.link_words = 2;
  shape.delivers = program.classes;
  shape.deliver_words = 2;
  NetworkBuilder network = queued_network(plan, "prefix");
  network.parameter("CountBits", "Width");
  network.number("Steps of a round.", "PrefixSteps", steps);
  tell_prefix(network, plan, prefix);
  return queued_files(network, plan, shape, expected_ranks(plan, steps, count_bits));
}

}  // namespace

StepClock clock_of(const QueuedProgram& program, const Demand& demand) {
  const std::uint64_t prefix = program.prefix_steps();
  if (demand.is_counts()) return {1, prefix, program.clock.prefix_flits, 1};
  const std::uint64_t flits = program.substep_flits();
  return {flits, prefix, program.clock.prefix_flits, flits};
}

void add_prefix(const Plan& plan, ExpectedRun& run) {
  Plan counts = plan;
  auto& program = counts.program.edit<QueuedProgram>();
  std::erase_if(program.phases, [](const QueuedPhase& phase) { return !phase.is_prefix(); });
  counts.demand.from = Origin::kSources;
  counts.demand.to = Destination::kCounts;
  const std::uint32_t message = run.add({"0", "0", -1, 0, 0});
  observe_links(
      counts, program.prefix_steps(),
      [&](std::uint64_t step, std::size_t link, PacketId) { run.on_link(step, link, message); });
}

PrefixTables prefix_tables(const Plan& plan) {
  const auto& program = plan.program.as<QueuedProgram>();
  // Unit by unit, in any order that the plan lists them.
  PrefixTables prefix;
  std::vector<QueuedPhase>& listed = prefix.listed;
  for (const QueuedPhase& phase : program.phases) {
    if (!phase.is_prefix()) continue;
    listed.push_back(phase);
    prefix.deals = prefix.deals || phase.class_round;
  }
  const std::size_t first_class = prefix.deals ? 1 : 0;
  const auto unit_of = [first_class](const QueuedPhase& phase) {
    return phase.class_round ? 0 : first_class + phase.class_index;
  };
  std::stable_sort(listed.begin(), listed.end(), [&](const auto& a, const auto& b) {
    return std::pair(unit_of(a), a.start) < std::pair(unit_of(b), b.start);
  });
  prefix.classes = program.classes + first_class;
  prefix.phases = listed.size() / prefix.classes;
  prefix.phase_steps = plan.topology.side(0) - 1;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (prefix.phases == 0 || unit_of(listed[i]) != i / prefix.phases) {
      throw InputError("format sv: the classes of this prefix have different phases");
    }
    if (listed[i].kind == QueuedPhaseKind::kLineSum) {
      prefix.phase_steps = std::max(prefix.phase_steps, listed[i].length);
    }
  }
  return prefix;
}

void tell_prefix(NetworkBuilder& network, const Plan& plan, const PrefixTables& prefix) {
  const Topology& topology = plan.topology;
  const int dimensions = topology.dimensions();
  const std::uint32_t side = topology.side(0);
  // The first dimension in the class's order of nodes, and the digit that the phase's is in it.
  const auto first_of = [](const QueuedPhase& phase) {
    return phase.class_round ? 0 : static_cast<int>(phase.class_index);
  };
  const auto level_of = [&](const QueuedPhase& phase) {
    return (phase.dimension + dimensions - first_of(phase)) % dimensions;
  };
  const std::vector<QueuedPhase>& listed = prefix.listed;
  Literal starts(listed.size() * 32);
  Literal kinds(listed.size() * 2);
  Literal along(listed.size() * 3);
  Literal levels(listed.size() * 3);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    starts.set(i * 32, listed[i].start);
    kinds.set(i * 2, static_cast<std::uint64_t>(listed[i].kind));
    along.set(i * 3, static_cast<std::uint64_t>(listed[i].dimension));
    levels.set(i * 3, static_cast<std::uint64_t>(level_of(listed[i])));
  }
  network.number(
      "Classes of the prefix, each with its order of the dimensions; phases of each; their steps.",
      "PrefixClasses", prefix.classes);
  network.number("", "PrefixPhases", prefix.phases);
  network.number("", "PrefixPhaseSteps", prefix.phase_steps);
  network.flag("Its first class deals packets to the others.", "Deal", prefix.deals);
  const auto literal = [&](std::string_view comment, std::string_view name, int bits,
                           const Literal& value) {
    network.literal(comment, name, fmt::format("PrefixClasses*PrefixPhases*{}", bits), value);
  };
  literal("By class*PrefixPhases + phase: its first step.", "PrefixStart", 32, starts);
  literal("Its kind: 0 tree forward, 1 tree backward, 2 two-way, 3 sum along the line.",
          "PrefixKind", 2, kinds);
  literal("Its dimension.", "PrefixDimension", 3, along);
  literal("The digit that this is in the order of the class.", "PrefixLevel", 3, levels);
  network.input_of_nodes("Place on the line: first, last, below, above, root level, on tree.",
                         "place_i", "place", "PrefixClasses*PrefixPhases*6", [&](NodeId node) {
                           const Coordinates at = topology.coordinates(node);
                           Literal place(listed.size() * 6);
                           for (std::size_t i = 0; i < listed.size(); ++i) {
                             const std::uint32_t digit =
                                 at[static_cast<std::size_t>(listed[i].dimension)];
                             const int level = level_of(listed[i]);
                             // All less significant digits are the last.
                             bool on_tree = true;
                             for (int j = 0; j < level; ++j) {
                               const int dim = (j + first_of(listed[i])) % dimensions;
                               on_tree = on_tree && at[static_cast<std::size_t>(dim)] == side - 1;
                             }
                             const std::array<bool, 6> flags = {
                                 digit == 0,         digit == side - 1,       (digit < side / 2),
                                 (digit > side / 2), level == dimensions - 1, on_tree};
                             for (std::size_t bit = 0; bit < flags.size(); ++bit) {
                               place.set(i * 6 + bit, flags[bit] ? 1 : 0);
                             }
                           }
                           return place;
                         });
}

FabricShape queued_shape(const Plan& plan, std::uint64_t own_words) {
  FabricShape shape;
  shape.width = data_bits(plan);
  shape.serial_words = clock_of(plan.program.as<QueuedProgram>(), plan.demand).words;
  shape.own_words = own_words;
  shape.own_stride = own_words;
  shape.own_total = plan.topology.nodes() * own_words;
  return shape;
}

std::uint64_t most_kept(const Topology& topology, const std::vector<PacketSend>& sends) {
  const auto ports = static_cast<std::size_t>(topology.ports());
  std::map<std::pair<NodeId, PacketId>, std::uint64_t> last;
  std::vector<std::vector<std::uint64_t>> arrivals(topology.link_slots());
  for (const PacketSend& send : sends) {
    last[{static_cast<NodeId>(send.link / ports), send.packet}] = send.step;
    arrivals[send.link].push_back(send.step);
  }
  std::uint64_t most = 1;
  for (const PacketSend& send : sends) {
    const NodeId to = topology.neighbor(static_cast<NodeId>(send.link / ports),
                                        static_cast<Port>(send.link % ports));
    const auto sent = last.find({to, send.packet});
    if (sent == last.end() || sent->second <= send.step) continue;
    const std::vector<std::uint64_t>& steps = arrivals[send.link];
    const auto from = std::lower_bound(steps.begin(), steps.end(), send.step);
    const auto until = std::lower_bound(from, steps.end(), sent->second);
    most = std::max(most, static_cast<std::uint64_t>(until - from));
  }
  return most;
}

void use_packet_streams(NetworkBuilder& network, const Plan& plan, const PacketStreams& streams,
                        FabricShape& shape) {
  const Topology& topology = plan.topology;
  const StepClock clock = clock_of(plan.program.as<QueuedProgram>(), plan.demand);
  const auto ports = static_cast<std::uint64_t>(topology.ports());
  const std::uint64_t flag_words = streams.flag_words(shape.width);
  const std::uint64_t message = 2 * streams.count_bits;
  if (message > shape.width + shape.link_extra) {
    throw InputError(fmt::format("format sv: links of {} bits; messages of the prefix have {}",
                                 shape.width + shape.link_extra, message));
  }
  if (flag_words > clock.last_cycle(clock.prefix_steps) + 1) {
    throw InputError(fmt::format("format sv: {} words of flags per node, but a prefix of {} cycles",
                                 flag_words, clock.last_cycle(clock.prefix_steps)));
  }
  const std::uint64_t kept = std::bit_ceil(streams.kept);
  std::uint64_t number_bits =
      1 + static_cast<std::uint64_t>(field_bits(std::max(ports * kept, streams.own) - 1));
  if (message > shape.link_extra) number_bits = std::max(number_bits, message - shape.link_extra);
  shape.own_words = ports + (flag_words == 0 ? 0 : 1);
  shape.own_stride = streams.own * clock.words + flag_words;
  shape.own_total = topology.nodes() * shape.own_stride;
  shape.serial_words = 1;
  shape.streams = true;
  shape.index_bits = static_cast<std::uint64_t>(field_bits(shape.own_stride - 1));
  network.constant("Own packets of a node, words of each; bits of its flags, and their words.",
                   "Packets", streams.own);
  network.constant("", "PacketWords", clock.words);
  network.constant("", "FlagBits", streams.flag_bits);
  network.constant("", "FlagWords", flag_words);
  network.constant("Arrivals that an in-port keeps; bits of the number of a packet in the tile.",
                   "Kept", kept);
  network.constant("", "NumberBits", number_bits);
  network.input_of_nodes("Coordinates, 16 bits per dimension.", "coordinates_i", "coordinates",
                         "Ports/2*16", [&topology](NodeId node) {
                           const Coordinates at = topology.coordinates(node);
                           Literal place(static_cast<std::size_t>(topology.dimensions()) * 16);
                           for (int dim = 0; dim < topology.dimensions(); ++dim) {
                             place.set(static_cast<std::size_t>(dim) * 16,
                                       at[static_cast<std::size_t>(dim)]);
                           }
                           return place;
                         });
}

namespace {

/// The body of a tile with streams: steps, packets, and the node, which moves numbers of packets.
std::string stream_body(const TileText& tile, const StepClock& clock, bool has_flags) {
  return fmt::format(
      R"(  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Delivers = gsm_plan_pkg::Delivers;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int NumberBits = gsm_plan_pkg::NumberBits;
  localparam int Extra = gsm_plan_pkg::LinkExtra;
  localparam int DeliverExtra = gsm_plan_pkg::DeliverExtra;
  localparam int CycleBits = $clog2(({3} > {4} ? {3} : {4})+1);
  logic node_clk;
  logic step_last;
  logic packets;
  logic [CycleBits-1:0] cycle;
  logic node_last;
  logic node_error;
  logic element_error;
  logic [Ports*(NumberBits+Extra)-1:0] tile_in_data;
  logic [Ports*(NumberBits+Extra)-1:0] tile_out_data;
  logic [Ports*(NumberBits+Extra)-1:0] node_in_data;
  logic [Ports*(NumberBits+Extra)-1:0] node_out_data;
  logic [Delivers-1:0] node_deliver_valid;
  logic [Delivers*(NumberBits+DeliverExtra)-1:0] node_deliver_data;
  logic [(gsm_plan_pkg::FlagWords > 0 ? gsm_plan_pkg::FlagWords : 1)*Width-1:0] flags;
  gsm_serial_steps #(
      .Ports(Ports),
      .Width(NumberBits),
      .Words(1),
      .Extra(Extra),
      .PrefixSteps({2}),
      .PrefixCycles({3}),
      .Cycles({4})
  ) u_steps (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .tile_clk_o(node_clk),
      .tile_busy_i(busy_o),
      .tile_done_i(done_o),
      .step_last_o(step_last),
      .cycle_o(cycle),
      .packets_o(packets),
      .in_data_i(tile_in_data),
      .out_data_o(tile_out_data),
      .tile_in_data_o(node_in_data),
      .tile_out_data_i(node_out_data)
  );
  gsm_packet_streams #(
      .Ports(Ports),
      .Width(Width),
      .Words(gsm_plan_pkg::PacketWords),
      .Extra(Extra),
      .DeliverExtra(DeliverExtra),
      .Own(Packets),
      .FlagWords(gsm_plan_pkg::FlagWords),
      .Entries(gsm_plan_pkg::Kept),
      .Delivers(Delivers),
      .NumberBits(NumberBits),
      .CycleBits(CycleBits),
      .IndexBits(gsm_plan_pkg::IndexBits)
  ) u_streams (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .cycle_i(cycle),
      .step_last_i(step_last),
      .packets_i(packets),
      .own_valid_i(own_valid_i),
      .own_ready_o(own_ready_o),
      .own_data_i(own_data_i),
      .own_index_o(own_index_o),
      .deliver_valid_o(deliver_valid_o),
      .deliver_ready_i(deliver_ready_i),
      .deliver_data_o(deliver_data_o),
      .deliver_index_o(deliver_index_o),
      .in_valid_i(in_valid_i),
      .in_data_i(in_data_i),
      .out_data_o(out_data_o),
      .tile_flags_o(flags),
      .tile_in_data_o(tile_in_data),
      .tile_out_valid_i(out_valid_o),
      .tile_out_data_i(tile_out_data),
      .tile_deliver_valid_i(node_deliver_valid),
      .tile_deliver_data_i(node_deliver_data),
      .error_o(element_error)
  );
  assign own_next_o = own_ready_o;
  assign last_o = node_last && step_last;
  assign idle_o = !busy_o;
  assign error_o = node_error || element_error;

  // Own packets by their numbers, then the flags.
  localparam int OwnBits = (Packets + (gsm_plan_pkg::FlagBits + NumberBits - 1) / NumberBits) * NumberBits;
  logic [Packets*NumberBits-1:0] numbers;
  for (genvar i = 0; i < Packets; i++) begin : gen_number
    assign numbers[i*NumberBits+:NumberBits] = NumberBits'(i);
  end
  logic unused_flags;
  assign unused_flags = ^flags;

  {0} #(
{1}
  ) u_node (
      .clk_i(node_clk),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
{5}      .own_data_i(OwnBits'({6})),
      .in_valid_i(in_valid_i),
      .in_data_i(node_in_data),
      .out_valid_o(out_valid_o),
      .out_data_o(node_out_data),
      .deliver_valid_o(node_deliver_valid),
      .deliver_data_o(node_deliver_data),
      .busy_o(busy_o),
      .last_o(node_last),
      .done_o(done_o),
      .error_o(node_error)
  );
)",
      tile.node, tile.parameter_lines("NumberBits"), clock.prefix_steps, clock.prefix_cycles,
      clock.cycles, tile.constant_lines(),
      has_flags ? "{flags[gsm_plan_pkg::FlagBits-1:0], numbers}" : "numbers");
}

}  // namespace

NetworkBuilder queued_network(const Plan& plan, std::string_view router) {
  NetworkBuilder network(plan, "gsm_queued_node");
  network.configuration(router, 8);
  network.parameter("Ports", "gsm_plan_pkg::Ports");
  return network;
}

std::vector<EmittedFile> queued_files(NetworkBuilder& network, const Plan& plan,
                                      const FabricShape& shape,
                                      std::optional<std::string> expected) {
  NetworkFiles files =
      network.finish(shape, "table_write_i, table_data_i",
                     {"gsm_link", "gsm_queue", "gsm_round", "gsm_error", "gsm_prefix_unit",
                      "gsm_line_stage", "gsm_class_unit", "gsm_exchange_unit", "gsm_queued_node"});
  const StepClock clock = clock_of(plan.program.as<QueuedProgram>(), plan.demand);
  if (shape.streams) {
    for (const std::string_view name :
         {"gsm_clock_gate", "gsm_serial_steps", "gsm_packet_streams"}) {
      files.modules.emplace_back(name);
    }
    use_streams(plan.topology, shape, files,
                stream_body(files.tile, clock,
                            shape.own_words > static_cast<std::uint64_t>(plan.topology.ports())));
  } else {
    files.clock = clock;
  }
  files.expected = std::move(expected);
  return network_files(files);
}

std::vector<EmittedFile> emit_queued_sv(const Plan& plan, bool streams) {
  const auto& program = plan.program.as<QueuedProgram>();
  check_nodes(plan, "sv");
  if (program.phases.empty() || plan.demand.pieces_in_all(plan.topology.nodes()) == 0) {
    throw InputError("format sv: the plan sends no packets, so there is no network to build");
  }
  if (plan.demand.is_counts()) return emit_prefix(plan);
  if (plan.demand.is_personal()) return emit_exchange(plan, streams);
  // One broadcast on a line or ring.
  const bool line = plan.topology.dimensions() == 1 && program.phases.size() == 1 &&
                    program.phases.front().kind == QueuedPhaseKind::kBroadcast;
  return line ? emit_line(plan, streams) : emit_classes(plan, streams);
}

}  // namespace gossamer::emit_detail
