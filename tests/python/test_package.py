# SPDX-License-Identifier: Apache-2.0
"""The package as installed from a wheel: the same plans, reports, traces and errors as the program."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import gossamer

PROGRAM = os.environ["GOSSAMER"]

#: A plan of every machine, and how the command line and Python ask for it.
PLANS = {
    "stream": ("gossip --dims 5x4", ("all-gather", (5, 4), {})),
    "frame": ("gossip --topology mesh --dims 4x5 --algorithm folded", ("gossip", "4x5", dict(topology="mesh", algorithm="folded"))),
    "timetable": ("gossip --dims 4x4 --algorithm scheduled", ("gossip", (4, 4), dict(algorithm="scheduled"))),
    "ring": ("all-reduce --dims 4x4", ("all-reduce", [4, 4], {})),
    "relay": ("broadcast --topology mesh --dims 8x8 --source 2,5", ("broadcast", (8, 8), dict(topology="mesh", source=(2, 5)))),
    "elastic": ("gossip --dims 4x4 --elastic --flits 4 --link-latency 2", ("gossip", (4, 4), dict(elastic=True, flits=4, link_latency="2"))),
    "queued": ("partial-exchange --dims 4x4 --active random:5:3", ("partial-exchange", (4, 4), dict(active="random:5:3"))),
}


def program(*arguments, fails=False):
    """The program's output; its one line of error if it `fails`."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if fails:
        assert done.returncode in (2, 3), done
        return done.stderr.removeprefix("gossamer: ").rstrip("\n")
    assert done.returncode == 0, done.stderr
    return done.stdout


def planned(name):
    collective, dims, options = PLANS[name][1]
    return gossamer.plan(collective, dims, **options)


def csv(run, name=""):
    """The trace that the program writes."""
    columns = ["step", "hop", "from", "port", "packet"] + ["terms"] * (name == "ring")
    if name == "elastic":
        columns = ["step", "from", "port", "packet", "flit"]
    rows = zip(*(run.trace[column].tolist() for column in columns))
    head = ",".join(columns).replace("step", "cycle" if name == "elastic" else "step")
    return "\n".join([head, *(",".join(map(str, row)) for row in rows), ""])


class AgainstProgram(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def same_report(self, report, text):
        told = json.loads(text)
        for figures in (told, report.data):
            for key in ("wall_seconds", "router_cycles_per_second"):
                figures.pop(key)
        self.assertEqual(report.data, told)
        self.assertEqual(report.problems, ())
        self.assertTrue(report.ok)
        self.assertEqual(report.steps, told["steps"])

    def test_plans_proofs_and_runs(self):
        for name, (words, _) in PLANS.items():
            with self.subTest(name):
                path = self.directory / f"{name}.json"
                program("plan", *words.split(), "-o", str(path))
                plan = planned(name)
                self.assertEqual(plan.to_json(), path.read_bytes())
                self.assertEqual(plan, gossamer.Plan.load(path))
                self.assertEqual(plan, gossamer.Plan.from_bytes(plan.to_cbor()))
                self.same_report(gossamer.verify(plan), program("verify", str(path), "--json"))
                self.assertIn("fast", plan.engines)
                for engine in plan.engines:
                    run = gossamer.simulate(plan, engine=engine, trace=True, link_loads=True)
                    self.assertEqual(csv(run, name), program("simulate", str(path), "--engine", engine, "--trace", "-"))
                    self.same_report(run.report, program("simulate", str(path), "--engine", engine, "--json"))
                    links = run.trace["from"].astype(np.int64) * plan.ports + run.trace["port"]
                    loads = np.bincount(links, minlength=plan.nodes * plan.ports)
                    np.testing.assert_array_equal(run.link_loads, loads.reshape(plan.nodes, plan.ports))
                    self.assertEqual(run.report.link_transfers, run.link_loads.sum())

    def test_every_engine_is_in_the_wheel(self):
        self.assertEqual(planned("stream").engines, ["fast", "rtl", "systemc"])
        for machine in set(PLANS) - {"frame"}:
            self.assertEqual(planned(machine).machine, machine)
        self.assertEqual(list(gossamer.engines()), ["fast", "rtl", "systemc", "tlm"])

    def test_fold_and_waves(self):
        plan = planned("stream")
        path = self.directory / "plan.cbor"
        plan.save(path)
        run = gossamer.simulate(plan, fold=True, trace=True)
        self.assertEqual(csv(run), program("simulate", str(path), "--fold", "--trace", "-"))
        wave = self.directory / "waves.vcd"
        gossamer.simulate(plan, engine="systemc", wave=wave)
        self.assertIn("node_0", wave.read_text())

    def test_faults(self):
        path = self.directory / "plan.json"
        program("plan", "gossip", "--dims", "4x4", "--dead-link", "1,1:x+", "--dead-node", "3,2", "-o", str(path))
        self.assertEqual(gossamer.plan("gossip", (4, 4), faults="link:1,1:x+ node:3,2"), gossamer.Plan.load(path))

    def test_links_that_are_not_equally_fast(self):
        plan = gossamer.plan("all-gather", "8x8", topology="mesh", chiplets="4x4", die_link_rate="1/4", packets=8)
        report = gossamer.simulate(plan).report.data
        self.assertEqual((report["steps"], report["lower_bound_steps"]), (252, 252))
        self.assertEqual(report["link_periods"]["between"], [4, 4])
        wide = gossamer.plan("all-gather", "4x4", link_bits="x=128,y=32", algorithm="scheduled")
        self.assertEqual(wide, gossamer.plan("all-gather", "4x4", link_rate="y=1/4", algorithm="scheduled"))
        with self.assertRaises(gossamer.InfeasibleError):
            gossamer.plan("broadcast", "4x4", link_rate="y=1/4")

    def test_stalls(self):
        plan = planned("elastic")
        path = self.directory / "plan.json"
        plan.save(path)
        stall = "random:1:200,200,200"
        run = gossamer.simulate(plan, stall=stall, trace=True)
        self.assertTrue(run.report.ok)
        self.assertEqual(csv(run, "elastic"), program("simulate", str(path), "--stall", stall, "--trace", "-"))
        with self.assertRaisesRegex(gossamer.InputError, "^stall: the plan's routers cannot wait"):
            gossamer.simulate(planned("stream"), stall=stall)
        with self.assertRaisesRegex(gossamer.InputError, "^max_steps: elastic plans have cycles instead of steps$"):
            gossamer.simulate(plan, max_steps=3)

    def test_emit(self):
        plan = planned("stream")
        plan.save(self.directory / "plan.json")
        files = gossamer.emit(plan, "sv", self.directory / "here", name="small")
        program("emit", str(self.directory / "plan.json"), "--format", "sv", "--name", "small", "-o", str(self.directory / "there"))
        self.assertEqual(sorted(path.name for path in files), sorted(os.listdir(self.directory / "there")))
        for path in files:
            self.assertEqual(path.read_bytes(), (self.directory / "there" / path.name).read_bytes())

    def test_emit_ranks(self):
        plan = gossamer.plan("all-gather", (4, 4))
        (file,) = gossamer.emit(plan, "ranks", self.directory, ring=8)
        rings = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual(sorted(node for ring in rings for node in ring), list(range(16)))
        self.assertEqual([len(ring) for ring in rings], [8, 8])
        with self.assertRaisesRegex(gossamer.InfeasibleError, "does not divide"):
            gossamer.emit(plan, "ranks", self.directory, ring=3)
        with self.assertRaisesRegex(gossamer.InputError, "use ranks"):
            gossamer.emit(plan, "sv", self.directory, ring=4)

    def test_compare(self):
        self.assertEqual(
            gossamer.compare("all-gather", "6x6", startups=[0.1, 1]),
            json.loads(program("compare", "gossip", "--dims", "6x6", "--startup", "0.1", "1", "--json")))
        self.assertEqual(
            gossamer.compare("broadcast", (8, 8), source=(2, 5), flits=4, algorithms=["eye", "min-tcd"]),
            json.loads(program("compare", "broadcast", "--dims", "8x8", "--source", "2,5", "--flits", "4", "--algorithm", "eye", "min-tcd", "--json")))
        self.assertEqual(
            gossamer.compare("all-reduce", (4, 4), words=64),
            json.loads(program("compare", "all-reduce", "--dims", "4x4", "--words", "64", "--json")))
        for collective, words, options in (
            ("all-gather", [], dict(algorithms=["hamiltonian"], vcs=2)),
            ("broadcast", ["--source", "2,1", "--plans-only"], dict(source=(2, 1), plans_only=True)),
            ("all-to-all", [], {}),
        ):
            chosen = options.get("algorithms", [])
            words = words + ["--algorithm", *chosen] * bool(chosen) + ["--vcs", "2"] * ("vcs" in options)
            self.assertEqual(
                gossamer.compare(collective, (4, 4), bytes="1KiB", link_bits=128, **options),
                json.loads(program("compare", collective, "--dims", "4x4", "--bytes", "1KiB", "--link-bits", "128", *words, "--json")))

    def test_bytes(self):
        path = self.directory / "plan.json"
        message = dict(bytes="64KiB", link_bits=128, clock="1GHz", energy="link=50", link_latency="x=1,wrap-x=3")
        words = [word for key, value in message.items() for word in (f"--{key.replace('_', '-')}", str(value))]
        program("plan", "all-gather", "--dims", "4x4", *words, "-o", str(path))
        plan = gossamer.plan("all-gather", (4, 4), **message)
        self.assertEqual(plan.to_json(), path.read_bytes())
        self.assertGreater(gossamer.simulate(plan).report.data["physical"]["energy"]["picojoules_per_bit"], 0)

    def test_topology_files(self):
        machine = self.directory / "machine.textproto"
        machine.write_text("device_topology { dims: [8, 4] dim_types: [RING, LINE] }")
        plan = gossamer.plan("all-gather", topology_file=machine)
        self.assertEqual(plan, gossamer.plan("all-gather", (8, 4), topology="wrap-x"))
        self.assertEqual(
            gossamer.compare("all-gather", topology_file=machine, algorithms=["scheduled"]),
            json.loads(program("compare", "all-gather", "--topology-file", str(machine), "--algorithm", "scheduled", "--json")))
        machine.write_text("device_topology { dims: [8, 4] dim_types: [RINGS] }")
        for given in (dict(topology_file=machine), dict(topology_file=machine, dims="4x4"), dict(topology_file="no"), {}):
            with self.assertRaises(gossamer.InputError) as caught:
                gossamer.plan("all-gather", **given)
            self.assertNotIn("\n", str(caught.exception))

    def test_lists(self):
        told = json.loads(program("list", "--json"))
        self.assertEqual(list(gossamer.formats()), [row["name"] for row in told["formats"]])
        self.assertEqual(list(gossamer.collectives()), [row["field_name"] or row["name"] for row in told["collectives"]])
        names = [row["name"] for row in told["algorithms"] if row["collective"] == "gossip"]
        self.assertEqual([algorithm.name for algorithm in gossamer.algorithms("all-gather")], names)
        self.assertEqual(gossamer.__version__, program("--version").split()[-1])

    def test_errors_are_the_program_s(self):
        bad = self.directory / "bad.json"
        bad.write_text('{"gossamer": 1')
        stream, relay = self.directory / "stream.json", self.directory / "relay.json"
        planned("stream").save(stream)
        planned("relay").save(relay)
        for call, words, kind in (
            (lambda: gossamer.plan("gosip", "4x4"), ["plan", "gosip", "--dims", "4x4", "-o", "-"], gossamer.InputError),
            (lambda: gossamer.plan("gossip", (0, 4)), ["plan", "gossip", "--dims", "0x4", "-o", "-"], gossamer.InputError),
            (lambda: gossamer.plan("gossip", "4x4", algorithm="strands", packets="many"),
             ["plan", "gossip", "--dims", "4x4", "--algorithm", "strands", "--packets", "many", "-o", "-"], gossamer.InputError),
            (lambda: gossamer.plan("gossip", "4x4", topology="mesh", algorithm="hamiltonian"),
             ["plan", "gossip", "--dims", "4x4", "--topology", "mesh", "--algorithm", "hamiltonian", "-o", "-"], gossamer.InfeasibleError),
            (lambda: gossamer.Plan.load(bad), ["verify", str(bad)], gossamer.InputError),
            (lambda: gossamer.Plan.load("none.json"), ["verify", "none.json"], gossamer.InputError),
            (lambda: gossamer.simulate(planned("stream"), engine="slow"), ["simulate", str(stream), "--engine", "slow"], gossamer.InputError),
            (lambda: gossamer.emit(planned("relay"), "sv-rule", self.directory / "no"),
             ["emit", str(relay), "--format", "sv-rule", "-o", str(self.directory / "no")], gossamer.InputError),
        ):
            with self.subTest(" ".join(words)):
                with self.assertRaises(kind) as caught:
                    call()
                message = str(caught.exception)
                self.assertIsInstance(caught.exception, gossamer.Error)
                self.assertIsInstance(caught.exception, ValueError)
                self.assertNotIn("\n", message)
                told = program(*words, fails=True)
                if "many" not in words:  # On the command line everything is text.
                    # On the command line an option has dashes.
                    self.assertEqual(message.removeprefix("--"), told.removeprefix("--"))
        self.assertFalse((self.directory / "no").exists())

    def test_errors_of_python_s_own(self):
        for call in (
            lambda: gossamer.plan("gossip", "4y4"),
            lambda: gossamer.plan("gossip", (4, 4), packets=1.5),
            lambda: gossamer.compare("broadcast", (4, 4), source=(4, 0)),
            lambda: gossamer.compare("broadcast", (4, 4), sauce=(0, 0)),
            lambda: gossamer.compare("scan", (4, 4)),
        ):
            with self.assertRaises(gossamer.InputError) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))

    def test_problems_of_a_plan(self):
        document = json.loads(planned("stream").to_json())
        document["expected"]["analytic_steps"] -= 1
        plan = gossamer.Plan.from_bytes(json.dumps(document).encode())
        report = gossamer.verify(plan)
        self.assertFalse(report.ok)
        self.assertEqual(len(report.problems), 1)
        with self.assertRaisesRegex(gossamer.InputError, "verify rejects this plan"):
            gossamer.emit(plan, "sv", self.directory / "no")
        given_up = gossamer.simulate(planned("stream"), max_steps=3).report
        self.assertEqual((given_up.given_up_after, given_up.complete, given_up.ok), (3, False, False))


class Experiments(unittest.TestCase):
    def test_they_are_the_program_s(self):
        experiment = gossamer.experiment("dynamic-broadcast", (6, 6), load=(0.2, 0.5), broadcasts=300, seed=7)
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory, "experiment.json")
            program("plan", *"dynamic-broadcast --dims 6x6 --load 0.2,0.5 --broadcasts 300 --seed 7 -o".split(), str(file))
            self.assertEqual(experiment.to_json(), file.read_bytes())
            self.assertEqual(gossamer.Experiment.load(file), experiment)
            self.assertEqual(gossamer.verify(experiment).proved_by, json.loads(program("verify", str(file), "--json"))["proved_by"])
            for engine in ("fast", "systemc"):
                told = json.loads(program("simulate", str(file), "--engine", engine, "--json"))
                report = gossamer.measure(experiment, engine=engine)
                self.assertEqual(report.data["points"], told["points"])
                self.assertEqual((report.engine, report.ok, len(told["points"])), (engine, True, 2))
            gossamer.plan("gossip", (4, 4)).save(file)
            with self.assertRaisesRegex(gossamer.InputError, "holds a plan; Plan.load reads it"):
                gossamer.Experiment.load(file)

    def test_refused(self):
        with self.assertRaisesRegex(gossamer.InputError, '"gossip" is no experiment; there is dynamic-broadcast'):
            gossamer.experiment("gossip", (4, 4))
        with self.assertRaisesRegex(gossamer.InputError, "load"):
            gossamer.experiment("dynamic-broadcast", (4, 4), load=-0.5)


class Arrays(unittest.TestCase):
    def test_they_are_the_simulator_s_memory(self):
        run = gossamer.simulate(planned("stream"), trace=True, link_loads=True)
        for array in (run.trace, run.link_loads):
            self.assertFalse(array.flags.owndata)
            self.assertEqual(type(array.base).__name__, "PyCapsule")
        self.assertEqual(run.trace.dtype.itemsize, 40)
        run.link_loads[0, 0] = 7
        transfers, kept = run.report.link_transfers, run.trace["packet"]
        del run
        self.assertEqual(len(kept), transfers)
        self.assertEqual(set(kept.tolist()), set(range(40)))

    def test_neighbors(self):
        torus, mesh = planned("stream").neighbors(), planned("relay").neighbors()
        self.assertEqual(torus[0].tolist(), [4, 1, 15, 5])
        self.assertEqual(mesh[0].tolist(), [-1, 1, -1, 8])


class LongWork(unittest.TestCase):
    """Work for several seconds, which is always interrupted."""

    def work(self):
        big = gossamer.plan("gossip", (96, 96))
        hard = gossamer.plan("gossip", (30, 42), algorithm="one-packet")
        endless = gossamer.experiment("dynamic-broadcast", (16, 16), load=0.5, broadcasts=1_000_000_000)
        return {
            "measure": lambda **o: gossamer.measure(endless, **o),
            "fast": lambda **o: gossamer.simulate(big, **o),
            "systemc": lambda **o: gossamer.simulate(big, engine="systemc", **o),
            "rtl": lambda **o: gossamer.simulate(big, engine="rtl", **o),
            "verify": lambda **o: [gossamer.verify(hard, **o) for _ in range(1000)],
        }

    def test_ctrl_c_ends_it(self):
        for name, run in self.work().items():
            with self.subTest(name):
                start = time.monotonic()
                timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    run()
                timer.join()
                self.assertLess(time.monotonic() - start, 10)
                self.assertGreater(time.monotonic() - start, 0.29)

    def test_others_run_meanwhile(self):
        ticks = []
        over = threading.Event()

        def tick():
            while not over.wait(0.01):
                ticks.append(time.monotonic())

        other = threading.Thread(target=tick)
        plan = gossamer.plan("gossip", (48, 48))
        other.start()
        start = time.monotonic()
        gossamer.simulate(plan)
        end = time.monotonic()
        over.set()
        other.join()
        during = sum(start < at < end for at in ticks)
        self.assertGreater(during, (end - start) / 0.01 / 10)

    def test_kernels_in_threads(self):
        plan = gossamer.plan("gossip", (12, 12))
        steps = []

        def run(engine):
            steps.append(gossamer.simulate(plan, engine=engine).report.steps)

        threads = [threading.Thread(target=run, args=(engine,)) for engine in ("systemc", "rtl", "fast") * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(steps, [plan.analytic_steps] * 6)

    def test_progress(self):
        seen = []
        plan = gossamer.plan("gossip", (64, 64))
        gossamer.simulate(plan, engine="systemc", progress=lambda *told: seen.append(told))
        self.assertTrue(seen)
        for phase, done, total in seen:
            self.assertEqual((phase, total), ("simulate", plan.analytic_steps))
            self.assertLessEqual(done, total)

        class Enough(Exception):
            pass

        def stop(*_):
            raise Enough

        with self.assertRaises(Enough):
            gossamer.simulate(plan, engine="systemc", progress=stop)
        # The process still works.
        self.assertEqual(gossamer.simulate(gossamer.plan("gossip", (4, 4)), engine="systemc").report.steps, 8)

    def test_a_bar_needs_tqdm(self):
        with self.assertRaisesRegex(ImportError, "^progress=True needs tqdm"):
            gossamer.verify(planned("stream"), progress=True)


class Alone(unittest.TestCase):
    """Runs last, when everything has been used."""

    def test_nothing_but_the_c_library_is_the_system_s(self):
        gossamer.simulate(planned("stream"), engine="rtl")
        with open("/proc/self/maps") as maps:
            mapped = {line.split()[-1] for line in maps if ".so" in line}
        package = pathlib.Path(gossamer.__file__).parent
        self.assertTrue(any(path.startswith(f"{package}/_core") for path in mapped))
        for library in ("libfmt", "libpugixml", "libsystemc"):
            paths = [path for path in mapped if os.path.basename(path).startswith(library)]
            self.assertEqual([os.path.dirname(path) for path in paths], [f"{package}/lib"], library)

    def test_no_compiler_is_near(self):
        for name in ("cc", "gcc", "g++", "c++", "clang", "cmake", "ninja"):
            found = [where for where in os.environ["PATH"].split(":") if os.path.exists(os.path.join(where, name))]
            self.assertEqual(found, [], name)


def tree_sum(tree, column):
    """The sum of a column by a tree of nested tuples."""
    if isinstance(tree, int):
        return column[tree]
    a, b = tree
    return tree_sum(a, column) + tree_sum(b, column)


class Sums(unittest.TestCase):
    def test_numpy_adds_along_the_tree(self):
        rng = np.random.default_rng(51)
        for algorithm, dims, topology in (("hamiltonian", (4, 4), "torus"), ("rings", (3, 3), "torus"),
                                          ("lines", (4, 5), "mesh"), ("packing", (4, 4), "mesh"), ("tree", (3, 5), "torus")):
            for dtype in (np.float32, np.float64, np.float16):
                with self.subTest(algorithm, dtype=dtype):
                    plan = gossamer.plan("all-reduce", dims, topology=topology, algorithm=algorithm, words=40, type=dtype.__name__)
                    sums = plan.sums()
                    # Random bits: every kind of number.
                    bits = rng.integers(0, 256, (plan.nodes, 40 * np.dtype(dtype).itemsize), dtype=np.uint8)
                    x = np.where(rng.random((plan.nodes, 40)) < 0.05, bits.view(dtype), rng.normal(size=(plan.nodes, 40)).astype(dtype))
                    with np.errstate(all="ignore"):
                        expected = np.array([tree_sum(sums.tree(word), x[:, word]) for word in range(40)], dtype)
                    found = sums.evaluate(x)
                    self.assertEqual(found.dtype, x.dtype)
                    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
                    same = ~np.isnan(expected)
                    unsigned = f"u{x.itemsize}"
                    np.testing.assert_array_equal(found.view(unsigned)[same], expected.view(unsigned)[same])

    def test_figures_are_those_of_the_report(self):
        plan = gossamer.plan("all-reduce", (4, 4), type="bfloat16", accumulate="float32", invariant="length", words=70)
        sums = plan.sums()
        report = gossamer.verify(plan).data["sums"]
        self.assertEqual(report, gossamer.simulate(plan, engine="systemc").report.data["sums"])
        for name in ("type", "accumulate", "trees", "depth", "same_at_every_node", "length_invariant", "period"):
            self.assertEqual(getattr(sums, name), report[name], name)
        self.assertEqual(sums.digest(), report["digest"])
        self.assertEqual((sums.words, sums.period), (70, 32))
        document = json.loads(sums.to_json())
        self.assertEqual(document["trees"][document["words_then"][5]]["digest"], sums.digest(5))
        self.assertEqual(sums.digest(5), sums.digest(37))

    def test_a_longer_vector_has_the_same_sums(self):
        rng = np.random.default_rng(52)
        x = rng.normal(size=(16, 100)).astype(np.float32)
        options = dict(type="float32", algorithm="hamiltonian")
        results = [gossamer.plan("all-reduce", (4, 4), words=words, invariant="length", **options).sums().evaluate(x[:, :words])
                   for words in (30, 100)]
        np.testing.assert_array_equal(results[0], results[1][:30])
        without = [gossamer.plan("all-reduce", (4, 4), words=words, **options).sums().evaluate(x[:, :words])
                   for words in (30, 100)]
        self.assertGreater(np.count_nonzero(without[0] != without[1][:30]), 0)

    def test_bad_arrays_are_refused(self):
        sums = gossamer.plan("all-reduce", (4, 4), algorithm="tree", words=3, type="float32").sums()
        for x, cause in ((np.zeros((15, 3), np.float32), "15 rows are given for 16 nodes"), (np.zeros((16, 2), np.float32), "2 columns are given for 3 words"),
                         (np.zeros((16, 3)), "dtype is f8; float32 is expected"), (np.zeros(48, np.float32), "two dimensions")):
            with self.assertRaisesRegex(gossamer.InputError, cause):
                sums.evaluate(x)
        with self.assertRaisesRegex(gossamer.InputError, "no reduction"):
            gossamer.plan("all-gather", (4, 4)).sums()
        with self.assertRaises(IndexError):
            sums.tree(3)


if __name__ == "__main__":
    print(sys.version)
    unittest.main(verbosity=2)
