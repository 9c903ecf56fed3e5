# SPDX-License-Identifier: Apache-2.0
"""The Chakra trace of one rank of an MSCCL schedule, from docs/spec/foreign-schedules.md, section 6, alone, and the
traces of workloads, from docs/workload.md; shares no code with the program. ASTRA-sim's own converter embeds the XML and the duration of additions: `embeds` writes
this form, for comparison with files of that converter."""

import functools
import xml.etree.ElementTree


def varint(value):
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes(digits) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, field, value):
    return text(10, text(1, name) + (text if field == 29 else number)(field, value))


def message(content):
    return varint(len(content)) + content


@functools.lru_cache(1)
def parsed(source):
    return xml.etree.ElementTree.fromstring(source)


def encode(source, rank, chunk_bytes, embeds=False):
    """The bytes of RANK.et; `source` is the XML's text."""
    algo = parsed(source)
    blocks = [(int(tb.get("id")), tb) for tb in algo[rank].iter("tb")]
    metadata = [("schema", "1.0.2-chakra.0.0.4")]
    metadata += [("input_file", source), ("collective", algo.get("coll"))] if embeds else [
        ("collective", algo.get("coll")), ("name", algo.get("name"))]
    out = message(b"".join(text(2, text(1, key) + text(29, value)) for key, value in metadata))
    ids, last = {}, -1
    for block, tb in blocks:
        for step in tb:
            last += 2 if step.get("type") == "rrc" else 1
            ids[block, int(step.get("s"))] = last
    for block, tb in blocks:
        waits, previous = [], None
        for step in tb:
            kind, at, size = step.get("type"), int(step.get("s")), int(step.get("cnt")) * chunk_bytes
            wait = [ids[int(step.get("depid")), int(step.get("deps"))]] if int(step.get("depid")) >= 0 else []
            if kind == "nop":
                waits = wait + waits
                continue
            waits = wait + waits
            if kind != "cpy":
                after = waits + ([] if previous is None else [previous])
                previous = own = ids[block, at]
                if kind in ("s", "r", "rrc"):
                    sends = kind == "s"
                    own -= kind == "rrc"
                    out += node(own, "COMM_SEND" if sends else "COMM_RECV", block, at, 5 if sends else 6, after,
                                attribute("comm_type", 9, 5 if sends else 6) + attribute("comm_size", 9, size) +
                                attribute("comm_dst" if sends else "comm_src", 7,
                                          int(tb.get("send" if sends else "recv"))) +
                                attribute("comm_tag", 7, int(tb.get("chan"))))
                    after = [own]
                if kind in ("rrc", "re"):
                    out += node(previous, "COMP", block, at, 4, after,
                                number(7, 3 * (size // 50) // 1000) if embeds else b"")
            waits = []
    return out


def node(number_of, name, block, step, kind, after, rest):
    packed = b"".join(varint(dependence) for dependence in after)
    return message((number(1, number_of) if number_of else b"") +
                   text(2, f"{name}_NODE_tb{block}_step{step}") + number(3, kind) +
                   (text(5, packed) if packed else b"") + rest)


# Numbers of the schema.
COMP, COMM_SEND, COMM_COLL = 4, 5, 7
COLLECTIVES = {"all-reduce": 0, "reduce": 1, "all-gather": 2, "broadcast": 5, "all-to-all": 6, "reduce-scatter": 7, "barrier": 9}
HEADER = message(text(1, "0.0.4"))


def workload_node(number_of, name, kind, after, attributes, micros=0):
    """A node of a workload; `attributes` are triples of name, field and value."""
    packed = b"".join(map(varint, after))
    return message((number(1, number_of) if number_of else b"") + text(2, name) + number(3, kind) +
                   (text(5, packed) if packed else b"") + (number(7, micros) if micros else b"") +
                   b"".join(attribute(*each) for each in attributes))


def read_varint(data, at):
    """The value at `at`, and the place after it."""
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Pairs of a message's fields and values."""
    at, found = 0, []
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        found.append((tag >> 3, value))
    return found


def messages(path):
    """The fields of each message of a file."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        size, at = read_varint(data, at)
        yield fields(data[at:at + size])
        at += size
