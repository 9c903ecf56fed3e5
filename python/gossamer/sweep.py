# SPDX-License-Identifier: Apache-2.0
"""gossamer sweep: measures many requests with dask.distributed, on this machine's cores or on a cluster.

    python -m gossamer.sweep SPEC -o RESULTS [--export FILE] [--json] [-j N | --scheduler ADDRESS]

docs/sweep.md explains the description and the results. A job is a request for one version of the package, as a line
of JSON. This line is the key of the job's row, so a sweep that is started again measures jobs without a row only.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import fcntl
import functools
import io
import itertools
import json
import logging
import math
import os
import re
import signal
import sqlite3
import sys
import tempfile
import time
import warnings
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterator, NoReturn, Sequence

import yaml
from tqdm import tqdm

import gossamer
from gossamer import Experiment, InfeasibleError, InputError, __version__, _core
from gossamer._results import connect, open_to_read

#: The largest number of jobs of one description.
MAX_JOBS = 1_000_000


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# ---- The description -------------------------------------------------------------------------------------------------

KEYS = ("collective", "topology", "dims", "topology-file", "algorithm", "engine", "options", "stall", "faults", "files")
FILE_KEYS = ("files", "topology", "dims", "topology-file", "engine")


class Description:
    """Reads a description into `jobs`, each once, in the order of the file. InputError names file, line and cause."""

    def __init__(self, path: str, max_jobs: int = MAX_JOBS):
        self.path, self.max_jobs = path, max_jobs
        self.jobs: dict[str, None] = {}
        # Jobs that occur twice count twice: a short file can have a great many of them.
        self.combinations = 0
        try:
            document = Path(path).read_bytes()
            self.read(yaml.compose(document, yaml.SafeLoader))
        except OSError:
            raise InputError(f"{path}: cannot be read") from None
        except yaml.reader.ReaderError as error:
            self.refuse(document.count(b"\n", 0, error.position), error.reason)
        except yaml.MarkedYAMLError as error:
            self.refuse(error.problem_mark.line, ", ".join(filter(None, (error.context, error.problem))))
        except RecursionError:
            self.refuse(0, "the file is nested too deeply")

    def refuse(self, at: Any, cause: object) -> NoReturn:
        """`at`: a node, or the number of a line from 0."""
        raise InputError(f"{self.path}: line {1 + (at if isinstance(at, int) else at.start_mark.line)}: {cause}")

    def check_word(self, node: Any, word: str, known: Sequence[str], complaint: str) -> None:
        if word not in known:
            self.refuse(node, f'{complaint}{_core.did_you_mean(word, known)}; there is {", ".join(known)}')

    def fields(self, node: Any, known: Sequence[str] = ()) -> dict[str, Any]:
        """The values of a mapping by key."""
        if node.id != "mapping":
            self.refuse(node, "a mapping of keys to values is expected")
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = self.text(key)
            self.check_word(key, name, known or [name], f'unknown key "{name}"')
            if name in found:
                self.refuse(key, f'the key "{name}" is given twice')
            found[name] = value
        return found

    def text(self, node: Any) -> str:
        if node.id != "scalar" or node.tag == "tag:yaml.org,2002:null":
            self.refuse(node, "a single value is expected")
        try:
            node.value.encode()
        except UnicodeEncodeError:
            self.refuse(node, "a value that is not UTF-8")
        return str(node.value)

    def items(self, node: Any) -> list[Any]:
        """The items of a list; anything else is a list of itself."""
        if node.id != "sequence":
            return [node]
        if not node.value:
            self.refuse(node, "the list is empty")
        return list(node.value)

    def texts(self, run: dict[str, Any], key: str, otherwise: str) -> list[str]:
        return [self.text(item) for item in self.items(run[key])] if key in run else [otherwise]

    def checked(self, node: Any, check: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function. Its InputError gets the place of the node."""
        try:
            return check(*arguments)
        except InputError as error:
            self.refuse(node, error)

    def read(self, root: Any) -> None:
        if root is None:
            self.refuse(0, "a mapping of keys to values is expected")
        runs = self.fields(root, ["runs"]).get("runs")
        if runs is None or runs.id != "sequence":
            self.refuse(root, "a list `runs` is expected")
        if not runs.value:
            self.refuse(runs, "the list `runs` is empty: there is nothing to measure")
        for node in runs.value:
            self.read_run(node)

    def read_run(self, node: Any) -> None:
        run = self.fields(node, KEYS)
        # Collective, algorithm, and fields that only this kind of job has.
        subjects: list[tuple[str, str, dict[str, str]]]
        if "files" in run:
            self.fields(node, FILE_KEYS)
            files = [(self.text(item), item) for item in self.items(run["files"])]
            hashes = [self.checked(item, _core.schedule_hash, file) for file, item in files]
            subjects = [("", "imported", {"file": file, "file_hash": h}) for (file, _), h in zip(files, hashes)]
        elif "collective" in run:
            pairs = itertools.product(self.texts(run, "collective", ""), self.texts(run, "algorithm", "default"))
            subjects = [(collective, algorithm, {}) for collective, algorithm in pairs]
        else:
            self.refuse(node, "`collective` is missing")
        engines = self.texts(run, "engine", "proof")
        for name in engines:
            self.check_word(run.get("engine"), name, ["proof", *gossamer.engines()], f'engine "{name}" is unknown')
        networks = self.networks(node, run)
        options = self.options(run)
        stalls = self.texts(run, "stall", "none")
        faults = self.texts(run, "faults", "none")

        # Counted before the jobs are listed.
        choices: list[Sequence[Any]] = [networks, engines, stalls, faults, *options.values()]
        self.combinations += math.prod(map(len, choices), start=len(subjects))
        if self.combinations > self.max_jobs:
            self.refuse(node, f"more than {self.max_jobs} jobs")
        for collective, algorithm, own in subjects:
            if "files" not in run:
                collective = self.checked(run["collective"], _core.require_collective, collective)
                self.check_algorithm(node, run, collective, algorithm, options)
            for (topology, dims), engine, stall, fault, *values in itertools.product(*choices):
                request = {
                    "gossamer": __version__,
                    "collective": collective,
                    "topology": topology,
                    "dims": dims,
                    "algorithm": "" if algorithm == "default" else algorithm,
                    # A flag that is not set is an option that was not given.
                    "options": {name: value for name, value in zip(options, values) if value is not False},
                    "engine": engine,
                    **{key: value for key, value in (("stall", stall), ("faults", fault)) if value != "none"},
                    **own,
                }
                self.jobs[compact(request)] = None

    def networks(self, node: Any, run: dict[str, Any]) -> list[tuple[str, list[int]]]:
        """Every `topology` with all `dims`, or the networks in the mesh graph descriptors."""
        if "topology-file" in run:
            files = run["topology-file"]
            if "dims" in run or "topology" in run:
                self.refuse(files, "`topology-file` cannot be combined with `dims` or `topology`")
            return [self.checked(item, _core.network_in_file, self.text(item)) for item in self.items(files)]
        if "dims" not in run:
            self.refuse(node, "`dims` is missing; give `dims` or `topology-file`")
        given = self.items(run["dims"])
        if len(given) > 1 and all(item.id == "scalar" and "x" not in item.value for item in given):
            numbers = [self.text(item) for item in given]
            cause = f"The sides are {'x'.join(numbers)}, the rings [[{'], ['.join(numbers)}]]"
            self.refuse(run["dims"], f"the sides of one network, or rings? {cause}")
        sizes = [size for item in given for size in self.sizes(item)]
        networks = []
        for topology in self.texts(run, "topology", "torus"):
            # Impossible sides give results like all others; an unknown topology is an error.
            for dimensions in {len(dims) for dims in sizes}:
                self.checked(run.get("topology", node), _core.require_topology, topology, dimensions)
            networks += [(topology, dims) for dims in sizes]
        return networks

    def sizes(self, item: Any) -> list[list[int]]:
        """The sides of an item of `dims`: 8x8, [8, 8], or {dimensions: 2, from: 4, to: 32, by: 4}."""
        if item.id != "mapping":
            text = "x".join(self.text(side) for side in self.items(item))
            if not re.fullmatch("[0-9]{1,9}(x[0-9]{1,9})*", text):
                self.refuse(item, f'--dims: "{text}" is not of the form 16x8')
            return [[int(side) for side in text.split("x")]]
        fields = self.fields(item, ("dimensions", "from", "to", "by"))

        def number(key: str) -> int:
            text = self.text(fields[key]) if key in fields else ""
            if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
                self.refuse(fields.get(key, item), f"`{key}`: a number in 1..65535 is expected")
            return int(text)

        dimensions, first, last = number("dimensions"), number("from"), number("to")
        if dimensions > 8:
            self.refuse(item, "`dimensions`: at most 8")
        if first > last:
            self.refuse(item, f"the range is empty: `from` {first} is above `to` {last}")
        return [[side] * dimensions for side in range(first, last + 1, number("by") if "by" in fields else 1)]

    def options(self, run: dict[str, Any]) -> dict[str, list[Any]]:
        """The values of each option, by name in alphabetical order."""
        if "options" not in run:
            return {}
        if run["options"].id != "mapping":
            self.refuse(run["options"], "option names with values are expected")
        kinds = {name: kind for name, kind, _ in _core.plan_options()}
        found = {}
        for name, values in sorted(self.fields(run["options"]).items()):
            if name not in kinds:
                key = next(key for key, _ in run["options"].value if key.value == name)
                self.refuse(key, f'option "{name}" is unknown{_core.did_you_mean(name, list(kinds))}')
            found[name] = [self.value(name, kinds[name], item) for item in self.items(values)]
        return found

    def value(self, name: str, kind: str, item: Any) -> bool | int | str:
        text = self.text(item)
        if kind == "flag":
            if text not in ("true", "false"):
                self.refuse(item, f"option {name}: true or false is expected")
            return text == "true"
        if kind == "text":
            return text
        if not re.fullmatch("-?[0-9]{1,20}", text) or not -(1 << 63) <= int(text) < 1 << 63:
            self.refuse(item, f'--{name}: "{text}" is not a whole number')
        return int(text)

    def check_algorithm(
        self, node: Any, run: dict[str, Any], collective: str, name: str, options: dict[str, Any]
    ) -> None:
        """Checks that the algorithm exists and has the options. The default is any algorithm that has them."""
        takes = {algorithm: options for of, algorithm, _, _, options, _ in _core.algorithms() if of == collective}
        if name != "default" and name not in takes:
            near = _core.did_you_mean(name, list(takes))
            self.refuse(node, f'there is no {collective} algorithm "{name}"{near}; gossamer list shows the existing ones')
        taken = sorted({option for one in (takes if name == "default" else [name]) for option in takes[one]})
        everywhere = [option for option, _, is_of_message in _core.plan_options() if is_of_message]
        for option in options:
            if option not in taken and option not in everywhere:
                near = _core.did_you_mean(option, taken)
                self.refuse(run["options"], f'{collective} algorithm "{name}" takes no option {option}{near}')


# ---- Measuring, in a worker's process --------------------------------------------------------------------------------

#: Status, message, the plan's hash, and the report as JSON. A str instead is an error that gives no result.
Outcome = tuple[str, str, str, str]


def measure(job: dict[str, Any]) -> Outcome:
    """Plans, and runs the plan on the job's engine or proves it."""
    engine, stall = job["engine"], job.get("stall", "")
    if "file" in job:
        if _core.schedule_hash(job["file"]) != job["file_hash"]:
            raise InputError(f"{job['file']}: is not the file that the description was read with")
        plan, status, message = _core.convert_schedule(job["file"], job["dims"], job["topology"])
        if plan is None:
            return status, message, "", ""
        made: gossamer.Plan | Experiment = plan
    else:
        network = {"topology": job["topology"], "faults": job.get("faults", "")}
        if job["collective"] == "dynamic-broadcast":
            made = gossamer.experiment(job["collective"], job["dims"], **network, **job["options"])
        else:
            made = gossamer.plan(
                job["collective"], job["dims"], algorithm=job["algorithm"], **network, **job["options"]
            )
    if stall and (engine == "proof" or not job["options"].get("elastic")):
        raise InputError("stall: only elastic plans stall, and only on an engine")
    if engine == "proof":
        report = gossamer.verify(made)
    elif isinstance(made, Experiment):
        report = gossamer.measure(made, engine=engine)
    else:
        report = gossamer.simulate(made, engine=engine, stall=stall).report
    status = "failed" if report.problems else "done"
    return status, "; ".join(report.problems), made.hash, compact(report.data)


@functools.cache
def machine() -> tuple[str, str]:
    """This machine's name and description."""
    processors = re.findall("^model name\t*: (.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    system = os.uname()
    what = f"{system.sysname} {system.machine}, {(processors or ['unknown processor'])[0]}, {os.cpu_count()} cores"
    return system.nodename, what


def measure_some(jobs: list[str]) -> tuple[tuple[str, str], list[Outcome | str]]:
    """Measures jobs in order until a tenth of a second has passed: the first ones, so that small jobs cost one message
    for many. An InputError means that this process cannot measure these jobs at all."""
    start = time.monotonic()
    outcomes: list[Outcome | str] = []
    for key in jobs:
        job = json.loads(key)
        if job["gossamer"] != __version__:
            versions = f"gossamer {__version__}, the sweep {job['gossamer']}"
            raise InputError(f"sweep: the worker on {machine()[0]} has {versions}")
        try:
            outcomes.append(measure(job))
        except InfeasibleError as error:
            outcomes.append(("infeasible", str(error), "", ""))
        except InputError as error:
            outcomes.append(("refused", str(error), "", ""))
        except Exception as error:
            outcomes.append(f"{type(error).__name__}: {error}")
        if time.monotonic() - start > 0.1:
            break
    return machine(), outcomes


# ---- The results -----------------------------------------------------------------------------------------------------

#: "gsmS" distinguishes these files from other SQLite files.
APPLICATION_ID, FORMAT = 0x67736D53, 3
TEXTS = "collective topology dims algorithm options engine status message gossamer plan_hash host machine".split()
#: Figures of the report, by its names.
FIGURES = """nodes packets packets_per_node complete steps analytic_steps lower_bound_steps bound_steps cycles
    analytic_cycles time_units link_transfers link_conflicts duplicates max_queue tcd load mean_delay delay_ci95
    delay_bound stable wall_seconds router_cycles_per_second""".split()
#: Figures of its `physical` part, in rows for a message of a given number of bytes.
PHYSICAL = """bytes link_bits clock_hertz seconds node_bytes_per_second bytes_per_second link_utilization
    fraction_of_bound picojoules_per_bit""".split()
ORDER = "FROM results ORDER BY collective, topology, length(dims), dims, algorithm, options, engine, job"


def row(key: str, outcome: Outcome, host: tuple[str, str]) -> dict[str, Any]:
    """A job's row. Figures are the numbers of the report, others are null."""
    job, report = json.loads(key), json.loads(outcome[3] or "{}")
    options = job["options"] | {name: job[name] for name in ("stall", "faults", "file") if name in job}
    physical = report.get("physical") or {}
    figures = {name: report.get(name) for name in FIGURES} | {name: physical.get(name) for name in PHYSICAL}
    figures["picojoules_per_bit"] = (physical.get("energy") or {}).get("picojoules_per_bit")
    figures["seed"] = job["options"].get("seed")
    return {
        **{name: value if isinstance(value, (int, float)) else None for name, value in figures.items()},
        **{name: job[name] for name in ("topology", "engine", "gossamer")},
        # The report names the chosen algorithm when the request leaves it open.
        **{name: report.get(name, job[name]) for name in ("collective", "algorithm")},
        **dict(zip(("status", "message", "plan_hash", "report"), outcome)),
        **{"job": key, "dims": "x".join(map(str, job["dims"])), "options": compact(options)},
        **dict(zip(("host", "machine"), host)),
    }


class Results:
    """The SQLite file. A chunk of rows is one transaction and on the disk when keep() returns."""

    def __init__(self, path: str, measuring: bool):
        """Opens the file to read it, or with `measuring` for this sweep only, and creates it if it is missing."""
        self.path = path
        self.claimed = self.claim() if measuring else None
        self.database = connect(path, "mode=rw") if measuring else open_to_read(path)
        if measuring and not self.one("SELECT count(*) FROM sqlite_master"):
            self.create()
        # Empty: a sweep was killed before it made the table.
        self.is_empty = not self.one("SELECT count(*) FROM sqlite_master")
        kind = self.one("PRAGMA application_id"), self.one("PRAGMA user_version")
        if not self.is_empty and kind != (APPLICATION_ID, FORMAT):
            raise InputError(f"{path}: no results of gossamer sweep, or of another version")
        if measuring:
            # A commit is one append to the log, and a torn one is discarded when the file is opened again.
            self.database.execute("PRAGMA journal_mode = WAL")
            self.database.execute("PRAGMA synchronous = FULL")

    def claim(self) -> BinaryIO:
        """Keeps other sweeps out until this process ends in any way. SQLite does not use this kind of lock."""
        try:
            file = open(self.path, "ab")
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from None
        # The workers of a sweep that was killed hold it for a moment.
        for _ in range(20):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return file
            except BlockingIOError:
                time.sleep(0.05)
        raise InputError(f"{self.path}: another sweep is measuring into it; wait for its end, or give -o another file")

    def create(self) -> None:
        columns = ["job TEXT PRIMARY KEY", *(f"{name} TEXT" for name in TEXTS), "seed INTEGER"]
        columns += [f"{name} NUMERIC" for name in FIGURES + PHYSICAL] + ["report TEXT"]
        self.database.executescript(
            f"BEGIN IMMEDIATE; CREATE TABLE results ({', '.join(columns)}) WITHOUT ROWID;"
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT"
        )

    def close(self) -> None:
        self.database.close()
        if self.claimed:
            self.claimed.close()

    def one(self, sql: str) -> Any:
        return self.database.execute(sql).fetchone()[0]

    def statuses(self) -> dict[str, str]:
        return dict(self.database.execute("SELECT job, status FROM results"))

    def keep(self, rows: list[dict[str, Any]]) -> None:
        """Adds rows. Existing rows stay unchanged."""
        if not rows:
            return
        names = list(rows[0])
        self.database.execute("BEGIN IMMEDIATE")
        self.database.executemany(
            f"INSERT OR IGNORE INTO results ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})",
            rows,
        )
        self.database.execute("COMMIT")

    def select(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """All rows, in an order that depends only on their jobs. Numbers are texts, as SQLite writes them."""
        texts = ", ".join(f"CAST({name} AS TEXT)" for name in columns)
        return iter(()) if self.is_empty else self.database.execute(f"SELECT {texts} {ORDER}")

    def to_csv(self) -> str:
        columns = [*TEXTS, *FIGURES, *PHYSICAL, "seed"]
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(itertools.chain([columns], self.select(columns)))
        return out.getvalue()

    def to_json(self) -> str:
        columns = ["job", "status", "message", "plan_hash", "host", "machine", "seed", "report"]
        lines = []
        for job, *texts, seed, report in self.select(columns):
            values = [json.loads(job), *texts, seed and int(seed), json.loads(report or "null")]
            lines.append(compact(dict(zip(["request", *columns[1:]], values))))
        return "[\n" + ",\n".join(lines) + "\n]\n"


# ---- Workers ---------------------------------------------------------------------------------------------------------


class Workers:
    """The workers of dask.distributed: a process per core of this machine, or those of a scheduler. The scheduler
    repeats the work of a lost worker elsewhere."""

    def __init__(self, address: str, count: int):
        try:
            import dask
            import distributed
        except ImportError as missing:
            cure = "apt install python3-distributed, or pip install gossamer-noc[sweep]"
            raise InputError(f"sweep: {missing}; {cure}") from None
        # Errors are reported in one line.
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        self.cluster: Any = None
        if not address:
            # Forked processes share the modules of this one: a fifth of a second instead of two. Jobs of a worker that
            # dies are repeated by measure_all(), alone.
            dask.config.set(
                {"distributed.worker.multiprocessing-method": "fork", "distributed.scheduler.allowed-failures": 0}
            )
            self.cluster = distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",
                local_directory=os.path.join(tempfile.gettempdir(), f"gossamer-sweep-{os.getuid()}"),
                preload=["gossamer.sweep"],
            )
        try:
            self.client = distributed.Client(self.cluster or address)
        except (OSError, ValueError) as error:
            raise InputError(f"--scheduler {address}: {error}") from None
        self.pool = self.client.get_executor(pure=False)
        self.threads, self.asked = 0, -math.inf

    def slots(self) -> int:
        # Workers come and go.
        if time.monotonic() - self.asked > 1:
            self.threads, self.asked = sum(self.client.nthreads().values()), time.monotonic()
        return max(2 * self.threads, 1)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = self.pool.submit(function, *arguments)
        return future

    def close(self) -> None:
        """Called when all jobs have ended. Otherwise the end of this process ends its workers at once."""
        self.client.close()
        if self.cluster:
            self.cluster.close()


def dask_setup(_: Any) -> None:
    """Prepares a worker on this machine (dask calls this): it ends with the sweep, even one that is killed, and leaves
    the terminal's signals to it."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def measure_all(
    jobs: list[str], workers: Workers, results: Results, stop: list[int], advance: Callable[[int], Any]
) -> int:
    """Measures all jobs, unless asked to stop, and returns how many of them ended without a result."""
    waiting, suspects, lost = deque(jobs), deque[str](), 0
    running: dict[Future[Any], list[str]] = {}
    # Jobs per call: twice as many as the last call finished.
    size = 1
    alone: Future[Any] | None = None

    def submit(chunk: list[str]) -> Future[Any]:
        future = workers.submit(measure_some, chunk)
        running[future] = chunk
        return future

    while (waiting or suspects or running) and not stop:
        while waiting and len(running) < workers.slots():
            submit([waiting.popleft() for _ in range(min(size, len(waiting)))])
        # Jobs of workers that died come last and alone, since any of them may be the cause.
        if not running:
            alone = submit([suspects.popleft()])
        for future in wait(running, timeout=0.2, return_when=FIRST_COMPLETED).done:
            chunk = running.pop(future)
            try:
                host, outcomes = future.result()
            except InputError:
                raise
            except ImportError as error:
                raise InputError(f"sweep: a worker cannot import gossamer: {error}") from None
            except CancelledError:
                raise InputError("sweep: the scheduler is gone; start again to go on") from None
            except Exception as error:
                if future is not alone:
                    suspects.extend(chunk)
                    continue
                host, outcomes = ("", ""), [f"its worker failed, {type(error).__name__}"]
            measured = list(zip(chunk, outcomes))
            results.keep([row(key, outcome, host) for key, outcome in measured if not isinstance(outcome, str)])
            for key, outcome in measured:
                if isinstance(outcome, str):
                    lost += 1
                    complain(f"no result, {outcome}: {key}")
            waiting.extendleft(reversed(chunk[len(outcomes) :]))
            size = min(2 * len(outcomes), 64)
            advance(len(outcomes))
    return lost


# ---- The command -----------------------------------------------------------------------------------------------------


def complain(cause: object) -> None:
    """Prints one line, even if a file or a name has control characters."""
    print("gossamer:", re.sub("[\x00-\x1f\x7f]", " ", str(cause)), file=sys.stderr)


def write(path: str, text: str) -> None:
    """Writes all of a file or nothing; - is standard output."""
    if path == "-":
        # A reader that closes the pipe ends this process, as with other programs.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    _core.write_file(path, text)


def sweep(jobs: list[str], workers: Workers, results: Results) -> tuple[int, dict[str, int]]:
    """Measures the missing jobs; returns the exit status and all results."""
    there = results.statuses()
    missing = [key for key in jobs if key not in there]
    # Signals end the work between two steps.
    stop: list[int] = []
    on_signals(lambda number, _: stop.append(number))
    # No monitor thread: processes are forked later.
    tqdm.monitor_interval = 0
    with tqdm(desc="sweep", total=len(missing), leave=False, disable=None) as bar:
        lost = measure_all(missing, workers, results, stop, bar.update)
    on_signals(stop_at_once)
    there = results.statuses()
    counts = Counter(there[key] for key in jobs if key in there)
    if stop:
        complain(f"sweep: stopped, {counts.total()} of {len(jobs)} jobs have a row; start again to go on")
        raise Stopped(stop[0])
    summary = {
        "jobs": len(jobs),
        "  measured before": len(jobs) - len(missing),
        "  measured now": len(missing) - lost,
        "  without a result": lost,
        **{status: counts[status] for status in ("done", "failed", "infeasible", "refused")},
    }
    return 1 if lost or counts["failed"] else 0, summary


def run(arguments: argparse.Namespace) -> int:
    if not arguments.spec and not arguments.export:
        raise InputError("sweep: give a SPEC to run, or --export to write the existing results")
    if arguments.json and arguments.export == "-":
        raise InputError("--export and --json: only one of them can use standard output")
    if arguments.scheduler and arguments.jobs:
        raise InputError("--jobs and --scheduler: a scheduler's workers say how many jobs run at the same time")
    status, summary = 0, dict[str, int]()
    with ExitStack() as stack:
        if arguments.spec:
            # Before the results are opened: a wrong description or scheduler leaves no file behind.
            jobs = list(Description(arguments.spec).jobs)
            workers = Workers(arguments.scheduler, min(arguments.jobs or os.cpu_count() or 1, len(jobs)))
        results = Results(arguments.output, measuring=bool(arguments.spec))
        stack.callback(results.close)
        if arguments.spec:
            status, summary = sweep(jobs, workers, results)
            workers.close()
        if arguments.export:
            write(arguments.export, results.to_json() if arguments.export.endswith(".json") else results.to_csv())
    if arguments.json:
        counts = {name.strip().replace(" ", "_"): number for name, number in summary.items()}
        document = {**counts, "results": arguments.output, "export": arguments.export or None}
        write("-", json.dumps(document, indent=2) + "\n")
    elif arguments.export != "-":
        write("-", "".join(f"{name:<18}  {number}\n" for name, number in summary.items()))
    return status


class Stopped(BaseException):
    """A signal requests this process to end."""


def on_signals(handler: Callable[[int, Any], Any]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def stop_at_once(number: int, _: Any) -> NoReturn:
    raise Stopped(number)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"sweep: {message}")


def main(words: Sequence[str] | None = None) -> int:
    parser = Parser(prog="python -m gossamer.sweep", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("spec", metavar="SPEC", nargs="?", default="", help="what to measure, YAML")
    parser.add_argument("-o", "--output", metavar="RESULTS", required=True, help="results, SQLite")
    parser.add_argument("--export", metavar="FILE", default="", help="write all results as CSV, or JSON by its name")
    parser.add_argument("--json", action="store_true", help="print JSON alone on standard output")
    parser.add_argument("-j", "--jobs", metavar="N", type=int, choices=range(1, 4097), help="jobs at the same time")
    parser.add_argument("--scheduler", metavar="ADDRESS", default="", help="scheduler of dask.distributed")
    on_signals(stop_at_once)
    try:
        arguments = parser.parse_args(words)
        return run(arguments)
    except Stopped as stopped:
        signal.signal(stopped.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), stopped.args[0])
        raise
    except InputError as error:
        complain(error)
        return 2
    except sqlite3.Error as error:
        complain(f"{arguments.output}: {error}")
        return 2
    except Exception as error:
        complain(f"internal error: {type(error).__name__}: {error}")
        return 4


if __name__ == "__main__":
    # By its name, so that workers can import the functions that they receive.
    from gossamer.sweep import main as run_main

    sys.exit(run_main())
