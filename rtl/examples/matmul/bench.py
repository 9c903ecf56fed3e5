# SPDX-License-Identifier: Apache-2.0
"""A cocotb bench of matmul_array: writes the blocks of several products, runs them without a gap, and counts the cycles
in which multipliers wait. `run` starts it and compares the result with NumPy.

MATMUL_BENCH names a folder. task.json has the parameters, own.npz the words by node and address; c.npz will have the blocks
of C as 32-bit words, by product and node, answer.json the counts."""
import json
import os
from pathlib import Path

import cocotb
import numpy
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

WHERE = Path(os.environ["MATMUL_BENCH"])


@cocotb.test()
async def products(dut):
    task = json.loads((WHERE / "task.json").read_text())
    nodes, block, count = task["side"] ** 2, task["block"], task["products"]
    own = numpy.load(WHERE / "own.npz")
    dut.rst_ni.value = 0
    dut.start_i.value = 0
    dut.own_write_i.value = 1
    dut.c_node_i.value = 0
    dut.c_row_i.value = 0
    Clock(dut.clk_i, 10, unit="ns").start()
    await FallingEdge(dut.clk_i)
    # By node and address, as numbers.
    words_a, words_b = (own[name].view(f"<u{own[name][0, 0].nbytes}")[..., 0].tolist() for name in "ab")
    for node in range(nodes):
        dut.own_node_i.value = node
        for address, (a, b) in enumerate(zip(words_a[node], words_b[node])):
            dut.own_address_i.value = address
            dut.own_a_i.value = a
            dut.own_b_i.value = b
            await FallingEdge(dut.clk_i)
    dut.own_write_i.value = 0
    dut.rst_ni.value = 1
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 0
    c = numpy.zeros((count, nodes, block, block), numpy.uint32)
    cycles = waits = done = 0
    while done < count:
        cycles += int(dut.busy_o.value) != 0
        waits += int(dut.wait_o.value).bit_count()
        assert cycles <= task["most_cycles"], "the run does not end"
        await FallingEdge(dut.clk_i)
        if ended := int(dut.c_done_o.value):
            assert ended == (1 << nodes) - 1, "tiles end in different cycles"
            for node in range(nodes):
                dut.c_node_i.value = node
                for row in range(block):
                    dut.c_row_i.value = row
                    await Timer(1, unit="ps")
                    c[done, node, row] = numpy.frombuffer(int(dut.c_o.value).to_bytes(4 * block, "little"), "<u4")
            done += 1
    assert int(dut.busy_o.value) == 0, "the run goes on"
    numpy.savez(WHERE / "c.npz", c=c)
    (WHERE / "answer.json").write_text(json.dumps({"cycles": cycles, "waits": waits}))
