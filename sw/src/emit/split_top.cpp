// SPDX-License-Identifier: Apache-2.0
#include "split_top.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string_view>

#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// A port of data: its name before _i or _o, whether it is an input, its bits per node, the
/// distance of nodes in the testbench's vector, and the signal of a node inside the top.
struct DataPort {
  std::string_view name;
  bool input;
  std::string_view bits;
  std::string_view stride;
  std::string_view signal;

  [[nodiscard]] std::string port() const { return fmt::format("{}_{}", name, input ? "i" : "o"); }
};
constexpr std::array<DataPort, 3> kDataPorts{{
    {"own_data", true, "gsm_plan_pkg::OwnWords*Width", "gsm_plan_pkg::OwnStride*Width", ""},
    {"deliver_data", false,
     "gsm_plan_pkg::Delivers*(gsm_plan_pkg::DeliverWords*Width+gsm_plan_pkg::DeliverExtra)",
     "gsm_plan_pkg::Delivers*(gsm_plan_pkg::DeliverWords*Width+gsm_plan_pkg::DeliverExtra)",
     "deliver_data"},
    {"link_data", false,
     "gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)",
     "gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)", "data_shown"},
}};

/// Replaces `length` characters from the place of `mark` on.
void replace(std::string& text, std::string_view mark, std::size_t length, std::string_view by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw std::logic_error(fmt::format("no \"{}\" in a top", mark));
  text.replace(at, length, by);
}

/// Replaces the line with `mark`.
void replace_line(std::string& text, std::string_view mark, std::string_view by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw std::logic_error(fmt::format("no \"{}\" in a top", mark));
  const std::size_t begin = text.rfind('\n', at) + 1;
  text.replace(begin, text.find('\n', at) + 1 - begin, by);
}

}  // namespace

std::string split_top_text(std::string top, std::uint64_t nodes) {
  // By node, inside the top.
  std::string wires;
  for (const DataPort& port : kDataPorts) {
    std::string declared;
    append_format(wires, "  logic [{}-1:0] node_{}[Nodes];\n", port.bits, port.name);
    for (std::uint64_t node = 0; node < nodes; ++node) {
      const std::string outside = fmt::format("n{}_{}", node, port.port());
      const std::string inside = fmt::format("node_{}[{}]", port.name, node);
      append_format(declared, "    {} logic [{}-1:0] {},\n", port.input ? "input" : "output",
                    port.bits, outside);
      append_format(wires, "  assign {} = {};\n", port.input ? inside : outside,
                    port.input ? outside : inside);
    }
    replace_line(top, fmt::format("] {},", port.port()), declared);
    if (!port.input) {
      replace_line(top, fmt::format("        {}[Node*", port.port()), "");
      const std::string_view mark = "      logic clk;\n";
      replace(top, mark, 0,
              fmt::format("      assign node_{}[Node] = {};\n", port.name, port.signal));
    }
  }
  const std::string_view own = "own_data_i[Node*gsm_plan_pkg::OwnStride*Width+:OwnBits]";
  for (std::size_t at = top.find(own); at != std::string::npos; at = top.find(own, at)) {
    top.replace(at, own.size(), "node_own_data[Node]");
  }
  replace_line(top, "localparam int OwnBits", "");
  constexpr std::string_view kBody = "  // n*Ports + p: out-port p of node n.";
  replace(top, kBody, 0, "  // By node, its ports of data.\n" + wires);
  return top;
}

std::string split_testbench_text(std::string testbench, std::uint64_t nodes) {
  std::string wires;
  for (const DataPort& port : kDataPorts) {
    std::string pins;
    for (std::uint64_t node = 0; node < nodes; ++node) {
      const std::string slice =
          fmt::format("{}[{}*{}+:{}]", port.name, node, port.stride, port.bits);
      if (port.input) {
        append_format(pins, "      .n{}_{}({}),\n", node, port.port(), slice);
        continue;
      }
      // A process per node: Icarus rebuilds a vector whenever one of many drivers changes.
      append_format(pins, "      .n{0}_{1}(n{0}_{2}),\n", node, port.port(), port.name);
      append_format(wires, "  logic [{1}-1:0] n{0}_{2};\n  always @* {3} = n{0}_{2};\n", node,
                    port.bits, port.name, slice);
    }
    replace_line(testbench, fmt::format("      .{} ", port.port()), pins);
  }
  replace(testbench, "  gsm_fabric u_fabric (", 0, wires);
  return testbench;
}

}  // namespace gossamer::emit_detail
