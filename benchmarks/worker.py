"""Measure one workload with one library, in this process.

    python benchmarks/worker.py WORKLOAD LIBRARY FILE [--brief]

`run.py` and `against.py` start this program. It compares each result with the one derived by hand.
If they differ, it says so and times nothing more. pyperf times the steps, and writes FILE. The last
line printed is JSON, with the smallest value of each figure, and the figures that the library
lacks.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import adapters
import memory
import pyperf
import workloads
from comparison import WRONG, difference

MIN_TIME = 0.02
"""The least number of seconds for a value."""

BRIEF = 0.4
"""About how many seconds all values of a figure take together, if they are to be brief."""


def calibrated(step: Callable[[], Any]) -> int:
    """Return the number of loops that last long enough. pyperf would start a process for that."""
    loops = 1
    while True:
        start = time.perf_counter()
        for _ in range(loops):
            step()
        seconds = time.perf_counter() - start
        if seconds >= MIN_TIME:
            return loops
        loops = max(2 * loops, int(loops * 1.1 * MIN_TIME / max(seconds, 1e-9)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", choices=workloads.WORKLOADS)
    parser.add_argument("library", choices=adapters.LIBRARIES)
    parser.add_argument("file")
    parser.add_argument("--brief", action="store_true", help="take fewer values of slow figures")
    options = parser.parse_args()
    library, workload = adapters.load(options.library), workloads.load(options.workload)
    if options.brief:
        vars(workload).update(getattr(workload, "BRIEF", {}))
    runner = pyperf.Runner()
    runner.parse_args(["--worker", "--loops=1", "--warmups=0"])
    benchmarks, values, absent = [], {}, {}
    for item in workload.cases(library):
        match item:
            case workloads.Absent(name, why):
                absent[name] = why
            case workloads.Peak(name, first, prepare, _, keeps):
                values[name] = item.figure(memory.peak_beyond(first, prepare, keeps))
            case workloads.Noted(name, seconds, operations):
                values[name] = min(seconds) / operations, "second"
            case workloads.Check(name, step, expected):
                start = time.perf_counter()
                result = step() if expected else None
                seconds = time.perf_counter() - start
                wrong = expected and difference(library.arrays(result), expected)
                if wrong:
                    print(f"{name}: {wrong}", file=sys.stderr)
                    return WRONG
                if isinstance(item, workloads.Case):
                    runner.args.values = item.values
                    if options.brief:
                        runner.args.values = min(item.values, 1 + int(BRIEF / seconds))
                    runner.args.loops = item.loops or calibrated(step)
                    found = runner.bench_func(name, step, inner_loops=item.operations)
                    benchmarks.append(found)
                    # Other programs only add to a value.
                    values[name] = min(found.get_values()), "second"
    if benchmarks:
        pyperf.BenchmarkSuite(benchmarks).dump(options.file, replace=True)
    print(json.dumps({"values": values, "absent": absent}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
