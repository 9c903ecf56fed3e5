# SPDX-License-Identifier: Apache-2.0
"""First problems of users who come from other tools: byte order marks and unknown members in files, results that
cannot be written, exports in the plan's own units, misspelled keywords.

    field_faults_test.py GOSSAMER BUILD SOURCE [unittest's arguments]
"""
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import warnings

PROGRAM, BUILD, SOURCE = sys.argv[1:4]
sys.path.insert(0, f"{BUILD}/python")

import gossamer  # noqa: E402  (from the build tree)

MARK = b"\xef\xbb\xbf"
#: A plan of every machine, and an experiment.
PLANS = {
    "stream": "gossip --dims 4x4",
    "ring": "all-reduce --dims 3x3",
    "elastic": "gossip --dims 3x3 --elastic",
    "timetable": "gossip --dims 4x4 --algorithm scheduled",
    "relay": "broadcast --topology mesh --dims 4x4",
    "queued": "partial-exchange --dims 4x4 --active random:5:3",
    "bytes": "all-gather --dims 4x4 --bytes 1KiB",
    "faulty": "gossip --dims 5x5 --dead-node 2,2",
    "experiment": "dynamic-broadcast --dims 4x4 --load 0.2",
}
FAULTS = {"format": "gossamer-faults", "version": 1, "topology": "mesh", "dims": [3, 3], "dead_nodes": [[1, 1]]}


class Faults(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name)

    def write(self, name, text, mark=False):
        data = text if isinstance(text, bytes) else text.encode()
        (self.path / name).write_bytes((MARK if mark else b"") + data)
        return name

    def run_it(self, *words, status=0, **options):
        done = subprocess.run([PROGRAM, *words], cwd=self.path, capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, status, (words, done.stderr))
        if status == 2:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done

    def planned(self, name):
        path = f"{name}.json"
        self.run_it("plan", *PLANS[name].split(), "-o", path)
        return path

    def schedule(self, form="msccl-xml"):
        self.run_it("plan", "gossip", "--dims", "3x3", "-o", "s.json")
        self.run_it("emit", "s.json", "--format", form, "-o", form)
        return (self.path / form / "algorithm.xml").read_text()


class Readers(Faults):
    def test_marks(self):
        """Every option and argument that names a text file accepts a file that begins with a byte order mark."""
        stream = (self.path / self.planned("stream")).read_bytes()
        self.run_it("verify", self.write("marked.json", stream, mark=True))
        self.run_it("verify", "-", input=(MARK + stream).decode())
        self.run_it("check", self.write("s.xml", self.schedule(), mark=True), "--dims", "3x3")
        teccl = '{"3-Epochs_Required": 1, "7-Flows": ["Chunk 0 from 0 traveled over 0->1 in epoch 0", ' \
            '"Chunk 0 from 1 traveled over 1->0 in epoch 0"]}'
        self.run_it("check", self.write("t.json", teccl, mark=True))
        pair = "router 0 node 0 router 1\nrouter 1 node 1 router 0\n"
        self.run_it("check", "t.json", "--links", self.write("anynet", pair, mark=True))
        self.run_it("check", "t.json", "--links", self.write("links.csv", "from,to\n0,1\n1,0\n", mark=True))
        network = self.write("m.textproto", "device_topology { dims: [3, 3] }", mark=True)
        self.run_it("plan", "gossip", "--topology-file", network, "-o", "p.json")
        faults = self.write("faults.json", json.dumps(FAULTS), mark=True)
        self.run_it("plan", "gossip", "--topology", "mesh", "--dims", "3x3", "--faults", faults, "-o", "p.json")
        active = self.write("active", "0,0\n2,1\n", mark=True)
        self.run_it("plan", "partial-broadcast", "--dims", "3x3", "--active", active, "-o", "p.json")
        latency = self.write("latency", "1 2 3 1\n" * 9, mark=True)
        elastic = ("plan", "gossip", "--dims", "3x3", "--elastic", "--link-latency", latency, "-o", "e.json")
        self.run_it(*elastic)
        stall = self.write("stall", "kind,node,port,cycle,length\ns,1,x-,3,2\n", mark=True)
        self.run_it("simulate", "e.json", "--stall", stall)
        self.run_it("plan", "gossip", "--dims", "3x3", "--algorithm", "hamiltonian", "--packets", "2", "-o", "h.json")
        received = "node,packet\n" + "".join(f"{node},{packet}\n" for node in range(9) for packet in range(18))
        self.run_it("diagnose", "h.json", "--received", self.write("received", received, mark=True))
        spec = self.write("spec.yaml", "runs: [{collective: gossip, dims: 3x3}]\n", mark=True)
        self.run_it("sweep", spec, "-o", "r.sqlite", "-j", "1")
        compared = self.run_it("compare", "all-gather", "--dims", "3x3", "--bytes", "1KiB", "--json").stdout
        self.run_it("plot", self.write("c.json", compared, mark=True), "--kind", "time", "-o", "c.svg")

    def objects(self, value):
        """All objects in a document."""
        if isinstance(value, dict):
            yield value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from self.objects(part)

    def test_unknown_members(self):
        """Unknown members are refused in every object of every document."""
        documents = {name: (json.loads((self.path / self.planned(name)).read_text()), ["verify"]) for name in PLANS}
        plan = ["plan", "gossip", "--topology", "mesh", "--dims", "3x3", "-o", "p.json", "--faults"]
        documents["faults"] = (FAULTS, plan)
        for name, (document, command) in documents.items():
            for index, one in enumerate(self.objects(document)):
                # Parameters that a planner recorded under its own names (docs/plan-format.md).
                if one is document.get("parameters"):
                    continue
                damaged = json.loads(json.dumps(document))
                at = list(self.objects(damaged))[index]
                at["zzz"] = 1
                with self.subTest(document=name, object=list(at)):
                    done = self.run_it(*command, self.write("damaged.json", json.dumps(damaged)), status=2)
                    self.assertIn("zzz", done.stderr)

    def test_unknown_names_in_files_of_other_programs(self):
        """MSCCL's and TE-CCL's readers look members up by name: the report's notes name unused members."""
        xml = self.schedule().replace("<algo ", '<algo colour="red" ', 1)
        notes = json.loads(self.run_it("check", self.write("s.xml", xml), "--json").stdout)["notes"]
        self.assertEqual([note for note in notes if "colour" in note], ["not used: colour of <algo>"])
        teccl = '{"3-Epochs_Required": 1, "7-Flow": [], "7-Flows": ["Chunk 0 from 0 traveled over 0->1 in epoch 0", ' \
            '"Chunk 0 from 1 traveled over 1->0 in epoch 0"], "4-Collective_Finish_Time": 1}'
        notes = json.loads(self.run_it("check", self.write("t.json", teccl), "--json").stdout)["notes"]
        self.assertEqual([note for note in notes if "not used" in note], ["not used: the key 7-Flow"])

    def test_parallel_links_are_said(self):
        network = self.write("m.textproto", "device_topology { dims: [2, 3] dim_types: [RING, RING] }")
        done = self.run_it("plan", "gossip", "--topology-file", network, "-o", "p.json")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("two parallel links", done.stderr)
        with warnings.catch_warnings(record=True) as seen:
            gossamer.plan("all-gather", topology_file=self.path / network)
        self.assertEqual([str(one.message) for one in seen][0].count("two parallel links"), 1)


class Results(Faults):
    """Results in a read-only folder."""

    def reading(self, *words):
        """Runs the program without write access, and leaves the folder unchanged."""
        folder = self.path / "results"
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        os.chmod(self.path, 0o755)
        os.chmod(folder, 0o555)
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, work)
        os.chmod(work, 0o777)
        environment = os.environ | {"HOME": str(work), "MPLCONFIGDIR": str(work)}
        try:
            done = subprocess.run([PROGRAM, *words], cwd=work, capture_output=True, text=True, env=environment, **user)
        finally:
            os.chmod(folder, 0o755)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(before, {path.name: path.read_bytes() for path in folder.iterdir()})
        return done.stdout, work

    def test_reading_needs_no_write_access(self):
        (self.path / "results").mkdir()
        self.write("spec.yaml", "runs: [{collective: gossip, dims: {dimensions: 2, from: 3, to: 5}, algorithm: ring}]\n")
        results = self.path / "results" / "r.sqlite"
        self.run_it("sweep", "spec.yaml", "-o", str(results), "-j", "1")
        wanted = self.run_it("sweep", "-o", str(results), "--export", "-").stdout
        self.assertEqual(wanted.count("\n"), 4)
        # There is a log: a sweep is running, or was killed.
        with contextlib.closing(sqlite3.connect(results)) as writer:
            writer.execute("UPDATE results SET message = 'in the log'")
            writer.commit()
            with_log = {name: (self.path / "results" / name).read_bytes() for name in ("r.sqlite", "r.sqlite-wal")}
        for log in (False, True):
            if log:
                for name, data in with_log.items():
                    (self.path / "results" / name).write_bytes(data)
            with self.subTest(log=log):
                rows, _ = self.reading("sweep", "-o", str(results), "--export", "-")
                self.assertEqual(rows.count("\n"), 4)
                self.assertEqual(rows.count("in the log"), 3 if log else rows.count("in the log"))
                _, work = self.reading("plot", str(results), "-o", "steps.svg")
                self.assertIn(b"</svg>", (work / "steps.svg").read_bytes())


class Exports(Faults):
    def exported(self, request, *options):
        self.run_it("plan", *request.split(), "-o", "p.json")
        done = self.run_it("emit", "p.json", "--format", "chakra-et", "-o", "c", *options)
        read = {}
        for kind in ("gossamer", "workload"):
            with open(self.path / "c" / f"{kind}.0.et", "rb") as file:
                read[kind] = comm_sizes(file.read())
        network = dict(line.split(": ") for line in (self.path / "c" / "network.yml").read_text().splitlines())
        return read["gossamer"], read["workload"], network, done.stderr

    def test_sizes_are_the_plan_s(self):
        traces, workload, network, said = self.exported("all-gather --dims 4x4 --bytes 8GiB")
        packets = json.loads((self.path / "p.json").read_text())["parameters"].get("packets", 1)
        self.assertEqual(set(traces), {-(-(8 << 30) // packets)})
        self.assertEqual(workload, [8 << 30])
        self.assertEqual(network["topology"], "[ Ring, Ring ]")
        self.assertEqual(said, "")
        # 32 bits at 1 GHz are 4e9 bytes per second; one GB of ASTRA-sim is 2^30 bytes.
        self.assertEqual(network["bandwidth"], f"[ {4e9 / 2**30}, {4e9 / 2**30} ]")
        self.assertEqual(network["latency"], "[ 1, 1 ]")

    def test_bytes_that_packets_do_not_divide_are_rounded_up(self):
        traces, workload, _, _ = self.exported("all-gather --dims 4x4 --packets 4 --bytes 1001")
        self.assertEqual((set(traces), workload), ({251}, [1004]))

    def test_clock_width_and_latency(self):
        request = "all-gather --topology mesh --dims 4x4 --bytes 64KiB --link-bits 64 --clock 2GHz --link-latency 3"
        _, workload, network, _ = self.exported(request)
        self.assertEqual(workload, [65536])
        self.assertEqual(network, {
            "topology": "[ FullyConnected ]", "npus_count": "[ 16 ]", "bandwidth": f"[ {16e9 / 2**30} ]",
            "latency": "[ 1.5 ]"})

    def test_a_stride_makes_links_slower(self):
        request = "all-gather --dims 8x8 --groups 4x4 --group-stride 2 --bytes 1KiB --algorithm hamiltonian --packets 2"
        traces, workload, network, _ = self.exported(request)
        self.assertEqual((set(traces), workload), ({512}, [1024]))
        self.assertEqual(network["npus_count"], "[ 4, 4 ]")
        self.assertEqual(network["bandwidth"], f"[ {2e9 / 2**30}, {2e9 / 2**30} ]")
        self.assertEqual(network["latency"], "[ 2, 2 ]")

    def test_the_workload_of_a_reduction_is_the_vector(self):
        _, workload, _, _ = self.exported("all-reduce --dims 4x4 --bytes 64KiB")
        self.assertEqual(workload, [65536])

    def test_without_bytes(self):
        traces, workload, network, _ = self.exported("all-gather --dims 3x3")
        self.assertEqual((set(traces), workload[0] % 65536), ({65536}, 0))
        self.assertEqual(network["bandwidth"], "[ 50, 50 ]")
        traces, _, _, _ = self.exported("all-gather --dims 3x3 --bytes 1KiB", "--chunk-bytes", "77")
        self.assertEqual(set(traces), {77})

    def test_every_network_has_a_file(self):
        for request in ("--dims 2x4", "--dims 2x1x3"):
            _, _, network, said = self.exported(f"all-gather {request}")
            self.assertIn("a Ring of 2 has one link", said)
            self.assertNotIn("1", network["npus_count"])
        for request in ("--topology mesh --dims 3x5", "--dims 4x4 --wrap x", "--dims 4x4 --dead-link 0,0:x+"):
            _, _, network, said = self.exported(f"all-gather {request}")
            self.assertEqual((network["topology"], said), ("[ FullyConnected ]", ""), request)


def comm_sizes(trace):
    """The sizes in a Chakra trace: attributes (field 10 of a node) with a name (1) and an int64 (9)."""
    def varint(data, at):
        value = shift = 0
        while True:
            byte = data[at]
            value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
            if byte < 128:
                return value, at

    def fields(data):
        at = 0
        while at < len(data):
            key, at = varint(data, at)
            value, at = varint(data, at)
            if key & 7 == 2:
                value, at = data[at:at + value], at + value
            yield key >> 3, value

    sizes, at, first = [], 0, True
    while at < len(trace):
        length, at = varint(trace, at)
        node, at = trace[at:at + length], at + length
        attributes = [] if first else [dict(fields(value)) for field, value in fields(node) if field == 10]
        sizes += [attribute[9] for attribute in attributes if attribute[1] == b"comm_size"]
        first = False
    return sizes


class Names(Faults):
    """Python functions answer an unknown keyword with all valid keywords."""

    def test_unknown_keywords(self):
        plan = gossamer.plan("all-gather", (3, 3))
        experiment = gossamer.experiment("dynamic-broadcast", (3, 3), load=0.1)
        for call, valid in (
            (lambda **k: gossamer.plan("all-gather", (3, 3), **k), ["dims", "topology_file", "packets", "link_bits"]),
            (lambda **k: gossamer.experiment("dynamic-broadcast", (3, 3), **k), ["topology", "load"]),
            (lambda **k: gossamer.measure(experiment, **k), ["engine", "execute"]),
            (lambda **k: gossamer.verify(plan, **k), ["plan", "progress"]),
            (lambda **k: gossamer.simulate(plan, **k), ["engine", "max_steps", "stall"]),
            (lambda **k: gossamer.emit(plan, "sv", self.path, **k), ["format", "chunk_bytes", "ring"]),
            (lambda **k: gossamer.algorithms(**k), ["collective"]),
            (lambda **k: gossamer.compare("all-gather", (3, 3), **k), ["algorithm", "algorithms", "startups", "bytes"]),
            (lambda **k: gossamer.compare("all-gather", (3, 3), bytes=64, **k), ["algorithms", "vcs", "plans_only"]),
            (lambda **k: gossamer.compare("broadcast", (3, 3), **k), ["algorithm", "source", "hop_cycles"]),
            (lambda **k: gossamer.compare("all-reduce", (3, 3), **k), ["algorithm", "words", "packets"]),
            (lambda **k: gossamer.compare("reduce", (3, 3), **k), ["algorithm", "words", "source"]),
            (lambda **k: gossamer.compare("all-to-all", (3, 3), bytes=64, **k), ["algorithm", "bytes", "buffer"]),
        ):
            with self.assertRaises(gossamer.InputError) as caught:
                call(colour="red")
            message = str(caught.exception)
            self.assertNotIn("\n", message)
            self.assertIn('there is no argument "colour"', message)
            for name in valid:
                self.assertIn(name, message.partition("there is ")[2])

    def test_a_near_name_is_named(self):
        with self.assertRaisesRegex(gossamer.InputError, 'did you mean engine'):
            gossamer.simulate(gossamer.plan("all-gather", (3, 3)), engin="fast")

    def test_one_algorithm_or_several(self):
        both = gossamer.compare("all-gather", (4, 4), algorithms=["ring", "hamiltonian"])
        self.assertEqual(both, gossamer.compare("all-gather", (4, 4), algorithm=("ring", "hamiltonian")))
        one = gossamer.compare("all-gather", (4, 4), algorithms=["ring"])
        self.assertEqual(one, gossamer.compare("all-gather", (4, 4), algorithm="ring"))
        self.assertEqual(one, gossamer.compare("all-gather", (4, 4), algorithms="ring"))


class Notebooks(Faults):
    def test_what_is_missing_is_said_first(self):
        """The first cell with code ends with a sentence if a package is not installed."""
        books = sorted(pathlib.Path(SOURCE, "python/notebooks").glob("*.ipynb"))
        self.assertTrue(books)
        for book in books:
            cells = [cell for cell in json.loads(book.read_text())["cells"] if cell["cell_type"] == "code"]
            with self.subTest(book=book.name):
                done = subprocess.run([sys.executable, "-I", "-S", "-c", "".join(cells[0]["source"])],
                                      capture_output=True, text=True, env={"PATH": ""})
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertIn("This notebook needs gossamer (pip install", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
