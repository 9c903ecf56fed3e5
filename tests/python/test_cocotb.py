# SPDX-License-Identifier: Apache-2.0
"""gossamer.cocotb in Icarus Verilog: plans of every kind of tile, and faults that it must detect."""

import pathlib
import tempfile
import unittest

import numpy as np

import gossamer
import gossamer.cocotb

PLANS = {
    "stream": (("all-gather", (4, 3)), {}),
    "frame": (("all-gather", (4, 3)), dict(topology="mesh", algorithm="folded")),
    "schedule": (("all-gather", (3, 3)), dict(algorithm="scheduled")),
    "combine": (("all-reduce", (4, 3)), dict(algorithm="hamiltonian")),
    # Too large for a port: words are loaded one by one.
    "vectors": (("all-reduce", (4, 4)), dict(packets=9, algorithm="hamiltonian")),
    "relay": (("broadcast", (4, 4)), dict(topology="mesh", source=(1, 2), flits=3)),
    # Ports for all nodes would be wider than 65,536 bits.
    "wide": (("all-gather", (5, 4)), dict(bytes=128, link_bits=1024)),
}


class Cocotb(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def test_networks_do_what_is_planned(self):
        for name, (request, options) in PLANS.items():
            with self.subTest(name):
                plan = gossamer.plan(*request, **options)
                run = gossamer.cocotb.run(plan, self.directory / name, rounds=2, name=f"the_{name}")
                report = gossamer.verify(plan)
                self.assertEqual(run.cycles, report.cycles)
                self.assertEqual(len(run.trace), report.link_transfers)

    def test_tiles_learn_their_ranks(self):
        plan = gossamer.plan("all-reduce", (4, 3))
        gossamer.emit(plan, "sv-rank", self.directory)
        run = gossamer.cocotb.check(plan, self.directory, rounds=2)
        self.assertEqual(run.cycles, gossamer.verify(plan).cycles)

    def fault(self, file, text, by, cause):
        plan = gossamer.plan("all-gather", (4, 3))
        gossamer.emit(plan, "sv", self.directory)
        path = self.directory / file
        right = path.read_text()
        self.assertEqual(right.count(text), 1, f"{file}: {text}")
        path.write_text(right.replace(text, by))
        with self.assertRaisesRegex(gossamer.cocotb.Mismatch, cause):
            gossamer.cocotb.check(plan, self.directory)

    def test_wrong_data(self):
        self.fault("gsm_link.sv", "data_o <= data_i;", "data_o <= data_i ^ 'd1;", r"^cycle 1, node 0, out-port \d: carries [01]{32}, planned [01]{32}$")

    def test_unknown_data(self):
        self.fault("gsm_link.sv", "data_o <= data_i;", "data_o <= 'x;", r"^cycle 1, .* carries X{32}, planned")

    def test_a_round_too_long(self):
        plan = gossamer.plan("all-gather", (4, 3))
        steps = plan.analytic_steps
        self.fault("gsm_plan_pkg.sv", f"localparam int Steps = {steps};", f"localparam int Steps = {steps + 1};", f"^cycle {steps + 1}: busy, done, error are 1, 0, 0$")

    def test_another_plan_s_network(self):
        plan = gossamer.plan("all-gather", (4, 3), algorithm="ring")
        gossamer.emit(plan, "sv", self.directory)
        with self.assertRaisesRegex(gossamer.cocotb.Mismatch, "^trace: column"):
            gossamer.cocotb.check(gossamer.plan("all-gather", (3, 4), algorithm="ring"), self.directory)

    def test_what_cannot_be(self):
        with self.assertRaisesRegex(gossamer.InputError, "gsm_fabric.f: No such file"):
            gossamer.cocotb.check(gossamer.plan("all-gather", (4, 3)), self.directory)
        with self.assertRaisesRegex(gossamer.InputError, "networks that are too large have no testbench"):
            gossamer.cocotb.run(gossamer.plan("all-gather", (48, 48)), self.directory)
        self.directory = self.directory / "small"
        plan = gossamer.plan("all-gather", (4, 3))
        gossamer.emit(plan, "sv", self.directory)
        (self.directory / "gsm_tile.sv").write_text("module gsm_tile broken\n")
        with self.assertRaisesRegex(gossamer.Error, "^cocotb: icarus failed"):
            gossamer.cocotb.check(plan, self.directory)
        (self.directory / "gsm_fabric_expected.txt").unlink()
        with self.assertRaisesRegex(gossamer.InputError, "networks that are too large have no testbench"):
            gossamer.cocotb.check(plan, self.directory)
        (self.directory / "gsm_fabric_expected.txt").write_text("nonsense\n")
        with self.assertRaisesRegex(gossamer.InputError, "damaged"):
            gossamer.cocotb.Expected.read(self.directory / "gsm_fabric_expected.txt", 24)


if __name__ == "__main__":
    unittest.main(verbosity=2)
