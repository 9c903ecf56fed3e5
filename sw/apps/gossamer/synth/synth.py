# SPDX-License-Identifier: Apache-2.0
"""synth.py WIDTH SEED: measures the files of the format sv in the current directory.

Every router class of gsm_plan_pkg alone, with its network interface, and the whole network when it
is small, by yosys and nextpnr-ice40; result.json gets the numbers. Exit status 2 with a line on
standard error when a tool is missing.
"""
import json
import os
import re
import shutil
import subprocess
import sys

WIDTH, SEED = int(sys.argv[1]), sys.argv[2]
# Classes beyond the most frequent ones are counted and left out.
MAX_CLASSES = 8
# Register bits of the out-ports of a network that nextpnr gets to place.
MAX_BITS = 1200
DEVICE = "hx8k"

for tool in ("yosys", "nextpnr-ice40"):
    if shutil.which(tool) is None:
        sys.exit(f"gossamer: synth: {tool} is not installed; scripts/setup does that")

with open("gsm_network.f", encoding="ascii") as file:
    SOURCES = [line.strip() for line in file if line.strip().endswith(".sv")]
with open("gsm_plan_pkg.sv", encoding="ascii") as file:
    PACKAGE = file.read()


def constant(name):
    return int(re.search(rf"localparam int {name} = (\d+);", PACKAGE).group(1))


NODES, PORTS, PACKETS = constant("Nodes"), constant("Ports"), constant("Packets")
if constant("Slots") != 0:
    sys.exit("gossamer: synth: measures stream routers; this plan has a schedule")


def class_counts():
    """Nodes of each class, from the chunks of node_class."""
    counts = {}
    chunks = re.findall(r"\d+: chunk = \d+'h([0-9a-f]+);", PACKAGE)
    for number, chunk in enumerate(chunks):
        value = int(chunk, 16)
        for i in range(min(64, NODES - 64 * number)):
            at = value >> 16 * i & 0xFFFF
            counts[at] = counts.get(at, 0) + 1
    return counts


def run(script, log):
    result = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit("gossamer: synth: yosys: " + (result.stderr.strip() or result.stdout).splitlines()[-1])
    with open(log, encoding="ascii") as file:
        return file.read()


def cells(stat):
    """Cell types of the last statistics."""
    return {name: int(count) for name, count in
            re.findall(r"^\s+(\$?\w+)\s+(\d+)$", stat.split("Number of cells:")[-1], re.M)}


def read(top):
    sources = " ".join(SOURCES if top == "network" else
                       [name for name in SOURCES if name != "gsm_network.sv"])
    return f"read_verilog -sv -I. {sources} {top}.sv; hierarchy -check -top {top}; "


def area(top):
    """Generic cells and what an iCE40 needs, of a module as it is."""
    generic = cells(run(read(top) + "synth -flatten; abc; opt_clean; tee -o stat.log stat", "stat.log"))
    ice = cells(run(read(top) + "synth_ice40 -dff; tee -o stat.log stat", "stat.log"))
    return {
        "cells": sum(generic.values()),
        "flip_flops": sum(n for name, n in generic.items() if "DFF" in name),
        "lut4": ice.get("SB_LUT4", 0),
        "ice40_flip_flops": sum(n for name, n in ice.items() if name.startswith("SB_DFF")),
    }


def fmax(top):
    """Megahertz after place and route; None when it does not fit."""
    run(read(top) + f"synth_ice40 -json {top}.json; tee -o stat.log stat", "stat.log")
    result = subprocess.run(
        ["nextpnr-ice40", f"--{DEVICE}", "--package", "ct256", "--json", f"{top}.json",
         "--pcf-allow-unconstrained", "--freq", "200", "--timing-allow-fail", "--seed", SEED],
        capture_output=True, text=True)
    found = re.findall(r"Max frequency for clock[^:]*: ([\d.]+) MHz", result.stderr)
    return float(found[-1]) if result.returncode == 0 and found else None


ROUTER_PORTS = f"""    input  logic clk_i, input logic rst_ni, input logic clear_i,
    input  logic [{PORTS}-1:0] in_valid_i, input logic [{PORTS * WIDTH}-1:0] in_data_i,
    output logic [{PORTS}-1:0] out_valid_o, output logic [{PORTS * WIDTH}-1:0] out_data_o,
    output logic error_o"""


def router(name, number):
    return f"""gsm_router #(.Ports({PORTS}), .Width({WIDTH}), .Depth(gsm_plan_pkg::Depth),
    .Frame(gsm_plan_pkg::Frame), .Feed(gsm_plan_pkg::feed({number})),
    .EarlyFeed(gsm_plan_pkg::early_feed({number})),
    .SwitchStep(gsm_plan_pkg::switch_step({number})),
    .InjectMask(gsm_plan_pkg::inject_mask({number}))) {name}"""


def write_router(number):
    with open("router.sv", "w", encoding="ascii") as file:
        file.write(f"""module router (
{ROUTER_PORTS},
    input  logic [{PORTS}-1:0] inject_valid_i, input logic [{PORTS * WIDTH}-1:0] inject_data_i
);
  {router("u_router", number)} (.*);
endmodule
""")


def write_forwarding(number):
    """The router as a node of the network sees it between its own packets: nothing injected."""
    with open("forwarding.sv", "w", encoding="ascii") as file:
        file.write(f"""module forwarding (
{ROUTER_PORTS}
);
  {router("u_router", number)} (.inject_valid_i('0), .inject_data_i('0), .*);
endmodule
""")


def write_node(number):
    """Router and network interface, as gsm_network joins them."""
    with open("node.sv", "w", encoding="ascii") as file:
        file.write(f"""module node (
{ROUTER_PORTS},
    input  logic start_i, input logic [{PACKETS * WIDTH}-1:0] own_data_i,
    output logic [{PORTS}-1:0] deliver_valid_o, output logic [{PORTS * WIDTH}-1:0] deliver_data_o,
    output logic busy_o, output logic done_o
);
  logic [{PORTS}-1:0] inject_valid;
  logic [{PORTS * WIDTH}-1:0] inject_data;
  logic last;
  {router("u_router", number)} (
      .clear_i(clear_i || last || !(start_i || busy_o)), .inject_valid_i(inject_valid),
      .inject_data_i(inject_data), .*);
  gsm_network_interface #(.Ports({PORTS}), .Width({WIDTH}), .Packets({PACKETS}),
      .Steps(gsm_plan_pkg::Steps), .Frame(gsm_plan_pkg::Frame),
      .PreloadMax(gsm_plan_pkg::PreloadMax),
      .PreloadLength(gsm_plan_pkg::preload_length({number})),
      .Preload(gsm_plan_pkg::preload({number}))) u_interface (
      .inject_valid_o(inject_valid), .inject_data_o(inject_data), .last_o(last), .*);
endmodule
""")


def write_timed():
    """The node between shift registers, so that a few pins do and nothing but the node is slow."""
    inputs = 2 + PORTS * (1 + WIDTH) + PACKETS * WIDTH
    outputs = 2 * PORTS * (1 + WIDTH) + 3
    with open("timed.sv", "w", encoding="ascii") as file:
        with open("node.sv", encoding="ascii") as node:
            file.write(node.read())
        file.write(f"""module timed (input logic clk_i, input logic rst_ni, input logic in_i,
              input logic load_i, output logic out_o);
  logic [{inputs}-1:0] in_q;
  logic [{outputs}-1:0] out_q;
  logic [{outputs}-1:0] out;
  always_ff @(posedge clk_i) begin
    in_q  <= {{in_q[{inputs}-2:0], in_i}};
    out_q <= load_i ? out : {{out_q[{outputs}-2:0], 1'b0}};
  end
  assign out_o = out_q[{outputs}-1];
  node u_node (.clk_i(clk_i), .rst_ni(rst_ni), .clear_i(in_q[0]), .start_i(in_q[1]),
      .in_valid_i(in_q[2+:{PORTS}]), .in_data_i(in_q[{2 + PORTS}+:{PORTS * WIDTH}]),
      .own_data_i(in_q[{2 + PORTS * (1 + WIDTH)}+:{PACKETS * WIDTH}]),
      .out_valid_o(out[0+:{PORTS}]), .out_data_o(out[{PORTS}+:{PORTS * WIDTH}]),
      .deliver_valid_o(out[{PORTS * (1 + WIDTH)}+:{PORTS}]),
      .deliver_data_o(out[{PORTS * (2 + WIDTH)}+:{PORTS * WIDTH}]),
      .error_o(out[{outputs - 3}]), .busy_o(out[{outputs - 2}]), .done_o(out[{outputs - 1}]));
endmodule
""")


def write_network():
    """The network with a shift register for the own packets and a pipelined parity of all that is
    delivered: nothing can be left out, and no path is longer than one table."""
    with open("network.sv", "w", encoding="ascii") as file:
        levels, bits = [], NODES * PORTS * (1 + WIDTH)
        text = f"  logic [{bits}-1:0] level0;\n  assign level0 = {{deliver_valid, deliver_data}};\n"
        while bits > 1:
            groups = (bits + 3) // 4
            at = len(levels)
            text += f"  logic [{groups}-1:0] level{at + 1};\n  always_ff @(posedge clk_i) begin\n"
            for i in range(groups):
                width = min(4, bits - 4 * i)
                text += f"    level{at + 1}[{i}] <= ^level{at}[{4 * i}+:{width}];\n"
            text += "  end\n"
            levels.append(groups)
            bits = groups
        own = NODES * PACKETS * WIDTH
        file.write(f"""module network (input logic clk_i, input logic rst_ni, input logic clear_i,
    input logic start_i, input logic in_i, output logic parity_o, output logic busy_o,
    output logic done_o, output logic error_o);
  logic [{own}-1:0] own_q;
  always_ff @(posedge clk_i) own_q <= {{own_q[{own}-2:0], in_i}};
  logic [{NODES * PORTS}-1:0] deliver_valid;
  logic [{NODES * PORTS * WIDTH}-1:0] deliver_data;
  gsm_network #(.Width({WIDTH})) u_network (
      .own_data_i(own_q), .deliver_valid_o(deliver_valid), .deliver_data_o(deliver_data), .*);
{text}  assign parity_o = level{len(levels)}[0];
endmodule
""")


result = {"width": WIDTH, "device": DEVICE, "nodes": NODES, "ports": PORTS, "classes": [],
          "classes_left_out": 0, "network": None}
counts = class_counts()


def parameters(number):
    """What the router of a class is told; classes may differ in their own packets alone."""
    return tuple(re.search(rf"^\s+{number}: {name} = (.*);", PACKAGE, re.M).group(1)
                 for name in ("feed", "early_feed", "switch_step", "inject_mask"))


routers = {}
ranked = sorted(counts, key=lambda number: (-counts[number], number))
result["classes_left_out"] = max(0, len(ranked) - MAX_CLASSES)
for number in ranked[:MAX_CLASSES]:
    told = parameters(number)
    if told not in routers:
        write_forwarding(number)
        write_router(number)
        routers[told] = {"forwarding": area("forwarding"), "router": area("router")}
    write_node(number)
    write_timed()
    entry = {"class": number, "nodes": counts[number], **routers[told],
             "with_interface": area("node"), "fmax_mhz": fmax("timed")}
    result["classes"].append(entry)
if NODES * PORTS * (1 + WIDTH) <= MAX_BITS:
    write_network()
    network = area("network")
    network["fmax_mhz"] = fmax("network")
    result["network"] = network
with open("result.json", "w", encoding="ascii") as file:
    json.dump(result, file)
