# SPDX-License-Identifier: Apache-2.0
"""A cocotb bench of sixteen nodes with unrelated clocks: runs the collective of the plan from memory to memory, first
with all nodes started together, which is measured, then with nodes started at random, and compares every word with
NumPy. `run` starts it; docs/soc.md explains it."""
import json
import os
import random
from pathlib import Path

import cocotb
import numpy
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, RisingEdge, Timer, gather, with_timeout
from cocotb.utils import get_sim_time

TASK = json.loads(os.environ["CLOCKS_BENCH"])
NODES, WORDS, FLITS = 16, 1024, 32


async def run(node, wait):
    """Runs the DMA of a node, started after `wait` ns; returns the times of its start and end in ns."""
    await Timer(wait, unit="ns")
    await FallingEdge(node.clk)
    node.start.value = 1
    await RisingEdge(node.clk)
    begin = get_sim_time("ns")
    await FallingEdge(node.clk)
    node.start.value = 0
    if not node.done.value:
        await with_timeout(RisingEdge(node.done), 100, "us")
    return begin, get_sim_time("ns")


@cocotb.test()
async def memory_to_memory(dut):
    """Every word is right with sixteen clocks, whenever nodes start."""
    dice = random.Random(TASK["seed"])
    nodes = [dut.gen_node[number] for number in range(NODES)]
    # A falling edge resets flip-flops whose clock has not started.
    dut.rst_n.value = 0
    await Timer(10, unit="ns")
    # Even numbers of ps, 7 to 10 ns, all different.
    periods = [2 * half for half in dice.sample(range(3500, 5001), NODES)]
    for node, period in zip(nodes, periods):
        Clock(node.clk, period, unit="ps").start()
    await Timer(200, unit="ns")
    dut.rst_n.value = 1
    await Timer(200, unit="ns")

    # The owner of each word: half c of a vector has a packet for each place on cycle c.
    places = [divmod(node.places.value.to_unsigned(), 16)[::-1] for node in nodes]
    owner = [next(node for node in range(NODES) if places[node][cycle] == slot)
             for cycle in (0, 1) for slot in range(NODES) for _ in range(FLITS)]
    took = []
    for spread in (0, 0, 4000):
        before = numpy.random.default_rng(dice.randrange(1 << 32)).integers(0, 1 << 32, (NODES, WORDS), numpy.uint32)
        for node, vector in zip(nodes, before):
            for word, value in enumerate(vector):
                node.u_memory.word[word].set(Immediate(int(value)))
        times = await gather(*(run(node, dice.randrange(1, spread + 2)) for node in nodes))
        took.append(max(end for _, end in times) - min(begin for begin, _ in times))
        right = before.sum(axis=0, dtype=numpy.uint32) if TASK["reduce"] else before[owner, range(WORDS)]
        for number, node in enumerate(nodes):
            got = [node.u_memory.word[word].value.to_unsigned() for word in range(WORDS)]
            wrong = [word for word in range(WORDS) if got[word] != right[word]]
            assert not wrong, f"node {number}, word {wrong[0]}: {got[wrong[0]]:#x}, expected {right[wrong[0]]:#x}"
    assert dut.error.value == 0
    Path(TASK["answer"]).write_text(json.dumps({"slowest periods": 1000 * max(took[:2]) / max(periods)}))
