// SPDX-License-Identifier: Apache-2.0
/// Shared parts of the SystemVerilog packages and directories of all kinds of plans.
///
/// A constant stays far below the 65536 bits that Verilator takes in one literal: the class numbers
/// of the nodes are in chunks, the tables by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/emit/emit.hpp"
#include "gossamer/sim/lane_words.hpp"

namespace gossamer::emit_detail {

/// A source file that is the same for all plans, embedded at build time.
struct EmbeddedFile {
  std::string_view name;
  std::string_view contents;
};
/// One of them by its name: RTL modules, testbenches, Makefiles.
[[nodiscard]] EmittedFile embedded_file(std::string_view name);
/// The file is one of them as it is: the same for all plans.
[[nodiscard]] bool is_embedded(const EmittedFile& file);

/// Nodes of the largest emitted network.
inline constexpr std::uint32_t kMaxRtlNodes = 65536;
/// Bits of the longest constant, and of the widest port: more no tool has to take (IEEE 1800-2017,
/// 6.9.1).
inline constexpr std::size_t kMaxLiteralBits = 65536;
inline constexpr std::uint64_t kMaxPortBits = 65536;
/// Data bits of a packet or flit, unless a plan needs more.
inline constexpr int kDataBits = 32;

/// Flags of a tile that waits for its neighbours.
inline constexpr std::uint64_t kWaitFlags = 5;

/// Bits of a field that holds 0 .. largest, at least 1.
[[nodiscard]] int field_bits(std::uint64_t largest);
/// A sized hexadecimal literal, built bit field by bit field.
class Literal {
 public:
  explicit Literal(std::size_t bits) : bits_(bits), nibbles_((bits + 3) / 4, 0) {}

  /// Ors `value` in at bit `lsb`; it has to fit.
  void set(std::size_t lsb, std::uint64_t value);
  /// Bits [first, behind) are 1.
  void fill(std::size_t first, std::size_t behind);
  [[nodiscard]] std::string text() const;
  /// Without size and base.
  [[nodiscard]] std::string digits() const;

 private:
  std::size_t bits_;
  std::vector<std::uint8_t> nibbles_;
};

/// Sets the bits of a link with this value, from bit `lsb` on.
void put_value(Literal& literal, std::size_t lsb, const LaneWords& words, std::uint64_t value);

/// Between the words of a packet's data in testbenches, which begin with the packet's number.
inline constexpr std::uint64_t kFlitStride = 0x9e37'79b1;

/// Cycles of the steps of a network whose tiles make a step a cycle (gsm_serial_steps), and the
/// words that its packets are cut into.
struct StepClock {
  /// Words of a packet, one per cycle of its steps.
  std::uint64_t words = 1;
  /// The first steps, cycles of each, and those of the others.
  std::uint64_t prefix_steps = 0;
  std::uint64_t prefix_cycles = 1;
  std::uint64_t cycles = 1;

  /// Some steps last several cycles.
  [[nodiscard]] bool serial() const {
    return cycles != 1 || (prefix_steps != 0 && prefix_cycles != 1);
  }
  /// The last cycle of a step, from 1; 0 of step 0.
  [[nodiscard]] std::uint64_t last_cycle(std::uint64_t step) const {
    return step <= prefix_steps ? step * prefix_cycles
                                : prefix_steps * prefix_cycles + (step - prefix_steps) * cycles;
  }
  /// A packet's data in testbenches: its number, and in the words above it other numbers, `width`
  /// bits each. As one number in hexadecimal digits, with its words added to a list, and as a mask.
  [[nodiscard]] std::string data(std::uint64_t packet, std::size_t width) const;
  void list(std::vector<std::string>& own, std::uint64_t packet, std::size_t width) const;
  [[nodiscard]] std::string mask(std::size_t width) const;
  /// The digits of one word, for each of a packet's.
  [[nodiscard]] std::string each_word(std::string_view digits) const;
  /// Sets the data in a literal, from its lowest bit or bit `lsb` on.
  void set(Literal& literal, std::uint64_t packet, std::size_t width, std::size_t lsb = 0) const;
};

/// The element side of a plan's tiles: own words and results on flat ports, or as streams.
enum class ElementSide : std::uint8_t { kFlat, kStreams };

/// A named integer constant with its comment; without one it belongs to the constant before.
struct PackageConstant {
  std::string_view comment;
  std::string_view name;
  std::uint64_t value = 0;
};
/// The fabric's parameters for a plan's tiles, in words of `width` bits.
struct FabricShape {
  /// Data bits of a packet or flit.
  std::uint64_t width = kDataBits;
  /// Own words of a tile, the distance between those of neighbouring numbers (0: all tiles see the
  /// same), and those of the network.
  std::uint64_t own_words = 1;
  std::uint64_t own_stride = 1;
  std::uint64_t own_total = 1;
  /// Words of a packet on a link; own words and deliveries have this many times more words.
  std::uint64_t serial_words = 1;
  /// Words of a link, and additional bits.
  std::uint64_t link_words = 1;
  std::uint64_t link_extra = 0;
  /// Deliveries of a tile, and the words and bits more of each.
  std::uint64_t delivers = 1;
  std::uint64_t deliver_words = 1;
  std::uint64_t deliver_extra = 0;
  /// Words of a tile that are loaded one by one, as words of its table, instead of own words.
  std::uint64_t load_words = 0;
  /// Cycles of the first round after reset, in which tiles find their ranks; 0: ranks are
  /// constants.
  std::uint64_t learn_cycles = 0;
  /// Bits of a word of the loadable tables; 1: no such table.
  std::uint64_t table_bits = 1;
  /// Faults are loaded with the tables instead of being constants.
  bool loads_faults = false;
  /// Cycles from an out register to the neighbour, that register included: of every link, or by
  /// link slot.
  std::uint64_t latency = 1;
  std::vector<std::uint32_t> latencies{};
  /// Links take these cycles for each word, instead of delaying it.
  bool slow_links = false;
  /// Flits of a packet and of a chunk, and the bits of a slot and of a flit's number in a delivery;
  /// 1 where not applicable.
  std::uint64_t packet_flits = 1;
  std::uint64_t chunk_flits = 1;
  std::uint64_t slot_bits = 1;
  std::uint64_t flit_bits = 1;
  /// Tiles wait for each other by valid and ready.
  bool waits = false;
  /// Tiles take own words from `own_words` streams, by numbers of `index_bits` bits; own_stride and
  /// own_total then count the words themselves. The top is wired from tiles, with ports per node.
  bool streams = false;
  /// Elements may have the next word some cycles after its number (the parameter Ahead).
  bool ahead = false;
  std::uint64_t index_bits = 1;
  /// Deliveries have numbers: those of their packets.
  bool indexed = false;
  /// By ring, the coordinate that each node reads; empty: its own coordinates.
  std::vector<std::vector<std::uint32_t>> places{};
};
/// No port of the flat fabric is wider than kMaxPortBits.
[[nodiscard]] bool fits_flat_top(const Topology& topology, const FabricShape& shape);
/// Data bits of a packet or flit of a plan that copies: those of its links, or kDataBits.
[[nodiscard]] std::uint64_t data_bits(const Plan& plan);
/// The same where the testbench needs `numbers` packet numbers. A plan without link bits gets half
/// of kDataBits if only then the port of the network's `words` own words has a legal width.
[[nodiscard]] std::uint64_t packet_bits(const Plan& plan, std::uint64_t words,
                                        std::uint64_t numbers);
/// The package gsm_plan_pkg without its end: a description of the plan, the fabric's constants and
/// functions, and the constants of the tiles. Throws InputError when a port of the fabric, with
/// data ports per node, would be wider than kMaxPortBits.
[[nodiscard]] std::string fabric_package(const Plan& plan, const FabricShape& shape,
                                         const std::vector<PackageConstant>& constants);
/// The function node_class(node) of a package.
[[nodiscard]] std::string node_class_function(const std::vector<std::size_t>& class_of_node);
/// The function `name` from an index to a number below 65536.
[[nodiscard]] std::string number_function(std::string_view comment, std::string_view name,
                                          const std::vector<std::uint32_t>& numbers);
/// The function `name` from a class to its literal of `range` bits.
[[nodiscard]] std::string class_function(std::string_view comment, std::string_view name,
                                         std::string_view range,
                                         const std::vector<std::string>& literals);

/// The function `name` from a class to an int.
[[nodiscard]] std::string int_function(std::string_view comment, std::string_view name,
                                       const std::vector<std::string>& values);

/// The module gsm_tile: the library node at a place, and its configuration.
struct TileText {
  /// The library's module.
  std::string_view node;
  /// Its parameters and their values, expressions over Width and Class.
  std::vector<std::pair<std::string_view, std::string>> parameters;
  /// The tile's inputs that the node has not, a concatenation; may be empty.
  std::string_view unused;
  /// A node that waits by valid and ready; others have rounds.
  bool waits = false;
  /// Its constant inputs that differ from node to node, and their values; as parameters they would
  /// make another module of each node.
  std::vector<std::pair<std::string_view, std::string>> constants = {};
  /// Its outputs that the tile has not, and their bits.
  std::vector<std::pair<std::string_view, std::string>> outputs = {};

  /// Parameters whose values are the package's constants of the same names.
  void take_constants(std::initializer_list<std::string_view> names);
  /// The node could have streams, but the tile has flat ports: connects the streams' ports, which
  /// are those of so many own words and deliveries, with numbers of `index_bits`.
  void leave_out_streams(std::size_t own, std::size_t deliveries, std::size_t index_bits);
  /// The parameters as connections of an instance, a line each; that of Width is `width`.
  [[nodiscard]] std::string parameter_lines(std::string_view width = "Width") const;
  /// The constant inputs, a line each, which ends with a comma.
  [[nodiscard]] std::string constant_lines() const;
};

/// The file gsm_tile.sv: "The tile of gsm_fabric: `what`.", its ports, and then `body`.
[[nodiscard]] std::string tile_text(std::string_view what, std::string_view body);

/// A directory that simulates, lints and synthesizes without anything of ours.
struct NetworkFiles {
  /// The text of gsm_plan_pkg.sv, with or without its end.
  std::string package;
  TileText tile;
  /// The library's modules in the order in which tools have to read them.
  std::vector<std::string_view> modules;
  /// The testbench's expected run; nullopt: the network is too large for a testbench.
  std::optional<std::string> expected;
  StepClock clock{};
  /// Files that are read before the tile, and gsm_tile.sv where it is not made of `tile`.
  std::vector<EmittedFile> parts{};
  std::string tile_text{};
  /// gsm_fabric.sv, and its instance in the testbench, where they are not those of the library.
  std::string top_text{};
  std::string instance_text{};
  /// A testbench without a list of expected words, where that of all plans does not fit.
  std::string testbench_text{};
};
/// Package and tile of a network, built together: each addition is a constant of gsm_plan_pkg and
/// the parameter of the tile's node that takes it. Nodes with equal values share a class.
class NetworkBuilder {
 public:
  /// `node`: the library's module. The plan must outlive the object.
  NetworkBuilder(const Plan& plan, std::string_view node);

  /// The node's parameter Router, a name of up to `letters` letters.
  void configuration(std::string_view name, int letters);
  /// An int of the package alone.
  void constant(std::string_view comment, std::string_view name, std::uint64_t value) {
    constants_.push_back({comment, name, value});
  }
  /// A parameter alone.
  void parameter(std::string_view name, std::string value) {
    network_.tile.parameters.emplace_back(name, std::move(value));
  }
  /// An int; a bit; a literal of `range` bits. Parameter and constant have the same name.
  void number(std::string_view comment, std::string_view name, std::uint64_t value);
  void flag(std::string_view comment, std::string_view name, bool value);
  void literal(std::string_view comment, std::string_view name, std::string_view range,
               const Literal& value);
  /// By node, a literal of `range` bits or an int; `name` is the package's function.
  void of_nodes(std::string_view comment, std::string_view parameter, std::string_view name,
                std::string_view range, const std::function<Literal(NodeId)>& value);
  void of_nodes(std::string_view comment, std::string_view parameter, std::string_view name,
                const std::function<std::uint64_t(NodeId)>& value);
  /// A literal for an input of the node: as a parameter it would make another module of each node.
  void input_of_nodes(std::string_view comment, std::string_view input, std::string_view name,
                      std::string_view range, const std::function<Literal(NodeId)>& value);
  [[nodiscard]] TileText& tile() { return network_.tile; }
  void input(std::string_view name, std::string value) {
    network_.tile.constants.emplace_back(name, std::move(value));
  }

  /// The files without an expected run. `unused`: inputs of the tile that the node does not have.
  [[nodiscard]] NetworkFiles finish(const FabricShape& shape, std::string_view unused,
                                    std::vector<std::string_view> modules);

 private:
  struct OfNodes {
    std::string_view comment;
    std::string_view name;
    /// Empty: ints.
    std::string range;
    /// All values, and the value of each node.
    std::set<std::string> values;
    std::vector<const std::string*> of_node;
  };
  void add_of_nodes(std::string_view comment, std::string_view name, std::string_view range,
                    const std::function<std::string(NodeId)>& value);

  const Plan* plan_;
  NetworkFiles network_;
  std::vector<PackageConstant> constants_;
  std::string literals_;
  std::deque<OfNodes> of_nodes_;
};
/// Package, modules, tile, fabric, testbench, file list and Makefile.
[[nodiscard]] std::vector<EmittedFile> network_files(const NetworkFiles& network);

/// A reduction's operation and lanes, as gsm_combine numbers them.
[[nodiscard]] std::uint64_t combine_operation(const Plan& plan);
/// Registers inside an adder of `cycles`: floats that are added have up to 4, and others only after
/// the adder.
[[nodiscard]] std::uint32_t inner_stages(const Plan& plan, std::uint32_t cycles);
/// The modules that combine the plan's words, and after them `others`.
[[nodiscard]] std::vector<std::string_view> with_combine(const Plan& plan,
                                                         std::vector<std::string_view> others);

/// Throws InputError when the plan has more nodes than one top.
void check_nodes(const Plan& plan, std::string_view format);
/// The planned number of `what` (steps, cycles); throws InputError unless it is 1 .. 2^30, the
/// range of the hardware's counters.
[[nodiscard]] std::uint64_t planned_count(const std::optional<std::uint64_t>& count,
                                          std::string_view what, std::string_view format);

}  // namespace gossamer::emit_detail
