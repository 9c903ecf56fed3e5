# SPDX-License-Identifier: Apache-2.0
"""adder_cycles_test.py PROGRAM CASE: reductions whose steps move packets of several words and whose adders take several
cycles. Cycles are the figures of section 5 of the specification, written down here; nothing is computed by the program
under test."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])

# Algorithm, options, and cycles for (F, L) = (1, 0), (1, 3), (3, 2), (4, 3), (7, 3); None: refused.
TABLE = (
    ("all-reduce --dims 3x3 --packets 1", (8, None, None, None, 62)),
    ("all-reduce --dims 4x4 --packets 1", (15, 60, 47, 63, 108)),
    ("all-reduce --dims 5x4 --packets 1", (19, 76, 59, 79, 136)),
    # One-way legs.
    ("all-reduce --dims 4x4 --packets 4", (30, 120, 92, 123, 213)),
    ("reduce-scatter --dims 3x3 --packets 1", (4, 19, 16, 22, 34)),
    ("reduce-scatter --dims 4x4 --packets 1", (8, 32, 26, 35, 59)),
)
FIGURES = ((1, 0), (1, 3), (3, 2), (4, 3), (7, 3))


def run(directory, words, status=0):
    done = subprocess.run([PROGRAM, *words.split()], cwd=directory, capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr.strip() if status else done.stdout


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def run_program(self, words, status=0):
        return run(self.directory, words, status)

    def report(self, words):
        return json.loads(self.run_program(words))

    def document(self):
        with open(os.path.join(self.directory, "p.json"), encoding="utf-8") as file:
            return json.load(file)

    def write(self, document):
        with open(os.path.join(self.directory, "q.json"), "w", encoding="utf-8") as file:
            json.dump(document, file)


class Cycles(Case):
    def test_a_leg_takes_the_cycles_of_the_table(self):
        for plan, row in TABLE:
            for (flits, adder), cycles in zip(FIGURES, row):
                words = f"plan {plan} --algorithm hamiltonian --flits {flits} --adder-cycles {adder} -o p.json"
                if cycles is None:
                    self.assertIn("nearest feasible: --flits", self.run_program(words, 3))
                    continue
                with self.subTest(words):
                    self.run_program(words)
                    for command in ("verify p.json --json", "simulate p.json --engine fast --report -",
                                    "simulate p.json --engine systemc --report -"):
                        report = self.report(command)
                        self.assertTrue(report["complete"])
                        self.assertEqual((report["cycles"], report["analytic_cycles"]), (cycles, cycles))

    def test_steps_trees_and_traces_do_not_depend_on_cycles(self):
        for plan in ("all-reduce --dims 4x4 --algorithm hamiltonian --packets 3", "reduce-scatter --dims 3x3 --algorithm hamiltonian",
                     "all-reduce --topology mesh --dims 4x2 --algorithm array --packets 2"):
            seen = set()
            for flits, adder in itertools.product((1, 3), (0, 1, 3)):
                self.run_program(f"plan {plan} --type float32 --flits {flits} --adder-cycles {adder} -o p.json")
                report = self.report("simulate p.json --engine fast --trace t.csv --report -")
                with open(os.path.join(self.directory, "t.csv"), encoding="ascii") as file:
                    trace = file.read()
                # The words of a packet have one tree.
                self.run_program("sums p.json -o s.json")
                with open(os.path.join(self.directory, "s.json"), encoding="utf-8") as file:
                    sums = json.load(file)
                trees = tuple(tree["digest"] for tree in sums["trees"])
                words = sums["words_first"] + sums["words_then"]
                self.assertTrue(all(words[i] == words[i - i % flits] for i in range(len(words))), (plan, flits))
                seen.add((report["steps"], report["link_transfers"], trace, trees))
            self.assertEqual(len(seen), 1, plan)

    def test_auto_cuts_the_words_of_a_place_into_equal_packets(self):
        for words, adder, flits, cycles in (
            # Places: 16 nodes on 2 cycles. 4 words are one packet, of 4 or more words.
            (128, 3, 4, 15 * 4 + 3),
            (96, 3, 3, 14 * 4 + 3 + 3),
            (256, 3, 4, 30 * 4 + 3),
            # 7 words of a place: one packet.
            (224, 3, 7, 15 * 7 + 3),
        ):
            self.run_program(f"plan all-reduce --dims 4x4 --algorithm hamiltonian --words {words} --flits auto --adder-cycles {adder} "
                             "--type float32 -o p.json")
            self.assertEqual(self.document()["program"].get("flits", 1), flits)
            self.assertEqual(self.report("simulate p.json --report -")["cycles"], cycles)

    def test_rings_follow_each_other_without_a_gap(self):
        # d (n - 1) steps; a ring of an odd number of nodes adds twice in one step.
        for dims, flits, adder, cycles in (("4x4", 3, 2, 5 * 3 + 3 + 2), ("4x4", 1, 2, 5 * 3 + 1 + 2), ("3x3", 5, 2, 3 * 5 + 5 + 4),
                                           ("3x3x3", 3, 1, 5 * 3 + 3 + 2)):
            side, d = int(dims[0]), dims.count("x") + 1
            self.run_program(f"plan all-reduce --dims {dims} --algorithm rings --words {d * side * flits} --type float16 "
                             f"--flits {flits} --adder-cycles {adder} -o p.json")
            for engine in ("fast", "systemc"):
                self.assertEqual(self.report(f"simulate p.json --engine {engine} --report -")["cycles"], cycles, dims)

    def test_an_element_keeps_its_tree_in_packets_of_any_length(self):
        digests = {}
        for words, flits, adder in ((70, 1, 0), (70, 3, 2), (200, 3, 0), (200, 4, 3), (96, 1, 3)):
            self.run_program(f"plan all-reduce --dims 4x4 --type bfloat16 --invariant length --words {words} --flits {flits} "
                             f"--adder-cycles {adder} -o p.json")
            self.assertEqual(self.report("verify p.json --json")["sums"]["period"], 32)
            self.run_program("sums p.json -o s.json")
            with open(os.path.join(self.directory, "s.json"), encoding="utf-8") as file:
                sums = json.load(file)
            self.assertEqual(sums["words"], words)
            for j in range(32):
                digests.setdefault(j, set()).add(sums["trees"][sums["words_then"][j]]["digest"])
        self.assertTrue(all(len(each) == 1 for each in digests.values()))


class Relays(Case):
    def cycles(self):
        """Of the plan, flit by flit: a step sends a flit when every node has it, and after the last flit and the relay cycles."""
        program = self.document()["program"]
        flits, adder = program["flits"], program.get("adder_cycles", 0)
        hops = [sum(stretch["hops"] for stretch in path) * program["hop_cycles"] for path in program["paths"]]
        start = stored = 0
        for step, sends in itertools.groupby(program["table"], key=lambda row: row[0]):
            wait = adder if step <= program["adding_steps"] else 0
            longest = max(hops[path] for _, _, path in sends)
            ready = [start + longest + flit + wait for flit in range(flits)]
            stored = max(stored, *ready)
            start = max([start + longest + flits - 1 + program["relay_cycles"]] + [ready[flit] - flit for flit in range(flits)])
        return stored

    def test_relays_take_the_cycles_of_the_specification(self):
        for plan in ("all-reduce --dims 4x4 --algorithm eye", "all-reduce --topology mesh --dims 4x4 --algorithm eye-exchange",
                     "all-reduce --dims 4x4 --algorithm partners", "all-reduce --dims 3x5 --algorithm min-tcd --hop-cycles 2",
                     "reduce --topology mesh --dims 4x4 --algorithm eye --source 2,1"):
            seen = set()
            for flits, relay, adder in ((1, 0, 0), (1, 0, 1), (1, 2, 3), (3, 0, 3), (4, 1, 3), (2, 0, 15)):
                words = f"{plan} --flits {flits} --relay-cycles {relay}"
                self.run_program(f"plan {words} --adder-cycles {adder} --type float32 -o p.json")
                if adder == 0:
                    self.assertNotIn("adder_cycles", self.document()["program"])
                cycles = self.cycles()
                commands = ["verify p.json --json"] + [f"simulate p.json --engine {engine} --report -" for engine in ("fast", "systemc")]
                for command in commands if adder in (1, 3) else commands[:2]:
                    report = self.report(command)
                    self.assertEqual((report["complete"], report["cycles"], report["analytic_cycles"]), (True, cycles, cycles), (words, adder))
                    seen.add((report["steps"], report["sums"]["digest"] if flits == 1 else None))
            self.assertEqual(len(seen), 2, plan)

    def test_the_sum_of_a_first_flit_is_hidden_by_enough_flits(self):
        # 2 and 2 steps over 1, 1, 1, 1 links: 4 F cycles, where the second and the third step wait for max(0, L + 1 - F).
        for flits, adder, cycles in ((1, 0, 4), (1, 3, 4 + 2 * 3), (3, 3, 12 + 2), (4, 3, 16), (9, 3, 36)):
            self.run_program(f"plan all-reduce --dims 2x2 --algorithm eye --flits {flits} --adder-cycles {adder} -o p.json")
            self.assertEqual(self.report("verify p.json --json")["cycles"], cycles)
        # Partners only add: the last sum is there after the adder.
        for flits, adder, cycles in ((1, 3, 2 + 3 + 3), (4, 3, 8 + 3)):
            self.run_program(f"plan all-reduce --dims 2x2 --algorithm partners --flits {flits} --adder-cycles {adder} -o p.json")
            self.assertEqual(self.report("simulate p.json --report -")["cycles"], cycles)


def tree_cycles(dims, words, adder):
    height = sum(n // 2 for n in dims)
    return words - 1 + 2 * height + adder * (height + sum(n >= 3 for n in dims))


def lines_cycles(dims, words, adder):
    d, each = len(dims), [n - 1 + adder * ((n + 1) // 2) for n in dims]
    return sum(each) - 1 + (-(-words // d) if words <= d * min(each) else words)


class Timetables(Case):
    def cycles(self, plan, cycles):
        self.run_program(f"plan {plan} -o p.json")
        for command in ("verify p.json --json", "simulate p.json --engine fast --report -",
                        "simulate p.json --engine systemc --report -"):
            with self.subTest(plan, command=command):
                report = self.report(command)
                self.assertTrue(report["complete"])
                self.assertEqual((report["cycles"], report["analytic_cycles"]), (cycles, cycles))
        return report

    def test_trees_and_lines_pay_for_adders_once_per_hop(self):
        for dims, words, adder, lines, tree in (("4x4", 1, 0, 6, 8), ("4x4", 6, 2, 16, 25), ("3x4x5", 6, 2, 24, 31)):
            self.cycles(f"all-reduce --topology mesh --dims {dims} --algorithm lines --words {words} --adder-cycles {adder}", lines)
            self.cycles(f"all-reduce --topology mesh --dims {dims} --algorithm tree --words {words} --adder-cycles {adder}", tree)
        for dims, words, adder in (((5,), 4, 3), ((2, 5), 9, 1), ((3, 3), 30, 2), ((6, 2, 3), 5, 1), ((4, 4, 3), 3, 15)):
            text = "x".join(str(n) for n in dims)
            options = f"--topology mesh --dims {text} --words {words} --adder-cycles {adder} --type float32"
            self.cycles(f"all-reduce {options} --algorithm lines", lines_cycles(dims, words, adder))
            self.cycles(f"all-reduce {options} --algorithm tree", tree_cycles(dims, words, adder))
        # Groups: lines of two nodes, side by side.
        self.cycles("all-reduce --dims 4x4 --groups 2x2 --algorithm lines --words 6 --adder-cycles 2", lines_cycles((2, 2), 6, 2))
        # On a torus the tree leaves wrap links unused; around faults it waits as well.
        self.cycles("all-reduce --dims 5x4 --algorithm tree --words 7 --adder-cycles 3 --flits auto", tree_cycles((5, 4), 7, 3))
        self.run_program("plan all-reduce --dims 4x4 --dead-node 1,1 --algorithm tree --words 7 --adder-cycles 3 --type float32 -o p.json")
        self.run_program("verify p.json")
        self.run_program("plan reduce --dims 4x4 --dead-node 1,1 --algorithm tree --words 7 --adder-cycles 3 --type float32 -o p.json")
        self.run_program("verify p.json")

    WAITING = (
        "all-reduce --topology mesh --dims 4x4 --algorithm three-trees --words 24",
        "all-reduce --dims 4x4 --algorithm packing --frame 1 --words 24",
        "all-reduce --topology mesh --dims 3x3 --algorithm tree --words 24",
        "all-reduce --topology mesh --dims 3x3 --algorithm lines --words 6",
        "all-reduce --dims 4x4 --algorithm scheduled --packets 2",
        "reduce-scatter --topology mesh --dims 3x3 --algorithm scheduled --packets 2",
        "all-reduce --dims 4x4 --algorithm cores --words 16",
        "all-reduce --dims 4x4 --algorithm forest --words 6",
        "all-reduce --dims 4x4 --algorithm stages --words 6",
        "reduce --dims 4x4 --algorithm disjoint-trees --words 24",
        "reduce --dims 4x4 --algorithm hamiltonian --words 24",
    )

    def additions_in_series(self):
        """The most arrivals that are added to one another in a step, from the table of the document."""
        program = self.document()["program"]
        heads = (1 if "roms" in program else 0) + 1 + (1 if "period" in program else 0)
        words = 1 if program.get("names_words") else 0
        each, ports = 3 + words, (len(program["table"][0]) - heads) // (4 + 2 * words)
        steps = {}
        for row in program["table"]:
            step = row[1 if "roms" in program else 0]
            key = (row[0] if "roms" in program else 0, (step - 1) % program.get("period", 1 << 40))
            for port in range(ports):
                at = heads + ports * (1 + words) + port * each
                if row[at] or row[at + 1]:
                    steps.setdefault(key, []).append((port, row[at] - program["own_words"], row[at], row[at + 1]))
        most = 0
        for arrivals in steps.values():
            depths = {}
            for _, slot, source, to in sorted(arrivals):
                depth = 1 + depths.get(slot, 0) if source else 0
                most = max(most, depth)
                if to:
                    depths[to] = depth
        return most

    def test_steps_wait_for_the_additions_of_a_step(self):
        for plan in self.WAITING:
            for flits, adder in ((2, 0), (3, 2)):
                words = f"{plan} --flits {flits} --adder-cycles {adder}"
                self.run_program(f"plan {words} -o p.json")
                wait = self.additions_in_series() * adder
                steps = self.report("verify p.json --json")["steps"]
                self.cycles(words, (steps - 1) * max(flits, wait + 1) + flits + wait)

    def test_digests_of_trees_do_not_depend_on_cycles(self):
        for plan in ("all-reduce --topology mesh --dims 4x3 --algorithm tree --words 12", "all-reduce --dims 4x4 --algorithm packing --frame 1 --words 12",
                     "all-reduce --topology mesh --dims 3x3 --algorithm lines --words 4"):
            digests = set()
            for flits, adder in ((1, 0), (1, 3), (2, 0), (3, 2), (4, 1)):
                if "lines" in plan and flits > 1:
                    continue
                self.run_program(f"plan {plan} --type float32 --flits {flits} --adder-cycles {adder} -o p.json")
                digests.add(self.report("verify p.json --json")["sums"]["digest"])
            self.assertEqual(len(digests), 1, plan)

    def test_damaged_programs_are_refused(self):
        self.run_program("plan all-reduce --topology mesh --dims 4x3 --algorithm tree --words 5 --adder-cycles 2 --type float32 -o p.json")
        digest = self.report("verify p.json --json")["sums"]["digest"]
        good = self.document()
        silent = 0
        for row in range(len(good["program"]["table"])):
            document = json.loads(json.dumps(good))
            # A step too early.
            document["program"]["table"][row][1] += -1 if document["program"]["table"][row][1] > 1 else 1
            self.write(document)
            done = subprocess.run([PROGRAM, "verify", "q.json", "--json"], cwd=self.directory, capture_output=True, text=True)
            if done.returncode == 0 and json.loads(done.stdout)["sums"]["digest"] == digest:
                silent += 1
        self.assertEqual(silent, 0)
        for key, value, status, message in (("adder_cycles", 3, 2, "parameters"), ("adder_cycles", 16, 2, "0..15"), ("flits", 2, 2, "require step_cycles"),
                                            ("step_cycles", 2, 2, "additions of a step take")):
            document = json.loads(json.dumps(good))
            document["program"][key] = value
            self.write(document)
            self.assertIn(message, self.run_program("verify q.json", status))


class Refusals(Case):
    def test_requests_without_a_plan_are_refused_in_one_line(self):
        torus = "plan all-reduce --dims 4x4 -o p.json"
        for words, status, message in (
            (f"{torus} --adder-cycles 16", 2, "--adder-cycles: 16 is not 0..15"),
            (f"{torus} --adder-cycles -1", 2, "--adder-cycles: -1 is not 0..15"),
            (f"{torus} --algorithm hamiltonian --flits 65536", 2, "--flits: a whole number from 1 to 65535 is expected, not 65536"),
            (f"{torus} --algorithm hamiltonian --elastic --adder-cycles 2", 3,
             "--elastic: no cycles are known for adders of several cycles; nearest feasible: --adder-cycles without --elastic"),
            ("plan all-reduce --dims 3x3 -o p.json --algorithm hamiltonian --adder-cycles 2 --flits 4", 3,
             "hamiltonian: on a cycle of an odd number of nodes, adders of 2 cycles need packets of 5 words or more; "
             "nearest feasible: --flits 5"),
            (f"{torus} --algorithm hamiltonian --adder-cycles 2 --bytes 4KiB", 2, "--adder-cycles: not with --bytes; use --words"),
        ):
            self.assertEqual(self.run_program(words, status), f"gossamer: {message}")
        self.assertEqual(self.run_program("plan all-reduce --topology mesh --dims 4x4 --algorithm three-trees --flits 2 --invariant length "
                                          "--type float32 --words 9 -o p.json", 3),
                         "gossamer: three-trees: with packets of several words its trees depend on their length; nearest feasible: --flits 1, "
                         "or --algorithm tree")
        self.assertEqual(self.run_program("plan all-reduce --topology mesh --dims 4x4 --link-rate x=1/2 --algorithm lines --adder-cycles 2 -o p.json", 3),
                         "gossamer: lines: links that are not equally fast have packets of 1 word and adders of 0 cycles; nearest feasible: "
                         "--adder-cycles 0 --flits 1")
        for algorithm in ("line-sum",):
            self.assertIn(f"--adder-cycles: algorithm {algorithm} does not support it",
                          self.run_program(f"{torus} --algorithm {algorithm} --adder-cycles 2", 2))
        self.run_program("plan reduce-scatter --dims 4x4 --algorithm hamiltonian --adder-cycles 2 -o p.json")
        self.assertIn("use sv", self.run_program("emit p.json --format sv-rank -o r", 2))
        self.assertIn("one cycle each", self.run_program("compose p.json p.json -o c.json", 3))
        self.run_program("plan all-reduce --dims 4x4 --groups 2x2 --algorithm hamiltonian --adder-cycles 2 -o p.json", 3)

    def test_wrong_documents_are_refused(self):
        self.run_program("plan all-reduce --dims 3x3 --algorithm hamiltonian --adder-cycles 1 --flits 4 -o p.json")
        for key, value, status in (("flits", 65536, 2), ("flits", 0, 2), ("adder_cycles", 16, 2), ("adder_cycles", 2, 2),
                                   ("flits", 2, 2), ("flits", 5, 2)):
            document = self.document()
            document["program"][key] = value
            self.write(document)
            self.run_program("verify q.json", status)
        self.run_program("plan all-reduce --dims 4x4 --algorithm eye --flits 2 --adder-cycles 2 -o p.json")
        for value, status in ((16, 2), (3, 2)):
            document = self.document()
            document["program"]["adder_cycles"] = value
            self.write(document)
            self.run_program("verify q.json", status)
        document["program"]["adder_cycles"] = document["parameters"]["adder-cycles"] = 3
        self.write(document)
        self.assertIn("cycles", self.run_program("verify q.json", 1))
        self.run_program("plan all-reduce --dims 3x3 --algorithm hamiltonian --adder-cycles 1 --flits 4 -o p.json")
        # The parameters agree, but not the promised cycles.
        document = self.document()
        document["program"]["flits"] = document["parameters"]["flits"] = 5
        self.write(document)
        self.run_program("verify q.json", 1)


class Rtl(Case):
    def test_rtl_has_the_cycles_and_bits_of_the_model(self):
        for plan, kind, flits, adder, cycles in (
            ("all-reduce --dims 4x4 --algorithm hamiltonian", "float32", 1, 1, 15 * 2),
            ("all-reduce --dims 4x4 --algorithm hamiltonian", "float32", 1, 3, 60),
            ("all-reduce --dims 4x4 --algorithm hamiltonian", "float32", 3, 2, 47),
            ("all-reduce --dims 4x4 --algorithm hamiltonian --packets 4", "float32", 4, 3, 123),
            ("all-reduce --dims 3x3 --algorithm hamiltonian", "float32", 7, 3, 62),
            ("reduce-scatter --dims 3x3 --algorithm hamiltonian --packets 1", "float32", 4, 3, 22),
            ("reduce-scatter --dims 3x3 --algorithm hamiltonian --packets 1", "float32", 1, 3, 19),
            ("all-reduce --dims 3x3 --algorithm rings --words 30", "float32", 5, 2, 24),
            ("all-reduce --dims 4x4 --algorithm hamiltonian --packets 3", "uint", 2, 15, 30 * 16 + 1),
            # Lanes.
            ("all-reduce --dims 4x4 --algorithm hamiltonian --link-bits 64", "bfloat16", 3, 2, 47),
            # Relays of 2 and 2 steps over one link each: 4 F cycles, 2 max(0, L + 1 - F) more.
            ("all-reduce --dims 2x2 --algorithm eye", "float32", 1, 1, 4 + 2),
            ("all-reduce --dims 2x2 --algorithm eye", "float32", 1, 3, 4 + 2 * 3),
            ("all-reduce --dims 2x2 --algorithm eye --link-bits 32", "bfloat16", 3, 2, 12),
            ("all-reduce --dims 2x2 --algorithm partners", "float32", 2, 3, 4 + 2 + 3),
            ("all-reduce --dims 4x4 --algorithm hamiltonian", "uint", 100, 0, 1500),
            ("all-reduce --topology mesh --dims 4x4 --algorithm tree --words 6", "float32", 1, 2, 25),
            ("all-reduce --topology mesh --dims 3x3 --algorithm lines --words 6", "bfloat16", 1, 3, lines_cycles((3, 3), 6, 3)),
            ("all-reduce --dims 4x4 --algorithm packing --frame 1 --words 12", "float32", 3, 2, None),
            ("all-reduce --dims 4x4 --algorithm scheduled --packets 1", "float32", 2, 1, None),
            ("all-reduce --dims 4x4 --algorithm cores --words 16", "uint", 2, 2, None),
        ):
            with self.subTest(plan, flits=flits, adder=adder):
                self.run_program(f"plan {plan} --type {kind} --flits {flits} --adder-cycles {adder} -o p.json")
                report = self.report("simulate p.json --engine rtl --trace r.csv --report -")
                self.assertEqual((report["complete"], report["cycles"]), (True, cycles or report["analytic_cycles"]))
                self.run_program("simulate p.json --engine fast --trace f.csv")
                with open(os.path.join(self.directory, "r.csv"), "rb") as one, open(os.path.join(self.directory, "f.csv"), "rb") as other:
                    self.assertEqual(one.read(), other.read())
                self.run_program("cosim p.json")
        self.run_program("plan all-reduce --dims 4x4 --algorithm hamiltonian --flits 1025 -o p.json")
        self.assertIn("steps of up to 1024 cycles", self.run_program("simulate p.json --engine rtl", 3))

    def test_emitted_timetables_have_late_adders(self):
        for plan in ("all-reduce --topology mesh --dims 3x3 --algorithm tree --words 3 --adder-cycles 2 --type bfloat16",
                     "all-reduce --topology mesh --dims 2x2 --algorithm packing --words 6 --flits 2 --adder-cycles 1 --type float32"):
            self.run_program(f"plan {plan} -o p.json")
            cycles = self.report("verify p.json --json")["cycles"]
            self.run_program("emit p.json --format sv -o e")
            done = subprocess.run(["make", "-s", "-C", "e", "icarus"], cwd=self.directory, capture_output=True, text=True)
            self.assertIn(f" cycles={cycles}", done.stdout)
            self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
