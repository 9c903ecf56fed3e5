# SPDX-License-Identifier: Apache-2.0
"""A cocotb bench of the SoC: a bus master of cocotbext-axi at every node, and sixteen clocks. It runs an all-gather
and an all-reduce from memory to memory, checks every word of every node, and then makes the mistakes that a driver can
make. `run` starts it; docs/soc.md explains it.

Bus masters write and read a part of each vector, and all registers. The bench accesses the rest of the memories
directly, since a simulator would spend most of its time on the buses."""
import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, RisingEdge, Timer, gather
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

TASK = json.loads(os.environ["SOC_BENCH"])
NODES, WORDS, FLITS, BUS_WORDS = 16, 1024, 32, 16
CONTROL, STATUS, BASE, LENGTH, CYCLES, RANKS = range(0x2000, 0x2018, 4)
GATHER, REDUCE = 1, 2
BUSY, DONE, ERROR = 1, 2, 4


class Node:
    """A node of the SoC, with its clock and its bus master."""

    def __init__(self, dut, number, period):
        self.number, self.period = number, period
        bus = dut.gen_bus[number]
        self.clock = Clock(bus.aclk, period, unit="ps")
        self.clock.start()
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(bus, "s_axil"), bus.aclk, dut.rst_n, reset_active_level=False)
        inside = dut.u_soc.gen_node[number].u_node
        self.memory, self.busy = inside.u_memory.word, inside.busy_q
        self.ranks = None

    async def write(self, address, *words):
        """Writes whole words; returns the answer."""
        return await self.write_bytes(address, b"".join(word.to_bytes(4, "little") for word in words))

    async def write_bytes(self, address, data):
        return (await self.master.write(address, data)).resp

    async def read(self, address, right=AxiResp.OKAY):
        """Reads a word and checks the answer."""
        answer = await self.master.read(address, 4)
        assert answer.resp == right, f"node {self.number}, {address:#x}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def order(self, base, length, command):
        assert await self.write(BASE, base, length) == AxiResp.OKAY
        assert await self.write(CONTROL, command) == AxiResp.OKAY

    async def settled(self):
        """Waits until STATUS is no longer busy and returns it."""
        while (status := await self.read(STATUS)) & BUSY:
            await Timer(500, unit="ns")
        return status


async def collective(nodes, dice, which):
    """Runs a collective from memory to memory; returns the ns from the first node's start to the last one's end."""
    base = dice.randrange(0, 1025)
    vectors = [[dice.getrandbits(32) for _ in range(WORDS)] for _ in nodes]

    async def run(node):
        vector = vectors[node.number]
        first = dice.randrange(0, WORDS - BUS_WORDS)
        for word, value in enumerate(vector):
            over_bus = first <= word < first + BUS_WORDS
            node.memory[base + word].set(Immediate(0xDEADBEEF if over_bus else value))
        assert await node.write(4 * (base + first), *vector[first:first + BUS_WORDS]) == AxiResp.OKAY
        # The buses run independently.
        ends = cocotb.start_soon(watch(node))
        await node.order(4 * base, 4 * WORDS, which)
        times = await ends
        assert await node.settled() == DONE, f"node {node.number}"
        cycles = await node.read(CYCLES)
        assert abs(cycles * node.period - 1000 * (times[1] - times[0])) < 2 * node.period, (cycles, times)
        return times

    async def watch(node):
        await RisingEdge(node.busy)
        begin = get_sim_time("ns")
        await FallingEdge(node.busy)
        return begin, get_sim_time("ns")

    async def check(node):
        words = [node.memory[base + word].value.to_unsigned() for word in range(WORDS)]
        for word in dice.sample(range(WORDS), BUS_WORDS):
            assert await node.read(4 * (base + word)) == words[word]
        for word, got in enumerate(words):
            cycle, slot = divmod(word // FLITS, NODES)
            owner = next(other for other in nodes if other.ranks[cycle] == slot)
            right = (vectors[owner.number][word] if which == GATHER
                     else sum(vector[word] for vector in vectors) & 0xFFFFFFFF)
            assert got == right, f"node {node.number}, word {word}: {got:#x}, expected {right:#x}"

    times = await gather(*(run(node) for node in nodes))
    await gather(*(check(node) for node in nodes))
    return max(end for _, end in times) - min(begin for begin, _ in times)


async def mistakes(node, others):
    """Wrong accesses of a driver are rejected and change nothing: the answer is SLVERR, or the error bit is set. Only one
    driver and node are involved, so the other clocks stop, which saves most of the simulation time."""
    vector = 4 * WORDS
    for other in others:
        other.clock.stop()
    assert await node.write(STATUS, 0) == AxiResp.OKAY
    for base, length, command in ((0, vector - 4, GATHER), (0, vector + 4, REDUCE), (0, 0, GATHER),
                                  (4 * 1025, vector, GATHER), (2, vector, REDUCE), (0x100000000 - 4, vector, GATHER),
                                  (0, vector, GATHER | REDUCE), (0, vector, 0), (0, vector, 4)):
        await node.order(base, length, command)
        assert await node.read(STATUS) == ERROR, (base, length, command)
        assert (await node.read(BASE), await node.read(LENGTH)) == (base, length)
        assert await node.write(STATUS, 0) == AxiResp.OKAY
        assert await node.read(STATUS) == 0

    async def refused(*writes):
        before = [await node.read(register) for register in (STATUS, BASE, LENGTH, CYCLES, RANKS)]
        for address, data in writes:
            assert await node.write_bytes(address, data) == AxiResp.SLVERR, hex(address)
        assert before == [await node.read(register) for register in (STATUS, BASE, LENGTH, CYCLES, RANKS)]

    assert await node.write(0x1FFC, 0x12345678) == AxiResp.OKAY
    # Parts of words, read-only registers, and unused addresses.
    await refused((0x1FFC, b"1"), (0x1FFE, b"12"), (BASE, b"1"), (CONTROL, b"\1"), (CYCLES, b"1234"), (RANKS, b"1234"),
                  (0x2018, b"1234"), (0x3000, b"1234"), (0xFFFFFFFC, b"1234"))
    assert await node.read(0x1FFC) == 0x12345678
    for address in (0x2018, 0x2020, 0x3000, 0x80000000):
        assert await node.read(address, AxiResp.SLVERR) == 0
    # A node that has started alone waits: its memory, BASE and LENGTH cannot be changed, and a second start is an
    # error without effect.
    await node.order(0, vector, GATHER)
    assert await node.read(STATUS) == BUSY
    assert await node.write(0, 1) == await node.write(BASE, 4) == await node.write(LENGTH, 4) == AxiResp.SLVERR
    await node.read(0, AxiResp.SLVERR)
    assert (await node.read(BASE), await node.read(LENGTH)) == (0, vector)
    assert await node.write(CONTROL, GATHER) == AxiResp.OKAY
    assert await node.read(STATUS) == BUSY | ERROR
    for other in others:
        other.clock.start()
    await gather(*(other.order(0, vector, GATHER) for other in others))
    assert await node.settled() == DONE | ERROR
    assert set(await gather(*(other.settled() for other in others))) == {DONE}


@cocotb.test()
async def memory_to_memory(dut):
    """Both collectives with sixteen clocks are right in every word, and wrong accesses are rejected."""
    dice = random.Random(TASK["seed"])
    # A falling edge resets flip-flops whose clock has not started.
    for level in (1, 0):
        dut.rst_n.value = level
        await Timer(10, unit="ns")
    # Even numbers of ps, 7 to 10 ns, all different.
    periods = [2 * half for half in dice.sample(range(3500, 5001), NODES)]
    nodes = [Node(dut, number, period) for number, period in enumerate(periods)]
    await Timer(200, unit="ns")
    dut.rst_n.value = 1
    await Timer(200, unit="ns")
    for node in nodes:
        ranks = await node.read(RANKS)
        node.ranks = (ranks & 0xFFFF, ranks >> 16)
    figures = {"slowest": max(periods) / 1000}
    for name, which in (("gather", GATHER), ("reduce", REDUCE)):
        figures[name] = await collective(nodes, dice, which)
    await mistakes(nodes[5], nodes[:5] + nodes[6:])
    Path(TASK["answer"]).write_text(json.dumps(figures))
