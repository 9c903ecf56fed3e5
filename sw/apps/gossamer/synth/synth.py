# SPDX-License-Identifier: Apache-2.0
"""synth.py WIDTH SEED: measures the files of the format sv in the current directory.

Every router class of gsm_plan_pkg alone, with its network interface or message memory, and the whole
network when it is small, by yosys and nextpnr-ice40; result.json gets the numbers. Exit status 2 with a line on
standard error when a tool is missing.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys

WIDTH, SEED = int(sys.argv[1]), sys.argv[2]
# Classes beyond the most frequent ones are counted and left out.
MAX_CLASSES = 8
# Register bits of the out-ports of a network that nextpnr gets to place.
MAX_BITS = 1200
DEVICE = "hx8k"
LIBC = ctypes.CDLL(None)

for tool in ("yosys", "nextpnr-ice40"):
    if shutil.which(tool) is None:
        sys.exit(f"gossamer: synth: {tool} is not installed; run scripts/setup tests")

with open("gsm_fabric.f", encoding="ascii") as file:
    SOURCES = [line.strip() for line in file if line.strip().endswith(".sv")]
with open("gsm_plan_pkg.sv", encoding="ascii") as file:
    PACKAGE = file.read()


def constant(name):
    return int(re.search(rf"localparam int {name} = (\d+);", PACKAGE).group(1))


NODES, PORTS = constant("Nodes"), constant("Ports")
RELAYS = "localparam int Flits = " in PACKAGE
# Reductions have words.
REDUCES = "localparam int Words = " in PACKAGE
if constant("Elastic"):
    sys.exit("gossamer: synth: measures stream and relay routers; this plan is elastic")
if "localparam int Slots = " in PACKAGE:
    sys.exit("gossamer: synth: measures stream and relay routers; this plan has a schedule")
if "gsm_queued_node.sv" in SOURCES:
    sys.exit("gossamer: synth: measures stream and relay routers; this plan has queues")


def node_classes():
    """The class of each node, from the chunks of node_class."""
    classes = []
    for chunk in re.findall(r"\d+: chunk = \d+'h([0-9a-f]+);", PACKAGE):
        value = int(chunk, 16)
        classes += [value >> 16 * i & 0xFFFF for i in range(64)]
    return classes[:NODES]


def run_tool(arguments):
    """Runs a tool that ends when this script does, killed or not: Linux, PR_SET_PDEATHSIG. Its temporary files are in
    the folder that gossamer removes."""
    return subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "TMPDIR": os.getcwd()},
                          preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL))


def run(script, log):
    result = run_tool(["yosys", "-q", "-p", script])
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
                       [name for name in SOURCES
                        if name != "gsm_fabric.sv"])
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
    result = run_tool(
        ["nextpnr-ice40", f"--{DEVICE}", "--package", "ct256", "--json", f"{top}.json",
         "--pcf-allow-unconstrained", "--freq", "200", "--timing-allow-fail", "--seed", SEED])
    found = re.findall(r"Max frequency for clock[^:]*: ([\d.]+) MHz", result.stderr)
    return float(found[-1]) if result.returncode == 0 and found else None


def write_module(name, inputs, outputs, body):
    """A module with clock and reset; inputs and outputs: pairs of name and bits."""
    ports = ["input logic clk_i", "input logic rst_ni"]
    ports += [f"input logic [{bits}-1:0] {port}" for port, bits in inputs]
    ports += [f"output logic [{bits}-1:0] {port}" for port, bits in outputs]
    with open(f"{name}.sv", "w", encoding="ascii") as file:
        file.write(f"module {name} (\n    " + ",\n    ".join(ports) + f"\n);\n{body}endmodule\n")


def write_timed(inputs, outputs):
    """The module node between shift registers, so that a few pins do and nothing but the node is
    slow."""
    def connect(ports, vector):
        at, text = 0, ""
        for port, bits in ports:
            text += f"      .{port}({vector}[{at}+:{bits}]),\n"
            at += bits
        return text, at
    into, in_bits = connect(inputs, "in_q")
    out_of, out_bits = connect(outputs, "out")
    with open("timed.sv", "w", encoding="ascii") as file:
        with open("node.sv", encoding="ascii") as node:
            file.write(node.read())
        file.write(f"""module timed (input logic clk_i, input logic rst_ni, input logic in_i,
              input logic load_i, output logic out_o);
  logic [{in_bits}-1:0] in_q;
  logic [{out_bits}-1:0] out_q;
  logic [{out_bits}-1:0] out;
  always_ff @(posedge clk_i) begin
    in_q  <= {{in_q[{in_bits}-2:0], in_i}};
    out_q <= load_i ? out : {{out_q[{out_bits}-2:0], 1'b0}};
  end
  assign out_o = out_q[{out_bits}-1];
  node u_node (
{into}{out_of}      .clk_i(clk_i), .rst_ni(rst_ni));
endmodule
""")


# Tied off at a tile and at the fabric: the network has constant tables.
# Rounds have no handshakes.
ROUNDS_OPEN = """.own_valid_i('0), .own_ready_o(), .own_last_i('0), .deliver_ready_i('0), .flags_o()"""
TILE_OPEN = f""".coordinates_i('0), .table_write_i('0), .table_data_i('0), .last_o(),
      {ROUNDS_OPEN}, .in_ready_o(), .out_ready_i('0)"""
FABRIC_OPEN = f""".table_write_i('0), .table_address_i('0), .table_data_i('0), .link_valid_o(),
      .link_data_o(), {ROUNDS_OPEN}, .link_open_i('0), .node_clk_i('0), .node_rst_ni('0)"""


def write_network(own_bits, delivered):
    """The network with a shift register for the own data and a pipelined parity of all that is
    delivered: nothing can be left out, and no path is longer than one table."""
    bits = sum(width for _, width in delivered)
    text = "".join(f"  logic [{width}-1:0] {port};\n" for port, width in delivered)
    text += f"  logic [{bits}-1:0] level0;\n  assign level0 = {{"
    text += ", ".join(port for port, _ in delivered) + "};\n"
    level = 0
    while bits > 1:
        groups = (bits + 3) // 4
        text += f"  logic [{groups}-1:0] level{level + 1};\n  always_ff @(posedge clk_i) begin\n"
        for i in range(groups):
            width = min(4, bits - 4 * i)
            text += f"    level{level + 1}[{i}] <= ^level{level}[{4 * i}+:{width}];\n"
        text += "  end\n"
        level += 1
        bits = groups
    write_module("network", [("clear_i", 1), ("start_i", 1), ("in_i", 1)],
                 [("parity_o", 1), ("busy_o", 1), ("done_o", 1), ("error_o", 1)], f"""\
  logic [{own_bits}-1:0] own_q;
  always_ff @(posedge clk_i) own_q <= {{own_q[{own_bits}-2:0], in_i}};
{text}  gsm_fabric #(.Width({WIDTH})) u_fabric (.own_data_i(own_q),
      {FABRIC_OPEN}, .*);
  assign parity_o = level{level}[0];
""")


def frequent(told):
    """The most frequent configurations and their numbers of nodes; told: configuration by node."""
    counts = {}
    for words in told:
        counts[words] = counts.get(words, 0) + 1
    ranked = sorted(counts, key=lambda words: (-counts[words], told.index(words)))
    return [(words, counts[words]) for words in ranked[:MAX_CLASSES]], len(ranked) - MAX_CLASSES


LINKS_IN = [("in_valid_i", PORTS), ("in_data_i", PORTS * WIDTH)]
LINKS_OUT = [("out_valid_o", PORTS), ("out_data_o", PORTS * WIDTH)]


def measure_streams(result):
    packets = constant("Packets")

    def router(number):
        return f"""  gsm_router #(.Ports({PORTS}), .Width({WIDTH}), .Depth(gsm_plan_pkg::Depth),
      .Frame(gsm_plan_pkg::Frame), .Feed(gsm_plan_pkg::feed({number})),
      .EarlyFeed(gsm_plan_pkg::early_feed({number})),
      .SwitchStep(gsm_plan_pkg::switch_step({number})),
      .InjectMask(gsm_plan_pkg::inject_mask({number}))) u_router"""

    def parameters(number):
        """The configuration of a class's router; classes may differ only in their own packets."""
        return tuple(re.search(rf"^\s+{number}: {name} = (.*);", PACKAGE, re.M).group(1)
                     for name in ("feed", "early_feed", "switch_step", "inject_mask"))

    routers = {}
    numbers, left_out = frequent(node_classes())
    result["classes_left_out"] = max(0, left_out)
    inputs = [("clear_i", 1), *LINKS_IN]
    outputs = [*LINKS_OUT, ("error_o", 1)]
    own = [("start_i", 1), ("own_data_i", packets * WIDTH)]
    delivered = [("deliver_valid_o", PORTS), ("deliver_data_o", PORTS * WIDTH)]
    for number, count in numbers:
        told = parameters(number)
        if told not in routers:
            # As it is between its own packets: nothing injected.
            write_module("forwarding", inputs, outputs,
                         router(number) + " (.inject_valid_i('0), .inject_data_i('0), .*);\n")
            write_module("router", [*inputs, ("inject_valid_i", PORTS),
                                    ("inject_data_i", PORTS * WIDTH)], outputs,
                         router(number) + " (.*);\n")
            routers[told] = {"forwarding": area("forwarding"), "router": area("router")}
        # Router and network interface.
        node = [*inputs, *own], [*outputs, *delivered, ("busy_o", 1), ("done_o", 1)]
        write_module("node", *node, f"""\
  gsm_tile #(.Width({WIDTH}), .Class({number})) u_tile (
      {TILE_OPEN}, .*);
""")
        write_timed(*node)
        result["classes"].append({"class": number, "nodes": count, **routers[told],
                                  "with_interface": area("node"), "fmax_mhz": fmax("timed")})
    write_network(NODES * packets * WIDTH,
                  [("deliver_valid_o", NODES * PORTS), ("deliver_data_o", NODES * PORTS * WIDTH)])


def measure_reductions(result):
    """Router and network interface; the vector's memory is not theirs."""
    lanes, words, legs = constant("Lanes"), constant("Words"), constant("Legs")
    address_bits = constant("AddressBits")
    leg_bits = int(re.search(r"logic \[(\d+)-1:0\] LegWords", PACKAGE).group(1)) // legs
    shape = "".join(f".{name}(gsm_plan_pkg::{name}), " for name in ("Ports", "Lanes", "Frame", "Operation"))
    shape += "".join(f".{name}(gsm_plan_pkg::{name} != 0), " for name in ("Cross", "Join", "Apart"))
    numbers = "".join(f".{name}(gsm_plan_pkg::{name}), "
                      for name in ("StepBits", "BlockBits", "AddressBits", "Runs"))

    def wiring(number):
        return "".join(f".{name}_i(gsm_plan_pkg::{name}({number})), "
                       for name in ("lane_in", "lane_out", "relay"))

    def parameters(number):
        return tuple(re.search(rf"^\s+{number}: {name} = (.*);", PACKAGE, re.M).group(1)
                     for name in ("lane_in", "lane_out", "relay"))

    def leg(port, number):
        at = f"{number}*{leg_bits}+:{leg_bits}" if legs > 1 else f"{leg_bits}-1:0"
        return f".{port}(gsm_plan_pkg::LegWords[{at}])"

    routers = {}
    classes = node_classes()
    # Nodes also differ by their ranks; one node per wiring is measured.
    told_of = {number: parameters(number) for number in set(classes)}
    kinds, left_out = frequent([told_of[number] for number in classes])
    result["classes_left_out"] = max(0, left_out)
    data = lanes * WIDTH
    router_in = [("clear_i", 1), ("enter_i", 1), ("slot_i", 4), ("send_i", lanes), ("combine_i", 1),
                 ("cross_i", 1), ("join_i", 1), ("first_i", 1), ("first_valid_i", lanes),
                 ("first_data_i", data), ("pass_i", 1), *LINKS_IN]
    router_out = [("arrive_valid_o", lanes), ("taken_valid_o", lanes), ("taken_data_o", data), *LINKS_OUT]
    for told, count in kinds:
        number = next(number for number in classes if told_of[number] == told)
        router = f"  gsm_combining_router #({shape}.Width({WIDTH})) u_router ({wiring(number)}"
        if told not in routers:
            # As gossip is between its own packets: nothing injected, nothing combined.
            write_module("forwarding", [("clear_i", 1), *LINKS_IN], LINKS_OUT,
                         router + f".enter_i(1'b1), .slot_i('0), .send_i({{{lanes}{{1'b1}}}}), .combine_i('0), "
                         ".cross_i('0), .join_i('0), .first_i('0), .first_valid_i('0), .first_data_i('0), "
                         ".pass_i('0), .inject_valid_i('0), .inject_data_i('0), .arrive_valid_o(), "
                         ".taken_valid_o(), .taken_data_o(), .*);\n")
            write_module("router", [*router_in, ("inject_valid_i", lanes), ("inject_data_i", data)],
                         router_out, router + ".*);\n")
            routers[told] = {"forwarding": area("forwarding"), "router": area("router")}
        node = ([("clear_i", 1), ("start_i", 1), ("operand_data_i", data), ("first_data_i", data), *LINKS_IN],
                [("operand_address_o", lanes * address_bits), ("first_address_o", lanes * address_bits),
                 ("write_valid_o", lanes), ("write_address_o", lanes * address_bits), ("write_data_o", data),
                 *LINKS_OUT, ("busy_o", 1), ("done_o", 1)])
        write_module("node", *node, f"""\
  logic [15:0] leg;
  logic [15:0] next_leg;
  gsm_combining_node #({shape}{numbers}.Width({WIDTH})) u_node (
      {wiring(number)}.blocks_i({constant("BlockBits")}'d{constant("Blocks")}),
      .ranks_i(gsm_plan_pkg::ranks({number})), .legs_i(16'd{legs}), .leg_o(leg), .next_leg_o(next_leg),
      {leg("leg_i", "leg")}, {leg("next_leg_i", "next_leg")}, .first_o(), .step_o(), .last_o(), .fault_o(), .*);
""")
        write_timed(*node)
        result["classes"].append({"class": number, "nodes": count, **routers[told],
                                  "with_interface": area("node"), "fmax_mhz": fmax("timed")})
    write_network(NODES * words * WIDTH,
                  [("deliver_valid_o", NODES * lanes),
                   ("deliver_data_o", NODES * lanes * (WIDTH + address_bits))])


def measure_relays(result):
    header = constant("HeaderBits") if "HeaderBits" in PACKAGE else 0
    step_bits = constant("StepBits") if "StepBits" in PACKAGE else 3
    flits = constant("Flits")
    # What gsm_tile tells the node.
    with open("gsm_tile.sv", encoding="ascii") as file:
        told = dict(re.findall(r"^      \.(\w+)\((.*?)\),?$", file.read(), re.M))
    sums = 'Router = "sums"' in PACKAGE
    flit = header + WIDTH if sums else WIDTH
    if flit <= header:
        sys.exit(f"gossamer: synth: the header has {header} bits; "
                 f"--width {WIDTH} has no room for it")

    def parameters(names):
        return "".join(f", .{name}({told[name]})" for name in names if name in told)

    # The router's parameters, its constant inputs, and its list.
    shape = parameters(("Router", "Ports", "Operation", "Segments", "HopBits", "StepBits", "Torus", "TimeBits",
                        "Source", "FanIn", "FanOut"))
    constants = {"levels_i": "Levels", "parity_i": "Parity", "start_side_i": "StartSide", "flits_i": "Flits",
                 "relay_cycles_i": "RelayCycles", "duplex_i": "Duplex", "adding_steps_i": "AddingSteps",
                 "step_sync_i": "StepSync"}
    tied = "".join(f".{port}({told.get(name, 0)}), " for port, name in constants.items())
    tied += f".list_i({told.get('ByList', 1)}), .store_o(), .busy_o(), "
    lists = ""
    if "List" in told:
        bits = (PORTS - 1).bit_length() + header
        lists = f"""\
  logic [{step_bits}-1:0] number;
  logic valid;
  logic [{bits}-1:0] entry;
  gsm_relay_list #(.EntryBits({bits}), .NumberBits({step_bits}){parameters(("ListLength", "EntriesMax", "List"))})
      u_list (.number_i(number), .valid_o(valid), .entry_o(entry));
"""
        tied += ".entry_o(number), .entry_valid_i(valid), .entry_i(entry), "
    else:
        tied += ".entry_o(), .entry_valid_i(0), .entry_i(0), "
    kinds, left_out = frequent(node_classes())
    result["classes_left_out"] = max(0, left_out)
    links_in = [("clear_i", 1), ("start_i", 1), ("in_valid_i", PORTS)]
    links_out = [("out_valid_o", PORTS), ("deliver_valid_o", 1), ("error_o", 1)]
    for number, count in kinds:
        write_module("router", [*links_in, ("in_head_i", PORTS), ("in_data_i", PORTS * flit), ("own_data_i", flit),
                                ("stored_i", WIDTH if sums else 1), ("step_start_i", 1), ("step_i", step_bits)],
                     [*links_out, ("out_head_o", PORTS), ("out_data_o", PORTS * flit),
                      ("deliver_head_o", 1), ("deliver_data_o", flit), ("flit_o", constant("TimeBits"))],
                     f"  localparam int Width = {WIDTH};\n  localparam int Class = {number};\n{lists}"
                     f"  gsm_relay_router #(.Width({flit}), .SumWidth({WIDTH if sums else 1}){shape}) u_router (\n"
                     f"      {tied}.*);\n")
        node = ([*links_in, ("in_data_i", PORTS * (flit + 1)), ("own_data_i", flits * WIDTH)],
                [*links_out, ("out_data_o", PORTS * (flit + 1)), ("deliver_data_o", WIDTH + 1),
                 ("busy_o", 1), ("done_o", 1)])
        write_module("node", *node, f"""\
  gsm_tile #(.Width({WIDTH}), .Class({number})) u_tile (
      {TILE_OPEN}, .*);
""")
        write_timed(*node)
        result["classes"].append({"class": number, "nodes": count, "forwarding": None,
                                  "router": area("router"), "with_interface": area("node"),
                                  "fmax_mhz": fmax("timed")})
    write_network((NODES if sums else 1) * flits * WIDTH,
                  [("deliver_valid_o", NODES), ("deliver_data_o", NODES * (WIDTH + 1))])


result = {"width": WIDTH, "device": DEVICE, "nodes": NODES, "ports": PORTS, "classes": [],
          "classes_left_out": 0, "network": None}
if RELAYS:
    measure_relays(result)
elif REDUCES:
    measure_reductions(result)
else:
    measure_streams(result)
if NODES * PORTS * (1 + WIDTH) <= MAX_BITS:
    network = area("network")
    network["fmax_mhz"] = fmax("network")
    result["network"] = network
with open("result.json", "w", encoding="ascii") as file:
    json.dump(result, file)
