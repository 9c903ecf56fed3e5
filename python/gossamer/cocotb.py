# SPDX-License-Identifier: Apache-2.0
"""Checks an emitted network under cocotb: every link and delivery is compared with the plan.

`run` emits and checks, in Icarus Verilog or any other simulator that cocotb supports:

    >>> plan = gossamer.plan("all-gather", (4, 4))
    >>> gossamer.cocotb.run(plan, "build").cycles
    8

In your own test bench, `Network` drives the ports of NAME_fabric. The expected values come from the file
NAME_fabric_expected.txt that `gossamer emit` writes next to the RTL (docs/integration.md, "The testbench"). Needs
cocotb 2 (pip install gossamer-noc[cocotb]) and the simulator.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import Error, InputError, Plan, _named, emit, simulate

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["CocotbRun", "Expected", "Mismatch", "Network", "check", "run"]

_ROW = np.dtype([("step", "u8"), ("hop", "u4"), ("from", "u4"), ("port", "u4"), ("packet", "u8"), ("terms", "u4")])


class Mismatch(Error, AssertionError):
    """The hardware differs from the plan; the message has cycle, place and both values."""


@dataclass(frozen=True)
class Expected:
    """The expected words of all links and deliveries in every cycle: the file that the testbench reads."""

    cycles: int
    #: Bits that may differ in other rounds.
    vary: int
    #: The words of own_data_i, or words that are loaded one by one.
    own: list[int]
    #: By number, from 1: bits, mask of the bits that count, and the row of the trace (step: 0 for the cycle, -1 for none;
    #: hop; packet; contributions).
    words: list[tuple[int, int, int, int, int, int]]
    #: By cycle from 1 to that of done_o: the number of the word on each link, then at each delivery; 0 for none.
    cells: npt.NDArray[np.uint32]

    @staticmethod
    def read(path: str | os.PathLike[str], own_words: int) -> Expected:
        """Reads the file of a network with `own_words` own words."""
        try:
            # Follows a comment, the constants of the package and the output of the testbench.
            text = iter(Path(path).read_text().split("\n", 3)[3].split())
            cycles, words, vary = int(next(text)), int(next(text)), int(next(text), 16)
            combines = int(next(text)) != 0
            own = [int(next(text), 16) for _ in range(own_words)]
            table = [(0, 0, -1, 0, 0, 0)]
            for _ in range(words):
                data, mask = int(next(text), 16), int(next(text), 16)
                step, hop, packet = int(next(text)), int(next(text)), int(next(text))
                table.append((data, mask, step, hop, packet, int(next(text)) if combines else 1))
            cells = np.array(list(text), dtype=np.uint32)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        except (StopIteration, IndexError, ValueError):
            raise InputError(f"{path}: not a list of a network's expected words, or damaged") from None
        if cells.size % (cycles + 1) or (cells.size and cells.max() > words):
            raise InputError(f"{path}: has {cells.size} cells for {cycles + 1} cycles, or unknown words in them")
        return Expected(cycles, vary, own, table, cells.reshape(cycles + 1, -1))


class Network:
    """Drives NAME_fabric, whose handle is `dut`, and compares it with the expected values.

    Packet words, and thus the contents of links, are those of the file; the bits that may vary depend on the
    `number` of the round.
    """

    def __init__(
        self, dut: Any, directory: str | os.PathLike[str], name: str = "gsm", period_ns: int = 10
    ) -> None:
        """`directory` contains the output of `gossamer emit` with --name `name`; the clock has `period_ns`."""
        package = Path(directory) / f"{name}_plan_pkg.sv"
        try:
            text = package.read_text()
        except OSError as error:
            raise InputError(f"{package}: {error.strerror}") from None
        constants = {key: int(value) for key, value in re.findall(r"localparam int (\w+) = (\d+);", text)}
        if constants["Streams"]:
            raise InputError(f"{package}: tiles with streams have their own testbench: make icarus in {directory}")
        self.dut = dut
        self.period_ns = period_ns
        self.ports = constants["Ports"]
        self.width = constants["Width"]
        self.links = len(dut.link_valid_o)
        self.deliveries = len(dut.deliver_valid_o)
        self.nodes = constants["Nodes"]
        self.link_data = self._ports("link_data_o")
        self.deliver_data = self._ports("deliver_data_o")
        self.own_data = self._ports("own_data_i")
        self.link_bits = sum(map(len, self.link_data)) // self.links
        self.delivery_bits = sum(map(len, self.deliver_data)) // self.deliveries
        #: Bits from one node's own words to the next node's.
        self.own_stride = constants["OwnStride"] * self.width
        path = Path(directory) / f"{name}_fabric_expected.txt"
        #: Words of a node's vector that are loaded one by one; 0: they are on own_data_i.
        self.load_words = constants["LoadWords"]
        #: Cycles of the first round after reset, in which tiles learn their ranks; 0: ranks are configured.
        self.learn_cycles = constants["LearnCycles"]
        listed = self.nodes * self.load_words or constants["OwnTotal"]
        self.expected = Expected.read(path, listed)
        if self.expected.cells.shape[1] != self.links + self.deliveries:
            raise InputError(f"{path}: does not belong to the simulated network")

    def _ports(self, name: str) -> list[Any]:
        """The port of that name, or those of each node where a port for all nodes would be too wide."""
        try:
            return [getattr(self.dut, name)]
        except AttributeError:
            return [getattr(self.dut, f"n{node}_{name}") for node in range(self.nodes)]

    def _drive_own(self, words: int) -> None:
        for node, port in enumerate(self.own_data):
            port.value = words >> (node * self.own_stride) & ((1 << len(port)) - 1)

    def _varied(self, number: int) -> int:
        """The bits that round `number` inverts."""
        word = (number * 0x9E3779B9) & 0xFFFFFFFF
        bits = max(self.link_bits, self.delivery_bits)
        return sum(word << at for at in range(0, bits, 32)) & self.expected.vary & ((1 << bits) - 1)

    def _own(self, number: int) -> int:
        vary = self._varied(number) & ((1 << self.width) - 1)
        return sum((word ^ vary) << (i * self.width) for i, word in enumerate(self.expected.own))

    def _check(self, cycle: int, vary: int) -> None:
        """Checks every link and every delivery."""
        dut, cells = self.dut, self.expected.cells[cycle - 1]
        watched = (
            ("out-port", self.ports, dut.link_valid_o, self.link_data, self.link_bits, cells[: self.links]),
            (
                "delivery",
                self.deliveries * self.ports // self.links,
                dut.deliver_valid_o,
                self.deliver_data,
                self.delivery_bits,
                cells[self.links :],
            ),
        )
        for what, each, valid_port, data_ports, width, words in watched:
            # Strings, since data that is not valid may be unknown; bit 0 is the last character.
            valid = str(valid_port.value)
            data = "".join(str(port.value) for port in reversed(data_ports))
            for at, number in enumerate(words.tolist()):
                place = f"cycle {cycle}, node {at // each}, {what} {at % each}"
                if valid[-1 - at] != "01"[number != 0]:
                    raise Mismatch(f"{place}: valid is {valid[-1 - at]}, planned {int(number != 0)}")
                if number == 0:
                    continue
                right, mask, _, _, _, _ = self.expected.words[number]
                right ^= vary
                bits = data[len(data) - (at + 1) * width : len(data) - at * width]
                known = bits.replace("X", "0").replace("Z", "0")
                unknown = int("".join("01"[bit in "XZ"] for bit in bits), 2)
                mask &= (1 << width) - 1
                if ((int(known, 2) ^ right) | unknown) & mask:
                    raise Mismatch(f"{place}: carries {bits}, planned {right & mask:0{width}b}")

    async def reset(self) -> None:
        """Starts the clock and resets."""
        from cocotb.clock import Clock
        from cocotb.triggers import FallingEdge

        dut = self.dut
        Clock(dut.clk_i, self.period_ns, unit="ns").start()
        for signal in (dut.rst_ni, dut.clear_i, dut.start_i):
            signal.value = 0
        for signal in (dut.table_write_i, dut.table_address_i, dut.table_data_i):
            signal.value = 0
        self._drive_own(0)
        for _ in range(2):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await FallingEdge(dut.clk_i)
        if self.learn_cycles:
            dut.start_i.value = 1
            await FallingEdge(dut.clk_i)
            dut.start_i.value = 0
            for _ in range(self.learn_cycles):
                await FallingEdge(dut.clk_i)

    async def _load(self) -> None:
        """Loads the vectors, one word per cycle."""
        from cocotb.triggers import FallingEdge

        dut = self.dut
        dut.table_write_i.value = 1
        for at, word in enumerate(self.expected.own):
            dut.table_address_i.value = self.nodes * self.ports + 1 + at // self.load_words
            dut.table_data_i.value = (at % self.load_words) << self.width | word
            await FallingEdge(dut.clk_i)
        dut.table_write_i.value = 0

    async def round(self, number: int = 0) -> npt.NDArray[np.void]:
        """Runs one collective, from start_i to done_o; returns the words on the links, sorted as a trace.

        Raises Mismatch in the first cycle in which a link, a delivery or a flag differs from the plan.
        """
        from cocotb.triggers import FallingEdge

        dut, expected = self.dut, self.expected
        rows: list[tuple[int, int, int, int, int, int]] = []
        if self.load_words:
            await self._load()
        else:
            self._drive_own(self._own(number))
        dut.start_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.start_i.value = 0
        seen = set()
        vary = self._varied(number)
        for cycle in range(1, expected.cycles + 2):
            over = cycle > expected.cycles
            flags = [str(signal.value) for signal in (dut.busy_o, dut.done_o, dut.error_o)]
            if flags != ["01"[not over], "01"[over], "0"]:
                raise Mismatch(f"cycle {cycle}: busy, done, error are {', '.join(flags)}")
            self._check(cycle, vary)
            for link in np.flatnonzero(expected.cells[cycle - 1, : self.links]):
                word = int(expected.cells[cycle - 1, link])
                _, _, step, hop, packet, terms = expected.words[word]
                if step < 0 or (step > 0 and word in seen):
                    continue
                seen.add(word)
                rows.append((step or cycle, hop, int(link) // self.ports, int(link) % self.ports, packet, terms))
            if not over:
                await FallingEdge(dut.clk_i)
        return np.array(sorted(rows), dtype=_ROW)


@dataclass(frozen=True)
class CocotbRun:
    """A run of a plan's network under cocotb that agreed with the plan."""

    #: Clock cycles of a round.
    cycles: int
    rounds: int
    #: The words on the links in the first round: `step`, `hop`, `from`, `port`, `packet`, `terms`.
    trace: npt.NDArray[np.void]


@_named
def run(
    plan: Plan,
    directory: str | os.PathLike[str],
    *,
    simulator: str = "icarus",
    rounds: int = 1,
    name: str = "gsm",
) -> CocotbRun:
    """Emits a plan's network into `directory` and checks it: see `check`."""
    emit(plan, "sv", directory, name="" if name == "gsm" else name)
    return check(plan, directory, simulator=simulator, rounds=rounds, name=name)


@_named
def check(
    plan: Plan,
    directory: str | os.PathLike[str],
    *,
    simulator: str = "icarus",
    rounds: int = 1,
    name: str = "gsm",
) -> CocotbRun:
    """Drives the network in `directory`, which may have been changed, under cocotb and compares it with the plan.

    simulator: "icarus", "verilator" or another one that cocotb supports.
    rounds: number of consecutive collectives, each with different data.

    In every cycle links, deliveries and flags must agree with the plan. The trace of the first round must also equal
    that of `simulate`.

    Raises Mismatch if the hardware differs; InputError for a directory without the output of `gossamer emit`; Error if
    the simulator fails.
    """
    try:
        from cocotb_tools.runner import get_runner
    except ImportError:
        raise ImportError("gossamer.cocotb needs cocotb 2 (pip install gossamer-noc[cocotb])") from None

    where = Path(directory).resolve()
    try:
        listed = (where / f"{name}_fabric.f").read_text().split()
    except OSError as error:
        raise InputError(f"{where}/{name}_fabric.f: {error.strerror}") from None
    if "localparam int Elastic = 1;" in (where / f"{name}_plan_pkg.sv").read_text():
        raise InputError(f"{where}: its network is elastic and has no rounds; docs/integration.md has a bench for elastic networks")
    if not (where / f"{name}_fabric_expected.txt").exists():
        raise InputError(f"{where}/{name}_fabric_expected.txt: missing; networks that are too large have no testbench")
    answer = where / f"{name}_cocotb.json"
    answer.unlink(missing_ok=True)
    runner = get_runner(simulator)
    try:
        runner.build(
            sources=[where / line for line in listed if line.endswith(".sv")],
            includes=[where],
            hdl_toplevel=f"{name}_fabric",
            build_dir=where / f"{name}_{simulator}",
            timescale=("1ns", "1ps"),
            always=True,
            log_file=where / f"{name}_build.log",
        )
        runner.test(
            hdl_toplevel=f"{name}_fabric",
            test_module="gossamer._cocotb_rounds",
            build_dir=where / f"{name}_{simulator}",
            results_xml=str(where / f"{name}_results.xml"),
            timescale=("1ns", "1ps"),
            log_file=where / f"{name}_test.log",
            extra_env={
                "GOSSAMER_COCOTB": json.dumps(
                    {"directory": str(where), "name": name, "rounds": rounds, "answer": str(answer)}
                )
            },
        )
    except (RuntimeError, SystemExit, OSError) as error:
        if not answer.exists():
            raise Error(f"cocotb: {simulator} failed: {error}; see its output in {where}/{name}_*.log") from None
    if not answer.exists():
        raise Error(f"cocotb: {simulator} ended without an answer; see its output in {where}/{name}_test.log")
    found = json.loads(answer.read_text())
    if found["mismatch"] is not None:
        raise Mismatch(found["mismatch"])
    trace = np.array([tuple(row) for row in found["trace"]], dtype=_ROW)
    planned = simulate(plan, trace=True).trace
    assert planned is not None
    for column in _ROW.names or ():
        if not np.array_equal(trace[column], planned[column]):
            raise Mismatch(f"trace: column {column} differs from that of simulate")
    return CocotbRun(found["cycles"], rounds, trace)
