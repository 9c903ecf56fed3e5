# SPDX-License-Identifier: Apache-2.0
"""Small MSCCL schedules, written out as text, for the tests of `gossamer check`."""


class Schedule:
    """Thread blocks rank by rank; steps are appended and know their own number."""

    def __init__(self, collective, ranks, chunks, in_place, scratch=0, root=None):
        self.collective, self.ranks, self.chunks = collective, ranks, chunks
        self.in_place, self.scratch, self.root = in_place, scratch, root
        self.blocks = [[] for _ in range(ranks)]
        self.copies = [[] for _ in range(ranks)]

    def block(self, rank, send=-1, recv=-1, chan=0):
        self.blocks[rank].append({"send": send, "recv": recv, "chan": chan, "steps": []})
        return len(self.blocks[rank]) - 1

    def step(self, rank, block, kind, src=("i", 0), dst=("o", 0), cnt=1, after=None):
        """`after` is (block, step) of the same rank; returns the own (block, step)."""
        steps = self.blocks[rank][block]["steps"]
        if after is not None:
            self.blocks[rank][after[0]]["steps"][after[1]]["hasdep"] = 1
        steps.append({"type": kind, "srcbuf": src[0], "srcoff": src[1], "dstbuf": dst[0],
                      "dstoff": dst[1], "cnt": cnt, "depid": after[0] if after else -1,
                      "deps": after[1] if after else -1, "hasdep": 0})
        return block, len(steps) - 1

    def text(self):
        k = self.chunks // self.ranks
        inputs = k if self.collective == "allgather" else self.chunks
        outputs = k if self.collective == "reduce_scatter" else self.chunks
        root = "" if self.root is None else f' root="{self.root}"'
        lines = [f'<algo name="test" proto="Simple" coll="{self.collective}" ngpus="{self.ranks}" '
                 f'nchunksperloop="{self.chunks}" nchannels="1" inplace="{int(self.in_place)}"{root}>']
        for rank in range(self.ranks):
            lines.append(f'  <gpu id="{rank}" i_chunks="{inputs}" o_chunks="{outputs}" '
                         f's_chunks="{self.scratch}">')
            lines += [f'    <copy i_off="{i}" o_off="{o}"/>' for i, o in self.copies[rank]]
            for number, block in enumerate(self.blocks[rank]):
                lines.append(f'    <tb id="{number}" send="{block["send"]}" recv="{block["recv"]}" '
                             f'chan="{block["chan"]}">')
                for s, step in enumerate(block["steps"]):
                    values = " ".join(f'{key}="{value}"' for key, value in step.items())
                    lines.append(f'      <step s="{s}" {values}/>')
                lines.append("    </tb>")
            lines.append("  </gpu>")
        return "\n".join(lines + ["</algo>"]) + "\n"


def ring_all_gather(ranks, in_place, fused):
    schedule = Schedule("allgather", ranks, ranks, in_place)
    for rank in range(ranks):
        after, before = (rank + 1) % ranks, (rank - 1) % ranks
        if not in_place:
            schedule.copies[rank].append((0, rank))
        if fused:
            block = schedule.block(rank, after, before)
            schedule.step(rank, block, "s", ("i", 0), ("o", rank))
            for n in range(1, ranks):
                chunk = (rank - n) % ranks
                schedule.step(rank, block, "r" if n == ranks - 1 else "rcs", ("o", chunk), ("o", chunk))
        else:
            receiver, sender = schedule.block(rank, -1, before), schedule.block(rank, after, -1)
            schedule.step(rank, sender, "s", ("i", 0), ("o", rank))
            for n in range(1, ranks):
                chunk = (rank - n) % ranks
                got = schedule.step(rank, receiver, "r", ("o", chunk), ("o", chunk))
                if n < ranks - 1:
                    schedule.step(rank, sender, "s", ("o", chunk), ("o", chunk), after=got)
    return schedule


def ring_all_reduce(ranks, in_place=True):
    """Reduce-scatter, then all-gather around the ring; rrc, rcs and r."""
    schedule = Schedule("allreduce", ranks, ranks, in_place, scratch=0)
    buffer = "i" if in_place else "o"
    for rank in range(ranks):
        if not in_place:
            schedule.copies[rank] += [(chunk, chunk) for chunk in range(ranks)]
        block = schedule.block(rank, (rank + 1) % ranks, (rank - 1) % ranks)
        at = lambda chunk: (buffer, chunk % ranks)
        schedule.step(rank, block, "s", at(rank), at(rank))
        for n in range(1, ranks):
            schedule.step(rank, block, "rrcs" if n < ranks else "rrc", at(rank - n), at(rank - n))
        for n in range(ranks - 1):
            last = n == ranks - 2
            schedule.step(rank, block, "r" if last else "rcs", at(rank - n), at(rank - n))
    return schedule


def scatter_reduce(ranks):
    """Reduce-scatter: every rank sends every other one its part, added through scratch by `re`."""
    schedule = Schedule("reduce_scatter", ranks, 2 * ranks, False, scratch=2 * ranks)
    for rank in range(ranks):
        schedule.copies[rank] += [(2 * rank, 0), (2 * rank + 1, 1)]
        got = []
        for other in range(ranks):
            if other == rank:
                continue
            block = schedule.block(rank, other, -1)
            schedule.step(rank, block, "s", ("i", 2 * other), ("s", 2 * rank), cnt=2)
            block = schedule.block(rank, -1, other)
            got.append((other, schedule.step(rank, block, "r", ("i", 0), ("s", 2 * other), cnt=2)))
        adder = schedule.block(rank)
        for other, step in got:
            schedule.step(rank, adder, "re", ("s", 2 * other), ("o", 0), cnt=2, after=step)
    return schedule


def relayed_exchange(ranks):
    """All-to-all: to the next rank directly, further ones through the next rank's scratch."""
    schedule = Schedule("alltoall", ranks, ranks, False, scratch=ranks * ranks)
    slot = lambda origin, destination: origin * ranks + destination
    sends, receives = [], []
    for rank in range(ranks):
        own = schedule.block(rank)
        schedule.step(rank, own, "cpy", ("i", rank), ("o", rank))
        sends.append(schedule.block(rank, (rank + 1) % ranks, -1))
        receives.append(schedule.block(rank, -1, (rank - 1) % ranks))
    kept = [dict() for _ in range(ranks)]
    for hop in range(1, ranks):
        for rank in range(ranks):
            # Packets that are `hop - 1` hops from home and have some to go.
            origin = (rank - hop + 1) % ranks
            for away in range(hop, ranks):
                destination = (origin + away) % ranks
                source = ("i", destination) if hop == 1 else ("s", slot(origin, destination))
                schedule.step(rank, sends[rank], "s", source, ("s", 0),
                              after=kept[rank].get((origin, destination)))
        for rank in range(ranks):
            origin = (rank - hop) % ranks
            for away in range(hop, ranks):
                destination = (origin + away) % ranks
                target = ("o", origin) if away == hop else ("s", slot(origin, destination))
                kept[rank][(origin, destination)] = schedule.step(rank, receives[rank], "r", ("i", 0), target)
    return schedule


def binary_tree(collective, ranks, root):
    """Broadcast down, or reduce up, a binary tree."""
    schedule = Schedule(collective, ranks, 2, collective == "reduce", scratch=2 * ranks, root=root)
    real = lambda position: (position + root) % ranks
    for position in range(ranks):
        rank = real(position)
        children = [c for c in (2 * position + 1, 2 * position + 2) if c < ranks]
        parent = real((position - 1) // 2) if position else None
        if collective == "broadcast":
            source = ("o", 0)
            got = None
            if position == 0:
                schedule.copies[rank] += [(0, 0), (1, 1)]
                source = ("i", 0)
            else:
                got = schedule.step(rank, schedule.block(rank, -1, parent), "r", ("i", 0), ("o", 0), cnt=2)
            for child in children:
                schedule.step(rank, schedule.block(rank, real(child), -1), "s", source, ("o", 0), cnt=2,
                              after=got)
        else:
            last = None
            for child in children:
                last = schedule.step(rank, schedule.block(rank, -1, real(child)), "rrc", ("i", 0),
                                     ("i", 0), cnt=2, after=last)
            if position:
                schedule.step(rank, schedule.block(rank, parent, -1), "s", ("i", 0), ("i", 0), cnt=2,
                              after=last)
    return schedule


def everybody():
    """(name, schedule) of all kinds; all of them are correct."""
    for ranks in (2, 3, 5):
        for in_place in (False, True):
            for fused in (False, True):
                yield f"all-gather {ranks} {in_place} {fused}", ring_all_gather(ranks, in_place, fused)
    for ranks in (2, 4, 5):
        yield f"all-reduce {ranks}", ring_all_reduce(ranks)
        yield f"all-reduce out of place {ranks}", ring_all_reduce(ranks, False)
    yield "reduce-scatter 3", scatter_reduce(3)
    yield "reduce-scatter 4", scatter_reduce(4)
    yield "all-to-all 3", relayed_exchange(3)
    yield "all-to-all 5", relayed_exchange(5)
    for root in (0, 2):
        yield f"broadcast 5 {root}", binary_tree("broadcast", 5, root)
        yield f"reduce 6 {root}", binary_tree("reduce", 6, root)
