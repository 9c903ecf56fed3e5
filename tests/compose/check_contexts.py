#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks contexts: check_contexts.py GOSSAMER SCHEMA sequences|lines|lanes|memory|lock_step|emit|verilator|refusals|mutants

sequences: random sequences of rounds of the suite, with random roots, on all engines and in lock step, and a judge
that reads the trace alone; lines: the same on meshes and cylinders, and as emitted; lanes: links of several words;
memory: the same with timetables, and as emitted;
lock_step: 50 more on each of four networks, SystemC model against RTL;
emit: the emitted suite in Icarus, which runs random sequences, and finds each damage of a table and a missing mask;
verilator: the emitted suite of nine nodes in Verilator, and its netlist of yosys;
refusals: bad input; mutants: damaged documents are refused or their runs differ from the promise."""
import collections
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from composition_members import MESH, PART, TORUS, VALIDATOR, Member
from group_judge import Groups, Network
from program_under_test import fate, numbers_in, refused, run

COLLECTIVES = ["all-gather", "reduce-scatter", "all-reduce", "barrier", "broadcast", "reduce"]


def steps_of(collective, nodes, cycles, packets):
    """Closed forms of a collective on `cycles` Hamiltonian cycles of `nodes` nodes, from the specification."""
    # Parts of each cycle: an odd number leaves one for both directions.
    each = -(-packets // cycles)
    if collective == "all-gather":
        return -(-packets * (nodes - 1) // (2 * cycles)) if packets % cycles == 0 else each * (nodes - 1) // 2 + each % 2
    one_way, both = divmod(each, 2)
    if collective == "reduce-scatter":
        return one_way * (nodes - 1) + both * (nodes // 2)
    if collective == "all-reduce":
        return one_way * 2 * (nodes - 1) + both * (nodes - 1)
    if collective == "barrier":
        return nodes // 2
    return (each + nodes - 1) // 2


def suite_members(dims, packets):
    """The contexts of the suite, in the order of the contract."""
    members = []
    for collective in COLLECTIVES:
        for axis in [None, *range(len(dims))]:
            shape = dims if axis is None else [side if i == axis else 1 for i, side in enumerate(dims)]
            each = packets or (len(dims) if axis is None else 1)
            by_node = collective in ("all-gather", "reduce-scatter", "all-reduce")
            words = 1 if collective == "barrier" else each
            member = Member(collective, shape, k=each if by_node else None, m=None if by_node else words)
            member.steps = steps_of(collective, Groups(Network(dims, [True] * len(dims)), shape, member.stride).size,
                                    len(dims) if axis is None else 1, each)
            members.append(member)
    return members


def mesh_members(dims, wraps):
    """The contexts of the suite on meshes and cylinders: one cycle through all nodes, and lines that are open or closed."""
    members = []
    for collective in COLLECTIVES:
        for axis in [None, *range(len(dims))]:
            shape = dims if axis is None else [side if i == axis else 1 for i, side in enumerate(dims)]
            by_node = collective in ("all-gather", "reduce-scatter", "all-reduce")
            member = Member(collective, shape, k=1 if by_node else None, m=None if by_node else 1)
            nodes = Groups(Network(dims, wraps), shape, member.stride).size
            member.open = axis is not None and not wraps[axis]
            member.steps = steps_of(collective, nodes, 1, 1)
            if member.open:
                member.steps = {"all-reduce": 2 * (nodes - 1), "barrier": nodes // 2 * 2}.get(collective, nodes - 1)
            members.append(member)
    return members


def rows_by_round(trace, steps):
    """The trace of each round in steps of its own. Rows ascend, no output port sends twice in a step, and each round
    sends in its own steps only."""
    lines = trace.splitlines()
    columns = lines[0].split(",")
    assert columns[:5] == ["step", "hop", "from", "port", "packet"] and columns[-1] == "member", lines[0]
    rows = [tuple(map(int, line.split(","))) for line in lines[1:]]
    assert rows == sorted(rows), "rows do not ascend"
    assert len({(row[0], row[2], row[3]) for row in rows}) == len(rows), "two packets on one link in one step"
    firsts = [1 + sum(steps[:i]) for i in range(len(steps))]
    own = [[",".join(columns[:-1])] for _ in steps]
    for row in rows:
        step = row[0] - firsts[row[-1]] + 1
        assert 1 <= step <= steps[row[-1]], f"round {row[-1]} sends in step {step} of {steps[row[-1]]}"
        own[row[-1]].append(",".join(map(str, (step, *row[1:-1]))))
    return ["\n".join(part) for part in own]


def count_of(member, groups, nodes):
    """Sends of a reduction; empty where the number may differ."""
    if member.collective == "reduce":
        return member.m * (nodes - nodes // groups.size)
    if member.collective in ("reduce-scatter", "all-reduce") and (groups.size % 2 or getattr(member, "open", False)):
        return member.k * nodes * (groups.size - 1) * (2 if member.collective == "all-reduce" else 1)
    return None


def judge_rounds(dims, members, made, trace, name, wraps=None):
    """The judge of every round, which knows the network, the members and the trace."""
    network = Network(dims, wraps or [True] * len(dims))
    steps = [member.steps for member in members]
    assert made["complete"] is True and made["steps"] == sum(steps) == made["cycles"], name
    assert [own["steps"] for own in made["members"]] == steps and made["rounds"] == len(members), name
    for i, (member, own) in enumerate(zip(members, rows_by_round(trace, steps))):
        groups = Groups(network, member.shape, member.stride)
        # A last step that only completes sums that are written a step later counts too.
        assert member.judge(network, own) == member.steps, f"{name}: round {i}, {member.collective}"
        count = count_of(member, groups, network.nodes)
        assert count in (None, own.count("\n")), f"{name}: round {i}, {member.collective}: {own.count(chr(10))} rows"


def random_rounds(dims, members, seeded):
    """Eight rounds, as words of --rounds and as members. On an open line the root's place decides on the steps."""
    words, rounds = [], []
    for number in seeded.choices(range(len(members)), k=8):
        member = copy.copy(members[number])
        words.append(str(number))
        if member.collective in ("broadcast", "reduce") and seeded.random() < 0.8:
            member.root = seeded.randrange(Groups(Network(dims, [True] * len(dims)), member.shape, member.stride).size)
            words[-1] += f"@{member.root}"
            if getattr(member, "open", False):
                member.steps = max(member.root, max(member.shape) - 1 - member.root)
        rounds.append(member)
    return words, rounds


def check_lock_step(folder):
    seeded = random.Random(99)
    plan = folder / "suite.json"
    for dims in ([4, 4], [5, 4], [3, 5], [6, 6]):
        run("plan", "suite", "--dims", "x".join(map(str, dims)), "-o", plan)
        members = suite_members(dims, None)
        for _ in range(50):
            words, rounds = random_rounds(dims, members, seeded)
            made = json.loads(run("cosim", plan, "--rounds", ",".join(words), "--report", "-").stdout)
            assert made["complete"] is True and made["steps"] == sum(member.steps for member in rounds), words


def check_sequences(folder):
    seeded = random.Random(47)
    plan, trace = folder / "suite.json", folder / "trace.csv"
    for dims, packets, count in [([4, 4], None, 14), ([5, 4], None, 12), ([3, 5], None, 14), ([6, 6], None, 6),
                                 ([4, 4], 1, 6), ([5, 4], 2, 6), ([3, 3, 4], None, 3), ([8, 8], None, 2)]:
        size = "x".join(map(str, dims))
        run("plan", "suite", "--dims", size, "-o", plan, *(["--packets", packets] if packets else []))
        document = json.loads(plan.read_text())
        VALIDATOR.validate(document)
        assert document["contexts"] is True and all("first_step" not in own for own in document["members"])
        members = suite_members(dims, packets)
        proof = json.loads(run("verify", plan, "--report", "-").stdout)
        assert proof["complete"] is True and proof["wirings"] == 2, size
        assert [own["steps"] for own in proof["members"]] == [member.steps for member in members], size
        made = json.loads(run("simulate", plan, "--trace", trace, "--report", "-").stdout)
        judge_rounds(dims, members, made, trace.read_text(), f"{size}, each context once")
        assert made["link_transfers"] == proof["link_transfers"], size
        for _ in range(count):
            words, rounds = random_rounds(dims, members, seeded)
            made = json.loads(run("simulate", plan, "--rounds", ",".join(words), "--trace", trace, "--report",
                                  "-").stdout)
            text = trace.read_text()
            judge_rounds(dims, rounds, made, text, f"{size}: {','.join(words)}")
            for engine in ("systemc", "rtl"):
                other = json.loads(run("simulate", plan, "--rounds", ",".join(words), "--engine", engine, "--trace", trace,
                                       "--report", "-").stdout)
                assert trace.read_text() == text and other["max_queue"] == 1, f"{size}, {engine}: {','.join(words)}"
                assert other["complete"] is True and other["duplicates"] == made["duplicates"], engine
            lock_step = run("cosim", plan, "--rounds", ",".join(words), "--report", "-")
            assert json.loads(lock_step.stdout)["steps"] == made["steps"], f"{size}: {','.join(words)}"
        print(f"{size}, packets {packets or 'default'}: {count} sequences")


def same_on_all_engines(plan, words, trace):
    """The report and the trace of the rounds, which are those of all engines and of the lock step."""
    made = json.loads(run("simulate", plan, "--rounds", words, "--trace", trace, "--report", "-").stdout)
    text = trace.read_text()
    for engine in ("systemc", "rtl"):
        run("simulate", plan, "--rounds", words, "--engine", engine, "--trace", trace)
        assert trace.read_text() == text, f"{engine}: {words}"
    assert json.loads(run("cosim", plan, "--rounds", words, "--report", "-").stdout)["complete"] is True, words
    return made, text


def check_lines(folder):
    """Meshes and cylinders: open lines on all engines, and as emitted."""
    seeded = random.Random(30)
    plan, trace = folder / "suite.json", folder / "trace.csv"
    for dims, network, wraps, count in [([4, 4], MESH, [False, False], 6), ([4, 3], MESH, [False, False], 4),
                                        ([5, 2], MESH, [False, False], 3), ([3, 4], ["--wrap", "x"], [True, False], 4),
                                        ([2, 3, 2], MESH, [False] * 3, 2)]:
        size = "x".join(map(str, dims))
        run("plan", "suite", *network, "--dims", size, "-o", plan)
        VALIDATOR.validate(json.loads(plan.read_text()))
        members = mesh_members(dims, wraps)
        proof = json.loads(run("verify", plan, "--report", "-").stdout)
        assert [own["steps"] for own in proof["members"]] == [member.steps for member in members], size
        assert proof["complete"] is True and proof["wirings"] == 2, size
        for _ in range(count):
            words, rounds = random_rounds(dims, members, seeded)
            made, text = same_on_all_engines(plan, ",".join(words), trace)
            judge_rounds(dims, rounds, made, text, f"{size}: {','.join(words)}", wraps)
        if dims in ([5, 2], [2, 3, 2]):
            continue
        directory = emitted(folder, plan, f"sv{size}")
        report = json.loads(run("simulate", plan, "--report", "-").stdout)
        once = passed(directory, plusargs=f"+rounds={len(members)} +root=0")
        assert once[1:] == (report["steps"] + 3, report["link_transfers"]), (once, report["steps"])
        assert passed(directory, plusargs="+rounds=60 +seed=3"), size
        assert passed(directory, plusargs="+rounds=40 +seed=4 +gaps=1"), size
    # Lines that end inside the network, beside lines of the whole network.
    files = []
    for words in (["all-gather", "--groups", "3x1", "--algorithm", "array"], ["all-gather", "--groups", "y", "--algorithm", "array"],
                  ["all-gather", "--groups", "x", "--algorithm", "array"]):
        files.append(folder / f"part{len(files)}.json")
        run("plan", words[0], *MESH, "--dims", "6x2", *words[1:], "-o", files[-1])
    run("compose", "--contexts", *files, "-o", plan)
    same_on_all_engines(plan, "0,2,0,1,2,0", trace)
    directory = emitted(folder, plan, "parts")
    assert passed(directory, plusargs="+rounds=30")
    # The same document as CBOR gives the same trace.
    run("simulate", plan, "--rounds", "2,1", "--trace", trace, "--report", "-")
    seen = trace.read_text()
    run("compose", "--contexts", *files, "-o", folder / "suite.cbor")
    run("simulate", folder / "suite.cbor", "--rounds", "2,1", "--trace", trace, "--report", "-")
    assert trace.read_text() == seen
    # Damage: an end that passes packets on, a node that sends nothing, and a line that wraps.
    package = directory / "gsm_plan_pkg.sv"
    right = package.read_text()
    for pattern, bit in [(r" \d+: line_end = ", 1), (r" Length = ", 0), (r" 1: places = ", 0)]:
        package.write_text(flipped(right, pattern, bit))
        assert passed(directory, plusargs="+rounds=12") is None, f"a damaged {pattern} passes"
    package.write_text(right)
    # The steps of a line depend on the place of the root, and the tile's are those of the end: messages of three packets.
    files = []
    for collective, size in (("broadcast", "--packets"), ("reduce", "--words")):
        files.append(folder / f"{collective}.json")
        run("plan", collective, *MESH, "--dims", "6x2", "--groups", "x", "--algorithm", "disjoint-trees", size, "3", "--source", "2",
            "-o", files[-1])
    run("compose", "--contexts", *files, "-o", plan)
    directory = emitted(folder, plan, "middle")
    assert passed(directory, plusargs="+rounds=2")[1] == 2 * (5 + 2) + 3
    assert passed(directory, plusargs="+rounds=30")


def check_lanes(folder):
    """Links of several words: a lane that takes the carry of another one is found in the run, and in lock step."""
    trace = folder / "trace.csv"
    plan = folder / "lanes.json"
    for words in (["--link-bits", "256", "--word-bits", "32"], ["--link-bits", "48", "--word-bits", "16"],
                  ["--topology", "mesh", "--link-bits", "64", "--word-bits", "32"]):
        run("plan", "suite", "--dims", "3x4", *words, "-o", plan)
        same_on_all_engines(plan, "3,0,16@2,9,7,5", trace)


def emitted(folder, plan, name):
    run("emit", plan, "--format", "sv", "-o", folder / name)
    return folder / name


def passed(directory, command="make icarus", plusargs=""):
    """The figures of PASS; None where the testbench fails."""
    made = subprocess.run([*command.split(), f"PLUSARGS={plusargs}"], cwd=directory, capture_output=True, text=True)
    found = re.findall(r"^PASS rounds=(\d+) cycles=(\d+) transfers=(\d+) seed=", made.stdout, re.M)
    assert (made.returncode == 0) == (len(found) == 1), made.stdout + made.stderr
    return tuple(map(int, found[0])) if found else None


def flipped(text, pattern, bit):
    """The text with one bit of the literal after the pattern inverted."""
    found = re.search(pattern + r"(\d+)'h([0-9a-f]+)", text)
    digits = f"{int(found.group(2), 16) ^ 1 << bit:0{len(found.group(2))}x}"
    return text[:found.start(2)] + digits + text[found.end(2):]


def check_emit(folder):
    for i, words in enumerate((["4x4"], ["5x4", "--operation", "max", "--link-bits", "20"],
                               ["3x3", "--link-bits", "96", "--word-bits", "32"],
                               ["3x3", "--type", "bfloat16", "--link-bits", "32"])):
        plan = folder / f"suite{i}.json"
        run("plan", "suite", "--dims", *words, "-o", plan)
        directory = emitted(folder, plan, f"sv{i}")
        # Each context once: as many cycles, with two before and one after, and as many transfers, as in the plan's run.
        report = json.loads(run("simulate", plan, "--report", "-").stdout)
        assert report["buildable"] is True, words
        once = passed(directory, plusargs="+rounds=18 +root=0")
        assert once[2] == report["link_transfers"], (once, report["link_transfers"])
        assert once[1] == report["steps"] + 3, (once, report["steps"])
        assert passed(directory, plusargs=f"+rounds=40 +seed={i} +gaps={i % 2}"), words
    # A lane that takes the carry of the one below it.
    adder = folder / "sv2" / "gsm_combine.sv"
    text = adder.read_text()
    lanes = "if (Lanes > 1) begin : gen_lanes"
    assert lanes in text
    adder.write_text(text.replace(lanes, "if (Lanes > Width) begin : gen_lanes"))
    assert passed(folder / "sv2", plusargs="+rounds=18") is None, "one adder for all lanes"
    directory = folder / "sv0"
    package, router = directory / "gsm_plan_pkg.sv", directory / "gsm_context_router.sv"
    right = package.read_text()
    for what, pattern, bit in [("place", r" 5: places = ", 1), ("feed", r" 1: feed = ", 2), ("wiring", r"Rows = ", 0),
                               ("root", r" 3: rank_places_0 = ", 0)]:
        package.write_text(flipped(right, pattern, bit))
        assert passed(directory, plusargs="+rounds=18 +root=3") is None, f"a damaged {what} passes"
    package.write_text(right)
    text = router.read_text()
    masked = "first_i ? first_valid_i[p] : stays_valid;"
    assert masked in text
    router.write_text(text.replace(masked, "(first_i && first_valid_i[p]) || stays_valid;"))
    assert passed(directory) is None, "without the first mask"
    refused(folder, 2, ["emit", plan, "--format", "csv", "-o", folder / "none"], "use sv")


def check_verilator(folder):
    run("plan", "suite", "--dims", "3x3", "-o", folder / "suite.json")
    directory = emitted(folder, folder / "suite.json", "sv")
    # Compiling takes longer than running.
    fast = "verilator -MAKEFLAGS OPT_FAST=-O0 -MAKEFLAGS OPT_SLOW=-O0 -MAKEFLAGS VM_PARALLEL_BUILDS=0"
    made = subprocess.run(["make", "verilator", f"VERILATOR={fast}", "PLUSARGS=+rounds=300"], cwd=directory, capture_output=True,
                          text=True)
    assert made.returncode == 0 and "\nPASS rounds=300 " in made.stdout, made.stdout + made.stderr
    # The netlist of yosys behaves like the text.
    sources = " ".join(name for name in (directory / "gsm_fabric.f").read_text().split() if name.endswith(".sv"))
    for command in (["yosys", "-q", "-p", f"read_verilog -sv -I. {sources}; hierarchy -check -top gsm_fabric; proc; flatten; opt; "
                     "write_verilog -noattr net.v"],
                    ["iverilog", "-g2012", "-s", "gsm_fabric_tb", "-o", "net.vvp", "gsm_plan_pkg.sv", "net.v", "gsm_fabric_tb.sv"],
                    ["vvp", "-n", "net.vvp", "+rounds=60"]):
        made = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        assert made.returncode == 0, made.stdout + made.stderr
    assert "PASS rounds=60 " in made.stdout, made.stdout


def check_refusals(folder):
    out = ["-o", folder / "out.json"]

    def plan(name, *words):
        run("plan", *words, "-o", folder / name)
        return folder / name

    gather = plan("gather.json", "all-gather", "--dims", "4x4")
    rows = plan("rows.json", "all-gather", "--dims", "4x4", "--groups", "x")
    message = plan("message.json", "broadcast", "--dims", "4x4", "--algorithm", "hamiltonian", "--packets", "4")
    other = plan("other.json", "all-gather", "--dims", "4x6")
    relay = plan("relay.json", "broadcast", "--dims", "4x4", "--algorithm", "min-tcd")
    elastic = plan("elastic.json", "all-gather", "--dims", "4x4", "--elastic")
    queued = plan("queued.json", "partial-broadcast", "--dims", "4x4", "--active", "random:3:1")
    timetable = plan("timetable.json", "all-reduce", "--dims", "4x4", "--algorithm", "tree")
    queue = plan("queue.json", "all-gather", "--dims", "4x4", "--packets", "8")
    line_sum = plan("line.json", "all-reduce", "--dims", "4x4", "--words", "1", "--algorithm", "line-sum")
    refused(folder, 2, ["compose", "--contexts", gather, *out], "two or more")
    refused(folder, 2, ["compose", "--contexts", gather, rows, "--first-steps", "1,2", *out], "--first-steps")
    refused(folder, 2, ["compose", "--contexts", gather, other, *out], "other.json", "4x6 torus")
    for bad in (relay, elastic, queued, timetable, queue, line_sum):
        refused(folder, 3, ["compose", "--contexts", gather, bad, *out], bad.name)
    both = folder / "both.json"
    run("compose", "--contexts", gather, rows, message, "-o", both)
    together = folder / "together.json"
    run("compose", rows, plan("columns.json", "all-gather", "--dims", "4x4", "--groups", "y"), "-o", together)
    refused(folder, 3, ["compose", "--contexts", gather, together, *out], "together.json", "consists of several plans")
    many = folder / "many.json"
    run("compose", "--contexts", *[gather] * 40, "-o", many)
    refused(folder, 3, ["compose", "--contexts", many, many, *out], "80 contexts are more than 64")
    for rounds, part in [("3", '"3" is not a context; the plan has contexts 0 to 2'), ("0,x", '"x" is not a context'),
                         ("-1", "is not a context"), ("0@1", "context 0 (all-gather) has no root"),
                         ("2@16", "rank from 0 to 15"), ("2@", "rank from 0 to 15"), ("2@1@2", "rank from 0 to 15")]:
        refused(folder, 2, ["simulate", both, f"--rounds={rounds}", "--report", "-"], "--rounds", part)
    refused(folder, 2, ["simulate", gather, "--rounds", "0", "--report", "-"], "has no contexts")
    refused(folder, 2, ["view", both, "-o", folder / "out.json"], "several collectives")
    refused(folder, 2, ["simulate", both, "--engine", "systemc", "--pin-level"], "--pin-level")
    refused(folder, 2, ["simulate", both, "--engine", "systemc", "--wave", folder / "w.vcd"], "--wave")
    refused(folder, 2, ["cosim", gather, "--rounds", "0"], "has no contexts")
    made = run("cosim", both, "--rounds", "0,2", "--fault", "rtl@3:0:x+", status=1)
    assert "node 0" in made.stderr or "cycle" in made.stderr, made.stderr
    for words, status, part in [(["--packets", "3"], 3, "--packets 2, and several rounds"),
                                (["--topology", "mesh", "--packets", "2"], 3, "--packets 1"),
                                (["--wrap", "x", "--packets", "2"], 3, "--packets 1"),
                                (["--words", "3"], 2, "--words"), (["--algorithm", "array"], 2, "hamiltonian"),
                                (["--groups", "x"], 2, "--groups")]:
        refused(folder, status, ["plan", "suite", "--dims", "4x4", *words, *out], part)
    refused(folder, 3, ["plan", "suite", "--dims", "16", *out], "two dimensions")
    document = json.loads(both.read_text())
    for change, part in [
        (lambda d: d.update(contexts=False), "contexts"),
        (lambda d: d.update(algorithm="simultaneous"), "contexts"),
        (lambda d: d.pop("contexts"), "first_step"),
        (lambda d: d["members"][0].update(first_step=1), "first_step"),
        (lambda d: d["expected"].update(analytic_steps=4), "expected"),
    ]:
        changed = copy.deepcopy(document)
        change(changed)
        (folder / "mutant.json").write_text(json.dumps(changed))
        refused(folder, 2, ["verify", folder / "mutant.json"], "mutant.json", part)
    # A broken link damages every round that uses it, and only these.
    made = json.loads(run("simulate", both, "--rounds", "1,0", "--break", "link:0,0:y+", "--report", "-",
                          status=1).stdout)
    assert [own["complete"] for own in made["members"]] == [True, False]


def exchange(dims, shape=None, steps=None):
    member = Member("all-to-all", shape or dims, k=1)
    member.steps = steps
    return member


MEMORY_OF_5 = r" 5: memory = "


def table_bits(package):
    """Bits of the table of node 5, of the first field of each kind that is in use."""
    size = {name: int(re.search(rf" {name} = (\d+);", package).group(1)) for name in ("PacketBits", "Slots", "Ports")}
    packet, slot = size["PacketBits"], size["Slots"].bit_length()
    kinds = [("send", 1), ("own packet", packet), ("slot to send", slot), ("slot to keep", slot), ("delivery", 1),
             ("delivered packet", packet)]
    table = int(re.search(MEMORY_OF_5 + r"\d+'h([0-9a-f]+)", package).group(1), 16)
    found, at = {}, 0
    while table >> at:
        for what, bits in kinds:
            if table >> at & (1 << bits) - 1:
                found.setdefault(what, at)
            at += bits
    assert len(found) == len(kinds), found
    return found.items()


def check_memory(folder):
    """Timetables beside contexts of registers: random sequences on all engines, and as emitted."""
    seeded = random.Random(18)
    plan, trace = folder / "all.json", folder / "trace.csv"
    for dims, network, count in [([4, 4], TORUS, 4), ([3, 4], TORUS, 3), ([4, 3], MESH, 3)]:
        torus = network is TORUS
        size = ["--dims", "x".join(map(str, dims)), *network]
        files, members = [], []
        if torus:
            run("plan", "suite", *size, "-o", folder / "suite.json")
            files.append(folder / "suite.json")
            members += suite_members(dims, None)
        rows = [dims[0], 1]
        for member, words in [(exchange(dims), []), (exchange(dims, rows), ["--groups", "x"]),
                              (Member("all-gather", dims, k=1), ["--algorithm", "scheduled"])]:
            files.append(folder / f"timetable{len(files)}.json")
            run("plan", member.collective, *size, *words, "-o", files[-1])
            member.steps = json.loads(files[-1].read_text())["expected"]["analytic_steps"]
            members.append(member)
        composed = json.loads(run("compose", "--contexts", *files, "-o", plan, "--json").stdout)
        assert composed["rounds"] == len(members) and composed["memory"] > 0 and composed["buildable"] is True, composed
        # Timetables need no wiring of their own.
        assert composed["wirings"] == (2 if torus else 1), composed
        VALIDATOR.validate(json.loads(plan.read_text()))
        assert json.loads(run("verify", plan, "--report", "-").stdout)["complete"] is True
        first = len(members) - 3
        for _ in range(count):
            words, rounds = random_rounds(dims, members, seeded)
            # Each timetable after itself and between others.
            for at in (1, 2, 5):
                number = seeded.randrange(first, len(members))
                words[at:at], rounds[at:at] = [str(number)] * 2, [members[number]] * 2
            made = json.loads(run("simulate", plan, "--rounds", ",".join(words), "--trace", trace, "--report",
                                  "-").stdout)
            text = trace.read_text()
            judge_rounds(dims, rounds, made, text, f"{size}: {','.join(words)}", [torus] * len(dims))
            for engine in ("systemc", "rtl"):
                run("simulate", plan, "--rounds", ",".join(words), "--engine", engine, "--trace", trace)
                assert trace.read_text() == text, f"{size}, {engine}: {','.join(words)}"
            made = run("cosim", plan, "--rounds", ",".join(words), "--report", "-")
            assert json.loads(made.stdout)["complete"] is True, words
        if dims == [4, 4]:
            continue
        directory = emitted(folder, plan, "x".join(map(str, dims)))
        report = json.loads(run("simulate", plan, "--report", "-").stdout)
        once = passed(directory, plusargs=f"+rounds={len(members)} +root=0")
        assert once[1:] == (report["steps"] + 3, report["link_transfers"]), (once, report["steps"])
        assert passed(directory, plusargs="+rounds=40 +seed=3 +gaps=1"), size
        package = directory / "gsm_plan_pkg.sv"
        right = package.read_text()
        for what, bit in table_bits(right):
            package.write_text(flipped(right, MEMORY_OF_5, bit))
            assert passed(directory, plusargs=f"+rounds=4 +context={first}") is None, f"{size}: a damaged {what} passes"
        package.write_text(right)


def damaged(document, seeded):
    """One number of a context changed."""
    other = copy.deepcopy(document)
    number = seeded.randrange(len(other["members"]))
    kind = seeded.choice(["groups", "demand", "program", "program", "expected"])
    places = list(numbers_in(other["members"][number].get(kind, {})))
    if places:
        value, key = seeded.choice(places)
        value[key] = seeded.choice([value[key] + 1, value[key] - 1, value[key] * 2, seeded.randint(0, 8)])
    return other, f"context {number}, {kind}"


def check_mutants(folder):
    suites = []
    for dims in ([4, 4], [3, 4]):
        suites.append((dims, folder / f"suite{len(suites)}.json", suite_members(dims, None)))
        run("plan", "suite", "--dims", "x".join(map(str, dims)), "-o", suites[-1][1])
    run_mutants(folder, suites, 600)
    files = [folder / "gather.json", folder / "exchange.json"]
    run("plan", "all-gather", "--dims", "3x4", "--algorithm", "scheduled", "-o", files[0])
    run("plan", "all-to-all", "--dims", "3x4", "-o", files[1])
    run("compose", "--contexts", *files, "-o", folder / "timetables.json")
    run_mutants(folder, [([3, 4], folder / "timetables.json", [Member("all-gather", [3, 4], k=1), exchange([3, 4])])], 150)


def run_mutants(folder, contexts, count):
    """A damaged document is refused, or the proof or the run finds it, or nothing that it promises differs. `contexts`:
    the sides, the file and the members of plans."""
    seeded = random.Random(5)
    trace = folder / "trace.csv"
    plans = []
    for dims, file, members in contexts:
        run("simulate", file, "--trace", trace, "--report", "-")
        plans.append((dims, members, json.loads(file.read_text()), trace.read_text()))
    outcomes = collections.Counter()
    for i in range(count):
        dims, members, document, right = plans[i % len(plans)]
        other, kind = damaged(document, seeded)
        if other == document:
            continue
        ended = fate(other, folder, kind)
        if ended != "ran":
            outcomes[ended] += 1
            continue
        if trace.read_text() == right:
            outcomes["same run"] += 1
            continue
        # The run keeps the promises of the changed document.
        own = rows_by_round(trace.read_text(), [member["expected"]["analytic_steps"] for member in other["members"]])
        network = Network(dims, [True] * len(dims))
        for told, member, text in zip(other["members"], map(copy.copy, members), own):
            if "groups" in told:
                member.shape, member.stride = told["groups"]["shape"], told["groups"]["stride"]
            member.root = told["demand"].get("root", 0)
            assert member.judge(network, text) == told["expected"]["analytic_steps"], kind
        outcomes["another plan"] += 1
    print(dict(outcomes))
    assert outcomes["refused"] + outcomes["caught"] > count // 2


with tempfile.TemporaryDirectory() as name:
    {"sequences": check_sequences, "lines": check_lines, "lanes": check_lanes, "memory": check_memory, "lock_step": check_lock_step, "emit": check_emit,
     "verilator": check_verilator, "refusals": check_refusals, "mutants": check_mutants}[PART](pathlib.Path(name))
