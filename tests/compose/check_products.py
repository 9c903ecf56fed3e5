#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks matrix products: check_products.py GOSSAMER SOURCE_DIRECTORY table|lengths|contract|emit|refusals|mutants

table: tori and meshes on proof, fast, systemc, rtl and cosim, with a judge that reads the trace alone and multiplies;
lengths: cycles of blocks of several flits; contract: arrival contracts of compositions; emit: the emitted SystemVerilog writes the same trace in Icarus; refusals: requests and bad input; mutants: damaged documents fail the proof and the runs."""
import collections
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import numpy

from program_under_test import refused, run

SOURCE, PART = sys.argv[2:]
DOCS = pathlib.Path(SOURCE) / "docs"


def validator(name):
    return jsonschema.Draft202012Validator(json.loads((DOCS / f"{name}.schema.json").read_text()))


def plan_of(folder, side, kind="torus"):
    plan = folder / f"{kind}{side}.json"
    run("plan", "gemm", "--topology", kind, "--dims", f"{side}x{side}", "-o", plan)
    return plan


def neighbor(node, port, side, wraps):
    at = [node % side, node // side]
    at[port // 2] += 1 if port % 2 else -1
    if not wraps and not 0 <= at[port // 2] < side:
        return None
    return at[0] % side + at[1] % side * side


def rows_of(text):
    """The rows (step, from, port, packet, member), at most one for a link and a step."""
    lines = text.splitlines()
    assert lines[0] == "step,hop,from,port,packet,member", lines[0]
    rows = [tuple(map(int, line.split(","))) for line in lines[1:]]
    assert rows == sorted(rows) and len({row[:1] + row[2:4] for row in rows}) == len(rows)
    assert all(row[1] == 0 for row in rows)
    return [(row[0], *row[2:]) for row in rows]


def judge(text, side, kind):
    """Multiplies what meets. The last step of a pair; AssertionError unless every node meets each pair in the
    step, or frame, of its distance, and none twice."""
    wraps, frame = kind == "torus", 1 if kind == "torus" else 2
    # The ring of a line: its coordinates in order, and the place of each.
    ring = list(range(side)) if wraps else [*range(0, side, 2), *sorted(range(1, side, 2), reverse=True)]
    place = {x: number for number, x in enumerate(ring)}
    rng = numpy.random.default_rng(side)
    matrices = rng.integers(-9, 10, (side, side)), rng.integers(-9, 10, (side, side))
    nodes = range(side * side)

    def index(node):
        """k of A(i, k) and B(k, j) that start at the node."""
        return (place[node % side] + place[node // side]) % side

    c = numpy.zeros((side, side), dtype=int)
    met = collections.defaultdict(dict)
    for node in nodes:
        y, x, k = node // side, node % side, index(node)
        c[y, x] += matrices[0][y, k] * matrices[1][k, x]
        met[node][k] = 0
    held = {(node, member): {node} for node in nodes for member in (0, 1)}
    frames = collections.defaultdict(lambda: (set(), set()))
    by_step = collections.defaultdict(list)
    for step, *row in rows_of(text):
        by_step[step].append(row)
    for step, rows in sorted(by_step.items()):
        arrived = []
        for node, port, packet, member in rows:
            assert packet in held[node, member], f"node {node} sends {packet} without it"
            assert port // 2 == member, f"a block of member {member} leaves its line"
            to = neighbor(node, port, side, wraps)
            arrived.append((to, member, packet))
            # A block of A begins in the same row, and one of B in the same column.
            assert packet // side == to // side if member == 0 else packet % side == to % side
            frames[to, (step - 1) // frame + 1][member].add(index(packet))
        for to, member, packet in arrived:
            held[to, member].add(packet)
    for (node, number), (a, b) in sorted(frames.items()):
        y, x, own = node // side, node % side, index(node)
        due = {(own + number) % side, (own - number) % side}
        assert due <= a & b, f"node {node} misses a pair in frame {number}"
        if wraps:
            assert a == b == due, f"node {node} meets another pair in step {number}"
        for k in due:
            assert k not in met[node], f"node {node} meets {k} twice"
            met[node][k] = 1 if side == 2 else number * frame
            c[y, x] += matrices[0][y, k] * matrices[1][k, x]
    assert all(len(met[node]) == side for node in nodes), "a node lacks a pair"
    assert (c == matrices[0] @ matrices[1]).all()
    return max(step for pairs in met.values() for step in pairs.values())


def check_table(folder):
    schema = validator("plan")
    for kind, side in [*(("torus", n) for n in (2, 3, 4, 5, 6, 7, 8, 9, 16)), *(("mesh", n) for n in (2, 3, 4, 5, 6, 7, 8, 9))]:
        plan = plan_of(folder, side, kind)
        document = json.loads(plan.read_text())
        schema.validate(document)
        assert (document["collective"], document["algorithm"]) == ("gemm", "cannon")
        # On a line of two nodes, the first step of the frame is enough.
        steps = 1 if side == 2 else side // 2 * (1 if kind == "torus" else 2)
        proof = json.loads(run("verify", plan, "--report", "-").stdout)
        assert proof["proved_by"] == ("members, pairs by distance" if kind == "torus" else "members, pairs by replay of a line")
        seen, trace = None, folder / "trace.csv"
        engines = ("fast", "systemc", "rtl") if side in (2, 3, 4, 5, 8) or (kind, side) == ("torus", 16) else ("fast", "systemc")
        for engine in engines:
            made = json.loads(run("simulate", plan, "--engine", engine, "--trace", trace, "--report", "-").stdout)
            for report in (proof, made):
                assert report["complete"] is True and report["steps"] == report["analytic_steps"] == steps, (kind, side)
                assert report["cycles"] == steps and report["link_conflicts"] == 0
                bound = side // 2 if kind == "torus" else side - 1
                assert report["lower_bound_steps"] == bound, report["lower_bound_steps"]
            assert made["link_transfers"] == proof["link_transfers"]
            assert seen in (None, trace.read_text()), f"{kind} {side}, {engine}: another trace"
            seen = trace.read_text()
        assert judge(seen, side, kind) == steps
        if kind == "torus":
            assert len(rows_of(seen)) == steps * 4 * side * side, "idle links"
        if side in (3, 4):
            assert json.loads(run("cosim", plan, "--report", "-").stdout)["steps"] == steps
        print(f"{kind} {side}x{side}: {steps} steps")
    # The judge finds a block that comes one step later, and one that does not come.
    lines = seen.splitlines()
    for other in (lines[:-1], [*lines[:-1], f"{steps + 1}{lines[-1][lines[-1].index(','):]}"]):
        try:
            judge("\n".join(other), side, kind)
        except AssertionError:
            continue
        raise AssertionError("a damaged trace is accepted")


def check_lengths(folder):
    schema = validator("plan")
    for kind, side, size, bits, latency in (("torus", 5, 1, 8, 1), ("torus", 5, 64, 32, 1), ("torus", 8, 100, 48, 1), ("mesh", 4, 64, 32, 1),
                                            ("torus", 4, 1024, 16, 3), ("mesh", 5, 9, 8, 2)):
        plan = plan_of(folder, side, kind)
        run("simulate", plan, "--trace", folder / "short.csv")
        run("plan", "gemm", "--topology", kind, "--dims", f"{side}x{side}", "--bytes", str(size), "--link-bits", str(bits),
            "--link-latency", str(latency), "-o", folder / "long.json")
        schema.validate(json.loads((folder / "long.json").read_text()))
        steps = side // 2 * (1 if kind == "torus" else 2)
        flits = -(-8 * size // bits)
        cycles = steps * (flits + latency - 1)
        reports = [json.loads(run("verify", folder / "long.json", "--report", "-").stdout)]
        for engine in ("fast", "systemc", "rtl"):
            reports.append(json.loads(run("simulate", folder / "long.json", "--engine", engine, "--trace", folder / "long.csv",
                                          "--report", "-").stdout))
            assert (folder / "long.csv").read_text() == (folder / "short.csv").read_text(), (kind, side, engine)
        for report in reports:
            assert report["complete"] is True and report["steps"] == steps, report
            assert report["cycles"] == report["analytic_cycles"] == cycles, (kind, side, report["cycles"], cycles)
            physical = report["physical"]
            assert physical["packet_flits"] == flits and physical["packets"] == 1
            # A node has an input link per port on a torus, a node in a corner of a mesh one per operand.
            foreign = (side - 1) * flits
            assert physical["lower_bound_cycles"] == (-(-2 * foreign // 4) if kind == "torus" else foreign)
            assert physical["delivered_bytes"] == 2 * side**2 * (side - 1) * size
            assert physical["energy"]["link_flits"] == report["link_transfers"] * flits
            assert [member["cycles"] for member in report["members"]] == [
                member["steps"] * (flits + latency - 1) for member in report["members"]]
        run("emit", folder / "long.json", "--format", "arrivals", "-o", folder / "contract")
        run("verify", folder / "long.json", "--arrivals", folder / "contract" / "arrivals.json")
        assert json.loads((folder / "contract" / "arrivals.json").read_text())["cycles"] == cycles
        # The length of a message can be given later.
        given = run("verify", plan, "--bytes", str(size), "--link-bits", str(bits), "--link-latency", str(latency), "--report", "-")
        assert json.loads(given.stdout)["cycles"] == cycles
        print(f"{kind} {side}x{side}, {flits} flits, latency {latency}: {cycles} cycles")
    document = json.loads((folder / "long.json").read_text())
    for edit in (lambda d: d["parameters"].update(packets=1), lambda d: d["members"][0]["parameters"].update(bytes=9)):
        changed = copy.deepcopy(document)
        edit(changed)
        (folder / "changed.json").write_text(json.dumps(changed))
        assert "parameters" in run("verify", folder / "changed.json", status=2).stderr


def check_contract(folder):
    schema = validator("arrivals")
    run("plan", "all-gather", "--dims", "4x3", "--groups", "x", "-o", folder / "rows.json")
    run("plan", "reduce-scatter", "--dims", "4x3", "--groups", "y", "-o", folder / "columns.json")
    run("compose", folder / "rows.json", folder / "columns.json", "-o", folder / "both.json", "--first-steps", "2,1")
    for plan in (plan_of(folder, 5), plan_of(folder, 4, "mesh"), folder / "both.json"):
        out = folder / "contract"
        run("emit", plan, "--format", "arrivals", "-o", out)
        contract = json.loads((out / "arrivals.json").read_text())
        schema.validate(contract)
        run("simulate", plan, "--trace", folder / "trace.csv")
        dims, wraps = contract["dims"], contract["topology"] == "torus"
        expected = []
        for line in (folder / "trace.csv").read_text().splitlines()[1:]:
            row = list(map(int, line.split(",")))
            at = [row[2] % dims[0], row[2] // dims[0]]
            at[row[3] // 2] += 1 if row[3] % 2 else -1
            assert wraps or all(0 <= x < n for x, n in zip(at, dims))
            to = at[0] % dims[0] + at[1] % dims[1] * dims[0]
            expected.append((to, row[0], ("x-", "x+", "y-", "y+")[row[3] ^ 1], row[4], row[-1]))
        said = [(entry["node"], *row) for entry in contract["nodes"] for row in entry["arrivals"]]
        assert sorted(said) == sorted(expected) and said, plan
        firsts = {}
        for node, cycle, _, packet, member in sorted(said, key=lambda row: -row[1]):
            firsts[node, member, packet] = cycle
        inverse = {(entry["node"], row[2], row[0]): row[1] for entry in contract["nodes"] for row in entry["first_cycles"]}
        assert inverse == firsts, plan
        run("verify", plan, "--arrivals", out / "arrivals.json")
        changed = copy.deepcopy(contract)
        changed["nodes"][7]["arrivals"][1][3] ^= 1
        (out / "arrivals.json").write_text(json.dumps(changed))
        made = run("verify", plan, "--arrivals", out / "arrivals.json", status=1)
        assert "node 7: arrivals: entry 1 is" in made.stderr and made.stderr.count("\n") == 1, made.stderr


def check_emit(folder):
    # On meshes of even side the last blocks meet after both all-gathers are complete.
    for kind, side in (("torus", 4), ("torus", 5), ("mesh", 3), ("mesh", 4)):
        plan, out = plan_of(folder, side, kind), folder / f"sv_{kind}{side}"
        run("emit", plan, "--format", "sv", "-o", out)
        run("simulate", plan, "--trace", folder / "trace.csv")
        made = subprocess.run(["make", "icarus", f"PLUSARGS=+trace={out / 'trace.csv'} +rounds=2"], cwd=out,
                              capture_output=True, text=True)
        assert made.returncode == 0 and "\nPASS" in made.stdout, made.stdout + made.stderr
        assert (out / "trace.csv").read_text() == (folder / "trace.csv").read_text(), f"{kind} {side}: another trace"
        assert json.loads(run("simulate", plan, "--report", "-").stdout)["buildable"] is True


def check_refusals(folder):
    out = ["-o", folder / "out.json"]
    for words, nearest in ((["--dims", "4x6"], "--dims 4x4"), (["--dims", "8"], "--dims 8x8"),
                           (["--dims", "4x4x4"], "--dims 4x4"), (["--dims", "1x5"], "--dims 5x5"),
                           (["--topology", "mesh", "--dims", "5x3"], "--dims 3x3"),
                           (["--dims", "4x4", "--wrap", "x"], "--topology torus"), (["--dims", "4x4", "--dead-node", "1,1"], "without faults")):
        refused(folder, 3, ["plan", "gemm", *words, *out], "nearest feasible", nearest)
    refused(folder, 3, ["plan", "gemm", "--dims", "4x4", "--groups", "2x2", *out], "--groups")
    refused(folder, 2, ["plan", "gemm", "--dims", "4x4", "--packets", "2", *out], "--packets")
    refused(folder, 2, ["plan", "gemm", "--dims", "4x4", "--link-bits", "64", *out], "--link-bits", "--bytes")
    refused(folder, 2, ["plan", "gemm", "--dims", "4x4", "--algorithm", "hamiltonian", *out], "hamiltonian")


def check_mutants(folder):
    plan = plan_of(folder, 6)
    document = json.loads(plan.read_text())
    other = json.loads(plan_of(folder, 5).read_text())

    def broken(edit, status, *parts):
        changed = copy.deepcopy(document)
        edit(changed)
        (folder / "changed.json").write_text(json.dumps(changed))
        made = run("verify", folder / "changed.json", status=status)
        assert all(part in made.stderr for part in parts), made.stderr
        return made

    broken(lambda d: d["members"].reverse(), 2, "along x and along y")
    broken(lambda d: d["members"].pop(), 2, "along x and along y")
    broken(lambda d: d["members"][1].update(first_step=2), 2)
    broken(lambda d: d.update(algorithm="simultaneous"), 2, "cannon")
    broken(lambda d: d.update(collective="composition"), 2, "cannon")
    broken(lambda d: d.update(topology=other["topology"]), 2)
    broken(lambda d: d["expected"].update(analytic_steps=4), 2, "expected")

    # Complete in three steps, but each block that travels in direction y- comes one step late: its node sends
    # its own block twice. B(k) misses A(k), so proof and runs refuse the plan.
    changed = copy.deepcopy(document)
    member = changed["members"][1]
    for entry in member["program"]["program"]["ports"]:
        if entry["preload"] and entry["feed"] == ["x+"]:
            entry["preload"] = [0, 0]
    member["expected"]["queue_depth"] = changed["expected"]["queue_depth"] = 2
    (folder / "late.json").write_text(json.dumps(changed))
    made = run("verify", folder / "late.json", status=1)
    assert "member 1: node 0 of a line does not receive the block of node 1 in step 1" not in made.stderr
    assert "member 1: node 0 of a line does not receive the block of node" in made.stderr, made.stderr
    made = run("simulate", folder / "late.json", status=1)
    assert "incomplete" in made.stderr, made.stderr


with tempfile.TemporaryDirectory() as name:
    {"table": check_table, "lengths": check_lengths, "contract": check_contract, "emit": check_emit, "refusals": check_refusals, "mutants": check_mutants}[PART](pathlib.Path(name))
