"""Import time of the core and of what is installed with it, over NumPy's own.

    python benchmarks/import_time.py [--runs 15]

Each import is timed in a fresh process, NumPy, core and all plugins in turn; the median of
the differences within a round is printed, in milliseconds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

TIMED = """
import time
start = time.perf_counter()
import {module}
print((time.perf_counter() - start) * 1e3)
"""


def milliseconds(module: str, **environment: str) -> float:
    """Return how long a fresh interpreter takes to import `module`."""
    command = [sys.executable, "-c", TIMED.format(module=module)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    rounds = [
        (
            milliseconds("numpy"),
            milliseconds("dezero_core", DEZERO_PLUGINS=""),
            milliseconds("dezero_core"),
        )
        for _ in range(runs)
    ]
    print(f"NumPy alone             {statistics.median(r[0] for r in rounds):6.1f} ms")
    print(f"core, over NumPy      + {statistics.median(r[1] - r[0] for r in rounds):6.1f} ms")
    print(f"with plugins          + {statistics.median(r[2] - r[0] for r in rounds):6.1f} ms")


if __name__ == "__main__":
    main()
