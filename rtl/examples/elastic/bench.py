# SPDX-License-Identifier: Apache-2.0
"""A cocotb bench of an emitted elastic network: random packets, stalls, clocks and ends of reset.

Every node is a Python element with its own clock (Crossings = 1) or the common one. It offers the flits of its
packets, message after message, and accepts arrivals, both at random times. Each in-port must deliver exactly the
planned flits in the planned order. `run` starts the bench; docs/integration.md explains it."""
import json
import os
import random
import re
from pathlib import Path

import cocotb
from cocotb.triggers import Combine, Timer

# After so many cycles without any arrival no flit can arrive any more.
PATIENCE = 5000
KNOWN = str.maketrans("XZUW-", "00000")
TASK = json.loads(os.environ["ELASTIC_BENCH"])


class Plan:
    """Sizes from the package, and the flits of one message from gsm_fabric_expected.txt."""

    def __init__(self, directory):
        text = (Path(directory) / "gsm_plan_pkg.sv").read_text()
        for name, value in re.findall(r"localparam int (\w+) = (\d+);", text):
            setattr(self, name, int(value))
        self.flits = self.Chunk * self.Rounds
        self.streams = self.Nodes * self.Ports
        lines = (Path(directory) / "gsm_fabric_expected.txt").read_text().split("\n", 2)[2]
        words = iter(lines.split())

        def numbers(count):
            return [int(next(words)) for _ in range(count)]

        self.cycles, self.total, _ = numbers(3)
        own = [numbers(2)[0] for _ in range(self.streams)]
        counts = numbers(self.streams)
        # By out-port: the own packet, -1 for none. The file contains packet * flits + flit for each of its flits.
        firsts = [[(int(next(words), 16), numbers(2))[0] for _ in range(count)] for count in own]
        self.own = [flits[0] // self.flits if flits else -1 for flits in firsts]
        # By in-port: (packet * flits + flit, slot) of each arrival.
        self.arrivals = [[(*numbers(2), next(words))[:2] for _ in range(count)] for count in counts]


class Session:
    """The time from one reset to the next."""

    def __init__(self, dut, plan, dice, messages):
        self.dut, self.plan, self.dice, self.messages = dut, plan, dice, messages
        self.salt = dice.getrandbits(32)
        # The driven values of the vectors; each element changes its own bits.
        self.driven = {"own_valid_i": 0, "own_last_i": 0, "own_data_i": 0, "deliver_ready_i": 0,
                       "node_rst_ni": 0, "node_clk_i": 0, "clk_i": 0}
        self.changed, self.seen = set(), {}
        self.shares = dice.choice(((1.0,), (1.0, 0.9, 0.7), (0.9, 0.6, 0.3)))
        self.taken = [0] * plan.streams
        self.flits = 0

    def word(self, message, index):
        """The data of a flit, in which every bit depends on message, packet and flit."""
        mixed = (index + message * 0x9E3779B9 + self.salt) & 0xFFFFFFFF
        for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
            mixed = (mixed ^ mixed >> shift) * factor & 0xFFFFFFFF
        return (mixed ^ mixed >> 16) & ((1 << self.plan.Width) - 1)

    def drive(self, name, at, width, value):
        mask = ((1 << width) - 1) << at
        self.driven[name] = self.driven[name] & ~mask | value << at
        self.changed.add(name)

    def flush(self):
        for name in self.changed:
            getattr(self.dut, name).value = self.driven[name]
        self.changed.clear()

    def read(self, name, at, width):
        """Bits of an output in this cycle; unknown bits count as 0."""
        if name not in self.seen:
            self.seen[name] = str(getattr(self.dut, name).value).translate(KNOWN)
        bits = self.seen[name]
        return int(bits[len(bits) - at - width:len(bits) - at], 2)

    def over(self):
        return self.flits == self.messages * self.plan.total

    async def clock(self, elements, period, name, bit):
        """Drives the clock of elements, bit `bit` of input `name`, with a period of `period` ps."""
        await Timer(self.dice.randrange(1, period), unit="ps")
        quiet = before = 0
        while not self.over():
            quiet = quiet + 1 if self.flits == before else 0
            before = self.flits
            assert quiet < PATIENCE, f"nothing has arrived for {PATIENCE} cycles, {self.flits} flits have"
            # Values are sampled at the rising edge.
            self.seen.clear()
            for element in elements:
                element.edge()
            self.drive(name, bit, 1, 1)
            self.flush()
            await Timer(1000, unit="ps")
            for element in elements:
                element.go_on()
            self.flush()
            await Timer(period // 2 - 1000, unit="ps")
            self.drive(name, bit, 1, 0)
            self.flush()
            await Timer(period - period // 2, unit="ps")

    def take(self, stream, delivery):
        plan = self.plan
        arrivals = plan.arrivals[stream]
        message, at = divmod(self.taken[stream], max(1, len(arrivals)))
        place = f"node {stream // plan.Ports}, in-port {stream % plan.Ports}, flit {self.taken[stream]}"
        assert message < self.messages and arrivals, f"{place}: one too many"
        index, slot = arrivals[at]
        flit = index % plan.flits
        right = (self.word(message, index) | flit << plan.Width | slot << plan.Width + plan.FlitBits |
                 (flit == plan.flits - 1) << plan.Width + plan.FlitBits + plan.SlotBits |
                 (at == len(arrivals) - 1) << plan.Width + plan.FlitBits + plan.SlotBits + 1)
        assert delivery == right, f"{place}: {delivery:#x}, expected {right:#x}"
        self.taken[stream] += 1
        self.flits += 1


class Element:
    """The processing element of a node."""

    def __init__(self, session, node):
        self.session, self.node = session, node
        self.first = node * session.plan.Ports
        # Fractions of cycles in which it offers and in which it accepts; cycles in reset.
        self.share = session.dice.choice(session.shares)
        self.in_reset = 3 + session.dice.randrange(12)
        self.sent = [0] * session.plan.Ports
        self.valid = self.accepts = 0

    def edge(self):
        """Counts the handshakes of the cycle that ends."""
        session, plan, ports = self.session, self.session.plan, self.session.plan.Ports
        bits = plan.Width + plan.FlitBits + plan.SlotBits + 3
        gone = session.read("own_ready_o", self.first, ports) & self.valid
        arrived = session.read("deliver_valid_o", self.first, ports) & self.accepts
        data = session.read("deliver_data_o", self.first * bits, ports * bits) if arrived else 0
        for s in range(ports):
            if gone >> s & 1:
                self.sent[s] += 1
            if arrived >> s & 1:
                session.take(self.first + s, data >> s * bits & ((1 << bits) - 1))
        self.valid &= ~gone

    def go_on(self):
        """Leaves reset after its reset cycles; an offer stays until it is taken."""
        session, plan, ports = self.session, self.session.plan, self.session.plan.Ports
        self.in_reset -= 1
        if self.in_reset == 0:
            session.drive("node_rst_ni", self.node, 1, 1)
        for s in range(ports):
            own, number = plan.own[self.first + s], self.sent[s]
            if self.valid >> s & 1 or own < 0 or number == session.messages * plan.flits:
                continue
            if session.dice.random() < self.share:
                message, flit = divmod(number, plan.flits)
                self.valid |= 1 << s
                session.drive("own_data_i", (self.first + s) * plan.Width, plan.Width,
                              session.word(message, own * plan.flits + flit))
                session.drive("own_last_i", self.first + s, 1, int(flit % plan.Chunk == plan.Chunk - 1))
        self.accepts = sum(1 << s for s in range(ports) if session.dice.random() < self.share)
        session.drive("own_valid_i", self.first, ports, self.valid)
        session.drive("deliver_ready_i", self.first, ports, self.accepts)


@cocotb.test()
async def random_traffic(dut):
    """Runs sessions until enough flits have arrived, each with different stalls, clocks and ends of reset."""
    plan = Plan(TASK["directory"])
    dice = random.Random(TASK["seed"])
    for name in ("clear_i", "start_i", "table_write_i", "table_address_i", "table_data_i", "own_valid_i", "own_last_i",
                 "own_data_i", "deliver_ready_i", "node_clk_i", "node_rst_ni", "clk_i"):
        getattr(dut, name).value = 0
    dut.rst_ni.value = 1
    dut.link_open_i.value = (1 << plan.streams) - 1
    flits = sessions = 0
    while flits < TASK["flits"]:
        messages = dice.randrange(2, 8)
        session = Session(dut, plan, dice, messages)
        for name, value in session.driven.items():
            getattr(dut, name).value = value
        # At this time all nodes are in reset.
        await Timer(20, unit="ns")
        elements = [Element(session, node) for node in range(plan.Nodes)]
        if TASK["crossings"]:
            clocks = [session.clock([element], 2 * dice.randrange(3500, 6500), "node_clk_i", element.node)
                      for element in elements]
        else:
            clocks = [session.clock(elements, 10000, "clk_i", 0)]
        await Combine(*[cocotb.start_soon(clock) for clock in clocks])
        assert all(sent == messages * plan.flits for element in elements
                   for sent, own in zip(element.sent, plan.own[element.first:]) if own >= 0)
        assert dut.error_o.value == 0, "parity, order or length was wrong"
        flits += session.flits
        sessions += 1
    Path(TASK["answer"]).write_text(json.dumps({"flits": flits, "sessions": sessions}))
