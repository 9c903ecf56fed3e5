# SPDX-License-Identifier: Apache-2.0
"""Draws the results of gossamer sweep: plot.py RESULTS KIND OUTPUT COLLECTIVE, the last empty for any. KIND area draws the
JSON of bench/rtl_area instead, KIND timeline that of gossamer workload, KIND delay also the JSON of a report.

The program holds this text, after that of python/gossamer/_results.py, and hands it to python3; exit status 2 and one line on standard error
when there is nothing to draw.
"""
import itertools
import json
import logging
import os
import re
import sqlite3
import sys
import tempfile


def refuse(cause):
    print(f"gossamer: plot: {cause}", file=sys.stderr)
    sys.exit(2)


try:
    import matplotlib
except ImportError:
    refuse("python3 has no matplotlib; scripts/setup tests installs it")

matplotlib.use("Agg")
# Its notice about a slow first run would be the only line on standard error of a plot that succeeds.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
from matplotlib import pyplot  # noqa: E402  (the backend comes first)

# Okabe and Ito's colours, told apart by colour-blind readers too; markers differ as well. More series than
# colours are dealt to panels, in which the others stand grey behind.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a5195", "#444444"]
MARKERS = "osD^vP*X"
OTHERS = "#dadada"
DARK = "@media screen and (prefers-color-scheme: dark) { svg { filter: invert(0.9) hue-rotate(180deg); } }"
# Labels of what is no series.
NO_SERIES = BOUND, MEAN_BOUND, LOAD_LIMIT, FLIP_FLOPS = (
    "lower bound", "bound on the mean", "limit of stable loads", "flip-flops of these")
BARS = 8
# Inches; a long legend takes more.
WIDTH, HEIGHT, PANEL_HEIGHT = 6.2, 3.9, 2.6
# Indices of the series in the panel that is being drawn; None: all of them.
panel = None


def read_rows(path, figure, collective, called=""):
    """The rows of one collective that have the figure, which users know by another name: of the named
    collective, or the one with the most."""
    try:
        database = open_to_read(path)
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute(
            "SELECT * FROM results WHERE status = 'done' ORDER BY job")]
        database.close()
    except sqlite3.Error as error:
        refuse(f"{path}: {error}")
    rows = [row for row in rows if json.loads(row["report"]).get(figure) is not None]
    counts = {}
    for row in rows:
        counts[row["collective"]] = counts.get(row["collective"], 0) + 1
    if not counts:
        refuse(f"{path}: no measured rows with {called or figure}")
    collective = collective or max(sorted(counts), key=counts.get)
    if collective not in counts:
        refuse(f"{path}: no rows of {collective}; there is {', '.join(sorted(counts))}")
    return collective, [row for row in rows if row["collective"] == collective]


def series_name(row, rows, axes=("load", "faults")):
    """What tells the row's series from the others: only what differs between rows is named, of the options not
    `axes`. Over bytes a message is dealt to packets as suits its length."""
    over_bytes = "bytes" in axes
    name = row["algorithm"]
    if len({other["topology"] for other in rows}) > 1:
        name += f", {row['topology']}"
    if len({len(other["dims"].split("x")) for other in rows}) > 1:
        name += f", {len(row['dims'].split('x'))}-D"
    if not over_bytes and len({other["packets_per_node"] for other in rows} - {None}) > 1:
        name += f", k = {row['packets_per_node'] or '-'}"
    for key, value in sorted(json.loads(row["options"]).items()):
        # k is named already.
        if key in axes or (key == "packets" and not over_bytes):
            continue
        if len({json.loads(other["options"]).get(key) for other in rows}) > 1:
            name += f", {key}" if value is True else f", {key} {value}"
    return name


def natural(name):
    """Sorts k = 2 before k = 10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def series(rows, x, y):
    """By name of the series: {x: y}. Engines and versions must agree."""
    found = {}
    for row in rows:
        if x(row) is None or row[y] is None:
            continue
        points = found.setdefault(series_name(row, rows), {})
        if points.setdefault(x(row), row[y]) != row[y]:
            refuse(f"{row['dims']} {series_name(row, rows)}: {y} is {points[x(row)]} and {row[y]} "
                   "in different rows")
    return dict(sorted(found.items(), key=lambda item: natural(item[0])))


def stands_out(index):
    """False for a series of another panel."""
    return panel is None or index in panel


def style(index):
    """The look of a series, of no other one in its panel."""
    if not stands_out(index):
        return {"color": OTHERS, "marker": "", "zorder": 0}
    if panel is not None:
        index = panel.index(index)
    # A first drawing, whose series are then dealt to panels, has more of them than colours.
    index %= len(COLORS)
    # Hollow and growing: series that coincide stay visible.
    return {"color": COLORS[index], "marker": MARKERS[index], "markerfacecolor": "none",
            "markersize": 4 + index}


def deal(names):
    """Indices of the series of each panel: of one algorithm in one, or in as many equal ones as they take."""
    groups = [list(group) for _, group in
              itertools.groupby(range(len(names)), key=lambda index: re.split("[, ]", names[index])[0])]
    # As many to each as go evenly, where no algorithm is torn apart by that.
    most = -(-len(names) // -(-len(names) // len(COLORS)))
    if max(map(len, groups), default=0) > most:
        most = len(COLORS)
    panels = []
    for group in groups:
        if panels and len(panels[-1]) + len(group) <= most:
            panels[-1] += group
            continue
        parts = -(-len(group) // most)
        panels += [group[len(group) * i // parts:len(group) * (i + 1) // parts] for i in range(parts)]
    return panels


def side(row):
    sides = set(row["dims"].split("x"))
    return int(sides.pop()) if len(sides) == 1 else None


def field_name(collective):
    """The name for readers; documents say gossip."""
    return "all-gather" if collective == "gossip" else collective


def count(value, _=None):
    """A plain number: 1,048,576 or 0.25."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def byte_size(value, _=None):
    """512 B, 64 KiB, 1 MiB."""
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{value:g} {units[0]}"


def log_axes(axes, x=count, y=count):
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis, text in ((axes.xaxis, x), (axes.yaxis, y)):
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(text))
    low, high = axes.get_ylim()
    if high < 4 * low:
        # Powers of two alone would be one tick or none.
        axes.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))


def share_bounds(rows):
    """Gives rows that ask for the same the least of their lower bounds: an algorithm's own rules, as of
    one that only sends to neighbours, may forbid it what another one does."""
    def request(row):
        return row["dims"], row["topology"], row["packets_per_node"], row["options"]
    least = {}
    for row in rows:
        bound = row["lower_bound_steps"]
        if bound is not None:
            least[request(row)] = min(bound, least.get(request(row), bound))
    return [{**row, "lower_bound_steps": least.get(request(row))} for row in rows]


def draw_steps(axes, collective, rows):
    """Steps over the number of nodes, each with its lower bound."""
    lower = series(share_bounds(rows), lambda row: row["nodes"], "lower_bound_steps")
    bounds = set()
    for index, (name, points) in enumerate(series(rows, lambda row: row["nodes"], "steps").items()):
        x = sorted(points)
        axes.plot(x, [points[at] for at in x], linestyle="-", label=name, **style(index))
        if stands_out(index):
            bounds.add(tuple(sorted(lower.get(name, {}).items())))
    # Where an algorithm serves fewer sizes than another one, its bound is a part of the other's.
    whole = [bound for bound in bounds if bound and not any(set(bound) < set(other) for other in bounds)]
    # Above the others: who reaches it does not hide it.
    for index, bound in enumerate(sorted(whole)):
        axes.plot(*zip(*bound), linestyle="--", linewidth=1, color="#222222", zorder=3,
                  label=BOUND if index == 0 else None)
    log_axes(axes)
    axes.set_xlabel("nodes")
    axes.set_ylabel("steps")
    axes.set_title(f"{field_name(collective)}: steps against the lower bound")


def words(row):
    """Words of a node's vector; None where the sweep does not vary them."""
    number = json.loads(row["options"]).get("words")
    return None if number is None else int(number)


def draw_words(axes, collective, rows):
    """Steps over the words of a vector, for each network with its lower bound. Algorithms are named where a
    network has several for one number of words."""
    rows = [row for row in share_bounds(rows) if words(row) is not None]
    if not rows:
        refuse("no rows with the option words")

    def name(row):
        parts = [row["dims"] if row["topology"] == "torus" else f"{row['dims']} {row['topology']}"]
        for key, value in sorted(json.loads(row["options"]).items()):
            if key != "words" and len({json.loads(other["options"]).get(key) for other in rows}) > 1 and value:
                parts.append(key if value is True else f"{key} {value}")
        return ", ".join(parts)
    places = [(name(row), words(row)) for row in rows]
    several = len(set(places)) < len(places)
    lines, bounds = {}, {}
    for row, (line, number) in zip(rows, places):
        lines.setdefault(f"{line}, {row['algorithm']}" if several else line, {})[number] = row["steps"]
        bounds.setdefault(row["dims"] + row["topology"], {})[number] = row["lower_bound_steps"]
    for index, line in enumerate(sorted(lines, key=natural)):
        axes.plot(*zip(*sorted(lines[line].items())), linestyle="-", label=line, **style(index))
    for index, bound in enumerate(bounds.values()):
        axes.plot(*zip(*sorted(bound.items())), linestyle="--", linewidth=1, color="#222222", zorder=3,
                  label=BOUND if index == 0 else None)
    log_axes(axes)
    axes.set_xlabel("words of a node's vector")
    axes.set_ylabel("steps")
    axes.set_title(f"{field_name(collective)}: steps against the lower bound")


def draw_faults(axes, collective, rows):
    """Steps over the number of dead links: every draw, their mean, and the mean of their lower bounds."""
    found = {}
    for row in rows:
        links = json.loads(row["report"]).get("dead_links") or 0
        found.setdefault(series_name(row, rows), {}).setdefault(links, []).append(
            (row["steps"], row["lower_bound_steps"]))
    def mean(values):
        return sum(values) / len(values)
    bounds = set()
    for index, (name, points) in enumerate(sorted(found.items())):
        x = sorted(points)
        axes.plot(x, [mean([steps for steps, _ in points[at]]) for at in x], label=name, **style(index))
        axes.plot([at for at in x for _ in points[at]], [steps for at in x for steps, _ in points[at]],
                  linestyle="none", marker=".", markersize=2, color=style(index)["color"], zorder=1)
        if stands_out(index):
            bounds.add(tuple((at, mean([bound for _, bound in points[at]])) for at in x))
    for index, bound in enumerate(sorted(bounds)):
        axes.plot(*zip(*bound), linestyle="--", linewidth=1, color="#222222", zorder=3,
                  label=BOUND if index == 0 else None)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("dead links")
    axes.set_ylabel("steps")
    axes.set_title(f"{field_name(collective)}: steps over dead links")


def mean_latency(row):
    """Cycles of a link in the mean, by the row's option link-latency; how many links there are, and the least."""
    text = str(json.loads(row["options"]).get("link-latency", 1))
    if text == "folded-layout":
        text = "2"
    wraps = set("xyzuvw") if row["topology"] == "torus" else set(row["topology"].removeprefix("wrap-"))
    latency = dict(part.split("=") for part in text.split(",")) if "=" in text else None
    links = total = 0
    least = []
    for name, length in zip("xyzuvw", map(int, row["dims"].split("x"))):
        wrapped = 1 if row["topology"] != "mesh" and name in wraps else 0
        lines = row["nodes"] // length
        try:
            near = int(latency.get(name, 1) if latency else text)
            far = int(latency.get(f"wrap-{name}", near) if latency else text)
        except ValueError:
            refuse(f"link-latency {text}: latencies of a file have no place on the axis")
        if length == 1:
            continue
        least.append(min(near, far) if wrapped else near)
        links += lines * (length - 1 + wrapped)
        total += lines * ((length - 1) * near + wrapped * far)
    return total / links, links, min(least)


def fullest_link(row):
    """Lower bound on the cycles: links carry whole packets, and the fullest link at least the mean."""
    report = json.loads(row["report"])
    _, links, least = mean_latency(row)
    packets = -(-report["link_transfers"] // (report["flits"] * 2 * links))
    return packets * report["flits"] + least - 1


def stalled_share(row):
    """The part of the cycles in which one of the gates is closed."""
    script = json.loads(row["options"]).get("stall")
    if script is None:
        return 0.0
    if not script.startswith("random:"):
        refuse(f"stall {script}: windows of a file have no place on the axis")
    is_open = 1.0
    for rate in script.split(":")[2].split(","):
        is_open *= int(rate) / 256
    return 1 - is_open


def draw_cycles(axes, collective, rows, x, axis, label):
    """Cycles of elastic plans over x: every run, their mean, and the cycles that links need."""
    rows = [row for row in rows if json.loads(row["report"]).get("slots") is not None]
    if not rows:
        refuse(f"no row of {collective} is of an elastic plan")
    found, bounds, network = {}, {}, {}
    for row in rows:
        name = series_name(row, rows, (axis,))
        if len({other["dims"] for other in rows}) > 1:
            name = f"{row['dims']}, {name}"
        found.setdefault(name, {}).setdefault(x(row), []).append(row["cycles"])
        bounds.setdefault(row["dims"], {}).setdefault(x(row), []).append(fullest_link(row))
        network[name] = row["dims"]
    shown = set()
    for index, (name, points) in enumerate(sorted(found.items(), key=lambda item: natural(item[0]))):
        if stands_out(index):
            shown.add(network[name])
        at = sorted(points)
        axes.plot(at, [sum(points[i]) / len(points[i]) for i in at], label=name, **style(index))
        axes.plot([i for i in at for _ in points[i]], [cycles for i in at for cycles in points[i]],
                  linestyle="none", marker=".", markersize=2, color=style(index)["color"], zorder=1)
    for index, points in enumerate(bounds[dims] for dims in sorted(shown)):
        axes.plot(sorted(points), [min(points[i]) for i in sorted(points)], linestyle="--", linewidth=1,
                  color="#222222", zorder=3, label=BOUND if index == 0 else None)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(label)
    axes.set_ylabel("cycles")


def draw_latency(axes, collective, rows):
    """Cycles over the mean latency of the links."""
    draw_cycles(axes, collective, rows, lambda row: mean_latency(row)[0], "link-latency",
                "mean latency of a link, cycles")
    axes.set_title(f"{field_name(collective)}: cycles over the links' latency")


def draw_stall(axes, collective, rows):
    """Cycles over the fraction of cycles with a stall."""
    draw_cycles(axes, collective, rows, stalled_share, "stall",
                "part of the cycles in which a gate is closed")
    axes.set_title(f"{field_name(collective)}: cycles over stalls")


def draw_tcd(axes, collective, rows):
    """Total communication distance over the side of equal-sided networks."""
    found = series(rows, side, "tcd")
    if not found:
        refuse(f"no row of {collective} has equal sides")
    for index, (name, points) in enumerate(found.items()):
        x = sorted(points)
        axes.plot(x, [points[at] for at in x], label=name, **style(index))
    log_axes(axes)
    axes.set_xlabel("side")
    axes.set_ylabel("total communication distance, links")
    axes.set_title(f"{field_name(collective)}: total communication distance")


def draw_compare(axes, collective, rows):
    """Steps as multiples of the lower bound, side by side, for the largest sizes."""
    sizes = sorted({(row["nodes"], row["dims"]) for row in rows})[-BARS:]
    names = sorted({series_name(row, rows) for row in rows}, key=natural)
    steps = series(rows, lambda row: row["dims"], "steps")
    lower = series(share_bounds(rows), lambda row: row["dims"], "lower_bound_steps")
    # What serves none of these sizes, or has no bound, is not in the legend either.
    heights = {name: found for name in names if (found := {
        place: steps[name][dims] / lower[name][dims] for place, (_, dims) in enumerate(sizes)
        if dims in steps.get(name, {}) and lower.get(name, {}).get(dims)})}
    if not heights:
        refuse(f"no row of {collective} among the largest sizes has a lower bound")
    # Bars of other panels would leave no room.
    drawn = [(index, name) for index, name in enumerate(heights) if stands_out(index)]
    width = 0.8 / len(drawn)
    for at, (index, name) in enumerate(drawn):
        axes.bar([place + (at - (len(drawn) - 1) / 2) * width for place in heights[name]],
                 heights[name].values(), width=0.92 * width, color=style(index)["color"], label=name)
    axes.axhline(1, color="#444444", linewidth=1, linestyle="--", label=BOUND)
    axes.set_xticks(range(len(sizes)), [dims for _, dims in sizes])
    axes.set_xlabel("size")
    axes.set_ylabel("steps / lower bound")
    axes.set_title(f"{field_name(collective)}: the algorithms compared")


def read_report(path):
    """The report of gossamer simulate as the only row of a sweep."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            report = json.load(file)
        if report["points"] and report["load_limit"]:
            return report["collective"], [{
                "algorithm": report["algorithm"], "topology": report["topology"],
                "dims": "x".join(map(str, report["dims"])), "options": "{}",
                "packets_per_node": report["packets_per_node"], "report": json.dumps(report)}]
    except OSError as error:
        refuse(f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        pass
    refuse(f"{path}: not the report of a dynamic broadcast")


def draw_delay(axes, collective, rows):
    """Mean delay over load with its confidence interval, the bound of the theory, and the limit of
    stable loads."""
    curves, limits = {}, {}
    for row in rows:
        name = series_name(row, rows)
        if len({other["dims"] for other in rows}) > 1:
            name = f"{row['dims']}, {name}"
        report = json.loads(row["report"])
        limits[name] = report["load_limit"]
        for point in report["points"]:
            known = curves.setdefault(name, {}).setdefault(point["load"], point)
            if known != point:
                refuse(f"{row['dims']} {name}: load {point['load']:g} has different figures in "
                       "different rows")
    # Beyond its limit a system has no mean delay, and nothing bounds it.
    curves = {name: [point for _, point in sorted(points.items()) if point["mean_delay"] is not None]
              for name, points in curves.items()}
    bounds, verticals = {}, {}
    for index, (name, settled) in enumerate(sorted(curves.items())):
        x = [point["load"] for point in settled]
        y = [point["mean_delay"] for point in settled]
        axes.plot(x, y, label=name, **{**style(index), "markersize": 4})
        axes.errorbar(x, y, yerr=[point["delay_ci95"] for point in settled], fmt="none", capsize=2,
                      color=style(index)["color"])
        bound = tuple((point["load"], point["delay_bound"]) for point in settled
                      if point["delay_bound"] is not None)
        if stands_out(index):
            bounds.setdefault(bound, style(index)["color"])
            verticals.setdefault(limits[name], style(index)["color"])
    bounds.pop((), None)
    # One that all have in common belongs to none.
    for bound, color in bounds.items():
        axes.plot(*zip(*bound), linestyle="--", linewidth=1, zorder=1,
                  color=color if len(bounds) > 1 else "#444444")
    for limit, color in verticals.items():
        axes.axvline(limit, linestyle=":", linewidth=1, zorder=1,
                     color=color if len(verticals) > 1 else "#444444")
    if bounds:
        axes.plot([], [], linestyle="--", linewidth=1, color="#444444", label=MEAN_BOUND)
    axes.plot([], [], linestyle=":", linewidth=1, color="#444444", label=LOAD_LIMIT)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("load")
    axes.set_ylabel("mean delay, packet times")
    axes.set_title(f"{field_name(collective)}: delay against load")


def read_areas(path):
    """The routers of bench/rtl_area --json."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            rows = json.load(file)["routers"]
        areas = {}
        for row in rows:
            areas.setdefault(str(row["router"]), {})[int(row["width"])] = (int(row["cells"]),
                                                                          int(row["flops"]))
    except OSError as error:
        refuse(f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        refuse(f"{path}: not the JSON of bench/rtl_area")
    if not areas:
        refuse(f"{path}: no routers")
    return areas


def draw_area(axes, areas):
    """Cells over the width of a flit, flip-flops dashed."""
    for index, (name, points) in enumerate(areas.items()):
        x = sorted(points)
        axes.plot(x, [points[at][0] for at in x], label=name, **style(index))
        axes.plot(x, [points[at][1] for at in x], linestyle="--", linewidth=1,
                  color=style(index)["color"], zorder=1)
    axes.plot([], [], linestyle="--", linewidth=1, color="#444444", label=FLIP_FLOPS)
    log_axes(axes)
    axes.set_xlabel("width of a flit, bits")
    axes.set_ylabel("cells")
    axes.set_title("router area over width")


def read_workload(path):
    """The document of gossamer workload --json."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            workload = json.load(file)
        networks = [("Gossamer", workload)]
        if workload["conventional"]:
            networks.append(("conventional", workload["conventional"]))
        names = [str(row["name"]) for row in workload["collectives"]]
        lanes = []
        for network, times in networks:
            bars = [(run["start_ns"] / 1e9, (run["end_ns"] - run["start_ns"]) / 1e9, str(run["step"]),
                     None if run["collective"] is None else names[run["collective"]])
                    for run in times["timeline"]]
            lanes.append((network, times["total_ns"] / 1e9, times["exposed_ns"] / 1e9, bars))
        title = (f"{workload['workload']} on the {'x'.join(map(str, workload['dims']))} {workload['topology']}, "
                 f"{workload['link_bits']} bits, {matplotlib.ticker.EngFormatter(unit='Hz')(workload['clock_hertz'])}")
        return title, lanes
    except OSError as error:
        refuse(f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError, IndexError):
        refuse(f"{path}: not the JSON of gossamer workload")


def draw_timeline(title, networks):
    """Two lanes for each network: computations, and collectives in a colour each. A bar has the step's name where there
    is room for it."""
    kinds = list(dict.fromkeys(kind for *_, bars in networks for *_, kind in bars if kind))
    height = 0.55 * 2 * len(networks) + 0.35 * len(networks) + 1.1
    figure, axes = pyplot.subplots(figsize=(1.5 * WIDTH, height), layout="constrained")
    end = max(total for _, total, *_ in networks)
    room = 190 / end  # Characters of the smallest letters over the whole width, per second.
    ticks, labels = [], []
    for index, (network, total, exposed, bars) in enumerate(networks):
        for lane, (label, color_of) in enumerate((("compute", None), ("collectives", kinds))):
            y = 2.7 * index + lane
            ticks.append(y)
            labels.append(f"{network}\n{label}")
            for kind in [None] if color_of is None else kinds:
                own = [(start, length, name) for start, length, name, of in bars if of == kind]
                color = "#9a9a9a" if kind is None else COLORS[kinds.index(kind) % len(COLORS)]
                axes.broken_barh([(start, length) for start, length, _ in own], (y - 0.4, 0.8), facecolors=color,
                                 edgecolor="white", linewidth=0.4)
                for start, length, name in own:
                    if len(name) <= room * length:
                        axes.text(start + length / 2, y, name, ha="center", va="center", fontsize=5.5, color="white",
                                  clip_on=True)
        axes.plot([total, total], [2.7 * index - 0.5, 2.7 * index + 1.5], linestyle="--", linewidth=1, color="#222222")
        seconds = matplotlib.ticker.EngFormatter(unit="s", places=2)
        axes.text(total, 2.7 * index - 0.62, f"{seconds(total)}, exposed {seconds(exposed)}",
                  ha="right" if total > 0.4 * end else "left", va="bottom", fontsize=8)
    for kind in kinds:
        axes.bar([0], [0], color=COLORS[kinds.index(kind) % len(COLORS)], label=kind)
    if kinds:
        axes.legend(frameon=False, fontsize=8, ncol=len(kinds), loc="upper center", bbox_to_anchor=(0.5, -0.12))
    axes.set_yticks(ticks, labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.01 * end)
    axes.xaxis.set_major_formatter(matplotlib.ticker.EngFormatter(unit="s"))
    axes.grid(axis="y", visible=False)
    axes.set_title(title, pad=10)
    return figure


def of_one_network(path, heads):
    """The heading that all curves have: collective, topology, sides, bits of a flit, the clock."""
    if len(heads) != 1:
        refuse(f"{path}: one collective on one network is expected, not {len(heads)}")
    return heads.pop()


def read_messages(path, collective):
    """The rows of a sweep with the option bytes, as read_comparisons gives those of comparisons."""
    collective, rows = read_rows(path, "physical", collective, "bytes")
    heads, curves = set(), {}
    for row in rows:
        name = series_name(row, rows, ("load", "faults", "bytes"))
        physical = json.loads(row["report"])["physical"]
        sides = tuple(int(side) for side in row["dims"].split("x"))
        heads.add((collective, row["topology"], sides, row["link_bits"], row["clock_hertz"]))
        points = curves.setdefault(name, {})
        figures = {name: row[name] for name in ("seconds", "picojoules_per_bit")}
        if points.setdefault(row["bytes"], figures)["seconds"] != row["seconds"]:
            refuse(f"{path}: {name}: {row['bytes']} bytes take different times in different rows")
        # A proof may not know how many links are crossed, a run does.
        if figures["picojoules_per_bit"] is not None:
            points[row["bytes"]] = figures
        if physical["lower_bound_cycles"]:
            curves.setdefault(BOUND, {})[row["bytes"]] = {
                "seconds": physical["lower_bound_cycles"] / row["clock_hertz"],
                "picojoules_per_bit": None}
    return of_one_network(path, heads), dict(sorted(curves.items(), key=lambda item: natural(item[0])))


def is_database(path):
    try:
        with open(path, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError as error:
        refuse(f"{path}: {error.strerror}")


def read_comparisons(path, collective):
    """The documents of gossamer compare --bytes --json, one behind the other: the first one's heading,
    and by algorithm and packets {bytes: row}."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read().strip()
        documents = []
        while text:
            document, end = json.JSONDecoder().raw_decode(text)
            documents.append(document)
            text = text[end:].lstrip()
        heads = {(document["collective"], document["topology"], tuple(document["dims"]),
                  document["link_bits"], document["clock_hertz"]) for document in documents}
        curves = {}
        for document in documents:
            for row in document["rows"]:
                if row["cycles"] is None:
                    continue
                packets = row["packets_per_node"]
                name = row["algorithm"] + (f", k = {packets}" if packets else "")
                curves.setdefault(name, {})[document["bytes"]] = row
            if document["lower_bound_cycles"]:
                seconds = document["lower_bound_cycles"] / document["clock_hertz"]
                curves.setdefault(BOUND, {})[document["bytes"]] = {
                    "seconds": seconds, "picojoules_per_bit": None}
    except OSError as error:
        refuse(f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        refuse(f"{path}: not what gossamer compare --bytes --json prints")
    head = of_one_network(path, heads)
    if collective not in ("", head[0]):
        refuse(f"{path}: no rows of {collective}; there is {head[0]}")
    return head, curves


def second_axis(axes):
    """Seconds with engineering units: 500 ns, 20 µs."""
    axes.set_yscale("log", base=10)
    low, high = axes.get_ylim()
    parts = (1, 2, 5) if high < 1000 * low else (1,)
    axes.yaxis.set_major_locator(matplotlib.ticker.LogLocator(base=10, subs=parts))
    axes.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.yaxis.set_major_formatter(matplotlib.ticker.EngFormatter(unit="s"))


def draw_message(axes, path, collective, figure, label):
    """A figure of the rows over the bytes of a message."""
    read = read_messages if is_database(path) else read_comparisons
    (collective, topology, dims, bits, hertz), curves = read(path, collective)
    index = 0
    for name, points in curves.items():
        x = sorted(size for size, row in points.items() if row[figure] is not None)
        if not x:
            continue
        y = [points[size][figure] for size in x]
        if name == BOUND:
            axes.plot(x, y, linestyle="--", linewidth=1, color="#222222", zorder=3, label=name)
            continue
        # The conventional network's curves are dotted.
        line = ":" if name.startswith("wormhole") else "-"
        axes.plot(x, y, linestyle=line, label=name, **{**style(index), "markersize": 4})
        index += 1
    log_axes(axes, x=byte_size)
    if figure == "seconds":
        second_axis(axes)
    axes.set_xlabel("message per node")
    axes.set_ylabel(label)
    axes.set_title(f"{field_name(collective)} on the {'x'.join(map(str, dims))} {topology}, {bits} bits, "
                   f"{matplotlib.ticker.EngFormatter(unit='Hz')(hertz)}")


# Each with the report's figure that rows must have.
KINDS = {"steps": (draw_steps, "steps"), "words": (draw_words, "steps"), "tcd": (draw_tcd, "tcd"),
         "compare": (draw_compare, "steps"), "delay": (draw_delay, "points"),
         "faults": (draw_faults, "steps"), "latency": (draw_latency, "cycles"),
         "stall": (draw_stall, "cycles")}


def add_legend(axes, names):
    """Beside the drawing, so that it hides nothing; of the series only `names`."""
    entries = [(handle, label) for handle, label in zip(*axes.get_legend_handles_labels())
               if label in names or label in NO_SERIES]
    entries.sort(key=lambda entry: entry[1] in NO_SERIES)
    axes.legend(*zip(*entries), frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return len(entries)


def draw_panels(draw):
    """The figure of `draw(axes)`: in one drawing, or in panels with the same axes, one below the other."""
    global panel
    figure, axes = pyplot.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
    draw(axes)
    names = [label for label in axes.get_legend_handles_labels()[1] if label not in NO_SERIES]
    if len(names) <= len(COLORS):
        figure.set_figheight(max(HEIGHT, 0.17 * add_legend(axes, names) + 0.5))
        return figure
    pyplot.close(figure)
    panels = deal(names)
    figure, rows = pyplot.subplots(len(panels), sharex=True, sharey=True, layout="constrained",
                                   figsize=(WIDTH, PANEL_HEIGHT * len(panels)))
    for panel, axes in zip(panels, rows):
        draw(axes)
        add_legend(axes, [names[index] for index in panel])
        # Said once.
        if axes is not rows[0]:
            axes.set_title("")
        if axes is not rows[-1]:
            axes.set_xlabel("")
    return figure


def darken(path):
    """On a dark screen an SVG is light on dark, in the same hues; paper stays white."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("</style>", f" {DARK}</style>", 1))


def main():
    results, kind, output, collective = sys.argv[1:]
    # The same results, the same bytes: no date, no random names.
    matplotlib.rcParams.update({
        "svg.hashsalt": "gossamer", "svg.fonttype": "none", "pdf.fonttype": 42, "font.size": 9,
        "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.2,
    })
    if kind == "area":
        areas = read_areas(results)
        figure = draw_panels(lambda axes: draw_area(axes, areas))
    elif kind == "timeline":
        figure = draw_timeline(*read_workload(results))
    elif kind == "time":
        figure = draw_panels(lambda axes: draw_message(axes, results, collective, "seconds", "time"))
    elif kind == "energy":
        figure = draw_panels(lambda axes: draw_message(axes, results, collective, "picojoules_per_bit",
                                                       "picojoules per delivered bit"))
    else:
        draw, needed = KINDS[kind]
        if kind == "delay" and not is_database(results):
            rows = read_report(results)
        else:
            rows = read_rows(results, needed, collective)
        figure = draw_panels(lambda axes: draw(axes, *rows))
    suffix = os.path.splitext(output)[1]
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": None}[suffix]
    # Whole or not at all.
    try:
        handle, temporary = tempfile.mkstemp(suffix=suffix, dir=os.path.dirname(output) or ".")
    except OSError as error:
        refuse(f"{output}: cannot be written: {error.strerror}")
    os.close(handle)
    try:
        figure.savefig(temporary, metadata=metadata, dpi=200)
        if suffix == ".svg":
            darken(temporary)
        os.chmod(temporary, 0o644)
        os.replace(temporary, output)
    except BaseException:
        os.unlink(temporary)
        raise


main()
