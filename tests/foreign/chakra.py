# SPDX-License-Identifier: Apache-2.0
"""The Chakra trace of one rank of an MSCCL schedule, from docs/spec/foreign-schedules.md, section 9, alone;
shares no code with the program. ASTRA-sim's own converter embeds the XML and the duration of additions: `embeds` writes
this form, for comparison with files of that converter."""

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


def encode(source, rank, chunk_bytes, embeds=False):
    """The bytes of RANK.et; `source` is the XML's text."""
    algo = xml.etree.ElementTree.fromstring(source)
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
