// SPDX-License-Identifier: Apache-2.0
/// What the SystemVerilog packages and directories of all kinds of plans have in common.
///
/// A constant stays far below the 65536 bits that Verilator takes in one literal: the class numbers
/// of the nodes come in chunks, the tables by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/emit/emit.hpp"

namespace gossamer::emit_detail {

/// Nodes of the largest emitted network.
inline constexpr std::uint32_t kMaxRtlNodes = 65536;
/// Bits of the longest constant.
inline constexpr std::size_t kMaxLiteralBits = 65536;
/// Data bits of a packet or flit, unless a plan needs more.
inline constexpr int kDataBits = 32;

/// Bits of a field that holds 0 .. largest, at least 1.
[[nodiscard]] int field_bits(std::uint64_t largest);
/// A sized hexadecimal literal, built bit field by bit field.
class Literal {
 public:
  explicit Literal(std::size_t bits) : bits_(bits), nibbles_((bits + 3) / 4, 0) {}

  /// Ors `value` in at bit `lsb`; it has to fit.
  void set(std::size_t lsb, std::uint64_t value);
  [[nodiscard]] std::string text() const;

 private:
  std::size_t bits_;
  std::vector<std::uint8_t> nibbles_;
};

/// A named integer constant with its comment; without one it belongs to the constant before.
struct PackageConstant {
  std::string_view comment;
  std::string_view name;
  std::uint64_t value = 0;
};
/// The head of gsm_plan_pkg for the network `network`: what the plan is, and the constants.
[[nodiscard]] std::string package_head(const Plan& plan, std::string_view network,
                                       const std::vector<PackageConstant>& constants);
/// A package whose constants not every top needs.
[[nodiscard]] std::string without_unused_warnings(const std::string& package);
/// The function neighbor(node, port) of a package.
[[nodiscard]] std::string neighbor_function(const Topology& topology);
/// The function node_class(node) of a package.
[[nodiscard]] std::string node_class_function(const std::vector<std::size_t>& class_of_node);
/// The function `name` from a class to its literal of `range` bits.
[[nodiscard]] std::string class_function(std::string_view comment, std::string_view name,
                                         std::string_view range,
                                         const std::vector<std::string>& literals);

/// The function `name` from a number to an int.
[[nodiscard]] std::string int_function(std::string_view comment, std::string_view name,
                                       const std::vector<std::int64_t>& values);

/// A directory that simulates, lints and synthesizes without anything of ours.
struct NetworkFiles {
  /// The text of gsm_plan_pkg.sv.
  std::string package;
  /// Top module.
  std::string_view network;
  /// The testbench's module.
  std::string_view testbench;
  /// Macros for the testbench: " -DNAME=VALUE ..."; may be empty.
  std::string defines;
  /// The modules in the order in which tools have to read them, the top included.
  std::vector<std::string_view> modules;
};
/// Package, modules, testbench, file list and Makefile.
[[nodiscard]] std::vector<EmittedFile> network_files(const NetworkFiles& network);

/// Throws InputError when the plan has more nodes than one top.
void check_nodes(const Plan& plan, std::string_view format);
/// The planned number of `what` (steps, cycles); throws InputError unless it is 1 .. 2^30, which
/// the counters of the hardware hold.
[[nodiscard]] std::uint64_t planned_count(const std::optional<std::uint64_t>& count,
                                          std::string_view what, std::string_view format);

}  // namespace gossamer::emit_detail
