# SPDX-License-Identifier: Apache-2.0
"""A judge of collectives inside groups that knows the network, the groups, the demand and the trace."""
import collections
import itertools


class Network:
    def __init__(self, dims, wraps):
        self.dims, self.wraps = dims, wraps
        self.nodes = 1
        for side in dims:
            self.nodes *= side

    def coordinates(self, node):
        at = []
        for side in self.dims:
            at.append(node % side)
            node //= side
        return at

    def node(self, at):
        node = 0
        for x, side in zip(reversed(at), reversed(self.dims)):
            node = node * side + x
        return node

    def neighbor(self, node, port):
        at, i = self.coordinates(node), port // 2
        at[i] += 1 if port % 2 else -1
        if not 0 <= at[i] < self.dims[i]:
            if not self.wraps[i] or self.dims[i] == 1:
                return None
            at[i] %= self.dims[i]
        return self.node(at)


class Groups:
    def __init__(self, network, shape, stride):
        self.network, self.shape, self.stride = network, shape, stride
        self.members = collections.defaultdict(dict)
        self.group_of, self.rank_of = {}, {}
        for node in range(network.nodes):
            rank = number = 0
            for x, n, g, s in reversed(list(zip(network.coordinates(node), network.dims, shape, stride))):
                rank = rank * g + x // s % g
                number = number * (n // g) + x // (g * s) * s + x % s
            self.group_of[node], self.rank_of[node] = number, rank
            self.members[number][rank] = node
        self.size = len(self.members[0])
        assert all(sorted(group) == list(range(self.size)) for group in self.members.values())
        assert sorted(self.members) == list(range(network.nodes // self.size))


def steps_of(trace):
    """The rows of a trace by step: (node, port, packet, terms). A directed link carries one packet per step."""
    lines = trace.splitlines()
    assert lines[0] in ("step,hop,from,port,packet", "step,hop,from,port,packet,terms"), lines[0]
    steps = collections.defaultdict(list)
    used = set()
    for line in lines[1:]:
        row = [int(value) for value in line.split(",")]
        assert (row[0], row[2], row[3]) not in used, f"two packets on one link: {line}"
        used.add((row[0], row[2], row[3]))
        steps[row[0]].append((row[2], row[3], row[4], row[5] if len(row) > 5 else 1))
    return steps


def judge_copies(network, groups, trace, origin_of, wanted):
    """origin_of(packet): its first node, None for no packet. wanted: (packet, node) pairs. The last step
    that delivers a wanted packet; AssertionError for a wrong run."""
    has = collections.defaultdict(set)
    for packet in {packet for packet, _ in wanted}:
        has[packet].add(origin_of(packet))
    missing = {(p, n) for p, n in wanted if n not in has[p]}
    last = 0
    steps = steps_of(trace)
    for step in sorted(steps):
        arrivals = []
        for node, port, packet, _ in steps[step]:
            to = network.neighbor(node, port)
            assert to is not None, f"step {step}: node {node} has no port {port}"
            assert packet in has and node in has[packet], f"step {step}: node {node} lacks packet {packet}"
            arrivals.append((packet, to))
        for packet, to in arrivals:
            has[packet].add(to)
            if (packet, to) in missing:
                missing.discard((packet, to))
                last = step
    assert not missing, f"{len(missing)} deliveries are missing"
    return last


def judge_sums(network, groups, trace, number_of, words, owners):
    """Follows the contributors of sums. A link carries a sum over contributors that its sender had; the
    trace contains their number. Nodes start with their own word; a sum that leaves is one that arrived
    earlier, or own words added to those that arrived. Every owner's contributors must at last cover its
    group. number_of(group, word): the packet. owners(group, word): the nodes that need it."""
    group_and_word = {number_of(q, w): (q, w) for q in groups.members for w in range(words)}
    size = groups.size
    # For each packet and node, the contributors that can have reached it.
    reached = collections.defaultdict(set)
    for packet, (group, _) in group_and_word.items():
        for node in groups.members[group].values():
            reached[packet, node] = {node}
    steps, last, done = steps_of(trace), 0, set()
    needed = {(number_of(q, w), n) for q in groups.members for w in range(words) for n in owners(q, w)}
    for step in sorted(steps):
        arrivals = collections.defaultdict(set)
        for node, port, packet, terms in steps[step]:
            to = network.neighbor(node, port)
            assert to is not None and packet in group_and_word, f"step {step}: packet {packet} at node {node}"
            have = reached[packet, node]
            assert 1 <= terms <= len(have) and terms <= size, f"step {step}: {terms} terms at node {node}"
            arrivals[packet, to] |= have
        for place, new in arrivals.items():
            reached[place] |= new
            if place in needed and place not in done and len(reached[place]) == size:
                done.add(place)
                last = step
    assert needed <= done | {p for p in needed if len(reached[p]) == size}, "a sum is incomplete"
    return last


def judge(collective, network, groups, trace, packets=None, words=None, root=0):
    """The step that completes the demand."""
    k, nodes, size = packets or 1, network.nodes, groups.size
    pairs = lambda node: groups.members[groups.group_of[node]].values()
    if collective == "all-gather":
        wanted = {(v * k + c, u) for v in range(nodes) for c in range(k) for u in pairs(v)}
        return judge_copies(network, groups, trace, lambda p: p // k, wanted)
    if collective == "all-to-all":
        wanted = {((v * nodes + u) * k + c, u) for v in range(nodes) for u in pairs(v) if u != v for c in range(k)}
        return judge_copies(network, groups, trace, lambda p: p // k // nodes, wanted)
    if collective == "broadcast":
        m = packets
        wanted = {(q * m + j, u) for q, all_of in groups.members.items() for j in range(m) for u in all_of.values()}
        return judge_copies(network, groups, trace, lambda p: groups.members[p // m][root], wanted)
    by_node = collective == "reduce-scatter" or (collective == "all-reduce" and words is None)
    m = k * size if by_node else words or 1

    def number_of(group, word):
        return groups.members[group][word // k] * k + word % k if by_node else group * m + word

    def owners(group, word):
        all_of = groups.members[group]
        if collective == "reduce-scatter":
            return [all_of[word // k]]
        return [all_of[root]] if collective == "reduce" else all_of.values()

    return judge_sums(network, groups, trace, number_of, m, owners)


def lower_bound(collective, network, groups, packets=None, words=None, root=0):
    """Section 2 of the specification, computed independently."""
    from fractions import Fraction
    from math import ceil, prod
    axes = [i for i, g in enumerate(groups.shape) if g > 1]
    n, g, s = network.dims, groups.shape, groups.stride
    closed = {i: network.wraps[i] and g[i] * s[i] == n[i] for i in axes}
    w = {i: 2 if closed[i] else 1 for i in axes}
    size, k = groups.size, packets or 1
    at = []
    for side in g:
        at.append(root % side)
        root //= side
    rooted = collective in ("broadcast", "reduce")
    far = {i: g[i] // 2 if closed[i] else max(at[i], g[i] - 1 - at[i]) if rooted else g[i] - 1 for i in axes}
    best = sum(s[i] * far[i] for i in axes)
    if collective == "all-to-all":
        return max([best] + [ceil(Fraction(k * s[i] * size // g[i] * (g[i] ** 2 // 4), w[i])) for i in axes])
    for count in range(1, len(axes) + 1):
        for chosen in itertools.combinations(axes, count):
            boxes = prod(g[i] for i in chosen)
            sigma = sum(Fraction(w[i], s[i]) for i in chosen)
            near = sum(s[i] * far[i] - s[i] + 1 for i in chosen)
            if collective in ("all-gather", "reduce-scatter"):
                best = max(best, ceil(k * (boxes - 1) / sigma))
            elif rooted:
                m = packets if collective == "broadcast" else words or 1
                of_root = sum(Fraction(2 if network.wraps[i] else 1, s[i]) for i in chosen)
                best = max(best, near - 1 + ceil(Fraction(m * boxes, size) / of_root))
            else:
                m = words if words is not None else k * size if collective == "all-reduce" else 1
                links = sum(Fraction(2 * size * (g[i] - 2 + w[i]), g[i] * s[i]) for i in chosen)
                best = max(best, ceil(2 * m * (boxes - 1) / links), near - 1 + ceil(Fraction(m * boxes, size) / sigma))
    if rooted and all(closed.values()) and all(s[i] == 1 for i in axes):
        distance = sum(far.values())
        senders = [distance - far[i] + min(x % g[i], -x % g[i]) for i in axes for x in (far[i] - 1, far[i] + 1)]
        steps = 0
        while sum(max(0, steps - sender) for sender in senders) < m:
            steps += 1
        best = max(best, steps)
    return best
