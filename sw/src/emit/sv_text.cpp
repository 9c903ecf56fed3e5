// SPDX-License-Identifier: Apache-2.0
#include "sv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>

#include "formats.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::emit_detail {

namespace {

constexpr std::size_t kChunkNodes = 64;

void replace_once(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the embedded text has changed");
  text.replace(at, from.size(), to);
}

}  // namespace

int field_bits(std::uint64_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(largest)));
}

void Literal::set(std::size_t lsb, std::uint64_t value) {
  for (std::size_t bit = lsb; value != 0; ++bit, value >>= 1U) {
    if ((value & 1U) != 0) {
      nibbles_.at(bit / 4) = static_cast<std::uint8_t>(nibbles_[bit / 4] | (1U << (bit % 4)));
    }
  }
}

std::string Literal::text() const {
  std::string digits;
  for (std::size_t i = nibbles_.size(); i-- > 0;) digits += "0123456789abcdef"[nibbles_[i]];
  return fmt::format("{}'h{}", bits_, digits);
}

std::string package_head(const Plan& plan, std::string_view network,
                         const std::vector<PackageConstant>& constants) {
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n\n"
      "// {} on the {} {}, algorithm {}: the constants of {}.\n"
      "package gsm_plan_pkg;\n\n",
      plan.collective, plan.topology.dims_text(), plan.topology.kind(),
      comment_text(plan.algorithm), network);
  for (const PackageConstant& constant : constants) {
    if (!constant.comment.empty()) {
      fmt::format_to(std::back_inserter(text), "  // {}\n", constant.comment);
    }
    fmt::format_to(std::back_inserter(text), "  localparam int {} = {};\n", constant.name,
                   constant.value);
  }
  return text;
}

std::string without_unused_warnings(const std::string& package) {
  const std::size_t line = package.find('\n') + 1;
  return package.substr(0, line) + "/* verilator lint_off UNUSEDPARAM */\n" + package.substr(line) +
         "/* verilator lint_on UNUSEDPARAM */\n";
}

std::string neighbor_function(const Topology& topology) {
  std::string text =
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

std::string node_class_function(const std::vector<std::size_t>& class_of_node) {
  std::string text = fmt::format(
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
  return text;
}

std::string class_function(std::string_view comment, std::string_view name, std::string_view range,
                           const std::vector<std::string>& literals) {
  std::string text = fmt::format(
      "  // {}\n  function automatic logic [{}-1:0] {}(input int index);\n"
      "    {} = '0;\n    case (index)\n",
      comment, range, name, name);
  for (std::size_t i = 0; i < literals.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "      {}: {} = {};\n", i, name, literals[i]);
  }
  text += "      default: ;\n    endcase\n  endfunction\n\n";
  return text;
}

std::string int_function(std::string_view comment, std::string_view name,
                         const std::vector<std::int64_t>& values) {
  std::string text = fmt::format(
      "  // {}\n  function automatic int {}(input int index);\n    {} = 0;\n    case (index)\n",
      comment, name, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    fmt::format_to(std::back_inserter(text), "      {}: {} = {};\n", i, name, values[i]);
  }
  text += "      default: ;\n    endcase\n  endfunction\n\n";
  return text;
}

std::vector<EmittedFile> network_files(const NetworkFiles& network) {
  std::vector<EmittedFile> files{{"gsm_plan_pkg.sv", network.package},
                                 embedded_file("gsm_assert.svh")};
  std::string list = "+incdir+.\ngsm_plan_pkg.sv\n";
  for (const std::string_view module : network.modules) {
    files.push_back(embedded_file(fmt::format("{}.sv", module)));
    fmt::format_to(std::back_inserter(list), "{}.sv\n", module);
  }
  files.push_back(embedded_file(fmt::format("{}.sv", network.testbench)));
  files.push_back({"gsm_network.f", std::move(list)});
  EmittedFile makefile = embedded_file("Makefile");
  replace_once(makefile.contents, "NETWORK = gsm_network\n",
               fmt::format("NETWORK = {}\n", network.network));
  replace_once(makefile.contents, "TESTBENCH = gsm_network_tb\n",
               fmt::format("TESTBENCH = {}\n", network.testbench));
  replace_once(makefile.contents, "DEFINES =\n", fmt::format("DEFINES ={}\n", network.defines));
  files.push_back(std::move(makefile));
  return files;
}

void check_nodes(const Plan& plan, std::string_view format) {
  if (plan.topology.nodes() <= kMaxRtlNodes) return;
  throw InputError(fmt::format("format {}: {} nodes; one RTL top has at most {}", format,
                               plan.topology.nodes(), kMaxRtlNodes));
}

std::uint64_t planned_count(const std::optional<std::uint64_t>& count, std::string_view what,
                            std::string_view format) {
  if (!count || *count == 0 || *count > (1U << 30U)) {
    throw InputError(
        fmt::format("format {}: the plan names no number of {} between 1 and 2^30", format, what));
  }
  return *count;
}

}  // namespace gossamer::emit_detail
