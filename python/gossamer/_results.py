# SPDX-License-Identifier: Apache-2.0
"""Opens results of gossamer sweep. The program puts this text before its plotting script."""

import os
import shutil
import sqlite3
import tempfile
import urllib.parse
from contextlib import closing


def connect(path: str, mode: str) -> sqlite3.Connection:
    """A connection in which each statement is a transaction unless one is begun."""
    return sqlite3.connect(f"file:{urllib.parse.quote(path)}?{mode}", timeout=60, isolation_level=None, uri=True)


def open_to_read(path: str) -> sqlite3.Connection:
    """Reading needs no write access. If SQLite cannot keep its log next to the file, a file without a log is read as
    one that never changes, and of a file with a log a copy is read. In other folders it is opened to write, since a
    reader that may not write leaves log files behind."""
    log = f"{path}-wal"
    if os.access(os.path.dirname(path) or ".", os.W_OK):
        return connect(path, "mode=rw")
    if not os.path.exists(log) or not os.path.getsize(log):
        return connect(path, "immutable=1")
    with tempfile.TemporaryDirectory(prefix="gossamer-") as folder:
        copy = os.path.join(folder, "results")
        shutil.copyfile(path, copy)
        shutil.copyfile(log, f"{copy}-wal")
        with closing(connect(copy, "mode=rw")) as source:
            in_memory = sqlite3.connect(":memory:", isolation_level=None)
            source.backup(in_memory)
    return in_memory
