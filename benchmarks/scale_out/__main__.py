"""Measure dezero-dask, and write docs/performance_dask.md.

    make bench-dask                                     # in an environment of its own
    cd benchmarks && python -m scale_out                # in this one
    cd benchmarks && python -m scale_out --quick --only variables

Every workload runs in a fresh process, several times: its rounds. A result that differs from the
one derived by hand is an error; a target that is not reached is no error. With ``--quick``, which
takes one round, the figures are printed, and nothing is written.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import time

import machine
import targets as of_numpy
from comparison import WRONG
from page import table
from results import Results
from run import environment

from . import WORKLOADS, page, targets
from .values import MAP_REDUCE

ROUNDS, LONG_ROUNDS, LONG = 5, 2, ("out_of_core",)
"""Data that are larger than the memory take a minute to write, in each round."""

TIMEOUT = 600.0

DISTRIBUTIONS = (
    *("dezero-core", "dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay"),
    *("dezero-dask", "dask", "distributed", "numpy", "scipy", "zarr", "dask-glm"),
)


def described() -> tuple[dict[str, str], dict[str, str]]:
    """Return the facts of the machine, with the load of others, and the versions."""
    facts = machine.machine(environment())
    facts["load"] = f"{os.getloadavg()[0]:.1f} other programs at the start"
    return facts, {name: importlib.metadata.version(name) for name in DISTRIBUTIONS}


def measure_all(found: Results, rounds: int) -> bool:
    """Put the results of a workload into `found`, and return whether they are right."""
    workload = found.workload
    for round_ in range(rounds):
        start = time.monotonic()
        command = [sys.executable, "-m", "scale_out.process", workload]
        options = {"env": environment(), "cwd": page.HERE.parent, "timeout": TIMEOUT}
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
        except subprocess.TimeoutExpired:
            found.discard(MAP_REDUCE, f"took more than {TIMEOUT / 60:.0f} minutes")
            return False
        if done.returncode:
            why = "had a wrong result" if done.returncode == WRONG else "failed"
            found.discard(MAP_REDUCE, why)
            return False
        for figure, compared in json.loads(done.stdout.splitlines()[-1]).items():
            for who, (value, unit) in compared.items():
                found.add(round_, who, figure, value, unit)
        print(f"{workload}: round {round_ + 1}, {time.monotonic() - start:.0f} s", flush=True)
    return True


def main() -> int:
    """Measure, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one round, nothing is written")
    parser.add_argument("--rounds", type=int, help="instead of the usual number")
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, metavar="WORKLOAD")
    options = parser.parse_args()
    print(f"BLAS of NumPy: {machine.blas(environment())}", flush=True)
    facts, versions = described()
    right, measured = True, {}
    for workload in options.only or WORKLOADS:
        rounds = options.rounds or (LONG_ROUNDS if workload in LONG else ROUNDS)
        measured[workload] = Results(workload, facts, versions)
        right &= measure_all(measured[workload], 1 if options.quick else rounds)
        if not options.quick:
            measured[workload].save(page.FOLDER)
    if not options.quick:
        page.write()
    print(*page.figures_table(measured), "", sep="\n")
    print(*table(of_numpy.HEAD, targets.rows(measured)), sep="\n")
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
