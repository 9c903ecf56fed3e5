// SPDX-License-Identifier: Apache-2.0
/// SystemVerilog: the plan as the package gsm_plan_pkg, beside the RTL that it parameterises.
///
/// Nodes with the same table share a *class*, and with it one set of router parameters. Constants
/// stay far below the 65536 bits that Verilator takes in one literal: the class numbers of the
/// nodes come in chunks, the tables by class.
#include <fmt/format.h>

#include <bit>
#include <compare>
#include <iterator>
#include <map>

#include "formats.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

constexpr std::uint32_t kMaxRtlNodes = 65536;
constexpr std::uint32_t kMaxRtlDepth = 65535;
constexpr std::size_t kMaxLiteralBits = 65536;
constexpr std::size_t kChunkNodes = 64;
constexpr int kDataBits = 32;

/// A sized hexadecimal literal, built bit field by bit field.
class Literal {
 public:
  explicit Literal(std::size_t bits) : bits_(bits), nibbles_((bits + 3) / 4, 0) {}

  /// Ors `value` in at bit `lsb`; it has to fit.
  void set(std::size_t lsb, std::uint64_t value) {
    for (std::size_t bit = lsb; value != 0; ++bit, value >>= 1U) {
      if ((value & 1U) != 0) {
        nibbles_.at(bit / 4) = static_cast<std::uint8_t>(nibbles_[bit / 4] | (1U << (bit % 4)));
      }
    }
  }

  [[nodiscard]] std::string text() const {
    std::string digits;
    for (std::size_t i = nibbles_.size(); i-- > 0;) digits += "0123456789abcdef"[nibbles_[i]];
    return fmt::format("{}'h{}", bits_, digits);
  }

 private:
  std::size_t bits_;
  std::vector<std::uint8_t> nibbles_;
};

/// The parameters of one router and network interface, as literals.
struct NodeClass {
  std::string feed;
  std::string early_feed;
  std::string switch_step;
  std::string inject_mask;
  std::string preload_length;
  std::string preload;

  auto operator<=>(const NodeClass&) const = default;
};

NodeClass class_of(const Plan& plan, const NodeWalk& at, std::size_t preload_max) {
  // In frames, a table's ports are port * frame + slot.
  const std::size_t frame = frame_of(plan);
  const auto ports = static_cast<std::size_t>(plan.topology.ports()) * frame;
  Literal feed(ports * ports);
  Literal early_feed(ports * ports);
  Literal switch_step(ports * 32);
  Literal inject_mask(ports / frame);
  Literal preload_length(ports * 16);
  Literal preload(ports * preload_max * 16);
  for (std::size_t p = 0; p < ports; ++p) {
    const PortProgram program = hardware_program(plan, at, static_cast<Port>(p));
    feed.set(p * ports, program.feed.bits());
    early_feed.set(p * ports, program.early_feed.bits());
    switch_step.set(p * 32, program.switch_step);
    inject_mask.set(p / frame, program.preload.empty() ? 0 : 1);
    preload_length.set(p * 16, program.preload.size());
    for (std::size_t i = 0; i < program.preload.size(); ++i) {
      preload.set((p * preload_max + i) * 16, program.preload[i]);
    }
  }
  return {feed.text(),        early_feed.text(),     switch_step.text(),
          inject_mask.text(), preload_length.text(), preload.text()};
}

void check_expressible(const Plan& plan, std::size_t preload_max, std::string_view format) {
  if (plan.collective != "gossip") {
    throw InputError(
        fmt::format("format {}: the testbench knows gossip only, not {}", format, plan.collective));
  }
  if (!plan.expected.analytic_steps || *plan.expected.analytic_steps == 0 ||
      *plan.expected.analytic_steps > (1U << 30U)) {
    throw InputError(
        fmt::format("format {}: the plan names no number of steps between 1 and 2^30", format));
  }
  if (plan.topology.nodes() > kMaxRtlNodes) {
    throw InputError(fmt::format("format {}: {} nodes; one RTL top has at most {}", format,
                                 plan.topology.nodes(), kMaxRtlNodes));
  }
  if (plan.expected.queue_depth == 0 || plan.expected.queue_depth > kMaxRtlDepth) {
    throw InputError(fmt::format("format {}: queue depth {} is outside 1..{}", format,
                                 plan.expected.queue_depth, kMaxRtlDepth));
  }
  if (static_cast<std::size_t>(plan.topology.ports()) * frame_of(plan) * preload_max * 16 >
      kMaxLiteralBits) {
    throw InputError(fmt::format(
        "format {}: preload lists of {} packets on {} ports; they have at most {} bits a node",
        format, preload_max, plan.topology.ports(), kMaxLiteralBits));
  }
  const auto* schedule = std::get_if<ScheduleProgram>(&plan.program);
  if (schedule == nullptr) return;
  if (!plan.topology.is_torus()) {
    throw InputError("format sv: a schedule runs on a torus only; this plan's topology is a mesh");
  }
  if (schedule->steps() == 0 || schedule->rom_bits() > kMaxLiteralBits) {
    throw InputError(fmt::format("format sv: a schedule of {} bits; a ROM has 1 to {} bits",
                                 schedule->rom_bits(), kMaxLiteralBits));
  }
}

/// The ROM as gsm_schedule_router's parameter Rom.
Literal rom_of(const ScheduleProgram& schedule) {
  const auto ports = static_cast<std::size_t>(schedule.ports());
  const auto source_bits = static_cast<std::size_t>(
      std::bit_width(std::uint64_t{schedule.packets_per_node()} + schedule.slots()));
  const auto store_bits = static_cast<std::size_t>(std::bit_width(schedule.slots()));
  Literal rom(static_cast<std::size_t>(schedule.rom_bits()));
  std::size_t at = 0;
  for (std::uint64_t step = 1; step <= schedule.steps(); ++step) {
    for (std::size_t p = 0; p < ports; ++p, at += source_bits) {
      rom.set(at, schedule.source_code(step, static_cast<Port>(p)));
    }
    for (std::size_t q = 0; q < ports; ++q, at += store_bits) {
      rom.set(at, schedule.store_code(step, static_cast<Port>(q)));
    }
  }
  return rom;
}

/// A function from the class to one of its literals.
void write_class_function(std::string& text, std::string_view comment, std::string_view name,
                          std::string_view range, const std::vector<const NodeClass*>& classes,
                          std::string NodeClass::*member) {
  fmt::format_to(std::back_inserter(text),
                 "  // {}\n  function automatic logic [{}-1:0] {}(input int index);\n"
                 "    {} = '0;\n    case (index)\n",
                 comment, range, name, name);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "      {}: {} = {};\n", i, name, classes[i]->*member);
  }
  text += "      default: ;\n    endcase\n  endfunction\n\n";
}

/// The package without tables and end: sizes, the constants `more`, and the wiring.
std::string package_begin(const Plan& plan, std::size_t preload_max, std::string_view more) {
  const Topology& topology = plan.topology;
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n\n"
      "// {} on the {} {}, algorithm {}: the constants of gsm_network.\n"
      "package gsm_plan_pkg;\n\n"
      "  // Nodes, and those of one row of dimension 0.\n"
      "  localparam int Nodes = {};\n"
      "  localparam int NodesPerRow = {};\n"
      "  // Ports of a router.\n"
      "  localparam int Ports = {};\n"
      "  // Data bits of a packet.\n"
      "  localparam int Width = {};\n"
      "  // Packets that an out-port can hold, its register included.\n"
      "  localparam int Depth = {};\n"
      "  // Own packets of a node.\n"
      "  localparam int Packets = {};\n"
      "  // Steps of a round.\n"
      "  localparam int Steps = {};\n"
      "  // Entries of a list of own packets.\n"
      "  localparam int PreloadMax = {};\n{}\n",
      plan.collective, topology.dims_text(), topology.kind(), comment_text(plan.algorithm),
      topology.nodes(), topology.side(0), topology.ports(), kDataBits, plan.expected.queue_depth,
      packets_per_node(plan), *plan.expected.analytic_steps, preload_max, more);

  text +=
      "  // The neighbour of `node` in direction `port`; -1 beyond the border of a mesh.\n"
      "  function automatic int neighbor(input int node, input int port);\n"
      "    int side;\n    int stride;\n    int at;\n"
      "    side   = 1;\n    stride = 1;\n    case (port / 2)\n";
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    fmt::format_to(std::back_inserter(text),
                   "      {}: begin\n        side   = {};\n        stride = {};\n      end\n", dim,
                   topology.side(dim), topology.stride(dim));
  }
  fmt::format_to(std::back_inserter(text),
                 "      default: ;\n    endcase\n"
                 "    at = (node / stride) % side;\n"
                 "    if (port % 2 == 1) neighbor = at + 1 < side ? node + stride : {};\n"
                 "    else neighbor = at > 0 ? node - stride : {};\n"
                 "  endfunction\n\n",
                 topology.is_torus() ? "node - at * stride" : "-1",
                 topology.is_torus() ? "node + (side - 1) * stride" : "-1");

  return text;
}

std::string package_of(const Plan& plan, std::size_t preload_max) {
  const Topology& topology = plan.topology;
  std::map<NodeClass, std::size_t> index;
  std::vector<const NodeClass*> classes;
  std::vector<std::size_t> class_of_node;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const auto [at, added] = index.try_emplace(class_of(plan, walk, preload_max), classes.size());
    if (added) classes.push_back(&at->first);
    class_of_node.push_back(at->second);
  }

  const auto* schedule = std::get_if<ScheduleProgram>(&plan.program);
  std::string text = package_begin(
      plan, preload_max,
      fmt::format(
          "  // Slots of a frame; with more than one, the tables' ports are port*Frame + slot.\n"
          "  localparam int Frame = {};\n"
          "  // Schedules: slots of a packet buffer, 0 for none; words of the ROM; the ROM.\n"
          "  localparam int Slots = {};\n"
          "  localparam int ScheduleSteps = {};\n"
          "  localparam logic [{}-1:0] Schedule = {};\n",
          frame_of(plan), schedule != nullptr ? schedule->slots() : 0,
          schedule != nullptr ? schedule->steps() : 1,
          schedule != nullptr ? schedule->rom_bits() : 1,
          schedule != nullptr ? rom_of(*schedule).text() : "1'h0"));

  fmt::format_to(std::back_inserter(text),
                 "  // The class of a node: nodes of one class have the same tables.\n"
                 "  function automatic int node_class(input int node);\n"
                 "    logic [{0}*16-1:0] chunk;\n    chunk = '0;\n    case (node / {0})\n",
                 kChunkNodes);
  for (std::size_t first = 0; first < class_of_node.size(); first += kChunkNodes) {
    Literal chunk(kChunkNodes * 16);
    for (std::size_t i = first; i < std::min(first + kChunkNodes, class_of_node.size()); ++i) {
      chunk.set((i - first) * 16, class_of_node[i]);
    }
    fmt::format_to(std::back_inserter(text), "      {}: chunk = {};\n", first / kChunkNodes,
                   chunk.text());
  }
  fmt::format_to(std::back_inserter(text),
                 "      default: ;\n    endcase\n"
                 "    node_class = 32'(chunk[(node%{})*16+:16]);\n  endfunction\n\n",
                 kChunkNodes);

  write_class_function(text, "Bit p*Ports*Frame + q: in-port q feeds out-port p.", "feed",
                       "Ports*Frame*Ports*Frame", classes, &NodeClass::feed);
  write_class_function(text, "The same before the switch step.", "early_feed",
                       "Ports*Frame*Ports*Frame", classes, &NodeClass::early_feed);
  write_class_function(text, "Bits p*32 +: 32: first step of feed at out-port p; 0: no switch.",
                       "switch_step", "Ports*Frame*32", classes, &NodeClass::switch_step);
  write_class_function(text, "Bit p: out-port p has own packets.", "inject_mask", "Ports", classes,
                       &NodeClass::inject_mask);
  write_class_function(text, "Bits p*16 +: 16: number of own packets that out-port p sends.",
                       "preload_length", "Ports*Frame*16", classes, &NodeClass::preload_length);
  write_class_function(text, "Bits (p*PreloadMax + i)*16 +: 16: the i-th of them.", "preload",
                       "Ports*Frame*PreloadMax*16", classes, &NodeClass::preload);
  text += "endpackage\n";
  return text;
}

std::size_t preload_entries(const Plan& plan) {
  const StreamProgram* streams = stream_program(plan);
  return streams != nullptr ? longest_preload(*streams) : 1;
}

}  // namespace

void check_rtl_limits(const Plan& plan, std::string_view format) {
  check_expressible(plan, preload_entries(plan), format);
}

std::string shape_package(const Plan& plan) {
  // Not every top needs every size.
  return fmt::format(
      "/* verilator lint_off UNUSEDPARAM */\n{}endpackage\n"
      "/* verilator lint_on UNUSEDPARAM */\n",
      package_begin(plan, preload_entries(plan), ""));
}

std::vector<EmittedFile> emit_sv(const Plan& plan) {
  const std::size_t preload_max = preload_entries(plan);
  check_expressible(plan, preload_max, "sv");
  std::vector<EmittedFile> files{{"gsm_plan_pkg.sv", package_of(plan, preload_max)}};
  for (const EmbeddedFile& source : rtl_sources()) {
    files.push_back({std::string(source.name), std::string(source.contents)});
  }
  return files;
}

}  // namespace gossamer::emit_detail
