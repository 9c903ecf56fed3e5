# SPDX-License-Identifier: Apache-2.0
"""gossamer sweep: complete, independent of the number of workers, and safe against kill -9.

    sweep_test.py GOSSAMER BUILD [unittest's arguments]
"""
import collections
import contextlib
import io
import json
import os
import pathlib
import pty
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, BUILD = sys.argv[1:3]
sys.path.insert(0, f"{BUILD}/python")

from gossamer import InputError, sweep  # noqa: E402  (from the build tree)

# 240 jobs: 20 sizes, 3 packet counts, 4 ways.
SPEC = """runs:
  - collective: gossip
    topology: torus
    dims: {dimensions: 2, from: 3, to: 22}
    algorithm: hamiltonian
    engine: [proof, fast]
    options: {packets: [1, 2, 4]}
  - collective: gossip
    topology: mesh
    dims: [{dimensions: 2, from: 3, to: 22}]
    algorithm: [array]
    engine: [proof, fast]
    options: {packets: [1, 2, 4]}
"""
# 28 jobs of some hundredths of a second.
SLOW = "runs: [{collective: gossip, dims: {dimensions: 2, from: 21, to: 34}, engine: fast, options: {packets: [1, 2]}}]\n"


def run_of(text):
    return f"runs:\n  - {text}\n"


class Sweep(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name)

    def write(self, text, name="s.yaml"):
        (self.path / name).write_text(text)

    def gossamer(self, *arguments, status=0, **options):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.path, capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def sweep(self, *arguments, **options):
        return self.gossamer("sweep", *arguments, **options)

    def refused(self, *arguments, part, entries):
        done = self.sweep(*arguments, status=2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("gossamer: "), done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(sorted(os.listdir(self.path)), sorted(entries))

    def start(self, *arguments, **options):
        """A sweep in the background; it is killed at the end of the test at the latest."""
        process = subprocess.Popen([PROGRAM, "sweep", *arguments], cwd=self.path, text=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def count(self, results="r.sqlite"):
        """The number of rows, also while a sweep measures."""
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.path}/{results}?mode=ro", uri=True)) as database:
                return database.execute("SELECT count(*) FROM results").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def wait_for_rows(self, number, process, results="r.sqlite"):
        while self.count(results) < number:
            self.assertIsNone(process.poll(), "it ended")
            time.sleep(0.01)

    def rows(self, results="r.sqlite", with_times=False):
        """The rows of an export by request; without measured times unless `with_times`."""
        with contextlib.closing(sweep.Results(str(self.path / results), measuring=False)) as opened:
            exported = opened.to_json()
        found = {}
        for row in json.loads(exported):
            for name in () if with_times or not row["report"] else ("wall_seconds", "router_cycles_per_second"):
                del row["report"][name]
            key = json.dumps(row.pop("request"))
            self.assertNotIn(key, found)
            found[key] = row
        return found

    def swept(self, text):
        """(request, row) of a description."""
        self.write(text)
        self.sweep("s.yaml", "-o", "r.sqlite")
        return [(json.loads(key), row) for key, row in self.rows(with_times=True).items()]


class Results(Sweep):
    def test_a_row_holds_the_report_and_where_it_comes_from(self):
        self.write("""runs:
  - {collective: gossip, dims: [8x8, 2x5], algorithm: hamiltonian, engine: [proof, fast, systemc, rtl]}
  - {collective: broadcast, topology: mesh, dims: 8x8, engine: fast, options: {source: ["0,0", "3,4"]}}
""")
        summary = self.sweep("s.yaml", "-o", "r.sqlite", "--export", "r.csv").stdout
        self.assertIn("jobs                10\n  measured before   0\n  measured now      10\n", summary)
        self.assertIn("done                6\nfailed              0\ninfeasible          4\n", summary)
        planned = self.gossamer("plan", "gossip", "--dims", "8x8", "--algorithm", "hamiltonian", "-o", "p.json").stdout
        found = collections.Counter()
        for key, row in self.rows(with_times=True).items():
            request = json.loads(key)
            self.assertRegex(request["gossamer"], r"^0\.")
            self.assertTrue(row["host"] and row["machine"])
            found[request["collective"], row["status"]] += 1
            if row["status"] == "infeasible":
                self.assertIn("nearest feasible", row["message"])
                self.assertIsNone(row["report"])
            elif request["collective"] == "gossip":
                self.assertEqual((row["report"]["steps"], row["report"]["engine"]), (32, request["engine"]))
                self.assertIn(row["plan_hash"], planned)
        self.assertEqual(found, {("gossip", "done"): 4, ("gossip", "infeasible"): 4, ("broadcast", "done"): 2})
        table = (self.path / "r.csv").read_text()
        self.assertEqual(table.count("\n"), 11)
        self.assertTrue(table.startswith("collective,topology,dims,algorithm,options,engine,status,message,gossamer,"
                                         "plan_hash,host,machine,nodes,packets,packets_per_node,complete,steps,"))
        self.assertIn('"{""source"":""3,4""}"', table)
        self.assertEqual(self.sweep("-o", "r.sqlite", "--export", "-").stdout, table)
        self.sweep("-o", "r.sqlite", "--export", "r.json")
        exported = {json.dumps(row.pop("request")): row for row in json.loads((self.path / "r.json").read_text())}
        self.assertEqual(exported, self.rows(with_times=True))
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "sweep", "-o", self.path / "r.sqlite", "--export", "-"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "gossamer: -: cannot be written: No space left on device\n"))

    def test_the_table_is_the_one_that_users_query(self):
        self.swept(run_of("{collective: all-reduce, dims: 4x4, options: {bytes: 64, link-bits: 128}}"))
        with contextlib.closing(sqlite3.connect(self.path / "r.sqlite")) as database:
            columns = [(name, kind) for _, name, kind, *_ in database.execute("PRAGMA table_info(results)")]
            row = database.execute("SELECT bytes, link_bits, complete, seed, typeof(seconds) FROM results").fetchone()
        texts = "job collective topology dims algorithm options engine status message gossamer plan_hash host machine"
        self.assertEqual(columns[:13], [(name, "TEXT") for name in texts.split()])
        self.assertEqual(columns[13], ("seed", "INTEGER"))
        self.assertEqual({kind for _, kind in columns[14:-1]}, {"NUMERIC"})
        self.assertEqual(len(columns[14:-1]), 32)
        self.assertEqual(columns[-2:], [("picojoules_per_bit", "NUMERIC"), ("report", "TEXT")])
        self.assertEqual(row, (64, 128, 1, None, "real"))

    def test_one_worker_gives_the_rows_of_many(self):
        self.write(SPEC)
        self.sweep("s.yaml", "-o", "one.sqlite", "-j", "1")
        self.sweep("s.yaml", "-o", "many.sqlite", "-j", "5")
        self.assertEqual(self.rows("one.sqlite"), self.rows("many.sqlite"))

    def test_elastic_plans_run_under_stall_scripts(self):
        cycles = collections.defaultdict(set)
        for request, row in self.swept("""runs:
  - collective: gossip
    dims: 4x4
    engine: [fast, systemc]
    options: {elastic: true, flits: 4, link-latency: ["1", "2"]}
    stall: [none, "random:1:192,192,192"]
  - {collective: gossip, dims: 4x4, stall: "random:1:192,192,192"}
"""):
            if request["engine"] == "proof":
                self.assertEqual((row["status"], row["report"]), ("refused", None))
            else:
                cycles[request["options"]["link-latency"], "stall" in request].add(row["report"]["cycles"])
        # Both engines count the same.
        self.assertEqual({key: len(found) for key, found in cycles.items()}, dict.fromkeys(cycles, 1))
        self.assertEqual([cycles["1", False], cycles["1", True], cycles["2", False]], [{32}, {89}, {33}])

    def test_experiments_and_faults_are_measured(self):
        rows = self.swept("""runs:
  - {collective: dynamic-broadcast, dims: 4x4, engine: [fast, proof], options: {load: "0.1,0.2", broadcasts: 1000}}
  - {collective: gossip, dims: 4x4, engine: [fast, proof], faults: "link:1,1:x+ node:2,2"}
""")
        self.assertEqual({row["status"] for _, row in rows}, {"done"})
        for request, row in rows:
            if request["collective"] == "gossip":
                self.assertEqual(row["report"]["dead_links"], 1)
            elif request["engine"] == "fast":
                self.assertEqual([point["load"] for point in row["report"]["points"]], [0.1, 0.2])

    def test_schedules_of_other_programs_are_measured(self):
        self.write("runs: [{files: t.xml, topology: mesh, dims: [2x2, 4], engine: [proof, fast, systemc]}]")
        self.gossamer("plan", "all-gather", "--topology", "mesh", "--dims", "2x2", "-o", "p.json")
        self.gossamer("emit", "p.json", "--format", "msccl-xml", "-o", "out")
        (schedule,) = (self.path / "out").glob("*.xml")
        schedule.rename(self.path / "t.xml")
        self.sweep("s.yaml", "-o", "r.sqlite", status=1)
        steps = set()
        for key, row in self.rows(with_times=True).items():
            if json.loads(key)["dims"] == [2, 2]:
                self.assertEqual((row["status"], row["report"]["algorithm"]), ("done", "imported"))
                steps.add(row["report"]["steps"])
            else:
                # A line has different links.
                self.assertEqual(row["status"], "failed")
                self.assertRegex(row["message"], r"^t\.xml:[0-9]+: ")
        self.assertEqual(len(steps), 1)

    def test_sides_may_be_a_list(self):
        rows = self.swept(run_of("{collective: gossip, dims: [[4, 4], [5], 6x6], algorithm: hamiltonian}"))
        self.assertEqual(sorted(request["dims"] for request, _ in rows), [[4, 4], [5], [6, 6]])

    def test_networks_may_be_those_of_mesh_graph_descriptors(self):
        self.write("device_topology { dims: [8, 4] dim_types: [RING, LINE] }", "a.textproto")
        self.write("device_topology { dims: [2, 3] dim_types: [RING, RING] }", "b.textproto")
        by_file = self.swept("runs: [{collective: gossip, topology-file: [a.textproto, b.textproto]}]")
        os.remove(self.path / "r.sqlite")
        by_name = self.swept("runs: [{collective: gossip, topology: wrap-x, dims: 8x4}, {collective: gossip, dims: 2x3}]")
        self.assertEqual([request for request, _ in by_file], [request for request, _ in by_name])

    def test_the_names_of_the_field_are_those_of_the_documents(self):
        names = ("gossip", "all-gather")
        rows = [self.swept(run_of(f"{{collective: {name}, dims: 4x4}}"))[0][0] for name in names]
        self.assertEqual(rows[0], rows[1])

    def test_a_folder_without_write_access_can_be_read(self):
        os.umask(0o022)
        self.swept(run_of("{collective: gossip, dims: [4x4, 6x6]}"))
        expected = self.sweep("-o", "r.sqlite", "--export", "-").stdout
        self.path.chmod(0o555)
        # Root may write anywhere.
        user = {"user": 65534} if os.geteuid() == 0 else {}
        done = subprocess.run([PROGRAM, "sweep", "-o", self.path / "r.sqlite", "--export", "-"], cwd="/",
                              capture_output=True, text=True, **user)
        self.assertEqual((done.stdout, done.stderr), (expected, ""))
        with tempfile.TemporaryDirectory() as elsewhere:
            os.chmod(elsewhere, 0o777)
            done = subprocess.run([PROGRAM, "plot", self.path / "r.sqlite", "-o", "f.svg"], cwd=elsewhere,
                                  env=os.environ | {"MPLCONFIGDIR": elsewhere}, capture_output=True, text=True, **user)
            self.assertEqual((done.stdout, done.stderr), ("f.svg\n", ""))
        self.path.chmod(0o755)
        self.assertEqual(sorted(os.listdir(self.path)), ["r.sqlite", "s.yaml"])

    def test_other_files_are_left_alone(self):
        self.write(SPEC)
        self.write("Dear Sir or Madam, this is a file of another kind.\n", "letter.txt")
        with contextlib.closing(sqlite3.connect(self.path / "other.sqlite")) as database:
            database.execute("CREATE TABLE t (x)")
        for name, part in (("letter.txt", "not a database"), ("other.sqlite", "no results of gossamer sweep")):
            before = (self.path / name).read_bytes()
            self.refused("s.yaml", "-o", name, part=part, entries=["letter.txt", "other.sqlite", "s.yaml"])
            self.assertEqual((self.path / name).read_bytes(), before)

    def test_the_progress_bar_is_for_terminals(self):
        self.write(SLOW)
        ours, theirs = pty.openpty()
        with subprocess.Popen([PROGRAM, "sweep", "s.yaml", "-o", "r.sqlite"], cwd=self.path, stderr=theirs,
                              stdout=subprocess.DEVNULL) as process:
            os.close(theirs)
            shown = b""
            # A closed terminal is an error.
            with contextlib.suppress(OSError):
                while part := os.read(ours, 4096):
                    shown += part
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(shown.decode(), r"sweep: .*[1-9][0-9]?%.*/28 \[")
        os.remove(self.path / "r.sqlite")
        self.assertEqual(self.sweep("s.yaml", "-o", "r.sqlite").stderr, "")


class Stopping(Sweep):
    def test_a_sweep_killed_at_any_moment_loses_nothing_and_repeats_nothing(self):
        self.write(SPEC)
        self.sweep("s.yaml", "-o", "undisturbed.sqlite")
        expected = self.rows("undisturbed.sqlite")
        self.assertEqual(len(expected), 240)
        before = {}
        # Killed during its start, while it creates the file, and during measurements.
        for rows, pause in [(0, 0.03 * i) for i in range(1, 9)] + [(n, 0.001 * (n % 7)) for n in range(1, 200, 33)]:
            process = self.start("s.yaml", "-o", "r.sqlite", "-j", "2")
            if rows > len(before):
                self.wait_for_rows(rows, process)
            time.sleep(pause)
            # Only this process: its workers end with it.
            process.kill()
            process.wait()
            if not (self.path / "r.sqlite").exists():
                continue
            after = self.rows(with_times=True)
            # Earlier rows are unchanged, measured times included.
            self.assertEqual({key: after.get(key) for key in before}, before)
            before = after
        self.assertLess(100, len(before))
        self.assertIn(f"measured before   {len(before)}\n", self.sweep("s.yaml", "-o", "r.sqlite").stdout)
        self.assertEqual(self.rows(), expected)
        # A finished sweep leaves one file.
        self.assertEqual([name for name in os.listdir(self.path) if name.startswith("r.sqlite")], ["r.sqlite"])

    def test_signals_end_a_sweep_between_two_jobs(self):
        self.write(SLOW)
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start("s.yaml", "-o", f"{number}.sqlite", "-j", "2")
            self.wait_for_rows(2, process, f"{number}.sqlite")
            process.send_signal(number)
            _, said = process.communicate()
            self.assertEqual(process.returncode, -number)
            there = self.count(f"{number}.sqlite")
            self.assertEqual(said, f"gossamer: sweep: stopped, {there} of 28 jobs have a row; start again to go on\n")
            again = self.sweep("s.yaml", "-o", f"{number}.sqlite").stdout
            self.assertIn(f"  measured before   {there}\n  measured now      {28 - there}\n", again)

    def test_a_second_sweep_into_the_same_results_is_refused(self):
        self.write(run_of("{collective: gossip, dims: 200x200, engine: systemc}"), "long.yaml")
        self.write(run_of("{collective: gossip, dims: 4x4}"))
        first = self.start("long.yaml", "-o", "r.sqlite")
        while not (self.path / "r.sqlite-wal").exists():
            self.assertIsNone(first.poll())
            time.sleep(0.01)
        refused = self.sweep("s.yaml", "-o", "r.sqlite", status=2)
        self.assertIn("gossamer: r.sqlite: another sweep is measuring into it", refused.stderr)
        # Others can still read, and take over after the first one has ended.
        self.sweep("-o", "r.sqlite", "--export", "-")
        first.kill()
        self.sweep("s.yaml", "-o", "r.sqlite")
        self.assertEqual(len(self.rows()), 1)

    def workers_of(self, process):
        # Any of its threads may have started the workers.
        children = [int(child) for thread in pathlib.Path(f"/proc/{process.pid}/task").iterdir()
                    for child in (thread / "children").read_text().split()]
        self.assertEqual(len(children), 2)
        return children

    def test_the_workers_of_a_killed_sweep_end(self):
        self.write(run_of("{collective: gossip, dims: [200x200, 201x201], engine: systemc}"))
        process = self.start("s.yaml", "-o", "r.sqlite", "-j", "2")
        while not (self.path / "r.sqlite-wal").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        workers = [pathlib.Path(f"/proc/{pid}/cmdline") for pid in self.workers_of(process)]
        process.kill()
        process.wait()
        deadline = time.monotonic() + 30
        # The command line of a process that has ended is empty until it is reaped.
        while any(worker.exists() and worker.read_bytes() for worker in workers):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_a_worker_that_is_killed_costs_nothing(self):
        self.write(SLOW)
        process = self.start("s.yaml", "-o", "r.sqlite", "-j", "2")
        self.wait_for_rows(2, process)
        os.kill(self.workers_of(process)[0], signal.SIGKILL)
        _, said = process.communicate()
        self.assertEqual((process.returncode, said), (0, ""))
        self.assertEqual({row["status"] for row in self.rows().values()}, {"done"})
        self.assertEqual(self.count(), 28)

    def test_a_job_that_kills_its_worker_has_no_row_and_takes_no_other_job_along(self):
        self.write(run_of("{collective: gossip, dims: {dimensions: 2, from: 3, to: 30}}"))
        measure = sweep.measure

        def deadly(job):
            if job["dims"] == [7, 7]:
                os.kill(os.getpid(), signal.SIGKILL)
            return measure(job)

        sweep.measure = deadly
        self.addCleanup(setattr, sweep, "measure", measure)
        files = [str(self.path / "s.yaml"), "-o", str(self.path / "r.sqlite"), "--export", str(self.path / "r.csv")]
        with contextlib.redirect_stderr(io.StringIO()) as said:
            status = sweep.main([*files, "-j", "2"])
        self.assertEqual((status, self.count()), (1, 27))
        self.assertRegex(said.getvalue(), r'^gossamer: no result, its worker failed, KilledWorker: .*"dims":\[7,7\].*\n$')
        # The next start repeats only this job.
        self.assertIn("measured now      1\n", self.sweep("s.yaml", "-o", "r.sqlite").stdout)


class Cluster(Sweep):
    """A scheduler of dask.distributed and two workers on this machine."""

    def setUp(self):
        super().setUp()
        self.begin("scheduler", "--port", "0", "--host", "127.0.0.1")
        self.workers = [self.begin("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        while not (self.path / "cluster.json").exists():
            time.sleep(0.05)
        self.address = json.loads((self.path / "cluster.json").read_text())["address"]

    def begin(self, role, *options):
        process = subprocess.Popen(
            ["/usr/bin/python3", "-m", f"distributed.cli.dask_{role}", "--scheduler-file", "cluster.json", "--no-dashboard",
             *options], cwd=self.path, env=os.environ | {"PYTHONPATH": f"{BUILD}/python"}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_killed_workers_lose_and_repeat_no_row(self):
        self.write(SLOW)
        process = self.start("s.yaml", "-o", "r.sqlite", "--scheduler", self.address)
        self.wait_for_rows(4, process)
        self.workers[0].kill()
        _, said = process.communicate()
        self.assertEqual((process.returncode, said), (0, ""))
        self.sweep("s.yaml", "-o", "local.sqlite")
        self.assertEqual(self.rows(), self.rows("local.sqlite"))

        # A killed sweep can be continued, on a cluster as on cores.
        self.write(SPEC)
        process = self.start("s.yaml", "-o", "again.sqlite", "--scheduler", self.address)
        self.wait_for_rows(4, process, "again.sqlite")
        process.kill()
        process.wait()
        self.assertLess(self.count("again.sqlite"), 240)
        self.sweep("s.yaml", "-o", "again.sqlite", "--scheduler", self.address)
        self.assertEqual(self.count("again.sqlite"), 240)


class Descriptions(Sweep):
    def read(self, text, max_jobs=sweep.MAX_JOBS):
        data = text.encode() if isinstance(text, str) else text
        (self.path / "s.yaml").write_bytes(data)
        return list(sweep.Description(str(self.path / "s.yaml"), max_jobs).jobs)

    def test_a_wrong_one_is_refused_with_line_and_cause(self):
        def wrong(text, part):
            with self.subTest(text=text[:200]), self.assertRaises(InputError) as caught:
                self.read(text)
            self.assertRegex(str(caught.exception), f"^{self.path}/s.yaml: line [1-9]")
            self.assertIn(part, str(caught.exception))

        wrong("", "line 1: a mapping of keys to values is expected")
        wrong("runs: [", "line 1: while parsing a flow node, expected the node content")
        wrong("runs:\n\t- a", "line 2: ")
        wrong("[" * 20000, "the file is nested too deeply")
        wrong("a: &x [*x]", 'unknown key "a"')
        wrong(b"runs:\n- \xff\xfe", "line 2: ")
        wrong("runs:\n- \x07", "line 2: special characters")
        wrong('runs: [{collective: "\\ud800", dims: 4x4}]', "not UTF-8")
        wrong("jobs: []", 'unknown key "jobs"')
        wrong("runs: 3", "a list `runs`")
        wrong("runs: []", "the list `runs` is empty")
        wrong("topology: torus", 'unknown key "topology"; there is runs')
        for text, part in {
            "{collective: gossip}": "line 2: `dims` is missing",
            "{collective: gossip, dims: 4x4, topology-file: m}":
                "line 2: `topology-file` cannot be combined with `dims` or `topology`",
            "{collective: gossip, topology-file: m}": "line 2: m: cannot be opened",
            "{dims: 4x4}": "`collective` is missing",
            "{collective: gosip, dims: 4x4}": 'collective: "gosip" is unknown (did you mean gossip?)',
            "{collective: gossip, dims: 4y4}": '"4y4" is not of the form 16x8',
            "{collective: gossip, dims: ~}": "a single value is expected",
            "{collective: gossip, dims: []}": "the list is empty",
            "{collective: gossip, dims: 4x4, topology: ring}": "neither torus nor mesh",
            "{collective: gossip, dims: 4x4, engine: warp}": 'engine "warp"',
            "{collective: gossip, dims: 4x4, engine: fsat}": "(did you mean fast?)",
            "{collective: gossip, dims: 4x4, algorithm: none}": '"none"',
            "{collective: gossip, dims: 4x4, algorithm: zigzak}": 'algorithm "zigzak" (did you mean zigzag?)',
            "{collective: gossip, dims: 4x4, color: red}": 'unknown key "color"',
            "{collective: gossip, dim: 4x4}": 'unknown key "dim" (did you mean dims?)',
            "{collective: gossip, dims: 4x4, dims: 5x5}": 'the key "dims" is given twice',
            "{collective: gossip, dims: 4x4, options: {packet: 2}}":
                'option "packet" is unknown (did you mean packets?)',
            "{collective: gossip, dims: 4x4, options: {elastic: 1}}": "option elastic: true or false is expected",
            "{collective: gossip, dims: {dimensions: 2, from: 8, to: 4}}":
                "line 2: the range is empty: `from` 8 is above `to` 4",
            "{collective: gossip, dims: {dimensions: 2, from: 0, to: 3}}": "`from`",
            "{collective: gossip, dims: {dimensions: 9, from: 1, to: 3}}": "at most 8",
            "{files: none.xml, dims: 4x4}": "line 2: none.xml: cannot be opened",
            "{files: none.xml, dims: 4x4, collective: gossip}": 'unknown key "collective"',
            "{collective: gossip, dims: {dimensions: 2, from: 1, to: 65535}, engine: [proof, fast], "
            "options: {packets: [1,2,3,4,5,6,7,8,9,10]}}": "more than 1000000 jobs",
            # Short files that contain the same item many times.
            "{collective: broadcast, dims: 4x4, options: {flits: [X], hop-cycles: [X], relay-cycles: [X]}}".replace(
                "X", ",".join(2000 * "1")): "more than 1000000 jobs",
            f"{{collective: gossip, dims: [{', '.join(20 * ['{dimensions: 8, from: 1, to: 65535}'])}]}}":
                "more than 1000000 jobs",
        }.items():
            wrong(run_of(text), part)
        run = "runs:\n  - collective: gossip\n    dims: "
        wrong(run + "[4, 4]", "line 3: the sides of one network, or rings? The sides are 4x4, the rings [[4], [4]]")
        wrong(run + "4x4\n    options: {packets: two}", "line 4: --packets")
        wrong(run + "4x4\n    options: {hop-cycles: 3}", "takes no option hop-cycles")

    def test_the_program_refuses_in_one_line_and_leaves_nothing(self):
        self.refused("none.yaml", "-o", "r.sqlite", part="none.yaml: cannot be read", entries=[])
        self.refused("-o", "r.sqlite", part="give a SPEC", entries=[])
        self.refused("-o", "r.sqlite", "--export", "r.csv", part="unable to open", entries=[])
        self.write(run_of("{collective: gossip, dims: 4x4, engine: fsat}"))
        self.refused("s.yaml", "-o", "r.sqlite", part="s.yaml: line 2: engine", entries=["s.yaml"])
        self.write(run_of("{collective: gossip, dims: 4x4}"))
        both = "only one of them can use standard output"
        self.refused("s.yaml", "-o", "r.sqlite", "--export", "-", "--json", part=both, entries=["s.yaml"])
        self.refused("s.yaml", "-o", "r.sqlite", "-j", "2", "--scheduler", "x", part="--jobs and", entries=["s.yaml"])
        self.refused("s.yaml", "-o", "nowhere/r.sqlite", part="nowhere", entries=["s.yaml"])
        os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "1s"
        nowhere = "tcp://127.0.0.1:1"
        self.refused("s.yaml", "-o", "r.sqlite", "--scheduler", nowhere, part=f"{nowhere}: ", entries=["s.yaml"])
        # Without the package the program names the package to install.
        lonely = self.path / "gossamer"
        shutil.copy2(PROGRAM, lonely)
        done = subprocess.run([lonely, "sweep", "s.yaml", "-o", "r.sqlite"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^gossamer: sweep: No module named 'gossamer'; install .*\n$")

    def test_damaged_ones_are_refused_or_name_their_jobs(self):
        text = (SPEC + """  - collective: broadcast
    topology: [torus, mesh]
    dims: [8x8, [16, 16]]
    options: {flits: [1, 16], source: ["0,0", "3,5"], timing: step}
""").encode()
        randomly = random.Random(1)
        accepted = 0
        for _ in range(200):
            damaged = bytearray(text)
            at = randomly.randrange(len(damaged))
            damaged[at:at + randomly.randint(0, 3)] = randomly.choice((b"", b"0", b"[", b"\n", b"\xff", b": ", b"&a *a"))
            try:
                jobs = self.read(bytes(damaged), 1000)
            except InputError:
                continue
            accepted += 1
            for key in jobs:
                self.assertEqual(sweep.compact(json.loads(key)), key)
        self.assertGreater(accepted, 10)

    def test_jobs_of_another_version_are_not_measured(self):
        (key,) = self.read(run_of("{collective: gossip, dims: 4x4}"))
        with self.assertRaisesRegex(InputError, "has gossamer 0.*, the sweep 0.0.1"):
            sweep.measure_some([sweep.compact(json.loads(key) | {"gossamer": "0.0.1"})])


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
