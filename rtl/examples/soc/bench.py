# SPDX-License-Identifier: Apache-2.0
"""A cocotb bench of the chip: a host queues commands over the bus, and NumPy computes the memories that
must follow. `run` starts it; docs/soc.md explains it.

The bench accesses the memories directly, except for a few words, since a simulator would spend most of its time on the bus."""
import json
import os
from pathlib import Path

import cocotb
import numpy
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

TASK = json.loads(os.environ["SOC_BENCH"])
NODES, WORDS, SIDE, DEPTH, CONTEXTS = 16, 2048, 4, 4, 18
COMMAND, STATUS, BASE, CYCLES, PLACES = 0x20000, 0x20004, 0x20008, 0x2000C, 0x20010
BUSY, DONE, ERROR = 1, 2, 4
COLLECTIVES = ("all-gather", "reduce-scatter", "all-reduce", "barrier", "broadcast", "reduce")


def groups(context):
    """The groups of a context, each a list of nodes in order of ranks."""
    rows = numpy.arange(NODES).reshape(SIDE, SIDE)
    return ([list(range(NODES))], rows.tolist(), rows.T.tolist())[context % 3]


class Chip:
    """The chip with its bus master, and what its memories must hold."""

    def __init__(self, dut):
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False)
        self.words = [dut.gen_node[node].u_node.u_memory.word for node in range(NODES)]
        self.memory = numpy.zeros((NODES, WORDS), numpy.uint32)
        self.places = None

    async def read(self, address):
        answer = await self.master.read(address, 4)
        assert answer.resp == AxiResp.OKAY, hex(address)
        return int.from_bytes(answer.data, "little")

    async def write(self, address, word):
        return (await self.master.write(address, int(word).to_bytes(4, "little"))).resp

    async def command(self, context, root, rounds, base):
        assert await self.write(BASE, base) == AxiResp.OKAY
        assert await self.write(COMMAND, context | root << 8 | (rounds - 1) << 16) == AxiResp.OKAY

    async def settle(self):
        """Waits for the end of all commands; returns STATUS."""
        for _ in range(1000):
            if not (status := await self.read(STATUS)) & BUSY:
                return status
            await Timer(200, unit="ns")
        raise AssertionError("the commands do not end")

    def fill(self, dice, words):
        """Random words at the addresses of the range `words`, at all nodes."""
        self.memory[:, words] = dice.integers(0, 1 << 32, (NODES, len(words)), numpy.uint32)
        for node in range(NODES):
            for word in words:
                self.words[node][word].set(Immediate(int(self.memory[node, word])))

    def owner(self, context, group, index):
        """The rank that owns word `index` of a round: by place on a cycle, or on a row or column."""
        if context % 3:
            return index
        number, piece = divmod(index, 2)
        return next(rank for rank in group if self.places[rank][piece] == number)

    def round(self, context, root, base):
        """Changes the memories as a round does; returns the first word of the next round."""
        kind = COLLECTIVES[context // 3]
        cycles = 1 if context % 3 else 2
        for group in groups(context):
            count = {"barrier": 1, "broadcast": cycles, "reduce": cycles}.get(kind, len(group) * cycles)
            before = self.memory[group, base:base + count].copy()
            total = before.sum(axis=0, dtype=numpy.uint32)
            for rank, node in enumerate(group):
                after = self.memory[node, base:base + count]
                for index in range(count):
                    mine = kind in ("all-gather", "reduce-scatter") and self.owner(context, group, index) == rank
                    if kind == "all-gather":
                        after[index] = before[self.owner(context, group, index), index]
                    elif kind == "all-reduce" or (kind == "reduce-scatter" and mine) or (kind == "reduce" and rank == root):
                        after[index] = total[index]
                    elif kind == "broadcast":
                        after[index] = before[root, index]
                    elif kind == "barrier":
                        after[index] = numpy.bitwise_and.reduce(before[:, index] & 1)
        return base + count

    def check(self, words, what):
        for node in range(NODES):
            for word in words:
                got, right = self.words[node][word].value.to_unsigned(), int(self.memory[node, word])
                assert got == right, f"{what}: node {node}, word {word}: {got:#x}, expected {right:#x}"


@cocotb.test()
async def memory_to_memory(dut):
    """Random commands leave the memories that NumPy computes, long vectors take the cycles of their rounds, and wrong
    accesses are rejected."""
    dice = numpy.random.default_rng(TASK["seed"])
    steps = TASK["steps"]
    for driven in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
        getattr(dut, f"s_axil_{driven}").value = 0
    # A falling edge resets flip-flops.
    for level in (1, 0):
        dut.rst_ni.value = level
        await Timer(100, unit="ns")
    chip = Chip(dut)
    Clock(dut.clk_i, 10, unit="ns").start()
    await Timer(102, unit="ns")
    dut.rst_ni.value = 1
    await Timer(100, unit="ns")
    places = [await chip.read(PLACES + 4 * node) for node in range(NODES)]
    chip.places = [(word & 0xFF, word >> 8) for word in places]
    for cycle in (0, 1):
        assert sorted(place[cycle] for place in chip.places) == list(range(NODES))

    # 4 KiB of each node, from memory to memory: 32 rounds on the whole network.
    figures = {}
    for context in (0, 6):
        name, base = COLLECTIVES[context // 3], int(dice.integers(0, WORDS - 1024))
        words = range(base, base + 1024)
        chip.fill(dice, words)
        await chip.command(context, 0, 32, base)
        assert await chip.settle() == DONE | DEPTH << 8
        for _ in range(32):
            base = chip.round(context, 0, base)
        chip.check(words, name)
        figures[name] = await chip.read(CYCLES)
        assert figures[name] == 32 * steps[context]

    # Queued commands follow one another without an idle cycle; the first one is long enough to queue the others.
    for trial in range(TASK["trials"]):
        words = range(4 * 3 * 2 * NODES)
        chip.fill(dice, words)
        cycles, base = 0, 0
        for number in range(DEPTH):
            context, rounds = (int(dice.integers(CONTEXTS)), int(dice.integers(1, 4))) if number else (6, 3)
            root = int(dice.integers(len(groups(context)[0])))
            await chip.command(context, root, rounds, base)
            cycles += rounds * steps[context]
            for _ in range(rounds):
                base = chip.round(context, root, base)
        assert await chip.settle() == DONE | DEPTH << 8
        chip.check(words, f"trial {trial}")
        assert await chip.read(CYCLES) == cycles

    # A full queue and an unknown context are errors without effect; wrong accesses are answered by SLVERR.
    await chip.command(6, 0, 20, 0)
    for _ in range(DEPTH):
        await chip.command(9, 0, 1, 1024)
    assert await chip.read(STATUS) & (BUSY | ERROR) == BUSY | ERROR
    assert await chip.write(0, 1) == AxiResp.SLVERR
    await chip.settle()
    assert await chip.write(STATUS, 0) == AxiResp.OKAY
    await chip.command(CONTEXTS, 0, 1, 0)
    assert await chip.settle() == ERROR | DEPTH << 8
    for address in (CYCLES, PLACES, PLACES + 4 * NODES, 0x30000, 0xFFFFFFFC):
        assert await chip.write(address, 1) == AxiResp.SLVERR, hex(address)
    assert (await chip.master.write(4, b"1")).resp == AxiResp.SLVERR
    assert (await chip.master.read(0x30000, 4)).resp == AxiResp.SLVERR
    assert await chip.write(0x1E000 + 8, 0x12345678) == AxiResp.OKAY
    assert await chip.read(0x1E000 + 8) == 0x12345678
    Path(TASK["answer"]).write_text(json.dumps(figures))
