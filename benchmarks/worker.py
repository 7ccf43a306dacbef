"""Measure one workload with one library, in this process.

    python benchmarks/worker.py WORKLOAD LIBRARY FILE

`run.py` starts it. It compares each result with the one derived by hand, and if they differ, it
says so and times nothing more. Timing is pyperf's, which writes FILE; the last line printed is
JSON, with the smallest value of each figure, and the figures that the library does not have.
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
"""How many seconds a value lasts at least."""


def calibrated(step: Callable[[], Any]) -> int:
    """Return how many loops last long enough; in this process, where pyperf starts another."""
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
    options = parser.parse_args()
    library = adapters.load(options.library)
    runner = pyperf.Runner()
    runner.parse_args(["--worker", "--loops=1", "--warmups=0"])
    benchmarks, values, absent = [], {}, {}
    for item in workloads.load(options.workload).cases(library):
        match item:
            case workloads.Absent(name, why):
                absent[name] = why
            case workloads.Peak(name, prepare, size):
                values[name] = memory.peak_beyond(prepare) / size, "1"
            case workloads.Noted(name, seconds, operations):
                values[name] = min(seconds) / operations, "second"
            case workloads.Check(name, step, expected):
                wrong = expected and difference(library.arrays(step()), expected)
                if wrong:
                    print(f"{name}: {wrong}", file=sys.stderr)
                    return WRONG
                if isinstance(item, workloads.Case):
                    runner.args.values = item.values
                    runner.args.loops = item.loops or calibrated(step)
                    found = runner.bench_func(name, step, inner_loops=item.operations)
                    benchmarks.append(found)
                    # What others do on the machine only ever adds to a value.
                    values[name] = min(found.get_values()), "second"
    pyperf.BenchmarkSuite(benchmarks).dump(options.file, replace=True)
    print(json.dumps({"values": values, "absent": absent}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
