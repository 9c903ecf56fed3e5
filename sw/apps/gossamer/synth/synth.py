# SPDX-License-Identifier: Apache-2.0
"""synth.py OPTIONS: measures the files of the format sv in the current directory; OPTIONS is a JSON object.

Without cell libraries: every router class of gsm_plan_pkg alone, with its network interface or message memory, and the whole
network when it is small, in yosys' generic cells; what is small enough also for an iCE40, placed by nextpnr-ice40. With
libraries: each tile, or the network, in the cells of the libraries. result.json gets the numbers. Exit status 1 with a
line on standard error when a tool or a library is missing or fails, 3 when the time is over.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

OPTIONS = json.loads(sys.argv[1])
SEED, TOP = str(OPTIONS["seed"]), OPTIONS["top"]
LIBRARIES = OPTIONS["liberty"]
# Classes beyond the most frequent ones are counted and left out.
MAX_CLASSES = 8
# Register bits of the out-ports of a network that nextpnr gets to place.
MAX_BITS = 1200
# Generic cells, and data bits of all ports, of a part that is also mapped to an iCE40 and placed: a node of 1,000 bits
# between its shift registers takes nextpnr a minute.
MAX_PLACED = 1500
MAX_PLACED_BITS = 200
DEVICE = "hx8k"
# Modules that a chip has a memory macro for; their bits are no part of a tile.
MEMORIES = "gsm_vector_memory"
LIBC = ctypes.CDLL(None)
START = time.monotonic()

for tool in ("yosys",) if LIBRARIES or OPTIONS["top"] else ("yosys", "nextpnr-ice40"):
    if shutil.which(tool) is None:
        fail(f"{tool} is not installed; run scripts/setup tests")
library = Library(LIBRARIES) if LIBRARIES else None

with open("gsm_fabric.f", encoding="ascii") as file:
    SOURCES = [line.strip() for line in file if line.strip().endswith(".sv")]
with open("gsm_plan_pkg.sv", encoding="ascii") as file:
    PACKAGE = file.read()


def constant(name):
    return int(re.search(rf"localparam int {name} = (\d+);", PACKAGE).group(1))


NODES, PORTS = constant("Nodes"), constant("Ports")
WIDTH = OPTIONS["width"] or constant("Width")
RELAYS = "gsm_relay_node.sv" in SOURCES
# Reductions of rings have lanes and a vector's memory.
REDUCES = "gsm_vector_node.sv" in SOURCES
CONTEXTS = "localparam int Contexts = " in PACKAGE
STREAMS = "gsm_stream_node.sv" in SOURCES and "gsm_member0_tile.sv" not in SOURCES


def node_classes():
    """The class of each node, from the chunks of node_class."""
    classes = []
    function = PACKAGE.split("function automatic int node_class", 1)[1].split("endfunction", 1)[0]
    for chunk in re.findall(r"\d+: chunk = \d+'h([0-9a-f]+);", function):
        value = int(chunk, 16)
        classes += [value >> 16 * i & 0xFFFF for i in range(64)]
    return classes[:NODES]


def step(text):
    """Names the step on a terminal."""
    if OPTIONS["progress"]:
        print(f"{time.monotonic() - START:6.1f} s  {text}", file=sys.stderr, flush=True)


def run_tool(arguments):
    """Runs a tool that ends when this script does, killed or not: Linux, PR_SET_PDEATHSIG. Its temporary files are in
    the folder that gossamer removes."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", env={**os.environ, "TMPDIR": os.getcwd()}, start_new_session=True,
                               preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL))
    left = OPTIONS["timeout"] + START - time.monotonic() if OPTIONS["timeout"] else None
    try:
        out, error = process.communicate(timeout=left if left is None else max(left, 0.01))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        fail(f"{arguments[0]} was not done after {OPTIONS['timeout']} s; nearest feasible: a larger --timeout or "
             "a smaller --width" + (", or --top tile" if TOP == "network" else ""), 3)
    return subprocess.CompletedProcess(arguments, process.returncode, out, error)


def run(script, log):
    """The contents of the log, and what yosys printed."""
    result = run_tool(["yosys", *([] if library else ["-q"]), "-p", script])
    if result.returncode != 0:
        lines = (result.stderr.strip() or result.stdout.strip() or "yosys failed").splitlines()
        fail("yosys: " + re.sub("^ERROR: ", "", lines[-1]))
    with open(log, encoding="ascii") as file:
        return file.read(), result.stdout


def cells(stat):
    """Cell types of the last statistics."""
    return {name: int(count) for name, count in
            re.findall(r"^\s+([$\w.\[\]]+)\s+(\d+)$", stat.split("Number of cells:")[-1], re.M)}


def read(top):
    sources = " ".join(SOURCES if top == "network" else
                       [name for name in SOURCES
                        if name != "gsm_fabric.sv"])
    return f"read_verilog -sv -I. {sources} {top}.sv; hierarchy -check -top {top}; "


def area(top, script=None):
    """Generic cells of a module as it is, and the parts of an iCE40 that it needs if it is small."""
    step(f"{top}: generic cells")
    # Whole tiles may have thousands of memory bits: once by abc is enough, and the checks at the end take long.
    synthesis = "synth -flatten -noabc -run begin:check" if script else "synth -flatten"
    generic = cells(run((script or read(top)) + synthesis + "; abc; opt_clean; tee -o stat.log stat", "stat.log")[0])
    result = {"cells": sum(generic.values()), "flip_flops": sum(n for name, n in generic.items() if "DFF" in name),
              "lut4": None, "ice40_flip_flops": None}
    small = result["cells"] <= MAX_PLACED and PORTS * WIDTH <= MAX_PLACED_BITS
    if script is None and (small or top == "network"):
        step(f"{top}: iCE40")
        ice = cells(run(read(top) + "synth_ice40 -dff; tee -o stat.log stat", "stat.log")[0])
        result["lut4"] = ice.get("SB_LUT4", 0)
        result["ice40_flip_flops"] = sum(n for name, n in ice.items() if name.startswith("SB_DFF"))
    return result


def placed(area_of_node):
    """The clock of the node between shift registers; None for a node that is too large to place in seconds."""
    return fmax("timed") if area_of_node["lut4"] is not None else None


def fmax(top):
    """Megahertz after place and route; None when it does not fit."""
    step(f"{top}: place and route")
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


def configuration(number, names):
    """What functions of the package give a class, as text."""
    return tuple(re.search(rf"^\s+{number}: {name} = (.*);", PACKAGE, re.M).group(1) for name in names)


def tile_classes(result):
    """The most frequent classes of tiles, (class, nodes). Classes that differ only by the ranks or places of their nodes
    count as one: that of the first node."""
    names = ("lane_in", "lane_out", "relay") if REDUCES else ("feed",) if CONTEXTS else ()
    classes = node_classes()
    kinds = {number: configuration(number, names) or number for number in set(classes)}
    found, left_out = frequent([kinds[number] for number in classes])
    result["classes_left_out"] = max(0, left_out)
    return [(next(number for number in classes if kinds[number] == kind), count) for kind, count in found]


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
        return configuration(number, ("feed", "early_feed", "switch_step", "inject_mask"))

    routers = {}
    inputs = [("clear_i", 1), *LINKS_IN]
    outputs = [*LINKS_OUT, ("error_o", 1)]
    own = [("start_i", 1), ("own_data_i", packets * WIDTH)]
    delivered = [("deliver_valid_o", PORTS), ("deliver_data_o", PORTS * WIDTH)]
    for number, count in tile_classes(result):
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
        node_area = area("node")
        result["classes"].append({"class": number, "nodes": count, **routers[told],
                                  "with_interface": node_area, "fmax_mhz": placed(node_area)})
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

    # Packets of several words, adders of several cycles.
    packets = "StepCycles" in PACKAGE
    flits, adder, result_cycles, step = (
        map(constant, ("Flits", "AdderCycles", "ResultCycles", "StepCycles")) if packets else (1, 0, 0, 1))
    if packets:
        shape += f".Packets(1'b1), .Stages({constant('Stages')}), .MostAdderCycles({adder}), .MostStepCycles({step}), "
        numbers += f".MostResultCycles({result_cycles}), "
    tied = f".adder_cycles_i(4'd{adder}), .result_cycles_i(5'd{result_cycles}), .step_cycles_i(16'd{step}), "

    def wiring(number):
        return tied + "".join(f".{name}_i(gsm_plan_pkg::{name}({number})), "
                              for name in ("lane_in", "lane_out", "relay"))

    def leg(port, number):
        at = f"{number}*{leg_bits}+:{leg_bits}" if legs > 1 else f"{leg_bits}-1:0"
        return f".{port}(gsm_plan_pkg::LegWords[{at}])"

    data = lanes * WIDTH
    router_in = [("clear_i", 1), ("enter_i", 1), ("slot_i", 4), ("send_i", lanes), ("combine_i", 1),
                 ("cross_i", 1), ("join_i", 1), ("first_i", 1), ("first_valid_i", lanes),
                 ("first_data_i", data), ("pass_i", 1), *LINKS_IN]
    router_out = [("arrive_valid_o", lanes), ("taken_valid_o", lanes), ("taken_data_o", data), *LINKS_OUT]
    for number, count in tile_classes(result):
        router = f"  gsm_combining_router #({shape}.Width({WIDTH})) u_router ({wiring(number)}"
        # As gossip is between its own packets: nothing injected, nothing combined.
        write_module("forwarding", [("clear_i", 1), *LINKS_IN], LINKS_OUT,
                     router + f".enter_i(1'b1), .slot_i('0), .send_i({{{lanes}{{1'b1}}}}), .combine_i('0), "
                     ".cross_i('0), .join_i('0), .first_i('0), .first_valid_i('0), .first_data_i('0), "
                     ".pass_i('0), .inject_valid_i('0), .inject_data_i('0), .arrive_valid_o(), "
                     ".taken_valid_o(), .taken_data_o(), .*);\n")
        write_module("router", [*router_in, ("inject_valid_i", lanes), ("inject_data_i", data)],
                     router_out, router + ".*);\n")
        router_area = {"forwarding": area("forwarding"), "router": area("router")}
        node = ([("clear_i", 1), ("start_i", 1), ("operand_data_i", data), ("first_data_i", data), *LINKS_IN],
                [("operand_address_o", lanes * address_bits), ("first_address_o", lanes * address_bits),
                 ("write_valid_o", lanes), ("write_address_o", lanes * address_bits), ("write_data_o", data),
                 *LINKS_OUT, ("busy_o", 1), ("done_o", 1)])
        write_module("node", *node, f"""\
  logic [15:0] leg;
  logic [15:0] next_leg;
  gsm_combining_node #({shape}{numbers}.Width({WIDTH})) u_node (
      {wiring(number)}.flits_i(16'd{flits}), .blocks_i({constant("BlockBits")}'d{constant("Blocks")}),
      .ranks_i(gsm_plan_pkg::ranks({number})), .legs_i(16'd{legs}), .leg_o(leg), .next_leg_o(next_leg),
      {leg("leg_i", "leg")}, {leg("next_leg_i", "next_leg")}, .first_o(), .step_o(), .last_o(), .fault_o(), .*);
""")
        write_timed(*node)
        node_area = area("node")
        result["classes"].append({"class": number, "nodes": count, **router_area,
                                  "with_interface": node_area, "fmax_mhz": placed(node_area)})
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
        fail(f"the header has {header} bits; --width {WIDTH} has no room for it")

    def parameters(names):
        return "".join(f", .{name}({told[name]})" for name in names if name in told)

    # The router's parameters, its constant inputs, and its list.
    shape = parameters(("Router", "Ports", "Operation", "Stages", "Segments", "HopBits", "StepBits", "Torus", "TimeBits",
                        "Source", "FanIn", "FanOut"))
    if "AdderCycles" in told:
        shape += f", .MostAdderCycles({told['AdderCycles']})"
    constants = {"levels_i": "Levels", "parity_i": "Parity", "start_side_i": "StartSide", "flits_i": "Flits",
                 "relay_cycles_i": "RelayCycles", "duplex_i": "Duplex", "adding_steps_i": "AddingSteps",
                 "step_sync_i": "StepSync", "adder_cycles_i": "AdderCycles"}
    tied = "".join(f".{port}({told.get(name, 0)}), " for port, name in constants.items())
    tied += f".list_i({told.get('ByList', 1)}), .store_o(), .flit_valid_o(), .write_o(), .busy_o(), "
    lists = ""
    if "List" in told:
        bits = (PORTS - 1).bit_length() + header
        lists = f"""\
  logic [{step_bits}-1:0] number;
  logic valid;
  logic [{bits}-1:0] entry;
  localparam logic [{told['EntriesMax']}*{bits}-1:0] List = {told['List']};
  assign valid = {told['ListLength']} > 0 && $signed(32'(number)) < {told['ListLength']};
  assign entry = valid ? List[number*{bits}+:{bits}] : '0;
"""
        tied += ".entry_o(number), .entry_valid_i(valid), .entry_i(entry), "
    else:
        tied += ".entry_o(), .entry_valid_i(0), .entry_i(0), "
    links_in = [("clear_i", 1), ("start_i", 1), ("in_valid_i", PORTS)]
    links_out = [("out_valid_o", PORTS), ("deliver_valid_o", 1), ("error_o", 1)]
    for number, count in tile_classes(result):
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
        node_area = area("node")
        result["classes"].append({"class": number, "nodes": count, "forwarding": None,
                                  "router": area("router"), "with_interface": node_area,
                                  "fmax_mhz": placed(node_area)})
    write_network((NODES if sums else 1) * flits * WIDTH,
                  [("deliver_valid_o", NODES), ("deliver_data_o", NODES * (WIDTH + 1))])


def read_emitted(top, number=0):
    """yosys commands that read the tile of a class or the fabric, with memories left out."""
    sources = [name for name in SOURCES if top == "gsm_fabric" or name != "gsm_fabric.sv"]
    chosen = f"-set Class {number} " if top == "gsm_tile" else ""
    memories = f"blackbox =*{MEMORIES}*; " if REDUCES else ""
    return (f"read_verilog -defer -sv -I. {' '.join(sources)}; chparam -set Width {WIDTH} {chosen}{top}; "
            f"hierarchy -check -top {top}; {memories}")


def measure_tiles(result):
    """Whole tiles in generic cells."""
    for number, count in tile_classes(result):
        step(f"class {number}")
        result["classes"].append({"class": number, "nodes": count, "forwarding": None, "router": None,
                                  "with_interface": area("tile", read_emitted("gsm_tile", number)), "fmax_mhz": None})


def path_of(log):
    """The longest combinational path that abc prints: its delay in ps, and the cells on it."""
    delay = re.findall(r"^ABC: .* Delay = *([\d.]+) ps", log, re.M)
    if not delay:
        return None, []
    found = re.findall(r"^ABC: Path *\d+ --.*?: *\d+ +\d+ +(\S+) +A = .*?Df = *(-?[\d.]+)", log, re.M)
    return float(delay[-1]), [{"cell": cell, "arrival_ps": float(at)} for cell, at in found if cell != "pi"]


def mapped(top, number=0):
    """Area and longest path in the cells of the libraries."""
    target = f" -D {OPTIONS['target_ps']}" if OPTIONS["target_ps"] else ""
    stat, log = run(read_emitted(top, number) + "synth -flatten -noabc -run begin:check; dfflibmap -liberty merged.lib; "
                    f"abc -liberty merged.lib -constr abc.constr{target}; opt_clean -purge; tee -o stat.log stat",
                    "stat.log")
    found = cells(stat)
    unmapped = [name for name in found if name.startswith("$_")]
    if unmapped:
        fail(f"{' '.join(LIBRARIES)}: no cell for {', '.join(sorted(unmapped))}")
    sequential = {name: count for name, count in found.items() if library.cells[name].flip_flop}

    def um2(counts):
        return sum(library.cells[name].area * count for name, count in counts)
    path, on_path = path_of(log)
    times = [library.flip_flop_times(library.cells[name]) for name in sequential]
    known = [sum(pair) for pair in times if None not in pair]
    flip_flop = max(known) if known else None
    clock = 1e6 / (path + flip_flop) if path is not None and flip_flop is not None and path + flip_flop > 0 else None
    return {"area_um2": um2(found.items()), "sequential_um2": um2(sequential.items()),
            "combinational_um2": um2((name, count) for name, count in found.items() if name not in sequential),
            "cells": sum(found.values()), "flip_flops": sum(sequential.values()),
            "path_ps": path, "path": on_path, "flip_flop_ps": flip_flop, "clock_mhz": clock}


def measure_mapped(result):
    with open("merged.lib", "w", encoding="latin-1") as file:
        file.write(library.text)
    with open("abc.constr", "w", encoding="latin-1") as file:
        file.write(library.constraints())
    result["library"] = {"files": LIBRARIES, "cells": len(library.cells)}
    if TOP == "network":
        step("gsm_fabric: cells of the libraries")
        result["network"] = mapped("gsm_fabric")
        return
    for number, count in tile_classes(result):
        step(f"class {number}: cells of the libraries")
        result["classes"].append({"class": number, "nodes": count, **mapped("gsm_tile", number)})


def measure_contexts(result):
    """The router, and the tile with its counters; the memory of the words is not the tile's."""
    packets = PORTS * constant("PacketBits")
    data = PORTS * WIDTH
    router_in = [("clear_i", 1), ("wiring_i", 1), ("first_i", 1), ("first_valid_i", PORTS), ("first_data_i", data),
                 ("take_i", PORTS), ("inject_valid_i", PORTS), ("inject_data_i", data), ("cross_i", PORTS),
                 ("join_i", PORTS), ("end_i", PORTS), ("flag_i", 1), *LINKS_IN]
    router_out = [("taken_valid_o", PORTS), ("taken_data_o", data), *LINKS_OUT]
    node = ([("clear_i", 1), ("start_i", 1), ("context_i", constant("ChoiceBits")),
             ("root_i", PORTS // 2 * constant("NumberBits")), ("first_data_i", data), ("own_data_i", data), *LINKS_IN],
            [("first_valid_o", PORTS), ("first_packet_o", packets), ("own_valid_o", PORTS), ("own_packet_o", packets),
             ("deliver_valid_o", PORTS), ("deliver_packet_o", packets), ("deliver_data_o", data), ("deliver_add_o", 1),
             *LINKS_OUT, ("busy_o", 1), ("last_o", 1), ("done_o", 1)])
    shape = "".join(f".{name}(gsm_plan_pkg::{name}), " for name in ("Ports", "Wirings", "Operation"))
    shape += "".join(f".{name}(gsm_plan_pkg::{name} != 0), " for name in ("Cross", "Join", "Flag"))
    result["contexts"] = constant("Contexts")
    for number, count in tile_classes(result):
        write_module("router", router_in, router_out,
                     f"  gsm_context_router #({shape}.Width({WIDTH}), .Apart(1'b1),\n"
                     f"      .Ends(gsm_plan_pkg::line_end({number}) != '0)) u_router (\n"
                     f"      .feed_i(gsm_plan_pkg::feed({number})), .*);\n")
        write_module("node", *node, f"  gsm_tile #(.Width({WIDTH}), .Class({number})) u_tile (.*);\n")
        write_timed(*node)
        node_area = area("node")
        result["classes"].append({"class": number, "nodes": count, "forwarding": None, "router": area("router"),
                                  "with_interface": node_area, "fmax_mhz": placed(node_area)})


result = {"width": WIDTH, "device": None if library else DEVICE, "nodes": NODES, "ports": PORTS, "classes": [],
          "classes_left_out": 0, "network": None}
if library:
    measure_mapped(result)
elif TOP == "network":
    result["network"] = area("gsm_fabric", read_emitted("gsm_fabric"))
    result["network"]["fmax_mhz"] = None
elif TOP == "tile" or not (CONTEXTS or RELAYS or REDUCES or STREAMS):
    measure_tiles(result)
else:
    if CONTEXTS:
        measure_contexts(result)
    elif RELAYS:
        measure_relays(result)
    elif REDUCES:
        measure_reductions(result)
    else:
        measure_streams(result)
    # Networks of contexts need more pins than the device has.
    if not CONTEXTS and NODES * PORTS * (1 + WIDTH) <= MAX_BITS:
        network = area("network")
        network["fmax_mhz"] = fmax("network")
        result["network"] = network
with open("result.json", "w", encoding="ascii") as file:
    json.dump(result, file)
