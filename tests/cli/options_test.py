# SPDX-License-Identifier: Apache-2.0
"""Options of all commands: empty, at their defaults, and on disks that are full.

    options_test.py GOSSAMER [unittest's arguments]
"""
import glob
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name)

    def gossamer(self, *arguments, **options):
        return subprocess.run([PROGRAM, *arguments], cwd=self.path, capture_output=True, text=True, **options)

    def refused(self, *arguments, **options):
        """The one line on standard error; nothing may be left on disk."""
        before = sorted(path.name for path in self.path.rglob("*"))
        done = self.gossamer(*arguments, **options)
        self.assertEqual(done.returncode, 2, (arguments, done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(sorted(path.name for path in self.path.rglob("*")), before)
        return done.stderr

    def plan(self, *arguments, name="p.json"):
        done = self.gossamer("plan", *arguments, "-o", name)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return json.loads((self.path / name).read_text())


class Options(Case):
    def commands(self, path=()):
        """Every command, with the commands below it, and its help."""
        text = self.gossamer(*path, "--help").stdout
        if path:
            yield list(path), text
        if "Subcommands:" in text:
            for name in re.findall(r"^  ([a-z-]+)\s{2,}", text[text.index("Subcommands:") :], re.MULTILINE):
                yield from self.commands((*path, name))

    def test_an_empty_value_is_refused_everywhere(self):
        options = 0
        for command, text in self.commands():
            for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+) [A-Z\[]\S*  ", text, re.MULTILINE):
                if option == "--json":
                    continue
                with self.subTest(command=command, option=option):
                    self.assertIn("a value is required", self.refused(*command, option, ""))
                options += 1
        self.assertGreater(options, 150)

    DEFAULTS = {
        "link-latency": ["1", "01", "x=1,y=1", "ones.csv"],
        "clock": ["1GHz", "1000 MHz"],
        "energy": ["link=110,router=29,buffer=29", "link=110"],
        "seed": ["1", "01"],
        "hop-cycles": ["1"],
        "relay-cycles": ["0"],
        "timing": ["self"],
        "operation": ["sum"],
        "chunk": ["auto"],
        "slots": ["auto"],
        "torus-algorithm": ["hamiltonian"],
        "link-bits": ["32"],
    }
    PLANS = [
        ["all-gather", "--dims", "4x4"],
        ["all-gather", "--dims", "4x4", "--bytes", "1KiB"],
        ["all-gather", "--dims", "4x3", "--topology", "mesh"],
        ["all-gather", "--dims", "4x4", "--elastic"],
        ["broadcast", "--dims", "4x4"],
        ["broadcast", "--dims", "4x4", "--bytes", "1KiB"],
        ["all-reduce", "--dims", "4x4", "--words", "5"],
        ["reduce-scatter", "--dims", "4x4"],
        ["reduce", "--dims", "4x4", "--bytes", "256"],
        ["barrier", "--dims", "4x4"],
        ["all-to-all", "--dims", "4x4"],
        ["partial-broadcast", "--dims", "4x4", "--active", "0,0;2,1"],
        ["packing", "--dims", "4x4", "--active", "0,0;2,1"],
    ]

    def test_an_option_at_its_default_changes_nothing(self):
        (self.path / "ones.csv").write_text("1,1,1,1\n" * 16)
        compared = 0
        for words in self.PLANS:
            plain = self.plan(*words)
            for option, values in self.DEFAULTS.items():
                for value in values:
                    if value == "ones.csv" and words[2] != "4x4":
                        continue
                    if option == "link-bits" and "--bytes" not in words and words[0] != "all-gather":
                        continue  # a vector's words have no default width
                    with self.subTest(plan=words, option=option, value=value):
                        told = self.plan(*words, f"--{option}", value)
                        for key in ("algorithm", "demand", "expected", "program"):
                            self.assertEqual(told[key], plain[key])
                        compared += 1
        self.assertGreater(compared, 150)

    def test_message_options_at_their_defaults_in_runs(self):
        self.plan("all-gather", "--dims", "3x3", name="plain.json")
        self.plan("all-gather", "--dims", "3x3", "--bytes", "1KiB", name="bytes.json")
        for plan in ("plain.json", "bytes.json"):
            for command in (["verify"], ["simulate", "--engine", "fast"], ["cosim"]):
                ran = self.gossamer(*command, plan, "--json")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                for option, value in (("--link-latency", "01"), ("--clock", "1000MHz"), ("--energy", "router=29")):
                    told = self.gossamer(*command, plan, option, value, "--json")
                    self.assertEqual(told.returncode, 0, (command, plan, option, told.stderr))
                    self.assertEqual(json.loads(told.stdout)["cycles"], json.loads(ran.stdout)["cycles"])

    def test_a_full_disk_is_said_and_leaves_nothing(self):
        plan = self.path / "p.json"
        self.plan("all-gather", "--dims", "8x8")
        # A model that has to be compiled first would find the full disk instead.
        self.assertEqual(self.gossamer("simulate", "p.json", "--engine", "rtl").returncode, 0)

        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

        self.assertGreater(plan.stat().st_size, 2048)
        for arguments in (
            ["plan", "all-gather", "--dims", "9x9", "-o", "new.json"],
            ["simulate", "p.json", "--engine", "fast", "--trace", "t.csv"],
            ["simulate", "p.json", "--engine", "systemc", "--wave", "w.vcd"],
            ["simulate", "p.json", "--engine", "systemc", "--wave", "w.fst"],
            ["simulate", "p.json", "--engine", "rtl", "--wave", "w.vcd"],
            ["simulate", "p.json", "--engine", "rtl", "--wave", "w.fst"],
            ["emit", "p.json", "--format", "sv", "-o", "folder/below"],
            ["man", "-o", "gossamer.1"],
        ):
            with self.subTest(arguments=arguments):
                self.refused(*arguments, preexec_fn=little_room)

    def test_full_standard_output_is_said(self):
        self.plan("all-gather", "--dims", "3x3")
        for arguments in (["--help"], ["--version"], ["plan", "--help"], ["plan", "gossip", "--help"], ["list"],
                          ["list", "--json"], ["verify", "p.json"], ["simulate", "p.json", "--trace", "-"],
                          ["completion", "bash"], ["man"], ["compare", "gossip", "--dims", "4x4"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.path, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 2, done.stderr)

    def test_standard_output_is_for_data_alone(self):
        self.plan("all-gather", "--dims", "3x3")
        for engine in ("systemc", "rtl"):
            for wave in ("w.vcd", "w.fst"):
                done = self.gossamer("simulate", "p.json", "--engine", engine, "--wave", wave, "--json")
                self.assertTrue(json.loads(done.stdout)["complete"])
                done = self.gossamer("simulate", "p.json", "--engine", engine, "--wave", wave, "--trace", "-")
                self.assertTrue(done.stdout.startswith("step,hop,from,port,packet\n"), done.stdout[:80])

    def test_products_of_sizes_overflow_by_name(self):
        for words, quantity in (
            (["all-gather", "--dims", "1500x1500"], "arrivals at a node"),
            (["all-reduce", "--dims", "1100x1100"], "hops of all words"),
        ):
            line = self.refused("plan", *words, "--bytes", "1024GiB", "--link-bits", "1", "-o", "x.json")
            self.assertIn(quantity, line)
            self.assertIn("64 bits", line)

    def test_a_folder_is_needed_for_files(self):
        self.plan("all-gather", "--dims", "3x3")
        self.assertIn("a folder is required", self.refused("emit", "p.json", "--format", "sv", "-o", "-"))

    def test_two_emits_into_one_folder(self):
        self.plan("all-gather", "--dims", "3x3")
        command = [PROGRAM, "emit", "p.json", "--format", "sv", "-o", "out"]
        running = [subprocess.Popen(command, cwd=self.path, stdout=subprocess.DEVNULL) for _ in range(10)]
        self.assertEqual([process.wait() for process in running], [0] * 10)
        self.assertEqual([path.name for path in (self.path / "out").iterdir() if path.name.startswith(".")], [])

    def test_a_stopped_command_leaves_nothing(self):
        self.plan("all-gather", "--dims", "8x8")
        temporary = self.path / "tmp"
        temporary.mkdir()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, "synth", "p.json"], cwd=self.path, env={"TMPDIR": str(temporary), "PATH": "/usr/bin:/bin"},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not list(temporary.iterdir()) and process.poll() is None:
                pass
            process.send_signal(number)
            self.assertEqual(process.wait(), -number)
            self.assertEqual(list(temporary.iterdir()), [])
        # While a tool that it started has a temporary folder of its own.
        process = subprocess.Popen([PROGRAM, "synth", "p.json"], cwd=self.path, env={"TMPDIR": str(temporary), "PATH": "/usr/bin:/bin"},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not glob.glob(f"{temporary}/**/yosys-abc-*", recursive=True) and process.poll() is None:
            pass
        process.terminate()
        self.assertEqual(process.wait(), -signal.SIGTERM)
        self.assertEqual(list(temporary.iterdir()), [])


class BestPlans(Case):
    """The default algorithm is the best one that applies."""

    def steps(self, *words):
        return self.plan(*words)["expected"]["analytic_steps"]

    def test_every_operation_gets_the_plan_of_sums(self):
        for network in (["--dims", "6x6", "--topology", "mesh"], ["--dims", "4x4"], ["--dims", "5x3", "--dead-link", "1,1:x+"]):
            sums = self.steps("all-reduce", *network)
            for operation in ("saturating-sum", "max", "min", "and", "or", "xor"):
                self.assertEqual(self.steps("all-reduce", *network, "--operation", operation, "--seed", "1"), sums)
        self.assertEqual(self.steps("all-reduce", "--dims", "6x6", "--topology", "mesh"), 55)

    def test_tori_take_timetables_unless_told_otherwise(self):
        for dims, words, most in (("5x7", 8, 15), ("4x4x4", 64, 22), ("8x8", 64, 32)):
            network = ["all-reduce", "--dims", dims, "--words", str(words)]
            self.assertLessEqual(self.steps(*network), most)
            self.assertLessEqual(self.steps(*network, "--algorithm", "auto"), most)
            fixed = self.plan(*network, "--algorithm", "auto", "--time-independent")
            # Trees without turns repeat their rows in every step.
            self.assertNotIn(fixed["algorithm"], ("forest", "lines", "scheduled", "stages"))
            self.assertEqual(fixed["parameters"].get("frame", 1), 1)

    def test_cores_is_time_independent(self):
        for dims, words, steps in (("8x8", 16, 11), ("5x5", 10, 6), ("4x4x4", 12, 7)):
            plan = self.plan("all-reduce", "--dims", dims, "--words", str(words), "--time-independent")
            self.assertEqual((plan["algorithm"], plan["expected"]["analytic_steps"]), ("cores", steps))

    def test_networks_of_more_than_256_nodes_are_searched(self):
        for words, most in ((32, 21), (64, 28)):
            self.assertLessEqual(self.steps("all-reduce", "--dims", "8x8x8", "--words", str(words)), most)

    def test_an_emitted_network_has_a_rom_for_each_class_of_parities(self):
        for dims, words, roms in (("4x4", 8, 4), ("5x5", 10, 1)):
            self.plan("all-reduce", "--dims", dims, "--words", str(words), "--algorithm", "cores")
            self.assertEqual(self.gossamer("emit", "p.json", "--format", "sv", "-o", "sv").returncode, 0)
            package = (self.path / "sv" / "gsm_plan_pkg.sv").read_text()
            tables = package[package.index(" timetable(input"):]
            self.assertEqual(tables[:tables.index("endfunction")].count(": timetable ="), roms)
            shutil.rmtree(self.path / "sv")

    def test_a_default_does_not_fail_where_an_algorithm_exists(self):
        self.plan("all-reduce", "--dims", "8", "--topology", "mesh", "--bytes", "1MiB", "--link-bits", "256")
        self.plan("broadcast", "--dims", "16x16", "--bytes", "1GiB", "--link-bits", "64")
        self.plan("all-reduce", "--dims", "3x4", "--algorithm", "scheduled", "--link-bits", "7")

    def test_the_bound_is_that_of_the_vector_that_was_asked_for(self):
        plan = self.plan("all-reduce", "--dims", "5x7", "--words", "8", "--algorithm", "hamiltonian")
        self.assertEqual(plan["expected"]["lower_bound_steps"], 7)
        self.assertEqual(self.gossamer("verify", "p.json").returncode, 0)

    def test_what_cannot_be_proved_is_not_planned(self):
        done = self.gossamer("plan", "all-gather", "--algorithm", "tree", "--dims", "1000x1000", "--dead-core", "7,7", "-o", "p.json")
        self.assertEqual((done.returncode, done.stderr.count("\n"), list(self.path.iterdir())), (3, 1, []))
        self.assertIn("--algorithm trail", done.stderr)

    def test_sides_may_stand_in_any_order(self):
        for words, topology, one, other in (
            (["all-reduce"], "mesh", "3x8", "8x3"),
            (["all-reduce", "--words", "20"], "mesh", "2x4x6", "4x2x6"),
            (["all-reduce", "--words", "20", "--algorithm", "packing"], "torus", "3x8", "8x3"),
            (["all-gather", "--algorithm", "strands"], "torus", "5x7", "7x5"),
            (["all-gather", "--algorithm", "strands"], "torus", "3x4", "4x3"),
            (["reduce-scatter"], "mesh", "4x6", "6x4"),
            (["all-to-all"], "mesh", "3x4", "4x3"),
            (["all-to-all", "--algorithm", "scheduled"], "torus", "3x4", "4x3"),
            (["all-to-all", "--algorithm", "scheduled"], "torus", "2x3x4", "3x2x4"),
            (["broadcast", "--algorithm", "pairing"], "mesh", "3x8", "8x3"),
            (["broadcast"], "torus", "5x7", "7x5"),
        ):
            with self.subTest(words=words, topology=topology, dims=one):
                network = [*words, "--topology", topology, "--dims"]
                self.assertEqual(self.steps(*network, one), self.steps(*network, other))
                self.assertEqual(self.gossamer("verify", "p.json").returncode, 0)


if __name__ == "__main__":
    unittest.main()
