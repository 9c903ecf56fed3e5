# SPDX-License-Identifier: Apache-2.0
"""sums_test.py PROGRAM SOURCE_DIRECTORY [TEST...]: `gossamer sums` against a reader of its documents in NumPy, and the
messages about types, lengths and arrays."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import numpy as np

PROGRAM, SOURCE = sys.argv[1:3]

ALGORITHMS = (
    ("all-reduce --dims 4x4 --algorithm hamiltonian --words 70", 70),
    ("all-reduce --dims 3x5 --algorithm hamiltonian --packets 3", 45),
    ("reduce-scatter --dims 4x4 --algorithm hamiltonian --packets 3", 48),
    ("all-reduce --dims 3x3 --algorithm rings --words 20", 20),
    ("all-reduce --topology mesh --dims 4x4 --algorithm array --packets 2", 32),
    ("all-reduce --topology mesh --dims 3x3 --algorithm folded", 18),
    ("all-reduce --topology mesh --dims 4x5 --algorithm lines --words 6", 6),
    ("all-reduce --topology mesh --dims 4x5 --algorithm three-trees --words 9", 9),
    ("all-reduce --dims 3x3 --algorithm packing --frame 1 --words 7", 7),
    ("all-reduce --dims 4x4 --algorithm scheduled --packets 1", 16),
    ("all-reduce --dims 4x4 --algorithm eye-exchange --flits 3", 3),
    ("all-reduce --dims 3x5 --algorithm min-tcd", 1),
    ("reduce --dims 4x4 --algorithm line-sum --source 1,2", 1),
    ("all-reduce --dims 4x4 --elastic --algorithm hamiltonian --packets 2", 32),
    ("all-reduce --dims 3x3 --elastic --algorithm hamiltonian --packets 1 --flits 4", 36),
    ("all-reduce --dims 5x5 --algorithm degraded --dead-link 1,1:x+ --packets 2", 50),
    ("all-reduce --dims 4x4 --algorithm hamiltonian --words 70 --flits 3 --adder-cycles 2", 70),
    ("all-reduce --dims 3x3 --algorithm rings --words 50 --flits 5 --adder-cycles 2", 50),
    ("all-reduce --dims 4x4 --algorithm hamiltonian --words 70 --flits 2 --adder-cycles 3 --invariant length", 70),
)


def run(directory, *words, status=0):
    done = subprocess.run([PROGRAM, *" ".join(words).split()], cwd=directory, capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr.strip() if status else done.stdout


def leaves(document, tree):
    """Nodes by the leaf numbers of the tree's shape."""
    order = document["orders"][tree["order"]]
    if "displace" not in tree:
        return [order[(i + tree["rotate"]) % len(order)] for i in range(len(order))]
    by, dims = tree["displace"], document["dims"]
    moved = []
    for node in order:
        place, to, base = by, 0, 1
        for side in dims:
            to += base * ((node % side + place % side) % side)
            node, place, base = node // side, place // side, base * side
        moved.append(to)
    return moved


def folded(document, tree, leaf, add):
    """The tree's value: leaf(node), and add(a, b) for each addition."""
    values = [leaf(node) for node in leaves(document, tree)]
    for a, b in document["shapes"][tree["shape"]]:
        values.append(add(values[a], values[b]))
    return values[-1]


def special_words(rng, shape, kind):
    """Words of a type, one in 16 special: NaN, infinities, zeros, subnormal numbers, and pairs that nearly cancel."""
    x = rng.normal(size=shape).astype(kind)
    info = np.finfo(kind)
    some = rng.random(shape)
    for number, value in enumerate((np.nan, np.inf, -np.inf, 0.0, -0.0, info.smallest_subnormal, -info.tiny / 4)):
        x[some < (7 - number) / 112] = value
    cancels = rng.random(shape[1]) < 1 / 4
    x[1, cancels] = -np.nextafter(x[0, cancels], np.array(np.inf, kind))
    return x


def moved(place, path, dims):
    """The node at the end of a relay's path on a torus or mesh."""
    for stretch in path:
        dim, by = "xyzw".index(stretch["port"][0]), stretch["hops"] * (1 if stretch["port"][1] == "+" else -1)
        base = int(np.prod(dims[:dim]))
        at = place // base % dims[dim]
        place += ((at + by) % dims[dim] - at) * base
    return place


def relayed(plan, x):
    """The results of all nodes, from the sends of the plan's document alone."""
    program, values = plan["program"], list(x)
    for step in range(1, program["table"][-1][0] + 1):
        sends = [(place, program["paths"][path]) for number, place, path in program["table"] if number == step]
        for to, word in [(moved(place, path, plan["topology"]["dims"]), values[place]) for place, path in sends]:
            values[to] = word + values[to] if step <= program["adding_steps"] else word
    return values


def digest_of_sum(a, b):
    return hashlib.sha256(min(a, b) + max(a, b)).digest()


class Sums(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def evaluated(self, x):
        """The sums of an array along the trees of p.json."""
        np.save(self.path("x.npy"), x)
        run(self.directory, "sums p.json --evaluate x.npy -o r.npy")
        return np.load(self.path("r.npy"))

    def test_documents_have_the_trees_and_evaluate_along_them(self):
        with open(os.path.join(SOURCE, "docs", "sums.schema.json"), encoding="utf-8") as file:
            schema = jsonschema.Draft202012Validator(json.load(file))
        rng = np.random.default_rng(3)
        for plan, words in ALGORITHMS:
            for kind in ("float32", "float16", "float64"):
                with self.subTest(plan, type=kind):
                    run(self.directory, "plan", plan, "--type", kind, "-o p.json")
                    run(self.directory, "sums p.json -o s.json")
                    with open(self.path("s.json"), encoding="utf-8") as file:
                        document = json.load(file)
                    schema.validate(document)
                    with open(self.path("p.json"), encoding="utf-8") as file:
                        document["dims"] = json.load(file)["topology"]["dims"]
                    self.assertEqual(document["words"], words)
                    for tree in document["trees"]:
                        found = folded(document, tree, lambda node: hashlib.sha256(f"x{node}".encode()).digest(), digest_of_sum)
                        self.assertEqual(found.hex(), tree["digest"])
                    first, then = document["words_first"], document["words_then"]
                    trees = [document["trees"][first[j] if j < len(first) else then[(j - len(first)) % len(then)]] for j in range(words)]
                    whole = hashlib.sha256(b"".join(bytes.fromhex(tree["digest"]) for tree in trees)).hexdigest()
                    self.assertEqual(whole, document["digest"])
                    report = json.loads(run(self.directory, "verify p.json --json"))["sums"]
                    self.assertEqual((report["digest"], report["trees"]), (whole, len(document["trees"])))
                    x = special_words(rng, (document["nodes"], words), kind)
                    np.save(self.path("x.npy"), x if kind == "float32" else np.asfortranarray(x))
                    run(self.directory, "sums p.json --evaluate x.npy -o r.npy")
                    with np.errstate(all="ignore"):
                        expected = [folded(document, trees[j], lambda node: x[node, j], lambda a, b: a + b) for j in range(words)]
                    found = np.load(self.path("r.npy"))
                    self.assertEqual(found.dtype, x.dtype)
                    expected = np.array(expected, x.dtype)
                    np.testing.assert_array_equal(found, expected)
                    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected) & ~np.isnan(expected))

    def test_sums_of_relays_follow_the_sends_of_the_plan(self):
        rng = np.random.default_rng(6)
        for plan in ("all-reduce --dims 4x4 --algorithm eye", "all-reduce --topology mesh --dims 4x4 --algorithm eye-exchange",
                     "all-reduce --dims 4x4 --algorithm partners", "all-reduce --dims 3x5 --algorithm min-tcd",
                     "all-reduce --dims 4x4 --algorithm eye --adder-cycles 3"):
            run(self.directory, "plan", plan, "--flits 40 --type float32 -o p.json")
            with open(self.path("p.json"), encoding="utf-8") as file:
                document = json.load(file)
            x = special_words(rng, (int(np.prod(document["topology"]["dims"])), 40), "float32")
            found = self.evaluated(x)
            with np.errstate(all="ignore"):
                for values in relayed(document, x):
                    np.testing.assert_array_equal(found, values, plan)

    def test_every_engine_has_the_words_of_the_trees(self):
        for plan, _ in ALGORITHMS:
            for kind in ("float32", "bfloat16 --accumulate float32"):
                run(self.directory, "plan", plan, "--type", kind, "-o p.json")
                run(self.directory, "simulate p.json --engine systemc")
        run(self.directory, "plan all-reduce --dims 4x4 --elastic --algorithm hamiltonian --type float64 -o p.json")
        run(self.directory, "simulate p.json --engine tlm")

    def test_trees_of_a_cycle_share_a_shape_and_an_order(self):
        run(self.directory, "plan all-reduce --dims 8x8 --type float32 -o p.json")
        run(self.directory, "sums p.json --format json -o s.txt")
        with open(self.path("s.txt"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual((len(document["trees"]), len(document["orders"])), (128, 2))
        self.assertLessEqual(len(document["shapes"]), 2)

    def test_integers_are_summed_modulo_their_width(self):
        rng = np.random.default_rng(4)
        run(self.directory, "plan all-reduce --dims 4x4 --algorithm tree --words 5 --link-bits 12 -o p.json")
        x = rng.integers(0, 4096, (16, 5), dtype=np.uint16)
        np.testing.assert_array_equal(self.evaluated(x), x.sum(axis=0, dtype=np.uint64) % 4096)
        run(self.directory, "plan all-reduce --dims 4x4 --algorithm tree --words 5 --type int --operation min --link-bits 12 -o p.json")
        x = rng.integers(-2048, 2048, (16, 5), dtype=np.int16)
        np.testing.assert_array_equal(self.evaluated(x), x.min(axis=0))
        self.assertIsNone(json.loads(run(self.directory, "verify p.json --json"))["sums"])

    def test_the_words_of_a_link_are_neighbouring_elements(self):
        rng = np.random.default_rng(5)
        run(self.directory, "plan all-reduce --dims 4x4 --algorithm tree --words 3 --link-bits 96 --word-bits 12 -o p.json")
        x = rng.integers(0, 4096, (16, 24), dtype=np.uint16)
        np.testing.assert_array_equal(self.evaluated(x), x.sum(axis=0, dtype=np.uint64) % 4096)
        run(self.directory, "plan all-reduce --dims 2x2 --algorithm tree --words 3 --type float32 --link-bits 256 -o p.json")
        x = rng.normal(size=(4, 24)).astype(np.float32)
        sums = self.evaluated(x)
        tree = run(self.directory, "sums p.json --word 0")
        self.assertEqual(len(sums), 24)
        np.testing.assert_allclose(sums, x.sum(axis=0), rtol=1e-5)
        run(self.directory, "plan all-reduce --dims 2x2 --algorithm tree --words 3 --type float32 -o p.json")
        self.assertEqual(run(self.directory, "sums p.json --word 0"), tree)

    def test_what_cannot_be_is_refused_in_one_line(self):
        torus = "plan all-reduce --dims 4x4 -o p.json --algorithm"
        for words, status, message in (
            (f"{torus} tree --type fp8", 2, '--type: "fp8" is unknown; there is uint, int, float16, bfloat16, float32, float64'),
            (f"{torus} tree --type float32 --operation xor", 2, "--operation: xor is no operation of float32; there is sum, max, min"),
            (f"{torus} tree --type float32 --link-bits 16", 2, "--link-bits: float32 words have 32 bits, not 16"),
            (f"{torus} tree --type float32 --accumulate float16", 2, "--accumulate: float16 is narrower than float32"),
            (f"{torus} tree --accumulate float32", 2, "--accumulate: uint words are accumulated as uint"),
            (f"{torus} tree --invariant width", 2, '--invariant: "width" is unknown; there is length'),
            (f"{torus} leaders --type float32", 3, "leaders: nodes combine in different orders, and a sum of float32 depends on it; "
                                                   "nearest feasible: --algorithm eye, or --operation max"),
            (f"{torus} line-sum --type float32", 3, "line-sum: nodes combine in different orders, and a sum of float32 depends on it; "
                                                    "nearest feasible: --algorithm rings, or --operation max"),
            (f"{torus} scheduled --type float32 --invariant length", 3,
             "scheduled: its summation trees depend on the length of the vector; nearest feasible: --algorithm hamiltonian"),
        ):
            self.assertEqual(run(self.directory, words, status=status), f"gossamer: {message}")
        run(self.directory, "plan all-reduce --dims 4x4 --algorithm tree --type float32 --words 3 -o p.json")
        np.save(self.path("x.npy"), np.zeros((15, 3), np.float32))
        self.assertEqual(run(self.directory, "sums p.json --evaluate x.npy", status=2), "gossamer: sums: x.npy: 15 rows are given for 16 nodes")
        np.save(self.path("x.npy"), np.zeros((16, 3)))
        self.assertEqual(run(self.directory, "sums p.json --evaluate x.npy", status=2), "gossamer: sums: x.npy: dtype is f8; float32 is expected")
        np.save(self.path("x.npy"), np.zeros((16, 3), np.float32))
        with open(self.path("x.npy"), "r+b") as file:
            file.truncate(200)
        self.assertEqual(run(self.directory, "sums p.json --evaluate x.npy -o r.npy", status=2),
                         "gossamer: sums: x.npy: ends after 18 of 48 elements")
        self.assertFalse(os.path.exists(self.path("r.npy")))
        for text, cause in ((b"", "ends within its header"), (b"word,sum\n" * 9, "is not a .npy file")):
            with open(self.path("x.npy"), "wb") as file:
                file.write(text)
            self.assertEqual(run(self.directory, "sums p.json --evaluate x.npy", status=2), f"gossamer: sums: x.npy: {cause}")
        self.assertEqual(run(self.directory, "sums p.json --word 3", status=2), "gossamer: --word: 3 is not in the range 0 to 2")
        run(self.directory, "plan all-gather --dims 4x4 -o g.json")
        self.assertEqual(run(self.directory, "sums g.json", status=2), "gossamer: g.json: sums: it is no reduction")

    def test_a_wrong_plan_is_refused(self):
        run(self.directory, "plan all-reduce --dims 4x4 --algorithm hamiltonian --type float32 -o p.json")
        with open(self.path("p.json"), encoding="utf-8") as file:
            plan = json.load(file)
        plan["program"]["combine"]["legs"][0]["lanes"][0]["offset"] += 1
        with open(self.path("q.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        for command in ("sums", "verify"):
            done = subprocess.run([PROGRAM, command, "q.json"], cwd=self.directory, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, command)
        for part, key, value in (("demand", "type", "fp8"), ("program", "deal", "rows")):
            document = json.loads(json.dumps(plan))
            document[part][key] = value
            with open(self.path("q.json"), "w", encoding="utf-8") as file:
                json.dump(document, file)
            self.assertIn(value, run(self.directory, "verify q.json", status=2))
        # Other orders at other nodes.
        run(self.directory, "plan all-reduce --dims 4x4 --algorithm line-sum -o p.json")
        with open(self.path("p.json"), encoding="utf-8") as file:
            plan = json.load(file)
        plan["demand"]["type"] = "float32"
        with open(self.path("q.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        self.assertIn("combine in different orders", run(self.directory, "verify q.json", status=1))
        self.assertRegex(run(self.directory, "simulate q.json --engine fast", status=1), "word 0: node [0-9]+ has another tree than node [0-9]+")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
