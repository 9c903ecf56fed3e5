#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks compositions: check_compositions.py GOSSAMER SCHEMA table|emit|refusals|mutants

table: pairs of collectives on proof, fast, systemc, rtl and cosim, with a judge that reads the trace alone;
emit: the emitted SystemVerilog writes the same trace in Icarus; refusals: bad input; mutants: damaged documents are refused or their runs differ from the promise."""
import collections
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from composition_members import MESH, PART, TORUS, VALIDATOR, Member
from group_judge import Groups, Network
from program_under_test import fate, numbers_in, refused, run


def members_of(trace, firsts):
    """The trace of each member in steps of its own. No output port sends twice in a step, and rows ascend."""
    lines = trace.splitlines()
    columns = lines[0].split(",")
    assert columns[:5] == ["step", "hop", "from", "port", "packet"] and columns[-1] == "member", lines[0]
    assert columns[5:-1] in ([], ["terms"]), lines[0]
    rows = [tuple(map(int, line.split(","))) for line in lines[1:]]
    assert rows == sorted(rows), "rows do not ascend"
    assert len({(row[0], row[2], row[3]) for row in rows}) == len(rows), "two packets on one link in one step"
    ports = {}
    for row in rows:
        assert ports.setdefault((row[2], row[3]), row[-1]) == row[-1], f"two members send by {row[2:4]}"
    own = [[",".join(columns[:-1])] for _ in firsts]
    last = [0] * len(firsts)
    for row in rows:
        step = row[0] - firsts[row[-1]] + 1
        assert step >= 1, f"member {row[-1]} sends in step {row[0]}"
        own[row[-1]].append(",".join(map(str, (step, *row[1:-1]))))
        last[row[-1]] = step
    return ["\n".join(lines) for lines in own], last, rows


# Sides, network, members, steps of the whole, whether every link is busy in every step.
CASES = [
    ([16, 16], TORUS, [Member("all-gather", [16, 1], k=1), Member("reduce-scatter", [1, 16], k=1)], 8, True),
    ([6, 6], TORUS, [Member("all-gather", [6, 1], k=1), Member("all-gather", [1, 6], k=1)], 3, True),
    ([5, 4], TORUS, [Member("all-reduce", [5, 1], k=1), Member("all-to-all", [1, 4])], None, False),
    ([4, 4, 4], TORUS, [Member("all-gather", [4, 1, 1], k=2), Member("all-gather", [1, 4, 1], k=1, first=2),
                        Member("reduce", [1, 1, 4], m=3, root=2)], None, False),
    ([6, 4], MESH, [Member("all-gather", [3, 1], k=1), Member("barrier", [1, 4])], None, False),
    ([5, 4], TORUS, [Member("broadcast", [5, 1], m=3, root=1, first=3), Member("all-to-all", [1, 4])], None, False),
    ([8, 4], TORUS, [Member("all-gather", [4, 1], k=2, stride=[2, 1]), Member("broadcast", [1, 4], m=3, root=1)],
     None, False),
    ([4, 4, 3], TORUS, [Member("all-reduce", [4, 4, 1], m=8), Member("all-gather", [1, 1, 3], k=2, first=4)], None,
     False),
]


def compose(folder, dims, network, members, output="both.json"):
    files = []
    for i, member in enumerate(members):
        files.append(folder / f"{i}.json")
        run(*member.words(dims, network), "-o", files[-1])
    run("compose", *files, "-o", folder / output, "--first-steps", ",".join(str(m.first) for m in members))
    return folder / output


def check_figures(report, members, steps, name):
    assert report["complete"] is True and report["steps"] == steps == report["analytic_steps"], name
    assert report["cycles"] == steps and report["lower_bound_steps"] <= steps and report["link_conflicts"] == 0, name
    assert len(report["members"]) == len(members), name
    for own, member in zip(report["members"], members):
        assert own["complete"] is True and own["steps"] == own["analytic_steps"] == own["cycles"], name
        assert own["lower_bound_steps"] <= own["steps"] and "groups" in own, name
    assert steps == max(m.first - 1 + r["steps"] for r, m in zip(report["members"], members)), name
    assert report["link_transfers"] == sum(r["link_transfers"] for r in report["members"]), name


def check_table(folder):
    for dims, network, members, steps, busy in CASES:
        plan = compose(folder, dims, network, members)
        VALIDATOR.validate(json.loads(plan.read_text()))
        proof = json.loads(run("verify", plan, "--report", "-").stdout)
        steps = steps or proof["steps"]
        check_figures(proof, members, steps, "proof")
        wraps = [network is TORUS] * len(dims)
        firsts = [member.first for member in members]
        trace = folder / "trace.csv"
        seen = None
        for engine in ("fast", "systemc", "rtl"):
            made = json.loads(run("simulate", plan, "--engine", engine, "--trace", trace, "--report", "-").stdout)
            check_figures(made, members, steps, engine)
            assert [r["link_transfers"] for r in made["members"]] == [r["link_transfers"] for r in proof["members"]]
            text = trace.read_text()
            assert seen in (None, text), f"{engine}: another trace"
            seen = text
        traces, last, rows = members_of(seen, firsts)
        judged = Network(dims, wraps)
        for member, own, end, report in zip(members, traces, last, proof["members"]):
            assert member.judge(judged, own) == report["steps"] >= end, f"{dims}: {member.collective}"
        if busy:
            assert len(rows) == steps * judged.nodes * 2 * len(dims), f"{dims}: idle links"
            assert proof["lower_bound_steps"] == steps
        assert json.loads(run("cosim", plan, "--report", "-").stdout)["steps"] == steps
        # The same document as CBOR, and again as JSON.
        cbor = compose(folder, dims, network, members, "both.cbor")
        run("simulate", cbor, "--trace", trace, "--report", "-")
        assert trace.read_text() == seen
        print(f"{'x'.join(map(str, dims))}: {', '.join(m.collective for m in members)}: {steps} steps")


def check_emit(folder):
    emitted = [
        ([4, 4], [Member("all-gather", [4, 1], k=1), Member("reduce-scatter", [1, 4], k=1)]),
        ([4, 3, 3], [Member("all-gather", [4, 1, 1], k=2), Member("all-gather", [1, 3, 1], k=1, first=2),
                     Member("reduce", [1, 1, 3], m=3, root=2)]),
        ([5, 4], [Member("broadcast", [5, 1], m=3, root=1, first=3), Member("all-to-all", [1, 4])]),
    ]
    for i, (dims, members) in enumerate(emitted):
        plan = compose(folder, dims, TORUS, members)
        folder_of = folder / f"sv{i}"
        run("emit", plan, "--format", "sv", "-o", folder_of, *(["--name", "chip"] if i == 1 else []))
        run("simulate", plan, "--trace", folder / "trace.csv", "--report", "-")
        trace = folder_of / "trace.csv"
        made = subprocess.run(["make", "icarus", f"PLUSARGS=+trace={trace} +rounds=2"], cwd=folder_of,
                              capture_output=True, text=True)
        assert made.returncode == 0 and "\nPASS" in made.stdout, made.stdout + made.stderr
        assert trace.read_text() == (folder / "trace.csv").read_text(), f"{dims}: another trace"
        # The testbench finds a damaged wiring.
        package = folder_of / ("chip_plan_pkg.sv" if i == 1 else "gsm_plan_pkg.sv")
        text = package.read_text()
        begin = text.index("member1_in = '0;")
        line = next(part for part in text[begin:].splitlines() if "member1_in = " in part and "'h" in part)
        package.write_text(text[:begin] + text[begin:].replace(line, line.split("'h")[0] + "'h0;", 1))
        made = subprocess.run(["make", "icarus"], cwd=folder_of, capture_output=True, text=True)
        assert made.returncode != 0 and "FAIL" in made.stdout, made.stdout + made.stderr
    strided = compose(folder, [8, 4], TORUS, [Member("all-gather", [4, 1], k=1, stride=[2, 1]),
                                              Member("all-gather", [1, 4], k=1)])
    refused(folder, 3, ["emit", strided, "--format", "sv", "-o", folder / "none"], "strides above 1")
    refused(folder, 2, ["emit", strided, "--format", "csv", "-o", folder / "none"], "composition")


def check_refusals(folder):
    out = ["-o", folder / "out.json"]

    def plan(name, *words):
        run("plan", *words, "-o", folder / name)
        return folder / name

    rows = plan("rows.json", "all-gather", "--dims", "6x6", "--groups", "x")
    columns = plan("columns.json", "reduce-scatter", "--dims", "6x6", "--groups", "y")
    whole = plan("whole.json", "all-gather", "--dims", "6x6")
    tiles = plan("tiles.json", "all-gather", "--dims", "6x6", "--groups", "3x1")
    mesh = plan("mesh.json", "all-gather", "--dims", "6x6", "--topology", "mesh", "--groups", "y")
    grid = plan("grid.json", "all-gather", "--dims", "6x6", "--wrap", "x", "--groups", "y")
    other = plan("other.json", "all-gather", "--dims", "6x8", "--groups", "y")
    wide = plan("wide.json", "reduce-scatter", "--dims", "6x6", "--groups", "y", "--link-bits", "16")
    narrow = plan("narrow.json", "reduce-scatter", "--dims", "6x6", "--groups", "x")
    broken = plan("broken.json", "all-gather", "--dims", "6x6", "--dead-link", "0,0:x+")
    relay = plan("relay.json", "broadcast", "--dims", "6x6", "--algorithm", "min-tcd")
    elastic = plan("elastic.json", "all-gather", "--dims", "6x6", "--elastic")
    refused(folder, 2, ["compose", rows, *out], "rows.json", "two or more")
    refused(folder, 2, ["compose", rows, mesh, *out], "mesh.json", "6x6 mesh", "6x6 torus")
    refused(folder, 2, ["compose", rows, grid, *out], "grid.json", "wrapping in x")
    refused(folder, 2, ["compose", rows, other, *out], "other.json", "6x8 torus")
    refused(folder, 2, ["compose", narrow, wide, *out], "wide.json", "link-bits 16", "32")
    refused(folder, 2, ["compose", rows, broken, *out], "broken.json", "faults")
    refused(folder, 2, ["compose", rows, folder / "none.json", *out], "none.json")
    refused(folder, 2, ["compose", rows, columns, "--first-steps", "1", *out], "--first-steps")
    refused(folder, 2, ["compose", rows, columns, "--first-steps", "1,0", *out], "--first-steps")
    refused(folder, 3, ["compose", rows, whole, *out], "member 0 (", "rows.json", "member 1 (", "whole.json",
            "output port x- of node 0 (0,0)")
    refused(folder, 3, ["compose", columns, rows, tiles, *out], "member 1 (", "rows.json", "member 2 (",
            "tiles.json", "output port x+ of node 0 (0,0)")
    # Even at different times.
    refused(folder, 3, ["compose", rows, tiles, "--first-steps", "1,50", *out], "output port")
    refused(folder, 3, ["compose", rows, relay, *out], "relay.json", "steps of one link")
    refused(folder, 3, ["compose", rows, elastic, *out], "elastic.json", "steps of one link")
    both = folder / "both.json"
    run("compose", rows, columns, "-o", both)
    refused(folder, 3, ["compose", both, rows, *out], "both.json", "consists of several plans")
    refused(folder, 2, ["view", both, "-o", folder / "out.json"], "several collectives")
    refused(folder, 2, ["simulate", both, "--bytes", "64", "--report", "-"], "each member")
    refused(folder, 2, ["simulate", both, "--engine", "systemc", "--wave", folder / "w.vcd"], "--wave")
    # A broken link damages the collective that it belongs to.
    made = json.loads(run("simulate", both, "--break", "link:0,0:x+", "--report", "-", status=1).stdout)
    assert [own["complete"] for own in made["members"]] == [False, True]
    made = run("cosim", both, "--fault", "rtl@2:3:y+", status=1)
    assert "node 3" in made.stderr or "node 9" in made.stderr, made.stderr
    document = json.loads(both.read_text())
    for change, part in [
        (lambda d: d.update(collective="gossip"), "collective"),
        (lambda d: d.update(members=[]), "members"),
        (lambda d: d["members"][1].pop("first_step"), "first_step"),
        (lambda d: d["members"][1].update(first_step=0), "first_step"),
        (lambda d: d["members"][0]["expected"].update(analytic_steps=None), "analytic_steps"),
        (lambda d: d["members"][0].update(algorithm="nonsense"), "member 0: algorithm"),
        (lambda d: d["members"][0].update(unknown=1), "unknown"),
        (lambda d: d.update(program=d["members"][0]["program"]), "program"),
        (lambda d: d["expected"].update(analytic_steps=4), "expected"),
        (lambda d: d["members"].append({"members": []}), "member 2"),
    ]:
        other = copy.deepcopy(document)
        change(other)
        (folder / "mutant.json").write_text(json.dumps(other))
        refused(folder, 2, ["verify", folder / "mutant.json"], "mutant.json", part)
    # Two members by one port.
    other = copy.deepcopy(document)
    other["members"][1] = copy.deepcopy(other["members"][0])
    other["expected"] = copy.deepcopy(other["members"][0]["expected"])
    other["expected"]["analytic_cycles"] = other["expected"]["analytic_steps"]
    (folder / "mutant.json").write_text(json.dumps(other))
    made = run("verify", folder / "mutant.json", status=1)
    assert "share output port x- of node 0" in made.stderr, made.stderr
    made = run("simulate", folder / "mutant.json", status=1)
    assert "link conflicts" in made.stderr, made.stderr


def damaged(document, seeded):
    """One number of a member changed, or two members' parts exchanged."""
    other = copy.deepcopy(document)
    number = seeded.randrange(len(other["members"]))
    member = other["members"][number]
    kind = seeded.choice(["groups", "groups", "demand", "program", "first_step", "expected", "exchange"])
    if kind == "exchange":
        part = seeded.choice(["groups", "demand", "program", "collective"])
        partner = other["members"][(number + 1) % len(other["members"])]
        member[part], partner[part] = partner[part], member[part]
        return other, f"{part} exchanged"
    places = [(member, kind)] if kind == "first_step" else list(numbers_in(member[kind]))
    value, key = seeded.choice(places)
    before = value[key]
    value[key] = seeded.choice([before + 1, before - 1, before * 2, before // 2, seeded.randint(0, 8)])
    return other, f"member {number}, {kind}: {before} is {value[key]}"


def check_mutants(folder, count=420):
    seeded = random.Random(48)
    trace = folder / "trace.csv"
    plans = []
    for i, (dims, network, members, _, _) in enumerate(case for case in CASES if case[0] != [16, 16]):
        plan = compose(folder, dims, network, members, f"plan{i}.json")
        run("simulate", plan, "--trace", trace, "--report", "-")
        plans.append((dims, network, members, json.loads(plan.read_text()), trace.read_text()))
    outcomes = collections.Counter()
    for i in range(count):
        dims, network, members, document, right = plans[i % len(plans)]
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
        own, last, _ = members_of(trace.read_text(), [m["first_step"] for m in other["members"]])
        for told, text, end in zip(other["members"], own, last):
            network_of = Network(dims, [network is TORUS] * len(dims))
            groups = Groups(network_of, told["groups"]["shape"], told["groups"]["stride"])
            pieces, name = told["demand"]["pieces"], told["collective"]
            member = Member("all-gather" if name == "gossip" else name, told["groups"]["shape"],
                            stride=told["groups"]["stride"], root=told["demand"].get("root", 0))
            if member.collective == "all-gather":
                member.k = pieces
            elif "ids" in told["groups"] or member.collective == "reduce-scatter":
                member.k = pieces // groups.size
            elif member.collective != "all-to-all":
                member.m = pieces
            steps = member.judge(network_of, text)
            assert steps == told["expected"]["analytic_steps"] >= end, kind
        outcomes["another plan"] += 1
    print(dict(outcomes))
    assert outcomes["refused"] + outcomes["caught"] > count // 2


with tempfile.TemporaryDirectory() as name:
    {"table": check_table, "emit": check_emit, "refusals": check_refusals, "mutants": check_mutants}[PART](pathlib.Path(name))
