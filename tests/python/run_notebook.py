# SPDX-License-Identifier: Apache-2.0
"""Executes a notebook from its first cell to its last.

run_notebook.py NOTEBOOK
"""

import json
import os
import pathlib
import sys
import tempfile

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
for cell in notebook.cells:
    if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
        raise SystemExit(f"{sys.argv[1]}: kept outputs: clear them before a commit")
with tempfile.TemporaryDirectory() as directory:
    # A kernel in the interpreter of this script, independent of registered kernels.
    kernel = pathlib.Path(directory, "kernels/python3/kernel.json")
    kernel.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}))
    os.environ.update(
        MPLBACKEND="Agg", IPYTHONDIR=directory, JUPYTER_CONFIG_DIR=directory, JUPYTER_DATA_DIR=directory
    )
    nbclient.NotebookClient(
        notebook, timeout=500, kernel_name="python3", resources={"metadata": {"path": directory}}
    ).execute()
print(f"{len(notebook.cells)} cells")
