# SPDX-License-Identifier: Apache-2.0
"""Writes an elastic network in SystemVerilog: package, tiles, network, and what the testbench
tb/sv/gsm_network_tb.sv has to see."""
import os


def hexadecimal(bits, fields, width):
    value = sum(field << i * width for i, field in enumerate(fields))
    return f"{bits}'h{value:x}"


def write(directory, network, carries, order, chunk, rounds, slots, latency, cycles, tile=""):
    """`order`: by link (node, out-port) the (packet, flit) in the order of arrival; `tile`: further
    parameters of the tiles, as text."""
    nodes, ports = network.nodes, network.ports
    rank = [[0] * nodes for _ in range(ports // 2)]
    cycle_of, backward = {}, {}
    by_packet = {}
    rings = network.rings()
    for ring in rings:
        by_packet.setdefault(network.own[ring[0][0]][ring[0][1]], []).append(ring)
    for c, (_, pair) in enumerate(sorted(by_packet.items())):
        for at, (node, _) in enumerate(pair[0]):
            rank[c][node] = at
        for i, ring in enumerate(pair):
            for node, port in ring:
                to = network.neighbor(node, port)
                cycle_of[to, port ^ 1], backward[to, port ^ 1] = c, i
    slot_bits = (nodes - 1).bit_length()
    classes, class_of = [], []
    for n in range(nodes):
        key = (tuple(network.feed[n]), tuple(cycle_of.get((n, q), 0) for q in range(ports)),
               tuple(own is not None for own in network.own[n]),
               tuple((n, q) in cycle_of for q in range(ports)))
        if key not in classes:
            classes.append(key)
        class_of.append(classes.index(key))
    flits = chunk * rounds
    package = f"""// SPDX-License-Identifier: Apache-2.0
/* verilator lint_off UNUSEDPARAM */
package gsm_pkg;
  localparam int Nodes = {nodes};
  localparam int Ports = {ports};
  localparam int Width = 32;
  localparam int Slots = {slots};
  localparam int Chunk = {chunk};
  localparam int Rounds = {rounds};
  localparam int SlotBits = {slot_bits};
  localparam int FlitBits = {max(1, (flits - 1).bit_length())};
  function automatic int neighbor(input int node, input int port);
    neighbor = -1;
    case (node * Ports + port)
"""
    for n in range(nodes):
        for p in range(ports):
            if network.neighbor(n, p) is not None:
                package += f"      {n * ports + p}: neighbor = {network.neighbor(n, p)};\n"
    package += "      default: ;\n    endcase\n  endfunction\nendpackage\n/* verilator lint_on UNUSEDPARAM */\n"
    files = {"gsm_pkg.sv": package}
    link = f"gsm_pkg::Width + {(chunk > 1) + tile.count('Mark') + tile.count('Parity')}"
    pins = ("s_valid_i s_ready_o s_data_i s_last_i m_valid_o m_ready_i m_data_o m_last_o m_slot_o m_flit_o "
            "m_done_o m_error_o").split()
    flags = "parity_error_o order_error_o length_error_o stall_o stall_here_o".split()
    width = {"s_data_i": "gsm_pkg::Width", "m_data_o": "gsm_pkg::Width", "m_slot_o": "gsm_pkg::SlotBits",
             "m_flit_o": "gsm_pkg::FlitBits"}

    def declare(pin, count):
        direction = "input " if pin.endswith("_i") else "output"
        bits = f"{count}*{width[pin]}" if pin in width else count
        return f"    {direction} logic [{bits}-1:0] {pin}"

    for i, (feed, cycle, own, exists) in enumerate(classes):
        share = nodes // 2
        inside = [f"      .{name}({value})" for name, value in (
            ("Ports", ports), ("Width", "gsm_pkg::Width"), ("Slots", slots), ("Chunk", chunk),
            ("Rounds", rounds), ("Nodes", nodes),
            ("Feed", hexadecimal(ports * ports, [0 if q is None else 1 << q for q in feed], ports)),
            ("Cycle", hexadecimal(ports * 4, cycle, 4)), ("Own", hexadecimal(ports, own, 1)),
            ("Forward", hexadecimal(ports * 16, [share - 1 if q is not None else 0 for q in feed], 16)),
            ("Take", hexadecimal(ports * 16, [share if e else 0 for e in exists], 16)))]
        if tile:
            inside.append(f"      {tile}")
        text = [declare(pin, ports) for pin in pins]
        text += [f"    {'input ' if pin.endswith('_i') else 'output'} logic [{bits}-1:0] {pin}"
                 for pin, bits in (("in_valid_i", ports), ("in_ready_o", ports), ("in_data_i", f"{ports}*({link})"),
                                   ("out_valid_o", ports), ("out_ready_i", ports),
                                   ("out_data_o", f"{ports}*({link})"))]
        text += [f"    output logic {flag}" for flag in flags]
        files[f"gsm_tile_{i}.sv"] = (
            f"module gsm_tile_{i} (\n    input logic clk_i,\n    input logic rst_ni,\n"
            f"    input logic [{ports // 2}*{slot_bits}-1:0] rank_i,\n    input logic [{ports}-1:0] backward_i,\n"
            + ",\n".join(text) + ");\n  gsm_elastic_tile #(\n" + ",\n".join(inside) +
            "\n  ) u_tile (.*);\nendmodule\n")
    text = [declare(pin, f"{nodes * ports}") for pin in pins]
    text += [f"    output logic [{nodes}-1:0] {flag}" for flag in flags]
    text += [f"    input  logic [{nodes * ports}-1:0] link_open_i",
             f"    output logic [{nodes * ports}-1:0] link_valid_o"]
    body = f"module gsm_network (\n    input logic clk_i,\n    input logic [{nodes}-1:0] rst_ni,\n"
    body += ",\n".join(text) + f""");
  localparam int LinkWidth = {link};
  // By receiver and in-port: the end of the link; by sender and out-port: its beginning.
  logic [{nodes * ports}-1:0] in_ready, out_valid, out_ready, shown;
  logic [{nodes * ports}*LinkWidth-1:0] in_data, out_data;
  assign shown = link_valid_o & link_open_i;
"""
    for n in range(nodes):
        for q in range(ports):
            at, out = n * ports + q, (network.neighbor(n, q) or 0) * ports + (q ^ 1)
            if (n, q) not in cycle_of:
                body += f"  assign link_valid_o[{at}] = 1'b0;\n  assign in_data[{at}*LinkWidth+:LinkWidth] = '0;\n"
            else:
                body += (f"  gsm_elastic_link #(.Width(LinkWidth), .Stages({latency[out // ports, out % ports] - 1})) "
                         f"u_link_{out // ports}_{out % ports} (.clk_i, .rst_ni(rst_ni[{out // ports}]), "
                         f".in_valid_i(out_valid[{out}]), .in_ready_o(out_ready[{out}]), "
                         f".in_data_i(out_data[{out}*LinkWidth+:LinkWidth]), .out_valid_o(link_valid_o[{at}]), "
                         f".out_ready_i(in_ready[{at}] && link_open_i[{at}]), "
                         f".out_data_o(in_data[{at}*LinkWidth+:LinkWidth]));\n")
            if network.neighbor(n, q) is None or (network.neighbor(n, q), q ^ 1) not in cycle_of:
                body += f"  assign out_ready[{n * ports + q}] = 1'b0;\n"
    for n in range(nodes):
        ranks = hexadecimal(ports // 2 * slot_bits, [rank[c][n] for c in range(ports // 2)], slot_bits)
        back = hexadecimal(ports, [backward.get((n, q), 0) for q in range(ports)], 1)
        wires = [f".rank_i({ranks})", f".backward_i({back})"]
        for pin in pins:
            bits = width.get(pin, "1")
            wires.append(f".{pin}({pin}[{n * ports}*{bits}+:{ports}*{bits}])")
        wires += [f".{flag}({flag}[{n}])" for flag in flags]
        for pin, name, bits in (("in_valid_i", "shown", "1"), ("in_ready_o", "in_ready", "1"),
                                ("in_data_i", "in_data", "LinkWidth"), ("out_valid_o", "out_valid", "1"),
                                ("out_ready_i", "out_ready", "1"), ("out_data_o", "out_data", "LinkWidth")):
            wires.append(f".{pin}({name}[{n * ports}*{bits}+:{ports}*{bits}])")
        body += f"  gsm_tile_{class_of[n]} u_tile_{n} (.clk_i, .rst_ni(rst_ni[{n}]),\n    " + ",\n    ".join(wires) + ");\n"
    files["gsm_network.sv"] = body + "endmodule\n"
    expected = ["what gsm_network_tb has to see", "elastic", f"{cycles} {sum(map(len, order.values()))}"]
    expected.append(" ".join("-1" if own is None else str(own) for row in network.own for own in row))
    arrivals = [order.get((network.neighbor(n, q), q ^ 1), []) for n in range(nodes) for q in range(ports)]
    expected.append(" ".join(str(len(a)) for a in arrivals))
    for i, flits_here in enumerate(arrivals):
        for packet, flit in flits_here:
            c = cycle_of[i // ports, i % ports]
            expected.append(f"{packet * flits + flit} {rank[c][packet // network.packets]}")
    files["gsm_network_expected.txt"] = "\n".join(expected) + "\n"
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)
    return sorted(name for name in files if name.startswith("gsm_tile_")), len(classes)
