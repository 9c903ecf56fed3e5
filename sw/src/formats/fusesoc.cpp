// SPDX-License-Identifier: Apache-2.0
/// FuseSoC: a CAPI2 core file in addition to the files of the format sv.
#include <fmt/format.h>

#include <utility>

#include "formats.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

/// The name of a core: letters, digits, - and _.
std::string core_name(const Plan& plan) {
  std::string name = fmt::format("{}-{}-{}-{}", plan.collective, plan.algorithm,
                                 topology_name(plan.topology), plan.topology.dims_text());
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-') c = '_';
  }
  return name;
}

/// "      - name: {is_include_file: true}" and so on.
std::string file_list(const std::vector<EmittedFile>& files, bool testbench) {
  std::string text;
  for (const EmittedFile& file : files) {
    const std::string_view name = file.name;
    if (name.ends_with(".svh") && !testbench) {
      append_format(text, "      - {}: {{is_include_file: true}}\n", name);
    }
    if (name.ends_with(".sv") && name.ends_with("_tb.sv") == testbench) {
      append_format(text, "      - {}\n", name);
    }
    if (name.ends_with(".sdc") && !testbench) {
      append_format(text, "      - {}: {{file_type: SDC}}\n", name);
    }
    // The testbench reads it where it runs.
    if (name.ends_with("_expected.txt") && testbench) {
      append_format(text, "      - {0}: {{file_type: user, copyto: {0}}}\n", name);
    }
  }
  return text;
}

}  // namespace

std::vector<EmittedFile> emit_fusesoc(const Plan& plan, std::vector<EmittedFile> files) {
  const auto [plusarg, meaning] = run_facts(plan).stalls
                                      ? std::pair{"seed", "one message, with stalls of this seed"}
                                      : std::pair{"rounds", "rounds that the testbench runs"};
  std::string text = fmt::format(
      "CAPI=2:\n"
      "name: gossamer:network:{0}:1.0.0\n"
      "description: {1} network hardwired for one plan\n\n"
      "filesets:\n"
      "  rtl:\n    files:\n{2}    file_type: systemVerilogSource\n"
      "  tb:\n    files:\n{3}    file_type: systemVerilogSource\n\n"
      "parameters:\n"
      "  {4}:\n    datatype: int\n    description: {5}\n"
      "    paramtype: plusarg\n"
      "  trace:\n    datatype: str\n"
      "    description: file for the packets of the first round\n    paramtype: plusarg\n\n"
      "targets:\n"
      "  default: &default\n    filesets: [rtl]\n    toplevel: gsm_fabric\n"
      "  lint:\n    <<: *default\n    description: all warnings of Verilator\n"
      "    default_tool: verilator\n    tools:\n      verilator:\n        mode: lint-only\n"
      "        verilator_options: [-Wall, --assert, --unroll-count, \"70000\"]\n"
      "  sim:\n    description: self-checking testbench\n    default_tool: icarus\n"
      "    filesets: [rtl, tb]\n    toplevel: gsm_fabric_tb\n    parameters: [{4}, trace]\n"
      "    tools:\n      icarus:\n        iverilog_options: [-g2012]\n"
      "      verilator:\n        mode: binary\n"
      "        verilator_options: [--assert, -Wno-WIDTH, --unroll-count, \"70000\", "
      "--output-split, \"20000\", --output-split-cfuncs, \"500\"]\n"
      "  synth:\n    <<: *default\n    description: netlist by yosys\n    default_tool: yosys\n"
      "    tools:\n      yosys:\n        arch: ice40\n        output_format: json\n",
      core_name(plan), plan.topology.dims_text(), file_list(files, false), file_list(files, true),
      plusarg, meaning);
  files.push_back({"gossamer_network.core", std::move(text)});
  return files;
}

}  // namespace gossamer::emit_detail
