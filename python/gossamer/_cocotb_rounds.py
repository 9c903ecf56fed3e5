# SPDX-License-Identifier: Apache-2.0
"""The test that cocotb runs inside the simulator for gossamer.cocotb.run."""

import json
import os
from pathlib import Path
from typing import Any

import cocotb
from gossamer.cocotb import Mismatch, Network


@cocotb.test()  # type: ignore[misc]
async def rounds(dut: Any) -> None:
    """Runs the rounds and checks every cycle."""
    task = json.loads(os.environ["GOSSAMER_COCOTB"])
    answer: dict[str, Any] = {"mismatch": None}
    try:
        network = Network(dut, task["directory"], task["name"])
        await network.reset()
        traces = [await network.round(number) for number in range(task["rounds"])]
        answer.update(cycles=network.expected.cycles, trace=traces[0].tolist())
    except Mismatch as mismatch:
        answer["mismatch"] = str(mismatch)
    Path(task["answer"]).write_text(json.dumps(answer))
    assert answer["mismatch"] is None, answer["mismatch"]
