# SPDX-License-Identifier: Apache-2.0
"""The extension module. Use gossamer itself; this is what it is made of."""

import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__version__: str

class Error(Exception): ...
class InputError(Error, ValueError): ...
class InfeasibleError(Error, ValueError): ...

_Progress = Callable[[str, int, int], Any] | None
_Option = bool | int | str
_Report = tuple[str, list[str], int | None]

class Plan:
    def __init__(self, *args: object, **kwargs: object) -> None: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Plan: ...
    @staticmethod
    def from_bytes(document: bytes) -> Plan: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_json(self) -> bytes: ...
    def to_cbor(self) -> bytes: ...
    def neighbors(self) -> npt.NDArray[np.int64]: ...
    @property
    def collective(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def parameters(self) -> dict[str, _Option]: ...
    @property
    def topology(self) -> str: ...
    @property
    def dims(self) -> tuple[int, ...]: ...
    @property
    def nodes(self) -> int: ...
    @property
    def ports(self) -> int: ...
    @property
    def packets_per_node(self) -> int: ...
    @property
    def discipline(self) -> str: ...
    @property
    def engines(self) -> list[str]: ...
    @property
    def formats(self) -> list[str]: ...
    @property
    def analytic_steps(self) -> int | None: ...
    @property
    def lower_bound_steps(self) -> int | None: ...
    @property
    def hash(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...

def make_plan(
    collective: str,
    dims: Sequence[int],
    topology: str,
    algorithm: str,
    options: Mapping[str, _Option],
    progress: _Progress,
) -> Plan: ...
def prove(plan: Plan, progress: _Progress) -> _Report: ...
def simulate(
    plan: Plan,
    engine: str,
    trace: bool,
    link_loads: bool,
    fold: bool,
    max_steps: int | None,
    judged: bool | None,
    wave: str,
    stall: str,
    progress: _Progress,
) -> tuple[_Report, npt.NDArray[np.void] | None, npt.NDArray[np.uint64] | None]: ...
def emit(
    plan: Plan,
    format: str,
    directory: str | os.PathLike[str],
    name: str,
    chunk_bytes: int,
    progress: _Progress,
) -> list[os.PathLike[str]]: ...
def compare_all_gather(
    topology: str,
    dims: Sequence[int],
    algorithms: Sequence[str],
    startups: Sequence[float],
    engine: str,
    progress: _Progress,
) -> str: ...
def compare_broadcasts(
    topology: str,
    dims: Sequence[int],
    algorithms: Sequence[str],
    source: int,
    flits: int,
    hop_cycles: int,
    relay_cycles: int,
    engine: str,
    progress: _Progress,
) -> str: ...
def compare_reductions(
    collective: str,
    topology: str,
    dims: Sequence[int],
    algorithms: Sequence[str],
    options: Mapping[str, _Option],
) -> str: ...
def compare_bytes(
    collective: str,
    topology: str,
    dims: Sequence[int],
    algorithms: Sequence[str],
    source: int,
    message: Mapping[str, _Option],
    wormhole: Mapping[str, int] | None,
    progress: _Progress,
) -> str: ...
def network_in_file(path: str | os.PathLike[str]) -> tuple[str, list[int]]: ...
def algorithms() -> list[tuple[str, str, str, str, list[str], bool]]: ...
def collectives() -> list[tuple[str, str, str]]: ...
def engines() -> list[tuple[str, str]]: ...
def formats() -> list[tuple[str, str]]: ...
