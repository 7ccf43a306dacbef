"""The time of imports, each in a fresh interpreter.

That of the project ends with its plugins, which the first use loads: those of this project, and
with the core alone none. Plugins are found in the metadata of all installed distributions. So the
import is also measured beside 300 unrelated distributions: folders with metadata and a list of
files, every third with entry points of another group.

    python benchmarks/workloads/imports.py project

prints the figures of a library as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = dict.fromkeys(("replayed", "native"), "is a plugin of this project, which imports it")
ROUNDS = {"project": 15, "floor": 15, "torch": 3}

MODULES = {
    "project": "import dezero_core; dezero_core.plugins()",
    "floor": "import numpy",
    "torch": "import torch",
    "autograd": "import autograd.numpy",
    "mygrad": "import mygrad",
    "dezero_book": "import numpy; numpy.int = int; import dezero",
    "jax": "import jax.numpy",
}

DISTRIBUTIONS = 300

TIMED = """
import time
start = time.perf_counter()
{statement}
print(time.perf_counter() - start)
"""


def seconds(statement: str, **environment: str) -> float:
    """Return the time that a fresh interpreter takes for the imports."""
    command = [sys.executable, "-P", "-c", TIMED.format(statement=statement)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return float(done.stdout)


def unrelated(folder: Path) -> None:
    """Make distributions in a folder, in the form of installed ones."""
    for number in range(DISTRIBUTIONS):
        name = f"unrelated-{number}"
        info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        files = {
            "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            "INSTALLER": "pip\n",
        }
        if number % 3 == 0:
            files["entry_points.txt"] = f"[console_scripts]\n{name} = unrelated:main\n"
        files["RECORD"] = "".join(f"{info.name}/{each},,\n" for each in [*files, "RECORD"])
        for each, text in files.items():
            (info / each).write_text(text, encoding="utf-8")


def figures(library: str) -> Iterator[tuple[str, float]]:
    """Yield the name and time of each figure of a library."""
    yield "import", seconds(MODULES[library])
    if library == "project":
        yield "import, core alone", seconds(MODULES[library], DEZERO_PLUGINS="")
        with tempfile.TemporaryDirectory() as folder:
            unrelated(Path(folder))
            name = f"import, beside {DISTRIBUTIONS} other distributions"
            yield name, seconds(MODULES[library], PYTHONPATH=folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=MODULES)
    library = parser.parse_args().library
    values = {name: (value, "second") for name, value in figures(library)}
    print(json.dumps({"values": values, "absent": {}}))


if __name__ == "__main__":
    main()
