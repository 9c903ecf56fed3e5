#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_conventional.py WORMHOLE_ARRIVALS BENCH WORK_DIRECTORY: the yardstick bench/conventional_router.sv is the
machine of docs/spec/wormhole.md. On a mesh of them, under Icarus and with random packets, every flit arrives unchanged and
in order, and in the same cycle as in the model. Damaged routers are found."""
import os
import random
import subprocess
import sys

model, bench, work = sys.argv[1:4]
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(work, exist_ok=True)
os.chdir(work)
SIDE = 4
with open(os.path.join(bench, "conventional_router.sv"), encoding="ascii") as file:
    ROUTER = file.read()


def random_packets(count, longest, cycles, seed):
    """(node, cycle, destination, flits), by node and cycle."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        node = draw.randrange(SIDE * SIDE)
        destination = (node + draw.randrange(1, SIDE * SIDE)) % (SIDE * SIDE)
        found.append((node, draw.randrange(cycles), destination, draw.randint(1, longest)))
    return sorted(found, key=lambda packet: packet[:2])


def arrivals_of_model(packets, channels, depth):
    text = "".join(" ".join(map(str, packet)) + "\n" for packet in packets)
    result = subprocess.run([model, str(SIDE), str(channels), str(depth)], input=text, capture_output=True, text=True,
                            check=True)
    return sorted(tuple(map(int, line.split())) for line in result.stdout.splitlines())


def arrivals_of_rtl(packets, channels, depth, width, router=ROUTER):
    """The arrivals, and the last line of the run."""
    with open("router.sv", "w", encoding="ascii") as file:
        file.write(router)
    with open("packets.hex", "w", encoding="ascii") as file:
        for node, cycle, destination, flits in packets:
            file.write(f"{node:04x}{cycle:08x}{destination:04x}{flits:04x}\n")
    with open("first.hex", "w", encoding="ascii") as file:
        for node in range(SIDE * SIDE + 1):
            file.write(f"{sum(packet[0] < node for packet in packets):x}\n")
    settings = {"Side": SIDE, "Width": width, "Depth": depth, "Channels": channels, "Packets": len(packets),
                "Flits": sum(packet[3] for packet in packets), "Cycles": 800}
    subprocess.run(["iverilog", "-g2012", "-s", "conventional_mesh", "-o", "run.vvp", "router.sv",
                    os.path.join(here, "conventional_mesh.sv"),
                    *(f"-Pconventional_mesh.{name}={value}" for name, value in settings.items())], check=True)
    lines = subprocess.run(["vvp", "-n", "run.vvp"], capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(tuple(map(int, line.split())) for line in lines if line[0].isdigit()), lines[-1]


# Its size is measured as that of tiles: 5 ports with buffers of two flits of 10 bits, output registers, and control.
AREA = [os.path.join(bench, "conventional_area"), "--width", "8", "--router", "1x2"]
LIBERTY = [os.path.join(here, "liberty", name) for name in ("gates.lib", "flops.lib")]
generic, mapped = (subprocess.run(AREA + files, capture_output=True, text=True, check=True).stdout.splitlines()
                   for files in ([], LIBERTY))
assert generic[0] == "| channels x flits | cells | FF |" and generic[2].startswith("| 1 x 2 | "), generic
assert 100 + 50 < int(generic[2].split("|")[3]) <= 100 + 50 + 200, generic
assert mapped[2].split("|")[5] == generic[2].split("|")[3], (mapped, generic)

# A lone packet: 2 + (h + 1) 4 + h + 1 + F - 1 cycles over h links.
ALONE = [(0, 10, 15, 4)]
assert arrivals_of_rtl(ALONE, 1, 4, 32)[0][-1] == (10 + 2 + 7 * 4 + 6 + 1 + 3, 15, 0)

for channels, depth, width, longest, count, cycles in ((1, 4, 32, 8, 200, 150), (2, 4, 32, 8, 200, 100),
                                                       (1, 2, 64, 3, 200, 150), (4, 8, 32, 5, 100, 50)):
    packets = random_packets(count, longest, cycles, channels * depth)
    arrivals, end = arrivals_of_rtl(packets, channels, depth, width)
    assert end == "PASS", end
    wanted = arrivals_of_model(packets, channels, depth)
    differences = [pair for pair in zip(arrivals, wanted) if pair[0] != pair[1]]
    assert arrivals == wanted, differences[:3]
    print(f"{channels} channels of {depth} flits: {len(arrivals)} flits in {arrivals[-1][0]} cycles")

PACKETS = random_packets(150, 6, 100, 7)
WANTED = {channels: arrivals_of_model(PACKETS, channels, 4) for channels in (1, 2)}
for channels, right, wrong in (
        # A credit too many, a packet that does not hold its channel, and one that goes dimension 1 first.
        (1, "credits_q   <= CreditBits'(Depth);", "credits_q   <= CreditBits'(Depth + 1);"),
        (1, "if (taken != '0) unused_q <= 1'b0;", "if (1'b0) unused_q <= 1'b0;"),
        (1, "front[0+:CoordinateBits] > x_i", "front[CoordinateBits+:CoordinateBits] > x_i"),
        # A slot that is read too late, and pointers of the allocators that stay.
        (1, "crossing_q <= read_q", "crossing_q <= write_q"),
        (1, "next_q <= after(accept_i)", "next_q <= next_q"),
        (2, "turn_q <= after(", "turn_q <= 0 & after("),
        (2, "sent_q <= number(", "sent_q <= ~number(")):
    assert ROUTER.count(right) == 1, right
    arrivals, end = arrivals_of_rtl(PACKETS, channels, 4, 32, ROUTER.replace(right, wrong))
    assert end != "PASS" or arrivals != WANTED[channels], f"not found: {wrong}"
    print(f"found: {wrong}")
