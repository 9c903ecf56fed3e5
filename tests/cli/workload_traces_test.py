#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workloads as Chakra traces, read and written, against an encoder of the tests.

    workload_traces_test.py GOSSAMER SOURCE CASE
"""
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import unittest

import yaml

from workload_runs import EXAMPLES, GOSSAMER, LINKS, NETWORK, SOURCE, answer, number, run

sys.path.insert(0, str(pathlib.Path(SOURCE) / "tests" / "foreign"))
import astra  # noqa: E402
import chakra  # noqa: E402

SIDE = 8


def micros(text):
    return number(text) // 1000


def rows_and_columns(side=SIDE):
    """Communicator groups of a square: rows from 1 on, then columns."""
    rows = [[y * side + x for x in range(side)] for y in range(side)]
    return {str(1 + i): ranks for i, ranks in enumerate(rows + [list(column) for column in zip(*rows)])}


def attributes_of(step, rank, side=SIDE):
    group = {"x": 1 + rank // side, "y": 1 + side + rank % side, None: None}[step.get("groups")]
    return ([("comm_type", 9, chakra.COLLECTIVES[step["collective"]]), ("comm_size", 9, number(step["bytes"]))] +
            ([("pg_name", 29, str(group))] if group else []))


def trace(steps, rank, side=SIDE):
    """A node per run of a step."""
    out, last, ids = chakra.HEADER, {}, 0
    for index, step in enumerate(steps):
        after = step.get("after", [steps[index - 1]["name"]] if index else [])
        waits = [last[name] for name in ([after] if isinstance(after, str) else after)]
        for _ in range(step.get("repeat", 1)):
            out += (chakra.workload_node(ids, step["name"], chakra.COMP, waits, [], micros(step["compute"]))
                    if "compute" in step else
                    chakra.workload_node(ids, step["name"], chakra.COMM_COLL, waits, attributes_of(step, rank, side)))
            waits, last[step["name"]] = [ids], ids
            ids += 1
    return out


def write(directory, traces, groups, name="workload"):
    for rank, contents in enumerate(traces):
        (directory / f"{name}.{rank}.et").write_bytes(contents)
    if groups is not None:
        (directory / f"{name}.json").write_text(json.dumps(groups))


class Reading(unittest.TestCase):
    def test_traces_of_the_examples_give_the_figures_of_their_yaml(self):
        for file in sorted(EXAMPLES.glob("*.yaml")):
            steps = yaml.safe_load(file.read_text())["steps"]
            with self.subTest(file.name), tempfile.TemporaryDirectory() as directory:
                directory = pathlib.Path(directory) / "traces"
                directory.mkdir()
                write(directory, [trace(steps, rank) for rank in range(SIDE**2)], rows_and_columns())
                wanted, read = (answer("workload", source, *NETWORK, "--plans-only", "--json")
                                for source in (file, directory))
                self.assertEqual(read.pop("workload"), "traces")
                self.assertEqual(wanted.pop("workload"), file.name)
                for result in (wanted, read):
                    for row in result["collectives"]:
                        # Axes in the YAML, shapes from the traces.
                        row["groups"] = {"x": "8x1", "y": "1x8"}.get(row["groups"], row["groups"])
                    for one in result["timeline"]:
                        del one["run"]
                self.assertEqual(read, wanted)

    def check(self, nodes, status, message, groups=None, others=None, options=(), network=("--dims", "2x2")):
        """`nodes` is the trace of node 0 after its header, `others` of all others; `message` is a line, DIR the directory."""
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            write(directory, [chakra.HEADER + nodes] + [chakra.HEADER + (nodes if others is None else others)] * 3, groups)
            out = directory / "out"
            done = run("workload", directory, *network, *options, "-o", out)
            if status:
                self.assertEqual(done.stderr, "gossamer: " + message.replace("DIR", str(directory)) + "\n")
                self.assertEqual(done.stdout, "")
            self.assertEqual((done.returncode, out.exists()), (status, not status))
            return done.stdout

    def test_wrong_traces_are_refused_with_file_and_node(self):
        node, comp, coll = chakra.workload_node, chakra.COMP, chakra.COMM_COLL
        work = node(0, "work", comp, [], [], 5)
        gather = [("comm_type", 9, 2), ("comm_size", 9, 1024)]
        first = "DIR/workload.0.et: "
        self.check(work + node(7, "ask", chakra.COMM_SEND, [0], []), 2,
                   first + "node 7 (ask): type COMM_SEND is not supported; supported: COMP, COMM_COLL")
        self.check(work + node(7, "", 77, [0], []), 2,
                   first + "node 7: type 77 is not supported; supported: COMP, COMM_COLL")
        self.check((work + node(3, "gather", coll, [0], gather))[:-5], 2,
                   first + "after node 0 (work): the trace is truncated: a node of 46 bytes begins at byte 19, and 41 are left")
        self.check(work + b"\x80", 2, first + "after node 0 (work): the trace is truncated at byte 19, in the length of a node")
        self.check(work + chakra.message(b"\x0a\xff"), 2, first + "after node 0 (work): byte 19: not a node of a Chakra trace")
        self.check(node(1, "a", comp, [2], [], 1) + node(2, "b", coll, [1], gather), 2,
                   first + "node 1 (a): the step waits for itself: a after b after a")
        self.check(node(1, "a", comp, [2], [], 1), 2, first + "node 1 (a): it depends on node 2, which the trace does not have")
        self.check(work + work, 2, first + "node 0 (work): two nodes of the trace have this id")
        self.check(node(4, "a", comp, [], []), 2, first + "node 4 (a): a computation requires duration_micros, and it has none")
        self.check(node(4, "a", coll, [], gather[:1]), 2, first + "node 4 (a): a collective requires comm_size, and it has none")
        self.check(node(4, "a", coll, [], [("comm_type", 29, "x"), gather[1]]), 2,
                   first + "node 4 (a): comm_type: a whole number is expected")
        self.check(node(4, "a", coll, [], [("comm_type", 9, 3), gather[1]]), 2, first + "node 4 (a): comm_type GATHER is not "
                   "supported; supported: ALL_REDUCE, REDUCE, ALL_GATHER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER, BARRIER")
        self.check(node(4, "a", coll, [], [gather[0], ("comm_size", 9, 0)]), 2,
                   first + "node 4 (a): comm_size: 0 bytes; 1 to 1024 GiB are expected")
        self.check(b"", 2, first + "the trace has no nodes")
        self.check(work, 2, "DIR/workload.1.et: node 0 (more): it differs from workload.0.et; all nodes run the same steps",
                   others=node(0, "more", comp, [], [], 6))
        self.check(work, 2, "DIR/workload.1.et: node 9 (more): it differs from workload.0.et; all nodes run the same steps",
                   others=work + node(9, "more", comp, [], [], 6))
        self.check(work, 2, "DIR: workload.0.et, ...: 4 traces for the 16 nodes of the 4x4 torus", network=("--dims", "4x4"))
        with tempfile.TemporaryDirectory() as directory:
            done = run("workload", directory, "--dims", "2x2")
            self.assertEqual((done.returncode, done.stderr), (2, f"gossamer: {directory}: no traces; files NAME.RANK.et "
                                                                 "are expected, one per node\n"))

    def test_damaged_traces_are_read_or_refused_in_one_line(self):
        steps = [{"name": "a", "collective": "all-gather", "bytes": "1KiB", "groups": "x"},
                 {"name": "b", "compute": "5us", "after": []},
                 {"name": "c", "collective": "all-reduce", "bytes": "2KiB", "after": ["a", "b"]}]
        dice, refused = random.Random(53), 0
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            for _ in range(120):
                traces = [bytearray(trace(steps, rank, 2)) for rank in range(4)]
                at, value, kind = dice.randrange(len(traces[0])), dice.randrange(256), dice.randrange(4)
                for one in traces:
                    # The same place in all traces: replaced, removed, inserted, or the end.
                    one[at:] = [bytes([value]) + one[at + 1:], one[at + 1:], bytes([value]) + one[at:], b""][kind]
                write(directory, traces, rows_and_columns(2))
                done = subprocess.run([GOSSAMER, "workload", directory, "--dims", "2x2", "--plans-only", "--json"],
                                      capture_output=True, check=False)
                self.assertIn(done.returncode, (0, 2, 3))
                if done.returncode:
                    refused += 1
                    self.assertEqual((done.stderr.count(b"\n"), done.stdout), (1, b""))
        self.assertGreater(refused, 60)
        self.assertLess(refused, 120)

    def test_communicators_that_are_no_groups_are_refused(self):
        gather = lambda group: chakra.workload_node(0, "g", chakra.COMM_COLL, [], [
            ("comm_type", 9, 2), ("comm_size", 13, 1024), ("pg_name", 29, group)])
        rows = {"1": [0, 1], "2": [2, 3], "3": [0, 3], "4": [0, 2], "5": [1, 3]}
        self.check(gather("1"), 2, "DIR/workload.json: group 3: its nodes are no group of the 2x2 torus (docs/groups.md)",
                   groups=rows)
        del rows["3"]
        self.check(gather("7"), 2, "DIR/workload.0.et: node 0 (g): communicator group 7 is not in DIR/workload.json", groups=rows)
        self.check(gather("1"), 2, "DIR/workload.2.et: node 0 (g): communicator group 1 of DIR/workload.json does not contain "
                   "node 2", groups=rows)
        self.check(gather("1"), 2, "DIR/workload.1.et: node 0 (g): its group has another shape than that of node 0", groups=rows,
                   others=gather("5"))
        self.check(gather("1"), 2, "DIR/workload.json: group 1: ranks from 0 to 3 are expected", groups={"1": [0, 4]})
        self.check(gather("1"), 2, "DIR/workload.json: an object of communicator groups is expected", groups=[])

    def test_groups_with_strides_and_control_dependencies_are_read(self):
        # Members 0 and 2, 1 and 3 of each row of four.
        groups = {str(1 + i): ranks for i, ranks in enumerate([[0, 2], [1, 3], [4, 6], [5, 7]])}
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            traces = []
            for rank in range(8):
                # In any order; ids are the order of steps.
                traces.append(chakra.HEADER + chakra.message(
                    chakra.number(1, 5) + chakra.number(3, chakra.COMP) + chakra.text(4, b"\x03") + chakra.number(7, 2)) +
                    chakra.workload_node(3, "g", chakra.COMM_COLL, [], [
                        ("comm_type", 7, 2), ("comm_size", 11, 64), ("pg_name", 7, 1 + rank // 4 * 2 + rank % 2)]) +
                    chakra.workload_node(8, "wait", chakra.COMM_COLL, [5], [("comm_type", 9, 9), ("pg_name", 29, "0")]))
            write(directory, traces, groups, "any")
            result = answer("workload", directory, "--dims", "4x2", "--plans-only", "--json", "--link-bits", "512")
        self.assertEqual([one["step"] for one in result["timeline"]], ["g", "node 5", "wait"])
        row, barrier = result["collectives"]
        self.assertEqual((barrier["name"], barrier["groups"], barrier["bytes"]), ("barrier", None, 1))
        self.assertEqual((row["groups"], row["group_stride"], row["bytes"]), ("2x1", "2x1", 64))
        self.assertEqual(result["total_ns"], row["ns"] + 2000 + barrier["ns"])

    def test_a_thousand_nodes_on_16x16_take_less_than_ten_seconds(self):
        layer = yaml.safe_load((EXAMPLES / "megatron-layer.yaml").read_text())["steps"]
        steps = [{**step, "name": f"{step['name']}-{i}",
                  **({"after": f"{step['after']}-{i}"} if "after" in step else {})}
                 for i in range(63) for step in layer][:1000]
        with tempfile.TemporaryDirectory() as directory:
            write(pathlib.Path(directory), [trace(steps, rank, 16) for rank in range(256)], rows_and_columns(16))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            result = answer("workload", directory, "--dims", "16x16", *LINKS, "--json")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(len(result["timeline"]), 1000)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 10)


def exported(steps, result, sides, link_bits):
    """The files of the export, from docs/workload.md and docs/spec/foreign-schedules.md; `result` is the JSON of
    gossamer workload with its plans. Custom collectives come from the MSCCL XML of each plan in its own network."""
    nodes, files, rows = sides[0] * sides[1], {}, result["collectives"]
    keys = {"broadcast": "all-gather", "reduce": "all-reduce", "barrier": "all-reduce"}
    types = [keys.get(row["name"], row["name"]) for row in rows]
    names = [f"{index}-{row['name']}" for index, row in enumerate(rows)]
    communicators, first = {}, []
    for row in rows:
        first.append(None)
        if row["groups"]:
            assert row["groups"] in ("x", "y")
            x, y = range(sides[0]), range(sides[1])
            groups = [[b * sides[0] + a for a in x] for b in y] if row["groups"] == "x" else [
                [b * sides[0] + a for b in y] for a in x]
            first[-1] = len(communicators) + 1
            communicators.update((first[-1] + index, ranks) for index, ranks in enumerate(groups))
    if communicators:
        files["workload.json"] = "{\n" + ",\n".join(f'  "{key}": {ranks}' for key, ranks in communicators.items()) + "\n}\n"
    of_type = [first[row] is None and types.count(kind) == 1 for row, kind in enumerate(types)]
    files["system.json"] = json.dumps({
        "scheduling-policy": "FIFO", "preferred-dataset-splits": 1,
        **{f"{kind}-implementation-custom": [names[row]] for row, kind in enumerate(types) if of_type[row]},
        **({} if all(of_type) else {"per-node-custom-implementation": "per-node.yml"}), "local-mem-bw": 50}, indent=2) + "\n"
    files["memory.json"] = '{\n  "memory-type": "NO_MEMORY_EXPANSION"\n}\n'
    files["network.yml"] = ("topology: [ FullyConnected ]\n" f"npus_count: [ {nodes} ]\n"
                            f"bandwidth: [ {link_bits / 8 * 10**9 / 2**30} ]\nlatency: [ 1 ]\n")
    # One node per run, by start. A repeated step is a chain.
    of_step = {step["name"]: step for step in steps}
    last, lines = {}, []
    contents = [chakra.HEADER] * nodes
    for index, run_ in enumerate(result["timeline"]):
        step = of_step[run_["step"]]
        place = steps.index(step)
        after = step.get("after", [steps[place - 1]["name"]] if place else [])
        after = [last[name] for name in ([after] if isinstance(after, str) else after)]
        if run_["run"] > 1:
            after = [last[step["name"]]]
        last[step["name"]] = index
        name = step["name"] + (f" {run_['run']}" if step.get("repeat", 1) > 1 else "")
        row = run_["collective"]
        if row is None:
            node = chakra.workload_node(index, name, chakra.COMP, after, [("is_cpu_op", 27, 0)], micros(step["compute"]))
            contents = [content + node for content in contents]
            continue
        if not of_type[row]:
            lines.append(f"{index}: {names[row]}\n")
        for rank in range(nodes):
            group = first[row] and next(key for key, ranks in communicators.items() if key >= first[row] and rank in ranks)
            contents[rank] += chakra.workload_node(index, name, chakra.COMM_COLL, after, [
                ("is_cpu_op", 27, 0), ("comm_type", 9, chakra.COLLECTIVES[types[row]]),
                ("comm_size", 9, rows[row]["bytes"])] + ([("pg_name", 29, str(group))] if group else []))
    files.update((f"workload.{rank}.et", content) for rank, content in enumerate(contents))
    if lines:
        files["per-node.yml"] = "".join(lines)
    return files, names


class Writing(unittest.TestCase):
    def check(self, document, network, sides, link_bits, directory):
        """Compares the export of a workload with the encoder; returns its README."""
        steps = yaml.safe_load(document)["steps"]
        out, plans = directory / "out", directory / "plans"
        done = run("emit", "-", "--format", "astra-sim", *network, "-o", out, text=document)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.split()), sorted(str(file) for file in out.iterdir()))
        result = answer("workload", "-", *network, "--plans-only", "--json", "-o", plans, text=document)
        wanted, names = exported(steps, result, sides, link_bits)
        for row, name in zip(result["collectives"], names):
            plan = plans / row["file"]
            members = sides[0] * sides[1]
            if row["groups"]:
                # The plan of one group, in its own network.
                side = members = sides[0 if row["groups"] == "x" else 1]
                plan = directory / "group.json"
                answer("plan", row["name"], "--dims", side, *network[2:], "--bytes", row["bytes"], "-o", plan, "--json")
            answer("emit", plan, "--format", "msccl-xml", "-o", directory / "xml", "--json")
            xml = (directory / "xml" / "algorithm.xml").read_text()
            # A node's message: its part of an all-gather, its chunks for all others, or the vector.
            chunks = int(xml.split('nchunksperloop="')[1].split('"')[0])
            chunks = {"all-gather": chunks // members,
                      "all-to-all": chunks - chunks // members}.get(row["name"], chunks)
            chunk = -(-row["bytes"] // chunks)
            for rank in range(members):
                wanted[f"{name}.{rank}.et"] = chakra.encode(xml, rank, chunk)
        readme = (out / "README").read_text()
        found = {file.name: file.read_bytes() for file in out.iterdir() if file.name != "README"}
        self.assertEqual(sorted(found), sorted(wanted))
        for file, content in wanted.items():
            self.assertEqual(found[file], content.encode() if isinstance(content, str) else content, file)
        self.assertIn(f"Total by gossamer workload: {result['total_ns']} cycles\n", readme)
        for file in ("workload", "system.json", "network.yml", "memory.json"):
            self.assertIn(f"-configuration={file}", readme)
        self.assertEqual("--comm-group-configuration=workload.json" in readme, "workload.json" in wanted)
        # Per step a cycle of latency more than the plan, and at most 1 ns for an addition. The messages of a broadcast's
        # tree cut through, and are stored and forwarded here.
        delay = astra.Simulation(out).run() - result["total_ns"]
        stored = [row["bytes"] * 8 // link_bits if row["plan"] == "tree" else 0 for row in result["collectives"]]
        self.assertGreaterEqual(delay, 0)
        self.assertLessEqual(delay, sum((2 + flits) * row["steps"] * row["runs"]
                                        for flits, row in zip(stored, result["collectives"])))
        # The export is a workload again, if ASTRA-sim has its types.
        if not {"broadcast", "reduce", "barrier"} & {row["name"] for row in result["collectives"]}:
            again = answer("workload", out, *network, "--plans-only", "--json")
            self.assertEqual((again["total_ns"], again["exposed_ns"]), (result["total_ns"], result["exposed_ns"]))
        return result

    def test_exports_of_the_examples_are_those_of_the_encoder(self):
        for file in sorted(EXAMPLES.glob("*.yaml")):
            with self.subTest(file.name), tempfile.TemporaryDirectory() as directory:
                self.check(file.read_text(), NETWORK, (SIDE, SIDE), 256, pathlib.Path(directory))

    def test_exports_of_other_networks_and_sizes_are_those_of_the_encoder(self):
        """Two sizes of a type, types that ASTRA-sim does not have, a mesh, and groups of both kinds."""
        document = yaml.safe_dump({"steps": [
            {"name": "a", "collective": "all-gather", "bytes": "64KiB"},
            {"name": "b", "compute": "7us", "repeat": 3, "after": []},
            {"name": "c", "collective": "all-gather", "bytes": "1KiB", "groups": "y", "repeat": 2, "after": ["a", "b"]},
            {"name": "d", "collective": "broadcast", "bytes": "2KiB", "algorithm": "tree"},
            {"name": "e", "collective": "reduce", "bytes": "3KiB", "after": "c"},
            {"name": "f", "collective": "all-reduce", "bytes": "3KiB", "groups": "x", "after": ["d", "b"]},
            {"name": "g", "collective": "reduce-scatter", "bytes": "4KiB", "after": "b"},
            {"name": "h", "collective": "barrier", "groups": "x"}]})
        network = ["--dims", "4x3", "--link-bits", "64", "--clock", "1GHz"]
        for topology in ("torus", "mesh"):
            with self.subTest(topology), tempfile.TemporaryDirectory() as directory:
                result = self.check(document, [*network, "--topology", topology], (4, 3), 64, pathlib.Path(directory))
                self.assertEqual(len(result["collectives"]), 7)

    def refused(self, document, status, message, *options):
        with tempfile.TemporaryDirectory() as directory:
            file, out = pathlib.Path(directory) / "w.yaml", pathlib.Path(directory) / "out"
            file.write_text(document)
            done = run("emit", file, "--format", "astra-sim", "-o", out, *options)
            self.assertEqual((done.returncode, done.stderr), (status, f"gossamer: {message.replace('FILE', str(file))}\n"))
            self.assertFalse(out.exists())

    def test_workloads_that_traces_cannot_express_are_refused(self):
        step = "steps:\n  - {name: a, %s}\n"
        gather = "collective: all-gather, bytes: 1KiB"
        self.refused(step % f"{gather}, groups: 2x1, group-stride: 2", 2, 'FILE: line 2: step "a": format astra-sim: '
                     "--group-stride: nodes of other groups are between the members, which traces of one group do not have",
                     "--dims", "4x4", "--link-bits", "8192")
        self.refused(step % "compute: 1us, repeat: 100000", 2, "format astra-sim: 100000 runs of steps on 256 nodes; "
                     "up to 8388608 in all are expected", "--dims", "16x16")
        self.refused(step % gather, 2, "--dims is required, e.g. --dims 16x8")
        self.refused(step % gather, 2, "--name: not with format astra-sim", "--dims", "4x4", "--name", "n")
        with tempfile.TemporaryDirectory() as directory:
            plan, out = pathlib.Path(directory) / "p.json", pathlib.Path(directory) / "out"
            run("plan", "all-gather", "--dims", "4x4", "-o", plan)
            done = run("emit", plan, "--format", "csv", "-o", out, "--dims", "4x4")
            self.assertEqual((done.returncode, done.stderr),
                             (2, "gossamer: --dims: only with format astra-sim; a plan contains its network\n"))

    def test_computations_are_whole_microseconds(self):
        with tempfile.TemporaryDirectory() as directory:
            done = run("emit", "-", "--format", "astra-sim", "--dims", "2x3", "-o", directory,
                       text="steps: [{name: a, compute: 1500ns}, {name: b, compute: 2us}]")
            self.assertEqual((done.returncode, done.stderr), (
                0, "gossamer: workload.0.et: 1 computation rounded up to whole microseconds, the unit of traces\n"
                   "gossamer: network.yml: a side of 2 has one link between the two ranks; the plan uses two parallel ones\n"))
            # Node 0 has no id.
            self.assertEqual((pathlib.Path(directory) / "workload.5.et").read_bytes(), chakra.HEADER + b"".join(
                chakra.workload_node(index, name, chakra.COMP, after, [("is_cpu_op", 27, 0)], 2)
                for index, name, after in ((0, "a", []), (1, "b", [0]))))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:], "-v"])
