# SPDX-License-Identifier: Apache-2.0
"""Hardwired collective communication for mesh and torus networks-on-chip.

    >>> import gossamer
    >>> plan = gossamer.plan("all-gather", (8, 8))
    >>> gossamer.verify(plan).steps
    32
    >>> run = gossamer.simulate(plan, trace=True)
    >>> run.report.steps, len(run.trace)
    (32, 8192)

Each function takes the arguments of the command with its name. Steps count packets over links. Node n of a torus of
sides nx, ny has x = n % nx and y = n // nx. Port 2 i leads down in dimension i, port 2 i + 1 up. Long work
releases the interpreter's lock, reports its `progress` and ends at Ctrl-C.

Error messages are one line each: InputError for malformed input (exit status 2 on the command line),
InfeasibleError for a request that no plan can satisfy (3). Both are gossamer.Error and ValueError.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence, TypeVar, Union, cast

from . import _core
from ._core import Error, Experiment, InfeasibleError, InputError, Plan, __version__

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Algorithm",
    "Error",
    "Experiment",
    "InfeasibleError",
    "InputError",
    "Plan",
    "Report",
    "Run",
    "__version__",
    "algorithms",
    "collectives",
    "compare",
    "emit",
    "engines",
    "experiment",
    "formats",
    "measure",
    "plan",
    "simulate",
    "verify",
]

#: True: a progress bar by tqdm. A function: called with the name of a phase, the work done and the total (0: unknown).
Progress = Union[bool, Callable[[str, int, int], Any], None]


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _check_names(place: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Rejects an unknown keyword and lists the valid ones."""
    for name in given:
        if name not in known:
            near = _core.did_you_mean(name, list(known))
            raise InputError(f'{place}: there is no argument "{name}"{near}; there is {", ".join(known)}')


def _names(function: Callable[..., Any]) -> list[str]:
    """Keywords of a function, except those in **options."""
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind is not one.VAR_KEYWORD and one.name != "self"]


def _named(function: _Function) -> _Function:
    """Makes a function list the valid keywords in its error about an unknown one."""
    known = _names(function)

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        _check_names(function.__qualname__, named, known)
        return function(*arguments, **named)

    return cast(_Function, checked)


@dataclass(frozen=True)
class Report:
    """The result of a proof or a run; figures that are unknown or do not apply are None.

    `data` is the whole report as `gossamer ... --json` prints it, including figures of broadcasts and queues.
    """

    #: "fast", "systemc", "rtl"; "proof" for `verify`.
    engine: str
    #: Every node has all that the demand requires.
    complete: bool | None
    #: The step at whose end the last node has its last packet.
    steps: int | None
    #: The same by the algorithm's formula; a lower bound for every plan.
    analytic_steps: int | None
    lower_bound_steps: int | None
    #: Clock cycles.
    cycles: int | None
    #: Packets times links crossed.
    link_transfers: int | None
    link_conflicts: int | None
    #: Deliveries of packets that the node already had.
    duplicates: int | None
    #: Longest queue in packets, including the head.
    max_queue: int | None
    #: The method of the proof; None for a run.
    proved_by: str | None
    #: The steps of a run that `max_steps` ended before the demand was met.
    given_up_after: int | None
    #: One line per violated property.
    problems: tuple[str, ...]
    data: dict[str, Any]

    @property
    def ok(self) -> bool:
        """No problem was found, and `max_steps` did not end the run."""
        return not self.problems and self.given_up_after is None


@dataclass(frozen=True)
class Run:
    """A simulation."""

    report: Report
    #: The rows that `--trace` writes, as a sorted structured array with a row for each packet on a link: `step` (elastic
    #: plans: the cycle in which a flit is taken), `hop` (cut-through), `from` (node), `port`, `packet`, `terms`
    #: (contributions, if packets are combined), `flit` (elastic plans), `member` (compositions).
    trace: npt.NDArray[np.void] | None
    #: Number of packets that crossed each link: uint64, node by out-port.
    link_loads: npt.NDArray[np.uint64] | None


@dataclass(frozen=True)
class Algorithm:
    """A row of `gossamer list`."""

    collective: str
    name: str
    summary: str
    guarantee: str
    #: Its options, as keywords of `plan`.
    options: tuple[str, ...]


def _report(made: tuple[str, list[str], int | None]) -> Report:
    data = json.loads(made[0])
    named = {
        key: data.get(key)
        for key in Report.__dataclass_fields__
        if key not in ("given_up_after", "problems", "data")
    }
    return Report(**named, given_up_after=made[2], problems=tuple(made[1]), data=data)


@contextmanager
def _watched(progress: Progress) -> Iterator[Callable[[str, int, int], Any] | None]:
    """The progress function that long work calls."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError("progress=True needs tqdm (pip install tqdm); or pass a function") from None
        with tqdm(leave=False, delay=0.5) as bar:

            def show(phase: str, done: int, total: int) -> None:
                bar.set_description(phase, refresh=False)
                bar.total = total or None
                bar.update(done - bar.n)

            yield show


def _options(options: dict[str, Any]) -> dict[str, bool | int | str]:
    """Keywords in the form of the command line: dashes in names, commas in lists; None means not given."""
    given: dict[str, bool | int | str] = {}
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, (tuple, list)):
            value = ",".join(str(part) for part in value)
        if isinstance(value, float):
            value = str(value)
        if not isinstance(value, (bool, int, str)):
            raise InputError(f"{name}: {value!r} must be a number, text, truth value or list of numbers")
        given[name.replace("_", "-")] = value
    return given


def _check_options(function: Callable[..., Any], collective: str, options: Iterable[str]) -> None:
    """Rejects keywords that no plan has, and lists those of the collective. The core checks the others."""
    everything = {word.replace("-", "_"): is_of_message for word, _, is_of_message in _core.plan_options()}
    name = _core.require_collective(collective)
    own = {word.replace("-", "_") for row in _core.algorithms() if row[0] == name for word in row[4]}
    taken = [word for word, is_of_message in everything.items() if is_of_message or word in own]
    unknown = [word for word in options if word.replace("-", "_") not in everything]
    _check_names(f"{function.__name__} {collective}", unknown, [*_names(function), *taken])


def _dims(dims: Sequence[int] | str) -> list[int]:
    sides: Iterable[Any] = dims.split("x") if isinstance(dims, str) else dims
    try:
        return [int(side) for side in sides]
    except (TypeError, ValueError):
        raise InputError(f"dims: {dims!r} is neither a list of sides nor of the form '16x8'") from None


def _network(
    dims: Sequence[int] | str | None, topology: str | None, topology_file: str | os.PathLike[str] | None
) -> tuple[list[int], str]:
    """Sides and name of the requested network."""
    if topology_file is not None:
        if dims is not None or topology is not None:
            raise InputError("topology_file: cannot be combined with dims or topology")
        name, sides = _core.network_in_file(topology_file)
        return sides, name
    if dims is None:
        raise InputError("dims: missing; give dims or topology_file")
    return _dims(dims), topology or "torus"


def plan(
    collective: str,
    dims: Sequence[int] | str | None = None,
    *,
    topology: str | None = None,
    topology_file: str | os.PathLike[str] | None = None,
    algorithm: str | None = None,
    faults: str = "",
    link_rate: str = "",
    chiplets: str = "",
    die_link_rate: str = "",
    progress: Progress = None,
    **options: Any,
) -> Plan:
    """Plans a collective: the routers' tables and the schedule.

    collective: a name of `collectives()`, "all-gather", "broadcast", ...
    dims: sides, dimension 0 (x) first, each 1..65535: (16, 8) or "16x8".
    topology: "torus" (default), "mesh", or the dimensions that wrap: "wrap-x", "wrap-x,z".
    topology_file: a mesh graph descriptor (textproto) instead of dims and topology.
    algorithm: a name of `algorithms()`; None: the collective's default on the topology.
    faults: dead parts, separated by blanks: "link:3,4:x+", "arc:3,4:x-", "node:2,2", "core:5,5",
      "harvest:x=3", or "random:LINKS:SEED".
    link_rate, chiplets, die_link_rate: links that are not equally fast: "x=1,y=1/4", "4x4", "1/4".
    options: the options of the algorithm, as on the command line with `_` for `-`: packets=2, source=(2, 5); and the
      message of a node: bytes="64KiB", link_bits=128, clock="1GHz", link_latency, energy. Reports then have time,
      throughput and energy in data["physical"].

    Raises InputError for unknown or out-of-range arguments, InfeasibleError if the algorithm does not support the
    topology; the message names the nearest one that it supports.
    """
    _check_options(plan, collective, options)
    sides, network = _network(dims, topology, topology_file)
    rates = {"link-rate": link_rate, "chiplets": chiplets, "die-link-rate": die_link_rate}
    given = _options(options)
    if "=" in str(given.get("link-bits", "")):
        rates["link-bits"] = str(given.pop("link-bits"))
    with _watched(progress) as watch:
        return _core.make_plan(collective, sides, network, faults, algorithm or "", given, watch, rates)


def experiment(
    collective: str,
    dims: Sequence[int] | str | None = None,
    *,
    topology: str | None = None,
    topology_file: str | os.PathLike[str] | None = None,
    faults: str = "",
    **options: Any,
) -> Experiment:
    """An experiment, which is not a plan and is measured over many runs: dynamic broadcast, with packets at random
    times.

    Networks, faults, options and errors are as for `plan`: load=(0.2, 0.5), broadcasts=1000, interval="exact".
    """
    _check_options(experiment, collective, options)
    sides, network = _network(dims, topology, topology_file)
    return _core.make_experiment(collective, sides, network, faults, _options(options))


@_named
def measure(
    experiment: Experiment, *, engine: str = "fast", execute: bool = False, progress: Progress = None
) -> Report:
    """Runs all loads of an experiment; `report.data["points"]` has delays, waiting and utilization per load.

    engine: `systemc` and `rtl` execute the broadcast of every interval; `fast` computes the intervals' lengths with
      formulas, unless `execute` is true.
    """
    with _watched(progress) as watch:
        return _report(_core.measure(experiment, engine, execute, watch))


@_named
def verify(plan: Plan | Experiment, *, progress: Progress = None) -> Report:
    """Proves a plan from its tables, or finds its errors: `problems` of the report. For an experiment, proves the
    results of its formulas."""
    with _watched(progress) as watch:
        return _report(_core.prove(plan, watch))


@_named
def simulate(
    plan: Plan,
    *,
    engine: str = "fast",
    trace: bool = False,
    link_loads: bool = False,
    fold: bool = False,
    max_steps: int | None = None,
    scoreboard: bool | None = None,
    wave: str | os.PathLike[str] | None = None,
    stall: str = "",
    progress: Progress = None,
) -> Run:
    """Runs a plan and judges the contents of its links.

    engine: a name of `plan.engines`. `systemc` and `rtl` have one simulation kernel per process: their
      runs in several threads wait for each other.
    trace: keep every packet on every link, 40 bytes each.
    link_loads: count the packets of each link.
    fold: run a torus plan on the mesh of the same sides, with two mesh steps per torus step.
    max_steps: end the run after this number of steps. None: a limit beyond every correct plan.
    scoreboard: track and judge the packets of every node. None: if that takes at most 2 GiB.
    wave: a VCD file for the waves, its name ending in .vcd (`systemc`, `rtl`).
    stall: elastic plans: the stalls of nodes and links, "random:SEED:S,M,V" or a file (docs/algorithms/elastic.md).

    The arrays are the simulator's own memory, not copies. Raises InputError for an engine that does not
    run the plan, and the errors of `plan`.
    """
    with _watched(progress) as watch:
        report, rows, loads = _core.simulate(
            plan, engine, trace, link_loads, fold, max_steps, scoreboard, os.fspath(wave or ""), stall, watch
        )
    return Run(_report(report), rows, loads)


@_named
def emit(
    plan: Plan,
    format: str,
    directory: str | os.PathLike[str],
    *,
    name: str = "",
    chunk_bytes: int | None = None,
    ring: int | None = None,
    progress: Progress = None,
) -> list[Path]:
    """Writes a plan's tables and RTL as files for other tools and returns their paths.

    format: a name of `formats()`, "sv" for SystemVerilog.
    name: a prefix instead of "gsm" for all modules and files that depend on the plan.
    chunk_bytes: the size of a packet (`chakra-et`); None: that of the plan's `bytes`, or 65536.
    ring: nodes of each ring (`ranks`); None: the edge-disjoint Hamiltonian cycles.

    Raises InputError for a plan that `verify` refuses or that the format does not support.
    """
    with _watched(progress) as watch:
        return [Path(path) for path in _core.emit(plan, format, directory, name, chunk_bytes, ring, watch)]


def _node(source: Sequence[int] | None, sides: Sequence[int]) -> int:
    """The number of the node with these coordinates; default: the origin."""
    at = source or [0] * len(sides)
    if len(at) != len(sides) or not all(0 <= x < side for x, side in zip(at, sides)):
        raise InputError(f"source: {source!r} is no node of {'x'.join(map(str, sides))}")
    node = 0
    for x, side in reversed(list(zip(at, sides))):
        node = node * side + x
    return node


#: Options of `compare` for a message of a given size, and for the conventional network.
_MESSAGE = ("link_bits", "clock", "energy", "link_latency")
_WORMHOLE = ("vcs", "buffer", "payload", "message_cycles")
#: Options of each collective.
_COMPARED = {
    "gossip": ("startups", "engine", "bytes"),
    "broadcast": ("source", "flits", "hop_cycles", "relay_cycles", "engine", "bytes"),
    "reduce-scatter": ("words", "packets", "bytes"),
    "all-reduce": ("words", "packets", "bytes"),
    "reduce": ("words", "source", "bytes"),
    "all-to-all": ("bytes",),
}


def compare(
    collective: str,
    dims: Sequence[int] | str | None = None,
    *,
    topology: str | None = None,
    topology_file: str | os.PathLike[str] | None = None,
    algorithms: str | Iterable[str] = (),
    algorithm: str | Iterable[str] = (),
    progress: Progress = None,
    **options: Any,
) -> dict[str, Any]:
    """Compares a collective's algorithms: the object that `gossamer compare ... --json` prints.

    all-gather: startups=(0.1,), engine=None. broadcast: source=(x, y), flits=1, hop_cycles=1,
    relay_cycles=0, engine="fast". reduce-scatter, all-reduce: words or packets; reduce: words, source.
    These and all-to-all with bytes="64KiB": the same bytes for all, including the conventional network; link_bits=32,
    clock="1GHz", energy, link_latency, vcs=4, buffer=8, payload, message_cycles, source, plans_only=False (True: without
    the conventional network).
    topology, topology_file: as for `plan`.
    algorithms or algorithm: one name or several; default: all.
    """
    own = _COMPARED.get(_core.require_collective(collective))
    if own is None:
        raise InputError(f'compare: "{collective}" cannot be compared; there is {", ".join(["all-gather", *_COMPARED])}')
    if "bytes" in options:
        own = ("bytes", *_MESSAGE, *_WORMHOLE, "plans_only", *(name for name in own if name == "source"))
    _check_names(f"compare {collective}", options, [*_names(compare), *own])
    sides, network = _network(dims, topology, topology_file)
    chosen = [name for given in (algorithms, algorithm) for name in ([given] if isinstance(given, str) else given)]

    with _watched(progress) as watch:
        if "bytes" in options:
            message = {name: options[name] for name in ("bytes", *_MESSAGE) if name in options}
            node = _node(options.get("source"), sides)
            wormhole = {name: options[name] for name in _WORMHOLE if name in options}
            for name, value in wormhole.items():
                if not isinstance(value, int) or not 0 <= value < 1 << 32:
                    raise InputError(f"{name}: {value!r} must be a number from 0 to {(1 << 32) - 1}")
            text = _core.compare_bytes(
                collective,
                network,
                sides,
                chosen,
                node,
                _options(message),
                None if options.get("plans_only", False) else wormhole,
                watch,
            )
        elif collective in ("gossip", "all-gather"):
            startups = [float(r) for r in options.get("startups", (0.1,))]
            text = _core.compare_all_gather(network, sides, chosen, startups, options.get("engine") or "", watch)
        elif collective == "broadcast":
            text = _core.compare_broadcasts(
                network,
                sides,
                chosen,
                _node(options.get("source"), sides),
                options.get("flits", 1),
                options.get("hop_cycles", 1),
                options.get("relay_cycles", 0),
                options.get("engine", "fast"),
                watch,
            )
        elif collective == "all-to-all":
            raise InputError("bytes: compare all-to-all requires the bytes of a node's message")
        else:
            text = _core.compare_reductions(collective, network, sides, chosen, _options(options))
    compared: dict[str, Any] = json.loads(text)
    return compared


@_named
def algorithms(collective: str | None = None) -> list[Algorithm]:
    """All planners, or those of one collective. The first one that supports a topology is the default."""
    names = {field: name for name, field, _ in _core.collectives() if field}
    wanted = names.get(collective or "", collective)
    return [
        Algorithm(of, name, summary, guarantee, tuple(o.replace("-", "_") for o in options))
        for of, name, summary, guarantee, options, plans in _core.algorithms()
        if plans and wanted in (None, of)
    ]


def collectives() -> dict[str, str]:
    """Names in the field's terms, and the effect of each collective."""
    return {field or name: summary for name, field, summary in _core.collectives()}


def engines() -> dict[str, str]:
    """Names, and what each engine simulates."""
    return dict(_core.engines())


def formats() -> dict[str, str]:
    """Names, and what `emit` writes in each format."""
    return dict(_core.formats())


def _plan_text(plan: Plan) -> str:
    sides = "x".join(map(str, plan.dims))
    return f"<gossamer.Plan {plan.collective} {plan.topology} {sides}, {plan.algorithm}, {plan.hash}>"


Plan.__repr__ = _plan_text  # type: ignore[assignment]
