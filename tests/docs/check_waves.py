# SPDX-License-Identifier: Apache-2.0
"""Holds the timing diagrams of the pages against the RTL: what they draw is what Icarus simulates.

    check_waves.py DIRECTORY

In a diagram's source (docs/figures/waves/NAME.json, WaveJSON) a lane with `in` is driven and one with
`out` is compared, cycle by cycle: each names a port, or bits of one, or a signal below `u_dut`. `x`
drives zero and compares nothing; the labels of values are hexadecimal. The key `rtl` says what to
simulate:
    module, parameters   the module and its parameters, as Verilog text
    ports                its ports but clk_i and rst_ni, with their widths
    tied                 inputs that are not driven by a lane, as Verilog text; it may name outputs
Column 0 is the first cycle after the reset.
"""
import glob
import json
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def lanes(document):
    """The lanes that have a wave, in the groups too."""
    rows = list(document["signal"])
    while rows:
        row = rows.pop(0)
        if isinstance(row, list):
            rows[:0] = row[1:]
        elif "wave" in row:
            yield row


def lane_states(lane):
    """(state, label or None) of every cycle of a lane."""
    labels, found = iter(lane.get("data", [])), []
    for letter in lane["wave"]:
        if letter in ".|":
            found.append(found[-1])
        elif letter in "p01x=":
            found.append((letter, next(labels) if letter == "=" else None))
        else:
            raise ValueError(f"{lane['name']}: no state is called {letter}")
    return found


def value(state, label):
    """The Verilog value of a state; None for states without a value."""
    if state == "=":
        return f"'h{int(label, 16):x}"
    return {"0": "'h0", "1": "'h1", "x": None}[state]


def bench(document):
    """A testbench that drives what is driven and compares what is drawn."""
    rtl = document["rtl"]
    rows = list(lanes(document))
    driven = [(s["in"], lane_states(s)) for s in rows if "in" in s]
    drawn = [(s["out"], lane_states(s)) for s in rows if "out" in s]
    cycles = max(len(s["wave"]) for s in rows)
    parameters = ", ".join(f".{name}({text})" for name, text in rtl.get("parameters", {}).items())
    ports = ", ".join(f".{name}({name})" for name in ["clk_i", "rst_ni", *rtl["ports"]])
    yield "`timescale 1ns / 1ns"
    yield "module wave_bench;\n  reg clk_i = 0;\n  reg rst_ni = 0;\n  integer wrong = 0;"
    tied = rtl.get("tied", {})
    for name, width in rtl["ports"].items():
        kind, start = ("wire", "") if name.endswith("_o") or name in tied else ("reg", " = 0")
        yield f"  {kind} [{width - 1}:0] {name}{start};"
    for name, text in tied.items():
        yield f"  assign {name} = {text};"
    yield f"  {rtl['module']} #({parameters}) u_dut ({ports});"
    yield "  always #5 clk_i = !clk_i;"
    yield "  initial begin"
    for cycle in range(cycles):
        # Column 0 begins with the edge after which the reset ends.
        yield "    @(posedge clk_i); #1 rst_ni = 1;"
        for target, states in driven:
            yield f"    {target} = {value(*states[cycle]) or 0};"
        yield "    @(negedge clk_i);"
        for source, states in drawn:
            wanted = value(*states[cycle])
            if wanted is not None:
                yield f"    if ({source} !== {wanted}) begin wrong = wrong + 1;"
                yield (f'      $display("column {cycle}: {source} is %h, drawn {wanted[2:]}", {source});'
                       " end")
    yield '    $display("%0d wrong", wrong); $finish;'
    yield "  end\nendmodule"


def compared(document):
    """How many values of a diagram are compared."""
    return sum(value(*state) is not None for lane in lanes(document) if "out" in lane
               for state in lane_states(lane))


def simulated(name, document, directory):
    """The output of a diagram's simulation."""
    text, program = os.path.join(directory, name + ".sv"), os.path.join(directory, name + ".vvp")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(bench(document)) + "\n")
    rtl = os.path.join(SOURCE, "rtl")
    folders = [part for folder in sorted(os.listdir(rtl)) for part in ("-y", os.path.join(rtl, folder))]
    for command in (["iverilog", "-g2012", "-I", os.path.join(rtl, "common"), *folders, "-Y", ".sv", "-s",
                     "wave_bench", "-o", program, text], ["vvp", "-N", program]):
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            return run.stdout + f"{command[0]} ends with status {run.returncode}\n"
    return run.stdout


def flipped(document):
    """The same diagram with one drawn bit turned round: its simulation has to disagree."""
    other = json.loads(json.dumps(document))
    for lane in lanes(other):
        if "out" in lane and "1" in lane["wave"]:
            lane["wave"] = lane["wave"].replace("1", "0", 1)
            return other
    raise ValueError("no drawn 1")


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    wrong = count = 0
    sources = sorted(glob.glob(os.path.join(SOURCE, "docs/figures/waves/*.json")))
    for source in sources:
        name = os.path.basename(source)[:-len(".json")]
        with open(source, encoding="utf-8") as file:
            document = json.load(file)
        output = simulated(name, document, directory)
        if output != "0 wrong\n":
            wrong += 1
            print(f"{name}:\n{output}")
        if simulated(name + "_flipped", flipped(document), directory) == "0 wrong\n":
            wrong += 1
            print(f"{name}: a wrong drawing passes")
        count += compared(document)
    print(f"{len(sources)} diagrams, {count} values compared, {wrong} diagrams wrong")
    return 1 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
